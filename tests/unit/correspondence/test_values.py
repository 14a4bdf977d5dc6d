"""How alike the values of two columns are, and what changed between them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from lakebook.correspondence.profile import ColumnProfile, profiles_of_table
from lakebook.correspondence.values import CLASH, compare_values

RANDOM = np.random.default_rng(1)
PRICES = RANDOM.gamma(3, 20, 400).round(2)
REGIONS = RANDOM.choice(["north", "south", "east", "west"], 400, p=[0.4, 0.3, 0.2, 0.1])


def profile(values: object) -> ColumnProfile:
    (made,) = profiles_of_table(pa.table({"x": pa.array(values)}))
    return made


def test_the_same_numbers_in_another_order_are_strong() -> None:
    found = compare_values(profile(PRICES), profile(PRICES[::-1]))
    assert (found.strong, found.score) == (1.0, 1.0)
    assert found.reason == "same distribution of numbers"


def test_other_rows_of_one_distribution_are_alike_and_others_are_not() -> None:
    same = compare_values(profile(PRICES[::2]), profile(PRICES[1::2]))
    other = compare_values(profile(PRICES), profile(RANDOM.normal(5000, 10, 400)))
    assert same.score > 0.4
    assert other.score < 0.1
    assert same.strong < 1


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1000, "1000 times the old values"),
        (0.01, "the old values divided by 100"),
        (2.54, "2.54 times the old values"),
        (60, "60 times the old values"),
    ],
)
def test_another_unit_is_seen(factor: float, words: str) -> None:
    assert compare_values(profile(PRICES), profile(PRICES * factor)).scale == words


def test_a_logarithm_is_seen() -> None:
    assert compare_values(profile(PRICES), profile(np.log(PRICES))).scale == "the logarithm of the old values"


def test_growth_is_no_change_of_unit() -> None:
    assert compare_values(profile(PRICES), profile(PRICES * 1.3)).scale == ""
    assert compare_values(profile(PRICES), profile(PRICES + 500)).scale == ""


def test_the_same_labels_are_strong_and_two_of_them_less() -> None:
    assert compare_values(profile(REGIONS), profile([value.upper() for value in REGIONS])).strong == 1.0
    assert compare_values(profile(["red", "blue"] * 60), profile(["blue", "red"] * 60)).strong == 0.5


def test_other_labels_in_the_same_frequencies_are_a_recoding() -> None:
    codes = {"north": "1st", "south": "2nd", "east": "3rd", "west": "4th"}
    found = compare_values(profile(REGIONS), profile([codes[value] for value in REGIONS]))
    assert found.reason == "same frequencies under other labels"
    numbers = {"north": 10, "south": 20, "east": 30, "west": 40}
    mixed = compare_values(profile(REGIONS), profile([numbers[value] for value in REGIONS]))
    assert mixed.reason == "same frequencies under other codes"
    assert mixed.conflict < CLASH


def test_other_frequencies_are_none() -> None:
    other = ["a"] * 100 + ["b"] * 100 + ["c"] * 100 + ["d"] * 100
    assert compare_values(profile(REGIONS), profile(other)).strong == 0


def test_kinds_clash() -> None:
    assert compare_values(profile(PRICES), profile([f"word {n}" for n in range(400)])).conflict >= CLASH
    assert compare_values(profile(PRICES[::2]), profile(PRICES[1::2])).conflict == 0


def test_dates_of_one_time() -> None:
    def days(first: int) -> ColumnProfile:
        return profile([dt.datetime(first, 1, 1) + dt.timedelta(days=n) for n in range(300)])

    assert compare_values(days(2020), days(2020)).strong > 0
    assert compare_values(days(2020), days(1990)).strong == 0


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert not compare_values(ColumnProfile("a"), profile(PRICES)).is_known
