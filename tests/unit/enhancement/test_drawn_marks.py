"""Every kind of mark is read with what its size, colour, interval and place say."""

from __future__ import annotations

import json
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns

from lakebook.analyst.methods.drawn import DRAWN_MOST, drawn_data
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.enhanced import DrawnAxes

FRAME = pd.DataFrame(
    {
        "k": ["a", "a", "a", "a", "b", "b", "b", "b"],
        "h": ["p", "p", "q", "q", "p", "p", "q", "q"],
        "v": [1.0, 3.0, 5.0, 7.0, 2.0, 6.0, 10.0, 14.0],
        "w": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0],
    }
)


def read() -> tuple[DrawnAxes, ...]:
    """Read what is drawn, after a trip through JSON."""
    return axes_from(json.loads(json.dumps(drawn_data(), allow_nan=False)))


def only() -> DrawnAxes:
    (axes,) = read()
    return axes


@pytest.mark.parametrize("capsize", [0, 0.2])
def test_error_bars_belong_to_their_bars(capsize: float) -> None:
    sns.barplot(FRAME, x="k", y="v", hue="h", errorbar=("pi", 100), capsize=capsize)
    axes = only()
    assert [(s.label, s.y, s.low, s.high) for s in axes.series] == [
        ("p", (2.0, 4.0), (1.0, 2.0), (3.0, 6.0)),
        ("q", (6.0, 12.0), (5.0, 10.0), (7.0, 14.0)),
    ]
    assert axes.legend == "h"


def test_error_bars_of_matplotlib() -> None:
    plt.errorbar([1, 2, 3, 4], [3, 2, 1, 5], yerr=[0.5, 0.25, 0.5, 1], capsize=3)
    (series,) = only().series
    assert (series.mark, series.low, series.high) == ("line", (2.5, 1.75, 0.5, 4.0), (3.5, 2.25, 1.5, 6.0))


def test_point_plots_keep_each_line_s_own_error_bars() -> None:
    sns.pointplot(FRAME, x="k", y="v", hue="h", errorbar=("pi", 100))
    p, q = only().series
    assert (p.low, p.high, q.low, q.high) == ((1.0, 2.0), (3.0, 6.0), (5.0, 10.0), (7.0, 14.0))


def test_the_band_of_a_line_is_its_interval_and_no_area() -> None:
    sns.lineplot(FRAME, x="h", y="v", hue="k", errorbar=("pi", 100))
    assert [(s.mark, s.label, s.low, s.high) for s in only().series] == [
        ("line", "a", (1.0, 5.0), (3.0, 7.0)),
        ("line", "b", (2.0, 10.0), (6.0, 14.0)),
    ]


def test_short_author_s_lines_are_no_error_bars() -> None:
    plt.plot([2018, 2019, 2020, 2021], [1, 2, 3, 2])
    (series,) = only().series
    assert (series.y, series.low) == ((1, 2, 3, 2), ())


def test_stacked_bars_know_where_they_start() -> None:
    FRAME.pivot_table(index="k", columns="h", values="v", aggfunc="sum").plot.bar(stacked=True)
    p, q = only().series
    assert (p.y, p.base, q.y, q.base) == ((4.0, 8.0), (), (12.0, 24.0), (4.0, 8.0))


def test_stacked_areas() -> None:
    plt.stackplot([1, 2, 3], [1, 2, 3], [3, 2, 1], labels=["a", "b"])
    a, b = only().series
    assert (a.mark, a.label, a.y, a.base, a.shape) == ("area", "a", (1, 2, 3), (), "")
    assert (b.label, b.y, b.base, b.shape) == ("b", (4, 4, 4), (1, 2, 3), "")


@pytest.mark.parametrize("how", ["bar", "step", "stepfilled"])
def test_histograms_of_every_make(how: str) -> None:
    plt.hist([1, 1, 2, 3, 9, 9], bins=4, histtype=how)
    (series,) = only().series
    assert (series.mark, series.shape, series.x, series.y, series.width) == (
        "bar",
        "histogram",
        (2, 4, 6, 8),
        (3, 1, 0, 2),
        2,
    )


def test_histogram_of_seaborn_as_steps_with_a_density() -> None:
    sns.histplot(FRAME, x="v", element="step", bins=2, kde=True)
    marks = {s.mark: s for s in only().series}
    assert (marks["bar"].shape, marks["bar"].y) == ("histogram", (6.0, 2.0))
    assert len(marks["line"].y) == 200


