"""Checks of what is written in a figure: there, legible, inside, and not over one another.

What belongs here: titles, labels, ticks, legends as texts. What does not: marks and their colours. The limits
are those of the notes (§7). Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

from lakebook.analyst.figure_lint.finding import FigureFinding
from lakebook.analyst.figure_lint.view import View, overlapping, shrunk
from lakebook.analyst.methods.drawn import drawn_axis_label
from lakebook.analyst.methods.drawn_panel import drawn_is_date, drawn_is_number

MOST_ENTRIES, LONGEST_TITLE, SMALLEST, PAGE_INCHES = 8, 120, 5.0, 7.2
_SIDES: tuple[Literal["left", "center", "right"], ...] = ("left", "center", "right")


def text_findings(view: View) -> Iterator[FigureFinding]:
    """Return the objections to the texts of a figure."""
    for check in _CHECKS:
        yield from check(view)


def titles(view: View) -> list[str]:
    """Return the titles of a figure and of its axes."""
    own = [ax.get_title(loc=side) for ax in view.figure.axes for side in _SIDES]
    return [title for title in (view.figure.get_suptitle(), *own) if title.strip()]


def _title(view: View) -> Iterator[FigureFinding]:
    found = titles(view)
    if not found:
        yield FigureFinding("L01", "the figure has no title")
    for title in found:
        if len(title) > LONGEST_TITLE or re.search(r"\bvs?\b\.?", title, re.IGNORECASE):
            yield FigureFinding("L02", "the title names the axes, or is long; it makes no claim", "info")
            return


def _axis_labels(view: View) -> Iterator[FigureFinding]:
    for at, ax in enumerate(view.panels):
        for name in needs_label(ax):
            yield FigureFinding("L03", f"the {name} axis shows numbers without a label", axes=at)


def needs_label(ax: Axes) -> list[str]:
    """Return the axes, "x" and "y", that show numbers and have no label."""
    if not ax.axison or ax.name != "rectilinear" or any(type(p).__name__ == "Wedge" for p in ax.patches):
        return []
    found = []
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        if not axis.get_visible() or drawn_axis_label(ax, name).strip():
            continue
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        labels = [label for tick in ticks for label in (tick.label1, tick.label2) if label.get_visible()]
        shown = [label.get_text() for label in labels if label.get_text().strip()]
        if shown and not drawn_is_date(axis) and all(drawn_is_number(text) for text in shown):
            found.append(name)
    return found


def _clipped(view: View) -> Iterator[FigureFinding]:
    canvas = view.figure.bbox
    if not len(view.boxes):
        return
    over = np.stack(
        [
            canvas.x0 - view.boxes[:, 0],
            canvas.y0 - view.boxes[:, 1],
            view.boxes[:, 2] - canvas.x1,
            view.boxes[:, 3] - canvas.y1,
        ]
    ).max(axis=0)
    if view.grows:
        # A notebook's picture grows to hold what sticks out, and all else in it becomes small.
        size = max(view.boxes[:, 2].max(), canvas.x1) - min(view.boxes[:, 0].min(), canvas.x0)
        if size > 1.6 * canvas.width:
            widest = view.texts[int(over.argmax())].get_text()[:40]
            yield FigureFinding(
                "L05", f"“{widest}” makes the picture {size / canvas.width:.1f} times as wide"
            )
        return
    for text, pixels in zip(view.texts, over, strict=True):
        if pixels > 1:
            yield FigureFinding("L05", f"“{text.get_text()[:40]}” is cut off by {pixels:.0f} pixels")


def _texts_overlap(view: View) -> Iterator[FigureFinding]:
    for a, b in overlapping(shrunk(view.boxes)):
        if view.ticks[a] >= 0 and view.ticks[a] == view.ticks[b]:
            continue  # told by the check of ticks
        one, other = (view.texts[at].get_text()[:30] for at in (a, b))
        yield FigureFinding("L06", f"“{one}” lies over “{other}”", axes=_panel(view, view.texts[a]))


def _panel(view: View, text: Text) -> int:
    return next((at for at, ax in enumerate(view.panels) if text.axes is ax), -1)


def _ticks_overlap(view: View) -> Iterator[FigureFinding]:
    for at, ax in enumerate(view.panels):
        hits = ticks_overlapping(view, ax)
        for name, count in hits.items():
            yield FigureFinding("L07", f"{count} labels of the {name} axis overlap", axes=at)
        for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
            turned = [t for t in axis.get_majorticklabels() if 60 < t.get_rotation() % 180 < 120]
            if name == "x" and turned and max(len(t.get_text()) for t in turned) > 4 and name not in hits:
                yield FigureFinding("L08", "the labels of the x axis stand upright", "warning", at)


def ticks_overlapping(view: View, ax: Axes) -> dict[str, int]:
    """Return how many tick labels of each axis overlap their neighbour; axes without any are left out."""
    found = {}
    if ax not in view.figure.axes:
        return {}
    place = view.figure.axes.index(ax)
    for side, name in enumerate("xy"):
        mine = np.nonzero(view.ticks == 2 * place + side)[0]
        if len(mine) > 1:
            turned = [view.texts[at].get_rotation() % 90 for at in mine]
            boxes = view.boxes[mine]
            if 10 < turned[0] < 80:
                hits = _turned_overlap(boxes, side, view.texts[int(mine[0])])
            else:
                boxes = shrunk(boxes[np.argsort(boxes[:, side])])
                hits = int(
                    ((boxes[1:, :2] < boxes[:-1, 2:]) & (boxes[:-1, :2] < boxes[1:, 2:])).all(axis=1).sum()
                )
            if hits:
                found[name] = hits
    return found


def _turned_overlap(boxes: np.ndarray, side: int, text: Text) -> int:
    """Slanted labels overlap where they stand closer than a line is high, not where their boxes do."""
    ends = np.sort(boxes[:, 2 + side])
    dpi = text.figure.dpi if text.figure else 72.0
    height = float(text.get_fontsize()) * dpi / 72
    return int((np.diff(ends) < 0.9 * height).sum())


def _size(view: View) -> Iterator[FigureFinding]:
    """On the page a figure is at most as wide as the text, and its letters shrink with it."""
    shrinks = min(1.0, PAGE_INCHES / float(view.figure.get_size_inches()[0]))
    sizes = [float(text.get_fontsize()) * shrinks for text in view.texts]
    if sizes and float(np.median(sizes)) < SMALLEST:
        yield FigureFinding("L09", f"letters of {np.median(sizes):.1f} points on the page", "warning")


def _legend(view: View) -> Iterator[FigureFinding]:
    for at, ax in enumerate(view.panels):
        legend = ax.get_legend()
        if legend is None or not legend.get_visible():
            continue
        entries = [text.get_text() for text in legend.texts]
        if len(entries) > MOST_ENTRIES:
            yield FigureFinding("L14", f"a legend of {len(entries)} entries", "warning", at)
        elif len(entries) == 1:
            yield FigureFinding("L14", "a legend of one entry", "info", at)
        yield from _line_legend(ax, entries, at)


def _line_legend(ax: Axes, entries: Sequence[str], at: int) -> Iterator[FigureFinding]:
    ends = {}
    for line in ax.lines:
        values = np.asarray(line.get_ydata(orig=False), dtype=float)
        if not str(line.get_label()).startswith("_") and len(values):
            ends[str(line.get_label())] = float(values[-1])
    if 2 <= len(ends) <= 5 and len(ends) == len(entries):
        yield FigureFinding("L15", "few enough lines to name each at its end", "info", at)
        order = [ends[entry] for entry in entries if entry in ends]
        if len(order) > 2 and np.ptp(order) > 0 and np.corrcoef(order, range(len(order)))[0, 1] > 0.5:
            yield FigureFinding("L16", "the legend lists the lines from lowest to highest", "info", at)


_CHECKS: Sequence[Callable[[View], Iterator[FigureFinding]]] = (
    _title,
    _axis_labels,
    _clipped,
    _texts_overlap,
    _ticks_overlap,
    _size,
    _legend,
)
