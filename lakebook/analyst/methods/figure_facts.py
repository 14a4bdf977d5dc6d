"""What a drawn figure says, as facts: statistics of what is drawn, and of the frame that it was drawn from.

What belongs here: from the lists of `drawn_data` to facts with their tests. What does not: the statistics
of a
series or of groups (the modules beside this), and any sentence (`lakebook.enhancement.insights`). A word that
needs a test stands in the facts only where the test holds. Paper: NotebookRAG §4.2.4; notes on plays, §2.2.
"""

from typing import Any

import numpy as np
import pandas as pd

from lakebook.analyst.methods.one_variable import gini, numeric_shape, quartile_lean, robust_outliers
from lakebook.analyst.methods.relations import rank_interval
from lakebook.analyst.methods.season import lag_one
from lakebook.analyst.methods.shown_origin import (
    origin_of_bins,
    origin_of_correlations,
    origin_of_levels,
    origin_of_points,
)
from lakebook.analyst.methods.shown_time import gap_between, shown_series, shown_time

Shown = dict[str, Any]

# Points that follow one another more closely than this are a course, and two courses always seem related.
MOST_ALIKE = 0.7


def shown_facts(drawn: list[Shown], frame: pd.DataFrame, units: list[str]) -> list[Shown]:
    """Return the facts of each axes of drawn data.

    `units` are the columns that tell independent rows of the frame apart. What cannot be computed says why:
    the figure is old code's, and no surprise in it may stop the notebook.
    """
    facts = []
    for axes in drawn:
        try:
            facts.append(shown_axes(axes, frame, units))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            facts.append({"failed": f"{type(error).__name__}: {error}", "series": []})
    return facts


def shown_axes(axes: Shown, frame: pd.DataFrame, units: list[str]) -> Shown:
    """Return the facts of one axes: one entry a series, and what tells two lines apart."""
    # Lines beyond the fourth cost time and make a figure that is read as a whole.
    series = [shown_one(one, frame, units) if place < 4 else {} for place, one in enumerate(axes["series"])]
    lines = [one for one in axes["series"] if one["mark"] == "line"]
    return {"series": series, "between": gap_between(lines)}


def shown_one(series: Shown, frame: pd.DataFrame, units: list[str]) -> Shown:
    """Return the facts of one series, by its mark."""
    mark, shape = series["mark"], series.get("shape", "")
    if shape in ("fit", "density", "band", "strip", "stacked"):
        return {}  # smooth by construction, a jitter, or a sum with what is under it: no data of its own
    if mark in ("line", "bar") and shown_series(series) is not None:
        return shown_time(series)
    if mark in ("bar", "barh", "box") and series["labels"]:
        return shown_levels(series) | {"origin": origin_of_levels(series, frame, units)}
    if mark == "bar":
        return shown_shape(series, frame)
    if mark == "point":
        return shown_relation(series, frame, units)
    if mark == "wedge":
        return shown_levels(series)
    if mark == "image":
        return {"correlations": origin_of_correlations(series, frame, units)}
    return {}


def shown_levels(series: Shown) -> Shown:
    """Say which categories are highest and lowest, ties with them, and how much the first ones hold."""
    values = np.array(series["y"], dtype=float)
    if len(values) != len(series["labels"]) or len(values) < 2 or not np.isfinite(values).all():
        return {}
    order = np.argsort(-values, kind="stable")
    top, low = values[order[0]], values[order[-1]]
    facts: Shown = {
        "count": len(values),
        "top": [series["labels"][i] for i in order if np.isclose(values[i], top, rtol=1e-9)],
        "low": [series["labels"][i] for i in order if np.isclose(values[i], low, rtol=1e-9)],
        "top_value": float(top),
        "low_value": float(low),
        "second": series["labels"][order[1]],
        "second_value": float(values[order[1]]),
        "ratio": float(top / low) if low > 0 else None,
    }
    if (values >= 0).all() and values.sum() > 0:
        running = values[order].cumsum() / values.sum()
        fifth = int(np.ceil(0.2 * len(values)))
        facts |= {
            "share": float(running[0]),
            "gini": gini(values),
            "fifth": fifth,
            "fifth_share": float(running[fifth - 1]),
            "concentrated": bool(len(values) >= 10 and (gini(values) >= 0.6 or running[fifth - 1] >= 0.6)),
        }
    return facts | {"apart": apart_from_rest(pd.Series(values, index=series["labels"]))}


