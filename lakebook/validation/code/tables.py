"""Which table of the lake a frame of the code is: bound by name, or read from its file by path.

A file may be read by the code otherwise than its card says: with other options, or where the card's reader
converts a column. Then the columns are not known to be all, or the values not known to be these (`exact`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from lakebook.sources.card import Column
from lakebook.syntax import parse_python
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


def read_frame(
    table: KnownTable, function: str, options: Mapping[str, object], knowledge: Knowledge
) -> Frame:
    """Return the frame that a reader of pandas makes of the file of a table.

    Args:
        table: the table that the file holds.
        function: the reader, as `pandas.read_csv`.
        options: the options that the code gives; one whose value is not a literal stands as `...`.
        knowledge: what else is known of its values.
    """
    reading = _reading(table.load_code)
    said = {name: value for name, value in options.items() if name not in HARMLESS}
    same_header = (
        reading is not None
        and (reading.function, reading.options) == (function, said)
        and table.coverage.complete
    )
    exact = same_header and table.rows == table.rows_in_source
    fields = {}
    for place, column in enumerate(table.columns):
        name = column.original_name or f"Unnamed: {place}"
        as_read = exact and reading is not None and column.name not in reading.converted
        kind = _KINDS.get(column.type, "text" if column.type in ("date", "datetime") else "")
        if not as_read and kind == "number":
            kind = ""  # the card's reader may have made a number of what pandas leaves a text
        fields[name] = _field(table, column, name, kind, knowledge if as_read else None)
    return Frame(fields, same_header, _rows(table), label=table.name)


def table_of_path(path: str, sheet: object, knowledge: Knowledge) -> KnownTable | None:
    """Return the one table whose file a path names, or its sheet; None if there is none or several."""
    wanted = PurePosixPath(path.replace("\\", "/")).parts
    if not wanted:
        return None
    found: list[tuple[int, KnownTable]] = []
    for table in knowledge.tables.values():
        file, _, unit = table.source.partition("#")
        same = _same_end(PurePosixPath(file).parts, wanted) if sheet in (None, unit) else 0
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


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the card's reader reads: its function, options that are not defaults, columns it converts."""

    function: str
    options: Mapping[str, object]
    converted: frozenset[str]


def _reading(load_code: str) -> _Reading | None:
    """Return how the card's reader reads, None if it is not one call and conversions of columns."""
    try:
        body = parse_python(load_code).body
    except SyntaxError:
        return None
    function = ""
    converted: set[str] = set()
    options: dict[str, object] = {}
    for place, statement in enumerate(body):
        if not isinstance(statement, ast.Assign):
            return None
        target, value = statement.targets[0], statement.value
        if place == 0:
            if not isinstance(value, ast.Call):
                return None
            function = ast.unparse(value.func).replace("pd.", "pandas.")
            converted |= set(_keys(word.value for word in value.keywords if word.arg == "dtype"))
            options = {
                str(word.arg): _literal(word.value)
                for word in value.keywords
                if word.arg not in _AS_CARDS_DO and word.arg not in HARMLESS
            }
            if function == "pandas.read_excel":
                options = _as_by_default(options)
        elif ast.unparse(statement) == "df = df.infer_objects()":
            continue
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            converted.add(str(target.slice.value))
        else:
            return None
    return _Reading(function, options, frozenset(converted)) if function else None


def _as_by_default(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options of a sheet's reader without what spells out pandas' default: a header in row 1."""
    kept = {name: value for name, value in options.items() if name != "sheet_name"}
    if kept.get("header", 0) is None and kept.get("skiprows") == 1 and "names" in kept:
        kept = {name: value for name, value in kept.items() if name not in ("header", "skiprows", "names")}
    return kept


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def _keys(nodes: Iterable[ast.expr]) -> list[str]:
    return [
        str(key.value)
        for node in nodes
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant)
    ]
