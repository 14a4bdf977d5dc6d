"""Which columns tell the rows of a table apart, and how many rows repeat another in every column.

Both are exact over all rows: a set of columns that repeats within the first rows is no key, and one that does
not is checked on all of them. Short tables are compared by their codes, long ones by 64-bit hashes of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

from lakebook.sources.card import Column
from lakebook.sources.distribution import run_starts
from lakebook.sources.encoded import encode
from lakebook.sources.loading import Loaded
from lakebook.sources.seen import Seen

_LARGEST_SET = 3
_PREFIX = 20_000
_MOST_COLUMNS = 16
_MOST_TRIES = 400
_MOST_CHECKS = 4
_NO_KEY = frozenset({"number", "json", "empty"})
_PART_OF_NO_SET = frozenset({"measure", "constant", "list", "text"})

Codes = npt.NDArray[np.int32]


def count_duplicates(loaded: Loaded, columns: Sequence[Column]) -> int:
    """Return how many rows repeat an earlier row in every column."""
    if loaded.rows < 2 or not columns or any(_is_unique(column, loaded.rows) for column in columns):
        return 0
    if loaded.columns is not None:
        return loaded.rows - _distinct(_mixed([column.codes for column in loaded.columns]))
    with closing(loaded.stored()) as stored:
        return loaded.rows - _distinct(stored.hashes())


def find_keys(loaded: Loaded, columns: Sequence[Column], seen: Sequence[Seen]) -> tuple[tuple[str, ...], ...]:
    """Return the smallest sets of columns, up to three, whose values never repeat; floats are no keys.

    Row counters are named only where nothing else is unique. Nothing is returned for a table with so many
    columns that not all sets could be tried.
    """
    if loaded.rows < 2:
        return ()
    fit = [
        (index, column)
        for index, column in enumerate(columns)
        if column.type not in _NO_KEY and not column.nulls and column.distinct_exact and column.distinct > 1
    ]
    unique = [(index, column) for index, column in fit if column.distinct == loaded.rows]
    counters = {index for index, _ in fit if seen[index].counter or seen[index].sequential}
    alone = tuple((column.name,) for index, column in unique if index not in counters)
    if alone:
        return alone
    parts = [item for item in fit if item[0] not in counters and item[1].role not in _PART_OF_NO_SET]
    found = _find_sets(loaded, parts)
    if not found:
        parts = [item for item in fit if item[0] not in counters and item[1].role not in ("constant", "text")]
        found = _find_sets(loaded, parts)
    return found or tuple((column.name,) for _, column in unique)


def _find_sets(loaded: Loaded, parts: Sequence[tuple[int, Column]]) -> tuple[tuple[str, ...], ...]:
    if not 2 <= len(parts) <= _MOST_COLUMNS:
        return ()
    codes = _first_codes(loaded, parts)
    tries = 0
    for size in range(2, _LARGEST_SET + 1):
        found: list[tuple[str, ...]] = []
        checks = 0
        for chosen in _in_order(parts, size, loaded.rows):
            tries += 1
            if tries > _MOST_TRIES or checks > _MOST_CHECKS:
                break
            if not _is_distinct([codes[index] for index, _ in chosen]):
                continue
            names = tuple(column.name for _, column in chosen)
            checks += loaded.columns is None
            if loaded.rows <= _PREFIX or _holds_for_all(loaded, [index for index, _ in chosen], names):
                found.append(names)
        if found:
            return tuple(found)
    return ()


def _in_order(
    parts: Sequence[tuple[int, Column]], size: int, rows: int
) -> Iterator[tuple[tuple[int, Column], ...]]:
    """Give the sets of columns that can tell so many rows apart, those with fewest values first."""

    def values(chosen: tuple[tuple[int, Column], ...]) -> int:
        return sum(column.distinct for _, column in chosen)

    sets = (
        chosen
        for chosen in combinations(parts, size)
        if prod(column.distinct for _, column in chosen) >= rows
    )
    return iter(sorted(sets, key=values))


def _first_codes(loaded: Loaded, parts: Sequence[tuple[int, Column]]) -> dict[int, Codes]:
    if loaded.columns is not None:
        return {index: loaded.columns[index].codes[:_PREFIX] for index, _ in parts}
    with closing(loaded.stored()) as stored:
        return {
            index: encode(next(stored.pieces(column.name)).slice(0, _PREFIX)).codes for index, column in parts
        }


def _holds_for_all(loaded: Loaded, indexes: Sequence[int], names: Sequence[str]) -> bool:
    if loaded.columns is not None:
        return _is_distinct([loaded.columns[index].codes for index in indexes])
    with closing(loaded.stored()) as stored:
        return _distinct(stored.hashes(names)) == loaded.rows


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
