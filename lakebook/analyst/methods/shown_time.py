"""What a line over time says: trend, season, shift, unusual points, gaps; and whether two lines stay apart.

What belongs here: from drawn points to a regular series, and the verdicts on it. What does not: the tests
(`trend`, `season`, `forecasting`). Every word here is given only where its test holds; thresholds are those
of
the notes on plays, §2.2. Paper: NotebookRAG §4.2.4.
"""

import re
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lakebook.analyst.methods.forecasting import unusual_points
from lakebook.analyst.methods.season import lag_one, seasonality
from lakebook.analyst.methods.structure import modal_step
from lakebook.analyst.methods.time import STEP_OFFSET, on_grid
from lakebook.analyst.methods.trend import level_shift, trend, trend_line

# Longer series cost seconds each, and a figure of so many points is read by its smooth course.
LONGEST_SERIES = 3000


def shown_stamps(series: dict[str, Any]) -> pd.Series | None:
    """Return the dates at which points stand: ISO labels, or positions that are years; None for neither."""
    labels = [str(label) for label in series["labels"]]
    iso = r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?"
    if labels and all(re.fullmatch(iso, label) for label in labels):
        return pd.to_datetime(pd.Series(labels), format="ISO8601", errors="coerce")
    if labels and not all(re.fullmatch(r"\d{4}(\.0)?", label) for label in labels):
        return None
    years = [float(label) for label in labels] or [float("nan") if x is None else x for x in series["x"]]
    if not all(1500 <= year <= 2500 and year == round(year) for year in years):
        return None
    return pd.to_datetime(pd.Series([f"{int(year)}-01-01" for year in years]))


def shown_series(series: dict[str, Any]) -> tuple[pd.Series, str] | None:
    """Return drawn points as a regular series with its step; None if they are not one value a step."""
    count = len(series["y"])
    if count < 4 or series["n"] != count or count > LONGEST_SERIES:
        return None
    stamps = shown_stamps(series)
    if stamps is None or stamps.isna().any() or not (stamps.diff().dropna() > pd.Timedelta(0)).all():
        return None
    step, _ = modal_step(stamps)
    if step == "irregular":
        return None
    index = pd.DatetimeIndex(on_grid(stamps, step))
    if not index.is_unique:
        return None
    values = pd.Series(np.array(series["y"], dtype=float), index=index)
    grid = pd.date_range(index[0], index[-1], freq=STEP_OFFSET[step])
    first, last = values.first_valid_index(), values.last_valid_index()
    if not index.isin(grid).all() or first is None or last is None:
        return None
    # A running mean has no value at its ends: the line starts where its first point is.
    return values.reindex(grid).loc[first:last], step


def shown_time(series: dict[str, Any]) -> dict[str, Any]:
    """Return step, blanks, and the verdicts on trend, season, shift and unusual points of one line."""
    read = shown_series(series)
    if read is None:
        return {}
    values, step = read
    seen = values.dropna()
    facts: dict[str, Any] = {"step": step, "points": len(seen), "gap": widest_gap(values)}
    if len(seen) < 10 or float(seen.std()) <= 1e-9 * float(seen.abs().max()):
        return facts
    facts["trend"] = sure_trend(values, step)
    facts["season"] = sure_season(values, step)
    facts["shift"] = sure_shift(values, step, facts["trend"])
    if facts["shift"].get("word"):
        facts["trend"] = {**facts["trend"], "word": ""}
    facts["unusual"] = sure_unusual(values, step)
    return facts


def widest_gap(values: pd.Series) -> dict[str, Any]:
    """Count the steps without a value, and name the longest run of them."""
    blank = values.isna()
    if not blank.any():
        return {"blank": 0, "steps": len(values)}
    runs = blank.groupby((~blank).cumsum()).sum()
    start = int(np.flatnonzero((~blank).cumsum().to_numpy() == runs.idxmax())[0])
    return {
        "blank": int(blank.sum()),
        "steps": len(values),
        "longest": int(runs.max()),
        "after": str(values.index[start].date()),
        "before": str(values.index[start + int(runs.max()) + 1].date()),
    }


def sure_trend(values: pd.Series, step: str) -> dict[str, Any]:
    """Judge a trend: `word` is rises or falls if interval, p-value and size agree, and the series is long.

    A persistent series of fewer than 100 points drifts as far by itself, and one that turned has no one
    slope.
    """
    facts = trend(values, step)
    if not facts["enough"]:
        return {}
    beyond = "rises" if facts["low"] > 0 else "falls" if facts["high"] < 0 else ""
    size = facts["p"] < 0.05 and abs(facts["change_share"]) >= 0.05
    # Of twelve points persistence cannot be told: a quarter of random walks of that length passed.
    shaky = facts["points"] < 24 or (facts["rho"] > 0.6 and facts["points"] < 100)
    span = facts["span_years"]
    return {
        **facts,
        "word": beyond if size and not shaky and not facts["bent"] else "",
        "change_low": facts["low"] * span,
        "change_high": facts["high"] * span,
    }


