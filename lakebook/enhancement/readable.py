"""Whether a figure is worth showing, judged from its drawn data as a reader would.

Empty, a single point, nothing but missing values, a constant, or more categories than anyone can tell apart:
each is a reason to drop the component, in words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lakebook.analyst.figure_lint.data import ordered
from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries

MOST_CATEGORIES = 30
_MOST_LINES = 20
_MOST_WEDGES = 12
_MOST_CELLS = 60 * 60
_MOST_AXES = 25


def unreadable(axes: Sequence[DrawnAxes]) -> str:
    """Return why the figures show nothing to a reader, "" if they do.

    A figure of several axes is kept if most of them can be read.
    """
    if not axes:
        return "it draws no figure"
    if len(axes) > _MOST_AXES:
        return f"it draws {len(axes)} small figures, too many to read"
    drawn = [one for one in axes if one.series]
    if not drawn and any(one.not_read for one in axes):
        return ""  # a picture, a net, a table: nothing that could be judged
    if not drawn:
        return "the figure is empty"
    problems = [problem for one in drawn if (problem := _problem(one))]
    return problems[0] if len(problems) * 2 > len(drawn) else ""


def _problem(axes: DrawnAxes) -> str:
    values = [value for series in axes.series for value in _values(series)]
    present = [value for value in values if not math.isnan(value)]
    if not present:
        return "all drawn values are missing"
    if len(present) == 1 and not any(series.mark == "violin" for series in axes.series):
        return "the figure shows a single value"
    named = [label for series in axes.series for label in series.labels]
    crowded = max(axes.categories, *(_categories(series) for series in axes.series))
    # Bars or boxes over dates and numbers are read as an outline, not one by one.
    if ordered(list(dict.fromkeys(named))) and axes.x_scale.kind != "other":
        crowded = 0
    if crowded > MOST_CATEGORIES and not any(series.mark == "image" for series in axes.series):
        return f"the figure shows {crowded} categories, more than a reader can tell apart ({MOST_CATEGORIES})"
    lines = sum(series.mark == "line" for series in axes.series)
    if lines > _MOST_LINES:
        return f"the figure shows {lines} lines, more than a reader can tell apart ({_MOST_LINES})"
    return _mark_problem(axes, present)


def _mark_problem(axes: DrawnAxes, present: Sequence[float]) -> str:
    wedges = sum(len(series.y) for series in axes.series if series.mark == "wedge")
    if wedges > _MOST_WEDGES:
        return f"the pie has {wedges} wedges, more than a reader can tell apart ({_MOST_WEDGES})"
    cells = sum(len(series.y) for series in axes.series if series.mark == "image")
    if cells > _MOST_CELLS:
        return f"the image has {cells} cells, more than a reader can tell apart"
    # A flat histogram says something, a flat line or bar chart of categories does not.
    flat = len(present) > 2 and max(present) == min(present)
    if flat and not all(series.mark == "bar" and not series.labels for series in axes.series):
        return "every drawn value is the same"
    return ""


def _categories(series: DrawnSeries) -> int:
    """Return the number of categories that a bar chart or box plot names."""
    return len(set(series.labels)) if series.mark in {"bar", "barh", "box"} else 0


def _values(series: DrawnSeries) -> tuple[float, ...]:
    """Return what a series says: a box or a violin says where its values lie, not only their median."""
    spread = (series.low, series.lower_quartile, series.upper_quartile, series.high)
    if series.mark not in {"box", "violin"} or not any(spread):
        return series.y
    return tuple(value for values in (series.y, *spread) for value in values)
