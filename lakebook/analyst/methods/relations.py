"""Relations between columns: screens with error control, one pair in depth, collinearity, leaks.

What belongs here: measures of association with effect sizes and intervals. Not here: groups (`groups`),
confounding by strata (`mixture`). Paper: NotebookRAG §4.2.3.
"""

from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform


def rank_interval(rho: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of a rank correlation (Fisher z, widened by 3 % for ranks)."""
    z, reach = np.arctanh(np.clip(rho, -0.999999, 0.999999)), 1.96 * 1.03 / np.sqrt(max(n - 3, 1))
    return float(np.tanh(z - reach)), float(np.tanh(z + reach))


def number_pair(a: pd.Series, b: pd.Series, count: float) -> tuple[float, float, str]:
    """Return Spearman's rho, its p-value if only `count` rows are independent, and the floor's name."""
    rho = float(stats.spearmanr(a, b)[0])
    t = abs(rho) * np.sqrt(max(count - 2, 1) / max(1 - rho**2, 1e-12))
    return rho, float(2 * stats.t.sf(t, max(count - 2, 1))), "rho"


def group_pair(values: pd.Series, levels: pd.Series, count: float) -> tuple[float, float, str]:
    """Return epsilon squared of a number over a category, with the p-value scaled to `count` rows."""
    parts = [part.to_numpy() for _, part in values.groupby(levels, observed=True) if len(part) >= 5]
    if len(parts) < 2:
        return 0.0, 1.0, "eps2"
    n, k = sum(map(len, parts)), len(parts)
    h = float(stats.kruskal(*parts).statistic)
    return max(0.0, (h - k + 1) / (n - k)), float(stats.chi2.sf(h * min(count / n, 1.0), k - 1)), "eps2"


def category_pair(a: pd.Series, b: pd.Series, count: float) -> tuple[float, float, str]:
    """Return Cramer's V (bias-corrected) of two categories, with the p-value scaled to `count` rows."""
    counts = pd.crosstab(a, b)
    n, (r, k) = len(a), counts.shape
    if min(r, k) < 2:
        return 0.0, 1.0, "V"
    chi2 = float(stats.chi2_contingency(counts, correction=False).statistic)
    phi = max(0.0, chi2 / n - (r - 1) * (k - 1) / (n - 1))
    sides = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    p = float(stats.chi2.sf(chi2 * min(count / n, 1.0), (r - 1) * (k - 1)))
    return float(np.sqrt(phi / sides)) if sides > 0 else 0.0, p, "V"


def association_screen(
    frame: pd.DataFrame,
    numbers: list[str],
    categories: list[str],
    linked: list[list[str]],
    clusters: list[str],
    first: str = "",
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Test every pair of columns and keep those with an adjusted p below .05 and an effect above its floor.

    Spearman for two numbers (floor .2), epsilon squared for number and category (.02), Cramer's V for two
    categories (.1). p-values are adjusted for all pairs (Benjamini-Yekutieli). Rows of one cluster count
    once in a p-value. Pairs in `linked` are related by construction and left out. Pairs that hold come first,
    among them those with the column `first`.
    """
    floors, big = {"rho": 0.2, "eps2": 0.02, "V": 0.1}, {"rho": 0.7, "eps2": 0.25, "V": 0.5}
    known = {frozenset(pair) for pair in linked}
    independent = float(frame.groupby(clusters, observed=True).ngroups if clusters else len(frame))
    columns, rows = [*numbers, *categories], []
    for i, a in enumerate(columns):
        for b in columns[i + 1 :]:
            data = frame[[a, b]].dropna()
            if frozenset((a, b)) in known or len(data) < 30 or data[a].nunique() < 2 or data[b].nunique() < 2:
                continue
            count = min(independent, float(len(data)))
            if b in numbers:
                effect, p, kind = number_pair(data[a], data[b], count)
            elif a in numbers:
                effect, p, kind = group_pair(data[a], data[b], count)
            else:
                effect, p, kind = category_pair(data[a], data[b], count)
            rows.append({"a": a, "b": b, "kind": kind, "effect": effect, "p": p, "n": len(data)})
    if not rows:
        return {"enough": False, "tested": 0}, pd.DataFrame()
    table = pd.DataFrame(rows)
    table["p_adjusted"] = stats.false_discovery_control(np.clip(table["p"], 0, 1), method="by")
    floor, large = table["kind"].map(floors), table["kind"].map(big)
    table["size"] = np.log1p(table["effect"].abs() / floor) / np.log1p(large / floor)
    table["kept"] = (table["p_adjusted"] < 0.05) & (table["effect"].abs() >= floor)
    table["asked"] = table["kept"] & ((table["a"] == first) | (table["b"] == first))
    table = table.sort_values(["kept", "asked", "size"], ascending=False, kind="stable").reset_index(
        drop=True
    )
    top = table.head(12)
    return {
        "enough": True,
        "tested": len(table),
        "kept": int(table["kept"].sum()),
        "small_p": int((table["p"] < 0.05).sum()),
        "left_out": len(known),
        "independent": int(independent),
        "pairs": [
            {name: pair[name] for name in ("a", "b", "kind", "effect", "p", "p_adjusted", "n", "kept")}
            for pair in top.to_dict("records")
        ],
        "tests": [
            [f"{a} and {b}", float(p), int(n)]
            for a, b, p, n in zip(table["a"], table["b"], table["p"], table["n"], strict=True)
        ],
        "largest": float(min(table["size"].iloc[0], 1.0)) if table["kept"].any() else 0.0,
    }, table  # fmt: skip


def strongest_partner(
    frame: pd.DataFrame, target: str, others: list[str], clusters: list[str]
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Find the number that goes most closely with the target, and describe the pair.

    Rank correlation with the interval of independent rows, a LOESS curve, and whether it keeps one
    direction. Returns facts and the two columns.
    """
    found = []
    for other in others:
        data = frame[[other, target]].dropna()
        if len(data) >= 30 and data[other].nunique() > 2 and data[target].nunique() > 2:
            found.append((float(stats.spearmanr(data[other], data[target])[0]), other))
    if not found:
        return {"enough": False, "tested": 0}, pd.DataFrame()
    rho, other = max(found, key=lambda pair: abs(pair[0]))
    data = frame[[other, target]].dropna().astype(float)
    independent = float(frame.groupby(clusters, observed=True).ngroups if clusters else len(data))
    low, high = rank_interval(rho, min(independent, len(data)))
    z = (
        abs(np.arctanh(np.clip(rho, -0.999999, 0.999999)))
        * np.sqrt(max(min(independent, len(data)) - 3, 1))
        / 1.03
    )
    middle = data[other].quantile([0.05, 0.95])
    thirds = data.groupby(pd.qcut(data[other].rank(method="first"), 5, labels=False))[target].median()
    moves = np.sign(np.diff(thirds.to_numpy()))

    def tail(values: pd.Series) -> bool:
        return bool(values.min() > 0 and values.quantile(0.99) > 10 * values.median())

    return {
        "enough": True,
        "tested": len(found),
        "x": other,
        "x_levels": int(data[other].nunique()),
        "rows": len(data),
        "independent": int(min(independent, len(data))),
        "rho": rho,
        "low": low,
        "high": high,
        "p": float(min(2 * stats.norm.sf(z) * len(found), 1.0)),
        "x_low": float(middle.iloc[0]),
        "x_high": float(middle.iloc[1]),
        "y_first": float(thirds.iloc[0]),
        "y_last": float(thirds.iloc[-1]),
        "one_direction": bool((moves >= 0).all() or (moves <= 0).all()),
        "log_x": tail(data[other]),
        "log_y": tail(data[target]),
        "others": [{"x": name, "rho": r} for r, name in sorted(found, key=lambda pair: -abs(pair[0]))],
    }, data


def collinearity(frame: pd.DataFrame, columns: list[str]) -> tuple[dict[str, Any], pd.DataFrame]:
    """Give each column's variance inflation factor (VIF) and group the columns that move together.

    VIF from the inverse correlation matrix: above 10 strong, 5 to 10 moderate, infinite if the column is
    an exact sum of others. Groups: average linkage of 1 - |Spearman's rho|, cut at 0.3.
    """
    data = frame[columns].astype(float).dropna()
    data = data.loc[:, data.std() > 0]
    if data.shape[1] < 3 or len(data) <= 10 * data.shape[1]:
        return {"enough": False, "rows": len(data), "columns": data.shape[1]}, pd.DataFrame()
    correlation = np.corrcoef(data.to_numpy(), rowvar=False)
    exact = []
    for i in range(len(correlation)):
        rest = np.delete(np.arange(len(correlation)), i)
        fit = np.linalg.lstsq(correlation[np.ix_(rest, rest)], correlation[rest, i], rcond=1e-10)[0]
        exact.append(1 / max(1 - float(correlation[i, rest] @ fit), 1e-9))
    table = pd.DataFrame({"vif": exact}, index=data.columns).sort_values(
        "vif", ascending=False, kind="stable"
    )
    distance = 1 - np.abs(data.rank().corr().to_numpy())
    np.fill_diagonal(distance, 0.0)
    labels = fcluster(linkage(squareform(distance, checks=False), "average"), 0.3, "distance")
    groups = [[str(c) for c in data.columns[labels == label]] for label in np.unique(labels)]
    groups = sorted((group for group in groups if len(group) > 1), key=len, reverse=True)
    infinite = table["vif"] > 1e6
    return {
        "enough": True,
        "rows": len(data),
        "columns": data.shape[1],
        "top": str(table.index[0]),
        "top_vif": float(table["vif"].iloc[0]),
        "strong": int((table["vif"] > 10).sum()),
        "moderate": int(((table["vif"] > 5) & (table["vif"] <= 10)).sum()),
        "exact": [str(name) for name in table.index[infinite]],
        "groups": groups,
        "left": data.shape[1] - sum(len(group) - 1 for group in groups),
    }, table


def clustered_slope(x: np.ndarray, y: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Return a least-squares slope and its standard error with errors that cluster by group."""
    fit = sm.OLS(y, sm.add_constant(x)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return float(fit.params[1]), float(fit.bse[1])


def within_between(
    frame: pd.DataFrame, x: str, y: str, entities: list[str]
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Compare three slopes of y on x: all rows, means of entities, and changes within entities.

    Both columns are in logs where both are positive. Standard errors cluster by entity.
    """
    data = frame[[x, y, *entities]].dropna()
    entity = data.groupby(entities, observed=True).ngroup().to_numpy()
    logs = bool(data[x].min() > 0 and data[y].min() > 0)
    pair = pd.DataFrame({"x": data[x].astype(float).to_numpy(), "y": data[y].astype(float).to_numpy()})
    pair = pd.DataFrame(np.log(pair)) if logs else pair
    means = pair.groupby(entity).mean()
    inner = pair - means.to_numpy()[entity]
    if len(means) < 10 or inner["x"].std() == 0 or means["x"].std() == 0:
        return {"enough": False, "entities": len(means)}, pd.DataFrame()
    rows = {
        "all rows": clustered_slope(pair["x"].to_numpy(), pair["y"].to_numpy(), entity),
        "between entities": clustered_slope(
            means["x"].to_numpy(), means["y"].to_numpy(), np.arange(len(means))
        ),
        "within entities": clustered_slope(inner["x"].to_numpy(), inner["y"].to_numpy(), entity),
    }
    table = pd.DataFrame(rows, index=["slope", "error"]).T
    table["low"], table["high"] = (
        table["slope"] - 1.96 * table["error"],
        table["slope"] + 1.96 * table["error"],
    )
    pooled, within = float(table["slope"].iloc[0]), float(table["slope"].iloc[2])
    apart = bool(table["low"].iloc[0] > table["high"].iloc[2] or table["low"].iloc[2] > table["high"].iloc[0])
    return {
        "enough": True,
        "rows": len(data),
        "entities": len(means),
        "logs": logs,
        "pooled": pooled,
        "between": float(table["slope"].iloc[1]),
        "within": within,
        "within_low": float(table["low"].iloc[2]),
        "within_high": float(table["high"].iloc[2]),
        "p": float(2 * stats.norm.sf(abs(within / table["error"].iloc[2]))),
        "differ": bool(apart and (pooled * within <= 0 or not 0.5 <= within / pooled <= 2)),
        "opposite": bool(apart and pooled * within < 0),
    }, table


def target_overview(frame: pd.DataFrame, target: str) -> tuple[dict[str, Any], pd.DataFrame]:
    """Describe what is to be predicted, and the score of a guess that uses no column at all."""
    column = frame[target]
    seen = column.dropna()
    if len(seen) < 10 or seen.nunique() < 2:
        return {"enough": False, "rows": len(seen)}, pd.DataFrame()
    facts: dict[str, Any] = {"enough": True, "rows": len(seen), "missing": float(column.isna().mean())}
    if pd.api.types.is_numeric_dtype(seen) and seen.nunique() > 12:
        values = seen.astype(float)
        quantiles = values.quantile([0.01, 0.25, 0.5, 0.75, 0.99])
        middle = float(values.median())
        facts |= {
            "numeric": True, "median": middle, "mean": float(values.mean()), "q25": float(quantiles[0.25]),
            "q75": float(quantiles[0.75]), "p1": float(quantiles[0.01]), "p99": float(quantiles[0.99]),
            "negative": float((values < 0).mean()), "baseline_error": float((values - middle).abs().mean()),
            "baseline_rmse": float(values.std()),
        }  # fmt: skip
        return facts, quantiles.to_frame("value")
    counts = seen.astype("string").value_counts()
    share = counts / len(seen)
    facts |= {
        "numeric": False, "levels": len(counts), "top": str(counts.index[0]),
        "top_share": float(share.iloc[0]),
        "rarest": str(counts.index[-1]), "rarest_share": float(share.iloc[-1]),
        "rarest_rows": int(counts.iloc[-1]),
    }  # fmt: skip
    return facts, pd.DataFrame({"rows": counts, "share": share})


def single_feature_score(feature: pd.Series, goal: np.ndarray, folds: np.ndarray) -> float:
    """Return how well one column alone predicts the goal: R2 of means by class, on held-out folds."""
    if pd.api.types.is_numeric_dtype(feature) and feature.nunique() > 30:
        classes = pd.qcut(feature.rank(method="first"), 30, labels=False).fillna(-1).astype(int).to_numpy()
    else:
        classes = pd.factorize(feature)[0]
    guess = np.zeros((len(goal), goal.shape[1]))
    for fold in np.unique(folds):
        train = folds != fold
        means = pd.DataFrame(goal[train]).groupby(classes[train]).mean()
        rows = means.reindex(classes[~train]).to_numpy()
        guess[~train] = np.where(np.isfinite(rows), rows, goal[train].mean(axis=0))
    whole = float(((goal - goal.mean(axis=0)) ** 2).sum())
    return 1 - float(((goal - guess) ** 2).sum()) / whole if whole > 0 else 0.0


def leak_hints(
    frame: pd.DataFrame, target: str, columns: list[str], clusters: list[str], most: int = 20_000
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Score every column alone on the target, five-fold, whole clusters held out; above .95 it may be a leak.

    The target is in ranks if it is a number, in indicators of its levels if it is a category. More than
    `most` rows are sampled.
    """
    data = frame.dropna(subset=[target])
    data = data.sample(most, random_state=0) if len(data) > most else data
    if len(data) < 100 or data[target].nunique() < 2:
        return {"enough": False, "rows": len(data)}, pd.DataFrame()
    numeric = pd.api.types.is_numeric_dtype(data[target]) and data[target].nunique() > 12
    goal = (
        data[target].rank().to_numpy()[:, None]
        if numeric
        else pd.get_dummies(data[target]).to_numpy(dtype=float)
    )
    unit = data.groupby(clusters, observed=True).ngroup().to_numpy() if clusters else np.arange(len(data))
    folds = np.random.default_rng(0).permutation(int(unit.max()) + 1)[unit] % 5
    scores = {name: single_feature_score(data[name], goal, folds) for name in columns if name != target}
    table = pd.Series(scores, name="score").sort_values(ascending=False, kind="stable").to_frame()
    if table.empty:
        return {"enough": False, "rows": len(data)}, pd.DataFrame()
    return {
        "enough": True,
        "rows": len(data),
        "sampled": bool(len(frame) > most),
        "columns": len(table),
        "top": str(table.index[0]),
        "top_score": float(table["score"].iloc[0]),
        "suspects": [str(name) for name in table.index[table["score"] > 0.95]],
        "useful": int((table["score"] > 0.05).sum()),
    }, table
