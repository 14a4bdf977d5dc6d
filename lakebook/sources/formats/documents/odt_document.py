"""OpenDocument texts (.odt): the text in passages with paragraph numbers, and plain tables as units.

A table with merged cells is not extracted and that is said; heads and feet of pages, notes and deleted text
are left out.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from lakebook.errors import SourceError
from lakebook.sources.formats.documents.cell_grid import Grid, header_names, read_grid
from lakebook.sources.formats.documents.document_table import DocumentTable, table_reading
from lakebook.sources.formats.documents.passages import Block, Piece, cut, titles
from lakebook.sources.load_code import data_file
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_MOST_XML = 256 * 1024 * 1024
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_PARTS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell", f"{_TABLE}table-row")
_BLANKS = (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break")
_APART = (f"{_TEXT}note", f"{_TEXT}tracked-changes", f"{_OFFICE}annotation", f"{_TEXT}sequence-decls")
_MERGES = ("number-columns-spanned", "number-rows-spanned", "number-columns-repeated", "number-rows-repeated")


class Odt:
    """Reads OpenDocument texts."""

    format = "odt"

    def can_read(self, file: Peek) -> bool:
        """Return True for OpenDocument texts."""
        return file.magic == "odt document" and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the text, then the tables that stand in it."""
        walk = _Walk()
        walk.go(_body(file))
        found = [(number, table) for number, table in enumerate(walk.tables, start=1) if not table.problem]
        warnings = tuple(
            f"table {number} not extracted: {table.problem}"
            for number, table in enumerate(walk.tables, start=1)
            if table.problem
        )
        unit = "text" if found else ""
        length = sum(len(block.text) for block in walk.blocks)
        passages = tuple(cut(walk.blocks, "paragraph"))
        headings = titles(walk.blocks)
        text = Reading(unit, text_length=length, headings=headings, passages=passages, warnings=warnings)
        yield Part(file, unit, text)
        for number, table in found:
            reading = table_reading(table.document_table(file.relative), f"table {number}")
            yield Part(file, reading.unit, reading)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Return the unit; the document was gone through once for all of them."""
        reading: Reading = part.content
        return reading


def _body(file: Peek) -> Any:
    """Return the document's content, blanks written out and what is no text of its own removed."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            if b"encryption-data" in archive.read("META-INF/manifest.xml"):
                hint = "Save it without a password."
                raise SourceError("the document is encrypted.", where=file.relative, hint=hint)
            size = archive.getinfo("content.xml").file_size
            if size > _MOST_XML:
                limit = f"{size // 2**20:,} MB of text, and at most {_MOST_XML // 2**20} MB are read"
                raise SourceError(f"the document holds {limit}.", where=file.relative)
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            root = etree.fromstring(archive.read("content.xml"), parser)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        OSError,
        RuntimeError,
        etree.LxmlError,
    ) as error:
        raise SourceError(f"the document is damaged ({error}).", where=file.relative) from error
    body = root.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise SourceError("the document is damaged (it has no text).", where=file.relative)
    for node in body.iter(*_BLANKS):
        node.text = " "
    return body


@dataclass(frozen=True, slots=True)
class _Found:
    """A table of the document: its order among all, texts row by row, or why they are not sure."""

    order: int
    texts: tuple[tuple[str, ...], ...]
    place: str
    title: str
    problem: str

    def document_table(self, relative: str) -> DocumentTable:
        """Return the table with the statements that read it again."""
        grid = read_grid(_grid(self.texts))
        names, warnings = header_names(grid, marked=False)
        kept = [*(() if names else range(len(grid.header))), *grid.numbers]
        return DocumentTable(
            width=len(self.texts[0]),
            names=names,
            rows=[self.texts[at] for at in kept],
            numbers=[at + 1 for at in kept],
            noun="row",
            statements=_statements(relative, self.order, kept),
            title=self.title,
            place=self.place,
            skipped=tuple(f"row {at + 1:,}: {text or 'blank'}" for at, text in grid.skipped),
            warnings=tuple(warnings),
        )


def _grid(texts: Sequence[Sequence[str]]) -> Grid:
    width = len(texts[0])
    cells = [range(at * width, (at + 1) * width) for at in range(len(texts))]
    return Grid(cells, [text for row in texts for text in row])


