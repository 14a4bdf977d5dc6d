"""Checks on a drawn figure: what a careful reader would object to at once.

What belongs here: the checks of level E of the notes (§7), made on the artists after drawing, so that a text
that overlaps is found where it overlaps and not in a specification. What does not: the drawing itself
(`methods/figure_style`), and whether the title is true (claims). Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, Wedge
from matplotlib.text import Text
from matplotlib.transforms import Bbox

MOST_LINES, MOST_VIVID, MOST_BARS, MOST_SLICES = 8, 3, 50, 5


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One objection: the check's number in the notes, its level, and what was measured."""

    check: str
    message: str
    level: Literal["error", "warning"] = "error"


def lint(figure: Figure) -> tuple[LintFinding, ...]:
    """Draw the figure and return every objection, in the order of the checks."""
    figure.canvas.draw()
    found: list[LintFinding] = []
    for check in _FIGURE_CHECKS:
        found.extend(check(figure))
    for ax in _panels(figure):
        for check_axes in _AXES_CHECKS:
            found.extend(check_axes(ax))
    return tuple(found)


def _panels(figure: Figure) -> list[Axes]:
    """Return the visible axes that are not colour bars."""
    return [ax for ax in figure.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]


def _title_missing(figure: Figure) -> Iterator[LintFinding]:
    titles = [figure.get_suptitle(), *(ax.get_title(loc=side) for ax in figure.axes for side in _SIDES)]
    if not any(title.strip() for title in titles):
        yield LintFinding("L01", "the figure has no title")


_SIDES: tuple[Literal["left", "center", "right"], ...] = ("left", "center", "right")


def _shown_texts(figure: Figure) -> list[tuple[Text, Bbox]]:
    """Return every text that is drawn, with its box; ticks outside the limits are not drawn."""
    hidden: set[int] = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-6 * (high - low)
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not low - slack <= tick.get_loc() <= high + slack or not ax.axison:
                    hidden |= {id(tick.label1), id(tick.label2)}
    texts = [t for t in figure.findobj(Text) if isinstance(t, Text) and id(t) not in hidden]
    texts = [t for t in texts if t.get_visible() and t.get_text().strip()]
    return [(text, text.get_window_extent()) for text in texts]


def _text_clipped(figure: Figure) -> Iterator[LintFinding]:
    canvas = figure.bbox
    for text, box in _shown_texts(figure):
        over = max(canvas.x0 - box.x0, canvas.y0 - box.y0, box.x1 - canvas.x1, box.y1 - canvas.y1)
        if over > 1:
            yield LintFinding("L05", f"“{text.get_text()[:40]}” is cut off by {over:.0f} pixels")


def _texts_overlap(figure: Figure) -> Iterator[LintFinding]:
    ticks = {id(label) for ax in figure.axes for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]}
    shown = [(text, _shrunk(box)) for text, box in _shown_texts(figure)]
    for (a, box_a), (b, box_b) in combinations(shown, 2):
        both_ticks = id(a) in ticks and id(b) in ticks
        if not both_ticks and box_a.overlaps(box_b):
            yield LintFinding("L06", f"“{a.get_text()[:30]}” lies over “{b.get_text()[:30]}”")


def _shrunk(box: Bbox) -> Bbox:
    return box.shrunk(0.95, 0.9) if box.width and box.height else box


def _axis_labels(ax: Axes) -> Iterator[LintFinding]:
    from matplotlib.dates import DateLocator

    if not ax.axison or _wedges(ax):
        return
    for name, axis, label in (("x", ax.xaxis, ax.get_xlabel()), ("y", ax.yaxis, ax.get_ylabel())):
        ticks = [tick.get_text() for tick in axis.get_ticklabels() if tick.get_text().strip()]
        dates = isinstance(axis.get_major_locator(), DateLocator)
        if ticks and not dates and not label.strip() and all(_is_number(text) for text in ticks):
            yield LintFinding("L03", f"the {name} axis shows numbers without a label")


