"""How alike the values of two columns are: their distribution, their labels, their type, their scale.

Names play no part here. What a likeness is worth beside the names is decided in `score`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lakebook.correspondence.profile import ColumnProfile, Key

Array = NDArray[np.float64]

# How much of the evidence a pair of kinds loses, 0 (none) to 1 (they cannot be the same column).
_CONFLICT: Mapping[frozenset[str], float] = {
    frozenset({"category", "text"}): 0.3,
    frozenset({"boolean", "category"}): 0.3,
    frozenset({"number", "boolean"}): 0.5,
    frozenset({"number", "category"}): 0.7,
    frozenset({"number", "date"}): 0.85,
    frozenset({"number", "text"}): 0.9,
    frozenset({"date", "text"}): 0.6,
    frozenset({"date", "category"}): 0.7,
    frozenset({"boolean", "text"}): 1.0,
    frozenset({"boolean", "date"}): 1.0,
}
_LABELS = frozenset({"category", "text", "boolean"})
CLASH = 0.5  # a conflict from which an equal name is not taken for the same column without a word

# Factors between units that people use for one thing; powers of ten are added below.
_FACTORS = tuple(
    sorted(
        {10.0**power for power in range(1, 10)}
        | {60.0, 3600.0, 24.0, 7.0, 12.0, 365.25, 2.54, 25.4, 0.3048, 1.609344, 0.45359237, 28.349523, 16.0}
    )
)
_FEW = 12  # distinct values below which a constant ratio says nothing
_ROWS_FOR_FREQUENCIES = 100


@dataclass(frozen=True, slots=True)
class ValueLikeness:
    """What the values say of a pair.

    Attributes:
        is_known: both sides have values.
        score: 0 to 1, how alike. info: how telling that is (two values are found everywhere).
        strong: 0 to 1, what hardly happens by chance, such as the same set of many values.
        conflict: of the kinds, 0 to 1. nulls: how alike the shares of missing values are.
        scale: what the new values are of the old, in words, "" if nothing was found.
        reason: what is alike, in words, "" if nothing telling.
    """

    is_known: bool = False
    score: float = 0.0
    info: float = 0.0
    strong: float = 0.0
    conflict: float = 0.0
    nulls: float = 0.0
    scale: str = ""
    reason: str = ""


NOTHING = ValueLikeness()


def compare_values(old: ColumnProfile, new: ColumnProfile) -> ValueLikeness:
    """Return how alike the values of two columns are."""
    if not (old.is_known and new.is_known):
        return NOTHING
    kinds = frozenset({old.kind, new.kind})
    conflict = _CONFLICT.get(kinds, 0.0)
    nulls = 1 - min(1.0, 3 * abs(old.nulls - new.nulls))
    if not (old.has_values and new.has_values):
        return ValueLikeness(conflict=conflict)
    if kinds == {"number"}:
        found = _numbers(old, new)
    elif kinds == {"date"}:
        found = _dates(old, new)
    elif kinds <= _LABELS:
        found = _two_valued(old, new) if kinds == {"boolean"} else _labels(old, new)
    else:
        found = _mixed(old, new, conflict)
    softened = 0.3 * conflict if found.reason else conflict  # other codes for the same things
    return ValueLikeness(
        True, found.score, found.info, found.strong, softened, nulls, found.scale, found.reason
    )


def _numbers(old: ColumnProfile, new: ColumnProfile) -> ValueLikeness:
    left, right = _shared_quantiles(old, new)
    shared, contained, fewest = _overlap(old, new)
    info = min(1.0, 0.25 + 0.75 * _telling(fewest)) if fewest > 3 else 0.2
    fractions = not (old.whole and new.whole)
    score = 0.6 * _near(left, right) + 0.4 * max(shared, 0.8 * contained if fractions else 0.0)
    strong, reason = 0.0, ""
    if fewest > 8 and len(left) > 6 and np.mean(np.isclose(left, right, rtol=1e-4, atol=1e-9)) > 0.9:
        strong, reason = 1.0, "same distribution of numbers"
    elif shared > 0.6 and fewest > 15 and fractions:
        strong, reason = 1.0, "same set of numbers"
    elif shared > 0.8 and fewest > 40:
        strong, reason = 0.8, "same set of numbers"
    scale = "" if strong else _scale(old, new, left, right)
    if scale:
        score = max(score, 0.7)
    return ValueLikeness(score=score, info=info, strong=strong, scale=scale, reason=reason)


def _dates(old: ColumnProfile, new: ColumnProfile) -> ValueLikeness:
    first, last = max(old.quantiles[0.0], new.quantiles[0.0]), min(old.quantiles[1.0], new.quantiles[1.0])
    shorter = min(old.quantiles[1.0] - old.quantiles[0.0], new.quantiles[1.0] - new.quantiles[0.0])
    overlap = min(1.0, max(0.0, last - first) / max(1.0, shorter)) if last >= first else 0.0
    reason = "dates of the same time" if overlap > 0.9 else ""
    return ValueLikeness(
        score=0.4 + 0.6 * overlap, info=0.7, strong=0.6 if overlap > 0.9 else 0.0, reason=reason
    )


def _two_valued(old: ColumnProfile, new: ColumnProfile) -> ValueLikeness:
    """Two-valued columns look alike by nature: only the same share of the one value says a little."""
    apart = abs((old.positive or 0.0) - (new.positive or 0.0))
    if apart < 0.002 and old.rows >= _ROWS_FOR_FREQUENCIES:
        return ValueLikeness(score=1.0, info=0.35, reason="same share of the two values")
    return ValueLikeness(score=max(0.0, 1 - 2.5 * apart), info=0.2)


def _labels(old: ColumnProfile, new: ColumnProfile) -> ValueLikeness:
    shared, contained, fewest = _overlap(old, new)
    words = len(old.words & new.words) / max(1, min(len(old.words), len(new.words)))
    shapes = sum(min(share, new.masks.get(shape, 0.0)) for shape, share in old.masks.items())
    length = min(old.length, new.length) / max(old.length, new.length, 1e-9)
    frequency = _same_frequencies(old, new)
    base = max(shared, 0.9 * contained) if fewest >= 3 else shared
    score = max(base, 0.75 * words, 0.35 * shapes + 0.15 * length + 0.15 * frequency)
    info = min(1.0, 0.3 + 0.7 * _telling(fewest)) if fewest > 2 else 0.3
    strong, reason = 0.0, ""
    if shared > 0.75 and fewest >= 4:
        strong, reason = 1.0 if fewest >= 8 or shared == 1 else 0.7, "same labels"
    elif contained > 0.85 and fewest >= 10:
        strong, reason = 0.8, "most labels are the same"
    elif fewest == 2 and shared == 1:
        strong, reason = 0.5, "same two labels"
    elif _recoded(old, new, shared, frequency, fewest):
        score, strong, reason = max(score, 0.7), 0.4, "same frequencies under other labels"
    return ValueLikeness(score=score, info=info, strong=strong, reason=reason)


def _mixed(old: ColumnProfile, new: ColumnProfile, conflict: float) -> ValueLikeness:
    shared, _, fewest = _overlap(old, new)
    if "date" not in (old.kind, new.kind) and _recoded(old, new, shared, _same_frequencies(old, new), fewest):
        return ValueLikeness(score=0.7, info=0.3, strong=0.4, reason="same frequencies under other codes")
    return ValueLikeness(score=0.3 * (1 - conflict), info=0.3)


def _recoded(old: ColumnProfile, new: ColumnProfile, shared: float, frequency: float, fewest: int) -> bool:
    """Return True if both have the same number of labels, in the same frequencies, but other ones."""
    return (
        old.complete
        and new.complete
        and shared == 0
        and 2 <= fewest <= 30
        and len(old.counts) == len(new.counts)
        and frequency > 0.985
        and min(old.rows, new.rows) >= _ROWS_FOR_FREQUENCIES
    )


def _overlap(old: ColumnProfile, new: ColumnProfile) -> tuple[float, float, int]:
    """Return shared values over all, over the smaller side, and how many the smaller side has.

    Where only the most frequent values are known, these stand for all: the share of them that is found.
    """
    small, large = sorted((old.counts, new.counts), key=len)
    both = sum(1 for key in small if key in large)
    contained = both / max(1, len(small))
    fewest = min(old.distinct, new.distinct)
    if old.complete and new.complete:
        return both / max(1, len(small) + len(large) - both), contained, fewest
    return contained * min(old.distinct, new.distinct) / max(old.distinct, new.distinct, 1), contained, fewest


def _telling(distinct: int) -> float:
    return min(1.0, math.log1p(distinct) / math.log(60))


def _same_frequencies(old: ColumnProfile, new: ColumnProfile) -> float:
    """Return how alike the sorted shares of the values are, 0 to 1."""
    left, right = (_shares(side.counts, side.rows) for side in (old, new))
    length = max(len(left), len(right))
    padded = np.zeros((2, length))
    padded[0, : len(left)], padded[1, : len(right)] = left, right
    return float(1 - 0.5 * np.abs(padded[0] - padded[1]).sum())


def _shares(counts: Mapping[Key, int], rows: int) -> Array:
    return np.array(sorted(counts.values(), reverse=True)[:30], float) / max(1, rows)


def _shared_quantiles(old: ColumnProfile, new: ColumnProfile) -> tuple[Array, Array]:
    shares = sorted(old.quantiles.keys() & new.quantiles.keys())
    return np.array([old.quantiles[s] for s in shares]), np.array([new.quantiles[s] for s in shares])


def _near(left: Array, right: Array) -> float:
    """Return how near two rows of quantiles are, as a share of the range that both take."""
    if len(left) < 3:
        return 0.0
    inner_left, inner_right = left[1:-1], right[1:-1]
    reach = max(inner_left[-1], inner_right[-1]) - min(inner_left[0], inner_right[0])
    if reach <= 0:
        return 1.0 if abs(inner_left[0] - inner_right[0]) < 1e-9 else 0.0
    return float(max(0.0, 1 - 2.2 * np.mean(np.abs(inner_left - inner_right)) / reach))


def _scale(old: ColumnProfile, new: ColumnProfile, left: Array, right: Array) -> str:
    """Return what the new numbers are of the old ones, if that is a factor people use or a logarithm."""
    if min(old.distinct, new.distinct) < _FEW or len(left) < 7:
        return ""
    x, y = left[1:-1], right[1:-1]
    plain = (np.abs(x) > 1e-9) & (np.abs(y) > 1e-9)
    if plain.sum() >= min(8, len(x)):
        ratio = y[plain] / x[plain]
        if _is_constant(ratio):
            middle = float(np.median(ratio))
            for factor in _FACTORS:
                if abs(middle / factor - 1) < 0.015:
                    return f"{factor:g} times the old values"
                if abs(middle * factor - 1) < 0.015:
                    return f"the old values divided by {factor:g}"
    if np.all(x > 0):
        for name, function in (("logarithm", np.log), ("base-10 logarithm", np.log10)):
            if np.max(np.abs(function(x) - y)) < 0.01 * (np.ptp(function(x)) + 1e-9):
                return f"the {name} of the old values"
    return ""


def _is_constant(ratio: Array) -> bool:
    """Return True if positive ratios differ by chance only; the extremes alone rule out most of them."""
    low, high = ratio.min(), ratio.max()
    return bool(low > 0 and high < 1.5 * low and np.std(ratio) < 0.02 * np.mean(ratio))
