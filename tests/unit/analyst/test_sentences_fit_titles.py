"""The first sentence of a finding says what its title says, in numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.intent import Intent
from lakebook.analyst.offline import find_structure
from lakebook.analyst.play import Candidate
from lakebook.analyst.plays import play_of
from lakebook.analyst.plays.structure import Calendar, PanelBalance

PROFIT = Intent("which groups lose money?", "compare", target="Profit", columns=("Group", "Profit"))


def sales(means: dict[str, float], seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    parts = [pd.DataFrame({"Group": g, "Profit": rng.normal(m, 20, 300)}) for g, m in means.items()]
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(Sales=rng.lognormal(4, 0.5, len(frame)))


def told(
    frame: pd.DataFrame, play: str, table_of, kernel_of, intent: Intent = PROFIT
) -> tuple[str, list[str]]:
    kernel = kernel_of(frame)
    table, _ = find_structure(table_of(frame), intent, kernel.run)
    [(_, _, draft), *_] = kernel.play(play_of(play), table, intent)
    return draft.title, kernel.tell(draft)


def test_a_title_of_a_loss_is_followed_by_the_loss(table_of, kernel_of) -> None:
    title, said = told(sales({"red": 10, "blue": 8, "green": -9}), "G02", table_of, kernel_of)
    assert title == "Green adds up to a loss of Profit"
    assert said[0].startswith("1 of 3 levels add up to a loss of Profit: green")
    assert not any("No level" in text for text in said)


def test_that_no_group_loses_is_said(table_of, kernel_of) -> None:
    _, said = told(sales({"red": 10, "blue": 8, "green": 9}), "G02", table_of, kernel_of)
    assert "No level of Group loses Profit on the whole." in said


def test_values_that_chance_reaches_are_not_called_unusual(table_of, kernel_of) -> None:
    rng = np.random.default_rng(4)
    steps = rng.normal(0, 1, 200)
    level = np.zeros(200)
    for i in range(1, 200):
        level[i] = 0.9 * level[i - 1] + steps[i]
    frame = pd.DataFrame({"day": pd.date_range("2020-01-05", periods=200, freq="7D"), "price": 50 + level})
    intent = Intent("forecast price", "forecast", target="price", columns=("price",))
    title, said = told(frame, "T06", table_of, kernel_of, intent)
    assert title == "No value of price stands out beyond chance"
    assert "goes as far as that by chance" in said[0]
    assert not any("chance alone gives" in text for text in said)


@pytest.fixture
def hours() -> pd.DataFrame:
    """Hours of two years, without the five hours of every night."""
    stamps = pd.date_range("2021-01-01", "2022-12-31 23:00", freq="h")
    return pd.DataFrame({"stamp": stamps[stamps.hour >= 5], "load": 1.0})


def test_nights_without_rows_are_a_rhythm_and_cut_no_year_short(hours, table_of, kernel_of, describe) -> None:
    kernel = kernel_of(hours)
    [(_, facts, draft)] = kernel.play(Calendar(), table_of(hours), describe)
    said = " ".join(kernel.tell(draft))
    assert "in 729 gaps; 100% of them last 5 hours, a pause that recurs" in said
    assert "Not every year is whole" not in said
    assert facts["complete_years"] == [2021, 2022]


def test_few_gaps_are_named_one_by_one(table_of, kernel_of, describe) -> None:
    frame = pd.DataFrame({"day": pd.date_range("2021-01-01", periods=400).delete([50, 51, 90]), "x": 1.0})
    kernel = kernel_of(frame)
    [(_, _, draft)] = kernel.play(Calendar(), table_of(frame), describe)
    said = " ".join(kernel.tell(draft))
    assert "between 2021-02-19 and 2021-02-22; 2021-03-31 and 2021-04-02" in said


def test_what_was_never_full_misses_nothing(table_of, kernel_of, describe) -> None:
    table = table_of(
        pd.DataFrame({"day": pd.date_range("2021-01-01", periods=40), "shop": list("abcd") * 10})
    )
    play = PanelBalance()
    candidate = Candidate(play.id, "panel", ("day", "shop"))
    facts = {"cells": 160, "entities": 4, "missing": 120, "names": ["a"]}
    assert play.read(candidate, facts, table, describe).verdict == "not_supported"
    assert play.read(candidate, facts | {"missing": 5}, table, describe).verdict == "supported"
