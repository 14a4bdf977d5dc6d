"""What a forecast must know: memory, surprises, and the error of doing nothing clever.

What belongs here: autocorrelation and stationarity, unusual points and episodes, baseline errors by
horizon. Not here: a model. Paper: NotebookRAG §4.2.3; notes T06-T08.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm

from lakebook.analyst.methods.season import CYCLES, ar1_paths, expected_path, lag_one, without_season
from lakebook.analyst.methods.time import fill_gaps


def robust_z(series: pd.Series, step: str) -> tuple[pd.Series, pd.Series]:
    """Return the expected path (trend and season) and each point's distance from it in robust SDs."""
    level, season, _ = expected_path(series, step)
    rest = series - level - season
    spread = 1.4826 * float((rest - rest.median()).abs().median())
    return level + season, (rest - rest.median()) / spread if spread > 0 else rest * 0


def episodes(z: pd.Series, shortest: int = 4, limit: float = 2.0) -> list[dict[str, Any]]:
    """Return the stretches of at least `shortest` steps beyond `limit` on one side, one exception each."""
    found: list[dict[str, Any]] = []
    for sign, word in ((1, "above"), (-1, "below")):
        start, misses, last = None, 0, 0
        for place, value in enumerate([*(sign * z.to_numpy(dtype=float)), -np.inf]):
            if value > limit:
                start, last = (place if start is None else start), place
            elif start is not None:
                misses += 1
                if misses > 1 or not np.isfinite(value):
                    if last - start + 1 >= shortest:
                        found.append(
                            {
                                "start": str(z.index[start].date()),
                                "end": str(z.index[last].date()),
                                "steps": last - start + 1,
                                "side": word,
                            }
                        )
                    start, misses = None, 0
            if start is None:
                misses = 0
    return sorted(found, key=lambda episode: str(episode["start"]))


def unusual_points(series: pd.Series, step: str, draws: int = 39) -> tuple[dict[str, Any], pd.DataFrame]:
    """Find points far from trend and season, and say how many chance alone would give.

    A point is unusual beyond 3.5 robust SDs (1.4826 times the median absolute deviation). The count beyond
    three plain SDs of the residual is given too. Chance: the same on simulated series that are as
    persistent. If more than 3 % of the points are flagged, the expected path does not describe the series.
    """
    seen = series.dropna()
    if len(seen) < 30 or float(seen.std()) == 0:
        return {"enough": False, "points": len(seen)}, pd.DataFrame()
    path, z = robust_z(series, step)
    rest = series - path
    noise = ar1_paths(lag_one(rest.to_numpy(dtype=float)), len(series), draws, seed=3)
    noise[:, series.isna().to_numpy()] = np.nan
    chance = [robust_z(pd.Series(row, index=series.index), step)[1].abs() for row in noise]
    largest = [float(row.max()) for row in chance]
    by_chance = np.array([int((row > 3.5).sum()) for row in chance])
    frame = pd.DataFrame({"value": series, "expected": path, "z": z}).dropna()
    frame["unusual"] = frame["z"].abs() > 3.5
    spells = episodes(z)
    spells_by_chance = np.mean([len(episodes(row)) + len(episodes(-row)) for row in chance]) / 2
    top = frame[frame["unusual"]].sort_values("z", key=lambda col: -col.abs(), kind="stable").head(8)
    return {
        "enough": True,
        "points": len(seen),
        "unusual": int(frame["unusual"].sum()),
        "beyond_three_sd": int((rest.abs() > 3 * rest.std()).sum()),
        "expected_by_chance": float(by_chance.mean()),
        "largest": float(frame["z"].abs().max()),
        "largest_by_chance": max(largest),
        "share": float(frame["unusual"].mean()),
        "how": expected_path(series, step)[2],
        "rho": lag_one(rest.to_numpy(dtype=float)),
        "episodes": spells,
        "episodes_by_chance": float(spells_by_chance),
        "top": [
            {"date": str(day)[:10], **{name: float(odd[name]) for name in ("value", "expected", "z")}}
            for day, odd in zip(top.index, top.to_dict("records"), strict=True)
        ],
    }, frame


