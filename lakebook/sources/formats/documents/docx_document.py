"""Word documents (.docx): the text in passages with paragraph numbers, and each table a unit of its own.

Needs the extra `formats` (python-docx). Heads and feet of pages, macros and embedded files are left out;
the cells of tables are read in `docx_tables`.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.formats.documents.document_table import table_reading
from lakebook.sources.formats.documents.docx_tables import FoundTable, W, document_table, read_table, text_of
from lakebook.sources.formats.documents.passages import Block, Piece, cut, titles
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_SUFFIXES = frozenset({".docx", ".docm", ".dotx"})
_MOST_XML = 256 * 1024 * 1024
# What python-docx and zipfile raise on damaged files.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_FOOTNOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


class Docx:
    """Reads Word documents."""

    format = "docx"

    def can_read(self, file: Peek) -> bool:
        """Return True for Word documents, encrypted ones too, so that they are refused by name."""
        is_encrypted = file.magic == "encrypted workbook" and file.suffix in _SUFFIXES
        return (file.magic == "docx document" or is_encrypted) and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the text, then the tables that stand in it."""
        if file.magic != "docx document":
            raise SourceError(
                "the document is encrypted.", where=file.relative, hint="Save it without a password."
            )
        walk = _walked(file)
        found = [table for table in walk.tables if not table.problem]
        warnings = [
            f"table {number} not extracted: {table.problem}"
            for number, table in enumerate(walk.tables, start=1)
            if table.problem
        ]
        yield Part(
            file,
            "text" if found else "",
            Reading(
                unit="text" if found else "",
                text_length=sum(len(block.text) for block in walk.blocks),
                headings=titles(walk.blocks),
                passages=tuple(cut(walk.blocks, "paragraph")),
                warnings=tuple(warnings),
            ),
        )
        for number, table in enumerate(walk.tables, start=1):
            if not table.problem:
                reading = table_reading(document_table(table, file.relative), f"table {number}")
                yield Part(file, reading.unit, reading)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Return the unit; the document was gone through once for all of them."""
        reading: Reading = part.content
        return reading


def _walked(file: Peek) -> _Walk:
    """Go through the document, or say why that is not possible."""
    try:
        import docx
        from docx.opc.exceptions import OpcError
        from lxml.etree import LxmlError
    except ImportError as error:
        hint = 'Install it: pip install "lakebook[formats]"'
        raise SourceError("Word needs the package python-docx.", where=file.relative, hint=hint) from error
    try:
        with zipfile.ZipFile(file.path) as archive:
            size = archive.getinfo("word/document.xml").file_size
        if size > _MOST_XML:
            limit = f"{size // 2**20:,} MB of text, and at most {_MOST_XML // 2**20} MB are read"
            raise SourceError(f"the document holds {limit}.", where=file.relative)
        document = docx.Document(str(file.path))
        walk = _Walk(document, _footnotes(document))
        walk.run()
    except (OpcError, LxmlError, *_DAMAGE) as error:
        if "macroEnabled" in str(error):
            hint = "Save it as .docx."
            raise SourceError("the document holds macros.", where=file.relative, hint=hint) from error
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(f"the document is damaged ({reason}).", where=file.relative) from error
    return walk


def _footnotes(document: Any) -> dict[str, str]:
    from lxml import etree

    notes = {}
    for relation in document.part.rels.values():
        if relation.reltype == _FOOTNOTES and not relation.is_external:
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            root = etree.fromstring(relation.target_part.blob, parser)
            for note in root.iter(f"{W}footnote"):
                text = " ".join(text_of(paragraph) for paragraph in note.iter(f"{W}p")).strip()
                if text and note.get(f"{W}type") is None:
                    notes[note.get(f"{W}id")] = text
    return notes


@dataclass(slots=True)
class _Walk:
    """One way through the body of a document: blocks for the text, tables aside."""

    document: Any
    footnotes: dict[str, str]
    blocks: list[Block] = field(default_factory=list)
    tables: list[FoundTable] = field(default_factory=list)
    number: int = 0
    levels: dict[str, int] = field(default_factory=dict)

    def run(self) -> None:
        """Go through the body."""
        self.levels = {
            style.style_id: level for style in self.document.styles if (level := _level(style)) >= 0
        }
        self._go(self.document.element.body)

    def _go(self, parent: Any) -> None:
        for child in parent:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child)
            elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}smartTag"):
                self._go(child)

    def _paragraph(self, paragraph: Any) -> None:
        self.number += 1
        text = text_of(paragraph).strip()
        boxes = [text_of(inner).strip() for box in _boxes(paragraph) for inner in box.iter(f"{W}p")]
        notes = [
            f"[footnote] {self.footnotes[note]}"
            for reference in paragraph.iter(f"{W}footnoteReference")
            if (note := reference.get(f"{W}id")) in self.footnotes
        ]
        properties = paragraph.find(f"{W}pPr")
        level = self._heading_level(properties)
        if level >= 0 and text:
            self.blocks.append(Block("heading", (self._piece(text),), level=level))
        elif text and properties is not None and _is_item(properties):
            before = self.blocks[-1] if self.blocks else None
            items = before.pieces if before is not None and before.kind == "list" else ()
            if items:
                self.blocks.pop()
            self.blocks.append(Block("list", (*items, self._piece(f"- {text}"))))
        elif text:
            self.blocks.append(Block("paragraph", (self._piece(text),)))
        for extra in (*filter(None, boxes), *notes):
            self.blocks.append(Block("paragraph", (self._piece(extra),)))

    def _piece(self, text: str) -> Piece:
        return Piece(self.number, self.number, text)

    def _heading_level(self, properties: Any) -> int:
        if properties is None:
            return -1
        outline = properties.find(f"{W}outlineLvl")
        if outline is not None:
            level = int(outline.get(f"{W}val", "9"))
            return level + 1 if level < 9 else -1
        style = properties.find(f"{W}pStyle")
        return self.levels.get(style.get(f"{W}val"), -1) if style is not None else -1

    def _table(self, element: Any) -> None:
        path = _path(self.blocks)
        place = f"after paragraph {self.number:,}" if self.number else "at the start"
        if path:
            place += f", under {path[-1]!r}"
        table = read_table(self.document, element, place, self._title(path))
        self.tables.append(table)
        here = max(self.number, 1)
        pieces = tuple(Piece(here, here, " | ".join(filter(None, row))) for row in table.texts)
        if pieces:
            self.blocks.append(Block("table", pieces, lead=min(table.lead, len(pieces) - 1)))

    def _title(self, path: Sequence[str]) -> str:
        """Return the caption or the short line above the table, else the heading of its section."""
        last = self.blocks[-1] if self.blocks else None
        if last is not None and last.kind == "paragraph" and len(last.text) <= 100:
            caption = re.fullmatch(r"\W*tab\w*\.?\s*[\dIVX.]*\s*[:.–-]?\s*(.+)", last.text, re.IGNORECASE)
            if caption:
                return caption[1]
            if last.text.endswith(":"):
                return last.text
        return path[-1] if path else ""


def _level(style: Any) -> int:
    """Return the level of headings in a style or in one that it is based on: 0 the title, -1 no heading."""
    seen = 0
    while style is not None and seen < 20:
        name = str(style.name or "")
        heading = _HEADING.fullmatch(name)
        if heading:
            return int(heading[1])
        if name.lower() == "title":
            return 0
        properties = style.element.find(f"{W}pPr")
        outline = properties.find(f"{W}outlineLvl") if properties is not None else None
        if outline is not None:
            level = int(outline.get(f"{W}val", "9"))
            return level + 1 if level < 9 else -1
        style, seen = getattr(style, "base_style", None), seen + 1
    return -1


def _is_item(properties: Any) -> bool:
    style = properties.find(f"{W}pStyle")
    named = style is not None and style.get(f"{W}val", "").lower().startswith("list")
    return named or properties.find(f"{W}numPr") is not None


def _boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the text boxes of a paragraph; each is stored a second time for old versions of Word."""
    for box in paragraph.iter(f"{W}txbxContent"):
        if not any(parent.tag.endswith("}Fallback") for parent in box.iterancestors()):
            yield box


def _path(blocks: Sequence[Block]) -> list[str]:
    path: list[Block] = []
    for block in blocks:
        if block.kind == "heading":
            path = [*(above for above in path if above.level < block.level), block]
    return [block.text for block in path]
