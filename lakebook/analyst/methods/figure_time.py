"""Two figures of the time plays that the six house forms do not cover, in the same style.

What belongs here: drawing. Paper: NotebookRAG §4.2.4.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lakebook.analyst.methods.figure_style import BLUE, INK, ORANGE, draw_lines, new_figure


def draw_surprises(points: pd.DataFrame, title: str, ylabel: str, most: int = 6) -> Axes:
    """Draw values in blue, the expected path in grey, and unusual points in vermillion with their dates."""
    ax = draw_lines(
        {"observed": points["value"], "expected": points["expected"]}, title, ylabel, highlight=("observed",)
    )
    odd = points[points["unusual"]]
    ax.plot(odd.index, odd["value"], "o", color=ORANGE, markersize=5, zorder=4)
    low, high = ax.get_ylim()
    ax.set_ylim(low - 0.06 * (high - low), high + 0.08 * (high - low))
    order = odd["z"].abs().sort_values(ascending=False, kind="stable").index[:most]
    placed: list[tuple[float, float]] = []
    places = pd.Series(np.linspace(0, 1, len(points)), index=points.index)
    for day in order:
        x, y = float(places[day]), float((odd["value"][day] - low) / (high - low))
        if any(abs(x - a) < 0.16 and abs(y - b) < 0.09 for a, b in placed):
            continue
        placed.append((x, y))
        above, left = bool(odd["z"][day] > 0), bool(x > 0.85)
        ax.annotate(
            f"{day:%d %b %Y}",
            (day, odd["value"][day]),
            xytext=(-5 if left else 5, 5 if above else -5),
            textcoords="offset points",
            ha="right" if left else "left",
            va="bottom" if above else "top",
            fontsize=8,
            color=ORANGE,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
        )
    return ax


def draw_memory(acf: pd.Series, band: float, title: str, xlabel: str) -> Axes:
    """Draw the autocorrelation as stems, with the band within which chance stays."""
    ax = new_figure(title, xlabel, "Autocorrelation")
    lags, values = acf.index[1:].to_numpy(), acf.to_numpy()[1:]
    ax.axhspan(-band, band, color="#E5E5E5", zorder=0)
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.vlines(lags, 0, values, color=np.where(np.abs(values) > band, BLUE, "#BBBBBB"), linewidth=2)
    ax.annotate(
        "grey: within chance",
        (0.99, 0.98),
        xycoords="axes fraction",
        ha="right",
        va="top",
        fontsize=9,
        color=INK,
    )
    ax.set_ylim(min(-1.6 * band, float(values.min()) - 0.05), 1.0)
    return ax
