"""Seasons: is there one, how strong is it, when is its peak.

What belongs here: tests whose size holds on short, persistent series, and the profile of a season. Usual
rules do not hold (notes §8): a seasonal strength of 0.64 is reached by white noise at three cycles, and
Wald tests with HAC errors reject true nulls in a third of cases. Paper: NotebookRAG §4.2.3.
"""

from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy.signal import lfilter

from lakebook.analyst.methods.time import STEPS_A_YEAR, fill_gaps, smooth

# Cycles of the calendar by step: name and length in steps. A free search for periods finds grid artefacts,
# and quarters or half-years are overtones of the year, which its test holds already.
CYCLES = {
    "hour": {"day": 24.0, "week": 168.0},
    "day": {"week": 7.0, "year": 365.25},
    "week": {"year": 52.18},
    "month": {"year": 12.0},
    "quarter": {"year": 4.0},
}


def ar1_paths(rho: float, length: int, runs: int, seed: int = 0) -> np.ndarray:
    """Return `runs` simulated series with lag-one correlation `rho`: persistence without any pattern."""
    noise = np.random.default_rng(seed).normal(size=(runs, length + 200))
    return np.asarray(lfilter([1.0], [1.0, -rho], noise, axis=1))[:, 200:]


def lag_one(values: np.ndarray) -> float:
    """Return the lag-one correlation of a series with blanks, corrected for its bias in short series."""
    v = values - np.nanmean(values)
    pairs = np.isfinite(v[1:]) & np.isfinite(v[:-1])
    if pairs.sum() < 8 or np.nanvar(v) == 0:
        return 0.0
    rho = float((v[1:][pairs] * v[:-1][pairs]).mean() / np.nanmean(v**2))
    return float(np.clip(rho + (1 + 3 * rho) / len(v), 0.0, 0.97))


def harmonics(length: int, period: float, count: int) -> np.ndarray:
    """Return sine and cosine columns for a period and its overtones."""
    t = np.arange(length)
    waves = [wave(2 * np.pi * k * t / period) for k in range(1, count + 1) for wave in (np.sin, np.cos)]
    return np.column_stack(waves)


