"""The shapes in which JSON holds tables: lists of records, objects of records, columns, rows, pairs.

A shape turns the members of one list or object into records, and writes the statement that does the same to
`document`. Where the shapes are in a document is found by `json_document`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lakebook.sources.formats.nested.json_columns import Record, key_list, key_literal

# Index in the list (or number of the line, from 0) and value, or key and value.
Member = tuple[Any, Any]
_SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class Stray:
    """A member that is no record: its position (from 1), why, and its text."""

    position: int
    reason: str
    text: str


Row = Record | Stray


class Shape(Protocol):
    """A way in which a list or an object holds a table."""

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Turn members (position or key, value) into records, and say which are none."""
        ...

    def statements(self, *, strays: bool) -> list[str]:
        """Return the statements that bind `records`, given `document`."""
        ...


def is_scalar(value: Any) -> bool:
    """Return True for text, numbers, booleans and null."""
    return isinstance(value, _SCALARS)


def stray(position: int, reason: str, value: Any) -> Stray:
    """Return a member that is no record."""
    return Stray(position, reason, json.dumps(value)[:2_000])


def free_name(wanted: str, taken: Any) -> str:
    """Return the name, with `_` before it as often as it takes to be no other's."""
    while wanted in taken:
        wanted = f"_{wanted}"
    return wanted


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of records."""

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        for index, value in members:
            yield value if type(value) is dict else stray(index + 1, "not a record", value)

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        if strays:
            return ["records = [record for record in document if isinstance(record, dict)]"]
        return ["records = document"]


@dataclass(frozen=True, slots=True)
class Keyed:
    """An object whose members are records: `{"id1": {...}, "id2": {...}}`; the key becomes a column."""

    column: str

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        for position, (key, value) in enumerate(members, start=1):
            if type(value) is not dict:
                yield stray(position, "not a record", {key: value})
            elif self.column in value:
                yield stray(position, f"has a key {self.column!r} of its own", value)
            else:
                yield {self.column: key, **value}

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        only = (
            f"\n    if isinstance(record, dict) and {key_literal(self.column)} not in record"
            if strays
            else ""
        )
        return [
            "records = [\n"
            f"    {{{key_literal(self.column)}: key, **record}}\n"
            f"    for key, record in document.items(){only}\n]"
        ]


@dataclass(frozen=True, slots=True)
class Grouped:
    """An object of lists of records: `{"2019": [{...}, ...], "2020": [...]}`; the key becomes a column."""

    column: str

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        position = 0
        for key, values in members:
            if type(values) is not list:
                position += 1
                yield stray(position, "not a list of records", {key: values})
                continue
            for value in values:
                position += 1
                if type(value) is not dict:
                    yield stray(position, "not a record", value)
                elif self.column in value:
                    yield stray(position, f"has a key {self.column!r} of its own", value)
                else:
                    yield {self.column: key, **value}

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        is_list = "\n    if isinstance(group, list)" if strays else ""
        is_record = (
            f"\n    if isinstance(record, dict) and {key_literal(self.column)} not in record"
            if strays
            else ""
        )
        return [
            "records = [\n"
            f"    {{{key_literal(self.column)}: key, **record}}\n"
            f"    for key, group in document.items(){is_list}\n    for record in group{is_record}\n]"
        ]


@dataclass(frozen=True, slots=True)
class Pairs:
    """An object of plain values, or of lists of them: one row a value, with its key."""

    is_lists: bool = False

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        position = 0
        for key, value in members:
            if self.is_lists and type(value) is list:
                for item in value:
                    position += 1
                    yield {"key": key, "value": item}
            else:
                position += 1
                if self.is_lists or not is_scalar(value):
                    yield stray(position, "of another kind than the others", {key: value})
                else:
                    yield {"key": key, "value": value}

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        if self.is_lists:
            only = " if isinstance(values, list)" if strays else ""
            return [
                'records = [\n    {"key": key, "value": value}\n'
                f"    for key, values in document.items(){only}\n    for value in values\n]"
            ]
        only = "\n    if not isinstance(value, (list, dict))" if strays else ""
        return [
            'records = [\n    {"key": key, "value": value}\n'
            f"    for key, value in document.items(){only}\n]"
        ]


@dataclass(frozen=True, slots=True)
class Values:
    """A list of plain values: a table of one column."""

    column: str

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        for index, value in members:
            if is_scalar(value):
                yield {self.column: value}
            else:
                yield stray(index + 1, "of another kind than the others", value)

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        only = " if not isinstance(value, (list, dict))" if strays else ""
        return [f"records = [{{{key_literal(self.column)}: value}} for value in document{only}]"]


@dataclass(frozen=True, slots=True)
class Rows:
    """A list of lists: rows of cells, under given names or those of the first row."""

    names: tuple[str, ...]
    has_header: bool = False

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        width = len(self.names)
        for position, (index, cells) in enumerate(members):
            if position == 0 and self.has_header:
                continue
            if type(cells) is not list:
                yield stray(index + 1, "not a row of cells", cells)
            elif len(cells) != width:
                yield stray(index + 1, f"{len(cells):,} cells where {width:,} are expected", cells)
            else:
                yield dict(zip(self.names, cells, strict=True))

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        only = f"\n    if isinstance(row, list) and len(row) == {len(self.names)}" if strays else ""
        start = "[1:]" if self.has_header else ""
        return [
            f"names = {key_list(self.names)}",
            f"records = [\n    dict(zip(names, row))\n    for row in document{start}{only}\n]",
        ]


@dataclass(frozen=True, slots=True)
class Columns:
    """An object of equally long lists, one a column; or, with an `index`, of objects with the same keys."""

    index: str = ""

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        columns = dict(members)
        if self.index:
            first: Mapping[str, Any] = next(iter(columns.values()))
            for key in first:
                yield {self.index: key, **{name: values[key] for name, values in columns.items()}}
        else:
            for cells in zip(*columns.values(), strict=True):
                yield dict(zip(columns, cells, strict=True))

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        if self.index:
            return [
                "first = next(iter(document.values()))",
                "records = [\n"
                f"    {{{key_literal(self.index)}: key, "
                "**{name: values[key] for name, values in document.items()}}\n    for key in first\n]",
            ]
        return ["records = [dict(zip(document, row)) for row in zip(*document.values())]"]


@dataclass(frozen=True, slots=True)
class Split:
    """An object with the names, the rows and the row labels of a table, as pandas' orient `split` has."""

    names: tuple[str, ...]
    data: str
    labels: str
    label: str

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        parts = dict(members)
        for label, cells in zip(parts[self.labels], parts[self.data], strict=True):
            yield {self.label: label, **dict(zip(self.names, cells, strict=True))}

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        labels, data = key_literal(self.labels), key_literal(self.data)
        return [
            f"names = {key_list(self.names)}",
            "records = [\n"
            f"    {{{key_literal(self.label)}: label, **dict(zip(names, row))}}\n"
            f"    for label, row in zip(document[{labels}], document[{data}])\n]",
        ]


