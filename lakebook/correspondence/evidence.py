"""What is known of a column whose table is gone: its type in old code, values in it, what outputs showed.

Gathering that is the business of whoever has the code; here it is only compared with a new column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lakebook.correspondence.profile import ColumnProfile, comparable
from lakebook.correspondence.values import NOTHING, ValueLikeness

OldKind = Literal["number", "text", "datetime"]

# How much a type that the code implies conflicts with the kind that the new column has.
_CONFLICT: dict[tuple[OldKind, str], float] = {
    ("number", "boolean"): 0.5,
    ("number", "category"): 0.8,
    ("number", "text"): 0.8,
    ("number", "date"): 0.85,
    ("text", "boolean"): 0.3,
    ("text", "number"): 0.8,
    ("text", "date"): 0.6,
    ("datetime", "category"): 0.6,
    ("datetime", "text"): 0.6,
    ("datetime", "number"): 0.85,
    ("datetime", "boolean"): 1.0,
}
_NOW = {"category": "text", "date": "datetime"}
_QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class OldColumn:
    """A column of a table that is not there any more, as old code and its outputs knew it.

    Attributes:
        kind: the type that its use implies, None if nothing tells.
        values: literal values that the code compares it with.
        shown: values that a saved output shows of it (the first rows).
        quartiles: smallest, three quartiles and largest, as a saved description shows them.
    """

    name: str
    kind: OldKind | None = None
    values: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    quartiles: tuple[float, ...] = ()

    @property
    def is_known(self) -> bool:
        """Return True if more is known than the name."""
        return bool(self.kind or self.values or self.shown or self.quartiles)


def compare_evidence(old: OldColumn, new: ColumnProfile) -> ValueLikeness:
    """Return what is known of an old column against the values of a new one."""
    if not old.is_known or not new.is_known:
        return NOTHING
    conflict = _CONFLICT.get((old.kind, new.kind), 0.0) if old.kind else 0.0
    notes = [f"but used as {old.kind} and now {_NOW.get(new.kind, new.kind)}"] if conflict else []
    score, info, strong = 0.3, 0.0, 0.0  # 0.3: where likeness begins to speak for a pair
    for found in (_literals(old, new), _described(old, new), _shown_numbers(old, new)):
        if found.is_known:
            notes.insert(0, found.reason)
            if found.info >= info:
                score, info = found.score, found.info
            strong = max(strong, found.strong)
    if not info and not conflict:
        return NOTHING
    return ValueLikeness(True, score, info, strong, conflict, 0.0, "", "; ".join(filter(None, notes)))


def _literals(old: OldColumn, new: ColumnProfile) -> ValueLikeness:
    """Compare values that the code names, or an output shows, with the labels of the new column."""
    texts = old.values if new.kind == "number" else (*old.values, *old.shown)
    wanted = {comparable(value): value for value in sorted(texts) if comparable(value)}
    if not wanted:
        return NOTHING
    seen = [text for key, text in wanted.items() if key in new.counts]
    if seen:
        strong = (1.0 if len(seen) >= 4 else 0.7 if len(seen) >= 2 else 0.35) if new.distinct >= 3 else 0.35
        named = {comparable(value) for value in old.values}
        source = "values in the code" if named & set(map(comparable, seen)) else "values that outputs show"
        reason = f"{source} occur in it ({', '.join(seen[:3])})"
        return ValueLikeness(True, 0.3 + 0.7 * len(seen) / len(wanted), 1.0, strong, reason=reason)
    if not new.complete or new.kind in ("number", "date"):
        return NOTHING  # it may be there and not among the most frequent, or be written as another date
    listed = ", ".join(list(wanted.values())[:3])
    source = "the code's values" if old.values else "values that outputs show"
    return ValueLikeness(True, 0.0, 1.0, reason=f"but {source} do not occur in it ({listed})")


def _described(old: OldColumn, new: ColumnProfile) -> ValueLikeness:
    known = [new.quantiles.get(share) for share in _QUARTILES]
    if len(old.quartiles) != len(_QUARTILES) or None in known:
        return NOTHING
    pairs = [(a, b) for a, b in zip(old.quartiles, known, strict=True) if b is not None]
    same = sum(abs(a - b) <= 0.002 * max(abs(a), abs(b), 1e-9) for a, b in pairs)
    if same >= 4:
        return ValueLikeness(True, 1.0, 1.0, 1.0, reason="the described quartiles are its own")
    reach = max(max(pair) for pair in pairs) - min(min(pair) for pair in pairs)
    apart = sum(abs(a - b) for a, b in pairs) / len(pairs) / reach if reach else 0.0
    return ValueLikeness(True, max(0.0, 1 - 2.2 * apart), 0.6)


def _shown_numbers(old: OldColumn, new: ColumnProfile) -> ValueLikeness:
    """Compare numbers that an output shows with the range and the values of the new column."""
    numbers = [key for key in map(comparable, old.shown) if isinstance(key, float)]
    if new.kind != "number" or len(numbers) < 3 or 0.05 not in new.quantiles:
        return NOTHING
    inside = _share(numbers, new.quantiles, 0.0, 1.0)
    usual = _share(numbers, new.quantiles, 0.05, 0.95)
    hits = sum(number in new.counts for number in numbers) / len(numbers)
    telling = hits >= 0.8 and len(numbers) >= 4 and (new.distinct > 50 or not new.whole)
    reason = "numbers that were shown occur in it" if telling else ""
    return ValueLikeness(
        True, 0.3 * inside + 0.3 * usual + 0.4 * hits, 0.6, 0.9 if telling else 0.0, reason=reason
    )


def _share(numbers: list[float], quantiles: Mapping[float, float], low: float, high: float) -> float:
    return sum(quantiles[low] <= number <= quantiles[high] for number in numbers) / len(numbers)
