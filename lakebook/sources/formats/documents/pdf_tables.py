"""Ruled tables on one page of a PDF: cells read and checked, refused with the reason where they are not sure.

pdfplumber finds cells between rules; what speaks against them is in `pdf_checks`. Joining tables over pages
is the work of `pdf_join`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lakebook.sources.formats.documents.cell_grid import GridReading, read_grid
from lakebook.sources.formats.documents.pdf_checks import (
    Box,
    Cells,
    Sheet,
    cells_problem,
    lies_in,
    middle,
    rows_problem,
)

# Spaces are told from the size of the type, since many PDFs hold none.
SETTINGS = {"text_x_tolerance_ratio": 0.15}
_MOST_CROSSINGS = 4_000_000


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of one page.

    Attributes:
        index: among the tables that pdfplumber finds on the page. box: where it stands.
        edges: left edges of its columns and the right edge of the last.
        grid: its rows, sorted out; its problem says why it was not extracted.
        marked: the header is set in another font than the values.
        deduped: characters that are drawn twice were taken once.
        cuts: vertical and horizontal lines between the cells of a table without rules; empty for ruled ones.
    """

    page: int
    index: int
    box: Box
    edges: tuple[float, ...] = ()
    grid: GridReading = field(default_factory=GridReading)
    marked: bool = False
    deduped: bool = False
    cuts: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())

    @property
    def problem(self) -> str:
        """Why it was not extracted, "" if it was."""
        return self.grid.problem


def ruled_tables(page: Any, number: int) -> tuple[list[PageTable], str]:
    """Return the ruled tables of a page, refused ones too, and why none were looked for ("" if they were)."""
    edges = Counter(edge["orientation"] for edge in page.edges)
    if edges["v"] * edges["h"] > _MOST_CROSSINGS:
        return [], f"tables on page {number} not looked for: it is a drawing of {edges.total():,} lines"
    found = page.find_tables(SETTINGS)
    frames = [table.bbox for table in found]
    # a frame inside a table is part of it
    outer = [
        (index, table)
        for index, table in enumerate(found)
        if not any(_holds(frame, table.bbox) for frame in frames if frame != table.bbox)
    ]
    all_cells = [(index, cells) for index, table in outer if (cells := _cells(table))]
    if not all_cells:
        return [], ""
    upright = page.filter(lambda item: item["object_type"] != "char" or item["upright"])
    words = upright.extract_words(x_tolerance_ratio=0.15, extra_attrs=["size"])
    sheet = Sheet(words, page.chars, frames)
    return [_read(sheet, number, index, cells) for index, cells in all_cells], ""


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _cells(table: Any) -> Cells | None:
    """Return the cells of a frame, None if it has only one row or column."""
    lefts = sorted({box[0] for box in table.cells})
    tops = sorted({box[1] for box in table.cells})
    if len(lefts) < 2 or len(tops) < 2:
        return None
    raw = table.extract(x_tolerance_ratio=SETTINGS["text_x_tolerance_ratio"])
    return Cells(table.bbox, raw, table.cells, lefts, tops)


def _read(sheet: Sheet, number: int, index: int, cells: Cells) -> PageTable:
    table = PageTable(number, index, cells.box, (*cells.lefts, cells.box[2]))
    grid = cells.grid()
    problem = cells_problem(sheet, cells, grid)
    if problem:
        return replace(table, grid=GridReading(problem=problem))
    reading = read_grid(grid)
    if reading.problem:
        return replace(table, grid=reading)
    problem = rows_problem(sheet, cells, [*reading.header, *reading.rows], len(reading.header))
    if problem:
        return replace(table, grid=GridReading(problem=problem))
    first = [*cells.tops, cells.box[3]][reading.titles : reading.titles + len(reading.header) + 2]
    chars = [char for char in sheet.chars if lies_in(char, cells.box)]
    return replace(table, grid=reading, marked=_is_marked(chars, first))


def _is_marked(chars: Sequence[dict[str, Any]], tops: Sequence[float]) -> bool:
    """Return True if the header is set in another font than the row below it.

    Args:
        chars: of the table.
        tops: upper edges of the header's rows, of the row below, and where that ends.
    """

    def fonts(top: float, bottom: float) -> set[str]:
        return {char["fontname"] for char in chars if top <= middle(char)[1] < bottom}

    head, body = fonts(tops[0], tops[-2]), fonts(tops[-2], tops[-1])
    return bool(head) and bool(body) and not head & body
