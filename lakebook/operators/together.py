"""The members of a group as one view of DuckDB: columns renamed, missing ones null, types brought together.

Built from relations and quoted identifiers alone: no name of a file or a column ever becomes SQL text. Which
column is which was decided when the group was found (`lakebook.sources.schemas`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
from duckdb import ColumnExpression, ConstantExpression, FunctionExpression

from lakebook.sources.as_table import sources
from lakebook.sources.card import SourceGroup

_FILE = "filename"  # how the engine names the file that a row comes from
_WHOLE = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
)
_TIMES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})


@dataclass(frozen=True, slots=True)
class _Batch:
    """Members that are read alike: their files, what each is told by, and where the columns come from."""

    mapping: tuple[tuple[str, str | None], ...]
    files: list[str]
    values: list[str]


def relation(
    connection: duckdb.DuckDBPyConnection, group: SourceGroup, files: Mapping[str, Path]
) -> duckdb.DuckDBPyRelation:
    """Return the rows of all members.

    Args:
        connection: where to read.
        group: one that can be read as a table.
        files: member -> Parquet file.
    """
    batches = _batches(group, files)
    read = [
        connection.read_parquet(batch.files, union_by_name=True, filename=len(batch.files) > 1)
        for batch in batches
    ]
    types = _types(group.columns, batches, read)
    rows = [_select(group, batch, one, types) for batch, one in zip(batches, read, strict=True)]
    while len(rows) > 1:  # in pairs, so that many members do not nest deeply
        rows = [rows[i].union(rows[i + 1]) if i + 1 < len(rows) else rows[i] for i in range(0, len(rows), 2)]
    return rows[0]


def _batches(group: SourceGroup, files: Mapping[str, Path]) -> list[_Batch]:
    """Put members together that follow each other and have the same columns, so that rows keep their order.

    A file that stands twice is read twice.
    """
    found: list[_Batch] = []
    for name, schema in zip(group.members, group.schemas, strict=True):
        mapping = tuple(sources(group, schema).items())
        path = str(files[name])
        alone = any((source or "").casefold() == _FILE for _, source in mapping)
        last = found[-1] if found and not alone else None
        if last is None or last.mapping != mapping or path in last.files:
            last = _Batch(mapping, [], [])
            found.append(last)
        last.files.append(path)
        last.values.append(schema.value)
    return found


def _types(
    columns: Sequence[str], batches: Sequence[_Batch], read: Sequence[duckdb.DuckDBPyRelation]
) -> dict[str, str]:
    """Return the type of each column: one that holds what every member has."""
    seen: dict[str, set[str]] = {name: set() for name in columns}
    for batch, one in zip(batches, read, strict=True):
        types = {column: str(kind) for column, kind in zip(one.columns, one.types, strict=True)}
        for name, source in batch.mapping:
            if source is not None:
                seen[name].add(types[source])
    return {name: _common(kinds) for name, kinds in seen.items()}


def _common(kinds: set[str]) -> str:
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds <= _WHOLE:
        return "HUGEINT" if "HUGEINT" in kinds else "BIGINT"
    if kinds <= _WHOLE | {"DOUBLE", "FLOAT"}:
        return "DOUBLE"
    return "TIMESTAMP" if kinds <= _TIMES else "VARCHAR"


def _select(
    group: SourceGroup, batch: _Batch, rows: duckdb.DuckDBPyRelation, types: Mapping[str, str]
) -> duckdb.DuckDBPyRelation:
    if len(batch.files) == 1:
        told = ConstantExpression(batch.values[0])
    else:
        table = FunctionExpression("map", ConstantExpression(batch.files), ConstantExpression(batch.values))
        told = FunctionExpression("map_extract_value", table, ColumnExpression(_FILE))
    columns = [told.cast("VARCHAR").alias(group.member_column)]
    for name, source in batch.mapping:
        cell = ConstantExpression(None) if source is None else ColumnExpression(source)
        columns.append(cell.cast(types[name]).alias(name))
    return rows.select(*columns)
