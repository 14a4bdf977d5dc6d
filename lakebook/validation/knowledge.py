"""The shared state as rules see it: what is known of tables and values, and how completely (RADAR §3.1).

Cards fill it at first; every Probe and Query adds to it, so that an earlier observation serves a later check.
Nothing here reads data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from lakebook.sources.as_table import group_columns, members_of
from lakebook.sources.card import (
    Column,
    Coverage,
    SourceCard,
    SourceGroup,
    SourceMap,
    SourceUnit,
    ValueCount,
)

WHOLE = Coverage()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table that can be queried: from a source unit, or the named result of an earlier invocation.

    `coverage` is complete only if every row of the file was loaded: a rejected row may hold what a
    complete-looking enumeration does not. `keys` are sets of columns that no two rows share, `duplicate_rows`
    repeat another row in every column. `members` are the tables that a group is read from. `cut` says
    which arbitrary choice of rows a kept result holds ("LIMIT 100"), "" if it holds none. `load_code`
    is the pandas code that reads the file so.
    """

    name: str
    columns: tuple[Column, ...]
    rows: int
    source: str
    sha256: str = ""
    rows_in_source: int = 0
    coverage: Coverage = WHOLE
    keys: tuple[tuple[str, ...], ...] = ()
    duplicate_rows: int = 0
    members: tuple[str, ...] = ()
    cut: str = ""
    load_code: str = ""

    def column(self, name: str) -> Column | None:
        """Return the column of that name, letter case aside (as DuckDB resolves names), or None."""
        wanted = name.lower()
        return next((column for column in self.columns if column.name.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Distinct values of a column. `complete` if no further value exists in the table."""

    values: tuple[ValueCount, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Presence:
    """In how many rows of a table a predicate over one of its columns holds.

    Attributes:
        near: real values close to the constant that was looked for, where no row has it.
        values: distinct values of the column in these rows, most frequent first, as text; the first few, or
            all of them if `values_complete`.
    """

    rows: int
    near: tuple[str, ...] = ()
    values: tuple[ValueCount, ...] = ()
    values_complete: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """Columns of a table that a join compares, in the order in which they meet those of the other side."""

    table: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table}.{'+'.join(self.columns)}"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of two keys that were compared over all rows of their tables.

    Attributes:
        rows: of the table. `nulls`: rows in which a part of the key is null. `values`: different keys.
        most: rows of the most frequent key. `lost`: rows whose key the other side lacks, `lost_values`:
        how many keys that are, `examples`: the most frequent of them.
        folded: way of writing alike -> rows that find a partner by it and did not before.
    """

    rows: int
    nulls: int
    values: int
    most: int
    lost: int
    lost_values: int
    examples: tuple[str, ...] = ()
    folded: Mapping[str, int] = field(default_factory=dict)

    @property
    def unique(self) -> bool:
        """Whether no two rows share a key."""
        return self.most <= 1


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """Two keys compared: both sides, the rows that an inner join of the tables has, and its worst keys.

    `worst`: key -> rows of the join, for keys that repeat on both sides.
    """

    left: Side
    right: Side
    joined: int
    worst: Mapping[str, int] = field(default_factory=dict)

    def turned(self) -> KeyMatch:
        """Return the same seen from the other side."""
        return KeyMatch(self.right, self.left, self.joined, self.worst)


@dataclass
class Knowledge:
    """What the runtime knows. Table and column names are keys in lower case."""

    tables: dict[str, KnownTable] = field(default_factory=dict)
    enumerations: dict[tuple[str, str], Enumeration] = field(default_factory=dict)
    presences: dict[tuple[str, str], Presence] = field(default_factory=dict)
    pairs: dict[tuple[Key, Key], KeyMatch] = field(default_factory=dict)
    counted: dict[str, Any] = field(default_factory=dict)  # statement -> what was counted of its SELECTs
    meets: dict[tuple[Key, Key], bool] = field(default_factory=dict)
    unique: dict[str, set[frozenset[str]]] = field(default_factory=dict)
    sums: dict[tuple[str, str, str], dict[str, float]] = field(default_factory=dict)
    # Tables that are there, but out of sight, since an invocation did not declare to read them.
    undeclared: frozenset[str] = frozenset()
    # What names of a parsed statement stand for, given these tables; kept while the statement is.
    resolved: WeakKeyDictionary[Any, dict[Any, Any]] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    _of_values: dict[tuple[str, str], dict[str, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def table(self, name: str) -> KnownTable | None:
        """Return the table of that name, or None."""
        return self.tables.get(name.lower())

    def column(self, table: str, name: str) -> Column | None:
        """Return a column of a known table, or None."""
        known = self.table(table)
        return known.column(name) if known else None

    def enumeration(self, table: str, column: str) -> Enumeration | None:
        """Return the best enumeration of a column that was observed, or None."""
        return self.enumerations.get((table.lower(), column.lower()))

    def of_values(self, table: str, column: str, name: str, make: Callable[[tuple[str, ...]], T]) -> T | None:
        """Return what `make` makes of the observed values of a column, made once; None without any."""
        seen = self.enumeration(table, column)
        if seen is None:
            return None
        memory = self._of_values.setdefault((table.lower(), column.lower()), {})
        if name not in memory:
            memory[name] = make(tuple(value.value for value in seen.values))
        found: T = memory[name]
        return found

    def presence(self, table: str, predicate: str) -> Presence | None:
        """Return what was counted for a predicate over a table, or None."""
        return self.presences.get((table.lower(), predicate))

    def learn_table(self, table: KnownTable) -> None:
        """Add a table, and the values that its columns are known to have."""
        self.tables[table.name.lower()] = table
        self.resolved.clear()
        for column in table.columns:
            if column.values:
                complete = column.values_complete and table.coverage.complete
                self.learn_values(table.name, column.name, Enumeration(column.values, complete))

    def learn_values(self, table: str, column: str, seen: Enumeration) -> None:
        """Keep an enumeration, unless a complete one is known already."""
        key = (table.lower(), column.lower())
        known = self.enumerations.get(key)
        if known is None or not known.complete:
            self.enumerations[key] = seen
            self._of_values.pop(key, None)

    def match(self, left: Key, right: Key) -> KeyMatch | None:
        """Return what was measured of two keys, None if nothing was."""
        found = self.pairs.get((left, right))
        if found is None and (found := self.pairs.get((right, left))) is not None:
            return found.turned()
        return found

    def learn_match(self, left: Key, right: Key, seen: KeyMatch) -> None:
        """Keep how two keys compare, and which of them turned out to be unique."""
        self.pairs[left, right] = seen
        self.learn_meeting(left, right, seen.joined > 0)
        for key, side in ((left, seen.left), (right, seen.right)):
            if side.unique and side.rows:
                names = frozenset(name.lower() for name in key.columns)
                self.unique.setdefault(key.table.lower(), set()).add(names)
                self.resolved.clear()

    def learn_meeting(self, left: Key, right: Key, meet: bool) -> None:
        """Keep whether two keys have any value in common."""
        self.meets[left, right] = self.meets[right, left] = meet

    def meeting(self, left: Key, right: Key) -> bool | None:
        """Say whether two keys have any value in common, None if that is not known."""
        return self.meets.get((left, right))

    def keys(self, table: str) -> frozenset[frozenset[str]]:
        """Return the sets of columns (lower case) of which no two rows of a table share all values.

        Rows with a null among them do not count: no equality holds for them.
        """
        known = self.table(table)
        if known is None:
            return frozenset()
        alone = {
            frozenset([column.name.lower()])
            for column in known.columns
            if column.distinct_exact and column.distinct == known.rows - column.nulls
        }
        named = {frozenset(name.lower() for name in key) for key in known.keys}
        return frozenset(alone | named | self.unique.get(known.name.lower(), set()))

    def learn_presence(self, table: str, predicate: str, seen: Presence) -> None:
        """Keep what was counted for a predicate."""
        self.presences[table.lower(), predicate] = seen


def known_table(card: SourceCard, unit: SourceUnit) -> KnownTable:
    """Return what a card says of one of its tables."""
    coverage = unit.coverage
    if unit.rows_rejected and coverage.complete:
        coverage = Coverage(False, f"{unit.rows_rejected:,} rows of the file could not be loaded")
    return KnownTable(
        name=unit.table,
        columns=unit.columns,
        rows=unit.rows,
        source=f"{card.path}#{unit.unit}" if unit.unit else card.path,
        sha256=card.sha256,
        rows_in_source=unit.rows_in_file,
        coverage=coverage,
        keys=unit.candidate_keys,
        duplicate_rows=unit.duplicate_rows,
        load_code=unit.load_code,
    )


def known_group(group: SourceGroup, members: Sequence[tuple[SourceCard, SourceUnit]]) -> KnownTable:
    """Return what the cards of its members say of a group that is read as one table."""
    partial = [card.path for card, unit in members if unit.rows_rejected or not unit.coverage.complete]
    note = f"some rows of {', '.join(partial[:3])} could not be loaded" if partial else ""
    return KnownTable(
        name=group.table,
        columns=group_columns(group, members),
        rows=sum(unit.rows for _, unit in members),
        source=group.id,
        sha256=hashlib.sha256("\n".join(card.sha256 for card, _ in members).encode()).hexdigest(),
        rows_in_source=sum(unit.rows_in_file for _, unit in members),
        coverage=Coverage(not partial, note),
        members=tuple(unit.table for _, unit in members),
    )


def knowledge_of(source_map: SourceMap) -> Knowledge:
    """Return what the cards of a lake say."""
    knowledge = Knowledge()
    for card, unit in source_map.tables():
        knowledge.learn_table(known_table(card, unit))
    for group in source_map.groups:
        if members := members_of(group, source_map):
            knowledge.learn_table(known_group(group, members))
    return knowledge


def restricted(knowledge: Knowledge, names: Iterable[str]) -> Knowledge:
    """Return the same knowledge with only the named tables in sight."""
    wanted = {name.lower() for name in names}
    seen = {key: table for key, table in knowledge.tables.items() if key in wanted}
    return replace(knowledge, tables=seen, undeclared=frozenset(knowledge.tables) - frozenset(seen))
