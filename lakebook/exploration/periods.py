"""Days of which a question speaks, and days that a file covers by its path, its text or its columns.

A period is a pair of days, both included. What follows from an overlap is decided in `ranking`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from lakebook.exploration.words import MONTHS
from lakebook.sources.card import SourceUnit

# (first, last) as numbers YYYYMMDD: they compare like days, and no month needs its exact last day.
Period = tuple[int, int]

_FOREVER = 29991231
_Y = r"(?<!\d)((?:18|19|20)\d\d)(?!\d)"
_M = rf"\b({'|'.join(MONTHS)}|{'|'.join(month[:3] for month in MONTHS)}|sept)\b\.?"
_D = r"(\d{1,2})(?:st|nd|rd|th)?\b"
_TO = r"\s*(?:\(inclusive\)\s*)?(?:to|and|through|until|till|-)\s*"
_ISO = r"(?<!\d)((?:18|19|20)\d\d)-(\d\d)-(\d\d)(?!\d)"


def _day(year: str, month: str, day: str) -> int:
    number = MONTHS.index(next(m for m in MONTHS if m.startswith(month[:3]))) + 1 if month else 0
    return int(year) * 10_000 + number * 100 + int(day)


def _years(first: str, last: str) -> Period:
    low, high = sorted((int(first), int(last)))
    return low * 10_000 + 101, high * 10_000 + 1231


def _same(day: int) -> Period:
    return day, day


# Longer forms first: each takes its text away from those after it.
_FORMS: tuple[tuple[str, Callable[[re.Match[str]], Period]], ...] = (
    (
        rf"\b(?:since|after)\s+(?:{_M},?\s+)?{_Y}(?!{_TO}\d)(?!-)",
        lambda m: (_day(m[2], m[1] or "january", "1"), _FOREVER),
    ),
    (_ISO + _TO + _ISO, lambda m: (int(m[1] + m[2] + m[3]), int(m[4] + m[5] + m[6]))),
    (_ISO, lambda m: _same(int(m[1] + m[2] + m[3]))),
    (
        rf"{_M}\s+{_D}{_TO}{_D},?\s+(?:of\s+)?{_Y}",
        lambda m: (_day(m[4], m[1], m[2]), _day(m[4], m[1], m[3])),
    ),
    (
        rf"{_M}\s+{_D}{_TO}{_M}\s+{_D},?\s+(?:of\s+)?{_Y}",
        lambda m: (_day(m[5], m[1], m[2]), _day(m[5], m[3], m[4])),
    ),
    (rf"{_M}\s+{_D},?\s+(?:of\s+)?{_Y}", lambda m: _same(_day(m[3], m[1], m[2]))),
    (rf"\b{_D}\s+(?:of\s+)?{_M},?\s+{_Y}", lambda m: _same(_day(m[3], m[2], m[1]))),
    (
        rf"{_M}{_TO}{_M},?\s+(?:of\s+)?{_Y}",
        lambda m: (_day(m[3], m[1], "1"), _day(m[3], m[2], "31")),
    ),
    (rf"{_M},?\s+(?:of\s+)?{_Y}", lambda m: (_day(m[2], m[1], "1"), _day(m[2], m[1], "31"))),
    (r"(?<!\d)((?:18|19|20)\d)0'?s\b", lambda m: _years(m[1] + "0", m[1] + "9")),
    (_Y + _TO + _Y, lambda m: _years(m[1], m[2])),
    (_Y, lambda m: _years(m[1], m[1])),
)
_COMPILED = tuple((re.compile(pattern), build) for pattern, build in _FORMS)

_DAYS_IN_PATH = re.compile(
    r"(?<!\d)((?:18|19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d{1,5}(?!\d))"
)
_MONTH_IN_PATH = re.compile(r"(?<!\d)((?:18|19|20)\d\d)[-_.]?(0[1-9]|1[0-2])(?!\d)")
_YEAR_IN_PATH = re.compile(r"(?<!\d)((?:18|19|20)\d\d)(?!\d)")
_DAY_IN_TEXT = re.compile(rf"(?<!\d)((?:19|20)\d\d)[ -]{_M}[ -](\d{{1,2}})(?!\d)", re.IGNORECASE)


def periods_of_question(question: str) -> tuple[Period, ...]:
    """Return the periods that a question names: days, months, years, and ranges of them."""
    text = re.sub(r"[\u2010-\u2015]|--", "-", question.lower())
    found: list[Period] = []
    for pattern, build in _COMPILED:
        for match in pattern.finditer(text):
            first, last = build(match)
            found.append((min(first, last), max(first, last)))
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return tuple(dict.fromkeys(found))


def period_of_path(path: str) -> Period | None:
    """Return the period that a path names, from its first to its last date; None if it names none."""
    days = [int(year + month + day) for year, _, month, day in _DAYS_IN_PATH.findall(path)]
    if days:
        return min(days), max(days)
    months = [int(year + month) for year, month in _MONTH_IN_PATH.findall(path)]
    if months:
        return min(months) * 100 + 1, max(months) * 100 + 31
    years = _YEAR_IN_PATH.findall(path)
    return _years(min(years), max(years)) if years else None


def period_of_text(text: str) -> Period | None:
    """Return the first full day that stands in a text ("2025 Mar 09"), as the period it was written for."""
    match = _DAY_IN_TEXT.search(text) or re.search(_ISO, text)
    if match is None:
        return None
    year, month, day = match.groups()
    return _same(int(year + month + day) if month.isdigit() else _day(year, month.lower(), day))


def years_of_units(units: Iterable[SourceUnit]) -> tuple[int, ...]:
    """Return the years that columns of time cover, and those that are names of columns, sorted."""
    years: set[int] = set()
    for unit in units:
        for column in unit.columns:
            if re.fullmatch(r"(?:18|19|20)\d\d", column.name):
                years.add(int(column.name))
            is_time = column.type in ("date", "datetime")
            if not is_time and not (column.type == "integer" and column.role in ("time", "category")):
                continue
            ends = [end[:4] for end in (column.min, column.max) if end]
            if len(ends) < 2 or not all(re.fullmatch(r"(?:18|19|20)\d\d", end) for end in ends):
                continue
            if not is_time and len(column.max or "") != 4:
                continue
            if not is_time and column.values_complete:
                years |= {int(v.value) for v in column.values if re.fullmatch(r"\d{4}", v.value)}
            else:
                years |= set(range(int(ends[0]), int(ends[1]) + 1))
    return tuple(sorted(years))
