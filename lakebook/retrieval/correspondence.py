"""Old column names matched to the columns of a new table, one to one (NotebookRAG §4.2.3).

The old table is absent: there are its column names and what the old code tells of them. The score is a
logistic model over name likeness, how far a pair stands out among its rivals, type, and values seen in the
code; its weights were fitted on labelled version pairs of public tables. The best one-to-one assignment is
taken, and what stays below the cut is refused, since a wrong column is worse than none.

How alike two names are is decided in `names`; what the code tells is gathered in `old_columns`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from lakebook.analyst.table import Table, TableColumn
from lakebook.correspondence.names import SAME_LETTERS, Likeness, NameComparer, letters
from lakebook.retrieval.result import Correspondence

OldKind = Literal["number", "text", "datetime"]
Matrix = NDArray[np.float64]

CUT = 0.5
_FLOOR = -8.0
_ANCHOR = 2.0  # log-odds from which a neighbour counts as matched, in the second pass

# How much a type that the code implies conflicts with the type that the new column has.
_TYPE_CONFLICT: dict[tuple[OldKind, str], float] = {
    ("number", "boolean"): 0.5,
    ("number", "text"): 0.8,
    ("number", "datetime"): 0.85,
    ("text", "boolean"): 0.3,
    ("text", "integer"): 0.7,
    ("text", "number"): 0.9,
    ("text", "datetime"): 0.6,
    ("datetime", "text"): 0.6,
    ("datetime", "integer"): 0.85,
    ("datetime", "number"): 0.85,
    ("datetime", "boolean"): 1.0,
}


@dataclass(frozen=True, slots=True)
class OldColumn:
    """A column of a table that is not there any more, as old code knew it.

    Attributes:
        kind: the type that its use implies, None if the code does not tell.
        values: literal values that the code compares it with.
    """

    name: str
    kind: OldKind | None = None
    values: tuple[str, ...] = ()


def correspond(
    old: Sequence[OldColumn], table: Table, *, in_file_order: bool = False, cut: float = CUT
) -> tuple[Correspondence, ...]:
    """Match old columns to columns of the table, one to one; what is unsure is left out.

    Args:
        old: the old columns; names repeated are taken once.
        table: the new table.
        in_file_order: True if `old` is in the order of its file, so that neighbours are evidence.
        cut: the probability below which a pair is refused.
    """
    columns = list({column.name: column for column in old}.values())
    if not columns or not table.columns:
        return ()
    comparer = NameComparer([c.name for c in columns], [c.name for c in table.columns])
    likeness = [[comparer.compare(a.name, b.name) for b in table.columns] for a in columns]
    scores = np.array([[cell.score for cell in row] for row in likeness])
    evidence = [[_evidence(a, b) for b in table.columns] for a in columns]
    odds = _log_odds(scores) + np.array([[cell.log_odds for cell in row] for row in evidence])
    if in_file_order:
        odds += _neighbourhood(odds)
    odds = np.maximum(odds, _FLOOR)
    rows, places = linear_sum_assignment(-odds)
    found = []
    for i, j in zip(rows, places, strict=True):
        probability = round(1 / (1 + math.exp(-odds[i, j])), 3)
        if probability >= cut:
            reason = _words(likeness[i][j], evidence[i][j])
            found.append(Correspondence(columns[i].name, table.columns[j].name, probability, reason))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the code says of a pair beside the names: its weight and the words for it."""

    log_odds: float = 0.0
    notes: tuple[str, ...] = ()


def _log_odds(scores: Matrix) -> Matrix:
    """Turn name likeness into log-odds: the likeness itself, and how far it stands out in row and column."""
    exact = (scores == 1.0).astype(float)
    same = (scores >= SAME_LETTERS).astype(float)
    result: Matrix = (
        1.85 * scores
        + 1.10 * np.maximum(0.0, scores - 0.6)
        + 1.11 * exact
        + 1.10 * same
        + 3.48 * _margin(scores)
        + 3.00 * _margin(scores.T).T
        - 3.87
    )
    return result


def _margin(scores: Matrix) -> Matrix:
    """Return each value minus the best other one of its row, at most half a unit either way."""
    if scores.shape[1] == 1:
        return np.clip(scores, -0.5, 0.5)
    best = np.sort(scores, axis=1)
    other = np.where(scores == best[:, -1:], best[:, -2:-1], best[:, -1:])
    result: Matrix = np.clip(scores - other, -0.5, 0.5)
    return result


def _neighbourhood(odds: Matrix) -> Matrix:
    """Reward pairs whose neighbours in the file are matched to the neighbours of the partner."""
    rows, places = linear_sum_assignment(-odds)
    anchor = {int(i): int(j) for i, j in zip(rows, places, strict=True) if odds[i, j] > _ANCHOR}
    bonus = np.zeros_like(odds)
    last_old, last_new = odds.shape[0] - 1, odds.shape[1] - 1
    for i in range(odds.shape[0]):
        before = max((anchor[a] for a in anchor if a < i), default=-1)
        after = min((anchor[a] for a in anchor if a > i), default=last_new + 1)
        for j in range(odds.shape[1]):
            adjacent = (anchor.get(i - 1) == j - 1 and i > 0) + (anchor.get(i + 1) == j + 1)
            adjacent += 0.5 * ((i == 0 and j == 0) + (i == last_old and j == last_new))
            bonus[i, j] = 1.50 * adjacent + (1.18 if before < j < after else -1.18)
    return bonus


def _evidence(old: OldColumn, new: TableColumn) -> _Evidence:
    weight, notes = 0.0, []
    conflict = _TYPE_CONFLICT.get((old.kind, new.dtype), 0.0) if old.kind else 0.0
    if conflict:
        weight -= 1.19 * conflict
        notes.append(f"but used as {old.kind} and now {new.dtype}")
    known = {letters(level) for level, _ in new.levels}
    wanted = sorted({value for value in old.values if letters(value)})
    seen = [value for value in wanted if letters(value) in known]
    if seen:
        strength = 1.0 if len(seen) >= 4 else 0.7 if len(seen) >= 2 else 0.35
        weight += 0.49 * strength + 0.95 * 0.7 * len(seen) / len(wanted)
        notes.append(f"values in the code occur in it ({', '.join(seen[:3])})")
    elif wanted and new.levels_complete:
        weight -= 0.95 * 0.3
        notes.append(f"but the code's values do not occur in it ({', '.join(wanted[:3])})")
    return _Evidence(weight, tuple(notes))


def _words(likeness: Likeness, evidence: _Evidence) -> str:
    return "; ".join((likeness.reason, *evidence.notes))


def renames(correspondences: Sequence[Correspondence]) -> dict[str, str]:
    """Return new name -> old name, for the columns whose name changed."""
    return {pair.new: pair.old for pair in correspondences if pair.new != pair.old}
