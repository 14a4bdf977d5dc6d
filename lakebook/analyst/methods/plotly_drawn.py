"""What a figure of plotly shows, read from its JSON: axes, scales and the marks of every kind of trace.

What belongs here: subplots and their axes, and which reader a trace has. What does not: the readers of traces
(`plotly_traces`), the binning of the browser (`plotly_bins`). Paper: NotebookRAG §4.2.4.
"""

import base64
import re
from typing import Any

import numpy as np

from lakebook.analyst.methods.drawn_panel import Drawn
from lakebook.analyst.methods.plotly_traces import (
    plotly_bars,
    plotly_boxes,
    plotly_grid,
    plotly_histogram,
    plotly_histogram_2d,
    plotly_lines,
    plotly_region,
    plotly_shares,
    plotly_solid,
    plotly_splom,
)
from lakebook.analyst.methods.spec_panel import spec_axes, spec_kind, spec_limits

PLOTLY_TYPES = {
    "f8": "<f8", "f4": "<f4", "i1": "i1", "u1": "u1", "i2": "<i2", "u2": "<u2", "i4": "<i4", "u4": "<u4",
    "i8": "<i8", "u8": "<u8", "uint8c": "u1",
}  # fmt: skip
PLOTLY_ARRAYS = [
    "x",
    "y",
    "z",
    "r",
    "theta",
    "a",
    "b",
    "c",
    "lat",
    "lon",
    "labels",
    "parents",
    "values",
    "locations",
    "text",
    "open",
    "high",
    "low",
    "close",
    "base",
    "q1",
    "median",
    "q3",
    "lowerfence",
    "upperfence",
    "width",
    "customdata",
]


def plotly_axes(figure: Drawn) -> list[Drawn]:
    """Return the axes of one plotly figure (its JSON, read), as `drawn_data` does those of matplotlib."""
    layout = figure.get("layout") or {}
    panels: dict[str, Drawn] = {}
    result: list[Drawn] = []
    for trace in figure.get("data") or []:
        if trace.get("visible") in (False, "legendonly"):
            continue
        opened = plotly_opened(trace)
        if opened.get("type", "scatter") == "splom":
            plotly_splom(opened, result)
            continue
        key = plotly_place(opened, len(panels))
        panel = panels.setdefault(key, {"key": key, "traces": []})
        panel["traces"].append(opened)
    for panel in panels.values():
        result.append(plotly_panel(panel, layout))
    plotly_twins(result, layout)
    frames = len(figure.get("frames") or [])
    for axes in result:
        if frames:
            axes["not_read"].append(f"an animation of {frames} frames: the first picture is read")
        axes["title"] = axes["title"] or (
            plotly_title(layout) if len(result) == 1 or axes.get("twin", -1) >= 0 else ""
        )
        axes["legend"] = plotly_title(layout.get("legend") or {})
        colors = (layout.get("coloraxis") or {}).get("colorbar") or {}
        axes["color_label"] = axes["color_label"] or plotly_title(colors)
    return result


def plotly_reader(kind: str) -> Any:
    """Return the reader of a kind of trace, None if there is none."""
    readers = {
        "scatter": plotly_lines, "scattergl": plotly_lines, "scatterpolar": plotly_lines,
        "scatterpolargl": plotly_lines, "scattergeo": plotly_lines, "scattermap": plotly_lines,
        "scattermapbox": plotly_lines, "densitymap": plotly_lines, "densitymapbox": plotly_lines,
        "candlestick": plotly_lines, "ohlc": plotly_lines, "scatterternary": plotly_lines,
        "bar": plotly_bars, "barpolar": plotly_bars, "funnel": plotly_bars, "waterfall": plotly_bars,
        "histogram": plotly_histogram, "histogram2d": plotly_histogram_2d,
        "histogram2dcontour": plotly_histogram_2d, "box": plotly_boxes, "violin": plotly_boxes,
        "heatmap": plotly_grid, "contour": plotly_grid, "image": plotly_grid,
        "pie": plotly_shares, "funnelarea": plotly_shares, "sunburst": plotly_shares,
        "treemap": plotly_shares, "icicle": plotly_shares,
        "choropleth": plotly_region, "choroplethmap": plotly_region, "choroplethmapbox": plotly_region,
        "scatter3d": plotly_solid,
    }  # fmt: skip
    return readers.get(kind)


