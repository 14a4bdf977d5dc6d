"""One column at a time: the shape of a number, the balance of categories, concentration, outliers, blanks.

What belongs here: descriptions of a single column, and where its blanks stand. Medians and quantiles lead,
as means are carried off by few rows. Paper: NotebookRAG §4.2.2; notes on plays, §3 U.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.proportion import proportion_confint


def numeric_shape(values: pd.Series) -> dict[str, Any]:
    """Describe a number by quantiles: where half of it lies, how it leans, how far its tail reaches.

    `lean` is Bowley's skewness of the quartiles, from -1 to 1; `log` says that a log scale is clearer.
    """
    known = values.dropna().astype(float)
    if not len(known):
        return {"rows": 0, "nulls": int(values.isna().sum())}
    p01, q1, median, q3, p99 = (float(known.quantile(q)) for q in (0.01, 0.25, 0.5, 0.75, 0.99))
    mean = float(known.mean())
    positive = known[known > 0]
    log_lean = quartile_lean(pd.Series(np.log(positive.to_numpy()))) if len(positive) else 0.0
    lean = quartile_lean(known)
    return {
        "rows": len(known),
        "nulls": int(values.isna().sum()),
        "min": float(known.min()),
        "p01": p01,
        "q1": q1,
        "median": median,
        "q3": q3,
        "p99": p99,
        "max": float(known.max()),
        "mean": mean,
        "lean": lean,
        "above_mean": float((known > mean).mean()),
        "zeros": float((known == 0).mean()),
        "negative": float((known < 0).mean()),
        "tail": p99 / median if median > 0 else None,
        "log": bool(known.min() > 0 and median > 0 and p99 / median > 10 and abs(log_lean) < abs(lean)),
    }


def quartile_lean(values: pd.Series) -> float:
    """Return Bowley's skewness: how much farther the upper quartile lies from the median than the lower."""
    low, middle, high = (float(values.quantile(q)) for q in (0.25, 0.5, 0.75))
    return (high + low - 2 * middle) / (high - low) if high > low else 0.0


def category_balance(values: pd.Series) -> dict[str, Any]:
    """Count the levels of a category, with 95 % intervals of their shares and the evenness of the whole.

    A level is rare if it has fewer than 30 rows or 1 % of all, whichever is more.
    """
    counts = values.dropna().astype(str).value_counts(sort=False).sort_index()
    counts = counts.sort_values(ascending=False, kind="stable")
    total = int(counts.sum())
    if not total:
        return {"rows": 0, "levels": 0, "top": []}
    shares = counts.to_numpy(dtype=float) / total
    low, high = proportion_confint(counts.to_numpy(), total, method="wilson")
    entropy = float(-(shares * np.log(shares)).sum() / np.log(len(shares))) if len(shares) > 1 else 0.0
    rare = counts[counts < max(30, 0.01 * total)]
    names = [str(name) for name in counts.index.to_numpy()]
    rows = zip(names, counts, shares, np.atleast_1d(low), np.atleast_1d(high), strict=True)
    return {
        "rows": total,
        "nulls": int(values.isna().sum()),
        "levels": len(counts),
        "evenness": entropy,
        "rare": len(rare),
        "rare_rows": int(rare.sum()),
        "top": [[name, int(n), float(share), float(a), float(b)] for name, n, share, a, b in rows][:15],
    }


def gini(amounts: "np.ndarray[Any, Any]") -> float:
    """Return the Gini coefficient of amounts that are not negative: 0 all equal, 1 all with one."""
    ordered = np.sort(amounts)
    places = 2 * np.arange(1, len(ordered) + 1) - len(ordered) - 1
    total = float(ordered.sum())
    return float(places.dot(ordered) / (len(ordered) * total)) if total > 0 else 0.0


def concentration(frame: pd.DataFrame, entity: str, measure: str) -> dict[str, Any]:
    """Say how much of the measure few entities hold, with a bootstrap interval over the entities.

    Entities with a negative sum are left out and counted, as shares of a sum of both signs mean nothing.
    """
    sums = frame.groupby(entity, observed=True)[measure].sum()
    held = sums[sums > 0].sort_index().sort_values(ascending=False, kind="stable")
    amounts = held.to_numpy(dtype=float)
    if len(amounts) < 2:
        return {"entities": len(amounts), "negative": int((sums < 0).sum())}
    shares = amounts / amounts.sum()
    running = shares.cumsum()
    rng = np.random.default_rng(0)
    draws = [gini(rng.choice(amounts, len(amounts))) for _ in range(200)]
    fifth = int(np.ceil(0.2 * len(amounts)))
    steps = np.unique(np.linspace(0, len(amounts), 101).astype(int))
    return {
        "entities": len(amounts),
        "negative": int((sums < 0).sum()),
        "gini": gini(amounts),
        "gini_low": float(np.quantile(draws, 0.025)),
        "gini_high": float(np.quantile(draws, 0.975)),
        "fifth": float(running[fifth - 1]),
        "for_80": int((running < 0.8 - 1e-12).sum()) + 1,
        "effective": float(1 / (shares**2).sum()),
        "first": str(held.index[0]),
        "first_share": float(shares[0]),
        "curve": [[float(k / len(amounts)), float(running[k - 1]) if k else 0.0] for k in steps.tolist()],
    }


