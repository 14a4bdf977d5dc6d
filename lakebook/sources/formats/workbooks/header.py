"""Find the header of a table in a sheet: which rows it takes, and what the columns are called.

A row is a header by evidence, not by being first:

- it holds text (years, dates and counters 1, 2, 3 … may stand beside it), and
- text stands over numbers or dates in some column (or a year over other numbers); or the whole table is
  text, and no column repeats its name among its values.

A second or third row belongs to the header if a merged range says so, or if it, too, has text in every
column that holds numbers below. Merged names are filled across their range; the parts are joined by " / ".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from lakebook.sources.formats.workbooks.grid import Box, Grid, class_of, is_token, kind, shown

_SEPARATOR = " / "
_SEEN = 60
_DEEPEST = 5
_LONGEST_NAME = 120
_FIGURES = ("number", "time", "boolean")


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table: rows `first` to `last` (exclusive), equal if there is none.

    Attributes:
        sure: text stands over numbers or dates; False where only text follows, or nothing.
        filled: names were continued to the right of a cell that is not merged.
    """

    first: int
    last: int
    sure: bool = False
    filled: bool = False


def find_header(grid: Grid, box: Box) -> Header:
    """Return the header of the table in the box; title rows above it are passed over."""
    columns = [at for at in range(box.left, box.right) if grid.full[box.top : box.bottom, at].any()]
    start = first_full_row(grid, box, len(columns))
    start = _past_remarks(grid, box, start, columns)
    if not _is_header(grid, box, start, columns):
        group = _grouped_header(grid, box, start, columns)
        return group or Header(start, start)
    sure = _contrast(grid, box, start, start + 1, columns)
    last = _lower_rows(grid, box, start, columns)
    first = _upper_rows(grid, box, start)
    sure = sure or (last > start + 1 and _contrast(grid, box, last - 1, last, columns))
    header = Header(first, last, sure)
    return Header(first, last, sure, filled=_fills_by_guess(grid, box, header, columns))


def _past_remarks(grid: Grid, box: Box, start: int, columns: Sequence[int]) -> int:
    """Return the fullest of the rows without figures that stand over figures: sparser ones are remarks."""
    best = start
    for row in range(start, min(box.bottom, start + _DEEPEST)):
        values = [grid.cells[row][at] for at in columns if grid.full[row, at]]
        if _is_header(grid, box, row, columns) and _contrast(grid, box, row, row + 1, columns):
            is_first = best == start and not _is_header(grid, box, start, columns)
            if is_first or len(values) > len(grid.filled(best, box.left, box.right)):
                best = row
        elif any(kind(value) in "NYB" for value in values):
            break
    return best


def first_full_row(grid: Grid, box: Box, width: int) -> int:
    """Return the first row that fills at least half of the columns, as a table does and a title does not."""
    counts = grid.full[box.top : box.bottom, box.left : box.right].sum(axis=1)
    need = max(1, min(2, width), 0.5 * width)
    enough = counts >= need
    if not enough.any():
        return box.top + int(counts.argmax())
    return box.top + int(enough.argmax())


def header_names(grid: Grid, header: Header, columns: Sequence[int]) -> tuple[str, ...]:
    """Return the name of each column: the parts of its header rows, equal neighbours once."""
    if header.first == header.last:
        return tuple(f"column_{number}" for number in range(1, len(columns) + 1))
    rows = [_spread(grid, header, row, columns) for row in range(header.first, header.last)]
    names = []
    for parts in zip(*rows, strict=True):
        kept = [part for index, part in enumerate(parts) if part and part not in parts[:index]]
        names.append(_SEPARATOR.join(kept))
    return tuple(names)


def is_repeated(grid: Grid, header: Header, row: int, columns: Sequence[int]) -> bool:
    """Return True if a row repeats the last header row in every column."""
    if header.first == header.last or len(columns) < 2:
        return False
    above, cells = grid.cells[header.last - 1], grid.cells[row]
    filled = [at for at in columns if cells[at] is not None]
    return len(filled) > 1 and all(cells[at] == above[at] for at in columns)