def memory(series: pd.Series, step: str) -> tuple[dict[str, Any], pd.Series]:
    """Measure how long a deviation lasts, and whether the level is stable (ADF and KPSS read together)."""
    seen = series.dropna()
    if len(seen) < 40 or float(seen.std()) == 0:
        return {"enough": False, "points": len(seen)}, pd.Series(dtype=float)
    calm, _ = without_season(series, step)
    filled = fill_gaps(calm, max(CYCLES.get(step, {"": 12.0}).values()))
    values = (calm.dropna() if filled is None else filled).to_numpy(dtype=float)
    lags = int(min(len(values) // 4, 60))
    acf = sm.tsa.acf(values, nlags=lags, fft=True)
    band = 1.96 / np.sqrt(len(values))
    inside = [lag for lag in range(1, lags + 1) if abs(acf[lag]) < band]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # KPSS warns when p leaves its table; it is then printed as a bound
        adf_p = float(sm.tsa.adfuller(values, regression="ct", autolag="AIC")[1])
        kpss_p = float(sm.tsa.kpss(values, regression="ct", nlags="auto")[1])
    box = sm.stats.acorr_ljungbox(values, lags=[min(10, lags)])
    rho = float(acf[1])
    kind = {
        (True, True): "stable around a line",
        (False, False): "a unit root",
        (True, False): "long memory or a break",
        (False, True): "undecided",
    }[adf_p < 0.05, kpss_p >= 0.05]
    return {
        "enough": True,
        "points": len(seen),
        "rho": rho,
        "half_life": float(np.log(0.5) / np.log(rho)) if 0 < rho < 1 else 0.0,
        "first_quiet_lag": int(inside[0]) if inside else lags,
        "quiet_found": bool(inside),
        "adf_p": adf_p,
        "kpss_p": kpss_p,
        "ljung_box_p": float(box["lb_pvalue"].iloc[0]),
        "kind": kind,
        "band": float(band),
        "gaps_kept": filled is None,
    }, pd.Series(acf, index=pd.RangeIndex(lags + 1, name="lag"), name="autocorrelation")


def baseline_errors(series: pd.Series, step: str) -> tuple[dict[str, Any], pd.DataFrame]:
    """Give the mean absolute error of simple forecasts by horizon, from rolling origins.

    Last value; same season last cycle; mean of the last cycle; drift (the line from the first value to the
    last). All are judged on the same pairs of origin and target; blanks are left out. A horizon needs 20
    origins.
    """
    values = series.to_numpy(dtype=float)
    n, cycle = len(values), round(max(CYCLES.get(step, {"": 1.0}).values()))
    period = cycle if n >= 1.5 * cycle else round(min(CYCLES.get(step, {"": 1.0}).values()))
    wish = {"week": (1, 4, 13, 26, 52), "month": (1, 3, 6, 12), "day": (1, 7, 28, 91), "quarter": (1, 2, 4)}
    horizons = [h for h in wish.get(step, (1, 2, 5)) if h <= n / 4]
    origins = np.arange(max(period, n // 3), n)
    rows: dict[int, dict[str, float]] = {}
    for h in horizons:
        at = origins[origins + h < n]
        target = values[at + h]
        season = values[at + h - period * -(-h // period)]
        mean = pd.Series(values).rolling(period, min_periods=1).mean().to_numpy()[at]
        begin = float(series.dropna().iloc[0]) if series.notna().any() else np.nan
        drift = values[at] + h * (values[at] - begin) / np.maximum(at, 1)
        table = pd.DataFrame(
            {
                "same season last cycle": season,
                "last value": values[at],
                "mean of last cycle": mean,
                "drift": drift,
            }
        )
        error = table.sub(target, axis=0).abs().dropna()
        if len(error) >= 20:
            rows[h] = {str(name): float(mean) for name, mean in error.mean().items()}
            rows[h]["origins"] = float(len(error))
    errors = pd.DataFrame(rows).T
    if errors.empty:
        return {"enough": False, "points": int(series.count())}, errors
    scores = errors.drop(columns="origins")
    # Of rules that are as good (within a hundredth), the simplest is the one to beat.
    order = ["last value", "same season last cycle", "mean of last cycle", "drift"]
    close = scores[order].le(1.01 * scores.min(axis=1), axis=0)
    best = [str(name) for name in close.idxmax(axis=1)]
    least = [float(row[name]) for row, name in zip(scores.to_dict("records"), best, strict=True)]
    level = float(np.nanmean(np.abs(values)))
    return {
        "enough": True,
        "points": int(series.count()),
        "period": period,
        "horizons": [int(h) for h in errors.index],
        "best": best,
        "best_error": least,
        "best_share": [error / level if level else 0.0 for error in least],
        "season_error": [float(v) for v in scores["same season last cycle"]],
        "last_error": [float(v) for v in scores["last value"]],
        "origins": int(errors["origins"].min()),
        "same_everywhere": len(set(best)) == 1,
    }, errors
