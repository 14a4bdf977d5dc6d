"""Tables of a PDF that go on over several pages: joined where columns agree, the header taken once.

What stands on one page is read by `pdf_tables`; here chains of it become tables with their load code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lakebook.sources.formats.document_table import (
    ASSUMED_HEADER,
    DocumentTable,
    has_header,
    is_number,
    stands_out,
)
from lakebook.sources.formats.passages import position
from lakebook.sources.formats.pdf_layout import Line
from lakebook.sources.formats.pdf_tables import SETTINGS, PageTable
from lakebook.sources.load_code import data_file

_TOLERANCE = 3.0
_NOTES = 3
_CONTINUED = re.compile(r"continue|cont[’'.]?d|\(cont|fortsetzung|suite|continuación", re.IGNORECASE)
_CAPTION = re.compile(
    r"\W*(?:tab(?:le|elle|la|leau|\.)|exhibit)\s*[\dIVX.]*\s*[.:–—-]?\s*(.*)", re.IGNORECASE
)
_CAPTION_GAP = 45.0
_CLEAN = '[" ".join((cell or "").split()) for cell in row]'


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """A table in its pages. `stopped` says where it seems to go on and could not be read."""

    parts: tuple[PageTable, ...]
    repeated: bool = True
    stopped: str = ""

    @property
    def first(self) -> PageTable:
        """The part on the first page."""
        return self.parts[0]


def join_tables(tables: Sequence[PageTable], lines: Mapping[int, Sequence[Line]]) -> Iterator[JoinedTable]:
    """Join the tables of a document; those with a problem are left out.

    Args:
        tables: of all pages, in order.
        lines: of each page, without running heads.
    """
    chain: list[PageTable] = []
    repeated = True
    for table in tables:
        if chain and _is_next(chain[-1], table, lines):
            if table.problem:
                if len(table.edges) == len(chain[-1].edges):
                    stopped = f"page {table.page}, where it was not extracted: {table.problem}"
                    yield JoinedTable(tuple(chain), repeated, stopped)
                    chain = []
                    repeated = True
                    continue
            elif (link := _link(chain, table, lines)) != "":
                chain.append(table)
                repeated = repeated and link == "repeated"
                continue
        if chain:
            yield JoinedTable(tuple(chain), repeated)
        chain, repeated = ([] if table.problem else [table]), True
    if chain:
        yield JoinedTable(tuple(chain), repeated)


def _is_next(one: PageTable, other: PageTable, lines: Mapping[int, Sequence[Line]]) -> bool:
    """Return True if the other table begins the page after the one that the first table ends."""
    return (
        other.page == one.page + 1
        and not any(
            line.bottom <= other.box[1] + 1 and not _CONTINUED.search(line.text)
            for line in lines[other.page]
            if line.first.table != other.index
        )
        and len(_below(one, lines)) <= _NOTES
    )


def _below(table: PageTable, lines: Mapping[int, Sequence[Line]]) -> list[Line]:
    return [
        line
        for line in lines[table.page]
        if line.top >= table.box[3] - 1 and not _CONTINUED.search(line.text)
    ]


def _link(chain: Sequence[PageTable], table: PageTable, lines: Mapping[int, Sequence[Line]]) -> str:
    """Return how a table goes on: with its header "repeated" or "without" one; "" if it is another."""
    first, last = chain[0], chain[-1]
    if len(table.edges) != len(first.edges):
        return ""
    widths = zip(_widths(first), _widths(table), strict=True)
    if any(abs(one - other) > _TOLERANCE for one, other in widths):
        return ""
    if table.header == first.header:
        return "repeated"
    if len(table.header) > 1 or table.marked or _below(last, lines):
        return ""
    numeric = [all(is_number(cell) for cell in column if cell) for column in zip(*last.rows, strict=True)]
    top = table.header[0]
    if any(numeric) and any(
        cell and not is_number(cell) for cell, is_n in zip(top, numeric, strict=True) if is_n
    ):
        return ""
    return "without"


def _widths(table: PageTable) -> list[float]:
    return [edge - table.edges[0] for edge in table.edges]


def document_table(joined: JoinedTable, relative: str, lines: Mapping[int, Sequence[Line]]) -> DocumentTable:
    """Return the table with the statements that read it again."""
    first = joined.first
    rows: list[tuple[str, ...]] = []
    pages: list[int] = []
    skipped: list[str] = []
    takes: list[tuple[int, int, int, list[int]]] = []
    names, warnings = _header(joined)
    for part in joined.parts:
        is_data = names is None or (part is not first and part.header != first.header)
        top = list(part.header) if is_data else []
        rows += [*top, *part.rows]
        pages += [part.page] * (len(top) + len(part.rows))
        start = 0 if is_data else len(part.header)
        skipped += [f"page {part.page}: {text or 'a blank row'}" for _, text in part.skip]
        takes.append((part.page, part.index, start, [number for number, _ in part.skip]))
    if not joined.repeated:
        warnings.append("pages after the first repeat no header: their first rows were taken as data")
    if any(part.merged for part in joined.parts):
        warnings.append("cells that are merged over several rows were repeated in each of them")
    warnings += _torn(joined)
    return DocumentTable(
        width=len(first.edges) - 1,
        names=names,
        rows=rows,
        numbers=pages,
        noun="page",
        statements=_statements(relative, takes, joined.parts),
        title=_title(first, lines[first.page]),
        place=position("page", first.page, joined.parts[-1].page),
        skipped=tuple(skipped),
        warnings=tuple(warnings),
        left_out=f"the table may go on on {joined.stopped}" if joined.stopped else "",
    )


def _header(joined: JoinedTable) -> tuple[tuple[str, ...] | None, list[str]]:
    first = joined.first
    if len(first.header) > 1:
        stacked = zip(*first.header, strict=True)
        return tuple(" ".join(dict.fromkeys(filter(None, cells))) for cells in stacked), []
    rows = [*first.header, *first.rows]
    is_repeated = len(joined.parts) > 1 and joined.repeated
    if not (is_repeated or first.marked or has_header(rows)):
        return None, []
    sure = is_repeated or first.marked or stands_out(rows)
    return first.header[0], [] if sure else [ASSUMED_HEADER]


def _torn(joined: JoinedTable) -> list[str]:
    """Say where a row may be torn apart between two pages: its first cell is blank, as no other is."""
    firsts = [row[0] for part in joined.parts for row in part.rows]
    return [
        f"the first row on page {part.page} may go on from the page before: its first cell is blank"
        for part in joined.parts[1:]
        if part.rows and not part.rows[0][0] and firsts.count("") <= len(joined.parts)
    ]


def _statements(
    relative: str, takes: Sequence[tuple[int, int, int, list[int]]], parts: Sequence[PageTable]
) -> tuple[str, ...]:
    has_skips = any(other for *_, other in takes)
    listed = ", ".join(repr(take if has_skips else take[:3]) for take in takes)
    names = "page, table, first, other" if has_skips else "page, table, first"
    told = "page, table on it, first row of data" + (", rows that are no data" if has_skips else "")
    kept = "enumerate(cells) if number >= first and number not in other" if has_skips else ""
    body = [
        "sheet = pdf.pages[page - 1]",
        f"cells = sheet.extract_tables({json.dumps(SETTINGS)})[table]",
        f"rows += [{_CLEAN} for {f'number, row in {kept}' if kept else 'row in cells[first:]'}]",
    ]
    if any(part.merged for part in parts):
        body[2:2] = [
            "for above, row in zip(cells, cells[1:]):  # a merged cell holds for all its rows",
            "    row[:] = [old if cell is None else cell for old, cell in zip(above, row)]",
        ]
    doubled = sorted({part.page for part in parts if part.deduped})
    if doubled:
        body[1:1] = [
            f"if page in {doubled}:  # characters are drawn twice",
            "    sheet = sheet.dedupe_chars()",
        ]
    return (
        "import pdfplumber",
        f"parts = [{listed}]  # {told}",
        "rows = []",
        "\n".join(
            [
                f"with pdfplumber.open({data_file(relative)}) as pdf:",
                f"    for {names} in parts:",
                *(f"        {line}" for line in body),
            ]
        ),
    )


def _title(table: PageTable, lines: Sequence[Line]) -> str:
    """Return the caption above the table, else the one below it."""
    near = [
        line
        for line in lines
        if line.first.table < 0
        and (0 <= table.box[1] - line.bottom <= _CAPTION_GAP or 0 <= line.top - table.box[3] <= _CAPTION_GAP)
    ]
    captions = [match for line in near if (match := _CAPTION.fullmatch(line.text))]
    return (captions[0][1] or captions[0][0]) if captions else ""
