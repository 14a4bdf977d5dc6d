"""Differences between groups: medians, totals and rates by level, each with its uncertainty.

What belongs here: one measure over the levels of one dimension. Not here: change of groups over time and
confounding (`mixture`), two measures (`relations`). Paper: NotebookRAG §4.2.3.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats


def by_cluster(frame: pd.DataFrame, group: str, value: str, cluster: list[str], how: str) -> pd.DataFrame:
    """Return one row a cluster (an order, a store) and level, since its rows are not independent."""
    sums = frame.groupby([*cluster, group], observed=True)[value].agg(how)
    return pd.DataFrame(sums.reset_index()).dropna()


def merge_rare(levels: pd.Series, fewest: int, most: int) -> pd.Series:
    """Put levels with fewer than `fewest` rows, and those after the `most` largest, into one."""
    names = levels.astype("string").fillna("(missing)")
    counts = names.value_counts()
    keep = counts[counts >= fewest].index[:most]
    return names.where(names.isin(keep), f"other ({len(counts) - len(keep)})")


def median_interval(values: np.ndarray) -> tuple[float, float]:
    """Return the distribution-free 95 % interval of a median, from order statistics."""
    ordered, n = np.sort(values), len(values)
    reach = 1.96 * np.sqrt(n) / 2
    low, high = int(np.floor(n / 2 - reach)), int(np.ceil(n / 2 + reach))
    return float(ordered[max(low, 0)]), float(ordered[min(high, n - 1)])


def shift_between(a: np.ndarray, b: np.ndarray, most: int = 1500) -> tuple[float, float, float]:
    """Return the Hodges-Lehmann shift of a over b with its 95 % interval, from `most` values each at most."""
    rng = np.random.default_rng(0)
    a, b = (rng.choice(v, most, replace=False) if len(v) > most else v for v in (a, b))
    gaps = np.sort(np.subtract.outer(a, b).ravel())
    reach = 1.96 * np.sqrt(len(a) * len(b) * (len(a) + len(b) + 1) / 12)
    low = int(max(len(gaps) / 2 - reach, 0))
    return float(np.median(gaps)), float(gaps[low]), float(gaps[len(gaps) - 1 - low])


def dunn_holm(ranks: pd.Series, levels: pd.Series) -> pd.DataFrame:
    """Compare all pairs of levels by their mean ranks (Dunn, corrected for ties), Holm over the pairs."""
    n, mean, count = len(ranks), ranks.groupby(levels).mean(), levels.value_counts()
    ties = ranks.value_counts().to_numpy(dtype=float)
    variance = n * (n + 1) / 12 - float((ties**3 - ties).sum()) / (12 * (n - 1))
    names = list(mean.index)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    z = [
        (mean[a] - mean[b]) / np.sqrt(max(variance, 1e-12) * (1 / count[a] + 1 / count[b])) for a, b in pairs
    ]
    table = pd.DataFrame(pairs, columns=["a", "b"]).assign(p=2 * stats.norm.sf(np.abs(z)))
    table = table.sort_values("p", kind="stable")
    holm = table["p"].to_numpy() * np.arange(len(table), 0, -1)
    return table.assign(p_holm=np.minimum(np.maximum.accumulate(holm), 1.0))


def group_difference(
    frame: pd.DataFrame, group: str, value: str, fewest: int = 10
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Compare a measure over groups: Kruskal-Wallis, epsilon squared, medians with intervals.

    Levels with fewer than `fewest` rows are merged. Highest and lowest group are compared by the
    Hodges-Lehmann shift and Cliff's delta; `shapes_differ` (Fligner p below .001) warns that the groups
    differ in spread too, so that medians are not the whole story.
    """
    data = pd.DataFrame({"level": merge_rare(frame[group], fewest, 29), "value": frame[value].astype(float)})
    data = data.dropna()
    sizes = data["level"].value_counts()
    data = data[data["level"].isin(sizes[sizes >= fewest].index)]
    parts = {name: part.to_numpy() for name, part in data.groupby("level")["value"]}
    if len(parts) < 2 or data["value"].nunique() < 2:
        return {"enough": False, "rows": len(data), "groups": len(parts)}, pd.DataFrame()
    h, p = stats.kruskal(*parts.values())
    n, k = len(data), len(parts)
    rows = [(name, len(v), float(np.median(v)), *median_interval(v)) for name, v in parts.items()]
    table = pd.DataFrame(rows, columns=["level", "n", "median", "low", "high"])
    table = table.sort_values("median", ascending=False, kind="stable").reset_index(drop=True)
    top, bottom = str(table["level"].iloc[0]), str(table["level"].iloc[-1])
    pairs = dunn_holm(data["value"].rank(), data["level"])
    ends = pairs[pairs["a"].isin([top, bottom]) & pairs["b"].isin([top, bottom])]
    shift, low, high = shift_between(parts[top], parts[bottom])
    u = stats.mannwhitneyu(parts[top], parts[bottom]).statistic
    return {
        "enough": True,
        "rows": n,
        "groups": k,
        "p": float(p),
        "effect": float(max(0.0, (h - k + 1) / (n - k))),
        "top": top,
        "bottom": bottom,
        "top_median": float(table["median"].iloc[0]),
        "bottom_median": float(table["median"].iloc[-1]),
        "shift": shift,
        "shift_low": low,
        "shift_high": high,
        "cliffs_delta": float(2 * u / (len(parts[top]) * len(parts[bottom])) - 1),
        "ends_p": float(ends["p_holm"].iloc[0]),
        "pairs": len(pairs),
        "pairs_differ": int((pairs["p_holm"] < 0.05).sum()),
        "smallest_group": int(table["n"].min()),
        "shapes_differ": bool(stats.fligner(*parts.values()).pvalue < 0.001),
    }, table


