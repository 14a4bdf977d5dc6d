"""Ruled tables on one page of a PDF: cells read and checked, refused with the reason where they are not sure.

pdfplumber finds cells between rules; whether they are a table of data is decided here. Joining tables over
pages is the work of `pdf_join`.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lakebook.sources.formats.cell_grid import Grid, GridReading, read_grid
from lakebook.sources.formats.document_table import is_number

# Spaces are told from the size of the type, since many PDFs hold none.
SETTINGS = {"text_x_tolerance_ratio": 0.15}
_MOST_CROSSINGS = 4_000_000
_LEAST_FILLED = 0.5
_RAISED = 0.8
_SEVERAL_NUMBERS = re.compile(r"[-+]?\$?\d[\d.,]*%?(?: [-+]?\$?\d[\d.,]*%?)+")

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of one page.

    Attributes:
        index: among the tables that pdfplumber finds on the page. box: where it stands.
        edges: left edges of its columns and the right edge of the last.
        grid: its rows, sorted out; its problem says why it was not extracted.
        marked: the header is set in another font than the values.
        deduped: characters that are drawn twice were taken once.
    """

    page: int
    index: int
    box: Box
    edges: tuple[float, ...] = ()
    grid: GridReading = field(default_factory=GridReading)
    marked: bool = False
    deduped: bool = False

    @property
    def problem(self) -> str:
        """Why it was not extracted, "" if it was."""
        return self.grid.problem


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a table between its rules: texts with line ends (None where no cell begins), and boxes."""

    raw: list[list[str | None]]
    boxes: list[Box]
    lefts: list[float]
    tops: list[float]

    def cover(self) -> list[list[int]]:
        """Return for every place of the grid the number of the box that covers it, -1 for none."""
        grid = [[-1] * len(self.lefts) for _ in self.tops]
        for number, (x0, top, x1, bottom) in enumerate(self.boxes):
            for row in range(bisect_left(self.tops, top), bisect_left(self.tops, bottom)):
                for column in range(bisect_left(self.lefts, x0), bisect_left(self.lefts, x1)):
                    grid[row][column] = number
        return grid

    def texts(self) -> list[str]:
        """Return the text of each box, blanks and line ends made one blank."""
        places = ((bisect_left(self.tops, box[1]), bisect_left(self.lefts, box[0])) for box in self.boxes)
        return [" ".join((self.raw[row][column] or "").split()) for row, column in places]


def ruled_tables(page: Any, number: int) -> tuple[list[PageTable], str]:
    """Return the ruled tables of a page, refused ones too, and why none were looked for ("" if they were)."""
    edges = Counter(edge["orientation"] for edge in page.edges)
    if edges["v"] * edges["h"] > _MOST_CROSSINGS:
        return [], f"tables on page {number} not looked for: it is a drawing of {edges.total():,} lines"
    found = page.find_tables(SETTINGS)
    boxes = [table.bbox for table in found]
    tables = []
    for index, table in enumerate(found):
        if any(_holds(other, table.bbox) for other in boxes if other != table.bbox):
            continue  # a frame inside a table is part of it
        cells = _cells(table)
        if len(cells.tops) >= 2 and len(cells.lefts) >= 2:
            tables.append(_read(page, number, index, table.bbox, cells))
    return tables, ""


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _cells(table: Any) -> _Cells:
    raw = table.extract(x_tolerance_ratio=SETTINGS["text_x_tolerance_ratio"])
    lefts = sorted({box[0] for box in table.cells})
    tops = sorted({box[1] for box in table.cells})
    return _Cells(raw, list(table.cells), lefts, tops)


def _read(page: Any, number: int, index: int, box: Box, cells: _Cells) -> PageTable:
    edges = (*cells.lefts, box[2])
    grid = Grid(cells.cover(), cells.texts())
    chars = [char for char in page.chars if _lies_in(char, box)]
    problem = (
        _characters_problem(chars, grid) or _cells_problem(cells, grid) or _raised_problem(chars, cells, grid)
    )
    if problem:
        return PageTable(number, index, box, edges, GridReading(problem=problem))
    reading = read_grid(grid)
    if not reading.problem and (problem := _values_problem(reading.rows)):
        reading = GridReading(problem=problem)
    first = [*cells.tops, box[3]][reading.titles : reading.titles + len(reading.header) + 2]
    return PageTable(
        number, index, box, edges, reading, marked=not reading.problem and _is_marked(chars, first)
    )


def _characters_problem(chars: Sequence[dict[str, Any]], grid: Grid) -> str:
    """Check the cells against the characters: none lost, none twice, none set sideways."""
    if any(not char["upright"] for char in chars if char["text"].strip()):
        return "it holds rotated text"
    if any(char["text"].startswith("(cid:") for char in chars):
        return "its font does not say which characters it shows"
    if doubles(chars) >= 3:
        return "its characters are drawn twice"
    wanted = _letters("".join(char["text"] for char in chars))
    lost = (wanted - _letters("".join(grid.texts))).total()
    return f"{lost:,} of {wanted.total():,} characters lie outside its cells" if lost else ""


def _cells_problem(cells: _Cells, grid: Grid) -> str:
    """Check the cells themselves: all there, most filled, one value in each."""
    if any(cell < 0 for row in grid.cells for cell in row):
        return "its frame is not closed: cells are missing"
    if sum(1 for text in grid.texts if text) < _LEAST_FILLED * len(grid.texts):
        return "most of its cells are empty"
    for row in cells.raw:
        lines = [cell.strip().split("\n") for cell in row if cell and "\n" in cell.strip()]
        stacked = [parts for parts in lines if all(map(is_number, parts))]
        if stacked and (len(lines) >= 2 or len(stacked[0]) >= 3):
            return "its rows are not set apart by lines"
    return ""


def _raised_problem(chars: Sequence[dict[str, Any]], cells: _Cells, grid: Grid) -> str:
    """A small figure beside a number is a mark of a footnote or a power; as text it would be part of it."""
    digits = [char for char in chars if char["text"].isdigit()]
    usual = statistics.median(char["size"] for char in digits) if digits else 0.0
    for char in digits:
        if char["size"] > _RAISED * usual:
            continue
        row = max(bisect_right(cells.tops, (char["top"] + char["bottom"]) / 2) - 1, 0)
        column = max(bisect_right(cells.lefts, (char["x0"] + char["x1"]) / 2) - 1, 0)
        cell = grid.cells[row][column]
        beside = [other for other in digits if _lies_in(other, cells.boxes[cell])]
        if is_number(grid.texts[cell]) and any(other["size"] * _RAISED >= char["size"] for other in beside):
            return f"a small raised figure stands beside a number ({grid.texts[cell]!r} in row {row + 1})"
    return ""


def _lies_in(char: dict[str, Any], box: Box) -> bool:
    x, y = (char["x0"] + char["x1"]) / 2, (char["top"] + char["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def doubles(chars: Sequence[dict[str, Any]]) -> int:
    """Return how many characters are drawn again at the same place, as some do for bold type."""
    places = {(char["text"], round(2 * char["x0"]), round(2 * char["top"])) for char in chars}
    return len(chars) - len(places)


def _letters(text: str) -> Counter[str]:
    return Counter(unicodedata.normalize("NFKC", text).replace(" ", "").replace("\n", ""))


def _lines_problem(cells: _Cells) -> str:
    """Several values one under the other in a cell: the rows are not set apart by rules."""
    for row in cells.raw:
        lines = [cell.strip().split("\n") for cell in row if cell and "\n" in cell.strip()]
        stacked = [parts for parts in lines if all(map(is_number, parts))]
        if stacked and (len(stacked) >= 2 or len(stacked[0]) >= 3 or len(lines) >= 2):
            return "its rows are not set apart by lines"
    return ""


def _values_problem(rows: Sequence[Sequence[str]]) -> str:
    """A cell with two numbers in a column of numbers is two cells without a rule between them."""
    for column in zip(*rows, strict=True) if rows else ():
        filled = [cell for cell in column if cell]
        several = [cell for cell in filled if _SEVERAL_NUMBERS.fullmatch(cell)]
        numbers = sum(1 for cell in filled if is_number(cell) and cell not in several)
        if several and numbers >= 0.5 * len(filled):
            return f"several numbers stand in one cell ({several[0]!r})"
    return ""


def _is_marked(chars: Sequence[dict[str, Any]], tops: Sequence[float]) -> bool:
    """Return True if the header is set in another font than the row below it.

    Args:
        chars: of the table.
        tops: upper edges of the header's rows, of the row below, and where that ends.
    """

    def fonts(top: float, bottom: float) -> set[str]:
        return {char["fontname"] for char in chars if top <= (char["top"] + char["bottom"]) / 2 < bottom}

    head, body = fonts(tops[0], tops[-2]), fonts(tops[-2], tops[-1])
    return bool(head) and bool(body) and not head & body