def leave_residual(design: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return what least squares on the design leaves of each row of values."""
    basis, _ = np.linalg.qr(design)
    return np.asarray(values - (values @ basis) @ basis.T)


def season_test(series: pd.Series, period: float, draws: int = 199) -> dict[str, float]:
    """Test a season of known period: partial R2 of harmonics after a linear trend.

    The p-value comes from a parametric bootstrap: simulated series that have the persistence of this one
    and no season go through the same fit. It keeps its size where Wald tests do not, and accepts blanks.
    """
    values = series.to_numpy(dtype=float)
    seen = np.isfinite(values)
    n = len(values)
    line = np.column_stack([np.ones(n), np.arange(n) / n])[seen]
    waves = harmonics(n, period, 1 if period < 20 else 2)[seen]
    both = np.column_stack([line, waves])

    def gain(rows: np.ndarray) -> np.ndarray:
        plain = (leave_residual(line, rows) ** 2).sum(axis=1)
        return np.asarray(1 - (leave_residual(both, rows) ** 2).sum(axis=1) / np.maximum(plain, 1e-300))

    flat = np.full(n, np.nan)
    flat[seen] = leave_residual(line, values[seen][None])[0]
    rho = lag_one(flat)
    found = float(gain(values[seen][None])[0])
    chance = gain(ar1_paths(rho, n, draws)[:, seen])
    return {"r2": found, "p": float((1 + (chance >= found).sum()) / (draws + 1)), "rho": rho}


def split_season(values: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    """Return trend and season by STL with one fixed season (it must have no blanks).

    The season is held the same in every cycle: a flexible one takes noise for season in short series.
    """
    whole = round(period)
    jump = max(1, whole // 10)
    fit = sm.tsa.STL(
        values,
        period=whole,
        seasonal=10 * len(values) + 1,
        seasonal_deg=0,
        seasonal_jump=len(values),
        trend_jump=jump,
        low_pass_jump=jump,
    ).fit()
    return np.asarray(fit.trend), np.asarray(fit.seasonal)


def strength(values: pd.Series, trend: pd.Series, season: pd.Series) -> float:
    """Return the share of the detrended variance that the season holds (F_S), 0 to 1."""
    rest = values - trend - season
    whole = float((values - trend).var())
    return max(0.0, 1 - float(rest.var()) / whole) if whole > 0 else 0.0


def expected_path(series: pd.Series, step: str, period: float = 0.0) -> tuple[pd.Series, pd.Series, str]:
    """Return trend, season and how they were found, for the longest calendar cycle that fits twice.

    STL with a fixed season where gaps are short; sine waves on a line where gaps are long; a LOESS trend
    and no season where no cycle fits twice.
    """
    if not period:
        period = max((p for p in CYCLES.get(step, {}).values() if len(series) >= 2 * p), default=0.0)
    if not period:
        none = pd.Series(0.0, index=series.index)
        return smooth(series), none, "a LOESS trend without a season (fewer than two cycles)"
    filled = fill_gaps(series, period)
    if filled is not None:
        trend, season = split_season(filled.to_numpy(dtype=float), period)
        return pd.Series(trend, series.index), pd.Series(season, series.index), "STL with a fixed season"
    values, n = series.to_numpy(dtype=float), len(series)
    seen = np.isfinite(values)
    line = np.column_stack([np.ones(n), np.arange(n) / n])
    waves = harmonics(n, period, 1 if period < 20 else 3)
    found = np.linalg.lstsq(np.column_stack([line, waves])[seen], values[seen], rcond=None)[0]
    trend, season = line @ found[:2], waves @ found[2:]
    return pd.Series(trend, series.index), pd.Series(season, series.index), "sine waves on a line (long gaps)"


def season_label(index: pd.DatetimeIndex, cycle: str, step: str) -> tuple[list[str], list[int]]:
    """Return for each stamp the name of its season within the cycle and the number of its cycle."""
    if cycle == "day":
        return [f"{hour:02d}:00" for hour in index.hour], list(index.normalize().asi8)
    if cycle == "week":
        return list(index.day_name()), list(
            (index.normalize() - pd.to_timedelta(index.day_of_week, "D")).asi8
        )
    if cycle == "month":
        return [f"day {day}" for day in index.day], list(index.year * 12 + index.month)
    if step == "quarter":
        return [f"quarter {quarter}" for quarter in index.quarter], list(index.year)
    return list(index.month_name()), list(index.year)


def without_season(series: pd.Series, step: str) -> tuple[pd.Series, int]:
    """Return the series less its yearly or weekly waves, where `season_test` finds them, and their number.

    Waves (three overtones) take out less noise than a mean for each of 52 weeks would; a season that is
    not there is left alone, since taking it out would make what is left look calmer than it is.
    """
    values, n = series.to_numpy(dtype=float), len(series)
    seen = np.isfinite(values)
    periods = [p for p in CYCLES.get(step, {}).values() if seen.sum() >= 2 * p]
    periods = [p for p in periods if season_test(series, p)["p"] < 0.05]
    if not periods:
        return series, 0
    line = np.column_stack([np.ones(n), np.arange(n) / n])
    waves = np.column_stack([harmonics(n, p, 3 if p >= 7 else 1) for p in periods])
    found = np.linalg.lstsq(np.column_stack([line, waves])[seen], values[seen], rcond=None)[0]
    return series - waves @ found[2:], waves.shape[1]


def season_profile(series: pd.Series, cycle: str, step: str) -> pd.DataFrame:
    """Return the trend-free level by season: one column a cycle, and `mean`, in calendar order."""
    trend, _, _ = expected_path(series, step)
    level = (series - trend + series.mean()).dropna()
    seasons, cycles = season_label(pd.DatetimeIndex(level.index), cycle, step)
    frame = pd.DataFrame({"season": seasons, "cycle": cycles, "level": level.to_numpy()})
    order = frame["season"].unique()
    months = list(pd.date_range("2000-01-01", periods=12, freq="MS").month_name())
    days = list(pd.date_range("2000-01-03", periods=7).day_name())
    known = months if cycle == "year" and step != "quarter" else days if cycle == "week" else sorted(order)
    table = frame.pivot_table(index="season", columns="cycle", values="level", observed=True)
    table = table.reindex([name for name in known if name in table.index])
    return table.assign(mean=table.mean(axis=1))


def season_extremes(profile: pd.DataFrame, draws: int = 400) -> dict[str, Any]:
    """Name the peak and the trough of a profile and say how often they stay so when cycles are redrawn."""
    cycles = profile.drop(columns="mean").to_numpy(dtype=float)
    names = list(profile.index)
    picks = np.random.default_rng(0).integers(0, cycles.shape[1], size=(draws, cycles.shape[1]))
    redrawn = cycles[:, picks]
    count = np.isfinite(redrawn).sum(axis=2)
    means = np.where(count > 0, np.nansum(redrawn, axis=2) / np.maximum(count, 1), np.nan)
    means = np.where(np.isfinite(means), means, np.nanmean(means, axis=0))
    high, low = int(profile["mean"].argmax()), int(profile["mean"].argmin())
    reach = means[high] - means[low]
    tops, bottoms = means.argmax(axis=0), means.argmin(axis=0)
    rivals = [names[i] for i in np.flatnonzero(np.bincount(tops, minlength=len(names)) >= 0.1 * draws)]
    depths = [names[i] for i in np.flatnonzero(np.bincount(bottoms, minlength=len(names)) >= 0.1 * draws)]
    return {
        "peak": names[high],
        "trough": names[low],
        "peak_level": float(profile["mean"].iloc[high]),
        "trough_level": float(profile["mean"].iloc[low]),
        "amplitude": float(profile["mean"].iloc[high] - profile["mean"].iloc[low]),
        "amplitude_low": float(np.quantile(reach, 0.025)),
        "amplitude_high": float(np.quantile(reach, 0.975)),
        "peak_share": float((tops == high).mean()),
        "trough_share": float((bottoms == low).mean()),
        "peak_rivals": rivals,
        "trough_rivals": depths,
    }


def seasonality(series: pd.Series, step: str, draws: int = 59) -> tuple[dict[str, Any], pd.DataFrame]:
    """Judge the seasons of a series: test, strength against simulated noise, peak and trough.

    Every calendar cycle that fits at least twice is tested (Holm over them). The strength F_S is compared
    with the 95th percentile of series that are as persistent but have no season.
    """
    lengths = {name: p for name, p in CYCLES.get(step, {}).items() if series.count() >= 2 * p}
    seen = series.dropna()
    if not lengths or len(seen) < 12 or float(seen.std()) == 0:
        cycles = len(seen) / STEPS_A_YEAR[step]
        return {"enough": False, "years": cycles, "points": len(seen)}, pd.DataFrame()
    # A p-value is never below 1 / (draws + 1): what is to survive control over all tests needs many.
    tests = {name: season_test(series, p, draws=1999) for name, p in lengths.items()}
    running = 0.0
    for place, name in enumerate(sorted(tests, key=lambda name: tests[name]["p"])):
        running = max(running, min(1.0, tests[name]["p"] * (len(tests) - place)))
        tests[name]["p_holm"] = running
    longest = max(lengths, key=lambda name: lengths[name])
    surest = min(tests, key=lambda name: tests[name]["p_holm"])
    main = longest if tests[longest]["p_holm"] < 0.05 or tests[surest]["p_holm"] >= 0.05 else surest
    trend, season, how = expected_path(series, step, lengths[main])
    noise = ar1_paths(tests[main]["rho"], len(series), draws, seed=1)
    noise[:, series.isna().to_numpy()] = np.nan
    chance = []
    for path in noise:
        copy = pd.Series(path, index=series.index)
        parts = expected_path(copy, step, lengths[main])
        chance.append(strength(copy, parts[0], parts[1]))
    profile = season_profile(series, main, step)
    found, limit = strength(series, trend, season), float(np.quantile(chance, 0.95))
    facts: dict[str, Any] = {
        "enough": True,
        "points": len(seen),
        "cycle": main,
        "cycles": float(len(series) / lengths[main]),
        "p": tests[main]["p"],
        "p_holm": tests[main]["p_holm"],
        "r2": tests[main]["r2"],
        "rho": tests[main]["rho"],
        "strength": found,
        "strength_by_chance": limit,
        "level": float(seen.mean()),
        "how": how,
        "tests": [{"cycle": name, **result} for name, result in tests.items()],
    }
    facts |= season_extremes(profile)
    facts["seasonal"] = bool(tests[main]["p_holm"] < 0.05 and found > limit)
    reach = float(profile["mean"].max() - profile["mean"].min())
    facts["amplitude_share"] = reach / abs(float(seen.mean())) if seen.mean() else 0.0
    return facts, profile
