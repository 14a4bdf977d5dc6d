"""The classes that plotly.js makes of values when a figure leaves the binning to the browser.

What belongs here: its choice of sizes and edges, and counts and averages by class. What does not: reading
traces (`plotly_traces`). The rule is that of plotly.js (`Axes.autoBin`, `autoTicks`, `autoShiftNumericBins`),
for no other gives the bars that its reader saw. Paper: NotebookRAG §4.2.4.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

DAY_MS, MONTH_MS, YEAR_MS = 86_400_000.0, 2_629_800_000.0, 31_557_600_000.0


def round_up(value: float, steps: Sequence[float]) -> float:
    """Return the least step that is not below a value, the last one if all are."""
    return next((step for step in steps if step >= value), steps[-1])


def auto_size(rough: float) -> float:
    """Return a size of 1, 2, 5 or 10 times a power of ten, at least a rough one."""
    base = 10.0 ** np.floor(np.log10(rough))
    return float(base * round_up(rough / base, [2, 5, 10]))


def auto_bins(values: np.ndarray, most: float = 0, power: float = 0.4) -> tuple[float, float, int]:
    """Return (start, size, count) of the classes for numbers, as plotly.js chooses them.

    Args:
        values: finite numbers, at least one.
        most: about how many classes were asked for, 0 if none were.
        power: 0.4 for a histogram, 0.25 in two dimensions.
    """
    low, high = float(values.min()), float(values.max())
    if most:
        rough = (high - low) / most
    else:
        distinct = np.unique(values)
        least = float(np.diff(distinct).min()) if len(distinct) > 1 else 1.0
        scale = 10.0 ** np.floor(np.log10(least))
        smallest = scale * max((s for s in (0.9, 1.9, 4.9, 9.9) if s <= least / scale), default=0.9)
        rough = max(smallest, 2 * float(values.std()) / len(values) ** power)
    size = auto_size(rough) if rough > 0 else 1.0
    # The first tick, looked for a little below the least value, then one step back.
    first = np.ceil((1.0001 * low - 0.0001 * high) / size) * size
    start = shifted_start(float(first - size), values, size, low, high)
    count = 1 + int(np.floor((high - start) / size + 1e-12))
    return start, size, count


def shifted_start(start: float, values: np.ndarray, size: float, low: float, high: float) -> float:
    """Move the edges of classes off the values, where many lie on them or all are whole."""

    def near_edge(found: np.ndarray) -> np.ndarray:
        return np.asarray(np.fmod(1 + (found - start) * 100 / size, 100) < 2)

    if (values == np.round(values)).all():
        if size < 1:
            return low - 0.5 * size
        start -= 0.5
        return start + size if start + size < low else start
    middle = int(near_edge(values + size / 2).sum())
    if middle < 0.1 * len(values):
        on_edge = int(near_edge(values).sum())
        ends = near_edge(np.array([low, high]))
        if on_edge > 0.3 * len(values) or ends.any():
            half = size / 2
            start += half if start + half < low else -half
    return start


def date_bins(days: np.ndarray, most: float = 0) -> np.ndarray:
    """Return the edges of classes of dates, in days since 1970, as plotly.js chooses them."""
    low, high = float(days.min()), float(days.max())
    if most:
        rough = (high - low) / most * DAY_MS
    else:
        rough = max(2 * float(days.std()) / len(days) ** 0.4, 1e-9) * DAY_MS
    first, last = (pd.Timestamp(0) + pd.Timedelta(days=value) for value in (low, high))
    if 2 * rough > YEAR_MS:
        step = max(1, int(auto_size(rough / YEAR_MS))) if rough > YEAR_MS else 1
        years = range(first.year - first.year % step, last.year + step + 1, step)
        stamps = pd.DatetimeIndex([pd.Timestamp(year, 1, 1) for year in years])
    elif 2 * rough > MONTH_MS:
        step = int(round_up(rough / MONTH_MS, [1, 2, 3, 6, 12]))
        begin = pd.Timestamp(first.year, 1 + (first.month - 1) // step * step, 1)
        stamps = pd.date_range(begin, last + pd.DateOffset(months=step), freq=f"{step}MS")
    else:
        units = [n * DAY_MS for n in (1, 2, 3, 7, 14)] if 2 * rough > DAY_MS else []
        hours = [n * DAY_MS / 24 for n in (1, 2, 3, 6, 12)]
        size = (round_up(rough, units) if units else round_up(rough, hours)) / DAY_MS
        origin = -4.0 if size % 7 == 0 else 0.0  # weeks begin on a Sunday
        start = np.floor((low - origin) / size) * size + origin
        return np.asarray(np.arange(start, high + 2 * size, size))
    edges = (stamps - pd.Timestamp(0)).total_seconds().to_numpy() / 86400
    return np.asarray(edges[: int(np.searchsorted(edges, high, side="right")) + 1])


def class_values(
    places: np.ndarray,
    edges: np.ndarray,
    weights: np.ndarray | None,
    how: str,
    norm: str,
    cumulative: bool = False,
) -> np.ndarray:
    """Return the height of every class: a count, or a sum or average of weights; then normed, or piled up.

    Classes hold their lower edge and not their upper one, as those of plotly.js do.
    """
    which = np.searchsorted(edges, places, side="right") - 1
    inside = (which >= 0) & (which < len(edges) - 1) & np.isfinite(places)
    size = len(edges) - 1
    if weights is None or how == "count":
        heights = np.bincount(which[inside], minlength=size).astype(float)
    else:
        groups = pd.Series(weights[inside]).groupby(which[inside])
        name = {"avg": "mean"}.get(how, how)
        heights = getattr(groups, name)().reindex(range(size)).to_numpy(dtype=float)
        heights = np.nan_to_num(heights) if how == "sum" else heights
    widths, total = np.diff(edges), float(np.nansum(heights))
    if total and norm in ("percent", "probability", "probability density"):
        heights = heights / total * (100 if norm == "percent" else 1)
    if norm in ("density", "probability density"):
        heights = heights / widths
    return np.cumsum(heights) if cumulative else heights
