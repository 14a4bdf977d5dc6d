"""Where drawn values come from: the columns of the frame whose groups, bins or rows give just these values.

What belongs here: the search, which takes nothing on trust (all values must agree), and the test that the
origin
makes possible: drawn heights alone do not tell how many rows stand behind them. What does not: words.
Paper: NotebookRAG §4.2.4 (statistical code computes what a figure states).
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lakebook.analyst.methods.groups import by_cluster, contribution, group_difference
from lakebook.analyst.methods.relations import rank_interval

WAYS = ("mean", "sum", "median", "max", "min", "count", "nunique", "std")


def same_values(a: Any, b: Any) -> bool:
    """Tell whether two lists of numbers agree to six digits."""
    one, other = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-6, atol=1e-12))


def level_text(values: pd.Series) -> pd.Series:
    """Return the values of a column as an axis writes them."""
    text = values.astype("string")
    return text.str.replace(r"\.0$", "", regex=True) if pd.api.types.is_float_dtype(values) else text


def origin_of_levels(series: dict[str, Any], frame: pd.DataFrame, units: list[str]) -> dict[str, Any]:
    """Return by which column, of which measure and how the drawn categories were made, and if they differ.

    {} if no single column gives all drawn values. Rows of one unit are taken together before a test, since
    they are not independent.
    """
    labels, drawn = [str(label) for label in series["labels"]], np.array(series["y"], dtype=float)
    if len(labels) != len(drawn) or len(set(labels)) != len(labels) or not np.isfinite(drawn).all():
        return {}
    numbers = [str(c) for c in frame.select_dtypes("number").columns if frame[c].notna().any()]
    for group in frame.columns:
        if frame[group].nunique() > 500 or pd.api.types.is_datetime64_any_dtype(frame[group]):
            continue
        text = level_text(frame[group])
        if not set(labels) <= set(text.dropna().unique()):
            continue
        groups = frame.groupby(text)
        sizes = groups.size().reindex(labels)
        whole = float(len(frame))
        for scale in (1.0, whole, whole / 100):
            if same_values(sizes / scale, drawn):
                return {"by": str(group), "of": "", "how": "count"} | counted_difference(frame, str(group))
        for how in WAYS if series["mark"] != "box" else ("median",):
            table = groups[[c for c in numbers if c != group]].agg(how).reindex(labels)
            for measure in table.columns:
                if same_values(table[measure], drawn):
                    origin = {"by": str(group), "of": str(measure), "how": how}
                    return origin | measured_difference(frame, text, str(measure), how, str(group), units)
    return {}


def counted_difference(frame: pd.DataFrame, group: str) -> dict[str, Any]:
    """Say whether the first category has surely more rows than the second, if rows are what varies."""
    counts = level_text(frame[group]).value_counts()
    lead = float(counts.iloc[0] - counts.iloc[1]) if len(counts) > 1 else 0.0
    sure = len(counts) > 1 and lead > 1.96 * float(np.sqrt(counts.iloc[0] + counts.iloc[1]))
    return {"rows": int(counts.sum()), "additive": True, "lead_sure": bool(sure)}


def measured_difference(
    frame: pd.DataFrame, levels: pd.Series, measure: str, how: str, group: str, units: list[str]
) -> dict[str, Any]:
    """Test the groups behind drawn means and medians, or the lead behind drawn sums."""
    data = pd.DataFrame({"level": levels, "value": frame[measure].astype(float)})
    others = [unit for unit in units if unit != group and unit in frame.columns]
    for place, unit in enumerate(others):
        data[f"unit {place}"] = frame[unit]
    keys = [f"unit {place}" for place in range(len(others))]
    if how == "sum":
        data["cluster"] = data.groupby(keys, dropna=False).ngroup() if keys else np.arange(len(data))
        facts, _ = contribution(data.dropna(subset=["level"]), "level", "value", "cluster")
        sure = bool(facts.get("lead_sure", False)) and facts.get("bottom_total", -1.0) >= 0
        return {"rows": len(data), "additive": True, "lead_sure": sure}
    if how not in ("mean", "median"):
        return {"rows": len(data)}
    rows = by_cluster(data, "level", "value", keys, "mean") if keys else data.dropna()
    facts, table = group_difference(rows, "level", "value")
    if not facts["enough"]:
        return {"rows": len(data)}
    sure = facts["p"] < 0.05 and facts["effect"] >= 0.02
    apart = facts["ends_p"] < 0.05 and (facts["shift_low"] > 0 or facts["shift_high"] < 0)
    held = ("p", "effect", "groups", "top", "bottom", "top_median", "bottom_median", "shift")
    return {
        "rows": len(data),
        "independent": int(facts["rows"]),
        **{name: facts[name] for name in (*held, "shift_low", "shift_high", "smallest_group")},
        "word": "differ" if sure and apart else "",
        "alike": bool(facts["p"] >= 0.05 or facts["effect"] < 0.02),
        "merged": bool(table["level"].astype(str).str.startswith("other (").any()),
    }


def origin_of_bins(counts: Any, middles: Any, width: float, frame: pd.DataFrame) -> str:
    """Return the column whose values fall into these bins just so often, "" if there is none."""
    edges = np.append(middles - width / 2, middles[-1] + width / 2)
    for column in frame.select_dtypes("number").columns:
        values = frame[column].dropna().to_numpy(dtype=float)
        # An edge in the last bits of a value puts it in the bin beside: some counts may be off by it.
        slack = 1e-9 * max(abs(edges[0]), abs(edges[-1]), width)
        found = np.histogram(values, edges + np.append(np.full(len(edges) - 1, -slack), slack))[0]
        for scale in (1.0, float(len(values)), float(len(values)) * width):
            drawn = counts * scale
            # A value in the last bits of an edge may be counted on its other side.
            off = float(np.abs(found - drawn).sum())
            if found.sum() >= 10 and off <= max(2.5, 1e-3 * float(drawn.sum())) and len(found) > 2:
                return str(column)
    return ""


def origin_of_points(series: dict[str, Any], frame: pd.DataFrame, units: list[str]) -> dict[str, Any]:
    """Return the two columns whose rows are the points, and how many independent units they are of."""
    whole = series["n"] == len(series["x"])
    x, y = (np.array(series[name], dtype=float) for name in ("x", "y"))
    numbers = [str(c) for c in frame.select_dtypes("number").columns]

    def matching(values: "np.ndarray[Any, Any]") -> list[str]:
        found = []
        for name in numbers:
            column = frame[name].dropna().to_numpy(dtype=float)
            inside = len(column) >= len(values) and np.isin(np.round(values, 9), np.round(column, 9)).all()
            if whole and inside:
                found.append(name)
        return found

    for a in matching(x):
        for b in matching(y):
            if a == b:
                continue
            pairs = frame[[a, b]].dropna().astype(float)
            if len(pairs) == len(x) and same_values(
                np.sort(pairs[a] + 1e-3 * pairs[b]), np.sort(x + 1e-3 * y)
            ):
                known = [unit for unit in units if unit in frame.columns]
                count = frame.loc[pairs.index].groupby(known).ngroups if known else len(pairs)
                return {"x": a, "y": b, "independent": int(count)}
    return {}


def rounding_of(value: float) -> float:
    """Return how far a drawn correlation may be from the computed one: many are drawn rounded."""
    return 5.1e-3 if value == round(value, 2) else 1e-6


def origin_of_correlations(series: dict[str, Any], frame: pd.DataFrame, units: list[str]) -> dict[str, Any]:
    """Find the strongest pair of a heat map of correlations of this frame, if it is more than chance.

    The p-value is that of the correlation for as many rows as are independent, times the number of pairs.
    """
    size = len(series["labels"])
    if size < 3 or series.get("rows") != series["labels"] or len(series["y"]) != size * size:
        return {}
    grid = np.array(series["y"], dtype=float).reshape(size, size)
    numbers = frame.select_dtypes(["number", "bool"]).astype(float)
    known = numbers.corr().to_numpy()
    off = ~np.eye(size, dtype=bool)
    if not np.allclose(np.diag(grid), 1) or np.isnan(grid[off]).all() or np.nanmax(np.abs(grid)) > 1 + 1e-9:
        return {}
    drawn = grid[off & np.isfinite(grid)]
    if not all(np.isclose(known, value, rtol=0, atol=rounding_of(value)).any() for value in drawn):
        return {}
    one, other = np.unravel_index(int(np.nanargmax(np.where(off, np.abs(grid), np.nan))), grid.shape)
    value = float(grid[one, other])
    place = np.argwhere(
        np.isclose(known, value, rtol=0, atol=rounding_of(value)) & ~np.eye(len(known), dtype=bool)
    )
    if len(place) == 0:
        return {}
    a, b = (str(numbers.columns[i]) for i in place[0])
    rows = numbers[[a, b]].dropna()
    groups = [unit for unit in units if unit in frame.columns]
    count = float(frame.loc[rows.index].groupby(groups).ngroups) if groups else float(len(rows))
    low, high = rank_interval(value, count)
    t = abs(value) * np.sqrt(max(count - 2, 1) / max(1 - value**2, 1e-12))
    p = float(2 * stats.t.sf(t, max(count - 2, 1))) * size * (size - 1) / 2
    return {
        "one": str(series["labels"][int(one)]),
        "other": str(series["labels"][int(other)]),
        "columns": [a, b],
        "r": value,
        "low": low,
        "high": high,
        "independent": int(count),
        "pairs": size * (size - 1) // 2,
        "word": "strongest" if p < 0.05 and abs(value) >= 0.2 and count >= 10 else "",
    }
