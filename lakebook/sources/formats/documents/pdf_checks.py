"""What speaks against a ruled table of a PDF: each check returns the reason why it is not taken, "" if none.

A check is about what the page shows in and around the frame; how rows and header are told apart is decided
in `cell_grid`.
"""

from __future__ import annotations

import itertools
import re
import statistics
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lakebook.sources.formats.documents.cell_grid import Grid
from lakebook.sources.formats.documents.document_table import has_header, is_number

Box = tuple[float, float, float, float]

_LEAST_FILLED = 0.5
_RAISED = 0.8
# Blanks within a cell are narrow; a wider one has another column behind it.
_CELL_GAP = 2.0
_NUMBER_GAP = 1.2
_ALIGNED = 0.8
_OVER = 2.0
_SEVERAL_NUMBERS = re.compile(r"[-+]?\$?\d[\d.,]*%?(?: [-+]?\$?\d[\d.,]*%?)+")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as the checks see it: upright words, all characters, and the frames of its tables."""

    words: Sequence[dict[str, Any]]
    chars: Sequence[dict[str, Any]]
    frames: Sequence[Box]


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a table between its rules: texts with line ends (None where no cell begins), and boxes."""

    box: Box
    raw: Sequence[Sequence[str | None]]
    boxes: Sequence[Box]
    lefts: Sequence[float]
    tops: Sequence[float]

    def grid(self) -> Grid:
        """Return the grid of cells with their texts; -1 where no box covers a place."""
        covered = [[-1] * len(self.lefts) for _ in self.tops]
        texts = []
        for number, (x0, top, x1, bottom) in enumerate(self.boxes):
            rows = range(bisect_left(self.tops, top), bisect_left(self.tops, bottom))
            columns = range(bisect_left(self.lefts, x0), bisect_left(self.lefts, x1))
            texts.append(" ".join((self.raw[rows[0]][columns[0]] or "").split()))
            for row in rows:
                for column in columns:
                    covered[row][column] = number
        return Grid(covered, texts)

    def place(self, item: dict[str, Any]) -> tuple[int, int]:
        """Return the row and the column in which a word or character stands."""
        x, y = middle(item)
        return max(bisect_right(self.tops, y) - 1, 0), max(bisect_right(self.lefts, x) - 1, 0)


