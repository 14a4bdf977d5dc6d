"""The traces of plotly as series of plain numbers, drawn as the browser would draw them.

What belongs here: one reader for each family of traces. What does not: subplots and axes (`plotly_drawn`),
the binning of the browser (`plotly_bins`). A reader gets the state of its subplot: its axes, all its traces,
the categories seen so far along x and y, and how high what is stacked reaches. Paper: NotebookRAG §4.2.4.
"""

from typing import Any

import numpy as np
import pandas as pd

from lakebook.analyst.methods.drawn_panel import Drawn
from lakebook.analyst.methods.plotly_bins import auto_bins, class_values, date_bins
from lakebook.analyst.methods.spec_panel import (
    spec_axes,
    spec_boxes,
    spec_limits,
    spec_numbers,
    spec_places,
    spec_rank_correlation,
    spec_series,
    spec_text,
)


def plotly_on(state: Drawn, which: str, values: Any) -> tuple[np.ndarray, list[str]]:
    """Return where values stand on one axis of the subplot, and their labels."""
    return spec_places(list(values), state["axes"][f"{which}_scale"]["kind"], state[which])


def plotly_color(trace: Drawn) -> str:
    """Return the one colour of a trace as #rrggbb, "" if it has none or several."""
    for part in ("marker", "line"):
        color = (trace.get(part) or {}).get("color")
        if isinstance(color, str) and color.startswith("#") and len(color) == 7:
            return color
    return ""


def plotly_encodings(state: Drawn, trace: Drawn, size: int) -> Drawn:
    """Return what size and colour of the marks of a trace say in numbers."""
    marker = trace.get("marker") or {}
    more: Drawn = {"color": plotly_color(trace)}
    for key, name in (("size", "sizes"), ("color", "values")):
        value = marker.get(key)
        if isinstance(value, list | np.ndarray) and len(value) == size:
            numbers = spec_numbers(value)
            if np.isfinite(numbers).any():
                more[name] = numbers
            elif name == "values":
                more["groups"] = [str(item) for item in value]
    bar = marker.get("colorbar") or {}
    title = bar.get("title")
    if title:
        state["axes"]["color_label"] = str(title.get("text", "") if isinstance(title, dict) else title)
    return more


def plotly_errors(trace: Drawn, which: str, values: np.ndarray) -> Drawn:
    """Return the error bars of a trace as `low` and `high`."""
    error = trace.get(f"error_{which}") or {}
    if error.get("visible") is False or error.get("array") is None:
        return {}
    up = spec_numbers(error["array"])
    down = spec_numbers(error["arrayminus"]) if error.get("arrayminus") is not None else up
    return {"low": values - down, "high": values + up} if len(up) == len(values) else {}


