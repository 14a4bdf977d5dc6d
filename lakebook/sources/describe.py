"""Describe a raw table: types from all rows, columns observed, load code written, duplicates counted.

The one place where a `RawTable` becomes a `SourceUnit` and the table that is loaded; formats differ before
this point and no longer after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.card import Column, Coverage, SourceUnit
from lakebook.sources.column_types import TextValues, decide
from lakebook.sources.dates import Order
from lakebook.sources.load_code import conversions
from lakebook.sources.observe import Encoded, encode, observe, retype
from lakebook.sources.reading import RawColumn, RawTable, Reading, Typing
from sql import read


@dataclass(frozen=True, slots=True)
class Described:
    """A unit and its loaded table (None for documents)."""

    unit: SourceUnit
    table: pa.Table | None


def describe(reading: Reading) -> Described:
    """Turn what a profiler read into the unit of a card and the table that is loaded."""
    unit = SourceUnit(
        unit=reading.unit,
        kind=reading.kind,
        table="",
        rows_in_file=reading.rows_in_file,
        rows_rejected=reading.rows_rejected,
        rows_skipped=reading.rows_skipped,
        coverage=_coverage(reading),
        warnings=reading.warnings,
        skipped=reading.skipped,
        rejected=reading.rejected,
        text_length=reading.text_length,
        headings=reading.headings,
        place=reading.place,
        total_rows=reading.total_rows,
        attributes=reading.attributes,
    )
    if reading.table is None:
        return Described(unit, None)
    raw = reading.table
    typed = _type_columns(raw)
    columns = tuple(item.column for item in typed)
    table = pa.table([item.values for item in typed], names=[item.column.name for item in typed])
    typings = {item.column.name: item.typing for item in typed}
    statements, plain_done = raw.opening(typings)
    plain_done = plain_done and raw.rows > 0  # pandas types nothing where there is nothing
    pending = [
        (name, "" if plain_done and typing.plain else typing.template) for name, typing in typings.items()
    ]
    # a column without repetition settles it
    is_keyed = any(column.distinct == raw.rows for column in columns)
    duplicates = 0 if is_keyed else count_duplicate_rows(table)
    warnings = reading.warnings
    if duplicates:
        noun = "row repeats" if duplicates == 1 else "rows repeat"
        warnings = (*warnings, f"{duplicates:,} {noun} another row in every column")
    if raw.rows == 0:
        warnings = (*warnings, "there is a header, but no row of data")
    unit = replace(
        unit,
        rows=raw.rows,
        columns=columns,
        duplicate_rows=duplicates,
        warnings=warnings,
        load_code="\n".join([*statements, *conversions(pending)]) + "\n",
    )
    return Described(unit, table)


def count_duplicate_rows(table: pa.Table) -> int:
    """Return how many rows repeat an earlier row in every column."""
    if table.num_rows < 2 or table.num_columns == 0:
        return 0
    connection = duckdb.connect()
    try:
        connection.register("loaded", table)
        found = connection.execute(read("profile/count_duplicate_rows"), {"table": "loaded"}).fetchone()
    finally:
        connection.close()
    return int(found[0]) if found else 0


def _coverage(reading: Reading) -> Coverage:
    notes = [reading.left_out] if reading.left_out else []
    if reading.rows_rejected:
        notes.append(f"{reading.rows_rejected:,} of {reading.rows_in_file:,} rows could not be loaded")
    return Coverage(not notes, "; ".join(notes))


@dataclass(frozen=True, slots=True)
class _Typed:
    column: Column
    values: pa.Array
    typing: Typing


def _type_columns(raw: RawTable) -> list[_Typed]:
    """Type all columns; ambiguous dates are read again once the other columns have shown their order."""
    typed: list[_Typed] = []
    unclear: list[tuple[int, Encoded]] = []
    for index, column in enumerate(raw.columns):
        encoded = encode(column.values, empty_is_null=raw.is_text)
        typing = _typing(raw, column, encoded)
        if typing.day_order == "unclear":
            unclear.append((index, encoded))
        typed.append(_finish(column, encoded, typing))
    hint = _order(item.typing for item in typed)
    for index, encoded in unclear if hint else ():
        column = raw.columns[index]
        typed[index] = _finish(column, encoded, _typing(raw, column, encoded, hint))
    return typed


def _order(typings: Iterable[Typing]) -> Order:
    seen = {typing.day_order for typing in typings} & {"day", "month"}
    if seen == {"day"}:
        return "day"
    return "month" if seen == {"month"} else ""


def _typing(raw: RawTable, column: RawColumn, encoded: Encoded, hint: Order = "") -> Typing:
    if column.type is not None and column.type != "text":
        return Typing(column.type, encoded.values, column.template)
    if column.template:  # made text by a conversion of its own: nothing more is read into it
        return Typing("text", encoded.values, column.template)

    def place(index: int) -> str:
        return raw.place(int(np.argmax(encoded.codes == index)))

    values = TextValues(column.name, encoded.values, encoded.counts(), encoded.nulls, place)
    return decide(values, numbers=raw.is_text, decimal_comma_likely=raw.decimal_comma_likely, order_hint=hint)


def _finish(column: RawColumn, encoded: Encoded, typing: Typing) -> _Typed:
    typed = retype(encoded, typing.values) if typing.values is not encoded.values else encoded
    seen = observe(
        typed,
        name=column.name,
        original_name=column.original_name,
        kind=typing.type,
        date_format=typing.date_format,
        unit=typing.unit,
        warnings=(*column.warnings, *typing.warnings),
    )
    values = typed.column()
    if typing.type == "empty":
        values = pc.cast(values, pa.float64())
    return _Typed(seen, values, typing)
