"""Find the header among the first records of a delimited text: which one, on which lines, with what names.

A header is text above numbers, or names that do not come again. Records above it are a banner. Nothing is
read here.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lakebook.sources.formats.delimited.records import Record

DATA_CELL = re.compile(r"\s*(?:[+-]?[$€£]?\d[\d.,:/ T+-]*(?:[eE][+-]?\d+)?%?Z?|[+-]?\.\d+|)\s*")
_DATE = re.compile(r"\s*(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|(?:1[89]|20|21)\d\d[-/](?:0[1-9]|1[0-2]))\s*")
_SUM = re.compile(r"\s*[+-]?[$€£¥]\s?[+-]?\d{1,3}")
_THOUSANDTHS = re.compile(r"\d{3}(?:\.\d*)?\s*")
_LOOKED_AT = 200
_COUNTED_FROM = 4


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table.

    Attributes:
        names: "" where it has none, one a column; made up if there is no header.
        above: lines before it (before the first row if there is none). lines: how many it fills, 0 if none.
        irregular: it has one cell less, or an empty one more, than the rows.
        cut: the column whose numbers are cut in two by their own commas ("$1,234" outside of quotes), or "".
    """

    names: tuple[str, ...]
    above: int
    lines: int
    irregular: bool = False
    cut: str = ""


def find_header(records: Sequence[Record], width: int, told: int = 0) -> Header | None:
    """Find the header.

    Args:
        records: from the start of the text, comments left out.
        width: number of cells of a row.
        told: number of the line that is known to be the header, 0 if none is.
    """
    rows = [record for record in records if record.cells is not None and len(record.cells) == width]
    if not rows:
        return None
    if told:
        named = next(record for record in records if record.line == told)
        return Header(tuple(named.cells or ()), told - 1, 1)
    first = next((row for row in rows if _can_be_header(row.cells or [])), rows[0])
    data = [row.cells or [] for row in rows if row.line > first.line]
    cells = first.cells or []
    odd = _odd_header(records, first, [cells, *data])
    if odd is not None:
        return odd
    if not (_is_header(cells, data) or _is_above_numbers(cells, [row for row in data if row != cells])):
        names = tuple(f"column_{number}" for number in range(1, width + 1))
        return Header(names, first.line - 1, 0)
    return Header(tuple(cells), first.line - 1, first.last - first.line + 1)


def _can_be_header(cells: Sequence[str]) -> bool:
    """A title in a spreadsheet export fills one cell of many; a header fills most."""
    filled = sum(1 for cell in cells if cell.strip())
    return filled >= max(1, min(2, len(cells)), 0.5 * len(cells))


def _odd_header(records: Sequence[Record], first: Record, rows: Sequence[Sequence[str]]) -> Header | None:
    """Find a header with one cell too few or, the last one empty, one too many."""
    width = len(first.cells or ())
    above = [record for record in records if record.line < first.line and record.cells]
    if not above or width < 3 or not any(map(DATA_CELL.fullmatch, first.cells or ())):
        return None
    record = above[-1]
    names = list(record.cells or ())
    if len(names) == width + 1 and not names[-1].strip():
        names.pop()
    elif len(names) != width - 1:
        return None
    if not all(cell.strip() and not DATA_CELL.fullmatch(cell) for cell in names):
        return None
    cut = ""
    if len(names) < width:
        cut = next((names[at] for at in range(width - 1) if _is_cut(rows, at)), "")
        ends_empty = all(not row[-1].strip() for row in rows)
        names = [*names, ""] if ends_empty else ["", *names]
    return Header(tuple(names), record.line - 1, record.last - record.line + 1, irregular=True, cut=cut)


def _is_cut(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Sums of money of at most three digits, with three more in the next cell, in every row."""
    return all(_SUM.fullmatch(row[at]) and _THOUSANDTHS.fullmatch(row[at + 1]) for row in rows)


def _is_header(first: Sequence[str], data: Sequence[Sequence[str]]) -> bool:
    """A header is text above numbers; a first row that looks like all others is data."""
    if not data:
        return not all(map(DATA_CELL.fullmatch, first))
    tells_header = tells_data = 0
    for index, cell in enumerate(first):
        below = [row[index] for row in data[:_LOOKED_AT] if row[index].strip()]
        if not below or not cell.strip():
            continue
        numeric = sum(1 for text in below if DATA_CELL.fullmatch(text)) >= 0.8 * len(below)
        if numeric and (not DATA_CELL.fullmatch(cell) or _is_date_above_numbers(cell, below)):
            tells_header += 1
        elif numeric or cell in below:
            tells_data += 1
    if tells_header or tells_data == 0:
        return True
    numbers = [cell for cell in first if DATA_CELL.fullmatch(cell) and cell.strip()]
    if numbers:
        return len(numbers) < len(first) and (_are_years(numbers) or _are_counted(numbers))
    return len(set(first)) == len(first) and tells_data < len(first) / 2


def _is_date_above_numbers(cell: str, below: Sequence[str]) -> bool:
    """Tables with a column a day are named by dates, and hold none."""
    return bool(_DATE.fullmatch(cell)) and not any(map(_DATE.fullmatch, below))


def _are_counted(cells: Sequence[str]) -> bool:
    """Whole numbers in equal steps are labels of columns: few rows of values are like that."""
    if len(cells) < _COUNTED_FROM or not all(re.fullmatch(r"\s*\d{1,6}\s*", cell) for cell in cells):
        return False
    steps = {int(two) - int(one) for one, two in itertools.pairwise(cells)}
    return len(steps) == 1 and min(steps) > 0


def _is_above_numbers(first: Sequence[str], data: Sequence[Sequence[str]]) -> bool:
    """Text above a column of numbers; where a header comes again in the data, that is left out of them."""
    return any(
        cell.strip()
        and not DATA_CELL.fullmatch(cell)
        and (below := [row[index] for row in data if row[index].strip()])
        and sum(bool(DATA_CELL.fullmatch(text)) for text in below) >= 0.8 * len(below)
        for index, cell in enumerate(first)
    )


def _are_years(cells: Sequence[str]) -> bool:
    """Years in rising order are labels of columns, not values."""
    years = [int(cell) for cell in cells if re.fullmatch(r"\s*(1[89]|20|21)\d\d\s*", cell)]
    return len(years) == len(cells) > 1 and all(one < two for one, two in itertools.pairwise(years))