def middle(item: dict[str, Any]) -> tuple[float, float]:
    """Return the middle of a word or character."""
    return (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2


def lies_in(item: dict[str, Any], box: Box) -> bool:
    """Return True if the middle of a word or character lies in a box."""
    x, y = middle(item)
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def doubles(chars: Sequence[dict[str, Any]]) -> int:
    """Return how many characters are drawn again at the same place, as some do for bold type."""
    places = {(char["text"], round(2 * char["x0"]), round(2 * char["top"])) for char in chars}
    return len(chars) - len(places)


def cells_problem(sheet: Sheet, cells: Cells, grid: Grid) -> str:
    """Check a frame before its rows are sorted out."""
    chars = [char for char in sheet.chars if lies_in(char, cells.box)]
    return (
        _characters(chars, grid)
        or _filling(grid)
        or _stacked(cells)
        or _overrunning(sheet, cells, grid)
        or _columns_in_a_cell(sheet, cells, grid)
        or _raised(chars, cells, grid)
        or _beside(sheet, cells)
    )


def rows_problem(sheet: Sheet, cells: Cells, rows: Sequence[Sequence[str]], header_rows: int) -> str:
    """Check the rows of a table (the header among them) once they are sorted out."""
    if header_rows == 1 and not has_header(rows) and _above(sheet, cells):
        return "its header stands outside its frame"
    return several_numbers(rows)


def several_numbers(rows: Sequence[Sequence[str]]) -> str:
    """A cell with two numbers in a column of numbers may be two cells, or one number with a blank in it."""
    for column in zip(*rows, strict=True):
        filled = [cell for cell in column if cell]
        several = [cell for cell in filled if _SEVERAL_NUMBERS.fullmatch(cell)]
        numbers = sum(1 for cell in filled if is_number(cell) and cell not in several)
        if several and numbers >= 0.5 * len(filled):
            return f"several numbers stand in one cell ({several[0]!r})"
    return ""


def _characters(chars: Sequence[dict[str, Any]], grid: Grid) -> str:
    """None is lost, none is there twice, none is set sideways."""
    if any(not char["upright"] for char in chars if char["text"].strip()):
        return "it holds rotated text"
    if any(char["text"].startswith("(cid:") for char in chars):
        return "its font does not say which characters it shows"
    if doubles(chars) >= 3:
        return "its characters are drawn twice"
    wanted = _letters("".join(char["text"] for char in chars))
    held = _letters("".join(grid.texts))
    if wanted - held:
        return "characters lie outside its cells"
    return "its cells overlap" if held - wanted else ""


def _letters(text: str) -> Counter[str]:
    return Counter("".join(unicodedata.normalize("NFKC", text).split()))


def _filling(grid: Grid) -> str:
    if any(cell < 0 for row in grid.cells for cell in row):
        return "its frame is not closed: cells are missing"
    filled = sum(1 for text in grid.texts if text)
    return "most of its cells are empty" if filled < _LEAST_FILLED * len(grid.texts) else ""


def _stacked(cells: Cells) -> str:
    """Several values one under the other in a cell: the rows are not set apart by rules."""
    for row in cells.raw:
        lines = [cell.strip().split("\n") for cell in row if cell and "\n" in cell.strip()]
        numbers = [parts for parts in lines if all(map(is_number, parts))]
        counts = Counter(len(parts) for parts in lines if len(parts) >= 4)
        if numbers and (len(lines) >= 2 or len(numbers[0]) >= 3):
            return "its rows are not set apart by lines"
        if len(cells.tops) <= 3 and any(count >= 2 for count in counts.values()):
            return "its rows are not set apart by lines"
    return ""


def _overrunning(sheet: Sheet, cells: Cells, grid: Grid) -> str:
    """A word that runs over a rule would be cut in two."""
    for word in sheet.words:
        if lies_in(word, cells.box):
            row, column = cells.place(word)
            box = cells.boxes[grid.cells[row][column]]
            if word["x0"] < box[0] - _OVER or word["x1"] > box[2] + _OVER:
                return f"text runs over its lines ({word['text'][:40]!r} in row {row + 1})"
    return ""


def _columns_in_a_cell(sheet: Sheet, cells: Cells, grid: Grid) -> str:
    """Wide blanks inside cells: columns are not set apart by rules there."""
    wide = 0
    for words in _lines(sheet, cells, grid):
        for one, other in itertools.pairwise(words):
            gap = (other["x0"] - one["x1"]) / max(one["size"], other["size"])
            texts = one["text"], other["text"]
            if all(map(is_number, texts)) and gap > _NUMBER_GAP:
                wide += 3
            elif gap > _CELL_GAP:
                wide += 3 if all(any(map(str.isdigit, text)) for text in texts) else 1
    return "its columns are not set apart by lines everywhere" if wide >= 3 else ""


def _lines(sheet: Sheet, cells: Cells, grid: Grid) -> Iterator[list[dict[str, Any]]]:
    """Yield the words of each line of each cell, from left to right."""
    lines: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for word in sheet.words:
        if lies_in(word, cells.box):
            row, column = cells.place(word)
            lines.setdefault((grid.cells[row][column], round(word["bottom"] / 3)), []).append(word)
    for words in lines.values():
        yield sorted(words, key=lambda word: word["x0"])


def _raised(chars: Sequence[dict[str, Any]], cells: Cells, grid: Grid) -> str:
    """A small figure beside a number is a mark of a footnote or a power; as text it would be part of it."""
    digits = [char for char in chars if char["text"].isdigit()]
    usual = statistics.median(char["size"] for char in digits) if digits else 0.0
    for char in digits:
        if char["size"] > _RAISED * usual:
            continue
        row, column = cells.place(char)
        cell = grid.cells[row][column]
        beside = [other for other in digits if lies_in(other, cells.boxes[cell])]
        if is_number(grid.texts[cell]) and any(other["size"] * _RAISED >= char["size"] for other in beside):
            return f"a small raised figure stands beside a number ({grid.texts[cell]!r} in row {row + 1})"
    return ""


def _beside(sheet: Sheet, cells: Cells) -> str:
    """Words on the same heights as the rows, left or right of the frame: a column has no rule around it."""
    outside = [
        word
        for word in sheet.words
        if cells.box[1] <= middle(word)[1] <= cells.box[3]
        and not cells.box[0] <= middle(word)[0] <= cells.box[2]
        and not any(lies_in(word, frame) for frame in sheet.frames)
    ]
    rows = len(cells.tops)
    for side in (True, False):
        heights: dict[int, set[int]] = {}
        for word in outside:
            if (word["x1"] <= cells.box[0] + 1) == side:
                heights.setdefault(cells.place(word)[0], set()).add(round(word["bottom"] / 3))
        aligned = sum(1 for lines in heights.values() if len(lines) == 1)
        if rows >= 3 and aligned >= _ALIGNED * (rows - 1):
            return "a column stands outside its frame"
    return ""


def _above(sheet: Sheet, cells: Cells) -> bool:
    """Return True if words over at least two columns stand right above the frame."""
    left, top, right, _ = cells.box
    height = 3 * max((word["size"] for word in sheet.words if lies_in(word, cells.box)), default=10.0)
    near = [
        word
        for word in sheet.words
        if top - height <= middle(word)[1] < top and left <= middle(word)[0] <= right
    ]
    columns = {cells.place(word)[1] for word in near}
    gaps = sorted(near, key=lambda word: (round(word["bottom"] / 3), word["x0"]))
    apart = any(
        other["x0"] - one["x1"] > _CELL_GAP * one["size"]
        for one, other in itertools.pairwise(gaps)
        if round(one["bottom"] / 3) == round(other["bottom"] / 3)
    )
    return len(columns) >= 2 and apart
