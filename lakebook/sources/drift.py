"""What changed between two versions of one source: columns, types, shares of nulls, scale, values, rows.

Compares cards only, never data, so that the comparison costs nothing and the old table may be gone. Every
finding says what was and what is. Thresholds are written here and tested on changed and unchanged tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lakebook.sources.card import Column, SourceCard, SourceUnit

DriftKind = Literal[
    "unit gone", "column gone", "column new", "type changed", "nulls jumped", "scale shifted", "rows shrank"
]

# A share of nulls jumped if it differs by ten points, and by five standard errors of the smaller table.
NULL_JUMP = 0.10
_STANDARD_ERRORS = 5.0
# A unit change multiplies all quartiles by one factor. Small factors also come from growth, so they must be
# hit closely; a level that moved otherwise is said from a factor of five on.
_CLOSE, _ROUGH = 0.01, 0.1
LEVEL_SHIFT = 5.0
_FACTORS = (
    10.0,
    100.0,
    1_000.0,
    1e6,
    12.0,
    60.0,
    3_600.0,
    24.0,
    7.0,
    2.54,
    25.4,
    0.4536,
    2.2046,
    1.609,
    0.3048,
)
_LEAST_ROWS = 20
_SHRUNK = 0.5


@dataclass(frozen=True, slots=True)
class Drift:
    """One change. `place`: file, unit and column. `message` says what was and what is."""

    kind: DriftKind
    place: str
    message: str


def compare(old: SourceCard, new: SourceCard) -> tuple[Drift, ...]:
    """Return what changed between two cards of one path."""
    return tuple(_compare(old, new))


def _compare(old: SourceCard, new: SourceCard) -> Iterator[Drift]:
    units = {unit.unit: unit for unit in new.units if unit.kind == "table"}
    for before in old.units:
        if before.kind != "table":
            continue
        place = f"{new.path}#{before.unit}" if before.unit else new.path
        after = units.get(before.unit)
        if after is None:
            yield Drift("unit gone", place, f"held {before.rows:,} rows before; it is not there any more")
            continue
        yield from _units(place, before, after)


def _units(place: str, before: SourceUnit, after: SourceUnit) -> Iterator[Drift]:
    if after.rows < _SHRUNK * before.rows:
        yield Drift("rows shrank", place, f"{before.rows:,} rows before, {after.rows:,} now")
    names = {column.name: column for column in after.columns}
    known = {column.name for column in before.columns}
    for column in before.columns:
        where = f"{place}, {column.name}"
        now = names.get(column.name)
        if now is None:
            yield Drift("column gone", where, f"was {column.type}; it is not there any more")
            continue
        yield from _columns(where, (column, before.rows), (now, after.rows))
    for column in after.columns:
        if column.name not in known:
            yield Drift("column new", f"{place}, {column.name}", f"{column.type}; it was not there before")


def _columns(where: str, old: tuple[Column, int], new: tuple[Column, int]) -> Iterator[Drift]:
    (before, rows_before), (after, rows_after) = old, new
    if min(rows_before, rows_after) == 0:
        return
    if _kind(before) != _kind(after) and "empty" not in (before.type, after.type):
        yield Drift("type changed", where, f"was {before.type}, is {after.type}")
    share_before, share_after = before.nulls / rows_before, after.nulls / rows_after
    if _jumped(share_before, share_after, min(rows_before, rows_after)):
        yield Drift(
            "nulls jumped", where, f"{share_before:.1%} without a value before, {share_after:.1%} now"
        )
    shift = scale_shift(before, after)
    if shift and min(rows_before, rows_after) >= _LEAST_ROWS:
        yield Drift("scale shifted", where, shift)


def _kind(column: Column) -> str:
    """Whole and broken numbers are one kind, and so are days and times: they follow from the values."""
    return {"integer": "number", "datetime": "date"}.get(column.type, column.type)


def _jumped(before: float, after: float, rows: int) -> bool:
    pooled = (before + after) / 2
    error = math.sqrt(2 * pooled * (1 - pooled) / rows)
    return abs(after - before) >= max(NULL_JUMP, _STANDARD_ERRORS * error)


def scale_shift(before: Column, after: Column) -> str:
    """Say how the scale of a measure changed: by a unit's factor, or in level; "" if it did not.

    A factor is one of the usual ones (10^k, 60, 2.54 …) that all quartiles share; a level shift is a median
    more than five times as large or as small.
    """
    if before.role != "measure" or after.role != "measure":
        return ""
    old, new = _quartiles(before), _quartiles(after)
    if len(old) != 3 or len(new) != 3 or any(value == 0 for value in (*old, *new)):
        return ""
    ratios = [two / one for one, two in zip(old, new, strict=True)]
    ratio = ratios[1]
    if ratio <= 0:
        return ""
    spread = (max(ratios) - min(ratios)) / ratio
    for factor in _FACTORS:
        allowed = _ROUGH if factor > LEVEL_SHIFT else _CLOSE
        for exact, text in ((factor, f"× {factor:g}"), (1 / factor, f"÷ {factor:g}")):
            if spread <= 3 * allowed and abs(ratio / exact - 1) <= allowed:
                return (
                    f"all quartiles changed {text} (median {old[1]:g} before, {new[1]:g} now): another unit?"
                )
    if ratio > LEVEL_SHIFT or ratio < 1 / LEVEL_SHIFT:
        return f"median {old[1]:g} before, {new[1]:g} now"
    return ""


def _quartiles(column: Column) -> list[float]:
    if column.type not in ("integer", "number"):
        return []
    return [float(q.value) for q in column.quantiles if q.share in (0.25, 0.5, 0.75)]
