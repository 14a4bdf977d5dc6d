from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.methods import figure_style as style
from lakebook.analyst.methods.one_variable import (
    category_balance,
    concentration,
    gini,
    missing_mechanism,
    numeric_shape,
    robust_outliers,
    text_profile,
)


def test_shape_of_skewed_and_even_numbers() -> None:
    rng = np.random.default_rng(0)
    skewed = numeric_shape(pd.Series(rng.lognormal(3, 1.5, 4000)))
    assert skewed["lean"] > 0.2
    assert skewed["log"] is True
    assert skewed["mean"] > skewed["median"]
    even = numeric_shape(pd.Series(rng.normal(100, 5, 4000)))
    assert abs(even["lean"]) < 0.1
    assert even["log"] is False


@pytest.mark.parametrize("values", [[], [None, None]])
def test_shape_of_nothing(values) -> None:
    assert numeric_shape(pd.Series(values, dtype=float))["rows"] == 0


def test_shape_of_a_constant() -> None:
    facts = numeric_shape(pd.Series([3.0] * 50))
    assert (facts["lean"], facts["above_mean"], facts["log"]) == (0.0, 0.0, False)


def test_balance_counts_rare_levels_and_intervals_hold_the_share() -> None:
    facts = category_balance(pd.Series(["a"] * 700 + ["b"] * 290 + ["c"] * 10 + [None]))
    assert (facts["rows"], facts["nulls"], facts["levels"], facts["rare"], facts["rare_rows"]) == (
        1000,
        1,
        3,
        1,
        10,
    )
    name, rows, share, low, high = facts["top"][0]
    assert (name, rows, share) == ("a", 700, 0.7)
    assert low < 0.7 < high
    assert category_balance(pd.Series([], dtype=str))["levels"] == 0
    assert category_balance(pd.Series(["x"] * 5))["evenness"] == 0.0


def test_gini_of_known_cases() -> None:
    assert gini(np.ones(10)) == pytest.approx(0.0)
    assert gini(np.array([0.0] * 99 + [1.0])) == pytest.approx(0.99)
    assert gini(np.zeros(3)) == 0.0


def test_concentration_against_the_sums() -> None:
    frame = pd.DataFrame(
        {"who": np.repeat([f"e{i}" for i in range(30)], 2), "x": np.repeat([100.0] * 3 + [1.0] * 27, 2)}
    )
    facts = concentration(frame, "who", "x")
    assert facts["entities"] == 30
    assert facts["fifth"] == pytest.approx((600 + 6) / 654)
    assert facts["for_80"] == 3
    assert facts["gini_low"] <= facts["gini"] <= facts["gini_high"]
    assert concentration(frame.head(2), "who", "x")["entities"] == 1


def test_negative_sums_are_left_out_and_counted() -> None:
    frame = pd.DataFrame({"who": list("abc"), "x": [5.0, 5.0, -9.0]})
    facts = concentration(frame, "who", "x")
    assert (facts["entities"], facts["negative"], facts["gini"]) == (2, 1, 0.0)


def test_outliers_are_planted_and_found_and_noise_is_quiet() -> None:
    rng = np.random.default_rng(0)
    noise = pd.Series(rng.normal(0, 1, 2000))
    assert robust_outliers(noise)["share"] < 0.002
    planted = pd.concat([noise, pd.Series([40.0, -50.0])], ignore_index=True)
    facts = robust_outliers(planted)
    assert facts["top"][:2] == [-50.0, 40.0]
    assert robust_outliers(pd.Series([1.0] * 90 + [2.0] * 10))["flagged"] == 0
    assert robust_outliers(pd.Series([], dtype=float))["flagged"] == 0


def test_text_profile() -> None:
    facts = text_profile(pd.Series(["one two", "one two", "a b c", "", None]))
    assert (facts["rows"], facts["words"], facts["longest"], facts["repeated"]) == (3, 2.0, 3, 2)
    assert text_profile(pd.Series([None, ""]))["rows"] == 0


