"""Columns of any texts: blocks give what one block gives, and many texts what a few give."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakebook.sources import loading, seen, tally, texts
from lakebook.sources.column_types import Decision, Survey, decide
from lakebook.sources.date_formats import candidates, parse
from lakebook.sources.describe import Described, describe
from lakebook.sources.distribution import Distribution, from_distinct, from_rows, most_frequent
from lakebook.sources.reading import Account, RawColumn, RawTable, Reading
from lakebook.sources.texts import Texts, code

NUMBERS = st.one_of(
    st.integers(-(10**18), 10**18).map(str),
    st.integers(-999, 999).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-9999, 9999, places=2).map(str),
    st.sampled_from(
        ["007", "-07", "0", "-0", "0.5", ".5", "5.", "-.5", "1e5", "+3", " 4", "00.5", "0x10", "1_0"]
    ),
)
MARKED = st.sampled_from(
    [
        "1,234",
        "1,234.5",
        "$5",
        "$1,000",
        "5%",
        "€ 7",
        "7 €",
        "1.234,5",
        "1,5",
        "1.234.567",
        "-€5",
        "--5",
        "$ -5",
    ]
)
DATES = st.one_of(
    st.dates().map(str),
    st.datetimes().map(lambda stamp: stamp.isoformat(" ", "seconds")),
    st.datetimes().map(lambda stamp: stamp.isoformat("T", "minutes")),
    st.dates().map(lambda day: f"{day.day}/{day.month}/{day.year:04d}"),
    st.sampled_from(
        [
            "1/2/2020",
            "13/2/2020",
            "2/13/2020",
            "2020-1-5",
            "2020-02-30",
            "3 May 2020",
            "3 MAY 2020",
            "May 3, 2020",
            "2020-01-01T10:00Z",
            "2020-01-01T10:00:00+0200",
            "2020-01-01T10:00:00.5",
            "20140113",
            "20140113T101500",
        ]
    ),
)
WORDS = st.sampled_from(
    ["", "NA", "-", "?", "True", "false", "n/k", "nan", "inf", "Infinity", "x", "2020", " ", "é", "12 kg"]
)
MIXED = st.one_of(NUMBERS, MARKED, DATES, WORDS)
COLUMNS = st.one_of(
    *(st.lists(kind, min_size=1, max_size=14) for kind in (NUMBERS, MARKED, DATES, WORDS, MIXED)),
    *(
        st.lists(st.one_of(kind, st.sampled_from(["", "NA"])), min_size=1, max_size=14)
        for kind in (NUMBERS, DATES)
    ),
)
FLAGS = st.booleans()


def decision(values: list[str], sizes: list[int], *, numbers: bool, comma: bool, always: bool) -> Decision:
    """Survey the values in blocks of these sizes."""
    survey = Survey("order date", numbers)
    start = 0
    for size in [*sizes, len(values)]:
        block = pa.array(values[start : start + size], pa.string())
        start += size
        if len(block):
            coded = code(block, empty_is_null=True, always=always)
            survey.add(coded.texts, coded.length)
    return decide(survey, lambda row: f"row {row}", decimal_comma_likely=comma)


@settings(max_examples=400, deadline=None)
@given(values=COLUMNS, sizes=st.lists(st.integers(1, 5), max_size=6), numbers=FLAGS, comma=FLAGS)
def test_blocks_decide_as_one_block_does(
    values: list[str], sizes: list[int], numbers: bool, comma: bool
) -> None:
    whole = decision(values, [], numbers=numbers, comma=comma, always=True)
    with mock.patch.object(texts, "_SAMPLE", 0):  # no block is looked at by its distinct texts
        for always in (True, False):
            assert decision(values, sizes, numbers=numbers, comma=comma, always=always) == whole


@settings(max_examples=400, deadline=None)
@given(values=COLUMNS, numbers=FLAGS, comma=FLAGS)
def test_many_texts_are_decided_and_read_as_a_few_are(values: list[str], numbers: bool, comma: bool) -> None:
    few = decision(values, [], numbers=numbers, comma=comma, always=True)
    solid = Texts(code(pa.array(values, pa.string()), empty_is_null=True).texts.array)
    read = few.conversion.apply(solid)
    with mock.patch.object(texts, "FEW", 0):
        assert decision(values, [], numbers=numbers, comma=comma, always=True) == few
        again = few.conversion.apply(Texts(solid.array))
    assert read is not None
    assert again is not None
    assert read.equals(again)


@settings(max_examples=300, deadline=None)
@given(st.lists(DATES, min_size=1, max_size=8))
def test_dates_are_read_as_pandas_reads_their_format(values: list[str]) -> None:
    for form in candidates(values[0].strip()):
        utc = form.endswith(("%z", "%Z"))
        try:
            expected = pd.to_datetime(pd.Series(values, dtype="str"), format=form, utc=utc)
        except ValueError:
            expected = None
        found = parse(Texts(pa.array(values, pa.string())), form)
        assert (found is None) == (expected is None)
        if found is not None and expected is not None:
            plain = expected.dt.tz_localize(None) if utc else expected
            assert found.to_pylist() == plain.dt.as_unit("us").dt.to_pydatetime().tolist()


def described(columns: dict[str, list[str]], folder: Path, block: int) -> Described:
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    raw = RawTable(
        tuple(RawColumn(name, name, pa.array([], pa.string())) for name in columns),
        rows=0,
        opening=lambda _: ([], True),
        place=lambda row: f"row {row}",
        is_text=True,
        blocks=lambda: iter(table.to_batches(max_chunksize=block)),
    )
    account = Account(table.num_rows, table.num_rows)
    with mock.patch.object(loading, "BLOCK_ROWS", block):
        reading = Reading(kind="table", table=raw, account=lambda: account)
        return describe(reading, folder / f"{block}.parquet")


@settings(max_examples=80, deadline=None)
@given(
    values=st.lists(MIXED, min_size=6, max_size=30),
    others=st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=30, max_size=30),
    most=st.sampled_from([0, 3, 1000]),
)
@example(values=["0", "0", "0", "0", "0.0", "-0"], others=["a"] * 30, most=3)
@example(values=["0", "0", "0", "0", "0.0", "-0"], others=["a"] * 30, most=0)
def test_long_tables_are_described_as_short_ones_are(values: list[str], others: list[str], most: int) -> None:
    """However many values are tallied in memory, and whatever is read back from the file."""
    columns = {"v": values, "w": others[: len(values)], "x": values}
    with tempfile.TemporaryDirectory() as folder:
        short = described(columns, Path(folder), 1000)
        with mock.patch.object(tally, "MOST_VALUES", most):
            long = described(columns, Path(folder), 5)
        assert short.table == long.table
        for one, other in zip(short.unit.columns, long.unit.columns, strict=True):
            count = min(len(one.values), len(other.values))
            assert one.values[:count] == other.values[:count]
            for name in (
                "type",
                "nulls",
                "distinct",
                "distinct_exact",
                "min",
                "max",
                "quantiles",
                "sentinels",
            ):
                assert getattr(one, name) == getattr(other, name)
        assert short.unit.duplicate_rows == long.unit.duplicate_rows
        assert short.unit.candidate_keys == long.unit.candidate_keys


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.integers(-50, 50), st.integers(-(10**12), 10**12)), min_size=1, max_size=60))
def test_numbers_are_counted_as_numpy_counts_them(numbers: list[int]) -> None:
    array = np.array(numbers, np.int64)
    values, counts = np.unique(array, return_counts=True)
    shuffled = np.random.default_rng(0).permutation(len(values))
    for found in (from_rows(array.copy()), from_distinct(values[shuffled], counts[shuffled])):
        assert found.values.tolist() == values.tolist()
        assert found.counts.tolist() == counts.tolist()
        shares = (0.05, 0.25, 0.5, 0.75, 0.95)
        assert found.quantiles(shares) == pytest.approx(np.quantile(array, shares))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 3000), min_size=1, max_size=80), st.integers(1, 20))
def test_the_most_frequent_come_first(counts: list[int], limit: int) -> None:
    expected = sorted(range(len(counts)), key=lambda index: (-counts[index], index))[:limit]
    assert most_frequent(np.array(counts), limit).tolist() == expected


def test_the_distribution_of_nothing() -> None:
    empty = Distribution(np.empty(0, np.int64), np.empty(0, np.int64))
    assert empty.quantiles((0.5,)) == []
    assert seen.see(tally.Tally(pa.array([], pa.int64()), empty.counts, 3), "integer").distinct == 0
