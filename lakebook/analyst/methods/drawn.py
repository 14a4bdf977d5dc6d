"""What the open matplotlib figures show, as plain numbers: facts then come from what is drawn.

What belongs here: `drawn_data`, the axes with their scales, labels and legends. What does not: the artists
(`drawn_marks`, `drawn_spans`), figures of other libraries (`shown_plotly` and its neighbours), reading the
result back and judging it (`lakebook.enhancement`). Paper: NotebookRAG §4.2.4.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lakebook.analyst.methods.drawn_marks import (
    drawn_events,
    drawn_grids,
    drawn_lines,
    drawn_points,
    drawn_unread,
    drawn_wedges,
)
from lakebook.analyst.methods.drawn_panel import (
    Drawn,
    drawn_days,
    drawn_is_date,
    drawn_number,
    drawn_panel,
)
from lakebook.analyst.methods.drawn_spans import (
    drawn_areas,
    drawn_bars,
    drawn_boxes,
    drawn_steps,
    drawn_violins,
)

DRAWN_MOST = 40_000


def drawn_data() -> list[Drawn]:
    """Return the axes of every open figure as lists and dictionaries, and close figures that are empty."""
    result: list[Drawn] = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        if not figure.axes:
            plt.close(number)
            continue
        count = len({axes["figure"] for axes in result})
        for axes in drawn_figure(figure):
            twin = axes["twin"] + (len(result) - axes["place"] if axes["twin"] >= 0 else 0)
            result.append({**axes, "figure": count, "twin": twin})
    return drawn_thinned(result)


def drawn_figure(figure: Figure) -> list[Drawn]:
    """Return the axes of one figure; `twin` is the place among them of the axes in the same panel."""
    panels = drawn_panels(figure)
    result = []
    for place, axes in enumerate(panels):
        twin = next((at for at, other in enumerate(panels) if drawn_is_twin(axes, other)), -1)
        alone = len(panels) == 1 or (len(panels) == 2 and twin >= 0)
        result.append({**drawn_axes(axes, alone), "place": place, "twin": twin})
    return result


def drawn_panels(figure: Figure) -> list[Axes]:
    """Return the visible axes of a figure with its insets, without colour bars."""
    found = []
    for axes in figure.axes:
        if axes.get_visible() and axes.get_label() != "<colorbar>" and not hasattr(axes, "_colorbar"):
            found.append(axes)
            found += [inset for inset in axes.child_axes if isinstance(inset, Axes) and inset.has_data()]
    return found


def drawn_is_twin(one: Axes, other: Axes) -> bool:
    """Return True for two axes that stand in one panel."""
    return one is not other and bool(
        np.allclose(one.get_position().bounds, other.get_position().bounds, atol=1e-3)
    )


def drawn_thinned(result: list[Drawn]) -> list[Drawn]:
    """Keep every n-th value of long series where all of them together are too many to send."""
    total = sum(len(series["y"]) for axes in result for series in axes["series"])
    step = -(-total // DRAWN_MOST)
    for axes in result if step > 1 else []:
        for series in axes["series"]:
            size = len(series["y"])
            if size > 100 and series["mark"] != "image":
                for key, value in series.items():
                    if isinstance(value, list) and len(value) == size:
                        series[key] = value[::step]
    return result


def drawn_axes(axes: Axes, alone: bool = True) -> Drawn:
    """Return one axes: its labels and scales, and a series for each group of artists."""
    panel = drawn_panel(axes)
    found = drawn_bars(panel) + drawn_boxes(panel) + drawn_violins(panel)
    found += drawn_lines(panel, short_too=not found)
    found += drawn_points(panel) + drawn_grids(panel) + drawn_steps(panel)
    found += drawn_wedges(panel) + drawn_areas(panel, found) + drawn_events(panel)
    return {
        "title": drawn_title(axes, alone),
        "xlabel": drawn_axis_label(axes, "x"),
        "ylabel": drawn_axis_label(axes, "y"),
        "x_is_date": panel["date"],
        "categories": max(len(set(panel["x_names"].values())), len(set(panel["y_names"].values()))),
        "series": found,
        "x_scale": drawn_scale(panel, "x"),
        "y_scale": drawn_scale(panel, "y"),
        "projection": {"rectilinear": "rectilinear", "polar": "polar", "3d": "3d"}.get(axes.name, "map"),
        "library": "matplotlib",
        "legend": panel["legend_title"],
        "color_label": panel["color_label"],
        "not_read": drawn_unread(panel),
    }


def drawn_title(axes: Axes, alone: bool) -> str:
    """Return the title of an axes, that of the figure if it stands alone there."""
    own = next((text for side in ("center", "left", "right") if (text := axes.get_title(loc=side))), "")
    return own or (axes.figure.get_suptitle() if alone else "")


def drawn_axis_label(axes: Axes, which: str) -> str:
    """Return the label of an axis; of one that shares its ticks with a labelled neighbour, that label."""
    own: str = axes.get_xlabel() if which == "x" else axes.get_ylabel()
    if own.strip():
        return own
    shared = axes.get_shared_x_axes() if which == "x" else axes.get_shared_y_axes()
    others = [other for other in shared.get_siblings(axes) if other is not axes]
    labels = {other.get_xlabel() if which == "x" else other.get_ylabel() for other in others} - {""}
    if len(labels) == 1 and not any(drawn_is_twin(axes, other) for other in others):
        return str(labels.pop())
    return axes.figure.get_supxlabel() if which == "x" else axes.figure.get_supylabel()


def drawn_scale(panel: Drawn, which: str) -> Drawn:
    """Return how one axis turns values into places: its kind, its limits, its direction."""
    axes = panel["axes"]
    axis = axes.xaxis if which == "x" else axes.yaxis
    kind = axis.get_scale()
    if which == "x" and panel["date"]:
        kind = "date"
    elif panel[f"{which}_names"]:
        kind = "category"
    elif which == "y" and drawn_is_date(axis):
        kind = "date"
    first, last = (float(limit) for limit in axis.get_view_interval())
    if which == "x" and kind == "date":
        first, last = drawn_days(axes, [first, last])
    return {
        "kind": kind if kind in ("linear", "log", "date", "category") else "other",
        "low": drawn_number(min(first, last)),
        "high": drawn_number(max(first, last)),
        "inverted": bool(axis.get_inverted()),
    }