def _spread(grid: Grid, header: Header, row: int, columns: Sequence[int]) -> list[str]:
    """Return the texts of a header row, filled over merged ranges and over blanks to their right."""
    texts = ["" if grid.cells[row][at] is None else shown(grid.cells[row][at]) for at in columns]
    for box in grid.merges:
        if box.top <= row < box.bottom and grid.cells[box.top][box.left] is not None:
            for index, at in enumerate(columns):
                if box.left <= at < box.right and grid.cells[row][at] is None:
                    texts[index] = shown(grid.cells[box.top][box.left])
    if row < header.last - 1 and _starts_at_labels(grid, header, row, columns):
        for index in range(1, len(columns)):
            if not texts[index] and _may_continue(grid, header, row, columns[index - 1], columns[index]):
                texts[index] = texts[index - 1]
    return texts


def _may_continue(grid: Grid, header: Header, row: int, left: int, at: int) -> bool:
    """A name goes on to the right if the row below names the column, and no merged range ends there."""
    if grid.cells[row + 1][at] is None and not _span(grid, row + 1, at):
        return False
    return not _span(grid, row, left) and not _span(grid, row, at)


def _starts_at_labels(grid: Grid, header: Header, row: int, columns: Sequence[int]) -> bool:
    """Only labels stand left of the first name; else names may be written over their last column."""
    filled = [at for at in columns if grid.cells[row][at] is not None or _span(grid, row, at)]
    body = Box(header.last, columns[0], len(grid.cells), columns[-1] + 1)
    leading = [at for at in columns if filled and at < filled[0]]
    return not any(_body(grid, body, header.last, at) in _FIGURES for at in leading)


def _fills_by_guess(grid: Grid, box: Box, header: Header, columns: Sequence[int]) -> bool:
    for row in range(header.first, header.last - 1):
        if not _starts_at_labels(grid, header, row, columns):
            continue
        filled = grid.filled(row, box.left, box.right)
        for at in range(box.left + 1, box.right):
            is_gap = at not in filled and filled and at > filled[0]
            if is_gap and _may_continue(grid, header, row, at - 1, at):
                return True
    return False


def _span(grid: Grid, row: int, at: int) -> Box | None:
    return next((box for box in grid.merges if box.covers(row, at)), None)


def _is_header(grid: Grid, box: Box, row: int, columns: Sequence[int]) -> bool:
    cells = [(at, grid.cells[row][at]) for at in columns if grid.cells[row][at] is not None]
    if not _can_name([value for _, value in cells]):
        return False
    if row + 1 >= box.bottom or _contrast(grid, box, row, row + 1, columns):
        return True
    if any(
        kind(value) in "YD" and _body(grid, box, row + 1, at) in ("number", "time") for at, value in cells
    ):
        return False  # a year over years, a date over dates
    return not _recurs(grid, box, row, cells)


def _can_name(values: Sequence[Any]) -> bool:
    """Names are text; years, dates and evenly rising counters may stand among them."""
    kinds = [kind(value) for value in values]
    if "B" in kinds or "U" in kinds or "T" not in kinds:
        return False
    if all(is_token(value) for value, code in zip(values, kinds, strict=True) if code == "T"):
        return False
    numbers = [value for value, code in zip(values, kinds, strict=True) if code in "NY"]
    if "N" in kinds:
        return _is_counter(numbers)
    return numbers in (sorted(set(numbers)), sorted(set(numbers), reverse=True))


def _is_counter(numbers: Sequence[float]) -> bool:
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return len(numbers) > 2 and len(steps) == 1 and steps.pop() > 0


def _body(grid: Grid, box: Box, start: int, at: int) -> str:
    return class_of(grid.cells[row][at] for row in range(start, min(box.bottom, start + _SEEN)))


def _contrast(grid: Grid, box: Box, row: int, start: int, columns: Sequence[int]) -> bool:
    """In some column text stands over figures, or a year or date over figures that are none."""
    return any(_stands_over(grid, box, grid.cells[row][at], start, at) for at in columns)


def _stands_over(grid: Grid, box: Box, value: Any, start: int, at: int) -> bool:
    code = kind(value)
    if code not in "TYD" or not code or is_token(value):
        return False
    body = _body(grid, box, start, at)
    if code == "T":
        return body in _FIGURES
    below = [kind(grid.cells[row][at]) for row in range(start, min(box.bottom, start + _SEEN))]
    return body == "number" and 2 * below.count("Y") < len(below)


def _recurs(grid: Grid, box: Box, row: int, cells: Sequence[tuple[int, Any]]) -> bool:
    """At least half of the would-be names are values of their own columns, but for their digits."""
    below = range(row + 1, min(box.bottom, row + 1_000))
    again = sum(
        any(_pattern(grid.cells[other][at]) == _pattern(value) for other in below) for at, value in cells
    )
    return 2 * again >= len(cells)


