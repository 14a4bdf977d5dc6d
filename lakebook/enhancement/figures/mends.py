"""Which lines of code mend what a reader would object to: one proposal or more for each check, safest first.

What belongs here: from a finding to lines that a reader of the notebook understands. What does not: whether
they help (`inspection`), and mends that take more than a line (`analyst.methods.figure_mends`). This module
runs where the figure is drawn. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from lakebook.analyst.figure_lint.data import ordered
from lakebook.analyst.figure_lint.finding import FigureFinding
from lakebook.analyst.figure_lint.marks import RAINBOWS
from lakebook.analyst.figure_lint.texts import needs_label
from lakebook.analyst.methods.drawn import drawn_axis_label
from lakebook.enhancement.figures.naming import axis_names

Drawn = dict[str, Any]
LEGIBLE, WIDEST_TITLE, MOST_TICKS = 6.2, 60, 12


@dataclass(frozen=True, slots=True)
class Subject:
    """A figure that is to be mended.

    Attributes:
        panels: its axes in the order of the drawn data, and `drawn` that data.
        name: the expression that gives the figure in the component's code.
        frame: the table that the component reads, under the names that its code uses.
    """

    figure: Figure
    panels: Sequence[Axes]
    drawn: Sequence[Drawn]
    name: str
    frame: pd.DataFrame

    def on(self, ax: Axes) -> str:
        """Return the expression that gives an axes in the component's code."""
        return f"{self.name}.axes[{self.figure.axes.index(ax)}]"

    def labels(self, at: int) -> dict[str, str]:
        """Return what the two axes of a panel show: their labels, else what the numbers tell."""
        ax = self.panels[at]
        own = {which: drawn_axis_label(ax, which).strip() for which in ("x", "y")}
        if all(own.values()):
            return own
        told = axis_names(self.drawn[at], self.frame)
        return {which: own[which] or told.get(which, "") for which in ("x", "y")}


Mend = Callable[[Subject, Sequence[FigureFinding]], Iterator[list[str]]]


