"""Regular series out of a frame, and plain comparisons of periods.

What belongs here: the preparation that all time plays share (one value a step, gaps left blank, partial
ends out of totals), smoothing, and like-for-like change. Not here: seasons (`season`), trends and level
shifts (`trend`), forecasts (`forecasting`). Paper: NotebookRAG §4.2.3 (code that verifies an insight).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm

# Offsets of the regular grids, and how many steps make a year.
STEP_OFFSET = {"hour": "h", "day": "D", "week": "7D", "month": "MS", "quarter": "QS", "year": "YS"}
STEPS_A_YEAR = {"hour": 8766.0, "day": 365.25, "week": 52.18, "month": 12.0, "quarter": 4.0, "year": 1.0}


def read_stamps(column: pd.Series) -> pd.Series:
    """Return a time column as timestamps; whole numbers are read as years."""
    if pd.api.types.is_numeric_dtype(column):
        return pd.to_datetime(column.astype("Int64").astype("string"), format="%Y", errors="coerce")
    return pd.to_datetime(column, errors="coerce")


def on_grid(stamps: pd.Series, step: str) -> pd.Series:
    """Move every stamp to the start of its step.

    Weekly stamps that nearly all fall on one weekday go to the nearest such day, so that a week stamped
    on a Monday instead of a Sunday stays the week that it is; otherwise weeks start on Monday.
    """
    if step == "week":
        day = stamps.dt.day_of_week
        usual = day.value_counts(normalize=True)
        fixed = usual.iloc[0] >= 0.8
        shift = (day - usual.index[0] + 3) % 7 - 3 if fixed else day
        moved = stamps.dt.normalize() - pd.to_timedelta(shift, unit="D")
    elif step in ("hour", "day"):
        moved = stamps.dt.floor("h" if step == "hour" else "D")
    else:
        letter = {"month": "M", "quarter": "Q", "year": "Y"}[step]
        moved = stamps.dt.to_period(letter).dt.start_time
    return pd.Series(moved, index=stamps.index)


def time_series(
    frame: pd.DataFrame,
    time: str,
    step: str,
    value: str = "",
    how: str = "count",
    weight: str = "",
    events: bool = False,
) -> pd.Series:
    """Return one value a step on a regular grid: a sum, a (weighted) mean or a count of rows.

    Steps without rows stay blank, never interpolated. For `events` (orders, not readings) an empty step
    is a true zero of a sum or count, and a first or last step that the rows cover only in part is left
    out. For readings, two stamps that fall into one step are averaged, since both describe that step.
    """
    data = pd.DataFrame({"stamp": read_stamps(frame[time])})
    data["value"] = frame[value].astype(float) if value else 1.0
    data["weight"] = frame[weight].astype(float) if weight else 1.0
    data = data.dropna()
    if data.empty:
        return pd.Series(dtype=float, name=value or "rows")
    data["step"] = on_grid(data["stamp"], step)
    keys = ["step"] if events or how == "mean" else ["step", "stamp"]
    if how == "mean":
        data["value"] = data["value"] * data["weight"]
        sums = data.groupby(keys)[["value", "weight"]].sum()
        series = sums["value"] / sums["weight"].where(sums["weight"] > 0)
    else:
        series = data.groupby(keys)["value"].sum()
        if not events:
            series = series.groupby(level="step").mean()
    grid = pd.date_range(series.index.min(), series.index.max(), freq=STEP_OFFSET[step])
    series = series.reindex(grid).rename(value or "rows")
    if events and how != "mean":
        first, last = partial_ends(data["stamp"], step)
        series = series.fillna(0.0).iloc[int(first) : len(series) - int(last)]
    return series


def partial_ends(stamps: pd.Series, step: str) -> tuple[bool, bool]:
    """Tell whether the first and the last step are covered only in part.

    An end is partial if the uncovered stretch exceeds both 5 % of the step and three times the usual
    distance between stamps.
    """
    days = pd.Series(np.sort(stamps.dt.normalize().unique()))
    usual = days.diff().median() if len(days) > 1 else pd.Timedelta(1, unit="D")
    start = on_grid(stamps, step)
    nxt = (start.max() + pd.tseries.frequencies.to_offset(STEP_OFFSET[step])).normalize()
    length = nxt - start.max()
    if length <= pd.Timedelta(1, unit="D"):
        return False, False
    slack = max(0.05 * length, 3 * usual)
    head = days.iloc[0] - start.min().normalize()
    tail = nxt - pd.Timedelta(1, unit="D") - days.iloc[-1]
    return bool(head > slack), bool(tail > slack)


def fill_gaps(series: pd.Series, period: float) -> pd.Series | None:
    """Interpolate short gaps for methods that need every step; None if the gaps are too long for that.

    Short means: at most 5 % of all steps, and none longer than 8 % of the period.
    """
    blank = series.isna()
    runs = blank.groupby((~blank).cumsum()).sum()
    if blank.mean() > 0.05 or runs.max() > max(1.0, 0.08 * period):
        return None
    return series.interpolate(limit_direction="both")


def smooth(series: pd.Series, period: float = 0.0) -> pd.Series:
    """Return a LOESS curve through the series, over one period or a fifth of the span, blank at gaps."""
    seen = series.dropna()
    if len(seen) < 5:
        return series * np.nan
    span = min(1.0, max(period / max(len(series), 1), 0.2))
    place = np.arange(len(series))[series.notna().to_numpy()]
    curve = sm.nonparametric.lowess(seen.to_numpy(), place, frac=span, it=1, return_sorted=False)
    return pd.Series(curve, index=seen.index).reindex(series.index)


def timeline(
    series: pd.Series, step: str, years_to_compare: Sequence[int] = ()
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Describe a series: ends, extremes, blanks, and the level of each full year.

    A year is full if at least 95 % of its steps are present and, where years are given that can be compared
    (those with enough rows), it is one of them. The change between the first and the last
    full year is judged on the steps that both have, with an interval from `matched_change`.
    """
    seen = series.dropna()
    if len(seen) < 3:
        return {"points": len(seen), "enough": False}, pd.DataFrame()
    dates = pd.DatetimeIndex(seen.index)
    wanted = {"hour": 8760, "day": 365, "week": 52, "month": 12, "quarter": 4, "year": 1}[step]
    years = pd.DataFrame({"mean": seen.groupby(dates.year).mean()})
    years["steps"] = seen.groupby(dates.year).size()
    years["full"] = years["steps"] >= 0.95 * wanted
    if len(years_to_compare) > 1:
        years["full"] &= years.index.isin(list(years_to_compare))
    full = years.index[years["full"]]
    facts: dict[str, Any] = {
        "enough": len(seen) >= 12,
        "points": len(seen),
        "blank": int(series.isna().sum()),
        "first": str(dates[0].date()),
        "last": str(dates[-1].date()),
        "mean": float(seen.mean()),
        "low": float(seen.min()),
        "low_at": str(dates[int(seen.argmin())].date()),
        "high": float(seen.max()),
        "high_at": str(dates[int(seen.argmax())].date()),
        "full_years": [int(year) for year in full],
    }
    for first in full[:-1]:
        change = matched_change(series, int(first), int(full[-1]), step)
        if "change" in change:
            facts |= {"first_year": int(first), "last_year": int(full[-1])}
            return facts | {f"year_{name}": value for name, value in change.items()}, years
    return facts, years