def test_blanks_that_gather_and_blanks_at_random(catalogue) -> None:
    facts = missing_mechanism(catalogue, "director", ["type", "rating"])
    assert (facts["dimension"], facts["rates"][0][:2]) == ("type", ["TV Show", 1.0])
    assert facts["v"] > 0.9
    rng = np.random.default_rng(0)
    at_random = catalogue.assign(director=np.where(rng.random(len(catalogue)) < 0.3, None, "x"))
    assert missing_mechanism(at_random, "director", ["type", "rating"])["v"] < 0.1
    assert missing_mechanism(catalogue.head(5), "director", ["type"])["tests"] == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1234, "1,234"),
        (56700, "56.7k"),
        (1.2e6, "1.2M"),
        (0.031, "0.031"),
        (0, "0"),
        (-2.5e9, "-2.5B"),
        (999999, "1M"),
        (9.9e12, "9,900B"),
    ],
)
def test_short_numbers(value: float, shown: str) -> None:
    assert style.short_number(value) == shown


def all_inside(ax) -> bool:
    figure = ax.figure
    figure.canvas.draw()
    low, high = sorted(ax.get_xlim())
    ticks = [tick.label1 for tick in ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    texts = [*ax.texts, figure._suptitle, *ticks, *ax.get_yticklabels()]
    boxes = [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]
    return all(box.x0 >= -1 and box.x1 <= figure.bbox.width + 1 for box in boxes)


LONG = "A very long title with $dollars$ that goes on and on until it has to be broken into lines"


def test_each_form_draws_one_figure_with_its_texts_inside() -> None:
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-05", periods=80, freq="7D").delete(range(30, 34))
    series = pd.Series(rng.normal(size=76), index=days)
    grid = pd.DataFrame(rng.normal(size=(4, 8)), index=list("abcd"), columns=["North Carolina"] * 8)
    drawn = [
        lambda: style.draw_bars(["a $b$", "c" * 60, "d"], [5, -3, 0], title=LONG, xlabel="x ($)"),
        lambda: style.draw_histogram(rng.lognormal(2, 1, 500), title=LONG, xlabel="x", log=True),
        lambda: style.draw_histogram(np.ones(40), title=LONG, xlabel="x"),
        lambda: style.draw_lines({"one": series, "two": series + 0.01}, title=LONG, ylabel="y"),
        lambda: style.draw_dots(
            list("abc"), [1, 2, 3], [0, 1, 2], [2, 3, 4], LONG, "x", reference=2, reference_name="all"
        ),
        lambda: style.draw_points(rng.normal(size=50), rng.normal(size=50), LONG, "x", "y"),
        lambda: style.draw_points(rng.normal(size=4000), rng.normal(size=4000), LONG, "x", "y"),
        lambda: style.draw_table(grid, LONG, "x", "y", center=0.0),
        lambda: style.draw_calendar(
            pd.Series(days), LONG, off_grid=["2020-03-01"], gaps=[["2020-07-26", "2020-08-30"]]
        ),
    ]
    for draw in drawn:
        ax = draw()
        assert len(plt.get_fignums()) == 1
        assert all_inside(ax)
        assert not ax.spines["top"].get_visible()
        plt.close("all")


def test_bars_start_at_zero_and_are_sorted() -> None:
    ax = style.draw_bars(["a", "b", "c"], [1, 3, 2], title="t", xlabel="x")
    assert [patch.get_width() for patch in ax.patches] == [3, 2, 1]
    assert ax.get_xlim()[0] == 0
    plt.close("all")


def test_no_line_crosses_a_gap() -> None:
    days = pd.date_range("2020-01-01", periods=20).delete([9, 10, 11])
    broken = style.break_gaps(pd.Series(range(17), index=days))
    assert broken.isna().sum() == 1
    whole = style.break_gaps(pd.Series(range(20), index=pd.date_range("2020-01-01", periods=20)))
    assert whole.isna().sum() == 0
