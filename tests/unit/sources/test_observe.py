"""What a card says of columns and tables beyond types: each on input that has it, and that has not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from lakebook.sources import loading, seen, tally
from lakebook.sources.card import Column, SourceUnit
from lakebook.sources.describe import describe
from lakebook.sources.objects import object_column
from lakebook.sources.reading import RawColumn, RawTable, Reading
from lakebook.sources.time_coverage import cover_times, cover_years
from lakebook.sources.units import unit_in_name, units_in_values


def unit_of(columns: dict[str, Sequence[Any]], folder: Path | None = None) -> SourceUnit:
    """Describe a table of texts; in blocks of a few rows if a folder for its file is given."""
    raw = RawTable(
        tuple(RawColumn(name, name, pa.array(values, pa.string())) for name, values in columns.items()),
        rows=len(next(iter(columns.values()))),
        opening=lambda _: ([], True),
        place=lambda row: f"row {row}",
        is_text=True,
    )
    rows = raw.rows
    return describe(Reading(kind="table", table=raw, rows_in_file=rows), folder and folder / "t.parquet").unit


def column_of(values: Sequence[Any], name: str = "v") -> Column:
    return unit_of({name: [str(value) for value in values]}).columns[0]


# --- counts and quantiles -------------------------------------------------------------------------------


def test_quantiles_are_those_of_numpy() -> None:
    values = np.random.default_rng(1).normal(size=997).round(3)
    column = column_of(values)
    expected = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    assert [float(item.value) for item in column.quantiles] == pytest.approx(expected)
    assert column.quantiles_exact
    assert [item.share for item in column.quantiles] == [0.05, 0.25, 0.5, 0.75, 0.95]


def test_quantiles_of_dates_and_whole_numbers_read_as_such() -> None:
    column = column_of([f"2020-01-{day:02d}" for day in range(1, 21)])
    assert [item.value for item in column.quantiles] == [
        "2020-01-01", "2020-01-05", "2020-01-10", "2020-01-15", "2020-01-19",
    ]  # fmt: skip
    assert [item.value for item in column_of([1, 2, 3, 4]).quantiles][2] == "2.5"
    assert [item.value for item in column_of([1, 2, 3, 4, 5]).quantiles][2] == "3"
    assert column_of(["a", "b"]).quantiles == ()


def test_values_are_complete_up_to_a_thousand() -> None:
    column = column_of([n % 1000 for n in range(2000)])
    assert column.values_complete
    assert len(column.values) == 1000
    assert sum(item.rows for item in column.values) == 2000
    column = column_of([n % 1001 for n in range(2002)])
    assert (column.values_complete, len(column.values), column.distinct) == (False, 50, 1001)
    assert [item.value for item in column.values[:3]] == ["0", "1", "2"]


def test_beyond_what_is_sorted_numbers_are_marked_as_estimates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "EXACT_ROWS", 1000)
    monkeypatch.setattr(tally, "MOST_VALUES", 100)
    monkeypatch.setattr(loading, "BLOCK_ROWS", 500)
    rows = [str(n) for n in range(3000)]
    unit = unit_of({"n": rows, "t": [f"x{n}" for n in rows], "few": ["a", "b", "c"] * 1000}, tmp_path)
    number, text, few = unit.columns
    for column in (number, text):
        assert not column.distinct_exact
        assert 0.9 * 3000 < column.distinct <= 3000
        assert (column.values, column.values_complete) == ((), False)
    assert (number.min, number.max, number.quantiles_exact) == ("0", "2999", False)
    assert (text.min, text.max) == ("x0", "x999")
    assert (few.distinct, few.distinct_exact) == (3, True)


# --- keys, duplicates, totals ---------------------------------------------------------------------------


def grid(times: int = 4, places: int = 5) -> dict[str, list[str]]:
    pairs = [(t, p) for t in range(times) for p in range(places)]
    return {
        "year": [str(2000 + t) for t, _ in pairs],
        "region": [f"r{p}" for _, p in pairs],
        "kind": ["x" for _ in pairs],
        "sales": [f"{t * 7.5 + p}" for t, p in pairs],
    }


@pytest.mark.parametrize("is_long", [False, True])
def test_the_smallest_key_is_found(is_long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_long:
        monkeypatch.setattr(loading, "BLOCK_ROWS", 4)
    columns = grid()
    assert unit_of(columns, tmp_path).candidate_keys == (("year", "region"),)
    counter = {"": [str(n) for n in range(20)], **columns}
    assert unit_of(counter, tmp_path).candidate_keys == (("year", "region"),)
    again = {"n": [str(n % 5) for n in range(20)], **columns}  # a counter that starts anew is left out too
    assert unit_of(again, tmp_path).candidate_keys == (("year", "region"),)
    code = {"code": [f"c{n}" for n in range(20)], **columns}
    assert unit_of(code, tmp_path).candidate_keys == (("code",),)


def test_a_counter_is_the_key_where_nothing_else_is() -> None:
    assert unit_of({"n": ["1", "2", "3"], "v": ["a", "a", "b"]}).candidate_keys == (("n",),)


def test_floats_and_columns_with_gaps_are_no_key() -> None:
    assert unit_of({"x": ["1.5", "2.5", "3.5"], "v": ["a", "a", "b"]}).candidate_keys == ()
    assert unit_of({"x": ["a", "b", ""], "v": ["a", "a", "b"]}).candidate_keys == ()


@pytest.mark.parametrize("is_long", [False, True])
def test_duplicates_are_counted_with_gaps_and_all(
    is_long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_long:
        monkeypatch.setattr(loading, "BLOCK_ROWS", 2)
    columns = {"a": ["x", "x", "y", "x", "", ""], "b": ["1", "1", "2", "1", "3", "3"]}
    unit = unit_of(columns, tmp_path)
    assert unit.duplicate_rows == pd.DataFrame(columns).duplicated().sum() == 3
    assert unit.candidate_keys == ()
    assert "3 rows repeat another row in every column" in unit.warnings


@pytest.mark.parametrize("label", ["Total", "Grand total", "TOTAL", "Gesamt", "All regions", "Subtotal"])
def test_a_row_of_sums_is_noted_and_kept(label: str) -> None:
    unit = unit_of(
        {
            "region": ["North", "South", "West", label],
            "n": ["1", "2", "3", "6"],
            "m": ["5", "5", "7.5", "17.5"],
        }
    )
    assert unit.rows == 4
    (note,) = unit.total_rows
    assert f"1 row has '{label}' in 'region'" in note
    assert "'n', 'm'" in note


def test_totals_of_every_period_are_noted() -> None:
    columns = {
        "year": ["2020"] * 3 + ["2021"] * 3,
        "region": ["North", "South", "Total"] * 2,
        "n": ["1", "2", "3", "40", "5", "45"],
    }
    assert "2 rows have 'Total'" in unit_of(columns).total_rows[0]


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [
        (["North", "South", "Total"], ["1", "2", "4"]),  # says so, but is no sum
        (["North", "South", "Both"], ["1", "2", "3"]),  # a sum that does not say so
        (["Allentown", "Summit", "Overland"], ["1", "2", "3"]),  # names that only begin so
    ],
)
def test_what_only_resembles_a_total_is_not_noted(labels: list[str], numbers: list[str]) -> None:
    assert unit_of({"region": labels, "n": numbers}).total_rows == ()


# --- sentinels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([*range(20), -999, -999], [("-999", 2)]),
        ([*range(20), -999, -999, 9999, 9999, 9999], [("-999", 2), ("9999", 3)]),
        ([1.5, 2.5, 3.5, 99.0, 99.0], [("99.0", 2)]),
        (
            [*(f"{2001 + n // 12}-{n % 12 + 1:02d}-15" for n in range(60)), *["1900-01-01"] * 4],
            [("1900-01-01", 4)],
        ),
        (
            [*(f"{2001 + n // 12}-{n % 12 + 1:02d}-15" for n in range(60)), *["9999-12-31"] * 4],
            [("9999-12-31", 4)],
        ),
    ],
)
def test_codes_for_missing_are_noted_and_kept(values: list[Any], expected: list[tuple[str, int]]) -> None:
    column = column_of(values)
    assert [(item.value, item.rows) for item in column.sentinels] == expected
    assert len(column.warnings) == len(expected)
    assert all("looks like a code for a missing value" in warning for warning in column.warnings)
    assert column.nulls == 0


@pytest.mark.parametrize(
    "values",
    [
        [*range(20), -999],  # once may be a value
        [*range(0, 2000, 100), 999, 999],  # inside the range
        [*range(20), 5000, 5000],  # far, but no code
        [*range(100), 99, 99, 99],  # the end of the range
        [*(f"20{n:02d}-01-15" for n in range(10)), "1900-01-01"],
        [*(f"{1900 + n}-01-01" for n in range(60)), "1900-01-01"],
    ],
)
def test_values_that_only_resemble_codes_are_not_noted(values: list[Any]) -> None:
    assert column_of(values).sentinels == ()


# --- units ----------------------------------------------------------------------------------------------


def test_units_of_names_and_values() -> None:
    assert unit_in_name("Weight (kg)") == "kg"
    assert unit_in_name("price_usd") == "usd"
    assert unit_in_name("Health (Life Expectancy)") == ""
    assert unit_in_name("m") == ""
    assert units_in_values(["90 min", "1 Season", "2 Seasons"], [60, 30, 10]) == [("min", 60), ("Season", 40)]
    assert units_in_values(["$5", "$7.50"], [1, 1]) == [("$", 2)]
    assert units_in_values(["EUR 5", "USD 7"], [3, 1]) == [("EUR", 3), ("USD", 1)]
    assert units_in_values(["12 kg", "a", "b"], [1, 1, 1]) == []
    assert units_in_values(["5", "7"], [1, 1]) == []
    assert units_in_values([], []) == []


def test_several_units_in_a_column_are_listed_and_warned_of() -> None:
    column = column_of(["90 min", "95 min", "1 Season", "2 Seasons"], "duration")
    assert column.units == ("min", "Season")
    assert column.unit == ""
    assert column.warnings == ("several units in one column: min in 2 rows, Season in 2 rows",)
    column = column_of(["$5", "€7", "$8"], "price")
    assert column.units == ("USD?", "EUR")
    assert "several units" in column.warnings[0]
    column = column_of(["12 kg", "7 kg"], "Weight (kg)")
    assert (column.unit, column.units, column.warnings) == ("kg", ("kg",), ())
    assert column_of(["5", "7"], "Weight (kg)").units == ("kg",)


# --- time -----------------------------------------------------------------------------------------------


def cover(
    stamps: Sequence[datetime | date | pd.Timestamp],
) -> tuple[str, int, int, tuple[tuple[str, str], ...]]:
    found = cover_times(np.array(sorted(stamps), "M8[us]").astype(np.int64))
    return found.step, found.periods, found.expected, found.gaps


@pytest.mark.parametrize(
    ("frequency", "step", "missing"),
    [
        ("D", "day", "2020-03-01"),
        ("W", "week", "2020-03-01"),
        ("MS", "month", "2020-03-01"),
        ("ME", "month", "2020-03-31"),
        ("QS", "quarter", "2020-04-01"),
        ("YS", "year", "2021-01-01"),
        ("h", "hour", "2020-01-01T05:00:00"),
        ("15min", "15 minutes", "2020-01-01T05:00:00"),
        ("2D", "2 days", "2020-01-05"),
        ("B", "weekday", "2020-03-02"),
        ("10YS", "10 years", "2040-01-01"),
    ],
)
def test_steps_and_gaps(frequency: str, step: str, missing: str) -> None:
    whole = pd.date_range("2020-01-01", periods=70 if frequency[-1] != "S" else 24, freq=frequency)
    assert cover(list(whole))[:3] == (step, len(whole), len(whole))
    holed = [stamp for stamp in whole if stamp != pd.Timestamp(missing)]
    assert len(holed) == len(whole) - 1
    assert cover(holed) == (step, len(holed), len(whole), ((missing, missing),))


def test_a_long_gap_is_one_stretch() -> None:
    days = [date(2020, 1, day) for day in (*range(1, 6), *range(11, 20))]
    assert cover(days) == ("day", 14, 19, (("2020-01-06", "2020-01-10"),))


def test_times_without_a_step_have_none() -> None:
    stamps = np.sort(np.random.default_rng(0).integers(0, 10**15, 500))
    assert cover_times(stamps).step == ""
    assert cover([date(2020, 1, 1), date(2020, 1, 2)])[0] == ""


def test_years() -> None:
    assert cover_years(np.array([2001, 2004, 2009, 2011])).step == ""
    found = cover_years(np.array([2001, 2002, 2003, 2006]))
    assert (found.step, found.periods, found.expected, found.gaps) == ("year", 4, 6, (("2004", "2005"),))
    assert cover_years(np.array([2000, 2004, 2008])).step == "4 years"


def test_time_stands_on_time_columns_only() -> None:
    unit = unit_of(
        {
            "day": [f"2020-01-{n:02d}" for n in range(1, 11)],
            "year": [str(2000 + n) for n in range(10)],
            "n": ["7"] * 10,
        }
    )
    assert [column.time.step if column.time else None for column in unit.columns] == ["day", "year", None]


# --- objects --------------------------------------------------------------------------------------------


def test_cells_of_any_kind_are_described() -> None:
    values: list[Any] = [{"a": 1}, [1, 2], None, {"a": 1}, datetime(2020, 1, 1)]
    column = object_column("v", "v", values)
    assert column.type == "json"
    raw = RawTable((column,), 5, lambda _: ([], True), str)
    unit = describe(Reading(kind="table", table=raw, rows_in_file=5)).unit
    assert (unit.columns[0].role, unit.columns[0].nulls, unit.columns[0].distinct) == ("list", 1, 3)
    mixed = object_column("v", "v", [1, "a", None, (1, 2), b"x", date(2020, 1, 1)])
    assert mixed.type == "text"
    assert "several kinds" in mixed.warnings[0]
