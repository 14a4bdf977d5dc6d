"""Ruled tables on one page of a PDF: cells read and checked, refused with the reason where they are not sure.

pdfplumber finds cells between rules; whether they are a table of data is decided here. Joining tables over
pages is the work of `pdf_join`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lakebook.sources.formats.document_table import is_number

# Spaces are told from the size of the type, since many PDFs hold none.
SETTINGS = {"text_x_tolerance_ratio": 0.15}
_MOST_CROSSINGS = 4_000_000
_DEEPEST_HEADER = 3
_LEAST_FILLED = 0.5
_SEVERAL_NUMBERS = re.compile(r"[-+]?\$?\d[\d.,]*%?(?: [-+]?\$?\d[\d.,]*%?)+")

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of one page.

    Attributes:
        index: among the tables that pdfplumber finds on the page. box: where it stands.
        edges: left edges of its columns and the right edge of the last.
        header: rows of the header, each as wide as the table. rows: below it. skip: (row, text) that are no
            data, by index among all rows. merged: cells that span rows were repeated in each.
        marked: the header is set in another font than the values.
        deduped: characters that are drawn twice were taken once.
        problem: why it was not extracted, "" if it was.
    """

    page: int
    index: int
    box: Box
    edges: tuple[float, ...] = ()
    header: tuple[tuple[str, ...], ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    skip: tuple[tuple[int, str], ...] = ()
    merged: bool = False
    marked: bool = False
    deduped: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a table: texts (None where no cell begins), the boxes, and the lines between them."""

    texts: list[list[str | None]]
    raw: list[list[str | None]]
    boxes: list[Box]
    lefts: list[float]
    tops: list[float]
    right: float
    bottom: float

    @property
    def width(self) -> int:
        return len(self.lefts)

    def cover(self, row: int, column: int) -> Box | None:
        """Return the box that covers a place of the grid."""
        x = (self.lefts[column] + [*self.lefts, self.right][column + 1]) / 2
        y = (self.tops[row] + [*self.tops, self.bottom][row + 1]) / 2
        return next((box for box in self.boxes if box[0] < x < box[2] and box[1] < y < box[3]), None)

    def text_at(self, row: int, column: int) -> str | None:
        """Return the text of the cell that covers a place of the grid."""
        box = self.cover(row, column)
        if box is None:
            return None
        return self.texts[self.tops.index(box[1])][self.lefts.index(box[0])]

    def spans_columns(self, box: Box) -> int:
        """Return how many columns a box covers."""
        return sum(1 for left in self.lefts if box[0] <= left < box[2])


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
        if len(cells.tops) >= 2 and cells.width >= 2:
            tables.append(_read(page, number, index, table.bbox, cells))
    return tables, ""


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _cells(table: Any) -> _Cells:
    raw = table.extract(x_tolerance_ratio=SETTINGS["text_x_tolerance_ratio"])
    texts = [[None if cell is None else " ".join(cell.split()) for cell in row] for row in raw]
    lefts = sorted({box[0] for box in table.cells})
    tops = sorted({box[1] for box in table.cells})
    _, _, right, bottom = table.bbox
    return _Cells(texts, raw, list(table.cells), lefts, tops, right, bottom)


def _read(page: Any, number: int, index: int, box: Box, cells: _Cells) -> PageTable:
    edges = (*cells.lefts, cells.right)
    problem = _page_problem(page, box, cells)
    if problem:
        return PageTable(number, index, box, edges, problem=problem)
    depth, skip = _header_depth(cells)
    if depth > _DEEPEST_HEADER:
        problem = "the rows of its header cannot be told from the values"
        return PageTable(number, index, box, edges, problem=problem)
    header = tuple(
        tuple(cells.text_at(row, column) or "" for column in range(cells.width))
        for row in range(len(skip), len(skip) + depth)
    )
    rows: list[tuple[str, ...]] = []
    merged = False
    for row in range(len(skip) + depth, len(cells.tops)):
        values, note = _body_row(cells, row, len(skip) + depth)
        if note == "merged":
            merged = True
        elif note:
            return PageTable(number, index, box, edges, problem=note)
        if values is None or not any(values):
            skip.append((row, " ".join(filter(None, cells.texts[row]))))
        else:
            rows.append(values)
    problem = _values_problem(rows)
    if problem:
        return PageTable(number, index, box, edges, problem=problem)
    marked = _is_marked(page, cells, len(header))
    return PageTable(number, index, box, edges, header, tuple(rows), tuple(skip), merged, marked=marked)


def _page_problem(page: Any, box: Box, cells: _Cells) -> str:
    """Check the cells against the characters: none lost, none twice, none set sideways."""
    chars = [
        char
        for char in page.chars
        if box[0] <= (char["x0"] + char["x1"]) / 2 <= box[2]
        and box[1] <= (char["top"] + char["bottom"]) / 2 <= box[3]
    ]
    if any(not char["upright"] for char in chars if char["text"].strip()):
        return "it holds rotated text"
    if any(char["text"].startswith("(cid:") for char in chars):
        return "its font does not say which characters it shows"
    if doubles(chars) >= 3:
        return "its characters are drawn twice"
    wanted = _letters("".join(char["text"] for char in chars))
    held = _letters("".join(cell or "" for row in cells.texts for cell in row))
    lost = (wanted - held).total()
    if lost:
        return f"{lost:,} of {wanted.total():,} characters lie outside its cells"
    places = [
        cells.cover(row, column) is None for row in range(len(cells.tops)) for column in range(cells.width)
    ]
    if any(places):
        return "its frame is not closed: cells are missing"
    filled = sum(1 for row in cells.texts for cell in row if cell)
    if filled < _LEAST_FILLED * sum(1 for row in cells.texts for cell in row if cell is not None):
        return "most of its cells are empty"
    return _lines_problem(cells)


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


def _header_depth(cells: _Cells) -> tuple[int, list[tuple[int, str]]]:
    """Return the number of rows of the header, and the titles above it that fill the whole width."""
    skip: list[tuple[int, str]] = []
    first = 0
    while first < len(cells.tops) - 1:
        box = cells.cover(first, 0)
        if box is None or cells.spans_columns(box) < cells.width:
            break
        skip.append((first, cells.text_at(first, 0) or ""))
        first += 1
    depth = 1
    while depth <= _DEEPEST_HEADER and first + depth < len(cells.tops):
        boxes = [cells.cover(first + depth - 1, column) for column in range(cells.width)]
        spans = any(box and cells.spans_columns(box) > 1 for box in boxes)
        reaches = any(box and box[3] > cells.tops[first + depth] for box in boxes)
        if not spans and not (reaches and depth > 1) and not (reaches and _first_spans(cells, first)):
            break
        depth += 1
    return depth, skip


def _first_spans(cells: _Cells, row: int) -> bool:
    boxes = [cells.cover(row, column) for column in range(cells.width)]
    return any(box and cells.spans_columns(box) > 1 for box in boxes)


def _body_row(cells: _Cells, row: int, first: int) -> tuple[tuple[str, ...] | None, str]:
    """Return a row's values with "merged" if cells above reach into it, None for a title, or a problem."""
    boxes = [cells.cover(row, column) for column in range(cells.width)]
    whole = boxes[0]
    if whole is not None and cells.spans_columns(whole) == cells.width:
        return None, ""
    merged = False
    for box in filter(None, boxes):  # none is missing: that was checked before
        if cells.spans_columns(box) > 1:
            return None, f"cells span several columns in row {row + 1}"
        if box[1] < cells.tops[first]:
            return None, "a cell of its header reaches into the values"
        merged = merged or box[1] < cells.tops[row]
    values = tuple(cells.text_at(row, column) or "" for column in range(cells.width))
    return values, "merged" if merged else ""


def _values_problem(rows: Sequence[Sequence[str]]) -> str:
    """A cell with two numbers in a column of numbers is two cells without a rule between them."""
    for column in zip(*rows, strict=True) if rows else ():
        filled = [cell for cell in column if cell]
        several = [cell for cell in filled if _SEVERAL_NUMBERS.fullmatch(cell)]
        numbers = sum(1 for cell in filled if is_number(cell) and cell not in several)
        if several and numbers >= 0.5 * len(filled):
            return f"several numbers stand in one cell ({several[0]!r})"
    return ""


def _is_marked(page: Any, cells: _Cells, depth: int) -> bool:
    """Return True if the header is set in another font than the row below it."""
    first = cells.tops[0]
    if depth + 1 > len(cells.tops) - 1:
        return False
    limit, end = cells.tops[depth], [*cells.tops, cells.bottom][depth + 1]
    left, right = cells.lefts[0], cells.right

    def fonts(top: float, bottom: float) -> set[str]:
        return {
            char["fontname"]
            for char in page.chars
            if left <= char["x0"] <= right and top <= (char["top"] + char["bottom"]) / 2 < bottom
        }

    head, body = fonts(first, limit), fonts(limit, end)
    return bool(head) and bool(body) and not head & body
