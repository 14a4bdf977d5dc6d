"""One table of a SQLite database: the kinds of its values are counted, then it is read block by block.

Which tables there are, and what was declared of them, is the work of `database`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import pyarrow as pa

from lakebook.sources.card import ColumnType
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import Peek
from lakebook.sources.reading import (
    EXACT,
    Account,
    Budget,
    RawColumn,
    RawTable,
    Reading,
    name_warnings,
    unique_names,
)
from sql import read

SMALL_CELLS = 2_000_000

_BATCH = 20_000
_COLUMNS_A_QUERY = 100  # SQLite allows 2,000 results
_AS_TEXT = '{}.astype("str")'


@dataclass(slots=True)
class Kinds:
    """How many values of each kind a column holds, and the range of its whole numbers."""

    name: str
    declared: str = ""
    integer: int = 0
    real: int = 0
    text: int = 0
    blob: int = 0
    low: int = 0
    high: int = 0

    @property
    def is_long(self) -> bool:
        """Return True if a float could not hold every whole number."""
        return max(abs(self.low), abs(self.high)) > EXACT


@dataclass(slots=True)
class Scan:
    """A table after one pass over it.

    Attributes:
        rows: that can be read. damage: why no more of them can, "" if all can.
    """

    table: str
    rows: int = 0
    columns: list[Kinds] = field(default_factory=list)
    damage: str = ""


def quoted(name: str) -> str:
    """Quote an identifier: names come from the database itself and cannot be parameters."""
    return '"' + name.replace('"', '""') + '"'


def scan_table(connection: sqlite3.Connection, table: str) -> Scan:
    """Count rows and kinds of values; where the file is damaged, those before the damage."""
    scan = Scan(table)
    source = quoted(table)
    try:
        _count(connection, scan, source)
    except (sqlite3.Error, OverflowError) as error:
        rows = _rows_before_damage(connection, source)
        scan = Scan(table, damage=str(error))
        if rows:
            _count(connection, scan, f"(SELECT * FROM {source} LIMIT {rows})")  # noqa: S608  quoted
    return scan


def _count(connection: sqlite3.Connection, scan: Scan, source: str) -> None:
    described = connection.execute(f"SELECT * FROM {source} LIMIT 0").description  # noqa: S608  quoted
    types = dict(
        row[:2] for row in connection.execute(read("profile/list_sqlite_columns"), {"table": scan.table})
    )
    columns = [Kinds(name, str(types.get(name) or "")) for name, *_ in described]
    for start in range(0, len(columns), _COLUMNS_A_QUERY):
        chunk = columns[start : start + _COLUMNS_A_QUERY]
        asked = ", ".join(_asked(quoted(column.name)) for column in chunk)
        query = f"SELECT count(*), {asked} FROM {source}"  # noqa: S608  quoted
        scan.rows, *found = connection.execute(query).fetchone()
        for index, column in enumerate(chunk):
            counts = [value or 0 for value in found[6 * index : 6 * index + 6]]
            column.integer, column.real, column.text, column.blob, column.low, column.high = counts
    scan.columns = columns


def _asked(column: str) -> str:
    kinds = ", ".join(f"sum(typeof({column}) = '{kind}')" for kind in ("integer", "real", "text", "blob"))
    whole = f"CASE typeof({column}) WHEN 'integer' THEN {column} END"
    return f"{kinds}, min({whole}), max({whole})"


def _rows_before_damage(connection: sqlite3.Connection, source: str) -> int:
    rows = 0
    try:
        with closing(connection.execute(f"SELECT * FROM {source}")) as cursor:  # noqa: S608  quoted
            for _ in cursor:
                rows += 1
    except (sqlite3.Error, OverflowError):
        return rows
    return rows


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a column is asked for, and what becomes of its values."""

    kinds: Kinds
    name: str
    selected: str
    arrow: pa.DataType
    type: ColumnType | None
    template: str = ""
    warnings: tuple[str, ...] = ()

    def array(self, values: Sequence[Any]) -> pa.Array:
        if self.template == _AS_TEXT:
            values = [None if value is None else str(value) for value in values]
        return pa.array(values, self.arrow)

    def column(self, values: pa.ChunkedArray | pa.Array) -> RawColumn:
        return RawColumn(self.name, self.kinds.name, values, self.template, self.type, self.warnings)


