"""How likely each old column is each new one: features of every pair, weighed by what is known of the old.

The weights were fitted on labelled version pairs of public tables; what they are worth is measured by
`benchmarks/correspondence.py`. Which pairs are taken is decided in `match`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lakebook.correspondence.evidence import OldColumn, compare_evidence
from lakebook.correspondence.names import SAME_LETTERS, Likeness, NameComparer
from lakebook.correspondence.profile import ColumnProfile
from lakebook.correspondence.values import CLASH, ValueLikeness, compare_values

Matrix = NDArray[np.float64]
Known = ColumnProfile | OldColumn
# names: nothing but names. evidence: what code and outputs tell of a table that is gone. values: profiles.
Mode = Literal["names", "evidence", "values"]

FLOOR = -8.0
SAME_NAME = 2.2  # log-odds (probability .9) of equal names whose values do not speak against it
_ANCHOR = 1.386  # log-odds of 0.8: from there a neighbour counts as matched

WEIGHTS: Mapping[Mode, Mapping[str, float]] = {
    "names": {
        "name": 2.02, "name_beyond": 1.13, "exact": 0.98, "letters": 1.08,
        "row_margin": 3.54, "column_margin": 3.15, "adjacent": 1.85, "order": 1.18, "constant": -3.75,
    },
    "evidence": {
        "name": 2.15, "name_beyond": 1.16, "exact": 1.05, "letters": 1.12,
        "row_margin": 2.66, "column_margin": 2.52, "values": 0.95, "info": 0.26, "strong": 0.49,
        "strong_margin": 1.15, "conflict": -1.19, "known": -0.30, "value_margin": 1.92,
        "adjacent": 1.32, "order": 0.92, "constant": -3.39,
    },
    "values": {
        "name": 2.17, "name_beyond": 1.01, "exact": 1.00, "letters": 1.14,
        "row_margin": 2.34, "column_margin": 2.38, "values": 1.12, "info": 0.81, "strong": 0.85,
        "strong_margin": 0.82, "conflict": -1.10, "scale": 0.02, "nulls": 0.96, "known": 0.24,
        "value_margin": 3.03, "adjacent": 1.37, "order": 0.94, "constant": -4.50,
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scored:
    """Every pair of columns: log-odds that they are the same, and what names, values and neighbours say."""

    odds: Matrix
    likeness: Sequence[Sequence[Likeness]]
    values: Sequence[Sequence[ValueLikeness]]
    adjacent: Matrix
    mode: Mode


def score(old: Sequence[Known], new: Sequence[ColumnProfile], *, in_order: bool) -> Scored:
    """Return how likely each pair is.

    Args:
        old: the old columns, with profiles or with what is known of them.
        new: the new columns.
        in_order: both sides are in the order of their files, so that neighbours are evidence.
    """
    comparer = NameComparer([column.name for column in old], [column.name for column in new])
    likeness = [[comparer.compare(a.name, b.name) for b in new] for a in old]
    values = [[_compare(a, b) for b in new] for a in old]
    mode = _mode(old, values)
    weights = WEIGHTS[mode]
    found = features(likeness, values)
    odds = sum((weights.get(name, 0.0) * matrix for name, matrix in found.items()), start=_zero(found))
    adjacent = _zero(found)
    if in_order:
        adjacent, order = neighbourhood(odds)
        odds = odds + weights["adjacent"] * adjacent + weights["order"] * order
    odds = np.where(_same_names(found), np.maximum(odds, SAME_NAME), odds)
    return Scored(np.maximum(odds, FLOOR), likeness, values, adjacent, mode)


def _same_names(found: Mapping[str, Matrix]) -> NDArray[np.bool_]:
    """Return the pairs with equal names that no other column has, unless type or scale changed.

    Whatever else is known, such a pair may not do worse than a plain comparison of names.
    """
    same = found["letters"] == 1
    alone = (same.sum(axis=1, keepdims=True) == 1) & (same.sum(axis=0, keepdims=True) == 1)
    result: NDArray[np.bool_] = same & alone & (found["conflict"] < CLASH) & (found["scale"] == 0)
    return result


def _mode(old: Sequence[Known], values: Sequence[Sequence[ValueLikeness]]) -> Mode:
    if not any(cell.is_known or cell.conflict for row in values for cell in row):
        return "names"
    return "values" if any(isinstance(column, ColumnProfile) for column in old) else "evidence"


def _compare(old: Known, new: ColumnProfile) -> ValueLikeness:
    return compare_evidence(old, new) if isinstance(old, OldColumn) else compare_values(old, new)


def features(
    likeness: Sequence[Sequence[Likeness]], values: Sequence[Sequence[ValueLikeness]]
) -> dict[str, Matrix]:
    """Return what the weights are multiplied with, one matrix a feature."""
    names = np.array([[cell.score for cell in row] for row in likeness])
    known = _matrix(values, lambda cell: float(cell.is_known))
    info = _matrix(values, lambda cell: cell.info)
    strong = _matrix(values, lambda cell: cell.strong)
    alike = _matrix(values, lambda cell: cell.score)
    worth = np.maximum(alike * info, strong)
    value_margin = (margin(worth) + margin(worth.T).T) / 2
    return {
        "name": names,
        "name_beyond": np.maximum(0.0, names - 0.6),
        "exact": (names == 1.0).astype(float),
        "letters": (names >= SAME_LETTERS).astype(float),
        "row_margin": margin(names),
        "column_margin": margin(names.T).T,
        "values": (alike - 0.3) * info * known,
        "info": info,
        "strong": strong,
        "strong_margin": strong * value_margin,
        "conflict": _matrix(values, lambda cell: cell.conflict),
        "scale": _matrix(values, lambda cell: float(bool(cell.scale))),
        "nulls": _matrix(values, lambda cell: cell.nulls),
        "known": known,
        "value_margin": value_margin,
        "constant": np.ones_like(names),
    }


def _matrix(cells: Sequence[Sequence[ValueLikeness]], read: Callable[[ValueLikeness], float]) -> Matrix:
    return np.array([[read(cell) for cell in row] for row in cells])


def _zero(found: Mapping[str, Matrix]) -> Matrix:
    return np.zeros_like(found["constant"])


def margin(scores: Matrix) -> Matrix:
    """Return each value minus the best other one of its row, at most half a unit either way."""
    if scores.shape[1] == 1:
        return np.clip(scores, -0.5, 0.5)
    best = np.sort(scores, axis=1)
    other = np.where(scores == best[:, -1:], best[:, -2:-1], best[:, -1:])
    result: Matrix = np.clip(scores - other, -0.5, 0.5)
    return result


def neighbourhood(odds: Matrix) -> tuple[Matrix, Matrix]:
    """Return how many neighbours of a pair are matched too, and whether the pair keeps the order."""
    from scipy.optimize import linear_sum_assignment

    rows, places = linear_sum_assignment(-odds)
    anchor = {int(i): int(j) for i, j in zip(rows, places, strict=True) if odds[i, j] > _ANCHOR}
    adjacent, order = np.zeros_like(odds), np.zeros_like(odds)
    last_old, last_new = odds.shape[0] - 1, odds.shape[1] - 1
    for i in range(odds.shape[0]):
        before = max((anchor[a] for a in anchor if a < i), default=-1)
        after = min((anchor[a] for a in anchor if a > i), default=last_new + 1)
        for j in range(odds.shape[1]):
            adjacent[i, j] = (anchor.get(i - 1) == j - 1 and i > 0) + (anchor.get(i + 1) == j + 1)
            adjacent[i, j] += 0.5 * ((i == 0 and j == 0) + (i == last_old and j == last_new))
            order[i, j] = 1.0 if before < j < after else -1.0
    return adjacent, order
