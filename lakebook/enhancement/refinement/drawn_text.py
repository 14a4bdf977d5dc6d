"""A figure in words, for a model: what it is labelled with, and what it draws.

What belongs here: plain listing, cut to a length that a small model can read. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries

MOST_POINTS, MOST_SERIES = 40, 6


def labels_text(drawn: Sequence[DrawnAxes]) -> str:
    """Return title, axes and names of each axes, one a line."""
    lines = []
    for axes in drawn:
        names = ", ".join(one.label for one in axes.series[:MOST_SERIES] if one.label)
        parts = [("title", axes.title), ("x", axes.xlabel), ("y", axes.ylabel), ("series", names)]
        lines.append("; ".join(f"{what}: {text}" for what, text in parts if text.strip()))
    return "\n".join(line for line in lines if line)


def values_text(drawn: Sequence[DrawnAxes]) -> str:
    """Return what each axes draws, one series a line."""
    return "\n".join(_series(one) for axes in drawn for one in axes.series[:MOST_SERIES])


def _series(series: DrawnSeries) -> str:
    head = f"{series.label or series.mark}: "
    if series.mark == "point" and series.rank_correlation is not None:
        return f"{head}{series.n} points, rank correlation {series.rank_correlation:.2f}"
    step = max(1, math.ceil(len(series.y) / MOST_POINTS))
    names = series.labels or tuple(f"{x:.6g}" for x in series.x)
    pairs = list(zip(names, series.y, strict=False))[::step]
    return head + ", ".join(f"{name} {_plain(value)}" for name, value in pairs if not math.isnan(value))


def _plain(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
