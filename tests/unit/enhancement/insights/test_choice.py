"""Sentences about figures: right numbers, no number without a claim, silence where nothing is sure."""

from __future__ import annotations

import re
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.analyst.table import Table
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.insights.choice import component_drafts
from lakebook.enhancement.insights.place import number_format

Say = Callable[..., list[str]]


def test_bars(say: Say) -> None:
    plt.bar(["Albany", "Boston", "Chicago"], [1.5, 1200.0, 3.0])
    plt.ylabel("sales")
    assert say() == ["sales: Boston is highest with 1,200, Albany lowest with 1.50, of 3 drawn."]


def test_two_bars_that_lie(say: Say) -> None:
    plt.barh(["a", "b"], [0.25, 0.5])
    plt.xlabel("share")
    plt.ylabel("group")
    assert say() == ["share: b is highest with 0.50, a lowest with 0.25."]


def test_a_value_that_nothing_names_is_not_ranked(say: Say) -> None:
    plt.bar(["a", "b"], [1, 2])
    plt.xlabel("group")
    assert say() == []
    plt.title("Error by model")
    assert say() == ["Error by model: b is highest with 2, a lowest with 1."]


def test_a_category_that_is_a_number_is_said_with_the_name_of_its_axis(say: Say) -> None:
    plt.bar(["9", "11", "12"], [-0.5, -2.5, -1.0])
    plt.ylabel("slope")
    assert say() == []
    plt.xlabel("month")
    assert say() == ["slope: month 9 is highest with -0.50, month 11 lowest with -2.50, of 3 drawn."]


def test_bars_that_print_alike_are_not_ranked(say: Say) -> None:
    plt.bar(["a", "b"], [1.001, 1.002])
    assert say() == []


def test_a_tie_is_not_ranked(say: Say) -> None:
    plt.bar(["a", "b", "c"], [2, 2, 1])
    assert say() == []


def test_grouped_bars_name_their_series(say: Say) -> None:
    pd.DataFrame({"p": [1.0, 2.0, 4.0], "q": [3.0, 5.0, 9.0]}, index=list("xyz")).plot.bar(
        title="Sums by group"
    )
    assert say() == ["Sums by group, p: z is highest with 4, x lowest with 1, of 3 drawn."]


def test_bars_of_several_series_without_names_are_not_ranked(say: Say) -> None:
    for start, heights in ((0, [1, 3]), (0.4, [2, 1])):
        plt.bar(np.array([0, 1]) + start, heights, width=0.4)
    plt.xticks([0, 1], ["a", "b"])
    plt.ylabel("count")
    assert say() == []


def test_a_line_over_dates(say: Say) -> None:
    plt.plot(pd.date_range("2018-01-07", periods=4, freq="7D"), [1.0, 2.5, 2.0, 1.5])
    plt.ylabel("price")
    assert say() == [
        "price goes from 1.00 at 2018-01-07 to 1.50 at 2018-01-28; its highest point is 2.50, at 2018-01-14."
    ]


def test_a_line_over_years(say: Say) -> None:
    plt.plot([2015, 2016, 2017, 2018], [1.0, 2.5, 2.0, 1.5])
    assert say() == []
    plt.ylabel("price")
    assert "at 2015 to 1.50 at 2018" in say()[0]


def test_a_place_that_is_a_number_is_said_with_the_name_of_its_axis(say: Say) -> None:
    plt.plot([1, 2, 3, 4], [1.0, 2.5, 2.0, 1.5])
    plt.ylabel("price")
    assert say() == []
    plt.xlabel("month")
    assert "at month 1 to 1.50 at month 4" in say()[0]


def test_lines_without_names_are_not_told_apart(say: Say) -> None:
    plt.plot([1, 2, 3, 4], [1, 2, 3, 4])
    plt.plot([1, 2, 3, 4], [4, 3, 2, 1])
    assert say() == []


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2, 3, 4], [1, 2, np.nan, 3]),
        ([4, 3, 2, 1], [1, 2, 3, 4]),
        ([1, 2, 3, 4], [9, 1, 9, 1]),
    ],
)
def test_silence_about_lines_that_say_nothing_sure(x: list[float], y: list[float], say: Say) -> None:
    plt.plot(x, y)
    assert say() == []


def test_a_histogram(say: Say) -> None:
    plt.hist([0, 1, 2, 2.1, 2.2, 3, 4, 5], bins=[0, 1, 2, 3, 4, 5])
    plt.xlabel("price")
    assert say() == ["price: values are most frequent between 2.00 and 3.00, the tallest of 5 bars."]