@dataclass(slots=True)
class _Walk:
    """One way through the body of a document: blocks for the text, tables aside."""

    blocks: list[Block] = field(default_factory=list)
    tables: list[_Found] = field(default_factory=list)
    number: int = 0

    def go(self, parent: Any, item: bool = False) -> None:
        """Go through an element; `item` says that it is one of a list."""
        for child in parent:
            if child.tag == f"{_TEXT}h":
                self._add("heading", child, int(child.get(f"{_TEXT}outline-level", "1")))
            elif child.tag == f"{_TEXT}p":
                self._add("list" if item else "paragraph", child)
            elif child.tag == f"{_TABLE}table":
                self._table(child)
            elif child.tag not in _APART:
                self.go(child, item or child.tag == f"{_TEXT}list")

    def _add(self, kind: Any, element: Any, level: int = 0) -> None:
        self.number += 1
        text = _text(element)
        if not text:
            return
        piece = Piece(self.number, self.number, f"- {text}" if kind == "list" else text)
        last = self.blocks[-1] if self.blocks else None
        if kind == "list" and last is not None and last.kind == "list":
            self.blocks[-1] = Block("list", (*last.pieces, piece))
        else:
            self.blocks.append(Block(kind, (piece,), level=level))

    def _table(self, element: Any) -> None:
        rows = [[_text(cell) for cell in _cells(row)] for row in element.iter(f"{_TABLE}table-row")]
        last = self.blocks[-1] if self.blocks else None
        is_caption = last is not None and last.kind == "paragraph" and len(last.text) <= 100
        title = last.text if last is not None and (is_caption and last.text.endswith(":")) else ""
        if not title:
            title = next((block.text for block in reversed(self.blocks) if block.kind == "heading"), "")
        place = f"after paragraph {self.number:,}" if self.number else "at the start"
        order = list(element.getroottree().iter(f"{_TABLE}table")).index(element)
        self.tables.append(_Found(order, tuple(map(tuple, rows)), place, title, _problem(element, rows)))
        here = max(self.number, 1)
        pieces = tuple(Piece(here, here, " | ".join(row)) for row in rows)
        if pieces:
            self.blocks.append(Block("table", pieces, lead=min(1, len(pieces) - 1)))


def _text(element: Any) -> str:
    """Return the text of a paragraph, or of a cell with a blank between its paragraphs."""
    return " ".join("".join(_texts(element)).split())


def _texts(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag not in _APART:
            yield from _texts(child)
        yield " " if child.tag in (f"{_TEXT}p", f"{_TEXT}h") else ""
        yield child.tail or ""


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")]


def _problem(element: Any, rows: Sequence[Sequence[str]]) -> str:
    if len(rows) < 2 or len(rows[0]) < 2:
        return "it is a frame around text"
    if any(int(item.get(f"{_TABLE}{name}", "1")) > 1 for item in element.iter(*_PARTS) for name in _MERGES):
        return "cells are merged or repeated"
    if any(True for _ in element.iter(*_APART, f"{_DRAW}frame")):
        return "its cells hold notes or frames"
    if len(list(element.iter(f"{_TABLE}table"))) > 1:
        return "its cells hold other tables"
    if any(len(row) != len(rows[0]) for row in rows):
        return "its rows have different numbers of cells"
    return read_grid(_grid([tuple(row) for row in rows])).problem


def _statements(relative: str, order: int, kept: Sequence[int]) -> tuple[str, ...]:
    return (
        "import zipfile",
        "from lxml import etree",
        f'TABLE, TEXT = "{_TABLE}", "{_TEXT}"',
        f"with zipfile.ZipFile({data_file(relative)}) as archive:\n"
        '    root = etree.fromstring(archive.read("content.xml"))',
        'for node in root.iter(TEXT + "s", TEXT + "tab", TEXT + "line-break"):\n    node.text = " "',
        'def text(cell):\n    parts = cell.iter(TEXT + "p", TEXT + "h")\n'
        '    return " ".join(" ".join("".join(part.itertext()) for part in parts).split())\n',
        f'table = list(root.iter(TABLE + "table"))[{order}]',
        'rows = [[text(cell) for cell in row] for row in table.iter(TABLE + "table-row")]',
        f"rows = [rows[at] for at in {_listed(kept)}]",
    )


def _listed(kept: Sequence[int]) -> str:
    """Write consecutive numbers as a range."""
    if list(kept) == list(range(kept[0], kept[-1] + 1)):
        return f"range({kept[0]}, {kept[-1] + 1})"
    return repr(list(kept))