def position_in_year(index: pd.DatetimeIndex, step: str) -> np.ndarray:
    """Return which step of its year each stamp is: weeks are counted by the day of year."""
    place: Any
    if step == "month":
        place = index.month
    elif step == "quarter":
        place = index.quarter
    elif step == "week":
        place = np.minimum((index.day_of_year - 1) // 7, 51)
    elif step in ("day", "hour"):
        place = (index.month * 100 + index.day) * 100 + (index.hour if step == "hour" else 0)
    else:
        place = index.year * 0
    return np.asarray(place)


def matched_change(
    series: pd.Series, year_a: int, year_b: int, step: str, total: bool = False, draws: int = 400
) -> dict[str, Any]:
    """Compare two years on the steps of the year that both have.

    Returns the raw change (all steps of each year; sums if `total`), the matched change and its 95 %
    interval from a bootstrap of blocks of neighbouring steps (about six weeks). Without a level above
    zero there is no change.
    """

    def year(wanted: int) -> pd.Series:
        part = series[pd.DatetimeIndex(series.index).year == wanted].dropna()
        return pd.Series(part.groupby(position_in_year(pd.DatetimeIndex(part.index), step)).mean())

    a, b = year(year_a), year(year_b)
    both = pd.concat({"a": a, "b": b}, axis=1).dropna()
    block = {"hour": 168, "day": 28, "week": 6, "month": 2}.get(step, 1)
    rng = np.random.default_rng(0)
    blocks = -(-len(both) // block)
    starts = rng.integers(0, max(len(both), 1), size=(draws, max(blocks, 1)))
    picks = ((starts[:, :, None] + np.arange(block)) % max(len(both), 1)).reshape(draws, -1)[:, : len(both)]
    if both.empty:
        return {"matched_steps": 0}
    values = both.to_numpy()[picks].mean(axis=1)
    level_a, level_b = (float(level) for level in both.mean())
    facts = {"matched_steps": len(both), "steps_a": len(a), "steps_b": len(b)}
    if (values[:, 0] <= 0).any() or level_a <= 0:
        return facts  # a change relative to a level that may be zero says nothing
    changes = values[:, 1] / values[:, 0] - 1
    raw = (b.sum() / a.sum() if total else b.mean() / a.mean()) - 1
    return facts | {
        "level_a": level_a,
        "level_b": level_b,
        "raw_change": float(raw),
        "change": level_b / level_a - 1,
        "factor": level_b / level_a,
        "change_low": float(np.quantile(changes, 0.025)),
        "change_high": float(np.quantile(changes, 0.975)),
    }


def year_on_year(series: pd.Series, step: str, total: bool = False) -> dict[str, Any]:
    """Compare the last year that the series touches with the year before, like for like."""
    seen = series.dropna()
    if seen.empty:
        return {"matched_steps": 0}
    last = int(pd.DatetimeIndex(seen.index).year.max())
    return matched_change(series, last - 1, last, step, total) | {"last_year": last, "year_before": last - 1}
