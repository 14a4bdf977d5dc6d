"""Values of the column analysis: what an expression is, in terms of the columns of the old table.

`Column` is the lineage of one column: the base columns that it was computed from, and its kind. Frames,
series and groups are made of columns; lists, dictionaries, strings and numbers are plain Python values;
anything else is None. Rows are not modelled, only which columns selected them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lakebook.notebooks.schema import ColumnKind, Schema

Bases = frozenset[str]
NO_BASES: Bases = frozenset()


@dataclass(frozen=True, slots=True)
class Column:
    """Base columns that a column was computed from, and what kind of values it has."""

    bases: Bases = NO_BASES
    kind: ColumnKind = "unknown"


@dataclass(slots=True)
class Frame:
    """A table.

    Attributes:
        columns: by name, in order, as far as known.
        index: named index levels (group keys, `set_index`).
        filters: base columns that selected its rows.
        open: it may have base columns that nobody has named yet.
        spread: lineage of columns whose names are data (the new columns of a pivot), None if there are none.
    """

    columns: dict[str, Column] = field(default_factory=dict)
    index: dict[str, Column] = field(default_factory=dict)
    filters: Bases = NO_BASES
    open: bool = False
    spread: Column | None = None

    def column(self, name: str) -> Column:
        """Return a column or index level by name; an open frame takes an unknown name for a base column."""
        found = self.columns.get(name) or self.index.get(name)
        if found is None and self.open:
            found = self.columns[name] = Column(frozenset((name,)))
        return found or self.spread or Column()

    def copy(
        self,
        columns: Mapping[str, Column] | None = None,
        *,
        index: Mapping[str, Column] | None = None,
        filters: Bases = NO_BASES,
        is_open: bool | None = None,
    ) -> Frame:
        """Return a copy with some parts replaced and filters added."""
        return Frame(
            dict(self.columns if columns is None else columns),
            dict(self.index if index is None else index),
            self.filters | filters,
            self.open if is_open is None else is_open,
            self.spread,
        )

    def numeric(self) -> dict[str, Column]:
        """Return the columns that are numbers, or may be."""
        return {name: one for name, one in self.columns.items() if one.kind in ("number", "unknown")}


@dataclass(slots=True)
class Series:
    """One column with its name, index levels and filters."""

    column: Column = Column()
    name: str = ""
    index: dict[str, Column] = field(default_factory=dict)
    filters: Bases = NO_BASES


@dataclass(slots=True)
class Groups:
    """A frame grouped by keys, with the columns selected so far (None: all)."""

    frame: Frame
    keys: dict[str, Column]
    selected: tuple[str, ...] | None = None
    single: bool = False
    as_index: bool = True


class ColumnNames(list[str]):
    """The column labels of a frame, which filters of loops and comprehensions can test."""


@dataclass(slots=True)
class Facets:
    """A grid of charts over a frame (seaborn FacetGrid and its kin), or an altair chart."""

    frame: Frame


def base_frame(schema: Schema) -> Frame:
    """Return the table as it is loaded."""
    columns = {name: Column(frozenset((name,)), kind) for name, kind in schema.columns}
    return Frame(columns, open=not schema.complete)


def bases_of(value: object) -> Bases:
    """Return all base columns that a value was computed from, keys included."""
    if isinstance(value, Column):
        return value.bases
    if isinstance(value, Frame):
        spread = () if value.spread is None else (value.spread,)
        return union((*value.columns.values(), *value.index.values(), *spread))
    if isinstance(value, Series):
        return union((value.column, *value.index.values()))
    if isinstance(value, Groups):
        chosen = value.frame.columns if value.selected is None else value.selected
        return union((*value.keys.values(), *(value.frame.column(name) for name in chosen)))
    if isinstance(value, dict):
        return frozenset().union(*(bases_of(item) for item in value.values()))
    if isinstance(value, (list, tuple)) and not isinstance(value, ColumnNames):
        return frozenset().union(*(bases_of(item) for item in value))
    return NO_BASES


def filters_of(value: object) -> Bases:
    """Return the base columns that selected the rows behind a value."""
    if isinstance(value, (Frame, Series)):
        return value.filters
    if isinstance(value, Groups):
        return value.frame.filters
    if isinstance(value, dict):
        return frozenset().union(*(filters_of(item) for item in value.values()))
    if isinstance(value, (list, tuple)) and not isinstance(value, ColumnNames):
        return frozenset().union(*(filters_of(item) for item in value))
    return NO_BASES


def keys_of(value: object) -> Bases:
    """Return the base columns that serve as keys of a value: group keys and index levels."""
    if isinstance(value, (Frame, Series)):
        return union(value.index.values())
    if isinstance(value, Groups):
        return union(value.keys.values())
    if isinstance(value, (list, tuple)):
        return frozenset().union(*(keys_of(item) for item in value))
    return NO_BASES


def union(columns: Iterable[Column]) -> Bases:
    """Return the base columns of several columns."""
    return frozenset().union(*(one.bases for one in columns))


def combined(values: Iterable[object], kind: ColumnKind = "unknown") -> Series | None:
    """Return a series computed from several values, None if no column is involved."""
    listed = list(values)
    bases = frozenset().union(*(bases_of(one) for one in listed)) if listed else NO_BASES
    filters = frozenset().union(*(filters_of(one) for one in listed)) if listed else NO_BASES
    named = next((one.name for one in listed if isinstance(one, Series)), "")
    index = next((one.index for one in listed if isinstance(one, (Series, Frame)) and one.index), {})
    return Series(Column(bases, kind), named, dict(index), filters) if bases or filters else None


def texts(value: object) -> tuple[str, ...]:
    """Return the strings that a value is made of."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple)):
        return tuple(item for item in value if isinstance(item, str))
    return ()


def pick(frame: Frame, key: object) -> object:
    """Return what `frame[key]` is."""
    if isinstance(key, str):
        column = frame.column(key)
        if key not in frame.columns and not column.bases:
            column = Column(union(frame.index.values()))
        return Series(column, key, dict(frame.index), frame.filters)
    if isinstance(key, (Series, Frame)):
        return frame.copy(filters=bases_of(key) | filters_of(key))
    chosen = texts(key)
    if chosen:
        return frame.copy({name: frame.column(name) for name in chosen}, is_open=False)
    return frame


def items_of(value: object, limit: int = 60) -> Iterator[object]:
    """Iterate over a value as a loop would, as far as its elements are known."""
    if isinstance(value, Frame):
        yield from list(value.columns)[:limit] or (None,)
    elif isinstance(value, ColumnNames):
        yield from value[:limit] or (None,)
    elif isinstance(value, (list, tuple)):
        yield from value[:limit]
    elif isinstance(value, dict):
        yield from list(value)[:limit]
    elif isinstance(value, Groups):
        keys = Series(Column(union(value.keys.values())))
        inner = value.frame.copy(filters=union(value.keys.values()))
        yield [keys, pick(inner, value.selected[0]) if value.selected and value.single else inner]
    else:
        yield value if isinstance(value, Series) else None
