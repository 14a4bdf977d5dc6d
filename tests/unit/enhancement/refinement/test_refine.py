"""Sentences about figures: right ones stand, wrong ones are corrected, what cannot be bound is withheld."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

Refine = Callable[..., tuple[str, str]]
TOWNS = {"Ulm": 12.5, "Bonn": 10.2, "Kiel": 25.1, "Mainz": 8.0}


def bars() -> None:
    plt.bar(list(TOWNS), list(TOWNS.values()))
    plt.xlabel("town")
    plt.ylabel("mean rent")


@pytest.mark.parametrize(
    "sentence",
    [
        "Kiel has the highest mean rent at 25.1.",
        "The second highest rent is Ulm.",
        "Ulm is higher than Bonn.",
        "The rent in Kiel is about twice the rent in Ulm.",
        "Ulm is 23% higher than Bonn.",
        "Ulm, Bonn and Kiel have rents of 12.5, 10.2 and 25.1 respectively.",
        "Kiel is highest with 25.1, while Mainz is lowest with 8.0.",
        "There are four towns.",
        "Kiel is nearly 26.",
        "Mainz is below 10.",
        "On the y-axis, the town-mean of rent is highest in Kiel with 25.1.",
    ],
)
def test_what_is_right_stands_word_for_word(sentence: str, said: Refine) -> None:
    bars()
    assert said(sentence) == ("verified", sentence)


@pytest.mark.parametrize(
    ("sentence", "corrected"),
    [
        ("Bonn has the highest mean rent.", "Kiel has the highest mean rent."),
        ("The lowest rent is in Mainz with 9.5.", "The lowest rent is in Mainz with 8.0."),
        ("Bonn is higher than Ulm.", "Bonn is lower than Ulm."),
        ("Kiel is 25% higher than Ulm.", "Kiel is 101% higher than Ulm."),
        ("There are 5 categories.", "There are 4 categories."),
        ("Mainz is above 10.", "Mainz is below 10."),
        ("Kiel is about 40.", "Kiel is 25."),
        ("Bonn has a mean rent of 1.02e+03.", "Bonn has a mean rent of 10."),
    ],
)
def test_what_is_wrong_is_corrected(sentence: str, corrected: str, said: Refine) -> None:
    bars()
    assert said(sentence) == ("corrected", corrected)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Rents are highest in Kiel because of students.", "“because”"),
        ("Bananas are highest in Kiel.", "“Bananas”"),
        ("Berlin has the highest rent.", "“Berlin”"),
        ("Kiel is not the highest.", "denies"),
        ("Kiel accounts for 45% of the rent.", "does not add up"),
        ("The rent of the towns rises.", "no one course"),
        ("Kiel is four times as high as Ulm and Bonn 12.", ""),
        ("Is Kiel the highest?", "asks"),
        ("The rent is {x}.", "braces"),
    ],
)
def test_what_cannot_be_bound_is_withheld_with_the_reason(sentence: str, reason: str, said: Refine) -> None:
    bars()
    verdict, why = said(sentence)
    assert verdict == "withheld"
    assert reason in why


def test_only_the_clause_that_cannot_be_bound_is_left_out(said: Refine) -> None:
    bars()
    assert said("Kiel is highest with 25.1; tourists love it.") == ("corrected", "Kiel is highest with 25.1.")
    assert said("Kiel is highest with 25.1, suggesting that students pay.") == (
        "corrected",
        "Kiel is highest with 25.1.",
    )


def test_a_tie_has_no_highest(said: Refine) -> None:
    plt.bar(["a town", "b town", "c town"], [2, 2, 1])
    plt.ylabel("rent")
    assert said("a town has the highest rent.") == ("withheld", "a town, b town are level there")


def line(values: np.ndarray) -> None:
    plt.plot(pd.date_range("2014-01-01", periods=len(values), freq="MS"), values)
    plt.ylabel("price")


def test_directions_of_a_course(said: Refine) -> None:
    line(20 + 0.2 * np.arange(60) + np.random.default_rng(1).normal(0, 0.5, 60))
    assert said("The price falls over time.") == ("corrected", "The price rises over time.")
    assert said("The price rose between June 2015 and June 2016.")[0] == "verified"
    assert said("The price fell between June 2015 and June 2016.") == (
        "corrected",
        "The price rose between June 2015 and June 2016.",
    )


def test_a_direction_of_noise_is_withheld(said: Refine) -> None:
    line(20 + np.random.default_rng(1).normal(0, 0.5, 60))
    assert said("The price rises over time.")[0] == "withheld"


def test_a_month_keeps_its_way_of_writing(said: Refine) -> None:
    values = np.full(40, 5.0)
    values[7] = 9.0
    line(values)
    assert said("The price peaked in August 2014 at 9.0.") == (
        "verified",
        "The price peaked in August 2014 at 9.0.",
    )
    assert said("The price peaked in May 2014.") == ("corrected", "The price peaked in August 2014.")


def test_shares_of_counted_rows(said: Refine) -> None:
    frame = pd.DataFrame({"town": ["Ulm"] * 6 + ["Bonn"] * 3 + ["Kiel"]})
    counts = frame["town"].value_counts()
    plt.bar(counts.index, counts)
    plt.ylabel("rows")
    assert said("Ulm makes up 60% of the rows.", frame)[0] == "verified"
    assert said("Bonn makes up 50% of the rows.", frame) == ("corrected", "Bonn makes up 30% of the rows.")
    assert said("Ulm holds more than half of the rows.", frame)[0] == "verified"
    assert said("Bonn holds the majority of the rows.", frame)[0] == "withheld"


def test_correlations(said: Refine) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    plt.scatter(x, rng.normal(size=300) - x)
    plt.xlabel("age")
    plt.ylabel("income")
    assert said("Age and income are strongly correlated.")[0] == "verified"
    assert said("Age and income are positively correlated.") == (
        "corrected",
        "Age and income are negatively correlated.",
    )


def test_of_several_series_one_must_be_named(said: Refine) -> None:
    frame = pd.DataFrame({"old": [1.0, 2.0, 4.0], "new": [3.0, 5.0, 9.0]}, index=["Ulm", "Bonn", "Kiel"])
    frame.plot.bar(title="Rent by town")
    assert "which one is meant" in said("Kiel has the highest rent.")[1]
    assert said("Of old, Kiel has the highest rent, 4.")[0] == "verified"
