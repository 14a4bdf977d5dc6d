"""Figures of plotly are read as the browser would draw them, and printed without one."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
import pytest
from PIL import Image
from plotly.subplots import make_subplots

from lakebook.analyst.figure_lint.data import data_findings, name_findings
from lakebook.analyst.methods.plotly_bins import auto_bins, date_bins
from lakebook.analyst.methods.plotly_drawn import plotly_axes
from lakebook.analyst.methods.printed import printed_png
from lakebook.analyst.methods.spec_panel import spec_kind
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "k": ["a", "b", "a", "b", "a", "b", "c", "c"],
        "h": ["p", "p", "q", "q", "p", "p", "q", "q"],
        "v": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        "w": [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0],
        "day": pd.date_range("2020-01-01", periods=8).astype(str),
    }
)


def drawn(figure: Any) -> list[dict[str, Any]]:
    return plotly_axes(json.loads(figure.to_json()))


def read(figure: Any) -> tuple[DrawnAxes, ...]:
    return axes_from(json.loads(json.dumps(drawn(figure), allow_nan=False)))


def only(figure: Any) -> DrawnSeries:
    (axes,) = read(figure)
    (series,) = axes.series
    return series


def test_points_with_packed_numbers_names_sizes_and_a_log_axis() -> None:
    figure = px.scatter(FRAME, x="v", y="w", color="h", size="w", log_x=True, title="T")
    assert "bdata" in figure.to_json()
    (axes,) = read(figure)
    assert (axes.title, axes.xlabel, axes.ylabel, axes.legend, axes.library) == ("T", "v", "w", "h", "plotly")
    assert axes.x_scale.kind == "log"
    p, q = axes.series
    assert (p.mark, p.label, p.x, p.sizes) == ("point", "p", (1, 2, 5, 6), (2, 4, 10, 12))
    assert q.y == (6, 8, 14, 16)


def test_lines_over_dates() -> None:
    series = only(px.line(FRAME, x="day", y="v"))
    assert (series.mark, series.labels[:2], series.x[0]) == ("line", ("2020-01-01", "2020-01-02"), 18262)


def test_stacked_grouped_and_lying_bars() -> None:
    table = FRAME.groupby(["k", "h"], as_index=False)["v"].sum()
    (stacked,) = read(px.bar(table, x="k", y="v", color="h"))
    p, q = stacked.series
    assert (p.labels, p.y, p.base) == (("a", "b"), (6, 8), ())
    assert (q.labels, q.y, q.base) == (("a", "b", "c"), (3, 4, 15), (6, 8, 0))
    (grouped,) = read(px.bar(table, x="k", y="v", color="h", barmode="group"))
    assert grouped.series[1].base == ()
    lying = only(px.bar(table.head(2), y="h", x="v", orientation="h"))
    assert (lying.mark, lying.labels, lying.y) == ("barh", ("p", "q"), (6, 3))


def test_areas_pile_up() -> None:
    (axes,) = read(px.area(FRAME.assign(x=[0, 0, 1, 1, 2, 2, 3, 3]), x="x", y="v", color="k"))
    assert [series.mark for series in axes.series] == ["area"] * 3
    assert axes.series[1].base[:1] == (1.0,)


@pytest.mark.parametrize(
    ("values", "first", "size", "count"),
    [
        # Whole numbers: edges lie half a unit down, so that no value lies on one.
        (np.arange(1, 11), -0.5, 5, 3),
        # 0, .1, … 9.9: deviation 2.89, rough size 0.92, rounded up to 1; a tenth lies on edges, none moves.
        (np.arange(100) / 10, -1, 1, 11),
    ],
)
def test_the_classes_of_the_browser(values: np.ndarray, first: float, size: float, count: int) -> None:
    start, step, classes = auto_bins(values.astype(float))
    assert (start, step, classes) == (first, size, count)


def test_classes_that_were_asked_for() -> None:
    _, size, count = auto_bins(RNG.normal(size=500), most=10)
    assert size in (0.5, 1.0)
    assert count <= 15


def test_classes_of_dates_are_months_or_days() -> None:
    days = np.arange(18262.0, 18262 + 365)
    edges = date_bins(days, most=12)
    assert [str(pd.Timestamp(0) + pd.Timedelta(days=edge))[8:10] for edge in edges] == ["01"] * len(edges)
    assert edges[0] <= days.min() < edges[1]
    assert edges[-1] > days.max()


def test_histograms_count_every_value_and_stack_by_colour() -> None:
    frame = pd.DataFrame({"x": RNG.normal(size=300), "h": np.resize(["p", "q"], 300)})
    (axes,) = read(px.histogram(frame, x="x", color="h"))
    p, q = axes.series
    assert (p.shape, sum(p.y), sum(q.y)) == ("histogram", 150, 150)
    below = dict(zip(p.x, p.y, strict=True))
    assert list(q.base) == [below.get(x, 0) for x in q.x]


def test_histograms_of_categories_average_and_of_shares() -> None:
    mean = only(px.histogram(FRAME, x="k", y="v", histfunc="avg"))
    assert (mean.labels, mean.y, mean.shape) == (("a", "b", "c"), (3, 4, 7.5), "")
    share = only(px.histogram(FRAME, x="k", histnorm="percent"))
    assert share.y == (37.5, 37.5, 25)


def test_boxes_and_violins_from_raw_points() -> None:
    (axes,) = read(px.box(FRAME, x="h", y="v"))
    (box,) = axes.series
    assert (box.mark, box.labels, box.y) == ("box", ("p", "q"), (3.5, 5.5))
    assert (box.lower_quartile, box.upper_quartile) == ((1.5, 3.5), (5.5, 7.5))
    assert only(px.violin(FRAME, y="v")).mark == "violin"
    strip = only(px.strip(FRAME, x="h", y="v"))
    assert (strip.mark, strip.shape, strip.n) == ("point", "strip", 8)


def test_shares_of_pies_and_trees() -> None:
    pie = only(px.pie(FRAME, names="k", values="v"))
    assert (pie.mark, pie.labels, pie.values) == ("wedge", ("c", "b", "a"), (15, 12, 9))
    assert sum(pie.y) == pytest.approx(1)
    tree = only(px.treemap(FRAME, path=[px.Constant("all"), "k", "h"], values="v"))
    assert (tree.labels, tree.values) == (("c", "b", "a"), (15, 12, 9))


def test_grids() -> None:
    correlations = FRAME[["v", "w"]].corr()
    heat = only(px.imshow(correlations, text_auto=True))
    assert (heat.mark, heat.labels, heat.rows) == ("image", ("v", "w"), ("v", "w"))
    assert heat.y == pytest.approx((1, 1, 1, 1))
    assert heat.texts == ("1", "1", "1", "1")
    counts = only(px.density_heatmap(FRAME, x="v", y="w"))
    assert sum(counts.y) == 8
    (picture,) = read(px.imshow(np.zeros((3, 3, 3), dtype="uint8")))
    assert picture.not_read == ("a picture: its colours are no values",)


def test_facets_matrices_and_second_axes() -> None:
    facets = read(px.scatter(FRAME, x="v", y="w", facet_col="h"))
    assert [(axes.title, axes.xlabel, axes.ylabel) for axes in facets] == [
        ("h=p", "v", "w"),
        ("h=q", "v", "w"),
    ]
    matrix = read(px.scatter_matrix(FRAME, dimensions=["v", "w"], color="h"))
    assert [(axes.xlabel, axes.ylabel, len(axes.series)) for axes in matrix] == [("v", "w", 2)]
    figure = make_subplots(specs=[[{"secondary_y": True}]])
    figure.add_bar(x=["a", "b"], y=[1, 2], name="left")
    figure.add_scatter(x=["a", "b"], y=[10, 20], name="right", secondary_y=True)
    left, right = drawn(figure)
    assert (left["twin"], right["twin"]) == (-1, 0)
    assert "L25" in {finding.check for finding in data_findings([left, right])}
    two = make_subplots(rows=1, cols=2, subplot_titles=("One", "Two"))
    two.add_bar(x=["a"], y=[1], row=1, col=1)
    two.add_bar(x=["a"], y=[2], row=1, col=2)
    assert [axes.title for axes in read(two)] == ["One", "Two"]


def test_maps_angles_solids_prices_and_what_is_not_read() -> None:
    (world,) = read(px.choropleth(FRAME.head(3), locations="k", color="v"))
    assert (world.projection, world.series[0].shape, world.series[0].labels) == (
        "map",
        "region",
        ("a", "b", "a"),
    )
    (wind,) = read(px.bar_polar(r=[1, 2], theta=["N", "S"]))
    assert (wind.projection, wind.series[0].labels, wind.series[0].y) == ("polar", ("N", "S"), (1, 2))
    (solid,) = read(px.scatter_3d(FRAME, x="v", y="w", z="v"))
    assert (solid.projection, solid.series[0].values) == ("3d", tuple(FRAME["v"]))
    price = only(go.Figure(go.Candlestick(x=["2020-01-01"], open=[1], high=[3], low=[0], close=[2])))
    assert (price.y, price.low, price.high) == ((2,), (0,), (3,))
    (table,) = read(go.Figure(go.Table(header={"values": ["a"]})))
    assert table.not_read == ("table: this kind of trace is not read",)


def test_an_animation_says_that_its_first_picture_is_read() -> None:
    (axes,) = read(px.scatter(FRAME, x="v", y="w", animation_frame="h"))
    assert axes.not_read == ("an animation of 2 frames: the first picture is read",)
    assert axes.series[0].n == 4


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["2020-01-01", "2020-01-02"], "date"),
        (["1", "2", "3"], "linear"),
        (["a", "b", "1"], "linear"),
        (["a", "b", "c", "1"], "category"),
        ([2019, 2020], "linear"),
        ([], "linear"),
    ],
)
def test_the_kind_of_an_axis_is_the_browser_s(values: list[Any], kind: str) -> None:
    assert spec_kind(values) == kind


PRINTED = {
    "bars": lambda: px.bar(FRAME, x="k", y="v", color="h"),
    "boxes": lambda: px.box(FRAME, x="k", y="v", color="h"),
    "facets": lambda: px.scatter(FRAME, x="v", y="w", facet_col="h", color="k"),
    "grid": lambda: px.imshow(FRAME[["v", "w"]].corr(), text_auto=True),
    "line": lambda: px.line(FRAME, x="day", y="v"),
    "pie": lambda: px.pie(FRAME, names="k", values="v"),
    "region": lambda: px.choropleth(FRAME.head(3), locations="k", color="v"),
}


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_a_printed_form(name: str) -> None:
    picture = Image.open(io.BytesIO(printed_png(drawn(PRINTED[name]()))))
    assert picture.width == 720
    assert len(picture.convert("L").getcolors() or range(99)) > 20


def test_missing_names_are_found_in_data_too() -> None:
    figure = go.Figure(go.Scatter(x=[1, 2, 3], y=[1, 2, 3]))
    assert {finding.check for finding in name_findings(drawn(figure))} == {"L01", "L03"}
    named = px.scatter(FRAME, x="v", y="w", title="T")
    assert name_findings(drawn(named)) == ()