def contribution(
    frame: pd.DataFrame, group: str, value: str, cluster: str = "", size: str = ""
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Add up a measure by level, with gains and losses apart, and compare the rank with that by `size`.

    The lead of the first level over the second is called sure if it exceeds 1.96 standard errors, where
    the rows (or the clusters, such as orders or dates) are taken as what varies.
    """
    data = pd.DataFrame({"level": frame[group].astype("string").fillna("(missing)")})
    data["value"] = frame[value].astype(float)
    data["size"] = frame[size].astype(float) if size else 0.0
    data["cluster"] = frame[cluster].to_numpy() if cluster else np.arange(len(frame))
    data = data.dropna(subset=["value"])
    if data["level"].nunique() < 2 or not data["value"].abs().sum():
        return {"enough": False, "rows": len(data)}, pd.DataFrame()
    data["gain"], data["loss"] = data["value"].clip(lower=0), data["value"].clip(upper=0)
    table = data.groupby("level").agg(
        total=("value", "sum"),
        gain=("gain", "sum"),
        loss=("loss", "sum"),
        rows=("value", "size"),
        size=("size", "sum"),
    )
    table = table.sort_values("total", ascending=False, kind="stable")
    whole = float(table["total"].sum())
    positive = float(table["total"].clip(lower=0).sum())
    table["share"] = table["total"] / (positive or 1.0)
    table["loss_share"] = -table["loss"] / table["gain"].where(table["gain"] > 0)
    table["rank_gap"] = table["size"].rank(ascending=False) - table["total"].rank(ascending=False)
    first, second = table.index[0], table.index[1]
    pieces = data[data["level"].isin([first, second])].groupby(["cluster", "level"])["value"].sum()
    lead = float(table["total"].iloc[0] - table["total"].iloc[1])
    error = float(np.sqrt((pieces**2).sum()))
    losers = table[table["total"] < 0]
    place = int(table["rank_gap"].argmin())
    return {
        "enough": True,
        "rows": len(data),
        "levels": len(table),
        "whole": whole,
        "gains": float(table["gain"].sum()),
        "losses": float(table["loss"].sum()),
        "rows_losing": float((data["value"] < 0).mean()),
        "top": str(first),
        "top_total": float(table["total"].iloc[0]),
        "top_share": float(table["share"].iloc[0]),
        "second": str(second),
        "second_share": float(table["share"].iloc[1]),
        "lead_sure": bool(lead > 1.96 * error),
        "bottom": str(table.index[-1]),
        "bottom_total": float(table["total"].iloc[-1]),
        "bottom_share": float(table["share"].iloc[-1]),
        "losing_levels": [str(name) for name in losers.index[::-1]],
        "losing_total": float(losers["total"].sum()),
        "loss_share_top": str(table["loss_share"].fillna(0).idxmax()),
        "loss_share_most": float(table["loss_share"].max()) if table["gain"].max() > 0 else 0.0,
        "loss_share_all": float(-table["loss"].sum() / table["gain"].sum())
        if table["gain"].sum() > 0
        else 0.0,
        "gap_level": str(table.index[place]),
        "gap_size_rank": int(table["size"].rank(ascending=False).iloc[place]),
        "gap_rank": int(table["total"].rank(ascending=False).iloc[place]),
        "gap": int(-table["rank_gap"].min()) if size else 0,
    }, table


def rate_by_group(
    frame: pd.DataFrame, group: str, numerator: str, denominator: str, cluster: str = ""
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Compare a ratio of two sums over groups of unequal size (a funnel), with shrunken rates.

    Limits: the overall rate plus and minus 3.09 standard errors of the group's own size, so that a small
    group needs a larger distance to stand out. Shrunken: each rate drawn toward the overall one by the
    share of its variance that is noise.
    """
    data = frame[[group, numerator, denominator]].copy()
    data["cluster"] = frame[cluster].to_numpy() if cluster else np.arange(len(frame))
    data[group] = data[group].astype("string").fillna("(missing)")
    pieces = data.dropna().groupby([group, "cluster"])[[numerator, denominator]].sum().astype(float)
    sums = pieces.groupby(level=0).sum()
    sums = sums[sums[denominator] > 0]
    if len(sums) < 2:
        return {"enough": False, "groups": len(sums)}, pd.DataFrame()
    rate, count = sums[numerator] / sums[denominator], pieces.groupby(level=0).size().reindex(sums.index)
    levels = pieces.index.get_level_values(0)
    left = pieces[numerator] - pieces[denominator] * rate.reindex(levels).to_numpy()
    error = np.sqrt((left**2).groupby(level=0).sum().reindex(sums.index) * count / (count - 1).clip(lower=1))
    table = pd.DataFrame({"rate": rate, "error": error / sums[denominator], "n": count})
    table["size"] = sums[denominator]
    table = table[table["n"] >= 5].sort_values("rate", ascending=False, kind="stable")
    if len(table) < 2:
        return {"enough": False, "groups": len(table)}, pd.DataFrame()
    overall = float(sums[numerator].sum() / sums[denominator].sum())
    noise = table["error"].clip(lower=1e-12) ** 2
    between = max(float(table["rate"].var() - noise.mean()), 0.0)
    table["shrunken"] = overall + (table["rate"] - overall) * between / (between + noise)
    table["low"], table["high"] = table["rate"] - 1.96 * table["error"], table["rate"] + 1.96 * table["error"]
    table["outside"] = (table["rate"] - overall).abs() > 3.09 * table["error"]
    q = float((((table["rate"] - overall) ** 2) / noise).sum())
    top, bottom = table.index[0], table.index[-1]
    negative = table[table["high"] < 0]
    return {
        "enough": True,
        "groups": len(table),
        "overall": overall,
        "top": str(top),
        "top_rate": float(table["rate"].iloc[0]),
        "bottom": str(bottom),
        "bottom_rate": float(table["rate"].iloc[-1]),
        "bottom_low": float(table["low"].iloc[-1]),
        "bottom_high": float(table["high"].iloc[-1]),
        "top_low": float(table["low"].iloc[0]),
        "top_high": float(table["high"].iloc[0]),
        "outside": int(table["outside"].sum()),
        "below": [str(name) for name in table.index[table["outside"] & (table["rate"] < overall)][::-1]],
        "negative": [str(name) for name in negative.index[::-1]],
        "p": float(stats.chi2.sf(q, len(table) - 1)),
        "spread": float((between**0.5) / abs(overall)) if overall else 0.0,
        "smallest": int(table["n"].min()),
    }, table


def two_categories(frame: pd.DataFrame, a: str, b: str) -> tuple[dict[str, Any], pd.DataFrame]:
    """Relate two category columns: chi-squared, bias-corrected Cramer's V, and the cell that stands out.

    Where expected counts are too small (any below 1, or more than a fifth below 5) the p-value comes from
    199 permutations instead. Returns facts and row shares.
    """
    data = frame[[a, b]].dropna()
    data = pd.DataFrame({"a": merge_rare(data[a], 5, 12), "b": merge_rare(data[b], 5, 12)})
    counts = pd.crosstab(data["a"], data["b"])
    if min(counts.shape) < 2:
        return {"enough": False, "rows": len(data)}, pd.DataFrame()
    n, (r, k) = len(data), counts.shape
    chi2, p, _, expected = stats.chi2_contingency(counts, correction=False)
    dense = bool((expected >= 1).all() and (expected >= 5).mean() >= 0.8)
    if not dense:
        rng, codes = np.random.default_rng(0), data["b"].to_numpy()
        chance = [
            stats.chi2_contingency(
                pd.crosstab(data["a"].to_numpy(), rng.permutation(codes)), correction=False
            )[0]
            for _ in range(199)
        ]
        p = np.float64((1 + sum(c >= chi2 for c in chance)) / 200)
    phi = max(0.0, chi2 / n - (r - 1) * (k - 1) / (n - 1))
    sides = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    row, col = counts.sum(axis=1).to_numpy()[:, None] / n, counts.sum(axis=0).to_numpy()[None] / n
    adjusted = (counts.to_numpy() - expected) / np.sqrt(np.maximum(expected * (1 - row) * (1 - col), 1e-12))
    i, j = divmod(int(np.abs(adjusted).argmax()), k)
    shares = counts.div(counts.sum(axis=1), axis=0)
    return {
        "enough": True,
        "rows": n,
        "p": float(p),
        "effect": float(np.sqrt(phi / sides)) if sides > 0 else 0.0,
        "dense": dense,
        "cell_a": str(counts.index[i]),
        "cell_b": str(counts.columns[j]),
        "cell_share": float(shares.to_numpy()[i, j]),
        "overall_share": float(col[0, j]),
        "cell_residual": float(adjusted[i, j]),
        "cells_out": int((np.abs(adjusted) > 3).sum()),
        "cells": int(adjusted.size),
        "smallest_row": int(counts.sum(axis=1).min()),
    }, shares
