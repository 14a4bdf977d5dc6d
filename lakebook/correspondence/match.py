"""Columns of an old table matched to columns of a new one, one to one; what is unsure is asked or refused.

A wrong column is worse than none. So each pair says how sure it is, why, and what came second; a pair that is
not sure enough is left to a person, and an old column without a partner stays without one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lakebook.correspondence.names import SAME_LETTERS
from lakebook.correspondence.profile import ColumnProfile
from lakebook.correspondence.score import Known, Matrix, Mode, Scored, score
from lakebook.correspondence.values import CLASH, ValueLikeness

# silent: applied and logged. said: applied, and said beside the result. asked: only offered. refused: none.
Verdict = Literal["silent", "said", "asked", "refused"]

SILENT, APPLIED, ASKED = 0.85, 0.5, 0.2
_LEVEL = 5.0  # how many times larger the middle of a column may be before that is said
_STRONG = 0.8
_ALIKE = 0.4  # likeness of names that is worth a word
_PLACED = 0.3  # likeness of names or values below which only the place among the columns speaks for a pair


@dataclass(frozen=True, slots=True)
class Match:
    """An old column and the new one that it most likely is.

    Attributes:
        probability: 0 to 1, that the two are the same. reason: what it rests on.
        second: the next likely new column with its probability, "" if there is none.
        warnings: what changed although the column is the same (type, scale, level).
        scale: what the new values are of the old ("1000 times the old values"), "" if nothing was found.
        placed: neither names nor values say so, only the place among the other columns.
    """

    old: str
    new: str
    probability: float
    reason: str
    second: str = ""
    second_probability: float = 0.0
    warnings: tuple[str, ...] = ()
    scale: str = ""
    placed: bool = False

    @property
    def verdict(self) -> Verdict:
        """What may be done with it."""
        if self.probability >= SILENT:
            return "silent"
        if self.probability >= APPLIED:
            return "said"
        return "asked" if self.probability >= ASKED else "refused"


@dataclass(frozen=True, slots=True)
class Matching:
    """What became of every old column, in their order.

    Attributes:
        pairs: matches that may be applied. asked: likely, but a person has to say so.
        refused: no new column is likely enough; `new` is then only the nearest one ("" if there is none).
        mode: what was known of the old side.
    """

    pairs: tuple[Match, ...] = ()
    asked: tuple[Match, ...] = ()
    refused: tuple[Match, ...] = ()
    mode: Mode = "names"

    def by_old(self) -> dict[str, Match]:
        """Return the applied matches by old name."""
        return {pair.old: pair for pair in self.pairs}


def match(old: Sequence[Known], new: Sequence[ColumnProfile], *, in_order: bool = True) -> Matching:
    """Match old columns to new ones, one to one.

    Args:
        old: the old columns: profiles where the table is there, else what is known; names count once.
        new: the new columns; a profile without values stands for a name.
        in_order: both are in the order of their files, so that neighbours are evidence.
    """
    from scipy.optimize import linear_sum_assignment

    columns = list({column.name: column for column in old}.values())
    if not columns or not new:
        return Matching(refused=tuple(Match(column.name, "", 0.0, "") for column in columns))
    scored = score(columns, new, in_order=in_order)
    probabilities = 1 / (1 + np.exp(-scored.odds))
    rows, places = linear_sum_assignment(-scored.odds)
    assigned = {int(i): int(j) for i, j in zip(rows, places, strict=True)}
    found = [_found(columns[i], new, i, assigned.get(i), scored, probabilities) for i in range(len(columns))]
    return Matching(
        pairs=tuple(pair for pair in found if pair.verdict in ("silent", "said")),
        asked=tuple(pair for pair in found if pair.verdict == "asked"),
        refused=tuple(pair for pair in found if pair.verdict == "refused"),
        mode=scored.mode,
    )


def _found(
    old: Known,
    new: Sequence[ColumnProfile],
    row: int,
    place: int | None,
    scored: Scored,
    probabilities: Matrix,
) -> Match:
    """Say what became of one old column; without a place of its own it keeps only its nearest name."""
    ranking = sorted(range(len(new)), key=lambda j: (-probabilities[row, j], j))
    if place is None:
        nearest = ranking[0]
        reason = f"{new[nearest].name} fits another column better"
        return Match(old.name, new[nearest].name, 0.0, reason)
    values = scored.values[row][place]
    likeness = scored.likeness[row][place]
    second = next((j for j in ranking if j != place), None)
    probability = float(probabilities[row, place])
    same_name = likeness.score >= SAME_LETTERS
    warnings = _changes(old, new[place], values)
    notes = [likeness.reason if likeness.score >= _ALIKE else "", values.reason]
    placed = not any(notes)
    if scored.adjacent[row, place] >= 1 and not same_name:
        notes.append("the columns beside it match too")
    if likeness.doubt and values.strong < _STRONG:
        probability = min(probability, math.nextafter(APPLIED, 0))
        notes.append(f"but {likeness.doubt}")
    if likeness.score < _PLACED and max(values.score * values.info, values.strong) < _PLACED:
        probability = min(probability, math.nextafter(APPLIED, 0))  # its place alone speaks for it
    if same_name and scored.mode == "values" and (values.scale or values.conflict >= CLASH):
        probability = min(probability, math.nextafter(SILENT, 0))
    return Match(
        old=old.name,
        new=new[place].name,
        probability=math.floor(probability * 1000) / 1000,
        reason="; ".join(note for note in notes if note) or "the likeliest of what is left",
        second=new[second].name if second is not None else "",
        second_probability=round(float(probabilities[row, second]), 3) if second is not None else 0.0,
        warnings=warnings,
        scale=values.scale,
        placed=placed,
    )


def _changes(old: Known, new: ColumnProfile, values: ValueLikeness) -> tuple[str, ...]:
    """Return what changed in the values of a matched column."""
    if not isinstance(old, ColumnProfile) or not values.is_known:
        return ()
    warnings = []
    if values.conflict >= CLASH or {old.kind, new.kind} in ({"number", "category"}, {"number", "boolean"}):
        warnings.append(f"was {_kind(old)}, is {_kind(new)}")
    if values.scale:
        warnings.append(f"the new values are {values.scale}")
    else:
        middles = old.quantiles.get(0.5), new.quantiles.get(0.5)
        if old.kind == new.kind == "number" and middles[0] and middles[1]:
            ratio = middles[1] / middles[0]
            if not 1 / _LEVEL <= ratio <= _LEVEL:
                warnings.append(f"its middle value went from {middles[0]:.4g} to {middles[1]:.4g}")
    return tuple(warnings)


def _kind(profile: ColumnProfile) -> str:
    names = {"number": "a number", "boolean": "two-valued", "date": "a date", "category": "labels"}
    return names.get(profile.kind, "text")
