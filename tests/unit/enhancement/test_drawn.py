"""What is drawn is read back as it was drawn."""

from __future__ import annotations

import json
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.enhancement.drawn import axes_from, drawn_name, source
from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries


def only() -> tuple[DrawnAxes, DrawnSeries]:
    """Read back the one axes, after a trip through JSON."""
    (axes,) = axes_from(json.loads(json.dumps(drawn_data())))
    return axes, axes.series[0]


def test_bars_with_categories() -> None:
    plt.bar(["a", "b", "c"], [1, 5, 2])
    plt.ylabel("sales")
    axes, series = only()
    assert (series.mark, series.labels, series.y, axes.ylabel, axes.categories) == (
        "bar",
        ("a", "b", "c"),
        (1, 5, 2),
        "sales",
        3,
    )


@pytest.mark.parametrize("kind", ["bar", "barh"])
def test_bars_of_pandas(kind: str) -> None:
    pd.Series([3.0, 4.0], index=["x", "y"], name="n").plot(kind=kind)
    _, series = only()
    assert (series.mark, series.labels, series.y) == (kind, ("x", "y"), (3.0, 4.0))


def test_grouped_bars_are_series_with_the_same_categories() -> None:
    pd.DataFrame({"p": [1, 2], "q": [3, 4]}, index=["x", "y"]).plot.bar()
    axes, _ = only()
    assert [(s.label, s.labels, s.y) for s in axes.series] == [
        ("p", ("x", "y"), (1, 2)),
        ("q", ("x", "y"), (3, 4)),
    ]


def test_seaborn_bars_leave_out_their_error_bars() -> None:
    frame = pd.DataFrame({"k": ["a", "a", "b", "b"], "v": [1.0, 3.0, 5.0, 6.0]})
    sns.barplot(data=frame, x="k", y="v")
    axes, series = only()
    assert series.y == (2.0, 5.5)
    assert series.labels == ("a", "b")
    assert {s.mark for s in axes.series} == {"bar"}


def test_lines_over_dates_give_iso_dates() -> None:
    dates = pd.to_datetime(["2018-01-07", "2018-01-14", "2018-01-21", "2018-01-28"])
    plt.plot(dates, [1.0, 2.0, np.nan, 3.0], label="price")
    axes, series = only()
    assert axes.x_is_date
    assert series.label == "price"
    assert series.labels == ("2018-01-07", "2018-01-14", "2018-01-21", "2018-01-28")
    assert series.x[0] == 17538.0
    assert math.isnan(series.y[2])


def test_periods_of_pandas_become_days() -> None:
    index = pd.date_range("2020-01-31", periods=5, freq="ME")
    pd.Series(range(5), index=index, dtype=float).plot()
    axes, series = only()
    assert axes.x_is_date
    assert series.labels[:2] == ("2020-01-01", "2020-02-01")
    assert series.x[0] == 18262.0


@pytest.mark.parametrize("first", ["2015-01-04", "2015-01-05"], ids=["Sundays", "Mondays"])
def test_weekly_series_of_pandas_keep_the_dates_of_their_rows(first: str) -> None:
    index = pd.date_range(first, periods=5, freq="7D")
    pd.Series(range(5), index=index).plot()
    axes, series = only()
    assert axes.x_is_date
    assert [str(pd.Timestamp(0) + pd.Timedelta(days=x))[:10] for x in series.x] == [
        str(d)[:10] for d in index
    ]


def test_line_labels_come_from_the_legend() -> None:
    frame = pd.DataFrame({"x": [1, 2, 3, 4] * 2, "y": range(8), "k": ["a"] * 4 + ["b"] * 4})
    sns.lineplot(data=frame, x="x", y="y", hue="k")
    axes, _ = only()
    assert [s.label for s in axes.series] == ["a", "b"]


def test_reference_lines_are_not_data() -> None:
    plt.plot([1, 2, 3, 4], [1, 2, 3, 4])
    plt.axhline(2)
    axes, _ = only()
    assert len(axes.series) == 1


def test_histogram_has_bins_and_no_categories() -> None:
    plt.hist([1, 1, 2, 3, 9], bins=4)
    _, series = only()
    assert (series.mark, series.labels, series.y, series.width) == ("bar", (), (3, 1, 0, 1), 2.0)


def test_scatter_counts_all_points_and_correlates_their_ranks() -> None:
    x = np.arange(12000.0)
    plt.scatter(x, x**2)
    _, series = only()
    assert (series.mark, series.n) == ("point", 12000)
    assert len(series.y) <= 6000
    assert series.rank_correlation == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore:vert. bool was deprecated")  # seaborn's own call of matplotlib
@pytest.mark.parametrize("vert", [True, False])
def test_box_plots_give_medians(vert: bool) -> None:
    frame = pd.DataFrame({"k": ["a"] * 5 + ["b"] * 5, "v": [1, 2, 3, 4, 5, 11, 12, 13, 14, 15]})
    sns.boxplot(data=frame, **({"x": "k", "y": "v"} if vert else {"y": "k", "x": "v"}))
    _, series = only()
    assert (series.mark, series.labels, series.y) == ("box", ("a", "b"), (3.0, 13.0))


def test_box_plots_of_matplotlib() -> None:
    plt.boxplot([[1, 2, 3], [4, 5, 9]], tick_labels=["a", "b"])
    _, series = only()
    assert (series.mark, series.labels, series.y) == ("box", ("a", "b"), (2.0, 5.0))


def test_heat_map_knows_rows_and_columns_and_no_color_bar() -> None:
    frame = pd.DataFrame([[1.0, 0.5], [0.5, 1.0]], index=["a", "b"], columns=["a", "b"])
    sns.heatmap(frame)
    _, series = only()
    assert (series.mark, series.labels, series.rows, series.y) == (
        "image",
        ("a", "b"),
        ("a", "b"),
        (1.0, 0.5, 0.5, 1.0),
    )


def test_pie_shares() -> None:
    plt.pie([1, 3], labels=["a", "b"])
    _, series = only()
    assert (series.mark, series.labels) == ("wedge", ("a", "b"))
    assert series.y == pytest.approx((0.25, 0.75))


def test_every_axes_of_every_figure_and_empty_figures_are_closed() -> None:
    plt.figure()
    _, (left, right) = plt.subplots(1, 2)
    left.plot([1, 2, 3, 4])
    right.bar(["a"], [1])
    assert len(drawn_data()) == 2
    assert len(plt.get_fignums()) == 1


def test_no_figure() -> None:
    assert drawn_data() == []


def test_the_source_runs_alone() -> None:
    space: dict[str, object] = {}
    exec(source(), space)
    assert space["drawn_data"]() == []  # type: ignore[operator]
    assert "lakebook" not in source()


def test_a_name_for_the_drawn_data() -> None:
    assert drawn_name("component_3_price") == "drawn_3_price"


@pytest.mark.parametrize(
    "value", [None, 3, "x", [], [3], [{}], [{"series": 3}], [{"series": [{"x": "a", "y": {}, "n": "b"}]}]]
)
def test_a_forged_reply_is_read_without_trust(value: object) -> None:
    for axes in axes_from(value):  # type: ignore[arg-type]
        assert all(series.y == () for series in axes.series)
