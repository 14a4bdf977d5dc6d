"""PDF: the text in passages with their pages, and the tables that are sure, each a unit of its own.

Needs the extra `formats` (pdfplumber). Here a file is opened and gone through page by page; layout, text
and tables have modules of their own.
"""

from __future__ import annotations

import logging
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.formats.documents.document_table import table_reading
from lakebook.sources.formats.documents.passages import Block, Piece, cut, titles
from lakebook.sources.formats.documents.pdf_aligned import aligned_tables
from lakebook.sources.formats.documents.pdf_checks import doubles
from lakebook.sources.formats.documents.pdf_join import document_table, join_tables
from lakebook.sources.formats.documents.pdf_layout import Line, page_lines
from lakebook.sources.formats.documents.pdf_tables import PageTable, ruled_tables
from lakebook.sources.formats.documents.pdf_text import running_lines, text_blocks
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

# A page costs about a tenth of a second.
_MOST_PAGES = 500
_WARNINGS_KEPT = 20
_UNDECODED = 0.2
_DOUBLED = 0.02
_LOSS = "parts of the file are damaged and were left out"
_MOSTLY = 0.5
_TURNED = "the text runs sideways: turn the pages and save them again"


class Pdf:
    """Reads PDF documents that have a text layer."""

    format = "pdf"

    def can_read(self, file: Peek) -> bool:
        """Return True for PDF."""
        return file.magic == "pdf" and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the text, then the tables that stand in it, then the pages that could not be read."""
        content = _read(file)
        if not content.pages:
            raise SourceError(_no_text(content), where=file.relative)
        running_ids, running = running_lines([page for page in content.pages.values() if page])
        lines = {
            number: [line for line in page if id(line) not in running_ids]
            for number, page in content.pages.items()
        }
        joined = list(join_tables(content.tables, lines))
        shown = [document_table(table, file.relative, lines) for table in joined]
        shapes = {(table.page, table.index): _block(table) for table in content.tables}
        blocks = text_blocks(list(chain.from_iterable(lines.values())), shapes)
        yield Part(
            file,
            "text" if shown else "",
            Reading(
                unit="text" if shown else "",
                text_length=sum(len(block.text) for block in blocks),
                headings=titles(blocks),
                passages=tuple(cut(blocks, "page")),
                place=f"pages 1-{content.total:,}" if content.total > 1 else "page 1",
                left_out=content.left_out,
                skipped=tuple(f"on {item.pages:,} pages: {item.text}" for item in running[:_WARNINGS_KEPT]),
                warnings=tuple(_warnings(content)),
            ),
        )
        counts: Counter[int] = Counter()
        for table, document in zip(joined, shown, strict=True):
            page = table.first.page
            counts[page] += 1
            reading = table_reading(document, f"page {page} table {counts[page]}")
            if _LOSS in content.notes:
                reading = replace(reading, left_out=_LOSS)
            yield Part(file, reading.unit, reading)
        if content.images:
            pages = _listed(content.images)
            yield Part(file, pages, Reading(unit=pages, problem="no text layer, only images"))
        if content.turned:
            pages = _listed(content.turned)
            yield Part(file, pages, Reading(unit=pages, problem=_TURNED))
        for number, reason in content.damaged:
            name = f"page {number:,}"
            yield Part(file, name, Reading(unit=name, problem=f"the page cannot be read ({reason})"))

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Return the unit; the pages were gone through once for all of them."""
        reading: Reading = part.content
        return reading


