"""Two versions of a source: what changed is named, what did not change raises no alarm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lakebook.sources.card import Column, Quantile, SourceCard, SourceUnit
from lakebook.sources.drift import compare, scale_shift

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def _measure(name: str, values: np.ndarray, nulls: int = 0) -> Column:
    quantiles = tuple(Quantile(share, repr(float(np.quantile(values, share)))) for share in SHARES)
    return Column(name, name, "number", "measure", nulls, len(values), quantiles=quantiles)


def _text(name: str, nulls: int = 0) -> Column:
    return Column(name, name, "text", "category", nulls, 5)


def _card(*columns: Column, rows: int = 1_000, unit: str = "") -> SourceCard:
    table = SourceUnit(unit, "table", "t", rows=rows, rows_in_file=rows, columns=columns)
    return SourceCard("a.csv", "ok", "csv", 1, "x", units=(table,))


def _values(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).lognormal(3, 1, 1_000)


def test_another_draw_of_the_same_data_is_no_drift() -> None:
    for seed in range(20):
        old = _card(_measure("price", _values(seed), nulls=50), _text("region"))
        new = _card(_measure("price", _values(seed + 100), nulls=60), _text("region", nulls=9))
        assert compare(old, new) == ()


def test_columns_that_went_or_came_are_named() -> None:
    found = compare(_card(_text("a"), _text("b")), _card(_text("b"), _text("c")))
    assert [(one.kind, one.place) for one in found] == [
        ("column gone", "a.csv, a"),
        ("column new", "a.csv, c"),
    ]


def test_a_type_that_changed_is_named_but_not_whole_numbers_that_got_decimals() -> None:
    number = _measure("x", _values(1))
    (found,) = compare(_card(number), _card(_text("x")))
    assert (found.kind, found.message) == ("type changed", "was number, is text")
    assert compare(_card(replace(number, type="integer")), _card(number)) == ()


@pytest.mark.parametrize(("before", "after", "alarm"), [(10, 200, True), (10, 60, False), (500, 300, True)])
def test_a_jump_in_nulls_is_named(before: int, after: int, alarm: bool) -> None:
    found = compare(_card(_text("x", before)), _card(_text("x", after)))
    assert [one.kind for one in found] == (["nulls jumped"] if alarm else [])


def test_few_rows_need_a_larger_jump_in_nulls() -> None:
    assert compare(_card(_text("x", 1), rows=10), _card(_text("x", 3), rows=10)) == ()


@pytest.mark.parametrize(("factor", "text"), [(1_000, "× 1000"), (1 / 60, "÷ 60"), (2.54, "× 2.54")])
def test_another_unit_shows_in_all_quartiles(factor: float, text: str) -> None:
    values = _values(3)
    assert text in scale_shift(_measure("x", values), _measure("x", values * factor))


def test_growth_is_no_other_unit_but_a_level_five_times_as_high_is_said() -> None:
    values = _values(3)
    assert scale_shift(_measure("x", values), _measure("x", values * 2)) == ""
    assert "before" in scale_shift(_measure("x", values), _measure("x", values * 5.7))


def test_rows_and_units_that_are_gone_are_named() -> None:
    (found,) = compare(_card(_text("x")), _card(_text("x"), rows=100))
    assert found.kind == "rows shrank"
    (found,) = compare(_card(_text("x"), unit="Sheet1"), _card(_text("x"), unit="Sheet2"))
    assert (found.kind, found.place) == ("unit gone", "a.csv#Sheet1")
