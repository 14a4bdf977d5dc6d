from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lakebook.sandbox.worker.values import to_json


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: float
    when: dt.date


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.bool_(True), True),
        (3, 3),
        (10**20, 10**20),
        (np.int64(3), 3),
        (2.5, 2.5),
        (np.float32(0.5), 0.5),
        (Decimal("1.5"), 1.5),
        (Fraction(1, 4), 0.25),
        ("text", "text"),
        (np.str_("text"), "text"),
        (Colour.RED, "red"),
        (PurePosixPath("a/b"), "a/b"),
        (dt.date(2024, 2, 29), "2024-02-29"),
        (dt.time(1, 2), "01:02:00"),
        (dt.datetime(2024, 1, 1, tzinfo=dt.UTC), "2024-01-01T00:00:00+00:00"),
        (pd.Timestamp("2024-01-01 10:00"), "2024-01-01T10:00:00"),
        (np.datetime64("2024-01-01"), "2024-01-01T00:00:00"),
        (dt.timedelta(days=1, hours=2), "P1DT2H0M0S"),
        (np.timedelta64(90, "s"), "P0DT0H1M30S"),
        (pd.Period("2024-01", "M"), "2024-01"),
        (pd.Interval(0, 1), "(0, 1]"),
        ((1, 2), [1, 2]),
        (range(3), [0, 1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        ({"b": 1, "a": 2}.keys(), ["b", "a"]),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array(5), 5),
        (pd.Series([1, 2]), [1, 2]),
        (pd.Series(["a"], dtype="category"), ["a"]),
        (pd.Index(["x", "y"]), ["x", "y"]),
        (pd.Categorical(["u", "v"]), ["u", "v"]),
        (pd.array([1, 2], dtype="Int64"), [1, 2]),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]),
        ({dt.date(2024, 1, 1): 1, 2: np.int8(3)}, {"2024-01-01": 1, "2": 3}),
        (pd.Series([1], index=[pd.Timestamp("2024-01-01")]).to_dict(), {"2024-01-01T00:00:00": 1}),
        (Pair(1, "b"), {"first": 1, "second": "b"}),
        (Point(1.0, dt.date(2024, 1, 1)), {"x": 1.0, "when": "2024-01-01"}),
    ],
    ids=repr,
)
def test_values_have_one_json_form(value: Any, expected: Any) -> None:
    assert to_json(value) == (expected, "")
    json.dumps(to_json(value)[0], allow_nan=False)


def test_a_test_result_of_scipy_is_an_object() -> None:
    value, trouble = to_json(stats.ttest_ind([1, 2, 3], [4, 5, 7]))
    assert trouble == ""
    assert set(value) >= {"statistic", "pvalue"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -np.inf, np.float64("nan"), Decimal("NaN")])
def test_what_is_not_finite_is_null_and_said_so(value: Any) -> None:
    assert to_json(value) == (None, "not finite")


@pytest.mark.parametrize("value", [pd.NaT, pd.NA, np.datetime64("NaT"), np.timedelta64("NaT")])
def test_what_is_missing_is_null_and_said_so(value: Any) -> None:
    assert to_json(value) == (None, "missing")


def test_nested_gaps_keep_their_place() -> None:
    assert to_json([1.0, float("nan"), pd.NaT]) == ([1.0, None, None], "not finite, missing")
    assert to_json({"a": [np.inf]}) == ({"a": [None]}, "not finite")


@pytest.mark.parametrize(
    "value", [object(), len, 1j, b"bytes", Colour, (n for n in "ab")], ids=lambda value: type(value).__name__
)
def test_what_has_no_json_form_names_its_type(value: Any) -> None:
    plain, trouble = to_json(value)
    assert plain is None
    assert type(value).__name__ in trouble


def test_size_and_depth_are_bounded() -> None:
    deep: list[Any] = []
    for _ in range(50):
        deep = [deep]
    assert "nested" in to_json(deep)[1]
    circle: list[Any] = []
    circle.append(circle)
    assert "nested" in to_json(circle)[1]
    assert "more than" in to_json(range(10**7))[1]
    assert "characters" in to_json("x" * 1_000_001)[1]
    assert to_json(list(range(1000)))[1] == ""