def _is_number(text: str) -> bool:
    bare = text.replace("\N{MINUS SIGN}", "-").replace(",", "").rstrip("%kMB")
    try:
        float(bare)
    except ValueError:
        return "mathdefault" in text
    return True


def _ticks_overlap(ax: Axes) -> Iterator[LintFinding]:
    for name, axis, side in (("x", ax.xaxis, 0), ("y", ax.yaxis, 1)):
        low, high = sorted(axis.get_view_interval())
        ticks = [t for t in axis.get_major_ticks() if low <= t.get_loc() <= high]
        boxes = [
            t.label1.get_window_extent() for t in ticks if t.label1.get_visible() and t.label1.get_text()
        ]
        boxes = sorted((_shrunk(box) for box in boxes), key=lambda box: box.min[side])
        hits = sum(a.overlaps(b) for a, b in pairwise(boxes))
        if hits and ax.axison:
            yield LintFinding("L07", f"{hits} labels of the {name} axis overlap")


def _bars(ax: Axes) -> list[BarContainer]:
    return [c for c in ax.containers if isinstance(c, BarContainer) and len(c.patches)]


def _is_histogram(container: BarContainer) -> bool:
    """Bars that touch each other along the axis are classes, not categories."""
    patches = [p for p in container.patches if isinstance(p, Rectangle)]
    edges = [(p.get_x(), p.get_x() + p.get_width()) for p in patches]
    return len(edges) > 2 and all(abs(a[1] - b[0]) <= 1e-6 * (1 + abs(b[0])) for a, b in pairwise(edges))


def _lengths(container: BarContainer) -> list[float]:
    flat = container.orientation == "horizontal"
    return [
        float(p.get_width() if flat else p.get_height())
        for p in container.patches
        if isinstance(p, Rectangle)
    ]


def _bars_from_zero(ax: Axes) -> Iterator[LintFinding]:
    for container in _bars(ax):
        low, high = sorted(ax.get_xlim() if container.orientation == "horizontal" else ax.get_ylim())
        scale = ax.get_xscale() if container.orientation == "horizontal" else ax.get_yscale()
        if not low <= 0 <= high and scale == "linear":
            yield LintFinding("L17", "bars do not start at zero")


def _bar_count(ax: Axes) -> Iterator[LintFinding]:
    for container in _bars(ax):
        if len(container.patches) > MOST_BARS and not _is_histogram(container):
            yield LintFinding("L18", f"{len(container.patches)} bars, more than {MOST_BARS}")


def _bars_sorted(ax: Axes) -> Iterator[LintFinding]:
    """Warn only: whether levels have an order of their own cannot be seen in the figure."""
    for container in _bars(ax):
        lengths = np.array(_lengths(container))
        if len(lengths) < 4 or _is_histogram(container) or len(_bars(ax)) > 1:
            continue
        moves = np.diff(lengths)
        if not ((moves >= 0).all() or (moves <= 0).all()):
            yield LintFinding("L19", "bars are not sorted by their length", "warning")


def _wedges(ax: Axes) -> list[Wedge]:
    return [patch for patch in ax.patches if isinstance(patch, Wedge)]


def _pie_slices(ax: Axes) -> Iterator[LintFinding]:
    if len(_wedges(ax)) > MOST_SLICES:
        yield LintFinding("L21", f"a pie of {len(_wedges(ax))} slices; bars are read better")


def _data_lines(ax: Axes) -> list[Line2D]:
    """Return lines that carry data: more than two points, a line style, in data coordinates."""
    return [
        line
        for line in ax.lines
        if line.get_visible() and len(line.get_xdata()) > 2 and line.get_linestyle() not in ("None", "", " ")  # type: ignore[arg-type]
    ]


def _line_count(ax: Axes) -> Iterator[LintFinding]:
    lines = _data_lines(ax)
    if len(lines) <= MOST_LINES:
        return
    vivid = sum(_is_vivid(line) for line in lines)
    if vivid > MOST_VIVID:
        yield LintFinding("L22", f"{len(lines)} lines, {vivid} of them in colour")


