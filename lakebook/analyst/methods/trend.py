"""Trends and level shifts that survive persistence.

What belongs here: slopes with intervals, and breaks that are dated only where they can be told from drift.
Plain Mann-Kendall tests and textbook penalties for breaks report trends and breaks in pure persistent noise
(notes §8), so neither is used. Paper: NotebookRAG §4.2.3.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from lakebook.analyst.methods.season import ar1_paths, lag_one, without_season
from lakebook.analyst.methods.time import STEPS_A_YEAR


def middle_slopes(rows: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the Theil-Sen slope of each row: the median of the slopes between all pairs of points."""
    first, second = np.triu_indices(len(places), 1)
    run = places[second] - places[first]
    return np.array([np.median((row[second] - row[first]) / run) for row in rows])


def thin(series: pd.Series, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return places and values of a series, averaged over equal stretches if it has more than `most`."""
    width = -(-len(series) // most)
    values = series.to_numpy(dtype=float)
    group = np.arange(len(values)) // width
    frame = pd.DataFrame({"place": np.arange(len(values), dtype=float), "value": values, "group": group})
    means = frame.dropna().groupby("group").mean()
    return means["place"].to_numpy(), means["value"].to_numpy()


def trend(series: pd.Series, step: str, draws: int = 199, most: int = 240) -> dict[str, Any]:
    """Estimate the change a year by Theil-Sen, after taking out the season, and judge it twice.

    The interval comes from resampling blocks of neighbouring residuals, the p-value from simulated series
    as persistent as this one without a trend. A trend is reported only if both agree and the change over
    the whole span is at least 5 % of the median level. Series of more than `most` points are averaged over
    equal stretches first. `bent` tells whether the second half has a slope of the
    opposite sign, `uneven` whether one half moves more than three times as fast as the other.
    """
    seen = series.dropna()
    if len(seen) < 10 or float(seen.std()) == 0:
        return {"enough": False, "points": len(seen)}
    calm, waves = without_season(series, step)
    places, values = thin(calm, most)
    slope = float(middle_slopes(values[None], places)[0])
    level = float(np.median(values - slope * places))
    rest = values - level - slope * places
    n = len(values)
    rng = np.random.default_rng(0)
    block = int(np.ceil(1.5 * n ** (1 / 3)))
    starts = rng.integers(0, n, size=(draws, -(-n // block)))
    picks = ((starts[:, :, None] + np.arange(block)) % n).reshape(draws, -1)[:, :n]
    redrawn = middle_slopes(rest[picks], places)
    rho = lag_one(rest)
    noise = ar1_paths(rho, n, draws, seed=2)
    chance = middle_slopes(noise, places)
    left = noise - chance[:, None] * places
    # In units of the residual SD, since persistent series look calmer around their line than they are.
    chance *= rest.std() * np.sqrt(n / max(n - waves, 1)) / left.std(axis=1)
    a_year = STEPS_A_YEAR[step]
    reach = max(np.quantile(np.abs(redrawn), 0.95), np.quantile(np.abs(chance), 0.95))
    span = float(places[-1] - places[0])
    usual = float(np.median(values))
    half = n // 2
    slopes = [
        float(middle_slopes(v[None], p)[0])
        for v, p in ((values[:half], places[:half]), (values[half:], places[half:]))
    ]
    return {
        "enough": True,
        "points": len(seen),
        "slope": slope * a_year,
        "low": float(slope - reach) * a_year,
        "high": float(slope + reach) * a_year,
        "p": float((1 + (np.abs(chance) >= abs(slope)).sum()) / (draws + 1)),
        "level": usual,
        "share": slope * a_year / abs(usual) if usual else 0.0,
        "change": slope * span,
        "change_share": slope * span / abs(usual) if usual else 0.0,
        "span_years": span / a_year,
        "rho": rho,
        "first_half_slope": slopes[0] * a_year,
        "second_half_slope": slopes[1] * a_year,
        "uneven": bool(
            slopes[0] * slopes[1] >= 0 and max(map(abs, slopes)) > max(3 * min(map(abs, slopes)), 2 * reach)
        ),
        "bent": bool(slopes[0] * slopes[1] < 0 and min(map(abs, slopes)) > abs(reach)),
        "start": str(seen.index[0].date()),
        "end": str(seen.index[-1].date()),
    }


def trend_line(series: pd.Series, step: str, slope_a_year: float) -> pd.Series:
    """Return the straight line of a slope through the middle of the series."""
    place = np.arange(len(series)) * slope_a_year / STEPS_A_YEAR[step]
    middle = float(np.nanmedian(without_season(series, step)[0].to_numpy(dtype=float) - place))
    return pd.Series(place + middle, index=series.index)


def robust_lag_one(values: np.ndarray) -> float:
    """Return a lag-one correlation that a step in the level does not inflate.

    It compares median absolute differences over one and over two steps.
    """
    one = np.nanmedian(np.abs(values[1:] - values[:-1]))
    two = np.nanmedian(np.abs(values[2:] - values[:-2]))
    return float(np.clip((two / one) ** 2 - 1, 0.0, 0.99)) if one > 0 else 0.99


def pelt(values: np.ndarray, penalty: float, shortest: int) -> list[int]:
    """Cut a series into stretches of constant mean at the least penalized squared error (PELT).

    Returns the places where a new stretch starts.
    """
    n = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    before = np.zeros(n + 1, dtype=int)
    open_starts = np.array([0])
    for end in range(shortest, n + 1):
        starts = open_starts[open_starts <= end - shortest]
        error = squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / (end - starts)
        cost = best[starts] + error + penalty
        pick = int(cost.argmin())
        best[end], before[end] = cost[pick], starts[pick]
        keep = starts[best[starts] + error <= best[end]]
        open_starts = np.append(np.union1d(keep, open_starts[open_starts > end - shortest]), end)
    cuts, end = [], n
    while end > 0:
        end = int(before[end])
        cuts.append(end)
    return sorted(cut for cut in cuts if cut > 0)


def stable_cuts(noise: np.ndarray, penalty: float, shortest: int, slack: int = 2) -> list[int]:
    """Return the cuts that are also found, within `slack` steps, at half and at double the penalty."""
    cuts = pelt(noise, penalty, shortest)
    if not cuts:
        return []
    others = [pelt(noise, penalty * factor, shortest) for factor in (0.5, 2.0)]
    return [cut for cut in cuts if all(any(abs(cut - o) <= slack for o in other) for other in others)]


def shifts_of(values: np.ndarray, rho: float) -> tuple[list[int], np.ndarray, float]:
    """Return stable cuts with a shift of at least one residual SD, the level of each point, and that SD."""
    n, shortest, firm = len(values), int(max(8, round(0.05 * len(values)))), rho <= 0.7
    work = values[1:] - rho * values[:-1] if firm else values
    jumps = 1.4826 * float(np.median(np.abs(np.diff(work)))) / np.sqrt(2.0)
    scale = jumps if firm else jumps / np.sqrt(1 - rho)
    penalty = 3 * np.log(n) if firm else 4 * np.log(n) * (1 + rho) / (1 - rho)
    flat = np.full(n, values.mean())
    if scale <= 0:
        return [], flat, 0.0
    cuts = [
        cut + int(firm) for cut in stable_cuts((work - np.median(work)) / scale, float(penalty), shortest)
    ]
    while True:
        edges = [0, *cuts, n]
        means = np.array([values[a:b].mean() for a, b in pairwise(edges)])
        level = np.repeat(means, np.diff(edges))
        spread = float((values - level).std())
        small = np.flatnonzero(np.abs(np.diff(means)) < spread)
        if not len(small):
            return cuts, level, spread
        cuts.pop(int(small[np.argmin(np.abs(np.diff(means))[small])]))


def level_shift(series: pd.Series, step: str, draws: int = 19) -> tuple[dict[str, Any], pd.Series]:
    """Look for lasting shifts of the level, after a check of persistence.

    At a lag-one correlation of up to 0.7 the series is prewhitened and cut by PELT (penalty 3 log n); a cut
    stands if it is stable when the penalty is halved and doubled and the level moves by at least one
    residual SD. The largest shift must also exceed all that the same search finds in simulated series, as
    persistent as this one but without a shift. Above 0.7 a shift and slow drift cannot be told apart: cuts
    (penalty for the long-run variance) are at most a hint. Returns facts and the level of each stretch.
    """
    seen = series.dropna()
    if len(seen) < 40 or float(seen.std()) == 0:
        return {"enough": False, "points": len(seen)}, pd.Series(dtype=float)
    calm = without_season(series, step)[0].dropna()
    values, n = calm.to_numpy(dtype=float), len(calm)
    rho = robust_lag_one(values)
    cuts, level, spread = shifts_of(values, rho)
    inner = lag_one(values - level) if cuts else rho
    steps = np.array([(level[cut] - level[cut - 1]) / spread for cut in cuts])
    exceeded, runs = 0, draws if cuts else 0
    for path in ar1_paths(max(inner, min(rho, 0.97)), n, runs, seed=4):
        found, path_level, path_spread = shifts_of(path, robust_lag_one(path))
        sizes = [abs(path_level[cut] - path_level[cut - 1]) / path_spread for cut in found]
        if max(sizes, default=0.0) >= np.abs(steps).max():
            exceeded = 1  # one is enough to say no; p is then a lower bound
            break
    shifts = [
        {
            "date": str(calm.index[cut].date()),
            "before": float(level[cut - 1]),
            "after": float(level[cut]),
            "change": float(level[cut] / level[cut - 1] - 1) if level[cut - 1] else 0.0,
            "sd": float(size),
        }
        for cut, size in zip(cuts, steps, strict=True)
    ]
    return {
        "enough": True,
        "points": n,
        "rho": float(max(rho, inner)),
        "firm": bool(max(rho, inner) <= 0.7),
        "shifts": sorted(shifts, key=lambda shift: -abs(float(str(shift["sd"])))),
        "count": len(cuts),
        "p": float((1 + exceeded) / (runs + 1)) if cuts else 1.0,
    }, pd.Series(level, index=calm.index).reindex(series.index)