@dataclass(frozen=True, slots=True)
class Inner:
    """Lists of records inside the records of another table: one row an item, with the row it belongs to.

    Attributes:
        path: keys from the record to the list. row_column: the column with the parent's row, from 1.
        carried: key of the parent's record that is repeated here, as `carried_column`; "" for none.
    """

    path: tuple[str, ...]
    row_column: str
    carried: str = ""
    carried_column: str = ""

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the members."""
        for row, (_, record) in enumerate(members, start=1):
            items = inside(record, self.path)
            if type(items) is not list:
                continue
            owner = {self.row_column: row}
            if self.carried:
                owner[self.carried_column] = record.get(self.carried)
            for item in items:
                if type(item) is not dict:
                    yield stray(row, "not a record", item)
                elif not owner.keys().isdisjoint(item):
                    yield stray(row, "has keys of the same names as its parent's columns", item)
                else:
                    yield {**owner, **item}

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        carried = (
            f", {key_literal(self.carried_column)}: record.get({key_literal(self.carried)})"
            if self.carried
            else ""
        )
        place, conditions = "record", []
        for key in self.path[:-1]:
            conditions.append(f"isinstance({place}.get({key_literal(key)}), dict)")
            place = f"{place}[{key_literal(key)}]"
        conditions.append(f"isinstance({place}.get({key_literal(self.path[-1])}), list)")
        taken = [self.row_column, *([self.carried_column] if self.carried else [])]
        only = (
            f"\n    if isinstance(item, dict) and not {{{', '.join(map(key_literal, taken))}}} & item.keys()"
            if strays
            else ""
        )
        return [
            "records = [\n"
            f"    {{{key_literal(self.row_column)}: row{carried}, **item}}\n"
            "    for row, record in enumerate(records, start=1)\n"
            f"    if {' and '.join(conditions)}\n"
            f"    for item in {place}[{key_literal(self.path[-1])}]{only}\n]"
        ]


# Shapes of which no row can be made before the whole is read.
WHOLE_ONLY = (Columns, Split)


def inside(record: Any, path: Sequence[str]) -> Any:
    """Return what stands at a path of keys, None if nothing does."""
    for key in path:
        if type(record) is not dict:
            return None
        record = record.get(key)
    return record
