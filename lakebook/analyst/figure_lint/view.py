"""A drawn figure as the checks look at it: its panels, and every visible text with its box, found once.

The figure must have been laid out by a renderer before. What does not belong here: any judgement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from lakebook.analyst.methods.drawn import drawn_panels


@dataclass(frozen=True, slots=True)
class View:
    """One figure after drawing.

    Attributes:
        panels: the axes in the order of the drawn data.
        texts: every text that is seen; `boxes`: their boxes in pixels, one row x0, y0, x1, y1 each.
        ticks: for each text that labels a tick, 2 * the place of its axes in `figure.axes`, one more on the
            y axis; -1 for other texts.
        grows: True if the picture grows to hold what sticks out, as it does in a notebook.
    """

    figure: Figure
    panels: list[Axes]
    texts: list[Text]
    boxes: np.ndarray
    ticks: np.ndarray
    grows: bool


def view_of(figure: Figure, grows: bool) -> View:
    """Collect what is seen of a figure that was drawn."""
    ticks: dict[int, int] = {}
    hidden: set[int] = set()
    for at, ax in enumerate(figure.axes):
        for side, axis in enumerate((ax.xaxis, ax.yaxis)):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-6 * (high - low)
            shown = ax.get_visible() and ax.axison and axis.get_visible()
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                inside = shown and low - slack <= tick.get_loc() <= high + slack
                for label in (tick.label1, tick.label2):
                    ticks[id(label)] = 2 * at + side
                    if not inside or not tick.get_visible():
                        hidden.add(id(label))
            if not shown:
                hidden |= {id(axis.label), id(axis.offsetText)}
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and id(text) not in hidden]
    texts = [text for text in texts if text.get_visible() and text.get_text().strip()]
    extents = [text.get_window_extent() for text in texts]
    boxes = np.array([[b.x0, b.y0, b.x1, b.y1] for b in extents], dtype=float).reshape(-1, 4)
    of_axes = np.array([ticks.get(id(text), -1) for text in texts], dtype=int)
    return View(figure, drawn_panels(figure), texts, boxes, of_axes, grows)


def shrunk(boxes: np.ndarray) -> np.ndarray:
    """Return boxes 5% narrower and 10% lower, so that touching ones do not overlap."""
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    half = (boxes[:, 2:] - boxes[:, :2]) / 2 * [0.95, 0.9]
    return np.hstack([middle - half, middle + half])


def overlapping(boxes: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of boxes that overlap, in order."""
    if len(boxes) < 2:
        return []
    low, high = boxes[:, :2], boxes[:, 2:]
    hit = ((low[:, None] < high[None]) & (low[None] < high[:, None])).all(axis=2)
    return [(int(a), int(b)) for a, b in zip(*np.nonzero(np.triu(hit, 1)), strict=True)]
