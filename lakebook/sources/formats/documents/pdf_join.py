"""Tables of a PDF that go on over several pages: joined where columns agree, the header taken once.

What stands on one page is read by `pdf_tables`; here chains of it become tables with their load code.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lakebook.sources.card import RejectedRow
from lakebook.sources.formats.documents.cell_grid import header_names, rejected_rows
from lakebook.sources.formats.documents.document_table import DocumentTable, is_number
from lakebook.sources.formats.documents.passages import position
from lakebook.sources.formats.documents.pdf_aligned import cut_settings
from lakebook.sources.formats.documents.pdf_layout import Line
from lakebook.sources.formats.documents.pdf_tables import SETTINGS, PageTable
from lakebook.sources.load_code import data_file

_TOLERANCE = 3.0
_NOTES = 3
_CONTINUED = re.compile(r"continue|cont[’'.]?d|\(cont|fortsetzung|suite|continuación", re.IGNORECASE)
_CAPTION = re.compile(
    r"\W*(?:tab(?:leau|elle|ella|le|la|\.)|exhibit)\s+([\dIVX]+(?:[.-]\d+)*)?\s*[.:–—-]?\s*(.*)",
    re.IGNORECASE,
)
_CAPTION_GAP = 45.0
_CLEAN = '[" ".join((cell or "").split()) for cell in row]'


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """A table in its pages.

    Attributes:
        repeated: every page repeats the header.
        began, stopped: where it seems to begin before and to go on after these pages, but could not be read.
    """

    parts: tuple[PageTable, ...]
    repeated: bool = True
    began: str = ""
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
    repeated, began = True, ""
    before: PageTable | None = None
    for table in tables:
        follows = before is not None and _is_next(before, table, lines)
        link = _link(chain, table, lines) if chain and follows and not table.problem else ""
        if link:
            chain.append(table)
            repeated = repeated and link == "repeated"
        else:
            same = follows and before is not None and len(before.edges) == len(table.edges)
            if chain:
                yield JoinedTable(
                    tuple(chain), repeated, began, _where(table) if same and table.problem else ""
                )
            chain, repeated = ([] if table.problem else [table]), True
            began = _where(before) if same and before is not None and before.problem else ""
        before = table
    if chain:
        yield JoinedTable(tuple(chain), repeated, began)


def _where(table: PageTable) -> str:
    return f"page {table.page:,}, where it was not extracted: {table.problem}"


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
    if len(table.edges) != len(first.edges) or table.cuts[0] or first.cuts[0]:
        return ""
    widths = zip(_widths(first), _widths(table), strict=True)
    if any(abs(one - other) > _TOLERANCE for one, other in widths):
        return ""
    if table.grid.header == first.grid.header:
        return "repeated"
    if len(table.grid.header) > 1 or table.marked or _below(last, lines):
        return ""
    numeric = [
        all(is_number(cell) for cell in column if cell) for column in zip(*last.grid.rows, strict=True)
    ]
    top = table.grid.header[0]
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
    rejected: list[RejectedRow] = []
    takes: list[_Take] = []
    names, warnings = _header(joined)
    for part in joined.parts:
        grid = part.grid
        is_data = names is None or (part is not first and grid.header != first.grid.header)
        top = grid.header if is_data else ()
        rows += [*top, *grid.rows]
        pages += [part.page] * (len(top) + len(grid.rows))
        skipped += [f"page {part.page:,}: {text or 'a blank row'}" for _, text in grid.skipped]
        rejected += rejected_rows(grid, "row ", part.page)
        other = sorted(at for at, _ in (*grid.skipped, *grid.rejected) if at >= grid.titles)
        start = grid.titles + (0 if is_data else len(grid.header))
        takes.append(_Take(part.page, part.index, start, tuple(other)))
    if not joined.repeated:
        warnings.append("pages after the first repeat no header: their first rows were taken as data")
    if any(part.grid.merged for part in joined.parts):
        warnings.append("cells that are merged over several rows were repeated in each of them")
    warnings += _torn(joined)
    return DocumentTable(
        width=len(first.edges) - 1,
        names=names,
        rows=rows,
        numbers=pages,
        noun="page",
        statements=_cut_statements(relative, takes[0], first)
        if first.cuts[0]
        else _statements(relative, takes, joined.parts),
        title=_title(first, lines[first.page]),
        place=position("page", first.page, joined.parts[-1].page),
        rejected=tuple(rejected),
        skipped=tuple(skipped),
        warnings=tuple(warnings),
        left_out=_left_out(joined),
    )


def _left_out(joined: JoinedTable) -> str:
    began = f"the table may begin on {joined.began}" if joined.began else ""
    stopped = f"the table may go on on {joined.stopped}" if joined.stopped else ""
    return "; ".join(filter(None, (began, stopped)))


def _header(joined: JoinedTable) -> tuple[tuple[str, ...] | None, list[str]]:
    first = joined.first
    is_repeated = len(joined.parts) > 1 and joined.repeated
    return header_names(first.grid, marked=first.marked or is_repeated)


def _torn(joined: JoinedTable) -> list[str]:
    """Say where a row may be torn apart between two pages: its first cell is blank, as no other is."""
    firsts = [row[0] for part in joined.parts for row in part.grid.rows]
    return [
        f"the first row on page {part.page} may go on from the page before: its first cell is blank"
        for part in joined.parts[1:]
        if part.grid.rows and not part.grid.rows[0][0] and firsts.count("") <= len(joined.parts)
    ]


@dataclass(frozen=True, slots=True)
class _Take:
    """What the load code takes of a page: which table, from which row on, and without which rows."""

    page: int
    table: int
    first: int
    other: tuple[int, ...]


def _statements(relative: str, takes: Sequence[_Take], parts: Sequence[PageTable]) -> tuple[str, ...]:
    has_other = any(take.other for take in takes)
    listed = ", ".join(
        f"({take.page}, {take.table}, {take.first}{f', {list(take.other)}' if has_other else ''})"
        for take in takes
    )
    names = "page, table, first, other" if has_other else "page, table, first"
    told = "page, table on it, first row of data" + (", rows that are no data" if has_other else "")
    kept = "number, row in enumerate(cells) if number >= first and number not in other"
    body = [
        "sheet = pdf.pages[page - 1]",
        f"cells = sheet.extract_tables({json.dumps(SETTINGS)})[table]",
        f"rows += [{_CLEAN} for {kept if has_other else 'row in cells[first:]'}]",
    ]
    if any(part.grid.merged for part in parts):
        body[2:2] = [
            "for above, row in zip(cells, cells[1:]):  # a merged cell holds for all its rows",
            "    row[:] = [old if cell is None else cell for old, cell in zip(above, row)]",
        ]
    doubled = sorted({part.page for part in parts if part.deduped})
    if doubled:
        note = "  # characters are drawn twice"
        body[1:1] = [f"if page in {doubled}:{note}", "    sheet = sheet.dedupe_chars()"]
    opened = f"with pdfplumber.open({data_file(relative)}) as pdf:\n    for {names} in parts:"
    return (
        "import pdfplumber",
        f"parts = [{listed}]  # {told}",
        "rows = []",
        "\n".join([opened, *(f"        {line}" for line in body)]),
    )


def _cut_statements(relative: str, take: _Take, table: PageTable) -> tuple[str, ...]:
    """Write the statements for a table without rules: the lines between its cells are given."""
    settings = "".join(
        f"    {json.dumps(name)}: {value!r},\n" for name, value in cut_settings(table.cuts).items()
    )
    sheet = "sheet.dedupe_chars().crop" if table.deduped else "sheet.crop"
    return (
        "import pdfplumber",
        f"lines = {{  # between the cells\n{settings}}}".replace("'", '"'),
        f"with pdfplumber.open({data_file(relative)}) as pdf:\n"
        f"    sheet = pdf.pages[{table.page - 1}]\n"
        f"    cells = {sheet}({table.box!r}).extract_table(lines)",
        f"rows = [{_CLEAN} for row in cells[{take.first}:]]",
    )


def _title(table: PageTable, lines: Sequence[Line]) -> str:
    """Return the caption above the table, else the one below it."""
    near = [
        line
        for line in lines
        if line.first.table < 0
        and (0 <= table.box[1] - line.bottom <= _CAPTION_GAP or 0 <= line.top - table.box[3] <= _CAPTION_GAP)
    ]
    for line, below in itertools.zip_longest(near, near[1:]):
        caption = _CAPTION.fullmatch(line.text)
        if caption and caption[2]:
            return caption[2]
        if caption:  # the title stands on the next line
            return below.text if below is not None and below.top - line.bottom < line.size else line.text
    return ""
