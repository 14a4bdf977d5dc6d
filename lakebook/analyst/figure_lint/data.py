"""Checks that the drawn data alone can answer, so they hold for every library that draws.

What belongs here: checks of one axes as `drawn_data` and its neighbours return it, and of a whole figure of
them. What does not: what takes the artists or the renderer (`texts`, `marks`). The limits are those of the
notes (§7). Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lakebook.analyst.figure_lint.finding import FigureFinding, Level

Drawn = dict[str, Any]
MOST_LINES, MOST_VIVID, MOST_BARS, MANY_BARS, MOST_SLICES, MOST_PARTS, MOST_PANELS = 8, 3, 50, 30, 5, 5, 6
_ORDERED = re.compile(
    r"^\W*[\d<>=≤≥(\[]|^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)|^q[1-4]\b"
    r"|^(very |extra )?(low|medium|high|small|large|mild|moderate|severe|young|old|never|rarely|often)\b"
    r"|^(xs|s|m|l|xl|xxl|first|second|third|true|false|yes|no)$",
    re.IGNORECASE,
)


def data_findings(axes: Sequence[Drawn]) -> tuple[FigureFinding, ...]:
    """Return the objections to one component's figures that their data alone can tell, axes by axes."""
    found: list[FigureFinding] = []
    for at, one in enumerate(axes):
        for check in _CHECKS:
            found += [FigureFinding(f.check, f.message, f.level, at) for f in check(one)]
    if len(axes) > MOST_PANELS:
        found.append(FigureFinding("L27", f"{len(axes)} panels, more than {MOST_PANELS}", "warning"))
    return (*found, *_two_value_axes(axes))


def name_findings(axes: Sequence[Drawn]) -> tuple[FigureFinding, ...]:
    """Return what lacks a name, for figures that have no artists to ask: titles, and axes of numbers."""
    found = []
    figures = {one["figure"] for one in axes}
    for figure in sorted(figures):
        if not any(one["title"] for one in axes if one["figure"] == figure):
            found.append(FigureFinding("L01", "the figure has no title"))
    for at, one in enumerate(axes):
        marks = {series["mark"] for series in one["series"]}
        for which in (
            ("x", "y") if one["projection"] == "rectilinear" and not marks <= {"wedge", "image"} else ()
        ):
            if one[f"{which}_scale"]["kind"] in ("linear", "log") and not one[f"{which}label"].strip():
                found.append(FigureFinding("L03", f"the {which} axis shows numbers without a label", axes=at))
    return tuple(found)


def ordered(labels: Sequence[str]) -> bool:
    """Return True for categories that have an order of their own: numbers, months, weekdays, sizes."""
    known = sum(bool(_ORDERED.match(str(label).strip())) for label in labels)
    return bool(labels) and known >= 0.7 * len(labels)


def is_bar(series: Drawn) -> bool:
    """Return True for bars of categories, False for the classes of a histogram."""
    return series["mark"] in ("bar", "barh") and series.get("shape") != "histogram"


def numbers(series: Drawn, key: str) -> np.ndarray:
    """Return one list of a series as numbers, NaN where missing."""
    return np.array([math.nan if v is None else v for v in series.get(key) or ()], dtype=float)


def _empty(axes: Drawn) -> Iterator[FigureFinding]:
    series = axes["series"]
    if not series:
        if not axes.get("not_read") and axes.get("twin", -1) < 0:
            yield FigureFinding("L28", "a panel is empty")
        return
    values = np.concatenate([numbers(one, "y") for one in series])
    present = values[np.isfinite(values)]
    if not len(present):
        yield FigureFinding("L28", "all drawn values are missing")
    elif len(present) == 1 and series[0]["mark"] != "image":
        yield FigureFinding("L28", "a single value is drawn")
    elif all(one["mark"] == "line" and len(one["y"]) < 3 for one in series):
        yield FigureFinding("L28", "a line of fewer than three points", "warning")
    elif len(present) > 2 and np.ptp(present) == 0 and series[0].get("shape") != "histogram":
        yield FigureFinding("L28", "every drawn value is the same", "warning")


def _two_value_axes(panels: Sequence[Drawn]) -> Iterator[FigureFinding]:
    for at, one in enumerate(panels):
        twin = one.get("twin", -1)
        if 0 <= twin < at and one["series"] and panels[twin]["series"]:
            yield FigureFinding("L25", "two value axes in one panel", axes=at)


