"""Charts of altair are read from their specification; what cannot be read says why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakebook.analyst.methods.printed import printed_png
from lakebook.analyst.methods.vega_drawn import vega_axes, vega_step
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.enhanced import DrawnAxes

ROWS = [
    {"k": k, "h": h, "v": v, "w": 2 * v, "day": f"2020-0{1 + i % 3}-15"}
    for i, (k, h, v) in enumerate(
        [("a", "p", 1), ("b", "p", 2), ("a", "q", 3), ("b", "q", 4), ("a", "p", 5), ("b", "q", 6)]
    )
]


def spec(mark: Any, **more: Any) -> dict[str, Any]:
    extra = {key: more.pop(key) for key in ("transform", "title", "data", "layer") if key in more}
    return {"data": {"name": "d"}, "datasets": {"d": ROWS}, "mark": mark, "encoding": more, **extra}


def read(chart: dict[str, Any]) -> tuple[DrawnAxes, ...]:
    return axes_from(json.loads(json.dumps(vega_axes(chart), allow_nan=False)))


def only(chart: dict[str, Any]) -> DrawnAxes:
    (axes,) = read(chart)
    return axes


K, V = {"field": "k", "type": "nominal"}, {"field": "v", "type": "quantitative"}
MEAN = {"aggregate": "mean", **V}


def test_bars_of_an_average_by_colour_stand_on_each_other() -> None:
    axes = only(spec("bar", x=K, y=MEAN, color={"field": "h", "type": "nominal"}, title="T"))
    p, q = axes.series
    assert (axes.title, axes.xlabel, axes.ylabel, axes.legend) == ("T", "k", "Mean of v", "h")
    assert (p.mark, p.label, p.labels, p.y) == ("bar", "p", ("a", "b"), (3, 2))
    assert (q.y, q.base) == ((3, 5), (3, 2))


def test_lying_bars_and_counts() -> None:
    (series,) = only(spec({"type": "bar"}, y=K, x={"aggregate": "count", "type": "quantitative"})).series
    assert (series.mark, series.labels, series.y) == ("barh", ("a", "b"), (3, 3))


def test_binned_counts_are_a_histogram_in_vega_s_classes() -> None:
    axes = only(spec("bar", x={"bin": True, **V}, y={"aggregate": "count"}))
    (series,) = axes.series
    assert (series.shape, sum(series.y), series.width) == (
        "histogram",
        6,
        0.5 if series.width == 0.5 else 1.0,
    )
    assert axes.xlabel == "v (binned)"


@pytest.mark.parametrize(
    ("low", "high", "most", "start", "size"),
    [(0, 100, 10, 0, 10), (1, 6, 10, 1, 0.5), (3.07, 50.81, 20, 2.5, 2.5), (3, 51, 10, 0, 5)],
)
def test_the_classes_of_vega(low: float, high: float, most: int, start: float, size: float) -> None:
    found = vega_step(low, high, most)
    assert found[1] in (size, 2 * size, size / 2)
    assert found[0] <= low
    assert (high - low) / found[1] <= most


def test_lines_over_dates_by_month() -> None:
    month = {"field": "day", "timeUnit": "yearmonth", "type": "temporal"}
    axes = only(spec("line", x=month, y={"aggregate": "sum", **V}))
    (series,) = axes.series
    assert (axes.x_is_date, series.labels, series.y) == (
        True,
        ("2020-01-01", "2020-02-01", "2020-03-01"),
        (5, 7, 9),
    )


def test_points_boxes_grids_and_pies() -> None:
    points = only(spec("circle", x=V, y={"field": "w", "type": "quantitative"}, size=V)).series[0]
    assert (points.mark, points.x, points.y, points.sizes) == (
        "point",
        (1, 2, 3, 4, 5, 6),
        (2, 4, 6, 8, 10, 12),
        (1, 2, 3, 4, 5, 6),
    )
    box = only(spec("boxplot", x=K, y=V)).series[0]
    assert (box.mark, box.labels, box.y, box.lower_quartile) == ("box", ("a", "b"), (3, 4), (2, 3))
    grid = only(spec("rect", x=K, y={"field": "h", "type": "nominal"}, color=MEAN)).series[0]
    assert (grid.mark, grid.labels, grid.rows, grid.y) == ("image", ("a", "b"), ("p", "q"), (3, 2, 3, 5))
    pie = only(spec("arc", theta={"aggregate": "sum", **V}, color=K)).series[0]
    assert (pie.mark, pie.labels, pie.y) == ("wedge", ("a", "b"), (9 / 21, 12 / 21))


def test_layers_facets_and_views_beside_each_other() -> None:
    layered = spec(
        None, x=V, y={"field": "w", "type": "quantitative"}, layer=[{"mark": "point"}, {"mark": "line"}]
    )
    assert [series.mark for series in only(layered).series] == ["point", "line"]
    facets = read(spec("point", x=V, y={"field": "w", "type": "quantitative"}, column={"field": "h"}))
    assert [axes.title for axes in facets] == ["h: p", "h: q"]
    both = {"datasets": {"d": ROWS}, "hconcat": [spec("bar", x=K, y=MEAN), spec("point", x=V, y=V)]}
    assert [axes.series[0].mark for axes in read(both)] == ["bar", "point"]


def test_simple_transforms_are_made_and_others_named() -> None:
    kept = only(spec("point", x=V, y=V, transform=[{"filter": {"field": "k", "equal": "a"}}])).series[0]
    assert kept.x == (1, 3, 5)
    folded = only(
        spec(
            "bar",
            x={"field": "key", "type": "nominal"},
            y={"field": "value", "aggregate": "sum", "type": "quantitative"},
            transform=[{"fold": ["v", "w"]}],
        )
    ).series[0]
    assert (folded.labels, folded.y) == (("v", "w"), (21, 42))
    odd = only(spec("point", x=V, y=V, transform=[{"calculate": "datum.v * 2", "as": "z"}]))
    assert odd.not_read == ("a transform (as, calculate): what it makes is not read",)


def test_data_from_elsewhere_is_named_as_not_read() -> None:
    axes = only(spec("bar", x=K, y=MEAN, data={"url": "https://example.org/d.json"}))
    assert (axes.series, axes.not_read) == ((), ("its data are not in the chart, but at an address",))


def test_a_printed_form() -> None:
    assert printed_png(vega_axes(spec("bar", x=K, y=MEAN))).startswith(b"\x89PNG")


def test_the_specification_that_altair_writes_today() -> None:
    altair = pytest.importorskip("altair")
    import pandas as pd

    chart = altair.Chart(pd.DataFrame(ROWS), title="T").mark_bar().encode(x="k", y="mean(v)")
    axes = only(json.loads(chart.to_json()))
    assert (axes.title, axes.series[0].labels, axes.series[0].y) == ("T", ("a", "b"), (3, 4))
