"""Plain text, Markdown and reStructuredText: one text unit in passages, and a unit for each table in it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lakebook.sources.encoding import find_encoding
from lakebook.sources.formats.documents.document_table import DocumentTable, table_reading
from lakebook.sources.formats.documents.passages import Block, cut, titles
from lakebook.sources.formats.documents.text_blocks import Grammar, Scan, scan_text
from lakebook.sources.formats.documents.text_tables import TextTable
from lakebook.sources.formats.opened import opened
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_GRAMMARS: dict[str, Grammar] = {
    **dict.fromkeys((".md", ".markdown", ".mkd", ".mdown"), "markdown"),
    **dict.fromkeys((".rst", ".rest"), "rst"),
    **dict.fromkeys((".txt", ".text", ".log", ".names"), "plain"),
}
_NAMES = re.compile(
    r"(^|/)(readme|licen[sc]e|notice|authors|contributing|changelog|about|codebook)$", re.IGNORECASE
)
_LIMIT = 64 * 1024 * 1024
_TITLE_LINE = re.compile(
    r"\W*(?:tab(?:le|elle|\.)?\s*[\dIVX.]*\s*[:.–-]?\s+)?(.+)", re.IGNORECASE | re.DOTALL
)


class Document:
    """Reads text that is written for people."""

    format = "text"

    def can_read(self, file: Peek) -> bool:
        """Return True for text whose name says that it is prose."""
        if file.magic in ("html", "xml"):  # a page made with Markdown may begin with a tag
            return _GRAMMARS.get(file.suffix) in ("markdown", "rst")
        named = file.suffix in _GRAMMARS or (not file.suffix and bool(_NAMES.search(file.relative)))
        return file.magic == "text" and named

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the text, then the tables that stand in it."""
        encoding, guess = find_encoding(file)
        text, left_out = _read(file, encoding)
        lines = text.split("\n")
        scan = scan_text(lines, _GRAMMARS.get(file.suffix, "plain"))
        found = [(table, at) for table, at in scan.tables if table.rows]
        warnings = [guess] if guess else []
        warnings += [
            f"table at lines {table.start + 1:,}-{table.end:,} not extracted: {table.problem}"
            for table, _ in scan.tables
            if table.problem
        ]
        reading = Reading(
            unit="text" if found else "",
            text_length=len(text),
            headings=titles(scan.blocks),
            passages=tuple(cut(scan.blocks, "line")),
            encoding=encoding,
            left_out=left_out,
            warnings=tuple(warnings),
        )
        yield Part(file, reading.unit, reading)
        for number, (table, at) in enumerate(found, start=1):
            lossy = "\ufffd" in text
            shown = _document_table(table, _title(scan, at), _opening(file, encoding, table, lossy=lossy))
            reading = table_reading(shown, f"table {number}", encoding)
            yield Part(file, reading.unit, replace(reading, left_out=left_out))

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Return the unit; a document is read as a whole, since its parts explain each other."""
        reading: Reading = part.content
        return reading


def _read(file: Peek, encoding: str) -> tuple[str, str]:
    """Return the text with newlines only between lines, and what the limit left out."""
    with io.TextIOWrapper(file.open(), encoding=encoding, errors="replace") as stream:
        text = stream.read(_LIMIT)
        more = bool(stream.read(1))
    left_out = f"only the first {_LIMIT // 2**20} million characters were read" if more else ""
    return text.removeprefix("\ufeff"), left_out


def _opening(file: Peek, encoding: str, table: TextTable, *, lossy: bool) -> tuple[str, ...]:
    """Write the statements that read the lines of a table."""
    imports, opening = opened(file, encoding, "replace" if lossy else "")
    return (*imports, f'{opening}\n    lines = file.read().split("\\n")[{table.body}:{table.end}]')


def _document_table(table: TextTable, title: str, opening: Sequence[str]) -> DocumentTable:
    return DocumentTable(
        table.width,
        table.names,
        table.rows,
        table.numbers,
        "line",
        (*opening, *table.statements),
        title,
        f"lines {table.start + 1:,}-{table.end:,}",
        table.rejected,
        warnings=table.warnings,
    )


def _title(scan: Scan, at: int) -> str:
    """Return what introduces a table: a short line before it that names it, else its section's heading."""
    before = scan.blocks[at - 1] if at else None
    if before is not None and before.kind == "paragraph" and _is_title(before):
        match = _TITLE_LINE.match(before.text)
        return match[1] if match else ""
    above = (block for block in reversed(scan.blocks[:at]) if block.kind == "heading")
    return next((block.text for block in above), "")


def _is_title(block: Block) -> bool:
    text = block.text.strip()
    return len(text) <= 100 and (
        text.endswith(":") or bool(re.match(r"\W*tab(?:le|elle|\.)?\b", text, re.IGNORECASE))
    )