def _bars(axes: Drawn) -> Iterator[FigureFinding]:
    bars = [one for one in axes["series"] if is_bar(one)]
    count = max((len(one["y"]) for one in bars), default=0)
    # Bars over dates or plain numbers are read as an outline, not one by one.
    named = [
        len(set(one["labels"])) for one in axes["series"] if one["mark"] in ("bar", "barh", "box", "violin")
    ]
    crowd = max([*named, 0 if axes["x_scale"]["kind"] == "date" else count])
    if crowd > MANY_BARS:
        level: Level = "error" if crowd > MOST_BARS else "warning"
        yield FigureFinding("L18", f"{crowd} categories, more than {MANY_BARS}", level)
    stacked = [one for one in bars if one.get("base")]
    if len(stacked) >= MOST_PARTS:
        yield FigureFinding("L20", f"{len(stacked) + 1} stacked parts, more than {MOST_PARTS}", "warning")
    if len(bars) == 1 and count >= 4 and not ordered(bars[0]["labels"]) and axes["x_scale"]["kind"] != "date":
        moves = np.diff(numbers(bars[0], "y"))
        if bars[0]["labels"] and not ((moves >= 0).all() or (moves <= 0).all()):
            yield FigureFinding("L19", "bars are not sorted by their length", "warning")


def _wedges(axes: Drawn) -> Iterator[FigureFinding]:
    for one in axes["series"]:
        if one["mark"] != "wedge":
            continue
        if len(one["y"]) > MOST_SLICES:
            yield FigureFinding("L21", f"a pie of {len(one['y'])} slices; bars are read better")
        elif abs(np.nansum(numbers(one, "y")) - 1) > 0.02:
            yield FigureFinding("L21", "the slices of the pie do not add up to a whole")


def _lines(axes: Drawn) -> Iterator[FigureFinding]:
    lines = [one for one in axes["series"] if one["mark"] == "line" and len(one["y"]) > 2]
    if len(lines) > MOST_LINES:
        vivid = sum(is_vivid(one.get("color") or "#ff0000") for one in lines)
        if vivid > MOST_VIVID:
            yield FigureFinding("L22", f"{len(lines)} lines, {vivid} of them in colour")
    for one in lines:
        gaps = _gaps(numbers(one, "x"), numbers(one, "y"))
        if gaps and not one.get("shape"):
            yield FigureFinding("L23", f"a line is drawn across {gaps} gap(s)")
            break
    nominal = axes["x_scale"]["kind"] == "category"
    for one in lines:
        if nominal and len(set(one["labels"])) > 2 and not ordered(one["labels"]) and not one.get("low"):
            yield FigureFinding("L24", "a line joins categories that have no order", "warning")
            break