def sure_season(values: pd.Series, step: str) -> dict[str, Any]:
    """Judge a season: `word` is seasonal if it is there, `peak_sure` and `trough_sure` if they stay.

    A running mean of noise passes tests for persistence of one step: the reach of the season must also stay
    above a third of itself when its cycles are redrawn.
    """
    facts, _ = seasonality(values, step)
    if not facts["enough"]:
        return {}
    held = ("cycle", "cycles", "p_holm", "strength", "strength_by_chance", "peak", "trough", "peak_level")
    stays = facts["amplitude_low"] >= facts["amplitude"] / 3
    more = ("trough_level", "amplitude", "amplitude_low", "amplitude_high", "amplitude_share")
    return {
        **{name: facts[name] for name in (*held, *more)},
        "word": "seasonal" if facts["seasonal"] and facts["cycles"] >= 2 and stays else "",
        "peak_sure": bool(facts["peak_share"] >= 0.8),
        "trough_sure": bool(facts["trough_share"] >= 0.8),
    }


def sure_shift(values: pd.Series, step: str, line: dict[str, Any]) -> dict[str, Any]:
    """Judge a lasting shift of the level: `word` is shifts if it is sure, and not better told as a trend.

    A step has a slope too, and a slope cut in two has a step: where a trend is sure as well, the steps must
    leave at most four fifths of the squares that the line leaves.
    """
    facts, level = level_shift(values, step)
    if not facts["enough"] or not facts["count"]:
        return {}
    sizes = np.array([shift["sd"] for shift in facts["shifts"]])
    # Steps that mostly go one way are what a slope looks like to a search for steps.
    staircase = len(sizes) > 1 and abs(sizes.sum()) > 0.5 * np.abs(sizes).sum()
    better = True
    if line.get("word"):
        rest = values - trend_line(values, step, line["slope"])
        better = float(((values - level) ** 2).sum()) <= 0.8 * float((rest**2).sum())
    sure = bool(facts["firm"] and facts["p"] <= 0.05 and not staircase and better)
    held = {name: facts[name] for name in ("p", "rho", "count")}
    return {**facts["shifts"][0], **held, "word": "shifts" if sure else ""}


def sure_unusual(values: pd.Series, step: str) -> dict[str, Any]:
    """Judge points far from trend and season: `word` if the farthest exceeds all that chance gives."""
    facts, _ = unusual_points(values, step)
    if not facts["enough"] or not facts["top"]:
        return {}
    many = facts["share"] > 0.03 and facts["unusual"] > 3
    sure = facts["largest"] > max(3.5, facts["largest_by_chance"]) and not many
    top = facts["top"][0]
    return {
        **top,
        "count": facts["unusual"],
        "by_chance": facts["expected_by_chance"],
        "side": "above" if top["z"] > 0 else "below",
        "word": "unusual" if sure else "",
    }


def gap_between(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Compare the lines with the highest and the lowest mean where both stand; needs ten common places.

    The interval of the mean gap is that of as many independent values as its persistence leaves, at 95 % over
    all pairs of lines. `word` is above if it excludes 0 and the gap is at least 5 % of the mean level.
    """
    if any(line.get("shape") == "stacked" for line in lines):
        return {}
    lines = [line for line in lines if line["label"] and line["n"] == len(line["y"])]
    points = [pd.Series(line["y"], index=line["x"], dtype=float) for line in lines]
    if len(lines) < 2 or not all(one.index.is_unique for one in points):
        return {}
    table = pd.concat(dict(enumerate(points)), axis=1, join="inner").sort_index().dropna()
    if len(table) < 10 or len({line["label"] for line in lines}) < len(lines):
        return {}
    means = table.mean()
    top, low = int(means.argmax()), int(means.argmin())
    gap = (table[top] - table[low]).to_numpy()
    alike = lag_one(gap)
    independent = max(len(gap) * (1 - alike) / (1 + alike), 2.0)
    pairs = len(lines) * (len(lines) - 1) / 2
    spread = float(gap.std(ddof=1) / np.sqrt(independent))
    reach = float(stats.t.ppf(1 - 0.025 / pairs, independent - 1)) * spread
    wanders = alike > 0.6 and len(gap) < 100
    mean, level = float(gap.mean()), float(table.abs().mean().mean())
    return {
        "top": lines[top]["label"],
        "low": lines[low]["label"],
        "lines": len(lines),
        "places": len(gap),
        "above": int((gap > 0).sum()),
        "gap": mean,
        "gap_low": mean - reach,
        "gap_high": mean + reach,
        "top_mean": float(means[top]),
        "low_mean": float(means[low]),
        "word": "above" if mean - reach > 0 and mean >= 0.05 * level and not wanders else "",
    }
