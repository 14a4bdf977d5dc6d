"""Compares what two figures draw, across versions of the libraries.

A figure is a list of axes, each a dictionary from a kind of mark to signatures of its numbers (see
`oracle/drawn_driver.py`). Two axes are of the same kind if the main mark of each is among the marks of the
other. They draw the same data if the signatures of the main mark agree within a tolerance along each axis
that did not differ between two runs of the oracle (jitter, resampled error bars and random samples do).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Axes = Mapping[str, Any]
_MAIN = ("image", "pie", "box", "bar", "area", "point", "line", "segment", "marker", "shape", "unread")
_TOLERANCE = 0.01
_ALIKE = ({"line", "segment"}, {"point", "marker"}, {"area", "line"}, {"plotly lines", "plotly points"})
_MOST_CATEGORIES = 30
_CATEGORY_WIDTHS = (0.8, 0.5, 0.4, 0.8 / 3)
"""Of a bar for one category, alone or beside others: those of histograms follow from their bins."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like the truth a drawing is: the same kinds of figure, the same data; axes that are too many."""

    kind: bool
    data: bool
    extra: int = 0
    why: str = ""


def axes_of(figures: Sequence[Sequence[str]]) -> list[Axes]:
    """Return the axes of figures that show marks; what is shown as a color bar or stays empty is left out."""
    listed = [axes for _, text, _ in figures for axes in json.loads(text)]
    return [
        axes for axes in listed if axes["marks"] and set(axes["marks"]) != {"unread"} and not _is_bar(axes)
    ]


def _is_bar(axes: Axes) -> bool:
    """Tell a color bar: a mesh of one column that nothing labels along x."""
    marks = axes["marks"]
    if not set(marks) <= {"image", "segment", "line", "shape"} or "image" not in marks:
        return False
    count = (marks["image"].get("x") or [0])[0]
    return count in {256, 10, 255}


def main_mark(axes: Axes) -> str:
    """Return the kind of mark that says what chart it is."""
    marks = axes["marks"]
    return next((name for name in _MAIN if name in marks), next(iter(marks), ""))


def compare(truth: Sequence[Axes], again: Sequence[Axes], drawn: Sequence[Axes]) -> Likeness:
    """Say how like the truth a drawing is.

    Args:
        truth: axes of the oracle's run.
        again: those of another run of it.
        drawn: those of the component.
    """
    steady = again if len(again) == len(truth) else truth
    left = list(drawn)
    kind, data, why = True, True, ""
    for once, twice in zip(truth, steady, strict=True):
        alike = [axes for axes in left if same_kind(once, axes)]
        if not alike:
            kind, why = False, f"no {main_mark(once)} chart among {[main_mark(one) for one in drawn]}"
            continue
        best = next((axes for axes in alike if same_data(once, twice, axes)), None)
        left.remove(best if best is not None else alike[0])
        if best is None:
            data, why = False, why or f"other data in a {main_mark(once)} chart"
    return Likeness(kind, kind and data, len(left), why)


def same_kind(one: Axes, other: Axes) -> bool:
    """Tell whether two axes are the same kind of chart."""
    first, second = main_mark(one), main_mark(other)
    return _among(first, other["marks"]) and _among(second, one["marks"])


def _among(name: str, marks: Mapping[str, Any]) -> bool:
    return name in marks or any(name in pair and pair & set(marks) for pair in _ALIKE)


def same_data(once: Axes, twice: Axes, drawn: Axes) -> bool:
    """Tell whether the main mark shows the same numbers, wherever the oracle is steady."""
    name = main_mark(once)
    truth, again, shown = (axes["marks"].get(name, {}) for axes in (once, twice, drawn))
    keys = [key for key in truth if truth[key] and _close(truth[key], again.get(key, truth[key]))]
    if not keys:
        return True
    agree = [_close(truth[key], shown.get(key, [])) for key in keys]
    if name == "box":  # how wide boxes are is a matter of style
        return any(agree)
    if name == "bar":  # and so it is with bars, which are of one width
        telling = [place for place, key in enumerate(keys) if _spread(truth[key])]
        return all(agree) or any(agree[place] for place in telling)
    if name == "area":  # outlines of a density have another number of points
        return all(_close(truth[key][1:6:4], (shown.get(key) or [0] * 7)[1:6:4], 0.05) for key in keys)
    return all(agree)


def _spread(signature: Sequence[Any]) -> float:
    numbers = [value for value in signature[1:6] if isinstance(value, int | float)]
    if len(numbers) < len(signature[1:6]) or not numbers or not max(map(abs, numbers)):
        return 0.0
    return (max(numbers) - min(numbers)) / max(map(abs, numbers))


def _close(first: Sequence[Any], second: Sequence[Any], tolerance: float = _TOLERANCE) -> bool:
    if len(first) != len(second):
        return False
    numbers = [value for value in first if isinstance(value, int | float)]
    scale = max((abs(value) for value in numbers[1:]), default=0.0)
    for one, other in zip(first, second, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            if one != other:
                return False
        elif not math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance * scale * 0.1):
            return False
    return True


def hard_to_read(truth: Sequence[Axes]) -> bool:
    """Tell whether the truth is nothing to show a reader: one value, or more categories than can be read."""
    if not truth:
        return True
    return sum(_is_poor(axes) for axes in truth) * 2 > len(truth)


def _is_category_width(signature: Sequence[Any]) -> bool:
    least, largest = signature[1], signature[5]
    return least == largest and any(math.isclose(least, width, rel_tol=1e-6) for width in _CATEGORY_WIDTHS)


def _is_poor(axes: Axes) -> bool:
    name = main_mark(axes)
    signature = axes["marks"].get(name, {})
    count = max((values[0] for values in signature.values() if values), default=0)
    if name in {"bar", "box", "pie"} and axes.get("ticks", 0) > _MOST_CATEGORIES:
        return True
    if name == "bar" and count > _MOST_CATEGORIES and any(map(_is_category_width, signature.values())):
        return True  # a bar for each year or code: the categories are numbers
    if name in {"line", "point"} and count and axes.get("ticks", 0) > _MOST_CATEGORIES and count <= 2:
        return True
    return name in {"bar", "pie", "line", "point"} and count == 1
