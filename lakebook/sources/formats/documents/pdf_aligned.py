"""Tables of a PDF that have no rules: taken only where every row has all its cells, clear of each other.

Works on the lines of a page, as `pdf_layout` orders them; ruled tables are read in `pdf_tables` before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lakebook.sources.formats.documents.cell_grid import Grid, GridReading, read_grid
from lakebook.sources.formats.documents.document_table import has_header, is_number, stands_out
from lakebook.sources.formats.documents.pdf_checks import several_numbers
from lakebook.sources.formats.documents.pdf_layout import Line, Segment
from lakebook.sources.formats.documents.pdf_tables import SETTINGS, PageTable

# Indices of these tables, so that they differ from those that pdfplumber counts.
_FIRST_INDEX = 1_000
_LEAST_LINES = 4
_LEAST_COLUMNS = 3
_LINE_GAP = 2.2
_COLUMN_GAP = 1.0
_NEAR = 1.3
_MOSTLY = 0.5
_MISSING = frozenset({"-", "–", "—", "..", "...", "NA", "n/a", "N/A", "n.a."})


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive lines of several segments: where they begin in the page's lines, and their columns."""

    start: int
    lines: tuple[Line, ...]

    @property
    def columns(self) -> list[tuple[float, float]]:
        """Return the stretches of the page's width that text covers in some line."""
        spans = sorted((segment.x0, segment.x1) for line in self.lines for segment in line.segments)
        merged: list[tuple[float, float]] = []
        for x0, x1 in spans:
            if merged and x0 <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(x1, merged[-1][1]))
            else:
                merged.append((x0, x1))
        return merged

    @property
    def texts(self) -> list[list[str]]:
        """Return the text of every segment, line by line."""
        return [[segment.text for segment in line.segments] for line in self.lines]


def aligned_tables(page: Any, lines: Sequence[Line]) -> tuple[list[Line], list[PageTable]]:
    """Return the lines of a page with its aligned tables put in their places, and these tables.

    Args:
        page: of pdfplumber.
        lines: of the page, in reading order.
    """
    runs = [run for run in _runs(lines) if _looks_like_values(run)]
    kept = list(lines)
    tables = []
    for number, run in enumerate(runs):
        following = runs[number + 1] if number + 1 < len(runs) else None
        before = runs[number - 1] if number else None
        table = _read(page, lines, run, _FIRST_INDEX + number)
        if not table.problem and any(
            other is not None and _is_part(run, other) for other in (before, following)
        ):
            table = replace(table, grid=GridReading(problem="other lines stand between its rows"))
        tables.append(table)
        if not table.problem:
            x0, top, x1, bottom = table.box
            segment = Segment(x0, x1, top, bottom, 0.0, False, "", table.index)
            taken = {id(line) for line in run.lines}
            at = next(index for index, line in enumerate(kept) if id(line) in taken)
            kept = [line for line in kept if id(line) not in taken]
            kept.insert(at, Line(run.lines[0].page, (segment,)))
    return kept, tables


def _runs(lines: Sequence[Line]) -> Iterator[_Run]:
    run: list[Line] = []
    for index, line in enumerate(lines):
        is_row = len(line.segments) > 1
        if run and not (is_row and 0 < line.top - run[-1].top <= _LINE_GAP * line.size):
            yield _Run(index - len(run), tuple(run))
            run = []
        if is_row:
            run.append(line)
    if run:
        yield _Run(len(lines) - len(run), tuple(run))


def _looks_like_values(run: _Run) -> bool:
    """Enough lines and columns, and at least half of what stands right of the first column is numbers."""
    cells = [text for row in run.texts for text in row[1:]]
    numbers = sum(1 for text in cells if is_number(text))
    widest = max(len(row) for row in run.texts)
    return len(run.lines) >= _LEAST_LINES and widest >= _LEAST_COLUMNS and numbers >= _MOSTLY * len(cells)