@dataclass(slots=True)
class _Content:
    """What the pages hold.

    Attributes:
        pages: lines of those with text. images: those with pictures only. turned: with text set sideways.
        damaged: those that could not be read, with the reason.
    """

    total: int = 0
    left_out: str = ""
    pages: dict[int, list[Line]] = field(default_factory=dict)
    tables: list[PageTable] = field(default_factory=list)
    images: list[int] = field(default_factory=list)
    damaged: list[tuple[int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    turned: list[int] = field(default_factory=list)
    sideways: dict[int, int] = field(default_factory=dict)
    characters: int = 0
    undecoded: int = 0


def _read(file: Peek) -> _Content:
    content = _Content()
    with _listening(content.notes), _opened(file) as pdf:
        content.total = len(pdf.pages)
        if content.total > _MOST_PAGES:
            content.left_out = f"only the first {_MOST_PAGES:,} of {content.total:,} pages were read"
        for number, page in enumerate(pdf.pages[:_MOST_PAGES], start=1):
            try:
                _read_page(content, page, number)
            except _damage() as error:
                content.damaged.append((number, _reason(error)))
            page.close()
    if _LOSS in content.notes:
        content.left_out = "; ".join(filter(None, (content.left_out, _LOSS)))
    return content


def _read_page(content: _Content, page: Any, number: int) -> None:
    chars = page.chars
    if not any(char["text"].strip() for char in chars):
        if page.images:
            content.images.append(number)
        return
    content.characters += len(chars)
    content.undecoded += sum(1 for char in chars if char["text"].startswith("(cid:"))
    is_doubled = doubles(chars) > _DOUBLED * len(chars)
    if is_doubled:
        page = page.dedupe_chars()
    tables, note = ruled_tables(page, number)
    tables = [replace(table, deduped=is_doubled) for table in tables]
    if note:
        content.notes.append(note)
    boxes = {table.index: table.box for table in tables if not table.problem}
    lines, sideways = page_lines(page, number, boxes)
    lines, aligned = aligned_tables(page, lines)
    good = [table for table in aligned if not table.problem]
    aligned = [table for table in aligned if not any(_is_same(table, other) for other in tables)]
    tables = [table for table in tables if not any(_is_same(table, other) for other in good)]
    tables += [replace(table, deduped=is_doubled) for table in aligned]
    if sideways:
        content.sideways[number] = sideways
    if sideways > _MOSTLY * len(chars):
        content.turned.append(number)
        return
    content.pages[number] = lines
    content.tables += tables


def _is_same(refused: PageTable, other: PageTable) -> bool:
    """Return True if a refused table is one that was also found in another way: by rules, or by words."""
    _, top, _, bottom = refused.box
    shared = min(bottom, other.box[3]) - max(top, other.box[1])
    return bool(refused.problem) and shared > 0.5 * (bottom - top)


class _Listener(logging.Handler):
    """Hears pdfminer say that a part of the file could not be unpacked; its other remarks are of no use."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.notes = notes

    def emit(self, record: logging.LogRecord) -> None:
        """Note a loss once."""
        if "Data-loss" in record.getMessage() and _LOSS not in self.notes:
            self.notes.append(_LOSS)


@contextmanager
def _listening(notes: list[str]) -> Iterator[None]:
    logger, listener = logging.getLogger("pdfminer"), _Listener(notes)
    logger.addHandler(listener)
    try:
        yield
    finally:
        logger.removeHandler(listener)


@contextmanager
def _opened(file: Peek) -> Iterator[Any]:
    """Open the document, or say why that is not possible."""
    try:
        import pdfplumber
        from pdfminer.pdfdocument import PDFPasswordIncorrect
    except ImportError as error:
        hint = 'Install it: pip install "lakebook[formats]"'
        raise SourceError("PDF needs the package pdfplumber.", where=file.relative, hint=hint) from error
    try:
        pdf = pdfplumber.open(file.path)
        pages = len(pdf.pages)
    except _damage() as error:
        if isinstance(error.__context__, PDFPasswordIncorrect) or "PasswordIncorrect" in repr(error):
            message, hint = "the PDF is encrypted.", "Save it without a password."
            raise SourceError(message, where=file.relative, hint=hint) from error
        raise SourceError(f"the PDF is damaged ({_reason(error)}).", where=file.relative) from error
    with pdf:
        if not pages:
            raise SourceError("the PDF is damaged (it has no pages).", where=file.relative)
        yield pdf


def _damage() -> tuple[type[Exception], ...]:
    """Return what pdfplumber and pdfminer raise on damaged files."""
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    return (
        MalformedPDFException,
        PdfminerException,
        PSException,
        struct.error,
        zlib.error,
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RuntimeError,
        EOFError,
        TypeError,
        ValueError,
        OSError,
    )


def _reason(error: BaseException) -> str:
    text = (str(error).splitlines() or [""])[0][:200]
    return text or type(error).__name__


def _no_text(content: _Content) -> str:
    if content.images:
        verb = "page is an image" if len(content.images) == 1 else "pages are images"
        return f"no text layer: {len(content.images):,} {verb}."
    if content.turned:
        return f"{_TURNED}."
    if content.damaged:
        number, reason = content.damaged[0]
        return f"the PDF is damaged: none of its pages can be read (page {number:,}: {reason})."
    return "it holds no text." if content.total == 1 else f"its {content.total:,} pages hold no text."


def _warnings(content: _Content) -> Iterator[str]:
    if content.undecoded > _UNDECODED * content.characters:
        share = content.undecoded / content.characters
        yield f"{share:.0%} of the characters cannot be decoded: a font does not say what they are"
    refused = Counter((table.page, table.problem) for table in content.tables if table.problem)
    notes = [
        f"{f'{count} tables' if count > 1 else 'table'} on page {page:,} not extracted: {problem}"
        for (page, problem), count in refused.items()
    ]
    notes += content.notes
    if content.sideways:
        letters, pages = sum(content.sideways.values()), _listed(list(content.sideways))
        yield f"left out: {letters:,} characters that run in another direction ({pages})"
    yield from notes[:_WARNINGS_KEPT]
    if len(notes) > _WARNINGS_KEPT:
        yield f"and {len(notes) - _WARNINGS_KEPT:,} more of this kind"


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(f"{number:,}" for number in numbers[:10])
    more = f" and {len(numbers) - 10:,} more" if len(numbers) > 10 else ""
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _block(table: PageTable) -> Block:
    """Return a table as text, cells between bars, with the titles and rows inside it that are no data."""
    grid = table.grid
    rows = [" | ".join(row) for row in (*grid.header, *grid.rows)]
    for number, text in sorted((*grid.skipped, *grid.rejected)):
        rows.insert(number, text)
    pieces = tuple(Piece(table.page, table.page, row) for row in rows or [""])
    return Block("table", pieces, lead=grid.titles + len(grid.header))