def _pattern(value: Any) -> str:
    """Return a text with its digits blurred: "Table 1" and "Table 2" are of one pattern."""
    return re.sub(r"\d+", "0", value) if isinstance(value, str) else repr(value)


def _lower_rows(grid: Grid, box: Box, start: int, columns: Sequence[int]) -> int:
    """Return the row after the last one that belongs to the header beginning at `start`."""
    last = start + 1
    while last < min(box.bottom - 1, start + _DEEPEST) and _goes_on(grid, box, start, last, columns):
        last += 1
    return last


def _goes_on(grid: Grid, box: Box, start: int, row: int, columns: Sequence[int]) -> bool:
    cells = [grid.cells[row][at] for at in columns]
    values = [value for value in cells if value is not None]
    spans = [
        merged
        for merged in grid.merges
        if start <= merged.top < row and merged.left >= box.left and merged.right <= box.right
    ]
    if any(merged.bottom > row for merged in spans):  # a name that reaches down into this row
        return all(kind(value) in "TYD" for value in values)
    if not values or any(kind(value) not in "TYD" for value in values):
        return False
    wide = [merged for merged in spans if merged.bottom == row and merged.right - merged.left > 1]
    if wide and all(_names_below(grid, merged, row) for merged in wide):
        return True
    return _is_second_line(grid, box, row, columns)


def _names_below(grid: Grid, merged: Box, row: int) -> bool:
    """Each column under a wide name has a name of its own."""
    below = [grid.cells[row][at] for at in range(merged.left, merged.right)]
    named = [value for value in below if value is not None]
    return 2 * len(named) > len(below) and len({shown(value) for value in named}) == len(named)


def _is_second_line(grid: Grid, box: Box, row: int, columns: Sequence[int]) -> bool:
    """Text (a unit, a part of the name) in every column that holds figures below, and in two at least."""
    if any(kind(grid.cells[row][at]) not in ("T", "") for at in columns):
        return False
    numeric = [at for at in columns if _body(grid, box, row + 1, at) in _FIGURES]
    named = [at for at in numeric if kind(grid.cells[row][at]) == "T" and not is_token(grid.cells[row][at])]
    return len(numeric) > 1 and len(named) == len(numeric) and row + 1 < box.bottom


def _upper_rows(grid: Grid, box: Box, start: int) -> int:
    """Return the first row of a header whose fullest row is `start`: group names stand right above it."""
    first = start
    while first > box.top and first > start - _DEEPEST and _is_group_row(grid, box, first - 1, start):
        first -= 1
    return first


def _is_group_row(grid: Grid, box: Box, row: int, start: int) -> bool:
    """Names over some of the columns: merged ones, two or more to the right of the labels, or gap fillers."""
    filled = grid.filled(row, box.left, box.right)
    values = [grid.cells[row][at] for at in filled]
    if not values or any(kind(value) not in "TYD" for value in values):
        return False
    if any(isinstance(value, str) and len(value) > _LONGEST_NAME for value in values):
        return False
    spans = [span for at in filled if (span := _span(grid, row, at))]
    if any(span.bottom > row + 1 for span in spans):  # a name that reaches down into the next header row
        return True
    used = np.flatnonzero(grid.full[start : box.bottom, box.left : box.right].any(axis=0)) + box.left
    wide = [span for span in spans if span.right - span.left > 1]
    if any(span.left > used[0] or span.right <= used[-1] for span in wide):
        return all(any(at in used for at in range(span.left, span.right)) for span in wide)
    if wide:  # one name over everything is a title
        return False
    named = {*filled, *grid.filled(start, box.left, box.right)}
    blank = [at for at in filled if grid.cells[start][at] is None]
    completes = bool(blank) and named.issuperset(used.tolist())
    return len(filled) > 1 and (blank == filled or completes or filled[0] > used[0])


def _grouped_header(grid: Grid, box: Box, start: int, columns: Sequence[int]) -> Header | None:
    """A header of years or numbers only, under names that are merged over them."""
    values = [grid.cells[start][at] for at in columns if grid.cells[start][at] is not None]
    first = _upper_rows(grid, box, start)
    if first == start or any(kind(value) not in "TYD" for value in values):
        return None
    return Header(first, start + 1, sure=True)