def test_kernel_densities() -> None:
    sns.kdeplot(FRAME, x="v", hue="k", fill=True)
    assert {(s.mark, s.shape, s.label) for s in only().series} == {
        ("area", "density", "a"),
        ("area", "density", "b"),
    }


@pytest.mark.filterwarnings("ignore:vert. bool was deprecated")
@pytest.mark.parametrize("lying", [False, True])
def test_boxes_with_quartiles_whiskers_and_one_series_a_colour(lying: bool) -> None:
    across = {"y": "k", "x": "v"} if lying else {"x": "k", "y": "v"}
    sns.boxplot(FRAME, hue="h", **across)
    p, q = only().series
    assert (p.mark, p.label, p.labels, p.y, p.lying) == ("box", "p", ("a", "b"), (2.0, 4.0), lying)
    assert (p.lower_quartile, p.upper_quartile, p.low, p.high) == ((1.5, 3), (2.5, 5), (1, 2), (3, 6))
    assert q.y == (6.0, 12.0)


def test_letter_value_plots_have_medians() -> None:
    sns.boxenplot(FRAME, x="k", y="v")
    box = only().series[0]
    assert (box.mark, box.shape, box.labels, box.y) == ("box", "letter values", ("a", "b"), (4.0, 8.0))


def test_violins_with_their_medians_or_where_they_are_widest() -> None:
    sns.violinplot(FRAME, x="k", y="v")
    (violin,) = only().series
    assert (violin.mark, violin.labels, violin.y, violin.shape) == ("violin", ("a", "b"), (4.0, 8.0), "")
    plt.close()
    plt.violinplot([[1, 2, 2, 2, 3], [4, 5, 5, 5, 6]])
    (violin,) = only().series
    assert (violin.shape, violin.y) == ("mode", pytest.approx((2, 5), abs=0.05))


def test_what_size_and_colour_of_points_say() -> None:
    sns.scatterplot(FRAME, x="v", y="w", hue="h", size="w")
    (series,) = only().series
    assert series.groups == ("p", "p", "q", "q") * 2
    assert len(series.sizes) == 8
    assert list(series.sizes) == sorted(series.sizes)


def test_a_numeric_colour_and_its_bar() -> None:
    FRAME.plot.scatter("v", "w", c="w", colormap="viridis")
    axes = only()
    assert axes.series[0].values == tuple(FRAME["w"])
    assert axes.color_label == "w"


def test_strips_name_their_categories() -> None:
    sns.stripplot(FRAME, x="k", y="v", jitter=False)
    first = only().series[0]
    assert (first.mark, first.shape, first.labels) == ("point", "strip", ("a",) * 4)


def test_regressions_have_a_fit_with_its_band() -> None:
    sns.regplot(FRAME, x="v", y="w", n_boot=20, seed=1)
    fit = next(s for s in only().series if s.mark == "line")
    assert fit.shape == "fit"
    assert all(low <= y <= high for low, y, high in zip(fit.low, fit.y, fit.high, strict=True))


def test_hexagons_meshes_contours_events_and_stems() -> None:
    _, axes = plt.subplots(1, 5)
    axes[0].hexbin(FRAME["v"], FRAME["w"], gridsize=3)
    axes[1].hist2d(FRAME["v"], FRAME["w"], bins=2)
    axes[2].contour([[1.0, 2.0], [3.0, 4.0]], levels=[2, 3])
    axes[3].vlines([1, 2], 0, [3, 4])
    axes[4].stem([1, 2, 3], [3, 2, 1])
    hexagons, mesh, contour, event, stem = (one.series[0] for one in read())
    assert (hexagons.mark, sum(hexagons.values)) == ("hexagon", 8)
    assert (mesh.mark, mesh.y, len(mesh.labels), len(mesh.rows)) == ("image", (6, 1, 0, 1), 2, 2)
    assert (contour.mark, contour.y) == ("contour", (2, 3))
    assert (event.mark, event.x, event.y, event.base) == ("event", (1, 2), (3, 4), (0, 0))
    assert (stem.mark, stem.shape, stem.y) == ("point", "stem", (3, 2, 1))


def test_texts_on_cells_bars_and_wedges() -> None:
    _, axes = plt.subplots(1, 3)
    sns.heatmap(pd.DataFrame([[1.0, 2.0], [3.0, 4.0]]), annot=True, fmt=".1f", ax=axes[0])
    axes[1].bar_label(axes[1].bar(["a", "b"], [1, 2]))
    axes[2].pie([1, 3], labels=["a", "b"], autopct="%d%%")
    cells, bars, wedges = (one.series[0] for one in read())
    assert cells.texts == ("1.0", "2.0", "3.0", "4.0")
    assert bars.texts == ("1", "2")
    assert wedges.texts == ("25%", "75%")


