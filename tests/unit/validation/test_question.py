"""What words demand; and words that only look as if they did."""

from __future__ import annotations

import pytest

from lakebook.validation.question import figure, numbers_of, read_question


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many distinct customers ordered more than 1.5 million units in 2016?",
         [("distinct", "customers", ()), ("above", "", (1.5e6,)), ("year", "", (2016,))]),
        ("What is the average price per region between 2015 and 2018, excluding returns?",
         [("average", "", ()), ("group", "region", ()), ("between", "", (2015, 2018)),
          ("excluding", "returns", ())]),
        ("Top five customers by total sales", [("top", "", (5,)), ("total", "", ())]),
        ("Which region has the highest median age?", [("highest", "", ()), ("median", "", ())]),
        ("What percentage of passengers survived?", [("share", "", ())]),
        ("the mean fare rounded to two decimal places", [("average", "", ()), ("rounded", "", (2,))]),
        ("What is the most common genre?", [("mode", "genre", ())]),
        ("at least 3 and no more than 7", [("at_least", "", (3,)), ("at_most", "", (7,))]),
        ("growth rate of sales from 2015 to 2018", [("growth_rate", "", ()), ("between", "", (2015, 2018))]),
        ("the 90th percentile of delays", [("quantile", "", (90,))]),
    ],
)  # fmt: skip
def test_words_that_demand_something(text: str, expected: list[object]) -> None:
    found = read_question(text).demands
    assert [(demand.kind, demand.of, demand.numbers) for demand in found] == expected


@pytest.mark.parametrize(
    "text",
    ["List the bags", 'Show the column "Average Price"', "What does this mean?",
     "Who is in charge of `max_speed`?", "Show version 3.2016.1", "summary of demeanor"],
)  # fmt: skip
def test_words_that_demand_nothing(text: str) -> None:
    assert read_question(text).demands == ()


def test_positions_and_words_are_those_of_the_question() -> None:
    text = "For “Average Bags”, what is the Median?"
    (demand,) = read_question(text).demands
    assert text[demand.position :].startswith("Median")
    assert demand.words == "median"


def test_figures() -> None:
    written = ("1,200", "2.5k", "$3 million", "seven", "−4")
    assert [figure(text) for text in written] == [1200, 2500, 3e6, 7, -4]
    with pytest.raises(ValueError, match="no number"):
        figure("many")
    assert numbers_of(read_question("top 5 with more than 100").demands) == (5, 100)
