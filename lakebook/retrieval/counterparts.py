"""Which table of the lake each file has become that an old component reads, if it reads more than one.

Columns decide: those that the code asks of a file must be in its counterpart. The file's name decides between
tables with the same columns (train and test, one file a year). What has no counterpart is named with the
nearest table, for a wrong table is worse than none. Paper: NotebookRAG §4.2.3, for one table only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.names import NameComparer, letters
from lakebook.notebooks.sources import Source
from lakebook.retrieval.lake import Lake, LakeTable
from lakebook.retrieval.result import Correspondence, Counterpart

_MOST = 8  # tables that are compared with a source; those that share most names
_SHARED = 0.5  # weight of a name that may belong to another source
_NAMED, _CALLED = 0.6, 0.8  # weight of the file's name; likeness that is enough where no column is known
_COVERED = 0.5  # share of its own columns that a counterpart must have
_LIKE = 0.5  # likeness of names that makes one common column enough
_OWN_TABLE = 0.25  # what speaks for the table under analysis among equals, and for a group if many are read
_TIE = 0.05


class NoCounterpart(Exception):
    """A file that the component reads has no counterpart; the text says why.

    Attributes:
        unmatched: columns that were wanted of it.
    """

    def __init__(self, reason: str, unmatched: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.unmatched = unmatched


@dataclass(frozen=True, slots=True)
class _Pairing:
    """A source and a table that may be its counterpart."""

    source: Source
    table: LakeTable
    pairs: tuple[Correspondence, ...]
    score: float
    is_fit: bool


def counterparts(
    sources: Sequence[Source],
    needed: Collection[str],
    main: Table,
    lake: Lake,
    known: Mapping[str, OldColumn],
) -> tuple[Counterpart, ...]:
    """Return the counterpart of every source, in their order.

    Args:
        sources: what the component reads.
        needed: old columns that it cannot do without.
        main: the table under analysis; one of the counterparts is it, or a member of it.
        lake: all tables.
        known: what is known of the old columns.

    Raises:
        NoCounterpart: a source has none, or none of them is the table under analysis.
    """
    orphans = set(needed) - {name for one in sources for name in (*one.columns, *one.shared)}
    table_names = sorted({one.source for s in sources for one in lake.nearest(_names(s), s.stem, _MOST)})
    own_tables = {main.source, *lake.members(main.source)}
    entries = [lake.entry(name) for name in sorted({*table_names, *own_tables} & _sources(lake))]
    pairings = [[_pairing(s, one, main, lake, known, sources) for one in entries] for s in sources]
    chosen = _assigned(pairings)
    for source, row, taken in zip(sources, pairings, chosen, strict=True):
        _check(source, row, taken, needed)
    taken_tables = {one.table.source for one in chosen if one}
    if not taken_tables & own_tables:
        listed = ", ".join(sorted(taken_tables))
        raise NoCounterpart(f"the files that it reads are other tables of the lake ({listed})")
    _check_shared(sources, chosen, needed, orphans)
    return tuple(_counterpart(one) for one in chosen if one)


def _sources(lake: Lake) -> set[str]:
    return {one.source for one in lake.entries}


def _names(source: Source) -> tuple[str, ...]:
    return (*source.columns, *source.shared)


def _pairing(
    source: Source,
    entry: LakeTable,
    main: Table,
    lake: Lake,
    known: Mapping[str, OldColumn],
    sources: Sequence[Source],
) -> _Pairing:
    table = main if entry.source == main.source else lake.table(entry.source)
    columns = tuple(known.get(name, OldColumn(name)) for name in _names(source))
    pairs = lake.correspond(columns, table) if columns else ()
    sure = {pair.old: 2 * pair.probability - 1 for pair in pairs}
    own = _share(source.columns, sure)
    weight = len(source.columns) + _SHARED * len(source.shared)
    found = sum(sure.get(n, 0.0) for n in source.columns)
    found += _SHARED * sum(sure.get(n, 0.0) for n in source.shared)
    called = likeness(source.stem, entry.stem)
    score = (found / weight if weight else 0.0) + _NAMED * called
    enough = len(pairs) >= 2 or (len(pairs) == 1 and called >= _LIKE)
    fits = enough and own >= _COVERED if weight else called >= _CALLED
    fits = fits and not _other_sibling(source, entry, sources)
    if entry.source == main.source or (entry.group and source.is_listing):
        score += _OWN_TABLE
    elif entry.group:
        score -= _OWN_TABLE  # one file is one table
    score += _OWN_TABLE if digits(source.stem) and digits(source.stem) == digits(entry.stem) else 0.0
    return _Pairing(source, entry, pairs, score, fits)


def likeness(one: str, other: str) -> float:
    """Return how alike the names of two files are, 0 to 1; numbers count where there is nothing else."""
    if letters(one) == letters(other):
        return 1.0
    a, b = (re.sub(r"[\d\W_]+", " ", text).strip() for text in (one, other))
    if not a or not b:
        return 0.6 if digits(one) == digits(other) else 0.3 if a == b else 0.0
    return NameComparer([a], [b]).compare(a, b).score


def digits(name: str) -> tuple[str, ...]:
    """Return the numbers in the name of a file: its year, its part."""
    return tuple(re.findall(r"\d+", name))


def _other_sibling(source: Source, entry: LakeTable, sources: Sequence[Source]) -> bool:
    """Return True if only numbers tell the source from another one, and the table's are others."""
    plain = re.sub(r"\d+", "", letters(source.stem))
    siblings = [s for s in sources if re.sub(r"\d+", "", letters(s.stem)) == plain and s.name != source.name]
    return bool(siblings) and not source.is_listing and digits(source.stem) != digits(entry.stem)


