"""Which table of the lake a frame of the code is: bound by name, or read from its file by path.

A file may be read by the code otherwise than its card says: with other options, or where the card's reader
converts a column. Then the columns are not known to be all, or the values not known to be these (`exact`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from lakebook.sources.card import Column
from lakebook.validation.code.values import Field, Frame, Kind, Origin, Rows, Taken, new_labels
from lakebook.validation.knowledge import Knowledge, KnownTable

# Options of a reader that change neither columns nor values; `usecols`, `index_col` and `nrows` are followed.
HARMLESS = frozenset(
    {"low_memory", "encoding", "engine", "nrows", "memory_map", "usecols", "index_col", "parse_dates"}
)
_AS_CARDS_DO = frozenset({"keep_default_na", "na_values", "dtype", "low_memory"})
_KINDS: dict[str, Kind] = {
    "integer": "number", "number": "number", "text": "text", "boolean": "boolean", "json": "text",
}  # fmt: skip


def bound_frame(table: KnownTable, knowledge: Knowledge) -> Frame:
    """Return the frame of a table that is bound to a variable, with the card's names and types."""
    kinds: dict[str, Kind] = {**_KINDS, "date": "time", "datetime": "time"}
    fields = {
        column.name: _field(table, column, column.name, kinds.get(column.type, ""), knowledge)
        for column in table.columns
    }
    return Frame(fields, True, _rows(table), label=table.name)


def read_frame(table: KnownTable, options: Collection[str], knowledge: Knowledge) -> Frame:
    """Return the frame that a reader of pandas makes of the file of a table.

    Args:
        table: the table that the file holds.
        options: names of the options that the code gives.
        knowledge: what else is known of its values.
    """
    converted = _converted(table.load_code)
    plain = (
        converted is not None
        and set(options) <= HARMLESS
        and table.rows == table.rows_in_source
        and table.coverage.complete
    )
    fields = {}
    for place, column in enumerate(table.columns):
        name = column.original_name or f"Unnamed: {place}"
        exact = plain and column.name not in (converted or ())
        kind = _KINDS.get(column.type, "text" if column.type in ("date", "datetime") else "")
        if not exact and kind == "number":
            kind = ""  # the card's reader may have made a number of what pandas leaves a text
        fields[name] = _field(table, column, name, kind, knowledge if exact else None)
    return Frame(fields, plain, _rows(table), label=table.name)


def table_of_path(path: str, knowledge: Knowledge) -> KnownTable | None:
    """Return the one table whose file a path names, None if there is none or several."""
    wanted = PurePosixPath(path.replace("\\", "/")).parts
    if not wanted:
        return None
    found: list[tuple[int, KnownTable]] = []
    for table in knowledge.tables.values():
        parts = PurePosixPath(table.source.partition("#")[0]).parts
        same = _same_end(parts, wanted)
        if same and table.load_code:
            found.append((same, table))
    best = max((same for same, _ in found), default=0)
    nearest = [table for same, table in found if same == best]
    return nearest[0] if len(nearest) == 1 else None


def _same_end(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Return how many of the last parts of two paths are equal."""
    same = 0
    for one, other in zip(reversed(first), reversed(second), strict=False):
        if one != other:
            break
        same += 1
    return same


def _rows(table: KnownTable) -> Rows:
    part = Taken(f"{table.name} is a result cut by {table.cut}", table.rows) if table.cut else None
    return Rows(new_labels(), table.rows, (table.name,), taken=part)


def _field(table: KnownTable, column: Column, name: str, kind: Kind, knowledge: Knowledge | None) -> Field:
    """Return a field; without knowledge it is not known to hold just the values of the column."""
    if knowledge is None or not table.coverage.complete:
        return Field(Origin(table, column, False), kind, of=frozenset((name,)))
    seen = knowledge.enumeration(table.name, column.name)
    values = seen.values if seen and seen.complete else column.values if column.values_complete else None
    listed = tuple(value.value for value in values) if values is not None else None
    return Field(Origin(table, column), kind, listed, column.nulls, frozenset((name,)))


def _converted(load_code: str) -> frozenset[str] | None:
    """Return the columns that the card's reader converts, None if it reads otherwise than by default."""
    try:
        body = ast.parse(load_code).body
    except SyntaxError:
        return None
    converted: set[str] = set()
    for place, statement in enumerate(body):
        if not isinstance(statement, ast.Assign):
            return None
        target, value = statement.targets[0], statement.value
        if place == 0:
            if not isinstance(value, ast.Call) or {word.arg for word in value.keywords} - _AS_CARDS_DO:
                return None
            converted |= set(_keys(word.value for word in value.keywords if word.arg == "dtype"))
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            converted.add(str(target.slice.value))
        else:
            return None
    return frozenset(converted) if body else None


def _keys(nodes: Iterable[ast.expr]) -> list[str]:
    return [
        str(key.value)
        for node in nodes
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant)
    ]