def is_vivid(color: str) -> bool:
    """Return True for a colour that is no grey."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return max(red, green, blue) - min(red, green, blue) > 25


def _gaps(x: np.ndarray, y: np.ndarray) -> int:
    if len(x) != len(y) or len(x) < 3:
        return 0
    step = np.abs(np.diff(x))
    drawn = np.isfinite(y[1:]) & np.isfinite(y[:-1]) & (step > 0)
    # A grid must be regular for a gap in it to mean anything.
    usual = float(np.median(step[drawn])) if drawn.any() else 0.0
    regular = drawn.any() and float(np.mean(np.abs(step[drawn] - usual) <= 0.1 * usual)) >= 0.8
    return int((step[drawn] > 1.5 * usual).sum()) if regular else 0


def _solid(axes: Drawn) -> Iterator[FigureFinding]:
    if axes.get("projection") == "3d":
        yield FigureFinding("L26", "three dimensions on paper: heights cannot be read off")


def _outside(axes: Drawn) -> Iterator[FigureFinding]:
    if axes.get("projection", "rectilinear") != "rectilinear":
        return
    cut = total = 0
    for one in axes["series"]:
        if one["mark"] not in ("line", "point", "bar", "barh"):
            continue
        x, y = numbers(one, "x"), numbers(one, "y")
        if one["mark"] == "barh":
            x, y = y, x
        inside = np.ones(len(y), dtype=bool)
        for values, which in ((x, "x"), (y, "y")):
            low, high = (axes[f"{which}_scale"].get(key) for key in ("low", "high"))
            if low is None or high is None or len(values) != len(y):
                continue
            slack = 1e-6 * (high - low)
            if one.get("base") and which == ("x" if one["mark"] == "barh" else "y"):
                values = values + numbers(one, "base")
            inside &= ~((values < low - slack) | (values > high + slack))
        cut, total = cut + int((~inside).sum()), total + len(y)
    if cut:
        share = cut / total
        level: Level = "error" if share >= 0.5 else "warning" if share >= 0.05 else "info"
        yield FigureFinding("L31", f"{share:.0%} of the marks lie outside the limits", level)


def _filled(axes: Drawn) -> Iterator[FigureFinding]:
    """Data in a small part of its axes, or most of it in a small part of its range."""
    if axes.get("projection", "rectilinear") != "rectilinear":
        return
    marks = {one["mark"] for one in axes["series"]}
    for which in ("x", "y"):
        scale = axes[f"{which}_scale"]
        values = [numbers(one, which) for one in axes["series"]]
        found = np.concatenate(values) if values else np.array([])
        found = found[np.isfinite(found)]
        if scale["kind"] != "linear" or len(found) < 3 or not marks <= {"line", "point"}:
            continue
        low, high = scale.get("low"), scale.get("high")
        if low is None or high is None or high <= low:
            continue
        share = float(np.ptp(found)) / (high - low)
        if 0 < share < 0.4 and not (low == 0 or high in (1, 100)):
            yield FigureFinding("L32", f"the data fill {share:.0%} of the {which} axis", "warning")
        if len(found) >= 50 and np.ptp(found) > 0 and "point" in marks:
            first, last = np.percentile(found, [0.5, 99.5])
            if (last - first) / np.ptp(found) < 0.2:
                text = f"1% of the values take {1 - (last - first) / np.ptp(found):.0%} of the {which} axis"
                yield FigureFinding("L33", text, "warning")


def _log(axes: Drawn) -> Iterator[FigureFinding]:
    for which in ("x", "y"):
        if axes[f"{which}_scale"]["kind"] != "log":
            continue
        lost = 0
        for one in axes["series"]:
            along = {"x": "y", "y": "x"}[which] if one["mark"] == "barh" or one.get("lying") else which
            values = numbers(one, along) if one["mark"] in ("line", "point", "bar", "barh") else np.array([])
            # An empty class of a histogram has no bar, on any scale.
            floor = one["mark"] in ("bar", "barh") and one.get("shape") == "histogram" and along == "y"
            lost += int((values < 0).sum() if floor else (values <= 0).sum())
        if lost:
            yield FigureFinding("L34", f"{lost} values of zero or less have no place on the log {which} axis")


def _classes(axes: Drawn) -> Iterator[FigureFinding]:
    for one in axes["series"]:
        if one["mark"] not in ("bar", "barh") or one.get("shape") != "histogram":
            continue
        counts, x = numbers(one, "y"), numbers(one, "x")
        total = float(np.nansum(counts))
        steps = np.diff(x)
        even = len(steps) > 1 and bool(np.allclose(steps, steps[0], rtol=1e-3))
        if even and total > 0 and counts.max() / total > 0.6 and len(counts) > 3:
            text = f"one class holds {counts.max() / total:.0%} of the values"
            yield FigureFinding("L36", text, "warning")
        elif len(counts) < 5 or len(counts) > 200:
            yield FigureFinding("L36", f"a histogram of {len(counts)} classes", "warning")
        return


def _uneven(axes: Drawn) -> Iterator[FigureFinding]:
    if axes["x_scale"]["kind"] != "category":
        return
    for one in axes["series"]:
        labels = list(dict.fromkeys(one["labels"]))
        if one["mark"] not in ("bar", "line", "point") or len(labels) < 4:
            continue
        try:
            steps = np.abs(np.diff([float(label) for label in labels]))
        except ValueError:
            return
        if steps.mean() > 0 and steps.std() / steps.mean() > 0.5:
            yield FigureFinding("L37", "numbers that lie unevenly are drawn at even steps", "info")
        return


def _hidden(axes: Drawn) -> Iterator[FigureFinding]:
    clouds = [one for one in axes["series"] if one["mark"] == "point" and not one.get("shape")]
    if not 2 <= len(clouds) <= 8:
        return
    places = [set(zip(one["x"], one["y"], strict=False)) for one in clouds]
    total = sum(len(one) for one in places)
    shared = total - len(set().union(*places))
    if total and shared / total >= 0.05:
        yield FigureFinding("L30", f"{shared / total:.0%} of the points of one series hide another's", "info")


def _budget(axes: Drawn) -> Iterator[FigureFinding]:
    series = axes["series"]
    kinds = len({one["mark"] for one in series})
    coded = sum(any(one.get(key) for one in series) for key in ("sizes", "values", "groups"))
    cost = kinds + coded + (len({one["label"] for one in series if one["label"]}) > 1)
    if cost > 6:
        yield FigureFinding("L42", f"{cost} kinds of marks and encodings in one panel", "warning")


_CHECKS: Sequence[Callable[[Drawn], Iterator[FigureFinding]]] = (
    _empty,
    _bars,
    _wedges,
    _lines,
    _solid,
    _outside,
    _filled,
    _log,
    _classes,
    _uneven,
    _hidden,
    _budget,
)