def _share(names: Sequence[str], sure: Mapping[str, float]) -> float:
    return sum(sure.get(name, 0.0) for name in names) / len(names) if names else 1.0


def _assigned(pairings: Sequence[Sequence[_Pairing]]) -> list[_Pairing | None]:
    """Give every source a table of its own so that all together fit best."""
    from scipy.optimize import linear_sum_assignment

    if not pairings or not pairings[0]:
        return [None] * len(pairings)
    scores = np.array([[one.score if one.is_fit else -10.0 for one in row] for row in pairings])
    rows, places = linear_sum_assignment(-scores)
    chosen: list[_Pairing | None] = [None] * len(pairings)
    for row, place in zip(rows.tolist(), places.tolist(), strict=True):
        chosen[row] = pairings[row][place] if pairings[row][place].is_fit else None
    return chosen


def _check(source: Source, row: Sequence[_Pairing], taken: _Pairing | None, needed: Collection[str]) -> None:
    """Raise NoCounterpart if a source has no table, has two that fit alike, or lacks a column it needs."""
    if taken is None:
        wanted = tuple(name for name in source.columns if name in needed)
        raise NoCounterpart(f"reads {source.name}, and no table of the lake fits it{_nearest(row)}", wanted)
    rivals = [
        one.table.source
        for one in row
        if one is not taken and one.is_fit and abs(one.score - taken.score) < _TIE
    ]
    if rivals and not source.is_listing:
        both = " and ".join([taken.table.source, *rivals[:1]])
        raise NoCounterpart(f"reads {source.name}, and {both} fit it equally well")
    pairs = {pair.old for pair in taken.pairs}
    lacking = tuple(name for name in source.columns if name in needed and name not in pairs)
    if lacking:
        table = taken.table.source
        raise NoCounterpart(
            f"reads {source.name}, and its counterpart {table} has no {', '.join(lacking)}", lacking
        )


def _nearest(row: Sequence[_Pairing]) -> str:
    best = max(row, key=lambda one: (len(one.pairs), one.score, one.table.source), default=None)
    if best is None:
        return ""
    of = len(_names(best.source))
    has = f"has {len(best.pairs)} of its {of} columns" if of else "has another name"
    return f" (nearest: {best.table.source}, which {has})"


def _check_shared(
    sources: Sequence[Source],
    chosen: Sequence[_Pairing | None],
    needed: Collection[str],
    orphans: Collection[str],
) -> None:
    """Raise NoCounterpart if a column that is needed of what was put together is in none of its tables."""
    wanted = {name for one in sources for name in one.shared if name in needed} | set(orphans)
    there = {pair.old for one in chosen if one for pair in one.pairs}
    owned = {name for one in sources for name in one.columns}
    lacking = tuple(sorted(wanted - there - owned))
    if lacking:
        raise NoCounterpart(f"needs columns that no table it reads has: {', '.join(lacking)}", lacking)


def _counterpart(taken: _Pairing) -> Counterpart:
    shown = [f"{pair.old} → {pair.new}" if pair.old != pair.new else pair.old for pair in taken.pairs[:4]]
    reason = f"it has {', '.join(shown)}" if shown else "it has the same name"
    return Counterpart(taken.source.name, taken.table.source, taken.pairs, reason)
