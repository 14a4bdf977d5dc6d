"""Which time a column covers: its usual step, how many periods there are, and where some are missing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lakebook.sources.card import TimeCoverage

_KEPT_GAPS = 20
_REGULAR = 0.5
_OFF_GRID = 0.05
_LEAST = 3
_DAY = 86_400_000_000
_UNITS = (("day", _DAY), ("hour", _DAY // 24), ("minute", _DAY // 1440), ("second", _DAY // 86_400))
_WEEKDAYS_FROM = 10


def cover_times(stamps: npt.NDArray[np.int64]) -> TimeCoverage:
    """Describe distinct times in order, in microseconds."""
    if len(stamps) < _LEAST:
        return TimeCoverage("", len(stamps), len(stamps))
    return _months(stamps) or _weekdays(stamps) or _regular(stamps)


def cover_years(years: npt.NDArray[np.int64]) -> TimeCoverage:
    """Describe distinct years in order."""
    if len(years) < _LEAST:
        return TimeCoverage("", len(years), len(years))
    step = _usual(np.diff(years))
    if not step:
        return TimeCoverage("", len(years), len(years))
    return _cover(years, step, _named("year", step), str)


def _months(stamps: npt.NDArray[np.int64]) -> TimeCoverage | None:
    """The same day of every month, or its last day, at steps of whole months."""
    days, rest = np.divmod(stamps, _DAY)
    if rest.any():
        return None
    dates = days.astype("M8[D]")
    months = dates.astype("M8[M]")
    in_month = (dates - months.astype("M8[D]")).astype(np.int64)
    last = ((months + 1).astype("M8[D]") - dates).astype(np.int64)
    if not ((in_month == in_month[0]).all() or (last == 1).all()):
        return None
    numbers = months.astype(np.int64)
    step = _usual(np.diff(numbers))
    if not step:
        return None
    name = {3: "quarter", 12: "year"}.get(step)
    if name is None:
        name = _named("year", step // 12) if step % 12 == 0 else _named("month", step)
    at_end = bool((last == 1).all())

    def text(month: int) -> str:
        first = np.datetime64(month + at_end, "M").astype("M8[D]")
        return str(first - 1 if at_end else first + int(in_month[0]))

    return _cover(numbers, step, name, text)


def _weekdays(stamps: npt.NDArray[np.int64]) -> TimeCoverage | None:
    """Every day but Saturdays and Sundays."""
    days, rest = np.divmod(stamps, _DAY)
    if rest.any() or len(days) < _WEEKDAYS_FROM or ((days + 3) % 7 > 4).any():
        return None
    numbers = days - 2 * ((days + 3) // 7)  # weekdays counted through
    if _usual(np.diff(numbers)) != 1 or (np.diff(days) == 1).mean() < _REGULAR:
        return None

    def text(number: int) -> str:
        week, day = divmod(number + 3, 5)
        return str(np.datetime64(week * 7 + day - 3, "D"))

    return _cover(numbers, 1, "weekday", text)


def _regular(stamps: npt.NDArray[np.int64]) -> TimeCoverage:
    step = _usual(np.diff(stamps))
    unit = next(((name, length) for name, length in _UNITS if step and step % length == 0), None)
    if unit is None:
        return TimeCoverage("", len(stamps), len(stamps))
    times = step // unit[1]
    name = "week" if (unit[0], times) == ("day", 7) else _named(unit[0], times)
    whole_days = not (stamps % _DAY).any() and unit[0] == "day"

    def text(stamp: int) -> str:
        return str(np.datetime64(stamp, "us").astype("M8[D]" if whole_days else "M8[s]"))

    return _cover(stamps, step, name, text)


def _cover(places: npt.NDArray[np.int64], step: int, name: str, text: Callable[[int], str]) -> TimeCoverage:
    """Count the periods between first and last, and name the stretches where one is missing."""
    wide = np.flatnonzero(np.diff(places) > 1.5 * step)
    ends = (
        (int(places[index]) + step, int(places[index + 1]) - step) for index in wide[:_KEPT_GAPS].tolist()
    )
    gaps = tuple((text(first), text(max(first, last))) for first, last in ends)
    expected = round(int(places[-1] - places[0]) / step) + 1
    return TimeCoverage(name, len(places), expected, gaps, len(wide))


def _usual(differences: npt.NDArray[np.int64]) -> int:
    """Return the step of a grid that hardly a time leaves, 0 if there is none.

    At least half of the neighbours stand one step apart, and hardly any closer or off the grid: times of
    events have a most frequent distance too, but no step.
    """
    found, counts = np.unique(differences, return_counts=True)
    most = int(np.argmax(counts))
    step = int(found[most])
    if counts[most] < _REGULAR * len(differences):
        return 0
    off = ((differences < step) | (differences % step != 0)).mean()
    return step if off <= _OFF_GRID else 0


def _named(unit: str, times: int) -> str:
    return unit if times == 1 else f"{times} {unit}s"