def apart_from_rest(values: pd.Series, draws: int = 199) -> Shown:
    """Find the one value that stands apart from all others, if one does; of fewer than 12 none can.

    Beyond 3.5 median absolute deviations and beyond what 99 % of normal samples of this size reach; on a log
    scale too, if all are positive, since a long tail has no outliers.
    """
    if len(values) < 12:
        return {}
    noise = np.random.default_rng(5).normal(size=(draws, len(values)))
    middle = np.median(noise, axis=1, keepdims=True)
    spread = 1.4826 * np.median(np.abs(noise - middle), axis=1, keepdims=True)
    limit = max(3.5, float(np.quantile(np.abs(noise - middle).max(axis=1) / spread[:, 0], 0.99)))
    scales = [False, True] if values.min() > 0 else [False]
    found = [robust_outliers(values, log=log, cut=limit) for log in scales]
    if any(one["flagged"] != 1 for one in found):
        return {}
    value = float(found[0]["top"][0])
    rest = values[values != value]
    return {
        "name": str(values.index[int(np.argmax(values.to_numpy() == value))]),
        "value": value,
        "rest_low": float(rest.min()),
        "rest_high": float(rest.max()),
        "rest": len(rest),
    }


def shown_shape(series: Shown, frame: pd.DataFrame) -> Shown:
    """Describe a histogram: its tallest bar, and from the column that it counts, where half of it lies."""
    counts, middles = np.array(series["y"], dtype=float), np.array(series["x"], dtype=float)
    width = float(series.get("width") or 0.0)
    even = len(middles) >= 5 and width > 0 and np.allclose(np.diff(middles), width, rtol=1e-3)
    if not even or not np.isfinite(counts).all() or counts.sum() <= 0:
        return {}
    tallest = np.flatnonzero(counts == counts.max())
    facts: Shown = {
        "bars": len(counts),
        "tallest": len(tallest),
        "low": float(middles[tallest[0]] - width / 2),
        "high": float(middles[tallest[0]] + width / 2),
        "share": float(counts.max() / counts.sum()),
    }
    column = origin_of_bins(counts, middles, width, frame)
    if column:
        facts |= {"column": column} | shown_lean(frame[column].dropna().astype(float))
    return facts


def shown_lean(values: pd.Series, draws: int = 200, most: int = 5000) -> Shown:
    """Return where half of the values lie, and which way they lean if that survives a bootstrap."""
    shape = numeric_shape(values)
    rng = np.random.default_rng(6)
    sample = values.sample(most, random_state=6) if len(values) > most else values
    redrawn = [quartile_lean(pd.Series(rng.choice(sample, len(sample)))) for _ in range(draws)]
    low, high = float(np.quantile(redrawn, 0.025)), float(np.quantile(redrawn, 0.975))
    word = ""
    if low > 0 and shape["lean"] >= 0.1 and shape["mean"] > shape["median"]:
        word = "right"
    if high < 0 and shape["lean"] <= -0.1 and shape["mean"] < shape["median"]:
        word = "left"
    return {**shape, "lean_low": low, "lean_high": high, "leans": word, "points": len(values)}


def shown_relation(series: Shown, frame: pd.DataFrame, units: list[str]) -> Shown:
    """Judge how the ranks of a scatter's points go together, for as many points as are independent.

    Points in the order of time repeat their neighbours: their number is reduced by the lag-one correlation of
    x times that of what x leaves of y (Bartlett), and to the number of independent units where the columns
    are known. Together: the interval excludes 0 and the rank correlation is at least 0.2 in size.
    """
    rho = series.get("rank_correlation")
    if rho is None or len(series["x"]) < 10:
        return {}
    ranks = pd.DataFrame({"x": series["x"], "y": series["y"]}, dtype=float).dropna().rank()
    x, y = (ranks[name].to_numpy(dtype=float) for name in ("x", "y"))
    slope = float(np.cov(x, y, ddof=0)[0, 1] / x.var()) if x.var() > 0 else 0.0
    rest = y - slope * x
    # What is left of an exact relation is rounding, whose neighbours may well be alike.
    alike = lag_one(x) * lag_one(rest) if rest.std() > 1e-6 * y.std() else 0.0
    origin = origin_of_points(series, frame, units)
    independent = float(series["n"]) * (1 - alike) / (1 + alike)
    independent = min(independent, float(origin.get("independent", independent)))
    # Files read twice draw every point twice.
    copies = int(ranks.value_counts().min())
    independent = min(independent, float(series["n"]) / copies)
    low, high = rank_interval(rho, independent)
    word = ""
    if independent >= 10 and abs(rho) >= 0.2 and alike <= MOST_ALIKE:
        word = "together" if low > 0 else "against" if high < 0 else ""
    return {
        "points": int(series["n"]),
        "independent": int(independent),
        "rho": float(rho),
        "low": low,
        "high": high,
        "word": word,
        "none": bool(low > -0.2 and high < 0.2),
        **origin,
    }