def plotly_opened(trace: Drawn) -> Drawn:
    """Return a trace with its arrays opened, also those that are packed as bytes."""
    opened = dict(trace)
    for key in PLOTLY_ARRAYS:
        if key in opened:
            opened[key] = plotly_values(opened[key])
    if isinstance(opened.get("dimensions"), list):
        opened["dimensions"] = [
            {**one, "values": plotly_values(one.get("values"))} for one in opened["dimensions"]
        ]
    for part in ("marker", "line", "error_x", "error_y"):
        if isinstance(opened.get(part), dict):
            opened[part] = {key: plotly_values(value) for key, value in opened[part].items()}
    return opened


def plotly_values(value: Any) -> Any:
    """Return an array of plotly's JSON: a list as it is, packed bytes as numbers."""
    if not isinstance(value, dict) or "bdata" not in value:
        return value
    packed = base64.b64decode(value["bdata"])
    numbers = np.frombuffer(packed, dtype=PLOTLY_TYPES.get(str(value.get("dtype")), "<f8"))
    shape = [int(side) for side in re.findall(r"\d+", str(value.get("shape", "")))]
    return numbers.reshape(shape) if len(shape) > 1 else numbers


def plotly_place(trace: Drawn, count: int) -> str:
    """Return what tells one subplot from another."""
    kind = trace.get("type", "scatter")
    for part in ("geo", "map", "mapbox", "polar", "scene", "ternary", "subplot"):
        if part in trace or kind == f"scatter{part}" or kind in (f"density{part}", f"bar{part}"):
            return f"{part} {trace.get(part) or trace.get('subplot', '')}"
    if plotly_reader(kind) is plotly_shares or kind in (
        "indicator",
        "table",
        "sankey",
        "parcoords",
        "parcats",
    ):
        return f"domain {count}"
    if kind in ("scatter3d", "surface", "mesh3d", "cone", "streamtube", "volume", "isosurface"):
        return f"scene {trace.get('scene', '')}"
    if kind.startswith("choropleth"):
        return "geo"
    return f"{trace.get('xaxis') or 'x'} {trace.get('yaxis') or 'y'}"


def plotly_title(holder: Drawn) -> str:
    """Return the text of a title, which is a text or a dictionary, without its tags."""
    title = holder.get("title") or ""
    text = title.get("text") or "" if isinstance(title, dict) else title
    return re.sub(r"<br ?/?>", " ", str(text)).replace("<b>", "").replace("</b>", "")


def plotly_axis(layout: Drawn, name: str) -> Drawn:
    """Return the settings of an axis by its short name: x, y2."""
    return layout.get(f"{name[:1]}axis{name[1:]}") or {}


def plotly_panel(panel: Drawn, layout: Drawn) -> Drawn:
    """Return one subplot."""
    axes = spec_axes("plotly")
    first = panel["traces"][0]
    kind = panel["key"].split(" ")[0]
    flat = not re.match(r"[a-z]{3,}", kind)
    axes["projection"] = {"scene": "3d", "polar": "polar"}.get(
        kind, "rectilinear" if flat or kind == "domain" else "map"
    )
    axes["place"] = panel["key"]
    state: Drawn = {"layout": layout, "axes": axes, "traces": panel["traces"], "x": [], "y": [], "piled": {}}
    if flat:
        x_name, y_name = panel["key"].split(" ")
        for which, name in (("x", x_name), ("y", y_name)):
            plotly_scale(state, which, plotly_axis(layout, name))
            axes[f"{which}label"] = plotly_axis_title(layout, name)
        axes["title"] = plotly_facet(layout, x_name, y_name)
    for trace in panel["traces"]:
        reader = plotly_reader(str(trace.get("type", "scatter")))
        if reader is None:
            axes["not_read"].append(f"{trace.get('type')}: this kind of trace is not read")
        else:
            axes["series"] += reader(state, trace)
    if first.get("type") in ("pie", "sunburst", "treemap", "icicle", "funnelarea") and isinstance(
        first.get("title"), dict
    ):
        axes["title"] = plotly_title(first)
    spec_limits(axes)
    return axes


