"""Which columns tell the rows of a table apart, and how many rows repeat another in every column.

Both are exact over all rows: a set of columns that repeats within the first rows is no key, and one that does
not is checked on all of them. Short tables are compared by their codes, long ones by 64-bit hashes of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lakebook.sources.card import Column
from lakebook.sources.distribution import run_starts
from lakebook.sources.encoded import encode
from lakebook.sources.loading import Loaded

_LARGEST_SET = 3
_PREFIX = 20_000
_MOST_COLUMNS = 16
_MOST_TRIES = 400
_MOST_CHECKS = 3
_NO_KEY = frozenset({"number", "json", "empty"})
_PART_OF_NO_SET = frozenset({"measure", "constant", "list", "text"})

Codes: TypeAlias = npt.NDArray[np.int32]
_Part: TypeAlias = tuple[int, Column]


def count_duplicates(loaded: Loaded, columns: Sequence[Column]) -> int:
    """Return how many rows repeat an earlier row in every column."""
    if loaded.rows < 2 or not columns or any(_is_unique(column, loaded.rows) for column in columns):
        return 0
    if loaded.columns is not None:
        return loaded.rows - _distinct(_mixed([column.codes for column in loaded.columns]))
    with closing(loaded.stored()) as stored:
        return loaded.rows - _distinct(stored.hashes())


def find_keys(loaded: Loaded, columns: Sequence[Column]) -> tuple[tuple[str, ...], ...]:
    """Return the smallest sets of columns, up to three, whose values never repeat; floats are no keys.

    Counters of rows are named only where nothing else is unique. The search is bounded: sets that were not
    tried are not named.
    """
    if loaded.rows < 2:
        return ()
    fit = [
        (index, column)
        for index, column in enumerate(columns)
        if column.type not in _NO_KEY and not column.nulls and column.distinct_exact and column.distinct > 1
    ]
    counters = {name for name, run in loaded.runs.items() if run.counts_rows}
    unique = [column for _, column in fit if column.distinct == loaded.rows]
    alone = tuple((column.name,) for column in unique if column.name not in counters)
    if alone:
        return alone
    parts = [item for item in fit if item[1].name not in counters and item[1].role not in _PART_OF_NO_SET]
    found: tuple[tuple[str, ...], ...] = ()
    if 2 <= len(parts) <= _MOST_COLUMNS:
        found = _Search(loaded, parts).sets()
    return found or tuple((column.name,) for column in unique)


@dataclass(slots=True)
class _Search:
    """Tries sets of columns, the small ones first, until some tell all rows apart."""

    loaded: Loaded
    parts: Sequence[_Part]
    tries: int = 0
    checks: int = 0
    codes: dict[int, Codes] = field(default_factory=dict)

    def sets(self) -> tuple[tuple[str, ...], ...]:
        for size in range(2, _LARGEST_SET + 1):
            found = [
                chosen for chosen in _in_order(self.parts, size, self.loaded.rows) if self._holds(chosen)
            ]
            if found:
                return tuple(tuple(column.name for _, column in chosen) for chosen in found)
        return ()

    def _holds(self, chosen: tuple[_Part, ...]) -> bool:
        self.tries += 1
        if self.tries > _MOST_TRIES:
            return False
        codes = [self._first_codes(part) for part in chosen]
        if not _is_distinct([column[:_PREFIX] for column in codes]) or not _is_distinct(codes):
            return False
        if self.loaded.columns is not None:
            return True
        self.checks += 1
        if self.checks > _MOST_CHECKS:
            return False
        with closing(self.loaded.stored()) as stored:
            return _distinct(stored.hashes([column.name for _, column in chosen])) == self.loaded.rows

    def _first_codes(self, part: _Part) -> Codes:
        """Return the codes of a short table's rows, or of the first block of a long one."""
        index, column = part
        if self.loaded.columns is not None:
            return self.loaded.columns[index].codes
        if index not in self.codes:
            with closing(self.loaded.stored()) as stored:
                self.codes[index] = encode(next(stored.pieces(column.name))).codes
        return self.codes[index]


def _in_order(parts: Sequence[_Part], size: int, rows: int) -> list[tuple[_Part, ...]]:
    """Give the sets of columns that can tell so many rows apart, those with fewest values first."""

    def values(chosen: tuple[_Part, ...]) -> int:
        return sum(column.distinct for _, column in chosen)

    sets = (
        chosen
        for chosen in combinations(parts, size)
        if prod(column.distinct for _, column in chosen) >= rows
    )
    return sorted(sets, key=values)


def _is_unique(column: Column, rows: int) -> bool:
    return column.distinct_exact and column.distinct == rows


def _is_distinct(codes: Sequence[Codes]) -> bool:
    return _distinct(_mixed(codes)) == len(codes[0])


def _distinct(hashes: npt.NDArray[np.uint64]) -> int:
    hashes.sort()
    return len(run_starts(hashes))


def _mixed(codes: Sequence[Codes]) -> npt.NDArray[np.uint64]:
    """Mix the codes of each row into one number of 64 bits."""
    mixed = np.zeros(len(codes[0]), np.uint64)
    for column in codes:
        mixed += column.astype(np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
        mixed += np.uint64(0x9E3779B97F4A7C15)
    return mixed
