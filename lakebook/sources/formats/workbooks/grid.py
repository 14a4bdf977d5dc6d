"""The cells of a sheet and what is known beside them: merged ranges, defined tables, cells without a value.

Data only. Where the tables stand in a grid is found in `sheet_layout`, what their headers are in
`sheet_header`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lakebook.sources.column_types import NULL_TOKENS

# What tables of figures print where there is no figure, beside the tokens of delimited files.
MISSING_TOKENS = NULL_TOKENS | {"..", "...", "…", ":", "–", "—"}


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of cells, ends exclusive, counted from 0."""

    top: int
    left: int
    bottom: int
    right: int

    def covers(self, row: int, column: int) -> bool:
        """Return True if the cell stands in it."""
        return self.top <= row < self.bottom and self.left <= column < self.right

    def range(self, sheet: str) -> str:
        """Return the name of the range as a spreadsheet writes it: `Report!A5:H40`."""
        start = f"{letters(self.left)}{self.top + 1}"
        end = f"{letters(self.right - 1)}{self.bottom}"
        return f"{sheet}!{start}:{end}" if start != end else f"{sheet}!{start}"


@dataclass(frozen=True, slots=True)
class Unread:
    """A cell that holds something, but no value: an error, or a formula that was never calculated."""

    error: str = ""


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A table that the workbook itself declares: its range, and how many rows are header and totals."""

    box: Box
    header_rows: int = 1
    total_rows: int = 0


@dataclass(frozen=True, slots=True)
class Formats:
    """Number formats that change what a reader sees: column -> rows shown as percent or zero-padded."""

    percent: dict[int, list[int]] = field(default_factory=dict)
    padded: dict[int, dict[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grid:
    """A sheet from A1 on, all rows of one length; None where a cell is blank.

    Attributes:
        full: whether a cell holds something. held: the same, with cells that a vertical merge covers.
        reach: rows and columns that the cell reader gives; cells that were marked may stand further out.
        blanks: texts that pandas must take for missing: white space, and errors given as text.
    """

    name: str
    cells: list[list[Any]]
    full: npt.NDArray[np.bool_]
    held: npt.NDArray[np.bool_]
    reach: tuple[int, int] = (0, 0)
    merges: tuple[Box, ...] = ()
    tables: tuple[DefinedTable, ...] = ()
    formats: Formats = field(default_factory=Formats)
    blanks: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.full.shape[1])

    def filled(self, row: int, left: int, right: int) -> list[int]:
        """Return the columns of a row that hold something."""
        return [left + int(at) for at in np.flatnonzero(self.full[row, left:right])]

    def words(self, row: int, left: int, right: int) -> str:
        """Return what stands in a row, as one text."""
        return " ".join(shown(self.cells[row][at]) for at in self.filled(row, left, right))


def grid(
    name: str,
    cells: list[list[Any]],
    merges: Sequence[Box] = (),
    *,
    errors: frozenset[str] = frozenset(),
    **known: Any,
) -> Grid:
    """Make a grid: white space counts as blank, whole floats are whole numbers, dates are points in time.

    Args:
        name: of the sheet.
        cells: as the cell reader gives them; changed in place.
        merges: merged ranges.
        errors: texts that the cell reader gives for errors.
        known: the other attributes of the grid.
    """
    blanks: set[str] = set(errors)
    for row in cells:
        row[:] = [None if value == "" else _cell(value, blanks, errors) for value in row]
    width = max(map(len, cells), default=0)
    full = np.array([[value is not None for value in row] for row in cells], dtype=bool)
    full = full.reshape(len(cells), width)
    inside = tuple(
        box
        for box in sorted(merges, key=lambda box: (box.left, box.top))
        if box.bottom <= len(cells) and box.right <= width
    )
    held = full.copy()
    for box in inside:
        if box.bottom - box.top > 1 and full[box.top, box.left]:
            held[box.top : box.bottom, box.left : box.right] = True
    return Grid(name, cells, full, held, merges=inside, blanks=tuple(sorted(blanks)), **known)


def _cell(value: Any, blanks: set[str], errors: frozenset[str]) -> Any:
    if isinstance(value, str):
        if not value.isspace():
            return Unread(value) if value in errors else value
        blanks.add(value)
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime.combine(value, dt.time())
    return value


def kind(value: Any) -> str:
    """Return T text, N number, Y whole number that may be a year, D time, B boolean, U unread, "" blank."""
    if value is None:
        return ""
    if isinstance(value, str):
        return "T"
    if isinstance(value, bool):
        return "B"
    if isinstance(value, int):
        return "Y" if 1800 <= value <= 2100 else "N"
    if isinstance(value, float):
        return "N"
    return "U" if isinstance(value, Unread) else "D"


def class_of(values: Iterable[Any], share: float = 0.6) -> str:
    """Return what most of the values are: "number", "time", "boolean", "text", or "" if nothing prevails.

    Tokens for missing values and cells without a value have no say.
    """
    names = {"N": "number", "Y": "number", "D": "time", "B": "boolean", "T": "text"}
    counts = dict.fromkeys(names.values(), 0)
    for value in values:
        code = kind(value)
        if code in names and not (code == "T" and is_token(value)):
            counts[names[code]] += 1
    total = sum(counts.values())
    best = max(counts, key=lambda name: counts[name])
    return best if total and counts[best] >= share * total else ""


def is_token(value: Any) -> bool:
    """Return True for a text that stands for a missing value."""
    return isinstance(value, str) and value.strip() in MISSING_TOKENS


def shown(value: Any) -> str:
    """Return a cell as a reader sees it: whole days without a time."""
    if isinstance(value, Unread):
        return value.error
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    return str(value)


def letters(index: int) -> str:
    """Return a column's letters: 0 is A, 26 is AA."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(65 + rest) + text
    return text


def position(reference: str) -> tuple[int, int] | None:
    """Return row and column of "B7", counted from 0; None if it is no reference."""
    match = re.fullmatch(r"\$?([A-Z]{1,3})\$?(\d{1,7})", reference)
    if match is None:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def box_of(reference: str) -> Box | None:
    """Return the box of "B7:D9" or "B7", None if it is no reference."""
    first, _, last = reference.partition(":")
    start, end = position(first), position(last or first)
    if start is None or end is None:
        return None
    return Box(start[0], start[1], end[0] + 1, end[1] + 1)