def test_scales_limits_and_direction() -> None:
    plt.plot([1, 10, 100, 1000], [1, 2, 3, 4])
    plt.xscale("log")
    plt.xlim(1, 1000)
    plt.ylim(5, 0)
    axes = only()
    assert (axes.x_scale.kind, axes.x_scale.low, axes.x_scale.high) == ("log", 1, 1000)
    assert (axes.y_scale.kind, axes.y_scale.low, axes.y_scale.inverted) == ("linear", 0, True)


def test_scales_of_dates_are_days_also_in_periods_of_pandas() -> None:
    index = pd.date_range("2020-01-31", periods=5, freq="ME")
    pd.Series(range(5), index=index, dtype=float).plot()
    scale = only().x_scale
    assert (scale.kind, scale.low) == ("date", 18262.0)


def test_numbers_written_by_a_function_are_no_categories() -> None:
    plt.bar(["a", "b"], [1000, 2000])
    plt.gca().yaxis.set_major_formatter(lambda value, _: f"${value:,.0f}")
    axes = only()
    assert (axes.x_scale.kind, axes.y_scale.kind, axes.categories) == ("category", "linear", 2)


def test_twins_insets_and_colour_bars() -> None:
    figure, left = plt.subplots()
    left.plot([1, 2, 3, 4])
    right = left.twinx()
    right.bar([0, 1, 2, 3], [5, 6, 7, 8])
    inset = left.inset_axes((0.6, 0.6, 0.3, 0.3))
    inset.scatter([1, 2], [3, 4])
    figure.colorbar(plt.cm.ScalarMappable(), ax=left)
    axes = read()
    assert [(one.twin, one.series[0].mark) for one in axes] == [(2, "line"), (-1, "point"), (0, "bar")]


def test_facets_share_their_labels_and_have_titles() -> None:
    sns.relplot(FRAME, x="v", y="w", col="k", height=2)
    assert [(one.title, one.xlabel, one.ylabel) for one in read()] == [
        ("k = a", "v", "w"),
        ("k = b", "v", "w"),
    ]


@pytest.mark.parametrize("name", ["clustermap", "jointplot", "pairplot"])
@pytest.mark.filterwarnings("ignore:Attempting to set identical low and high")
def test_grids_of_seaborn(name: str) -> None:
    numbers = FRAME[["v", "w"]]
    if name == "clustermap":
        sns.clustermap(numbers)
        assert [len(one.series) for one in read()] == [0, 0, 1]
        assert "a tree: its branches are no values" in read()[0].not_read
    elif name == "jointplot":
        sns.jointplot(numbers, x="v", y="w")
        assert [one.series[0].mark for one in read()] == ["point", "bar", "barh"]
    else:
        sns.pairplot(numbers)
        marks = [[s.mark for s in one.series] for one in read()]
        assert marks.count(["point"]) == 2
        assert marks.count(["bar"]) == 2


def test_polar_and_solid_axes_and_pictures() -> None:
    figure = plt.figure()
    polar = figure.add_subplot(131, projection="polar")
    polar.bar([0, 1, 2], [3, 2, 1])
    solid = figure.add_subplot(132, projection="3d")
    solid.scatter([1, 2, 3], [4, 5, 6], [7, 8, 9])
    figure.add_subplot(133).imshow(np.zeros((4, 4, 3)))
    one, other, picture = read()
    assert (one.projection, one.series[0].y) == ("polar", (3, 2, 1))
    assert (other.projection, other.series[0].y, other.series[0].values) == ("3d", (4, 5, 6), (7, 8, 9))
    assert (picture.series, picture.not_read) == ((), ("a picture: its colours are no values",))


def test_the_whole_stays_within_bounds() -> None:
    _, axes = plt.subplots(3, 4)
    for one in axes.flat:
        one.scatter(np.arange(9000.0), np.arange(9000.0))
    drawn = read()
    assert sum(len(one.series[0].y) for one in drawn) <= DRAWN_MOST
    assert drawn[0].series[0].n == 9000
    assert len(drawn[0].series[0].x) == len(drawn[0].series[0].y)


def test_a_forged_mark_or_scale_is_not_kept() -> None:
    (axes,) = axes_from([{"series": [{"mark": "bomb"}, {"mark": "bar"}], "x_scale": {"kind": 7, "low": "x"}}])
    assert [one.mark for one in axes.series] == ["bar"]
    assert axes.x_scale.kind == "other"
    assert math.isnan(axes.x_scale.low)
