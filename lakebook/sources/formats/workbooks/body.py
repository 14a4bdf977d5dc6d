"""The rows of a table in a sheet: merged labels filled down; blank, repeated and total rows set apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lakebook.sources.formats.workbooks.grid import Box, Grid
from lakebook.sources.formats.workbooks.header import is_repeated
from lakebook.sources.formats.workbooks.layout import Block
from lakebook.sources.formats.workbooks.totals import Totals, find_totals
from lakebook.sources.reading import Budget


@dataclass(frozen=True, slots=True)
class Body:
    """The rows of a table, by their index from the first row of data on.

    Attributes:
        kept: rows that are loaded. skipped: index -> why not, for rows that are neither blank nor loaded.
        fills: merged labels: (first, last exclusive, column index).
    """

    rows: list[list[Any]]
    kept: list[int]
    skipped: dict[int, str]
    fills: tuple[tuple[int, int, int], ...]
    totals: Totals
    left_out: str = ""


def read_body(grid: Grid, block: Block, budget: Budget) -> Body:
    """Return the rows of a table, within the budget."""
    first, end = block.header.last, block.end
    left, right = block.columns[0], block.columns[-1] + 1
    if len(block.columns) == right - left:
        rows = [row[left:right] for row in grid.cells[first:end]]
    else:
        rows = [[row[at] for at in block.columns] for row in grid.cells[first:end]]
    solid = [index for index, row in enumerate(rows) if any(value is not None for value in row)]
    fills = _fill_down(grid, block, rows)
    skipped: dict[int, str] = {}
    for index in solid:
        if is_repeated(grid, block.header, first + index, block.columns):
            skipped[index] = "repeats the header"
    candidates = [index for index in solid if index not in skipped]
    found = find_totals([rows[index] for index in candidates], declared=block.declared_totals)
    totals = Totals(
        {candidates[index]: why for index, why in found.rows.items()},
        {candidates[index]: label for index, label in found.doubtful.items()},
    )
    if len(totals.rows) < len(candidates):  # a table of nothing but totals is a table
        for index, why in totals.rows.items():
            skipped[index] = f"total row, {why}: {grid.words(first + index, left, right)[:160]}"
    else:
        totals = Totals({}, totals.doubtful)
    kept = [index for index in solid if index not in skipped]
    if budget.rows is None or len(kept) <= budget.rows:
        return Body(rows, kept, skipped, fills, totals)
    left_out = f"{len(kept) - budget.rows:,} of {len(kept):,} rows were left out by the budget"
    last = kept[budget.rows - 1] + 1 if budget.rows else 0
    within = {index: why for index, why in skipped.items() if index < last}
    return Body(rows[:last], kept[: budget.rows], within, fills, totals, left_out)


def _fill_down(grid: Grid, block: Block, rows: list[list[Any]]) -> tuple[tuple[int, int, int], ...]:
    """Fill labels merged over several rows into each of them: the merge says that they hold there."""
    first = block.header.last
    at_of = {column: index for index, column in enumerate(block.columns)}
    fills = []
    for box in grid.merges:
        if not _is_label(grid, box, block) or box.left not in at_of:
            continue
        start, end, at = box.top - first, min(box.bottom, block.end) - first, at_of[box.left]
        if any(rows[index][at] is not None for index in range(start + 1, end)):
            continue  # values below a merged range are hidden, but they are there
        for index in range(start + 1, end):
            rows[index][at] = rows[start][at]
        fills.append((start, end, at))
    return tuple(fills)


def _is_label(grid: Grid, box: Box, block: Block) -> bool:
    if box.bottom - box.top < 2 or box.top < block.header.last or box.top >= block.end:
        return False
    return grid.cells[box.top][box.left] is not None
