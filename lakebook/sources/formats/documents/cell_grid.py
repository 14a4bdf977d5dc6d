"""A grid of cells some of which are merged: which rows are the header, which are data, which are neither.

The same for every format that knows its cells for certain (ruled PDF tables, Word). How the cells were
found, and how the rows are read again, is the format's own matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakebook.sources.card import RejectedRow
from lakebook.sources.formats.documents.document_table import ASSUMED_HEADER, has_header, is_value, stands_out

_DEEPEST_HEADER = 3
_MOST_REJECTED = 0.2


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table.

    Attributes:
        cells: for every place of the grid the number of the cell that covers it.
        texts: of the cells, by number.
    """

    cells: Sequence[Sequence[int]]
    texts: Sequence[str]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.cells[0])

    def row(self, at: int) -> tuple[str, ...]:
        """Return the texts of a row; merged cells count at every place."""
        return tuple(self.texts[cell] for cell in self.cells[at])

    def fills(self, at: int) -> bool:
        """Return True if one cell runs over the whole width."""
        return self.width > 1 and len(set(self.cells[at])) == 1

    def spans(self, at: int) -> bool:
        """Return True if a cell runs over several columns."""
        return len(set(self.cells[at])) < self.width

    def hangs(self, at: int) -> bool:
        """Return True if a cell of the row above reaches into the row."""
        return at > 0 and any(
            one == other for one, other in zip(self.cells[at - 1], self.cells[at], strict=True)
        )


@dataclass(frozen=True, slots=True)
class GridReading:
    """A grid, sorted out. Rows are counted from 0.

    Attributes:
        header: its rows, under `titles` rows of title that fill the whole width.
        rows: of data; numbers: which rows of the grid they are.
        skipped: titles inside the table, and blank rows. rejected: rows whose cells run over several columns.
        spans: a cell of the header's last row runs over several columns.
        merged: cells that run over several rows were repeated in each.
        problem: why nothing of this holds, "" if it does.
    """

    header: tuple[tuple[str, ...], ...] = ()
    titles: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    numbers: tuple[int, ...] = ()
    skipped: tuple[tuple[int, str], ...] = ()
    rejected: tuple[tuple[int, str], ...] = ()
    spans: bool = False
    merged: bool = False
    problem: str = ""


def read_grid(grid: Grid, header_rows: int = 0) -> GridReading:
    """Sort out the rows of a grid.

    Args:
        grid: the cells.
        header_rows: so many rows are marked as header by the document, 0 if it does not say.
    """
    titles = 0
    while titles < len(grid.cells) - 1 and grid.fills(titles):
        titles += 1
    depth = max(_header_depth(grid, titles), header_rows - titles)
    if depth > _DEEPEST_HEADER:
        return GridReading(problem="the rows of its header cannot be told from the values")
    first = titles + depth
    skipped = [(at, grid.row(at)[0]) for at in range(titles)]
    rejected: list[tuple[int, str]] = []
    rows, numbers = [], []
    merged = False
    for at in range(first, len(grid.cells)):
        values = grid.row(at)
        if not any(values) or grid.fills(at):
            skipped.append((at, values[0]))
        elif grid.spans(at):
            rejected.append((at, " | ".join(dict.fromkeys(values))))
        elif at == first and grid.hangs(at):
            return GridReading(problem="a cell of its header reaches into the values")
        elif grid.hangs(at) and (problem := _hanging_problem(grid, at)):
            return GridReading(problem=problem)
        else:
            rows.append(values)
            numbers.append(at)
            merged = merged or grid.hangs(at)
    reading = GridReading(
        tuple(grid.row(at) for at in range(titles, first)),
        titles,
        tuple(rows),
        tuple(numbers),
        tuple(skipped),
        tuple(rejected),
        grid.spans(first - 1),
        merged,
    )
    return GridReading(problem=problem) if (problem := _problem(reading)) else reading


def header_names(reading: GridReading, *, marked: bool) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return the names of the columns, None if the first row is data, and a warning if that is not sure.

    Args:
        reading: of the table.
        marked: the document sets the header apart: by its font, by repeating it, or by saying so.
    """
    if len(reading.header) > 1 or reading.spans:
        stacked = zip(*reading.header, strict=True)
        return tuple(" ".join(dict.fromkeys(filter(None, cells))) for cells in stacked), []
    rows = [*reading.header, *reading.rows]
    if not (marked or has_header(rows)):
        return None, []
    return reading.header[0], [] if marked or stands_out(rows) else [ASSUMED_HEADER]


def rejected_rows(reading: GridReading, noun: str, line: int | None = None) -> tuple[RejectedRow, ...]:
    """Return the rows that were not loaded, as cards show them; `line` if all stand at one place."""
    return tuple(
        RejectedRow(line or at + 1, f"{noun}{at + 1}: a cell runs over several columns", text)
        for at, text in reading.rejected
    )


def _header_depth(grid: Grid, first: int) -> int:
    """A header goes on while its cells run over columns, or down into a row that holds no number."""
    depth = 1
    while depth <= _DEEPEST_HEADER and first + depth < len(grid.cells) - 1:
        below = first + depth
        if grid.fills(below) or grid.fills(below - 1):
            break
        if any(is_value(text) for text in _own(grid, below)):
            break
        if not (grid.spans(below - 1) or grid.hangs(below)):
            break
        depth += 1
    return depth


def _hanging_problem(grid: Grid, at: int) -> str:
    """Labels and numbers of entries (first column) may hold for several rows; values would count twice."""
    own = _own(grid, at)
    if not any(own):
        return f"row {at + 1} has no cell of its own"
    pairs = list(zip(grid.cells[at], grid.cells[at - 1], strict=True))[1:]
    repeated = [grid.texts[cell] for cell, upper in pairs if cell == upper]
    number = next(filter(is_value, repeated), "")
    return f"a number stands in a cell that runs over several rows ({number!r})" if number else ""


def _own(grid: Grid, at: int) -> list[str]:
    """Return the texts of the cells that begin in a row."""
    above = grid.cells[at - 1]
    return [grid.texts[cell] for cell, upper in zip(grid.cells[at], above, strict=True) if cell != upper]


def _problem(reading: GridReading) -> str:
    inside = sum(len(cell) for row in reading.rows for cell in row)
    if not reading.rows:
        return "it has no rows of values"
    if reading.spans and any(map(is_value, reading.header[-1])):
        return "cells run over several columns in its first row of values"
    if sum(len(text) for _, text in reading.skipped) > inside:
        return "it is a frame around text"
    if len(reading.rejected) > _MOST_REJECTED * (len(reading.rows) + len(reading.rejected)):
        return f"cells run over several columns in {len(reading.rejected):,} of its rows"
    return ""
