"""Bars, boxes, violins, steps and areas of a matplotlib axes as plain numbers.

What belongs here: marks that span from one place to another. What does not: marks at one place
(`drawn_marks`), axes and legends (`drawn`). Paper: NotebookRAG §4.2.4.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.container import BarContainer
from matplotlib.patches import PathPatch, Polygon, Rectangle, StepPatch

from lakebook.analyst.methods.drawn_marks import (
    drawn_curves,
    drawn_errors,
    drawn_interval,
    drawn_own_lines,
    drawn_xy,
)
from lakebook.analyst.methods.drawn_panel import (
    Drawn,
    drawn_at,
    drawn_color,
    drawn_dates,
    drawn_days,
    drawn_number,
    drawn_series,
    drawn_text,
)


def drawn_bars(panel: Drawn) -> list[Drawn]:
    """Return bar containers, upright or lying, with the categories they stand at and their error bars."""
    axes = panel["axes"]
    groups = [
        (c.get_label(), list(c), getattr(c, "orientation", None))
        for c in axes.containers
        if isinstance(c, BarContainer)
    ]
    if not groups:
        loose = [p for p in axes.patches if isinstance(p, Rectangle) and p.get_transform() == axes.transData]
        loose = [p for p in loose if p.get_width() or p.get_height()]
        groups = [("", loose, None)] if loose else []
    errors = drawn_errors(panel) if groups else []
    result = []
    for label, bars, orientation in groups:
        if bars:
            result.append(drawn_bar_group(panel, label, bars, orientation == "horizontal", errors))
    return result


def drawn_bar_group(panel: Drawn, label: Any, bars: list[Any], lying: bool, errors: list[Any]) -> Drawn:
    """Return the bars of one container."""
    middles = [b.get_y() + b.get_height() / 2 if lying else b.get_x() + b.get_width() / 2 for b in bars]
    widths = [float(b.get_height() if lying else b.get_width()) for b in bars]
    values = np.array([b.get_width() if lying else b.get_height() for b in bars], dtype=float)
    starts = np.array([b.get_x() if lying else b.get_y() for b in bars], dtype=float)
    names = drawn_at(panel["y_names" if lying else "x_names"], middles)
    along = "x" if lying else "y"
    interval = drawn_interval(middles, values + starts, [span for span, _ in errors], along)
    if interval:
        places = {round(middle, 6) for middle in middles}
        panel["used"].update(
            id(a) for (axis, at, *_), a in errors if axis == along and round(at, 6) in places
        )
    shape = "" if names else drawn_touching(middles, widths)
    if panel["date"] and not lying:
        middles = drawn_days(panel["axes"], middles)
        names = names or ([] if shape else drawn_dates(middles))
    name = str(label) if label and not str(label).startswith("_") else drawn_text(panel, bars[0])
    more = {
        "width": drawn_number(widths[0]),
        "shape": shape,
        "base": starts if np.nan_to_num(starts).any() else [],
        "color": drawn_color(bars[0]) if len({drawn_color(bar) for bar in bars}) == 1 else "",
        "texts": drawn_bar_texts(panel, bars, lying),
        **interval,
    }
    return drawn_series("barh" if lying else "bar", name, middles, values, names, **more)


def drawn_bar_texts(panel: Drawn, bars: list[Any], lying: bool) -> list[str]:
    """Return what is written at the end of each bar; nothing if that is not so for every bar."""
    side = 1 if lying else 0
    near: dict[float, str] = {}
    for text in panel["axes"].texts:
        place = getattr(text, "xy", text.get_position())
        if isinstance(place[side], int | float | np.number):
            near[round(float(place[side]), 3)] = text.get_text()
    found = []
    for bar in bars if near else []:
        middle = bar.get_y() + bar.get_height() / 2 if lying else bar.get_x() + bar.get_width() / 2
        edge = bar.get_y() if lying else bar.get_x()
        found.append(near.get(round(float(middle), 3), near.get(round(float(edge), 3), "")))
    return found if found and all(found) else []


def drawn_touching(middles: list[float], widths: list[float]) -> str:
    """Return `histogram` for bars that touch each other, for these are classes of numbers."""
    if len(middles) < 3:
        return ""
    edges = [(m - w / 2, m + w / 2) for m, w in zip(middles, widths, strict=True)]
    slack = 1e-6 * max(abs(edges[0][0]), abs(edges[-1][1]), 1e-12)
    return "histogram" if all(abs(a[1] - b[0]) <= slack for a, b in pairwise(edges)) else ""


def drawn_boxes(panel: Drawn) -> list[Drawn]:
    """Return box plots, whose boxes are patches (seaborn) or closed lines (matplotlib), by colour."""
    axes = panel["axes"]
    lines = [(line, drawn_xy(line)) for line in axes.lines]
    spans = [points for _, points in lines if len(points) == 2]
    patches = [(p, np.asarray(p.get_path().vertices)) for p in axes.patches if isinstance(p, PathPatch)]
    boxes = [(p, box) for p, box in patches if len(box) <= 12] + [pair for pair in lines if len(pair[1]) == 5]
    if not boxes or len(spans) < 3 * len(boxes):
        return drawn_letter_values(panel, spans)
    for lying in (False, True):
        found = [drawn_box(box, spans, lying) for _, box in boxes]
        if all(found):
            panel["used"].update(id(line) for line, points in lines if len(points) <= 5)
            panel["used"].update(id(line) for line, _ in lines if line.get_linestyle() in ("None", "", " "))
            return drawn_box_series(panel, [artist for artist, _ in boxes], [f for f in found if f], lying)
    return []


def drawn_letter_values(panel: Drawn, spans: list[np.ndarray]) -> list[Drawn]:
    """Return the medians of a letter-value plot, whose boxes are collections of rectangles."""
    nests = [c for c in panel["axes"].collections if type(c).__name__ == "PatchCollection"]
    nests = [c for c in nests if c.get_paths() and all(len(path.vertices) == 5 for path in c.get_paths())]
    if not nests or len(spans) != len(nests):
        return []
    lying = bool(all(span[0, 0] == span[1, 0] for span in spans))
    along, across = (0, 1) if lying else (1, 0)
    places = [float(span[:, across].mean()) for span in spans]
    names = drawn_at(panel["y_names" if lying else "x_names"], places)
    panel["used"].update(id(line) for line in drawn_own_lines(panel) if len(drawn_xy(line)) == 2)
    ends = [np.concatenate([path.vertices[:, along] for path in nest.get_paths()]) for nest in nests]
    more = {"lying": lying, "shape": "letter values"}
    more.update(low=np.array([e.min() for e in ends]), high=np.array([e.max() for e in ends]))
    return [drawn_series("box", "", places, [float(span[0, along]) for span in spans], names, **more)]


def drawn_box(box: np.ndarray, spans: list[np.ndarray], lying: bool) -> Drawn | None:
    """Return place, median, quartiles and whiskers of one box; None if no median lies across it."""
    across, along = (1, 0) if lying else (0, 1)
    left, right = float(box[:, across].min()), float(box[:, across].max())
    low, high = float(box[:, along].min()), float(box[:, along].max())
    middle, size = (left + right) / 2, max(right - left, 1e-12)
    median, whiskers = None, [low, high]
    for span in spans:
        ends = np.sort(span[:, across])
        flat = span[0, along] == span[1, along]
        inside = low - 1e-9 * abs(low) <= span[0, along] <= high + 1e-9 * abs(high)
        wide = 0.2 * size <= ends[1] - ends[0] <= 1.001 * size and abs(ends.mean() - middle) < 0.01 * size
        if median is None and flat and inside and wide and ends[1] - ends[0] > 0.45 * size:
            median = float(span[0, along])
        upright = ends[0] == ends[1] and abs(ends[0] - middle) < 0.01 * size
        if upright and (np.isclose(span[:, along], low).any() or np.isclose(span[:, along], high).any()):
            whiskers += span[:, along].tolist()
    if median is None:
        return None
    return {
        "at": middle,
        "median": median,
        "q1": low,
        "q3": high,
        "low": min(whiskers),
        "high": max(whiskers),
    }


def drawn_box_series(panel: Drawn, artists: list[Any], boxes: list[Drawn], lying: bool) -> list[Drawn]:
    """Return one series of boxes, or one a colour where the legend tells colours apart."""
    names = drawn_at(panel["y_names" if lying else "x_names"], [box["at"] for box in boxes])
    colors = [drawn_color(artist) for artist in artists]
    told = [panel["legend"].get(color, "") for color in colors]
    groups = list(dict.fromkeys(told)) if all(told) and len(set(told)) > 1 else [""]
    result = []
    for group in groups:
        mine = [at for at in range(len(boxes)) if not group or told[at] == group]
        chosen = [boxes[at] for at in mine]
        more = {
            "lying": lying,
            "lower_quartile": np.array([box["q1"] for box in chosen]),
            "upper_quartile": np.array([box["q3"] for box in chosen]),
            "low": np.array([box["low"] for box in chosen]),
            "high": np.array([box["high"] for box in chosen]),
        }
        places, medians = [box["at"] for box in chosen], [box["median"] for box in chosen]
        result.append(
            drawn_series("box", group, places, medians, [names[at] for at in mine] if names else [], **more)
        )
    return result


def drawn_violins(panel: Drawn) -> list[Drawn]:
    """Return violins: their medians where these are drawn, else (shape `mode`) where they are widest."""
    groups: dict[tuple[str, bool], list[Drawn]] = {}
    marks = [drawn_xy(line)[0] for line in drawn_own_lines(panel) if len(drawn_xy(line)) == 1]
    for artist in panel["axes"].collections:
        if type(artist).__name__ != "FillBetweenPolyCollection":
            continue
        lying = artist.t_direction == "x"
        curves = drawn_curves(artist)
        if curves is None or len(curves[0]) < 20:
            continue
        along, left, right = curves
        middles = (left + right) / 2
        if np.ptp(middles) > 1e-6 * max(np.ptp(along), 1e-12) or np.ptp(right - left) == 0:
            continue
        at = float(middles.mean())
        spot = 1 if lying else 0
        dots = [mark[1 - spot] for mark in marks if abs(mark[spot] - at) < 1e-6]
        widest = float(along[int(np.argmax(right - left))])
        one = {"at": at, "median": dots[0] if dots else None, "mode": widest}
        one.update(low=float(along.min()), high=float(along.max()))
        groups.setdefault((drawn_text(panel, artist), lying), []).append(one)
        panel["used"].add(id(artist))
    if groups:
        panel["used"].update(id(c) for c in panel["axes"].collections if isinstance(c, LineCollection))
        short = [line for line in drawn_own_lines(panel) if len(drawn_xy(line)) <= 2]
        panel["used"].update(id(line) for line in short)
    result = []
    for (name, lying), found in groups.items():
        known = all(one["median"] is not None for one in found)
        places = [one["at"] for one in found]
        labels = drawn_at(panel["y_names" if lying else "x_names"], places)
        more = {
            "lying": lying,
            "shape": "" if known else "mode",
            "low": np.array([one["low"] for one in found]),
            "high": np.array([one["high"] for one in found]),
        }
        values = [one["median" if known else "mode"] for one in found]
        result.append(drawn_series("violin", name, places, values, labels, **more))
    return result


def drawn_steps(panel: Drawn) -> list[Drawn]:
    """Return histograms that are drawn as one outline, bin by bin."""
    result = []
    for patch in panel["axes"].patches:
        edges = heights = None
        if isinstance(patch, StepPatch):
            heights, edges, _ = patch.get_data()
        elif isinstance(patch, Polygon) and patch.get_transform() == panel["axes"].transData:
            points = np.asarray(patch.get_xy(), dtype=float)
            half = points[: len(points) // 2 + 1] if patch.get_fill() and len(points) > 5 else points
            turns = half[:, 0][1:] - half[:, 0][:-1]
            wide = turns > 0
            level = half[:, 1][1:] == half[:, 1][:-1]
            if len(points) >= 5 and wide.any() and level[wide].all() and (turns >= 0).all():
                edges = np.append(half[:-1, 0][wide], half[1:, 0][wide][-1])
                heights = half[:-1, 1][wide]
        if edges is not None and heights is not None and len(edges) == len(heights) + 1:
            sizes = np.diff(edges)
            more = {"width": drawn_number(sizes[0]), "shape": "histogram", "color": drawn_color(patch)}
            middles = edges[:-1] + sizes / 2
            result.append(drawn_series("bar", drawn_text(panel, patch), middles, heights, **more))
    return result


def drawn_areas(panel: Drawn, found: list[Drawn]) -> list[Drawn]:
    """Return filled areas: upper curve, and the lower one as base; stepped ones are histograms."""
    result = []
    tops: list[np.ndarray] = []
    edges = [(one["x"], one["y"]) for one in found if one["mark"] == "line"]
    for artist in panel["axes"].collections:
        if type(artist).__name__ != "FillBetweenPolyCollection" or id(artist) in panel["used"]:
            continue
        curves = drawn_curves(artist)
        if curves is None or not artist.get_visible():
            continue
        at, low, high = curves
        name = drawn_text(panel, artist)
        turns = np.diff(at)
        if artist.t_direction == "x" and (turns == 0).any() and not np.ptp(low):
            wide = turns > 0
            more: Drawn = {
                "width": drawn_number(turns[wide][0]) if wide.any() else None,
                "shape": "histogram",
            }
            result.append(drawn_series("bar", name, (at[:-1] + turns / 2)[wide], high[:-1][wide], **more))
            continue
        x = at.tolist()
        labels: list[str] = []
        if panel["date"] and artist.t_direction == "x":
            x = drawn_days(panel["axes"], x)
            labels = drawn_dates(x)
        steps = np.diff(at)
        smooth = len(at) >= 100 and bool(np.allclose(steps, steps[0])) and not np.ptp(low)
        shape = "density" if smooth and "ensity" in panel["axes"].get_ylabel() else "band"
        stacked = any(len(top) == len(low) and np.allclose(top, low) for top in tops)
        tops.append(high)
        shape = "" if shape == "band" and (stacked or not np.ptp(low)) else shape
        more = {"shape": shape, "base": low if np.any(low) else [], "color": drawn_color(artist)}
        more["lying"] = artist.t_direction == "y"
        made = drawn_series("area", name, x, high, labels, **more)
        if (made["x"], made["y"]) not in edges:
            result.append(made)
        elif stacked:  # its edge is drawn as a line, which then shows a sum and not its own values
            line = next(one for one in found if one["mark"] == "line" and one["y"] == made["y"])
            line |= {"shape": "stacked", "base": made["base"]}
    return result