def _is_vivid(line: Line2D) -> bool:
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(line.get_color())
    return max(red, green, blue) - min(red, green, blue) > 0.1


def _line_over_gap(ax: Axes) -> Iterator[LintFinding]:
    for line in _data_lines(ax):
        x = np.asarray(line.get_xdata(orig=False), dtype=float)
        y = np.asarray(line.get_ydata(orig=False), dtype=float)
        step = np.abs(np.diff(x))
        drawn = np.isfinite(y[1:]) & np.isfinite(y[:-1]) & (step > 0)
        # A grid must be regular for a gap in it to mean anything.
        usual = float(np.median(step[drawn])) if drawn.any() else 0.0
        regular = drawn.any() and float(np.mean(np.abs(step[drawn] - usual) <= 0.1 * usual)) >= 0.8
        wide = int((step[drawn] > 1.5 * usual).sum())
        if regular and wide:
            yield LintFinding("L23", f"a line is drawn across {wide} gap(s)")


def _dual_axes(figure: Figure) -> Iterator[LintFinding]:
    panels = _panels(figure)
    for a, b in combinations(panels, 2):
        same = np.allclose(a.get_position().bounds, b.get_position().bounds, atol=1e-3)
        if same and _has_marks(a) and _has_marks(b):
            yield LintFinding("L25", "two value axes in one panel")


def _has_marks(ax: Axes) -> bool:
    full = [c for c in ax.collections if _collection_size(c) > 0]
    points = [
        line for line in ax.lines if np.isfinite(np.asarray(line.get_ydata(orig=False), dtype=float)).any()
    ]
    return bool(full or points or ax.patches or ax.images)


def _collection_size(collection: object) -> int:
    if isinstance(collection, PathCollection):
        return len(np.ma.compressed(np.ma.masked_invalid(np.asarray(collection.get_offsets()))))
    return len(collection.get_paths()) if isinstance(collection, Collection) else 0


def _empty_panel(ax: Axes) -> Iterator[LintFinding]:
    if not _has_marks(ax):
        yield LintFinding("L28", "a panel is empty")


def _legend_covers(ax: Axes) -> Iterator[LintFinding]:
    legend = ax.get_legend()
    if legend is None or not legend.get_visible():
        return
    box, points = legend.get_window_extent(), _pixels(ax)
    if len(points):
        inside = (points > [box.x0, box.y0]).all(axis=1) & (points < [box.x1, box.y1]).all(axis=1)
        if inside.mean() >= 0.02:
            yield LintFinding("L13", f"the legend covers {inside.mean():.0%} of the points")


def _pixels(ax: Axes) -> np.ndarray:
    """Return the points of lines and scatters, and the ends of bars, in pixels."""
    clouds: list[np.ndarray] = [line.get_transform().transform(line.get_xydata()) for line in ax.lines]
    for collection in ax.collections:
        if isinstance(collection, PathCollection):
            clouds.append(collection.get_offset_transform().transform(np.asarray(collection.get_offsets())))
    for patch in ax.patches:
        if isinstance(patch, Rectangle):
            box = patch.get_window_extent()
            clouds.append(np.array([[box.x1, box.y1], [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]]))
    points = np.concatenate(clouds) if clouds else np.empty((0, 2))
    return np.asarray(points[np.isfinite(points).all(axis=1)])


_FIGURE_CHECKS: Sequence[Callable[[Figure], Iterator[LintFinding]]] = (
    _title_missing,
    _text_clipped,
    _texts_overlap,
    _dual_axes,
)
_AXES_CHECKS: Sequence[Callable[[Axes], Iterator[LintFinding]]] = (
    _axis_labels,
    _ticks_overlap,
    _legend_covers,
    _bars_from_zero,
    _bar_count,
    _bars_sorted,
    _pie_slices,
    _line_count,
    _line_over_gap,
    _empty_panel,
)
