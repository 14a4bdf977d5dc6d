"""The tables of a lake as old code may need them beside the table under analysis (NotebookRAG §4.2.3).

What belongs here: which tables and groups there are, and each as the analyst's table when it is asked for.
Which of them an old file has become is decided in `counterparts`. Nothing is read but the cards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lakebook.analyst.profile import table_column, table_from_card
from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.names import letters
from lakebook.correspondence.profile import ColumnProfile
from lakebook.operators.group_table import dated
from lakebook.retrieval.correspondence import correspond, profiles_of
from lakebook.retrieval.result import Correspondence
from lakebook.sources.as_table import Found, group_columns, group_load_code, members_of
from lakebook.sources.card import ColumnType, SourceCard, SourceGroup, SourceMap
from lakebook.sources.naming import stem


@dataclass(frozen=True, slots=True)
class LakeTable:
    """A table or a group of the lake, known by name and columns.

    Attributes:
        source: its name as `Table.source` has it. `stem`: what it is called.
        columns: its columns' names. `found`: the units that it is read from.
        group: the group that it is, None for a single unit.
    """

    source: str
    stem: str
    columns: tuple[str, ...]
    found: tuple[Found, ...]
    group: SourceGroup | None = None

    @property
    def files(self) -> tuple[SourceCard, ...]:
        """The cards of the files that it is read from, each once."""
        return tuple({card.path: card for card, _ in self.found}.values())

    def table(self) -> Table:
        """Return it as the analyst's table."""
        if self.group is None:
            return table_from_card(*self.found[0])
        columns = group_columns(self.group, self.found)
        group, key_type = self.group, _TEXT
        if not any(column.type in ("date", "datetime") for column in columns):
            group, key_type = dated(group)
        rows = sum(unit.rows for _, unit in self.found)
        digest = hashlib.sha256("".join(card.sha256 for card in self.files).encode())
        return Table(
            source=self.source,
            path=self.source,
            unit="",
            sha256=digest.hexdigest(),
            rows=rows,
            rows_in_file=sum(unit.rows_in_file for _, unit in self.found),
            columns=tuple(table_column(column, rows) for column in group_columns(group, self.found)),
            load_code=group_load_code(group, self.found, key_type),
        )


_TEXT: ColumnType = "text"


@dataclass(slots=True)
class Lake:
    """Every table with rows, and every group that can be read as one table."""

    entries: tuple[LakeTable, ...] = ()
    _made: dict[str, Table] = field(default_factory=dict, repr=False)
    _profiles: dict[str, tuple[ColumnProfile, ...]] = field(default_factory=dict, repr=False)
    _matched: dict[tuple[str, tuple[OldColumn, ...]], tuple[Correspondence, ...]] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def of(cls, source_map: SourceMap) -> Lake:
        """Return the lake that a source map describes."""
        return cls((*_units(source_map), *_groups(source_map)))

    def entry(self, source: str) -> LakeTable:
        """Return what is known of a table. Raises KeyError if the lake has none of that name."""
        for one in self.entries:
            if one.source == source:
                return one
        raise KeyError(source)

    def table(self, source: str) -> Table:
        """Return a table by its name. Raises KeyError if the lake has none of that name."""
        if source not in self._made:
            self._made[source] = self.entry(source).table()
        return self._made[source]

    def correspond(self, old: tuple[OldColumn, ...], table: Table) -> tuple[Correspondence, ...]:
        """Match old columns to a table of the lake; what was matched before is remembered."""
        key = (table.source, old)
        if key not in self._matched:
            if table.source not in self._profiles:
                self._profiles[table.source] = profiles_of(table)
            self._matched[key] = correspond(old, table, profiles=self._profiles[table.source])
        return self._matched[key]

    def members(self, source: str) -> frozenset[str]:
        """Return the names of the tables that a group is read from; none for a table, or an unknown name."""
        for one in self.entries:
            if one.source == source and one.group is not None:
                return frozenset(_name(card, unit.unit) for card, unit in one.found)
        return frozenset()

    def nearest(self, names: Sequence[str], stem_: str, most: int) -> list[LakeTable]:
        """Return the tables that share most column names (by their letters) or their own name."""
        wanted = {letters(name) for name in names}
        own = letters(stem_)

        def place(one: LakeTable) -> tuple[float, str]:
            shared = len(wanted & {letters(name) for name in one.columns})
            return -(shared + (1.5 if own and letters(one.stem) == own else 0)), one.source

        return sorted(self.entries, key=place)[:most]


def _units(source_map: SourceMap) -> Iterator[LakeTable]:
    for card, unit in source_map.tables():
        if unit.rows and unit.load_code:
            columns = tuple(column.name for column in unit.columns)
            yield LakeTable(_name(card, unit.unit), unit.unit or stem(card.path), columns, ((card, unit),))


def _groups(source_map: SourceMap) -> Iterator[LakeTable]:
    for group in source_map.groups:
        found = tuple(members_of(group, source_map))
        if found and all(unit.load_code for _, unit in found):
            columns = (group.member_column, *group.columns)
            yield LakeTable(group.id, stem(group.id), columns, found, group)


def _name(card: SourceCard, unit: str) -> str:
    return f"{card.path}#{unit}" if unit else card.path
