"""What would make a number wrong: totals among the parts, the weight of an average, stale blocks, and more.

What belongs here: checks by arithmetic, with no knowledge of the field. Every function returns plain numbers,
names and lists, and is silent (empty lists) on a table that has no such trap. Paper: RADAR §3.2.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from lakebook.analyst.methods.structure import joint_codes, row_codes


def cell_matrix(frame: pd.DataFrame, cells: Sequence[str], dimension: str, measure: str) -> pd.DataFrame:
    """Sum the measure in every cell (rows) for every member of the dimension (columns)."""
    return frame.pivot_table(
        index=list(cells), columns=dimension, values=measure, aggfunc="sum", observed=True, dropna=True
    )


def total_of_parts(cells: pd.DataFrame, member: Any, tolerance: float = 1e-3) -> dict[str, Any] | None:
    """Find the smaller members that add up to this one in every cell; None if there are none.

    Non-negative least squares on scaled columns: if the member is a total, its parts get a coefficient of
    one and the others of zero. The sum is then formed anew from the parts and compared cell by cell.
    """
    whole = cells[member]
    rows = cells.loc[whole.notna() & (whole > 0)]
    sizes: Any = rows.sum()
    smaller = [name for name in cells.columns if name != member and 0 < sizes[name] < sizes[member]]
    if len(smaller) < 2 or len(rows) < 12 or sizes[smaller].sum() < (1 - tolerance) * sizes[member]:
        return None
    parts = rows[smaller].fillna(0.0).to_numpy(dtype=float)
    target = rows[member].to_numpy(dtype=float)
    weights, _ = nnls(parts / target[:, None], np.ones(len(target)))
    chosen = np.flatnonzero(weights > 0.5)
    exact = len(chosen) >= 2 and np.abs(weights[chosen] - 1).max() < 0.02
    if not exact or np.delete(weights, chosen).max(initial=0.0) > 0.02:
        return None
    residual = float(np.abs(parts[:, chosen].sum(axis=1) / target - 1).max())
    if residual > tolerance:
        return None
    return {"parts": [str(smaller[i]) for i in chosen], "residual": residual, "cells": len(rows)}


def total_members(frame: pd.DataFrame, dimension: str, measure: str, cells: Sequence[str]) -> dict[str, Any]:
    """Find members of a dimension that are sums of other members, by arithmetic and not by name.

    Returns the totals with their parts, the finest set of members that adds up to the largest total, the
    members outside that set, and by how much a naive sum over all members is too large.
    """
    matrix = cell_matrix(frame, cells, dimension, measure)
    empty = {"totals": {}, "level": [], "others": [], "factor": 1.0, "others_share": 0.0, "residual": 0.0}
    if matrix.shape[0] < 12 or matrix.shape[1] < 3 or (matrix.to_numpy() < 0).any():
        return empty | {"members": int(matrix.shape[1])}
    found: dict[str, dict[str, Any]] = {}
    waiting = list(matrix.sum().sort_values(ascending=False).index[:12])
    for member in waiting:
        total = total_of_parts(matrix, member)
        if total is not None:
            found[str(member)] = total
    if not found:
        return empty | {"members": int(matrix.shape[1])}
    sizes = {str(name): float(size) for name, size in matrix.sum().items()}
    top = max(found, key=lambda name: sizes[name])
    level = list(found[top]["parts"])
    while any(part in found for part in level):
        level = [leaf for part in level for leaf in (found[part]["parts"] if part in found else [part])]
    others = [name for name in sizes if name not in level and name not in found]
    return {
        "members": len(sizes),
        "totals": {name: found[name]["parts"] for name in found},
        "top": top,
        "top_sum": sizes[top],
        "level": level,
        "level_sum": sum(sizes[name] for name in level),
        "others": others,
        "others_sum": sum(sizes[name] for name in others),
        "others_share": sum(sizes[name] for name in others) / sizes[top],
        "naive_sum": sum(sizes.values()),
        "factor": sum(sizes.values()) / sizes[top],
        "residual": float(found[top]["residual"]),
        "cells": int(found[top]["cells"]),
        "covers_all": sizes[top] >= max(sizes.values()) and top.casefold() != "" and named_whole(top),
    }


def named_whole(name: str) -> bool:
    """Tell whether a name says that the member stands for everything."""
    words = "".join(letter if letter.isalnum() else " " for letter in name.casefold()).split()
    whole = {
        "total",
        "all",
        "overall",
        "national",
        "grand",
        "whole",
        "everything",
        "totalus",
        "world",
        "nationwide",
    }
    return any(word in whole or word.startswith("total") for word in words)


def weight_of_ratio(
    frame: pd.DataFrame, ratio: str, flows: Sequence[str], dimension: str, total: str, parts: Sequence[str],
    cells: Sequence[str], unit: float = 0.01,
) -> dict[str, Any]:  # fmt: skip
    """Find the column by which an average must be weighted: the total's value must come out of its parts.

    For each candidate: the share of cells in which the weighted mean over the parts equals the total's own
    value to within `unit`; "" stands for the plain mean. The best wins with at least 90 % of the cells.
    """
    rows = frame[frame[dimension].astype(str).isin([total, *parts])]
    stated = cell_matrix(rows, cells, dimension, ratio)
    if total not in stated.columns or len(stated) < 12:
        return {"weight": "", "shares": {}, "cells": len(stated)}
    target = stated[total]
    below = stated[[part for part in parts if part in stated.columns]]
    shares = {"": float((below.mean(axis=1) - target).abs().le(unit * 1.001).mean())}
    for flow in flows:
        weights = cell_matrix(rows, cells, dimension, flow).reindex_like(stated)[below.columns]
        mean = (below * weights).sum(axis=1) / weights.where(below.notna()).sum(axis=1)
        shares[flow] = float((mean - target).abs().le(unit * 1.001).mean())
    best = max((name for name in shares if name), key=lambda name: shares[name], default="")
    good = bool(best) and shares[best] >= 0.9 and shares[best] >= 2 * shares[""]
    return {"weight": best if good else "", "best": best, "shares": shares, "cells": len(stated)}


def weighted_mean(values: pd.Series, weights: pd.Series) -> float:
    """Average the values, each counted by its weight; rows that lack either are left out."""
    known = values.notna() & weights.notna()
    total = float(weights[known].sum())
    return float((values[known] * weights[known]).sum() / total) if total else float("nan")


def stale_stamps(
    frame: pd.DataFrame, time: str, entities: Sequence[str], measures: Sequence[str]
) -> dict[str, Any]:
    """Find stamps at which most entities repeat all their values of the stamp before, to the last digit."""
    same: pd.DataFrame | None = None
    for measure in measures:
        wide = frame.pivot_table(
            index=time, columns=list(entities), values=measure, aggfunc="sum", observed=True
        )
        repeats = wide.diff().abs().lt(1e-12) & wide.ne(0)
        same = repeats if same is None else same & repeats.reindex_like(same)
    if same is None or same.shape[0] < 8 or same.shape[1] < 5:
        return {"stamps": [], "typical": 0.0, "largest_elsewhere": 0.0, "entities": 0, "around": []}
    share = same.mean(axis=1)
    typical = float(share.iloc[1:].median())
    days = [str(pd.Timestamp(stamp).date()) for stamp in share.index.to_numpy()]
    values = [float(value) for value in share]
    hits = [i for i, value in enumerate(values) if value > 0.5 and value > 5 * typical]
    near = range(max(0, hits[0] - 14), min(len(days), hits[0] + 15)) if hits else range(0)
    return {
        "stamps": [[days[i], days[i - 1], values[i]] for i in hits],
        "typical": typical,
        "largest_elsewhere": max((value for i, value in enumerate(values) if i not in hits), default=0.0),
        "entities": int(same.shape[1]),
        "around": [[days[i], values[i]] for i in near],
    }


def dependencies(frame: pd.DataFrame, columns: Sequence[str], choices: Sequence[str] = ()) -> dict[str, Any]:
    """Find columns that are fixed by another column, or by two: no row breaks the rule.

    `choices` are columns of few values (a discount, a status) that look chosen row by row; if two columns
    fix one of them in every row, it is a policy and not a choice. With fewer than two rows a combination a
    rule could not be broken, and says nothing.
    """
    codes = {column: row_codes(frame, [column]) for column in [*columns, *choices]}
    levels = {column: int(own.max(initial=-1)) + 1 for column, own in codes.items()}

    def fixed(group: Sequence[str], other: str) -> int:
        joint = joint_codes([codes[column] for column in group])
        seen = int(joint.max(initial=-1)) + 1 if len(group) > 1 else levels[group[0]]
        if not seen or len(frame) / seen < 2:
            return 0
        return seen if len(pd.unique(joint_codes([joint, codes[other]]))) == seen else 0

    pairs = [
        [a, b, levels[a], levels[b]]
        for a in columns
        for b in columns
        if a != b and 1 < levels[b] <= levels[a] and fixed([a], b)
    ]
    policies = []
    for choice in choices:
        if 3 <= levels[choice] <= 30 and not any(fixed([a], choice) for a in columns if a != choice):
            free = [column for column in columns if column != choice]
            groups = sorted(combinations(free, 2), key=lambda group: levels[group[0]] * levels[group[1]])
            hit = next((group for group in groups if fixed(group, choice)), None)
            if hit:
                policies.append([list(hit), choice, fixed(hit, choice)])
    return {"pairs": pairs, "policies": policies, "rows": len(frame)}


def mixed_units(values: pd.Series) -> dict[str, Any]:
    """Count the units of a text column whose cells hold a number and a word ("90 min", "2 Seasons")."""
    text = values.dropna().astype(str).str.strip()
    parts = text.str.extract(r"^([-+]?\d+(?:[.,]\d+)?)\s*([^\W\d_%]{1,15}|%)\.?$")
    share = float(parts[0].notna().mean()) if len(text) else 0.0
    word = parts[1].str.casefold().str.replace(r"(?<=..)s$", "", regex=True)
    counts = word.value_counts()
    common = counts[counts >= max(2, 0.01 * len(text))]
    medians: Any = pd.to_numeric(parts[0].str.replace(",", "."), errors="coerce").groupby(word).median()
    units = {str(unit): [int(count), float(medians[unit])] for unit, count in common.items()}
    return {"share": share, "units": units if share >= 0.8 and len(units) > 1 else {}, "rows": len(text)}


def misplaced_values(frame: pd.DataFrame, column: str) -> list[list[Any]]:
    """Find values of this kind (a number and a word) in other columns, in rows where this one is empty."""
    pattern = r"^[-+]?\d+(?:[.,]\d+)?\s*[^\W\d_]{1,15}\.?$"
    words = frame[column].dropna().astype(str).str.extract(r"([^\W\d_]+)\.?$")[0].str.casefold().unique()
    empty = frame[frame[column].isna()]
    found = []
    for other in frame.columns:
        if other == column or not pd.api.types.is_string_dtype(empty[other]):
            continue
        text = empty[other].dropna().astype(str).str.strip()
        hits = text[
            text.str.match(pattern) & text.str.extract(r"([^\W\d_]+)\.?$")[0].str.casefold().isin(words)
        ]
        if len(hits):
            found.append([str(other), len(hits), str(hits.iloc[0])])
    return found


def list_cells(values: pd.Series, separator: str = ",") -> dict[str, Any]:
    """Count the entries of a column whose cells hold lists: in how many rows each stands, once a row."""
    text = values.dropna().astype(str)
    entries = text.str.split(separator, regex=False).explode().str.strip()
    once = entries[entries != ""].to_frame("entry").reset_index(names="row").drop_duplicates()
    alone = text[~text.str.contains(separator, regex=False)].str.strip().value_counts()
    top = once["entry"].value_counts(sort=False)
    top = top.sort_index().sort_values(ascending=False, kind="stable")
    several = text.str.contains(separator, regex=False)
    return {
        "rows": len(text),
        "share_of_lists": float(several.mean()) if len(text) else 0.0,
        "distinct_cells": int(text.nunique()),
        "distinct_entries": int(once["entry"].nunique()),
        "entries": len(once),
        "blank_entries": int((entries == "").sum()),
        "top": [[str(name), int(rows), int(alone.get(name, 0))] for name, rows in top.head(12).items()],
    }


def placeholders(values: pd.Series) -> dict[str, Any]:
    """Find one round value that stands far more often than its neighbours, as a stand-in for "unknown".

    Zero is judged only where no other value comes near it; counts of things often are zero for good.
    """
    numbers = values.dropna().astype(float)
    if len(numbers) < 50 or numbers.nunique() < 20:
        return {"value": None, "rows": 0}
    counts = numbers.value_counts()
    rest = counts.iloc[1:]
    value, rows = float(counts.index[0]), int(counts.iloc[0])
    round_one = value in (0.0, -1.0, 1.0) or set(f"{abs(value):.0f}") == {"9"}
    typical = float(rest.iloc[: max(5, len(rest) // 20)].median())
    lonely = rows > 10 * typical and rows >= 5
    spread = float(numbers[numbers != value].quantile(0.75) - numbers[numbers != value].quantile(0.25))
    near = int((numbers[numbers != value] - value).abs().lt(0.25 * spread).sum())
    outside = near < 0.02 * len(numbers)
    hit = round_one and lonely and outside and spread > 0
    return {
        "value": value if hit else None,
        "rows": rows if hit else 0,
        "share": rows / len(numbers) if hit else 0.0,
    }


def additive_identities(frame: pd.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Find columns that are the sum of others, or the product of two, in at least 99 % of the rows.

    Smaller columns come first; once one is a sum, its parts are set aside, so that a sum of sums is found.
    """
    rows = frame[list(columns)].dropna()
    found: list[dict[str, Any]] = []
    if len(rows) < 30 or len(columns) < 3:
        return found
    sample = rows.iloc[:: max(1, len(rows) // 1500)]
    sizes: dict[str, float] = {
        column: float(np.abs(rows[column].to_numpy(dtype=float)).sum()) for column in columns
    }
    waiting = sorted(columns, key=lambda column: (sizes[column], column))
    free = list(waiting)
    for name in waiting:
        others = [column for column in free if column != name]
        parts = sum_of_columns(sample, name, others) or product_of_columns(
            sample, name, [c for c in columns if c != name]
        )
        if not parts:
            continue
        sign, names = parts
        made = rows[names].sum(axis=1) if sign == "+" else rows[names].prod(axis=1)
        off = (made - rows[name]).abs()
        if (off <= np.maximum(0.011 * len(names), 1e-4 * rows[name].abs())).mean() >= 0.99:
            broken = int((off > 0.01 * rows[name].abs() + 0.011 * len(names)).sum())
            found.append(
                {"column": name, "parts": names, "sign": sign, "rows_off": broken, "rows": len(rows)}
            )
            free = [column for column in free if column not in names]
    return found


def sum_of_columns(sample: pd.DataFrame, name: str, others: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return the columns that add up to the named one, found by non-negative least squares."""
    scale = sample[list(others)].abs().max()
    used = [column for column in others if scale[column] > 0]
    if len(used) < 2 or len(sample) <= len(used) or not sample[name].abs().max() > 0:
        return None
    parts = sample[used].to_numpy(dtype=float) / scale[used].to_numpy(dtype=float)
    weights = nnls(parts, sample[name].to_numpy(dtype=float))[0] / scale[used].to_numpy(dtype=float)
    chosen = [column for column, weight in zip(used, weights, strict=True) if abs(weight - 1) < 0.02]
    clean = all(abs(weight - 1) < 0.02 or weight < 1e-3 for weight in weights)
    return ("+", chosen) if clean and len(chosen) >= 2 else None


def product_of_columns(
    sample: pd.DataFrame, name: str, others: Sequence[str]
) -> tuple[str, list[str]] | None:
    """Return two columns whose product is the named one in nearly all sampled rows."""
    target = sample[name].to_numpy(dtype=float)
    varied = [column for column in others if sample[column].nunique() > 2][:10]
    for a, b in combinations(varied, 2):
        off = np.abs(sample[a].to_numpy(dtype=float) * sample[b].to_numpy(dtype=float) - target)
        if (off <= np.maximum(0.011, 1e-4 * np.abs(target))).mean() >= 0.99 and np.abs(target).max() > 1:
            return "×", [a, b]
    return None
