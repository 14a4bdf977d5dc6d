"""Ranges and periods: what a column covers, and what conditions ask of it, as comparable values.

Dates are read as days of the proleptic calendar, so that numbers, dates and years are compared in one way.
Used by the rules on ranges; nothing here reads data.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lakebook.sources.card import Column
from lakebook.validation.statement import literal

_STEP_DAYS = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


def moment(written: str) -> float | None:
    """Return a date or time in ISO 8601 as days (with fractions), None if it is of another form."""
    text = written.strip().replace("/", "-").removesuffix("Z")
    try:
        found = dt.datetime.fromisoformat(text)
    except ValueError:
        parts = text.split("-")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            return None
        try:
            found = dt.datetime(*map(int, parts))  # type: ignore[arg-type]  # three whole numbers
        except ValueError:
            return None
    found = found.replace(tzinfo=None)
    return (found - dt.datetime(1, 1, 1)) / dt.timedelta(days=1)


_WRITTEN = re.compile(r"(\d{1,6})[-/](\d{1,2})[-/](\d{1,2})(?:[ T].*)?")
_NO_DAYS = frozenset({"infinity", "-infinity", "epoch"})


def is_date(written: str) -> bool:
    """Say whether the engine reads a text as a date or time: year, month and day, and that day is there."""
    text = written.strip()
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return text.lower() in _NO_DAYS
    year, month, of_month = map(int, found.groups())
    try:
        dt.date(min(max(year, 1), 9996 + year % 4), month, of_month)  # leap years stay leap years
    except ValueError:
        return False
    return True


def day(days: float) -> str:
    """Return days as a date in ISO 8601."""
    return (dt.datetime(1, 1, 1) + dt.timedelta(days=days)).date().isoformat()


def comparable(written: Any, column: Column) -> float | None:
    """Return a constant or a bound of a card as a number on the column's own scale, None if it is none."""
    if written is None or isinstance(written, bool):
        return None
    if column.type in ("integer", "number"):
        try:
            return float(written)
        except ValueError:
            return None
    return moment(str(written)) if column.type in ("date", "datetime") else None


@dataclass(frozen=True, slots=True)
class Range:
    """The smallest and the largest value of a column, on its own scale."""

    low: float
    high: float


def range_of(column: Column) -> Range | None:
    """Return the range of a column of numbers or times, None if it is not known."""
    low, high = comparable(column.min, column), comparable(column.max, column)
    return Range(low, high) if low is not None and high is not None else None


def year_range(year: int) -> Range:
    """Return the first and the last day of a year."""
    return Range(moment(f"{year:04}-01-01") or 0.0, moment(f"{year:04}-12-31") or 0.0)


def year_of(days: float) -> int:
    """Return the year of a day."""
    return (dt.datetime(1, 1, 1) + dt.timedelta(days=days)).year


def allowance(column: Column, asked: Range) -> float:
    """Return how many days data may begin late or end early without leaving the period uncovered."""
    step = column.time.step if column.time is not None else ""
    return max(_STEP_DAYS.get(step, 1), min(7.0, (asked.high - asked.low) / 10))


def is_day(node: Any) -> bool:
    """Say whether a constant is a date without a time of day."""
    if isinstance(node, exp.Cast) and node.to.is_type("date"):
        return True
    value = literal(node)
    return isinstance(value, str) and _DATE.fullmatch(value.strip()) is not None
