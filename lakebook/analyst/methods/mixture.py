"""What the whole hides: mix and rate, shares over time, pooled against within, and dose and response.

What belongs here: second questions to a group difference or a change. Not here: the difference itself
(`groups`). Paper: NotebookRAG §5.4 (users missed depth).
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from lakebook.analyst.methods.time import read_stamps


def mix_and_rate(
    frame: pd.DataFrame, group: str, ratio: str, weight: str, time: str, year_a: int, year_b: int
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Split the change of a weighted mean between two years into rates (levels moved) and mix (shares moved).

    Midpoint weights, so that the two parts add to the change exactly.
    """
    data = pd.DataFrame({"year": read_stamps(frame[time]).dt.year, "level": frame[group].astype("string")})
    data["w"] = frame[weight].astype(float)
    data["wr"] = data["w"] * frame[ratio].astype(float)
    data = data[data["year"].isin([year_a, year_b])].dropna()
    sums = data.groupby(["year", "level"])[["w", "wr"]].sum()
    if not {year_a, year_b} <= set(data["year"]):
        return {"enough": False}, pd.DataFrame()
    a, b = (sums.loc[year] for year in (year_a, year_b))
    both = a.index.intersection(b.index)
    a, b = a.loc[both], b.loc[both]
    a, b = a[(a["w"] > 0) & (b["w"] > 0)], b[(a["w"] > 0) & (b["w"] > 0)]
    if len(a) < 2:
        return {"enough": False}, pd.DataFrame()
    share_a, share_b = a["w"] / a["w"].sum(), b["w"] / b["w"].sum()
    rate_a, rate_b = a["wr"] / a["w"], b["wr"] / b["w"]
    whole_a, whole_b = float((share_a * rate_a).sum()), float((share_b * rate_b).sum())
    table = pd.DataFrame({"rate_a": rate_a, "rate_b": rate_b, "share_a": share_a, "share_b": share_b})
    table["rate_part"] = (share_a + share_b) / 2 * (rate_b - rate_a)
    table["mix_part"] = ((rate_a + rate_b) / 2 - (whole_a + whole_b) / 2) * (share_b - share_a)
    table["total"] = table["rate_part"] + table["mix_part"]
    table = table.sort_values("total", key=lambda col: -col.abs(), kind="stable")
    change, rate, mix = whole_b - whole_a, float(table["rate_part"].sum()), float(table["mix_part"].sum())
    return {
        "enough": True,
        "levels": len(table),
        "level_a": whole_a,
        "level_b": whole_b,
        "change": change,
        "change_share": change / whole_a if whole_a else 0.0,
        "rate_part": rate,
        "mix_part": mix,
        "mix_share": abs(mix) / max(abs(mix) + abs(rate), 1e-300),
        "opposed": bool(rate * mix < 0 and min(abs(rate), abs(mix)) > 0.1 * max(abs(rate), abs(mix))),
        "top": str(table.index[0]),
        "top_total": float(table["total"].iloc[0]),
        "rest": abs(change - rate - mix),
    }, table


