"""A step is stated only where times stand on a grid; a gap never ends before it begins."""

from __future__ import annotations

import numpy as np
import pytest

from lakebook.sources.time_coverage import cover_times


def _stamps(days: list[str]) -> np.ndarray:
    return np.unique(np.array(days, dtype="M8[us]")).astype(np.int64)


def test_a_week_that_is_missing_is_a_gap() -> None:
    weeks = np.arange("2018-01-07", "2019-06-02", 7, dtype="M8[D]").astype(str).tolist()
    found = cover_times(_stamps(weeks[:20] + weeks[23:]))
    assert (found.step, found.gaps_in_all) == ("week", 1)
    assert found.gaps == ((weeks[20], weeks[22]),)


def test_a_grid_that_shifts_once_is_still_one() -> None:
    first = np.arange("2018-01-07", "2018-12-03", 7, dtype="M8[D]").astype(str).tolist()
    then = np.arange("2019-01-07", "2019-12-01", 7, dtype="M8[D]").astype(str).tolist()
    assert cover_times(_stamps(first + then)).step == "week"


def test_days_made_of_two_cycles_have_no_step() -> None:
    found = cover_times(_stamps([f"2023-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(90)]))
    assert all(first <= last for first, last in found.gaps)
    assert found.step in ("", "day")


@pytest.mark.parametrize("seed", range(20))
def test_times_of_events_have_no_step_and_no_gap_ends_before_it_begins(seed: int) -> None:
    random = np.random.default_rng(seed)
    minutes = np.unique(random.choice([12, 12, 12, 7, 31, 240, 5], 400).cumsum()) * 60_000_000
    found = cover_times(minutes.astype(np.int64))
    assert found.step == ""
    assert found.gaps == ()


def test_gaps_are_counted_beyond_those_that_are_kept() -> None:
    days = np.arange("2020-01-01", "2020-12-31", dtype="M8[D]").astype(str).tolist()
    found = cover_times(_stamps([day for n, day in enumerate(days) if n % 9]))
    assert (found.step, len(found.gaps)) == ("day", 20)
    assert found.gaps_in_all > 35
