"""What is remembered of columns: kinds, comparable values, quantiles; from tables and from cards."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakebook.correspondence.profile import (
    SAMPLE_ROWS,
    ColumnProfile,
    comparable,
    mask,
    profiles_of_file,
    profiles_of_table,
    profiles_of_unit,
)
from lakebook.sources.card import Column, ColumnType, Quantile, SourceUnit, ValueCount


def listed(name: str, kind: ColumnType, *counts: tuple[str, int]) -> Column:
    values = tuple(ValueCount(*count) for count in counts)
    return Column(name, name, kind, "category", 0, len(counts), values=values, values_complete=True)


def one(values: list[object]) -> ColumnProfile:
    (profile,) = profiles_of_table(pa.table({"x": pa.array(values)}))
    return profile


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.5, 2.5, 3.0], "number"),
        ([0, 1, 1, 0], "boolean"),
        ([True, False, None], "boolean"),
        (["yes", "no", "yes"], "boolean"),
        (["a", "b"] * 5, "category"),
        ([f"name {n}" for n in range(100)], "text"),
        ([dt.datetime(2020, 1, 2), dt.datetime(2021, 1, 2)], "date"),
        ([dt.date(2020, 1, 2)], "date"),
        ([None, None], "empty"),
        ([["a"], ["b"]], "text"),
    ],
)
def test_kinds(values: list[object], kind: str) -> None:
    assert one(values).kind == kind


def test_nulls_distinct_and_counts() -> None:
    profile = one(["North", "north ", "South", None])
    assert profile.nulls == 0.25
    assert (profile.rows, profile.distinct) == (3, 2)
    assert dict(profile.counts) == {"north": 2, "south": 1}


def test_numbers_are_compared_to_five_digits() -> None:
    assert set(one([1 / 3, 0.33333, 2.0]).counts) == {0.33333, 2.0}
    assert one([0.1, 250.0]).counts.keys() == one([np.float32(0.1).item(), 250.0]).counts.keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1,250", 1250.0), ("-3.50", -3.5), ("A (agr)", "aagr"), (" Total U.S. ", "totalus"), ("?", "?")],
)
def test_comparable(text: str, expected: object) -> None:
    assert comparable(text) == expected


def test_mask() -> None:
    assert mask("AB-1234567 x") == "A-9999 a"


def test_long_tables_are_sampled_evenly() -> None:
    profile = one(list(range(5 * SAMPLE_ROWS)))
    assert profile.rows == SAMPLE_ROWS
    assert profile.quantiles[0.0] == 0
    assert profile.quantiles[1.0] == 5 * SAMPLE_ROWS - 1
    assert profile.quantiles[0.5] == pytest.approx(2.5 * SAMPLE_ROWS, rel=0.01)


def test_a_file_is_read_as_its_table(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    pq.write_table(table, tmp_path / "t.parquet")
    assert profiles_of_file(tmp_path / "t.parquet") == profiles_of_table(table)
    assert [profile.name for profile in profiles_of_file(tmp_path / "t.parquet", ["b"])] == ["b"]


def test_a_card_gives_what_it_has() -> None:
    quantiles = tuple(Quantile(share, str(value)) for share, value in ((0.05, 1), (0.5, 5), (0.95, 9)))
    unit = SourceUnit(
        "",
        "table",
        "t",
        rows=10,
        columns=(
            Column("n", "n", "number", "measure", 1, 9, min="0.5", max="9.5", quantiles=quantiles),
            listed("flag", "integer", ("0", 4), ("1", 6)),
            listed("kind", "text", ("A b", 7), ("c", 3)),
            Column("day", "day", "date", "time", 0, 10, min="2020-01-01", max="2020-12-31"),
            Column("gone", "gone", "empty", "empty", 10, 0),
        ),
    )
    number, flag, kind, day, gone = profiles_of_unit(unit)
    assert (number.kind, number.nulls, number.rows, number.complete) == ("number", 0.1, 9, False)
    assert number.quantiles == {0.0: 0.5, 0.05: 1, 0.5: 5, 0.95: 9, 1.0: 9.5}
    assert (flag.kind, flag.positive) == ("boolean", 0.6)
    assert (kind.kind, dict(kind.counts), kind.complete) == ("category", {"ab": 7, "c": 3}, True)
    assert day.quantiles[1.0] - day.quantiles[0.0] == 365 * 86400
    assert not gone.is_known