def shares_over_time(
    frame: pd.DataFrame,
    group: str,
    time: str,
    years: list[int],
    value: str = "",
    most: int = 5,
    fewest: int = 100,
    draws: int = 200,
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Give each level's share of the whole by year, and how far the shares moved between first and last year.

    Intervals come from redrawing whole months within each year. Only the `most` largest levels are named;
    years with fewer than `fewest` rows are left out.
    """
    stamps = read_stamps(frame[time])
    data = pd.DataFrame({"year": stamps.dt.year, "month": stamps.dt.month})
    names = frame[group].astype("string").fillna("(missing)")
    data["value"] = frame[value].astype(float) if value else 1.0
    keep = stamps.dt.year.isin(years) & data["value"].notna()
    rows = data["year"][keep].value_counts()
    keep &= data["year"].isin(rows.index[rows >= fewest])
    largest = data["value"][keep].groupby(names[keep]).sum().sort_values(ascending=False, kind="stable")
    named = list(largest.index[:most])
    data["level"] = names.where(names.isin(named), f"other ({len(largest) - len(named)})")
    data = data[keep].astype({"year": int, "month": int})
    cells = data.pivot_table(
        index=["year", "month"], columns="level", values="value", aggfunc="sum", fill_value=0
    )
    found = sorted(int(year) for year in cells.index.get_level_values(0).unique())
    if len(found) < 2 or cells.shape[1] < 2 or (cells.to_numpy() < 0).any():
        return {"enough": False, "years": len(found)}, pd.DataFrame()
    yearly = cells.groupby(level=0).sum()
    shares = yearly.div(yearly.sum(axis=1), axis=0)
    rng = np.random.default_rng(0)

    def redraw(year: int) -> np.ndarray:
        months = cells.loc[year].to_numpy(dtype=float)
        sums = months[rng.integers(0, len(months), size=(draws, len(months)))].sum(axis=1)
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    moves = redraw(found[-1]) - redraw(found[0])
    change = shares.loc[found[-1]] - shares.loc[found[0]]
    low, high = np.quantile(moves, [0.025, 0.975], axis=0)
    mover = int((change.abs() * change.index.isin(named)).to_numpy().argmax())
    error = moves.std(axis=0)
    p = 2 * stats.norm.sf(np.abs(change.to_numpy()) / np.where(error > 0, error, np.inf))
    months = cells.groupby(level=0).size()
    return {
        "enough": True,
        "rows": len(data),
        "first_year": found[0],
        "last_year": found[-1],
        "mover": str(change.index[mover]),
        "mover_first": float(shares.loc[found[0]].iloc[mover]),
        "mover_last": float(shares.loc[found[-1]].iloc[mover]),
        "mover_change": float(change.iloc[mover]),
        "mover_low": float(low[mover]),
        "mover_high": float(high[mover]),
        "p": float(min(p[mover] * len(change), 1.0)),
        "largest": str(shares.loc[found[-1], named].idxmax()),
        "largest_share": float(shares.loc[found[-1], named].max()),
        "total_first": float(yearly.loc[found[0]].sum()),
        "total_last": float(yearly.loc[found[-1]].sum()),
        "total_change": float(yearly.loc[found[-1]].sum() / yearly.loc[found[0]].sum() - 1),
        "months_first": int(months.loc[found[0]]),
        "months_last": int(months.loc[found[-1]]),
        "largest_change": float(change.abs().max()),
    }, shares


def pooled_and_within(
    frame: pd.DataFrame, y: str, xs: list[str], strata: list[str], fewest: int = 50
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Compare each rank correlation with its mean within strata, over all pairs of measure and stratum.

    Within: Fisher z of each stratum with at least `fewest` rows, weighted by size. `reversal`: opposite
    signs, both at least .05 and intervals apart; `masking`: within at least .2 and twice the pooled one;
    `fading`: pooled at least .2 and within at most half of it.
    Returns facts on the most telling pair and its strata.
    """
    rows: list[dict[str, Any]] = []
    details: dict[tuple[str, str], pd.DataFrame] = {}
    for x, stratum in [(x, s) for x in xs for s in strata]:
        data = frame[[x, y, stratum]].dropna()
        groups = [
            (str(name), part) for name, part in data.groupby(stratum, observed=True) if len(part) >= fewest
        ]
        groups = [(name, part) for name, part in groups if part[x].nunique() > 1 and part[y].nunique() > 1]
        if len(groups) < 2 or data[x].nunique() < 2 or data[y].nunique() < 2:
            continue
        r = np.array([stats.spearmanr(part[x], part[y])[0] for _, part in groups])
        n = np.array([len(part) for _, part in groups], dtype=float)
        z = np.arctanh(np.clip(r, -0.999, 0.999))
        within = float(np.average(z, weights=n - 3))
        pooled = float(np.arctanh(np.clip(stats.spearmanr(data[x], data[y])[0], -0.999, 0.999)))
        error = 1.03 * np.sqrt(1 / (len(data) - 3) + 1 / (n - 3).sum())
        reach = 1.96 * 1.03 / np.sqrt(n - 3)
        details[x, stratum] = pd.DataFrame(
            {
                "stratum": [name for name, _ in groups],
                "n": n.astype(int),
                "r": r,
                "low": np.tanh(z - reach),
                "high": np.tanh(z + reach),
            }
        )
        pooled_r, within_r = float(np.tanh(pooled)), float(np.tanh(within))
        apart = abs(pooled - within) > 1.96 * error
        reversal = apart and pooled_r * within_r < 0 and min(abs(pooled_r), abs(within_r)) >= 0.05
        masking = apart and abs(within_r) >= 0.2 and abs(within_r) >= 2 * abs(pooled_r)
        fading = apart and abs(pooled_r) >= 0.2 and abs(within_r) <= 0.5 * abs(pooled_r)
        rows.append({
            "x": x, "stratum": stratum, "pooled": pooled_r, "within": within_r, "reversal": bool(reversal),
            "masking": bool(masking), "fading": bool(fading and not reversal),
            "p": float(2 * stats.norm.sf(abs(pooled - within) / error)),
            "strata": len(groups), "opposite": int((r * pooled_r < 0).sum()), "rows": len(data),
        })  # fmt: skip
    if not rows:
        return {"enough": False, "screened": 0}, pd.DataFrame()
    screen = pd.DataFrame(rows)
    order = (
        screen["reversal"].astype(float) * 4 + screen["masking"].astype(float) * 2 + screen["fading"]
    ).to_numpy()
    pick = rows[int(order.argmax())]
    facts = {
        "enough": True,
        "screened": len(rows),
        "fired": int((screen["reversal"] | screen["masking"] | screen["fading"]).sum()),
    }
    return facts | pick | {"p_all": [float(v) for v in screen["p"]]}, details[
        str(pick["x"]), str(pick["stratum"])
    ]


def dose_response(
    frame: pd.DataFrame, dose: str, response: str, cluster: str = "", draws: int = 200
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Follow the mean response over the levels of a dose, and find where it changes sign.

    Levels stand as they are up to 15, else in ten classes of equal size. The break is the first level from
    which on the 95 % interval of the mean lies on the other side of zero; `break_share` says in how many
    redrawn sets of means it is the same. Intervals count clusters (orders), not rows.
    """
    data = pd.DataFrame({"dose": frame[dose].astype(float), "y": frame[response].astype(float)})
    data["cluster"] = frame[cluster].to_numpy() if cluster else np.arange(len(frame))
    data = data.dropna()
    binned = data["dose"].nunique() > 15
    if data["dose"].nunique() < 4 or data["y"].nunique() < 2 or len(data) < 40:
        return {"enough": False, "rows": len(data)}, pd.DataFrame()
    if binned:
        classes = pd.qcut(data["dose"], 10, duplicates="drop")
        data["level"] = classes.cat.rename_categories([float(c.left) for c in classes.cat.categories]).astype(
            float
        )
    else:
        data["level"] = data["dose"]
    table = data.groupby("level")["y"].agg(mean="mean", total="sum", n="size")
    left = (data["y"] - table["mean"].reindex(data["level"]).to_numpy()).groupby(
        [data["level"], data["cluster"]]
    )
    table["error"] = np.sqrt((left.sum() ** 2).groupby(level=0).sum()) / table["n"]
    small = table["n"] < 10
    table = table[~small]
    if len(table) < 4:
        return {"enough": False, "rows": len(data)}, pd.DataFrame()
    table["low"], table["high"] = table["mean"] - 1.96 * table["error"], table["mean"] + 1.96 * table["error"]
    means, weights = table["mean"].to_numpy(), table["n"].to_numpy(dtype=float)
    fits = [optimize.isotonic_regression(means, weights=weights, increasing=up).x for up in (True, False)]
    centre = float(np.average(means, weights=weights))
    spread = float(np.average((means - centre) ** 2, weights=weights))
    r2 = [
        1 - float(np.average((means - fit) ** 2, weights=weights)) / spread if spread else 0.0 for fit in fits
    ]

    def first_break(values: np.ndarray) -> int:
        sign = np.sign(values)
        for place in range(1, len(sign)):
            if (sign[place:] == -sign[0]).all() and sign[place - 1] == sign[0]:
                return place
        return -1

    place = first_break(means)
    redrawn = np.random.default_rng(0).normal(means, table["error"].to_numpy(), size=(draws, len(means)))
    same = float(np.mean([first_break(row) == place for row in redrawn]))
    beyond = table["high"] < 0 if means[0] > 0 else table["low"] > 0
    clear = [i for i in range(len(table)) if beyond.iloc[i:].all()]
    rho = stats.spearmanr(data["dose"], data["y"])[0]
    clusters = int(data["cluster"].nunique())
    t = abs(rho) * np.sqrt(max(min(clusters, len(data)) - 2, 1) / max(1 - rho**2, 1e-12))
    at = table.index[place] if place > 0 else np.nan
    after = data["level"] >= at if place > 0 else pd.Series(False, index=data.index)
    return {
        "enough": True,
        "rows": len(data),
        "levels": len(table),
        "left_out": int(small.sum()),
        "binned": bool(binned),
        "rho": float(rho),
        "p": float(2 * stats.t.sf(t, max(clusters - 2, 1))),
        "falling": bool(r2[1] > r2[0]),
        "monotone": float(max(r2)),
        "break_found": bool(place > 0 and len(clear)),
        "break_level": float(at) if place > 0 else 0.0,
        "before_level": float(table.index[place - 1]) if place > 0 else 0.0,
        "clear_level": float(table.index[clear[0]]) if clear else 0.0,
        "break_share": same,
        "total_before": float(data["y"][~after].sum()),
        "total_after": float(data["y"][after].sum()),
        "rows_after": float(after.mean()),
        "first_level": float(table.index[0]),
        "first_mean": float(means[0]),
        "last_level": float(table.index[-1]),
        "last_mean": float(means[-1]),
        "uneven": bool(np.diff(table.index.to_numpy()).std() > 0.5 * np.diff(table.index.to_numpy()).mean()),
    }, table
