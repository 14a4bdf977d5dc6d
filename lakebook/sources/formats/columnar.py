"""Parquet and Feather: the types are the file's own, brought to those that pandas and DuckDB share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq

from lakebook.errors import SourceError
from lakebook.sources.card import ColumnType
from lakebook.sources.load_code import data_file, literals
from lakebook.sources.peek import Peek
from lakebook.sources.reading import (
    EXACT,
    Budget,
    Part,
    RawColumn,
    RawTable,
    Reading,
    Typing,
    name_warnings,
    unique_names,
)

_CAST = 'table[{name}].cast("%s").to_pandas()'
_JSON = "[None if item is None else json.dumps(item, default=str) for item in table[{name}].to_pylist()]"


class Columnar:
    """Reads Parquet and Feather files."""

    def __init__(self, name: str) -> None:
        self.format = name

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as this format does."""
        return file.magic == self.format and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one table of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the table."""
        file = part.file
        try:
            table = pq.read_table(file.path) if self.format == "parquet" else feather.read_table(file.path)
        except (pa.ArrowException, OSError) as error:
            cause = str(error).splitlines()[0]
            raise SourceError(f"damaged or cut off: {cause}", where=file.relative) from error
        names = unique_names(table.column_names)
        if names != tuple(table.column_names):
            table = table.rename_columns(list(names))
        binary = [field.name for field in table.schema if _is_binary(field.type)]
        table = table.drop_columns(binary)
        columns = tuple(_column(name, table.column(name)) for name in table.column_names)
        return Reading(
            kind="table",
            table=RawTable(
                columns,
                rows=table.num_rows,
                opening=lambda typings: (self._statements(file, columns, binary, typings), True),
                place=lambda index: f"row {index + 1:,}",
            ),
            rows_in_file=table.num_rows,
            skipped=tuple(f"column {name!r}: binary values, left out" for name in binary),
            warnings=name_warnings(names, table.column_names if not binary else names),
        )

    def _statements(
        self, file: Peek, columns: tuple[RawColumn, ...], binary: list[str], _: Mapping[str, Typing]
    ) -> list[str]:
        module = "pyarrow.parquet" if self.format == "parquet" else "pyarrow.feather"
        short = "pq" if self.format == "parquet" else "feather"
        statements = [f"import {module} as {short}", ""]
        if any("json.dumps" in column.template for column in columns):
            statements.insert(0, "import json")
        statements.append(f"table = {short}.read_table({data_file(file.relative)})")
        if binary:
            statements.append(f"table = table.drop_columns({literals(binary)})")
        statements.append("df = table.to_pandas(ignore_metadata=True)")
        needs_table = any("table[" in column.template for column in columns)
        if needs_table or binary or self._has_index(file):
            return statements
        reader = "read_parquet" if self.format == "parquet" else "read_feather"
        return [f"df = pd.{reader}({data_file(file.relative)})"]

    def _has_index(self, file: Peek) -> bool:
        """A frame that pandas wrote with an index would come back with one; the table has it as a column."""
        schema = (
            pq.read_schema(file.path) if self.format == "parquet" else feather.read_table(file.path).schema
        )
        stored = (schema.metadata or {}).get(b"pandas")
        if not stored:
            return False
        described: dict[str, Any] = json.loads(stored)
        return any(isinstance(item, str) for item in described.get("index_columns", [])) or bool(
            [
                item
                for item in described.get("index_columns", [])
                if isinstance(item, dict) and item != _plain(item)
            ]
        )


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a plain 0..n-1 index."""
    return {"kind": "range", "name": None, "start": 0, "stop": item.get("stop"), "step": 1}


def _is_binary(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    )


def _column(name: str, values: pa.ChunkedArray) -> RawColumn:
    """Bring a column to the shared types: int, float, bool, timestamp[us], text."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        inner = _column(name, values.cast(kind.value_type))
        alias = "string" if pa.types.is_string(inner.values.type) else str(inner.values.type)
        return RawColumn(name, name, inner.values, _CAST % alias, inner.type, inner.warnings)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return RawColumn(name, name, values.cast(pa.string()))
    if pa.types.is_boolean(kind):
        template = '{}.astype("boolean")' if values.null_count else ""
        return RawColumn(name, name, values, template, "boolean")
    if pa.types.is_integer(kind):
        return _integer(name, values)
    if pa.types.is_nested(kind):
        dumped = [None if item is None else json.dumps(item, default=str) for item in values.to_pylist()]
        return RawColumn(name, name, pa.chunked_array([pa.array(dumped, pa.string())]), _JSON, "json")
    return _converted(name, values)


def _integer(name: str, values: pa.ChunkedArray) -> RawColumn:
    span = pc.min_max(values)
    low, high = span["min"].as_py(), span["max"].as_py()
    if low is None or max(abs(low), abs(high)) <= EXACT:
        return RawColumn(name, name, values, "", "integer" if low is not None else "empty")
    warning = "whole numbers beyond 2^53: kept as text, since a float would change them"
    return RawColumn(name, name, values.cast(pa.string()), _CAST % "string", "text", (warning,))


def _converted(name: str, values: pa.ChunkedArray) -> RawColumn:
    kind = values.type
    target: tuple[pa.DataType, str, ColumnType]
    warnings: tuple[str, ...] = ()
    if pa.types.is_float64(kind):
        return RawColumn(name, name, values, "", "number")
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        target = (pa.float64(), "double", "empty" if pa.types.is_null(kind) else "number")
    elif pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        target = (pa.timestamp("us"), "timestamp[us]", "datetime")
        if pa.types.is_timestamp(kind) and kind.tz:
            warnings = (f"times carry the zone {kind.tz}; they are shown in UTC",)
        if kind == pa.timestamp("us"):
            return RawColumn(name, name, values, "", _day_or_time(values))
    else:
        target = (pa.string(), "string", "text")
    column = values.cast(target[0], safe=False)
    found = _day_or_time(column) if target[2] == "datetime" else target[2]
    template = (
        _CAST % target[1]
        if target[1] != "timestamp[us]"
        else _CAST.replace('"%s"', '"timestamp[us]", safe=False')
    )
    return RawColumn(name, name, column, template, found, warnings)


def _day_or_time(stamps: pa.ChunkedArray) -> ColumnType:
    days = pc.equal(stamps, stamps.cast(pa.date32(), safe=False).cast(stamps.type))
    return "date" if pc.all(days, min_count=0).as_py() else "datetime"
