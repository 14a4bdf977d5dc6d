"""A component stands beside a section only if it draws the same columns for the same question."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.analyst.fitting import FITTING, best_pairs, fit
from lakebook.analyst.intent import Intent
from lakebook.analyst.play import Candidate
from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries, EnhancedComponent
from lakebook.notebooks.component import Component

FORECAST = Intent("forecast", "forecast", target="price", columns=("price",))
Fits = Callable[..., float]


@pytest.fixture
def fits(panel, table_of) -> Fits:
    table = table_of(panel)

    def value(
        play: str,
        own: tuple[str, ...],
        theirs: tuple[str, ...],
        chart: str,
        heading: str = "",
        title: str = "",
        code: str = "",
        intent: Intent = FORECAST,
    ) -> float:
        axes = DrawnAxes(title, "", "", False, (DrawnSeries("line", "", (), (1.0,), (1.0,)),))
        item = EnhancedComponent("c", "q", "ok", figures=1, drawn=(axes,), columns=theirs)
        old = Component(
            "c", "n.ipynb", 1, "", (1,), (), "", code, columns=theirs, chart_types=(chart,), heading=heading
        )
        return fit(play, Candidate(play, "k", own), item, old, table, intent)

    return value


SERIES = ("price", "week", "volume")


def test_words_tell_the_season_from_the_course(fits: Fits) -> None:
    seasonal = {"heading": "Is there a season?", "title": "Mean price by month"}
    assert fits("T02", SERIES, ("price", "week"), "line", **seasonal) >= FITTING
    assert fits("T02", SERIES, ("price", "week"), "line") == 0.0
    assert fits("T01", SERIES, ("price", "week"), "line") >= FITTING
    assert fits("T02", SERIES, ("price", "week"), "line", **seasonal) > fits(
        "T01", SERIES, ("price", "week"), "line", **seasonal
    )


def test_code_says_what_a_figure_is_about(fits: Fits) -> None:
    assert fits("T02", SERIES, ("price", "week"), "line", code="seasonal_decompose(y).plot()") >= FITTING
    assert fits("T08", SERIES, ("price", "week"), "bar", code="ExponentialSmoothing(y).fit()") >= FITTING
    assert fits("T08", SERIES, ("price", "week"), "bar") == 0.0


@pytest.mark.parametrize("play", ["S01", "S02", "S04", "S06", "S08", "S17"])
def test_trust_sections_take_no_old_figure(play: str, fits: Fits) -> None:
    own = ("price", "place", "volume", "week", "kind")
    assert fits(play, own, own, "bar", heading="totals, weights, calendar") == 0.0


def test_columns_that_matter_must_be_drawn(fits: Fits) -> None:
    assert fits("G02", ("price", "place"), ("price", "place"), "bar") >= FITTING
    assert fits("G02", ("price", "place"), ("price", "kind"), "bar") == 0.0
    assert fits("T01", SERIES, ("price", "place"), "line") == 0.0
    assert fits("U01", ("price",), ("volume",), "histogram") == 0.0


def test_the_kind_of_figure_must_be_able_to_show_it(fits: Fits) -> None:
    assert fits("U01", ("price",), ("price",), "histogram") >= FITTING
    assert fits("U01", ("price",), ("price",), "line", heading="Distribution") == 0.0
    assert fits("R01", ("price", "volume"), ("price", "volume"), "heatmap") >= FITTING


def test_figures_of_the_target_fit_better(fits: Fits) -> None:
    other = Intent("x", "forecast", target="volume")
    own = ("price", "week")
    assert fits("T01", own, own, "line") > fits("T01", own, own, "line", intent=other)


def test_each_component_and_each_step_once() -> None:
    given = best_pairs([(0.9, "s1", "a"), (0.8, "s2", "a"), (0.7, "s2", "b"), (0.5, "s3", "c")])
    assert given == {"s1": "a", "s2": "b"}
