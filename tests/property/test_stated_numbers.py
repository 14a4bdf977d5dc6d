"""A recorded value is found again however it is written, and a number that is off by a digit is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lakebook.validation.stated_numbers import Recorded, numbers_of, of_value, stated_numbers


def _swapped(text: str) -> str:
    return text.translate(str.maketrans(",.", ".,"))


WRITINGS: dict[str, Callable[[float], str]] = {
    "plain": lambda value: f"It is {value:.2f}.",
    "whole": lambda value: f"It is {value:,.0f} in all",
    "thousands": lambda value: f"({value:,.3f})",
    "European": lambda value: _swapped(f"{value:,.2f} EUR"),
    "spaced": lambda value: f"{value:,.1f}".replace(",", "\u202f") + " km",
    "dollars": lambda value: f"costs ${abs(value):,.2f}, fell by it",
    "percent": lambda value: f"{value * 100:.1f}% of them",
    "per cent in words": lambda value: f"{value * 100:.0f} percent",
    "million": lambda value: f"{value / 1e6:.2f} million people",
    "thousand": lambda value: f"{value / 1e3:.1f}k",
    "scientific": lambda value: f"{value:.3e}",
    "about": lambda value: f"about {value:,.0f}",
}
VALUES = st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-3)


@pytest.mark.parametrize("writing", sorted(WRITINGS))
@settings(max_examples=60, deadline=None)
@given(VALUES, st.lists(VALUES, max_size=3))
def test_a_recorded_value_is_found_however_it_is_written(
    writing: str, value: float, others: list[float]
) -> None:
    recorded = Recorded((one, "r001") for one in (value, *others))
    stated = stated_numbers(WRITINGS[writing](value))
    assert len(stated) == 1
    assert recorded.holds(stated[0]) == "r001"


@settings(max_examples=200, deadline=None)
@given(st.integers(10, 10**9), st.integers(0, 4), st.integers(2, 9))
def test_a_number_off_by_some_units_is_not_found(digits: int, decimals: int, off: int) -> None:
    value = digits / 10**decimals
    wrong = (digits + off) / 10**decimals
    assume(f"{value:,.{decimals}f}" != f"{wrong:,.{decimals}f}")
    (stated,) = stated_numbers(f"It is {wrong:,.{decimals}f} in all.")
    found = Recorded([(value, "r001")]).holds(stated)
    assert found is None


@settings(max_examples=100, deadline=None)
@given(VALUES, st.integers(0, 6))
def test_a_rounded_value_is_found_as_a_value(value: float, decimals: int) -> None:
    recorded = Recorded([(value, "r001")])
    assert recorded.holds(of_value(round(value, decimals), decimals, percent=False)) == "r001"
    assert recorded.holds(of_value(value, None, percent=False)) == "r001"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    stated_numbers(text)
    list(numbers_of([text, {text: text}]))