def robust_outliers(values: pd.Series, log: bool = False, cut: float = 3.5) -> dict[str, Any]:
    """Find values far from the median, in units of the median absolute deviation (on logs if asked).

    If the deviation is zero, as most values are equal, nothing can be said and nothing is flagged.
    """
    known = values.dropna().astype(float)
    used: Any = np.log(known[known > 0]) if log else known
    middle = float(used.median()) if len(used) else 0.0
    spread = float(1.4826 * (used - middle).abs().median()) if len(used) else 0.0
    if spread <= 0:
        return {"rows": len(known), "spread": 0.0, "flagged": 0, "share": 0.0, "top": []}
    z = (used - middle) / spread
    flagged = z[z.abs() > cut]
    order = flagged.abs().sort_values(ascending=False, kind="stable").index[:5]
    back = np.exp if log else float
    kept = known.drop(flagged.index)
    return {
        "rows": len(known),
        "spread": spread,
        "flagged": len(flagged),
        "high": int((flagged > 0).sum()),
        "low": int((flagged < 0).sum()),
        "share": len(flagged) / len(known),
        "upper": float(back(middle + cut * spread)),
        "lower": float(back(middle - cut * spread)),
        "top": [float(known.loc[i]) for i in order],
        "mean": float(known.mean()),
        "mean_without": float(kept.mean()) if len(kept) else None,
        "held": float(known.loc[flagged.index].sum() / known.sum()) if known.sum() > 0 else None,
    }


def text_profile(values: pd.Series) -> dict[str, Any]:
    """Describe a text column: how long its texts are, and how many stand more than once."""
    text = values.dropna().astype(str).str.strip()
    text = text[text != ""]
    if not len(text):
        return {"rows": 0}
    words = text.str.count(r"\S+")
    return {
        "rows": len(text),
        "words": float(words.median()),
        "shortest": int(words.min()),
        "longest": int(words.max()),
        "repeated": int(text.duplicated(keep=False).sum()),
    }


def missing_mechanism(frame: pd.DataFrame, column: str, dimensions: Sequence[str]) -> dict[str, Any]:
    """Test whether blanks of a column gather in some levels of a dimension (chi-squared, Cramér's V).

    Levels of fewer than 30 rows are left out of the test. V is corrected for bias, so that it is about zero
    where blanks fall at random.
    """
    blank = frame[column].isna()
    tests: list[list[Any]] = []
    for dimension in dimensions:
        sizes = frame[dimension].value_counts()
        known = frame[dimension].isin(sizes.index[sizes >= 30])
        table = pd.crosstab(frame.loc[known, dimension].astype(str), blank[known])
        if table.shape[0] < 2 or table.shape[1] < 2:
            continue
        result = stats.chi2_contingency(table, correction=False)
        tests.append(
            [dimension, float(result.pvalue), cramers_v(table, float(result.statistic)), int(known.sum())]
        )
    if not tests:
        return {"tests": [], "share": float(blank.mean())}
    best: Any = max(tests, key=lambda test: float(test[2]))
    sizes = frame[best[0]].value_counts()
    levels = frame[best[0]].isin(sizes.index[sizes >= 30])
    rates = blank[levels].groupby(frame.loc[levels, best[0]].astype(str)).agg(["mean", "size"])
    rates = rates.sort_index().sort_values("mean", ascending=False, kind="stable")
    names = [str(name) for name in rates.index.to_numpy()]
    return {
        "tests": tests,
        "share": float(blank.mean()),
        "dimension": best[0],
        "v": best[2],
        "p": best[1],
        "rows": best[3],
        "rates": [[n, float(m), int(s)] for n, m, s in zip(names, rates["mean"], rates["size"], strict=True)],
    }


def cramers_v(table: pd.DataFrame, statistic: float) -> float:
    """Return Cramér's V, corrected for bias (Bergsma): 0 no association, 1 one fixes the other."""
    total = float(table.to_numpy().sum())
    r, k = table.shape
    phi = max(0.0, statistic / total - (r - 1) * (k - 1) / (total - 1))
    rows, columns = r - (r - 1) ** 2 / (total - 1), k - (k - 1) ** 2 / (total - 1)
    return float(np.sqrt(phi / max(min(rows - 1, columns - 1), 1e-12)))