def _is_part(run: _Run, other: _Run) -> bool:
    """Return True if two runs are parts of one table: the same columns, a few lines apart."""
    first, second = sorted((run, other), key=lambda item: item.start)
    near = second.start - first.start - len(first.lines) <= 2
    pairs = zip(run.columns, other.columns, strict=False)
    return (
        near
        and len(run.columns) == len(other.columns)
        and all(min(one[1], two[1]) > max(one[0], two[0]) for one, two in pairs)
    )


def _read(page: Any, lines: Sequence[Line], run: _Run, index: int) -> PageTable:
    columns = run.columns
    segments = [segment for line in run.lines for segment in line.segments]
    box = (
        columns[0][0] - 2,
        min(segment.top for segment in segments) - 1,
        columns[-1][1] + 2,
        max(segment.bottom for segment in segments) + 1,
    )
    middles = [(one[1] + other[0]) / 2 for one, other in itertools.pairwise(columns)]
    verticals = [round(x, 1) for x in (box[0], *middles, box[2])]
    tops = [(one.bottom + other.top) / 2 for one, other in itertools.pairwise(run.lines)]
    horizontals = [round(y, 1) for y in (box[1], *tops, box[3])]
    table = PageTable(
        run.lines[0].page, index, box, tuple(verticals), cuts=(tuple(verticals), tuple(horizontals))
    )
    problem = _problem(lines, run, columns)
    if not problem and _extracted(page, table) != [
        [" ".join(text.split()) for text in row] for row in run.texts
    ]:
        problem = "its cells cannot be read again"
    if problem:
        return replace(table, grid=GridReading(problem=problem))
    width = len(columns)
    grid = Grid(
        [range(row * width, (row + 1) * width) for row in range(len(run.lines))],
        [" ".join(text.split()) for row in run.texts for text in row],
    )
    return replace(table, grid=read_grid(grid))


def _problem(lines: Sequence[Line], run: _Run, columns: Sequence[tuple[float, float]]) -> str:
    """Return what makes the table unsure."""
    rows = run.texts
    if any(len(row) != len(columns) for row in rows):
        return "no rules, and its rows have different numbers of cells"
    size = max(line.size for line in run.lines)
    if any(other[0] - one[1] < _COLUMN_GAP * size for one, other in itertools.pairwise(columns)):
        return "no rules, and its columns stand too close"
    if not (has_header(rows) and stands_out(rows)) or _goes_on_above(lines, run):
        return "no rules, and its header is not clear"
    for column in zip(*rows[1:], strict=True):
        numbers = sum(1 for text in column if is_number(text))
        strange = [text for text in column if not is_number(text) and text not in _MISSING]
        if numbers >= _MOSTLY * len(column) and strange:
            return f"no rules, and a column of numbers holds {strange[0][:40]!r}"
    several = several_numbers(rows)
    return f"no rules, and {several}" if several else ""


def _goes_on_above(lines: Sequence[Line], run: _Run) -> bool:
    """Return True if the line above is so close that it may be a part of the header."""
    if not run.start:
        return False
    above, first = lines[run.start - 1], run.lines[0]
    pitch = run.lines[1].top - first.top
    is_near = 0 < first.top - above.top <= _NEAR * pitch
    is_wide = above.first.x1 - above.first.x0 > 0.6 * (run.columns[-1][1] - run.columns[0][0])
    return is_near and not is_wide and above.first.table < 0 and not above.text.lower().startswith("tab")


def _extracted(page: Any, table: PageTable) -> list[list[str]]:
    """Return the cells as the load code reads them."""
    cells = page.crop(table.box).extract_table(cut_settings(table.cuts)) or []
    return [[" ".join((cell or "").split()) for cell in row] for row in cells]


def cut_settings(cuts: tuple[tuple[float, ...], tuple[float, ...]]) -> dict[str, Any]:
    """Return the settings with which pdfplumber reads cells between given lines."""
    return {
        "vertical_strategy": "explicit",
        "explicit_vertical_lines": list(cuts[0]),
        "horizontal_strategy": "explicit",
        "explicit_horizontal_lines": list(cuts[1]),
        **SETTINGS,
    }