def _labels(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    lines = []
    for at in sorted({finding.axes for finding in findings}):
        told = axis_names(subject.drawn[at], subject.frame)
        for which in needs_label(subject.panels[at]):
            if told.get(which):
                lines.append(f"{subject.on(subject.panels[at])}.set_{which}label({told[which]!r})")
    yield lines


def title_of(drawn: Drawn, labels: dict[str, str]) -> str:
    """Return a title that says what is shown by what, "" if the axes do not tell."""
    series = drawn["series"][0] if drawn["series"] else {}
    x, y = labels["x"], labels["y"]
    if series.get("mark") == "barh" or series.get("lying"):
        x, y = y, x
    shape = series.get("shape")
    if shape == "histogram" or (shape == "density" and x):
        return f"Distribution of {x}" if x else ""
    if series.get("mark") == "image" and series.get("rows") and series["rows"] == series["labels"]:
        square = [v for v in series["y"] if v is not None]
        return "Correlation of columns" if square and max(square) <= 1 + 1e-9 and min(square) >= -1 else ""
    if not x or not y or x == y:
        return ""
    if series.get("mark") == "point" and not series.get("labels"):
        return f"{y} and {x}"
    return f"{y[:1].upper()}{y[1:]} by {x}"


def _title(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    shown = [at for at, one in enumerate(subject.drawn) if one["series"]]
    texts = [title_of(subject.drawn[at], subject.labels(at)) for at in shown]
    if len(shown) == 1 and texts[0]:
        wrapped = textwrap.fill(texts[0], WIDEST_TITLE)
        yield [f"{subject.on(subject.panels[shown[0]])}.set_title({wrapped!r})"]
    elif 2 <= len(shown) <= 12 and all(texts) and len(subject.panels) == len(shown):
        yield [
            f"{subject.on(subject.panels[at])}.set_title({text!r})"
            for at, text in zip(shown, texts, strict=True)
        ]


def _ticks(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    slanted: list[str] = []
    thinned: list[str] = []
    for at in sorted({finding.axes for finding in findings}):
        ax, on = subject.panels[at], subject.on(subject.panels[at])
        for finding in findings:
            if finding.axes != at:
                continue
            which = "y" if " y axis" in finding.message else "x"
            axis = ax.yaxis if which == "y" else ax.xaxis
            names = [text.get_text() for text in axis.get_ticklabels()]
            if which == "x":
                slanted.append(
                    f"plt.setp({on}.get_xticklabels(), rotation=45, ha='right', rotation_mode='anchor')"
                )
            named = [set(s["labels"]) for s in subject.drawn[at]["series"] if s["labels"]]
            if (
                not named
                or ordered(names)
                or all(s["mark"] in ("line", "image") for s in subject.drawn[at]["series"])
            ):
                step = -(-len(names) // MOST_TICKS)
                thinned.append(f"{on}.set_{which}ticks({on}.get_{which}ticks()[::{max(2, step)}])")
            elif which == "y" and len(names) <= 40:
                height = round(min(12.0, 1.5 + 0.28 * len(names)), 1)
                thinned.append(f"{subject.name}.set_figheight({height})")
    if slanted:
        yield slanted
    if thinned:
        yield thinned
        if slanted:
            yield [*thinned, *slanted]


def _crowd(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    lines = []
    for at in sorted({finding.axes for finding in findings}):
        ax, bars = subject.panels[at], subject.drawn[at]["series"]
        groups = [c for c in ax.containers if isinstance(c, BarContainer)]
        plain = len(groups) == 1 and len(bars) == 1 and groups[0].errorbar is None and not bars[0].get("low")
        named = bool(bars[0]["labels"]) and not ordered(bars[0]["labels"]) and not bars[0].get("base")
        if not plain or not named or ax.lines or ax.collections:
            return
        lines.append(f"keep_longest({subject.on(ax)}, 15)")
        if groups[0].orientation != "horizontal":
            names = max(len(label) for label in bars[0]["labels"])
            if names > 5:
                on = subject.on(ax)
                lines.append(
                    f"plt.setp({on}.get_xticklabels(), rotation=45, ha='right', rotation_mode='anchor')"
                )
    yield lines


def _pie(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    if all("slices; bars" in finding.message for finding in findings):
        places = sorted({finding.axes for finding in findings})
        named = [one for at in places for one in subject.drawn[at]["series"] if one["labels"]]
        if len(named) == len(places):
            yield [f"bars_for_wedges({subject.on(subject.panels[at])})" for at in places]


def _from_zero(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    lines = []
    for finding in findings:
        ax = subject.panels[finding.axes]
        lying = any(isinstance(c, BarContainer) and c.orientation == "horizontal" for c in ax.containers)
        low = min(ax.get_xlim() if lying else ax.get_ylim())
        side = ("left" if low > 0 else "right") if lying else ("bottom" if low > 0 else "top")
        lines.append(f"{subject.on(ax)}.set_{'x' if lying else 'y'}lim({side}=0)")
    yield lines


def _limits(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    far = [finding for finding in findings if finding.level == "error"]
    yield [
        line
        for finding in far
        for line in (
            f"{subject.on(subject.panels[finding.axes])}.relim()",
            f"{subject.on(subject.panels[finding.axes])}.autoscale()",
        )
    ]


def _colour_map(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    lines = []
    for finding in findings:
        ax = subject.panels[finding.axes]
        for group in ("collections", "images"):
            for at, artist in enumerate(getattr(ax, group)):
                if (
                    artist.get_array() is not None
                    and artist.get_cmap().name.lower().removesuffix("_r") in RAINBOWS
                ):
                    lines.append(f"{subject.on(ax)}.{group}[{at}].set_cmap('viridis')")
    yield lines


def _legend(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    lines = []
    for finding in findings:
        legend = f"{subject.on(subject.panels[finding.axes])}.get_legend()"
        lines += [f"{legend}.set_loc('upper left')", f"{legend}.set_bbox_to_anchor((1.01, 1))"]
    yield lines


def _piled_up(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    lines = []
    for finding in findings:
        ax = subject.panels[finding.axes]
        for at, cloud in enumerate(ax.collections):
            if isinstance(cloud, PathCollection) and (cloud.get_alpha() or 1.0) >= 0.5:
                count = len(np.asarray(cloud.get_offsets()))
                lines.append(f"{subject.on(ax)}.collections[{at}].set_alpha({0.3 if count < 5000 else 0.1})")
    yield lines


def _size(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    now = float(findings[0].message.split()[2])
    width, height = (float(side) * now / LEGIBLE for side in subject.figure.get_size_inches())
    yield [f"{subject.name}.set_size_inches({width:.1f}, {height:.1f})"]


def _wide_title(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    lines = []
    for ax in subject.panels:
        title = ax.get_title()
        if len(title) > WIDEST_TITLE:
            lines.append(f"{subject.on(ax)}.set_title({textwrap.fill(title, WIDEST_TITLE)!r})")
    if len(title := subject.figure.get_suptitle()) > WIDEST_TITLE:
        lines.append(f"{subject.name}.suptitle({textwrap.fill(title, WIDEST_TITLE)!r})")
    yield lines


def _texts(subject: Subject, findings: Sequence[FigureFinding]) -> Iterator[list[str]]:
    """Make room between panels, else make what overlaps smaller: titles of panels, numbers in cells."""
    if len(subject.panels) > 1:
        yield [f"{subject.name}.tight_layout()"]
        yield [f"plt.setp([ax.title for ax in {subject.name}.axes], fontsize=8)"]
    crowded = [ax for ax in subject.panels if len(ax.texts) >= 9 and (ax.images or ax.collections)]
    if crowded:
        yield [f"plt.setp({subject.on(ax)}.texts, fontsize=6)" for ax in crowded]
        columns = max(len(series["labels"]) for one in subject.drawn for series in one["series"])
        side = round(min(14.0, 3 + 0.55 * columns), 1)
        yield [f"{subject.name}.set_size_inches({side}, {round(0.8 * side, 1)})"]


# In the order in which they are tried: what changes the marks first, then what depends on their names.
MENDS: dict[str, tuple[str, Mend]] = {
    "L21": ("pie_as_bars", _pie),
    "L18": ("longest_bars", _crowd),
    "L31": ("limits_of_data", _limits),
    "L17": ("bars_from_zero", _from_zero),
    "L39": ("even_colours", _colour_map),
    "L29": ("see_through_points", _piled_up),
    "L03": ("axis_label", _labels),
    "L01": ("title", _title),
    "L05": ("wrapped_title", _wide_title),
    "L09": ("larger_letters", _size),
    "L07": ("ticks_apart", _ticks),
    "L06": ("room_for_texts", _texts),
    "L13": ("legend_beside", _legend),
}