def plotly_axis_title(layout: Drawn, name: str) -> str:
    """Return the title of an axis, that of the axis it is matched to if it has none."""
    axis = plotly_axis(layout, name)
    own = plotly_title(axis)
    if own or not axis.get("matches"):
        return own
    family = [key for key in layout if key.startswith(f"{name[:1]}axis")]
    titles = {plotly_title(layout[key]) for key in family if isinstance(layout[key], dict)} - {""}
    return titles.pop() if len(titles) == 1 else ""


def plotly_scale(state: Drawn, which: str, axis: Drawn) -> None:
    """Set the kind, limits and direction of one axis; categories that are listed stand in their order."""
    scale = state["axes"][f"{which}_scale"]
    kind = axis.get("type") or "-"
    if kind == "-":
        values: list[Any] = []
        for trace in state["traces"]:
            found = plotly_along(trace, which)
            values += list(np.ravel(np.asarray(found, dtype=object)))[:2000] if found is not None else []
        kind = spec_kind(values)
    if kind == "multicategory":
        state["axes"]["not_read"].append("categories of two levels are read by their texts")
        kind = "category"
    scale["kind"] = kind if kind in ("linear", "log", "date", "category") else "other"
    if kind == "category" and axis.get("categoryarray") is not None:
        state[which] += [str(value) for value in plotly_values(axis["categoryarray"])]
    limits = axis.get("range")
    scale["inverted"] = axis.get("autorange") == "reversed"
    if isinstance(limits, list) and len(limits) == 2 and kind in ("linear", "log"):
        first, last = (float(limit) for limit in limits)
        scale["inverted"] = first > last
        scale["low"], scale["high"] = sorted((10**first, 10**last) if kind == "log" else (first, last))


def plotly_along(trace: Drawn, which: str) -> Any:
    """Return the values of a trace along an axis; a box without places stands at its name."""
    value = trace.get(which)
    if value is None and trace.get("type") in ("box", "violin"):
        across = "y" if trace.get("orientation") == "h" else "x"
        return [str(trace.get("name") or "")] if which == across else None
    if trace.get("type") == "histogram" and value is None:
        return None
    return value


def plotly_facet(layout: Drawn, x_name: str, y_name: str) -> str:
    """Return the annotation that stands over a subplot, or right of its row."""
    x_domain = plotly_axis(layout, x_name).get("domain") or [0, 1]
    y_domain = plotly_axis(layout, y_name).get("domain") or [0, 1]
    found = []
    for note in layout.get("annotations") or []:
        if note.get("showarrow") or note.get("xref") != "paper" or note.get("yref") != "paper":
            continue
        x, y = float(note.get("x") or 0), float(note.get("y") or 0)
        over = abs(x - sum(x_domain) / 2) < 0.02 and abs(y - y_domain[1]) < 0.05
        right = note.get("textangle") and x > 0.9 and abs(y - sum(y_domain) / 2) < 0.02
        if (over or right) and (x_domain != [0, 1] or y_domain != [0, 1]):
            found.append(str(note.get("text", "")))
    return ", ".join(found)


def plotly_twins(result: list[Drawn], layout: Drawn) -> None:
    """Tell the axes that lie over others."""
    for at, axes in enumerate(result):
        parts = axes.pop("place", "").split(" ")
        over = (
            plotly_axis(layout, parts[1]).get("overlaying")
            if len(parts) == 2 and parts[1][:1] == "y"
            else None
        )
        if over:
            axes["twin"] = max((n for n in range(at) if result[n]["library"] == "plotly"), default=-1)