def test_a_scatter(say: Say) -> None:
    x = np.arange(20.0)
    plt.scatter(x, -x)
    assert say() == []
    plt.xlabel("age")
    plt.ylabel("price")
    assert say() == [
        "age and price move against each other: the rank correlation over the 20 points drawn is -1.00 "
        "(interval -1.00 to -1.00)."
    ]


def test_a_pie(say: Say) -> None:
    plt.pie([1, 3], labels=["a", "b"])
    assert say() == ["The largest share of the 2 drawn is that of b, 75.0%."]


def test_a_heat_map_of_correlations(say: Say) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    frame["c"] -= 2 * frame["a"]
    sns.heatmap(frame.corr())
    assert say(frame) == [
        "The strongest of the 3 correlations drawn is that of a and c, -0.90 (interval -0.94 to -0.84)."
    ]


def test_a_heat_map_of_chance_or_of_other_rows_says_nothing(say: Say) -> None:
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 8)), columns=list("abcdefgh"))
    sns.heatmap(frame.corr())
    assert say(frame) == []
    assert say(frame[:40]) == []


def test_a_heat_map_of_something_else(say: Say) -> None:
    sns.heatmap(pd.DataFrame([[5, 1, 2], [1, 4, 3], [2, 3, 9]], index=list("abc"), columns=list("abc")))
    assert say() == []


def test_box_plots_of_matplotlib(say: Say) -> None:
    plt.boxplot([[1, 2, 3], [4, 5, 9], [7, 8, 9]], tick_labels=["a", "b", "c"])
    plt.ylabel("price")
    assert say() == ["price, median: c is highest with 8, a lowest with 2, of 3 drawn."]


def test_boxes_that_lie_name_the_quantity_of_their_own_axis(say: Say) -> None:
    plt.boxplot([[1, 2, 3], [4, 5, 9]], tick_labels=["a", "b"], orientation="horizontal")
    plt.xlabel("price")
    plt.ylabel("type")
    assert say() == ["price, median: b is highest with 5, a lowest with 2."]


def test_named_lines_are_compared_where_they_end(say: Say) -> None:
    plt.plot([2015, 2016, 2017], [1, 2, 3], label="organic")
    plt.plot([2015, 2016, 2017], [3, 2, 1], label="other")
    plt.ylabel("price")
    assert say() == [
        "price: at 2017, where the 2 lines end, organic is highest with 3 and other lowest with 1."
    ]


def test_lines_that_end_at_different_places_are_not_compared(say: Say) -> None:
    plt.plot([2015, 2016, 2017], [1, 2, 3], label="organic")
    plt.plot([2015, 2016, 2018], [3, 2, 1], label="other")
    assert say() == []


def test_at_most_three_sentences_each_with_the_title_of_its_axes(say: Say) -> None:
    _, parts = plt.subplots(1, 5)
    for part, title in zip(parts, ["", "x", "y", "z", "w"], strict=True):
        part.bar(["a", "b"], [1, 2])
        part.set_title(title)
    assert say() == [
        "x: b is highest with 2, a lowest with 1.",
        "y: b is highest with 2, a lowest with 1.",
        "z: b is highest with 2, a lowest with 1.",
    ]


def test_nothing_is_said_of_what_did_not_work(table: Table) -> None:
    plt.bar(["a", "b"], [1, 2])
    drawn = axes_from(drawn_data())
    for status in ("failed", "dropped"):
        assert component_drafts(EnhancedComponent("c", "q", status, drawn=drawn), table) == ()  # type: ignore[arg-type]
    assert component_drafts(EnhancedComponent("c", "q", "ok"), table) == ()


def test_words_are_free_of_causes(say: Say, table: Table) -> None:
    plt.bar(["a", "b", "c"], [1, 2, 4])
    plt.figure()
    plt.plot([1, 2, 3, 4], [1, 2, 3, 5])
    for text in say():
        assert not re.search(r"because|caus|due to|drive|lead|effect", text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1234.5, "1,234"), (-1234.5, "-1,234"), (12.345, "12.3"), (1.5, "1.50"), (0, "0.00"), (0.0123, "0.012")],
)
def test_numbers_are_printed_by_their_size(value: float, expected: str) -> None:
    assert format(value, number_format(value)) == expected