def plotly_lines(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return lines, points and areas, also over angles, on maps, and prices with their day's range."""
    names = {"polar": ("theta", "r"), "map": ("lon", "lat")}.get(state["axes"]["projection"], ("x", "y"))
    if trace.get("type") == "scatterternary":
        names = ("a", "b")
    more: Drawn = {}
    y_values = trace.get(names[1])
    if y_values is None and trace.get("close") is not None:
        y_values = trace["close"]
        more = {"low": spec_numbers(trace["low"]), "high": spec_numbers(trace["high"])}
    x_values = trace.get(names[0])
    if y_values is None and x_values is None:
        return []
    if x_values is None:
        x_values = np.arange(float(np.size(np.asarray(y_values)))) * float(trace.get("dx", 1)) + float(
            trace.get("x0", 0) or 0
        )
    if y_values is None:
        y_values = np.arange(float(np.size(np.asarray(x_values))))
    if names == ("theta", "r"):
        plotly_angles(state, trace)
    x, labels = plotly_on(state, "x", x_values)
    y, y_labels = plotly_on(state, "y", y_values)
    size = min(len(x), len(y))
    x, y, labels = x[:size], y[:size], (labels or y_labels)[:size]
    mode = trace.get("mode") or ("lines+markers" if size < 20 else "lines")
    line = "lines" in mode or trace.get("stackgroup") or more
    mark = "line" if line and trace.get("type") not in ("scattergeo",) else "point"
    if mark == "point":
        more["rank_correlation"] = spec_rank_correlation(x, y)
    if str((trace.get("line") or {}).get("shape", "")).startswith(("hv", "vh")):
        more["shape"] = "step"
    if mark == "line" and "trendline" in str(trace.get("hovertemplate", "")):
        more["shape"] = "fit"
    if trace.get("stackgroup"):
        pile = state["piled"].setdefault(("area", trace["stackgroup"]), {})
        base = np.array([pile.get(place, 0.0) for place in x.tolist()])
        y = np.nan_to_num(y) + base
        pile.update(zip(x.tolist(), y.tolist(), strict=True))
        mark, more["base"] = "area", base
    elif trace.get("fill") in ("tozeroy", "tozerox", "toself"):
        mark = "area" if mark == "line" else mark
    more = {**more, **plotly_encodings(state, trace, size), **plotly_errors(trace, "y", y)}
    return [spec_series(mark, trace.get("name"), x, y, labels, **more)]


def plotly_angles(state: Drawn, trace: Drawn) -> None:
    """Let angles that are named, as those of the wind are, be categories."""
    if trace.get("theta") is not None and not np.isfinite(spec_numbers(trace["theta"])).all():
        state["axes"]["x_scale"]["kind"] = "category"


def plotly_bars(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return bars, upright or lying, with where they start if they are stacked or given a start."""
    lying = trace.get("orientation") == "h" or trace.get("type") == "funnel"
    across, along = ("y", "x") if lying else ("x", "y")
    if trace.get("type") == "barpolar":
        across, along, lying = "theta", "r", False
        plotly_angles(state, trace)
    if trace.get("type") == "funnel":
        state["axes"]["y_scale"]["inverted"] = True
    lengths = trace.get(along)
    if lengths is None:
        return []
    places = trace.get(across)
    if places is None:
        places = list(range(len(lengths)))
    kept = across if across in ("x", "y") else "x"
    at, labels = plotly_on(state, kept, places)
    starts = trace.get("base")
    values = spec_numbers(lengths)
    if starts is not None and state["axes"][f"{along}_scale"]["kind"] == "date":
        base, _ = plotly_on(state, along, np.broadcast_to(np.asarray(starts, dtype=object), len(values)))
        values = values / 86_400_000  # lengths of time are milliseconds
    elif starts is not None:
        base = np.broadcast_to(spec_numbers(np.atleast_1d(starts)), len(values)).astype(float)
    else:
        base = plotly_stacked(state, at, values)
    more = {
        "base": base if np.nan_to_num(base).any() else [],
        "color": plotly_color(trace),
        "texts": plotly_texts(trace, len(values)),
        **plotly_errors(trace, along, values),
    }
    return [spec_series("barh" if lying else "bar", trace.get("name"), at, values, labels, **more)]


def plotly_stacked(state: Drawn, at: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return where bars start on those drawn before; negative ones hang below zero."""
    mode = state["layout"].get("barmode", "group")
    if mode not in ("stack", "relative"):
        return np.zeros(len(values))
    base = np.zeros(len(values))
    for place, (spot, value) in enumerate(zip(at.tolist(), np.nan_to_num(values).tolist(), strict=True)):
        key = ("bar", spot, mode == "relative" and value < 0)
        base[place] = state["piled"].get(key, 0.0)
        state["piled"][key] = base[place] + value
    return base


def plotly_texts(trace: Drawn, size: int) -> list[str]:
    """Return what is written on each mark, where a trace says so."""
    text = trace.get("text")
    if isinstance(text, list | np.ndarray) and len(text) == size and trace.get("textposition") != "none":
        return ["" if value is None else str(value) for value in text]
    return []


def plotly_histogram(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return the bars of a histogram, in the classes that the browser would make."""
    lying = trace.get("orientation") == "h" or (trace.get("x") is None and trace.get("y") is not None)
    across, along = ("y", "x") if lying else ("x", "y")
    values = trace.get(across)
    if values is None:
        return []
    places, _ = plotly_on(state, across, values)
    weights = spec_numbers(trace[along]) if trace.get(along) is not None else None
    how, norm = trace.get("histfunc") or "count", trace.get("histnorm") or ""
    name, mark = trace.get("name"), "barh" if lying else "bar"
    kind = state["axes"][f"{across}_scale"]["kind"]
    cumulative = bool((trace.get("cumulative") or {}).get("enabled"))
    if kind == "category":
        order = list(dict.fromkeys(places.tolist()))
        edges = np.arange(len(state[across]) + 1) - 0.5
        heights = class_values(places, edges, weights, how, norm, cumulative)
        at = np.array(sorted(order))
        heights = heights[at.astype(int)]
        base = plotly_stacked(state, at, heights)
        named = [state[across][int(spot)] for spot in at]
        return [
            spec_series(
                mark, name, at, heights, named, base=base if base.any() else [], color=plotly_color(trace)
            )
        ]
    edges = plotly_edges(state, trace, across, kind)
    if len(edges) < 2:
        return []
    heights = class_values(places, edges, weights, how, norm, cumulative)
    middles = (edges[:-1] + edges[1:]) / 2
    filled = np.nonzero(np.nan_to_num(heights))[0]  # the browser leaves out empty classes at the ends
    if len(filled):
        middles, heights = (part[filled[0] : filled[-1] + 1] for part in (middles, heights))
    base = plotly_stacked(state, middles, heights)
    more: Drawn = {"width": float(edges[1] - edges[0]), "shape": "histogram", "color": plotly_color(trace)}
    more["base"] = base if base.any() else []
    return [spec_series(mark, name, middles, heights, **more)]


def plotly_edges(state: Drawn, trace: Drawn, across: str, kind: str) -> np.ndarray:
    """Return the edges of classes: those given, else chosen for all histograms of the subplot together."""
    given = trace.get(f"{across}bins") or {}
    mine = [
        spec_places(list(one[across]), kind, [])[0]
        for one in state["traces"]
        if one.get("type") == "histogram" and one.get(across) is not None
    ]
    values = np.concatenate(mine)
    values = values[np.isfinite(values)]
    if not len(values):
        return np.array([])
    size = given.get("size")
    if isinstance(size, int | float) and kind == "linear":
        start = float(given.get("start", np.floor(values.min() / size) * size))
        end = float(given.get("end", values.max() + size))
        return np.asarray(start + size * np.arange(int(np.ceil((end - start) / size - 1e-9)) + 1))
    most = next((one[f"nbins{across}"] for one in state["traces"] if one.get(f"nbins{across}")), 0)
    if kind == "date":
        return date_bins(values, most)
    start, step, count = auto_bins(values, most)
    return np.asarray(start + step * np.arange(count + 1))


def plotly_histogram_2d(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return a histogram of two columns as a grid of counts, or of sums or averages of a third."""
    edges, places, names = {}, {}, {}
    for which in ("x", "y"):
        kind = state["axes"][f"{which}_scale"]["kind"]
        places[which], _ = plotly_on(state, which, trace[which])
        clean = places[which][np.isfinite(places[which])]
        if kind == "category":
            edges[which] = np.arange(len(state[which]) + 1) - 0.5
            names[which] = list(state[which])
            continue
        if kind == "date":
            edges[which] = date_bins(clean, trace.get(f"nbins{which}") or 0)
        else:
            start, step, count = auto_bins(clean, trace.get(f"nbins{which}") or 0, 0.25)
            edges[which] = start + step * np.arange(count + 1)
        names[which] = [f"{value:.6g}" for value in (edges[which][:-1] + edges[which][1:]) / 2]
    size = len(edges["x"]) - 1
    column = np.searchsorted(edges["x"], places["x"], side="right") - 1
    row = np.searchsorted(edges["y"], places["y"], side="right") - 1
    inside = (column >= 0) & (column < size) & (row >= 0) & (row < len(edges["y"]) - 1)
    flat = np.where(inside, row * size + column, -1).astype(float)
    weights = spec_numbers(trace["z"]) if trace.get("z") is not None else None
    cells = np.arange(size * (len(edges["y"]) - 1) + 1) - 0.5
    heights = class_values(
        flat, cells, weights, trace.get("histfunc") or "count", trace.get("histnorm") or ""
    )
    return [spec_series("image", trace.get("name"), [], heights[:10000], names["x"], rows=names["y"])]


def plotly_boxes(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return boxes and violins with quartiles and whiskers as the browser computes them."""
    lying = trace.get("orientation") == "h" or (trace.get("y") is None and trace.get("x") is not None)
    across, along = ("y", "x") if lying else ("x", "y")
    mark = str(trace.get("type"))
    if trace.get("median") is not None:
        at, labels = plotly_on(state, across, trace.get(across, range(len(trace["median"]))))
        ready = {
            "y": "median",
            "lower_quartile": "q1",
            "upper_quartile": "q3",
            "low": "lowerfence",
            "high": "upperfence",
        }
        found = {key: spec_numbers(trace[name]) for key, name in ready.items() if trace.get(name) is not None}
        return [spec_series("box", trace.get("name"), at, found.pop("y"), labels, lying=lying, **found)]
    values = trace.get(along)
    if values is None:
        return []
    numbers = spec_numbers(values)
    places = trace.get(across)
    if places is None or len(places) != len(numbers):
        places = [trace.get(f"{across}0", trace.get("name") or "")] * len(numbers)
    at, labels = plotly_on(state, across, places)
    if trace.get("boxpoints") == "all" and str(trace.get("fillcolor", "")).replace(" ", "").endswith(",0)"):
        x, y = (numbers, at) if lying else (at, numbers)
        more = {"shape": "strip", "color": plotly_color(trace)}
        return [spec_series("point", trace.get("name"), x, y, labels, **more)]
    keys = pd.Series(at)
    groups = {spot: numbers[(keys == spot).to_numpy()] for spot in dict.fromkeys(at.tolist())}
    named = dict(zip(at.tolist(), labels, strict=False))
    found = spec_boxes({str(spot): group for spot, group in groups.items()})
    return [
        spec_series(
            mark,
            trace.get("name"),
            list(groups),
            found.pop("y"),
            [named[spot] for spot in groups] if labels else [],
            lying=lying,
            color=plotly_color(trace),
            **found,
        )
    ]


def plotly_grid(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return a heat map or contours, row by row; a picture is named as not read."""
    cells = trace.get("z")
    grid = np.asarray(cells if cells is not None else [], dtype=object)
    if trace.get("type") == "image" or grid.ndim != 2:
        state["axes"]["not_read"].append("a picture: its colours are no values")
        return []
    height, width = grid.shape
    labels = [spec_text(value) for value in trace["x"]] if trace.get("x") is not None else []
    rows = [spec_text(value) for value in trace["y"]] if trace.get("y") is not None else []
    text = trace.get("text")
    written = [str(value) for row in text for value in row] if text is not None and np.ndim(text) == 2 else []
    numbers = spec_numbers(grid.ravel())
    if not written and "z" in str(trace.get("texttemplate", "")):
        written = ["" if np.isnan(value) else f"{value:.3g}" for value in numbers]
    shape = "contour" if trace.get("type") == "contour" else ""
    more = {"rows": rows if len(rows) == height else [], "texts": written, "shape": shape}
    return [
        spec_series(
            "image", trace.get("name"), [], numbers[:10000], labels if len(labels) == width else [], **more
        )
    ]


def plotly_shares(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return the shares of a pie, or of the first level of a tree."""
    labels, values, parents = (trace.get(key) for key in ("labels", "values", "parents"))
    if labels is None:
        return []
    numbers = spec_numbers(values) if values is not None else np.ones(len(labels))
    table = pd.DataFrame({"label": [spec_text(value) for value in labels], "value": numbers})
    if parents is not None:
        table["parent"] = [str(value or "") for value in parents]
        roots = table[table["parent"] == ""]
        top = table[table["parent"].isin(roots["label"])] if len(roots) == 1 else roots
        table = top if len(top) else roots
    totals = table.groupby("label", sort=False)["value"].sum()
    totals = totals if trace.get("sort") is False else totals.sort_values(ascending=False, kind="stable")
    whole = float(totals.sum())
    shares = totals.to_numpy() / whole if whole else totals.to_numpy()
    return [
        spec_series(
            "wedge", trace.get("name"), range(len(shares)), shares, totals.index, values=totals.to_numpy()
        )
    ]


def plotly_region(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return the value of every region of a map."""
    state["axes"]["projection"] = "map"
    if trace.get("z") is None or trace.get("locations") is None:
        return []
    values = spec_numbers(trace["z"])
    names = [spec_text(value) for value in trace["locations"]]
    return [spec_series("point", trace.get("name"), range(len(values)), values, names, shape="region")]


def plotly_solid(state: Drawn, trace: Drawn) -> list[Drawn]:
    """Return points in three dimensions: x, y, and z as their values."""
    if any(trace.get(key) is None for key in "xyz"):
        return []
    x, y, z = (spec_numbers(trace[key]) for key in "xyz")
    mark = "line" if trace.get("mode") == "lines" else "point"
    return [spec_series(mark, trace.get("name"), x, y, values=z, color=plotly_color(trace))]


def plotly_splom(trace: Drawn, result: list[Drawn]) -> None:
    """Add the lower half of a matrix of scatters, one axes a pair of columns, each trace a series."""
    columns = [(str(one.get("label") or ""), one.get("values")) for one in trace.get("dimensions") or []]
    known = {(axes["xlabel"], axes["ylabel"]): axes for axes in result}
    for at, (y_name, y_values) in enumerate(columns[:6]):
        for x_name, x_values in columns[:at]:
            axes = known.get((x_name, y_name)) or spec_axes("plotly")
            if (x_name, y_name) not in known:
                result.append(axes)
            axes["xlabel"], axes["ylabel"] = x_name, y_name
            if isinstance(x_values, list | np.ndarray) and isinstance(y_values, list | np.ndarray):
                x, y = spec_numbers(x_values), spec_numbers(y_values)
                rho = spec_rank_correlation(x, y)
                axes["series"].append(spec_series("point", trace.get("name"), x, y, rank_correlation=rho))
            spec_limits(axes)