def _plan(kinds: Kinds, name: str) -> _Plan:
    column = quoted(kinds.name)
    plan = partial(_Plan, kinds, name)
    numbers = kinds.integer + kinds.real
    if not numbers and not kinds.text:
        return plan(column, pa.float64(), "empty", "{}.astype(float)")
    if kinds.text and numbers:
        return plan(column, pa.string(), "text", _AS_TEXT, (_mixture(kinds),))
    if kinds.text:
        return plan(column, pa.string(), None)
    if kinds.integer and kinds.is_long:
        warning = "whole numbers beyond 2^53: kept as text, since a float would change them"
        return plan(f"CAST({column} AS TEXT) AS {column}", pa.string(), "text", _AS_TEXT, (warning,))
    if kinds.real:
        return plan(column, pa.float64(), "number")
    return plan(column, pa.int64(), "integer")


def _mixture(kinds: Kinds) -> str:
    numbers = kinds.integer + kinds.real
    declared = f"in a column declared {kinds.declared}" if kinds.declared else "in a column of numbers"
    if kinds.text > numbers:
        odd, what = numbers, "numbers"
        declared = f"in a column declared {kinds.declared}" if kinds.declared else "in a column of text"
    else:
        odd, what = kinds.text, "text"
    return f"values of several kinds: {odd:,} of {numbers + kinds.text:,} are {what} {declared}; kept as text"


def table_reading(
    file: Peek,
    connection: sqlite3.Connection,
    scan: Scan,
    budget: Budget,
    *,
    attributes: tuple[tuple[str, str], ...],
    skipped: tuple[str, ...],
    warnings: tuple[str, ...],
) -> Reading:
    """Describe the table as a reading, within the budget."""
    originals = [column.name for column in scan.columns]
    names = unique_names(originals)
    left_out = [(name, kinds) for name, kinds in zip(names, scan.columns, strict=True) if kinds.blob]
    plans = [_plan(kinds, name) for name, kinds in zip(names, scan.columns, strict=True) if not kinds.blob]
    if not plans:
        return Reading(unit=scan.table, problem="every column holds binary values, which are not read")
    limit = scan.rows if budget.rows is None else min(budget.rows, scan.rows)
    is_star = not left_out and all(plan.selected == quoted(plan.kinds.name) for plan in plans)
    chosen = "*" if is_star else ", ".join(plan.selected for plan in plans)
    query = f"SELECT {chosen} FROM {quoted(scan.table)}"  # noqa: S608  quoted
    query += f" LIMIT {limit}" if limit < scan.rows or scan.damage else ""
    blocks = partial(_blocks, connection, query, plans)
    is_small = limit * len(plans) <= SMALL_CELLS
    whole = pa.Table.from_batches(blocks(), _schema(plans)) if is_small else None
    left = scan.rows - limit
    table = RawTable(
        tuple(plan.column(whole.column(plan.name) if whole else pa.array([], plan.arrow)) for plan in plans),
        rows=limit,
        opening=lambda _: (_statements(file, query), True),
        place=lambda index: f"row {index + 1:,}",
        blocks=None if is_small else blocks,
    )
    return Reading(
        unit=scan.table,
        kind="table",
        table=table,
        account=None if is_small else lambda: Account(limit, scan.rows, rows_skipped=left),
        rows_in_file=scan.rows,
        rows_skipped=left,
        left_out=f"only the first {limit:,} of {scan.rows:,} rows were read" if left else "",
        attributes=attributes,
        skipped=(
            *(f"column {name!r}: {kinds.blob:,} binary values, left out" for name, kinds in left_out),
            *skipped,
        ),
        warnings=(*name_warnings(names, originals), *warnings),
    )


def _schema(plans: Sequence[_Plan]) -> pa.Schema:
    return pa.schema([(plan.name, plan.arrow) for plan in plans])


def _blocks(connection: sqlite3.Connection, query: str, plans: Sequence[_Plan]) -> Iterator[pa.RecordBatch]:
    schema = _schema(plans)
    with closing(connection.execute(query)) as cursor:
        while rows := list(islice(cursor, _BATCH)):
            columns = zip(*rows, strict=True)
            arrays = [plan.array(values) for plan, values in zip(plans, columns, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _statements(file: Peek, query: str) -> list[str]:
    return [
        "import sqlite3",
        "from contextlib import closing",
        "",
        f'database = ({data_file(file.relative)}).resolve().as_uri() + "?immutable=1"',
        "with closing(sqlite3.connect(database, uri=True)) as connection:\n"
        f"    df = pd.read_sql_query({literal(query)}, connection)",
    ]
