"""Values that look like codes for "missing": known ones, repeated, and far outside the range of all others.

They are reported and counted; what they are taken for is the analysis' choice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lakebook.sources.card import ColumnType
from lakebook.sources.distribution import Distribution

_NUMBERS = frozenset(
    sign * float(code) for sign in (1, -1) for code in ("9" * n for n in range(2, 8))
) | {-1.0, -8.0, -9.0, 88.0, 888.0, 8888.0, -88.0, -888.0, -8888.0}  # fmt: skip
_DAYS = """
    0001-01-01 1753-01-01 1800-01-01 1899-12-30 1899-12-31 1900-01-01 1900-01-02 1901-01-01 1904-01-01
    1970-01-01 1980-01-01 2099-12-31 2100-01-01 2999-12-31 3000-01-01 9999-01-01 9999-12-31
"""
_DATES = frozenset(float(np.datetime64(day, "us").astype(np.int64)) for day in _DAYS.split())
_AT_EITHER_END = 2
_LEAST_ROWS = 2


def find_sentinels(found: Distribution, kind: ColumnType) -> list[tuple[int | float, int]]:
    """Return the values at the ends of a distribution that look like codes, with their rows."""
    known = _NUMBERS if kind in ("integer", "number") else _DATES
    values, counts = found.values, found.counts
    if len(values) < 3 or not (values[0].item() in known or values[-1].item() in known):
        return []
    low, high = 0, len(values)
    while low < min(_AT_EITHER_END, len(values) - 2) and _is_code(values, counts, low, known):
        low += 1
    while high > max(len(values) - _AT_EITHER_END, low + 2) and _is_code(values, counts, high - 1, known):
        high -= 1
    rest = values[low:high].astype(np.float64)
    spread = rest[-1] - rest[0]
    usual = float(np.median(counts[low:high]))
    codes = [*range(low), *range(high, len(values))]
    return [
        (values[index].item(), int(counts[index]))
        for index in codes
        if _is_far(
            abs(values[index] - rest[0 if index < low else -1]), spread, int(counts[index]), usual, kind
        )
    ]


def _is_code(
    values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], index: int, known: frozenset[float]
) -> bool:
    return values[index].item() in known and counts[index] >= _LEAST_ROWS


def _is_far(distance: float, spread: float, rows: int, usual: float, kind: ColumnType) -> bool:
    if kind in ("integer", "number"):
        return bool(0 < 2 * spread < distance)
    # years of a lake may span decades: a date that stands out by its rows need not be as far away
    return bool(0 < spread < 4 * distance and rows >= 3 * usual)
