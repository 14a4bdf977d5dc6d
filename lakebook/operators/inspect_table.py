"""The Inspect operator: the structure of a table, and some of its rows, "n of N" (RADAR §3.1)."""

from __future__ import annotations

from lakebook.operators import plain
from lakebook.operators.arguments import Inspect
from lakebook.operators.record import Observation
from lakebook.operators.state import Ran, SharedState, data_input
from lakebook.sandbox.base import Json
from lakebook.sources.card import Column, Coverage
from lakebook.validation.knowledge import KnownTable
from sql import read


def inspect(state: SharedState, operation: Inspect) -> Ran:
    """Return the columns, the first rows, or rows spread over the table. Raises OperatorError if none."""
    known = state.known(operation.table)
    names = [column.name for column in known.columns]
    if operation.kind == "schema":
        result, coverage = _schema(known), known.coverage
    else:
        parameters: dict[str, Json] = {"table": known.name, "most": operation.rows}
        if operation.kind == "sample":
            parameters["rows"] = known.rows
        statement = "probe/first_rows" if operation.kind == "head" else "probe/spread_rows"
        found = state.lake.fetch(read(statement), parameters)
        rows: list[Json] = [[plain.plain(value) for value in row] for row in found.rows]
        shown = f"{len(rows):,} of {known.rows:,} rows"
        coverage = known.coverage if len(rows) == known.rows else Coverage(False, shown)
        result = {"columns": list(found.columns), "types": list(found.types), "rows": rows, "shown": shown}
    return Ran(
        inputs=(data_input(known, names),),
        observations=(Observation(operation.kind, known.name, result, coverage),),
        result=result,
    )


def _schema(known: KnownTable) -> Json:
    columns: list[Json] = [_column(column) for column in known.columns]
    return {"rows": known.rows, "rows_in_source": known.rows_in_source, "columns": columns}


def _column(column: Column) -> Json:
    """Return what is known of a column; bounds and units only where there are any."""
    said: dict[str, Json] = {"name": column.name, "type": column.type, "role": column.role}
    said |= {"nulls": column.nulls, "distinct": column.distinct}
    optional: dict[str, Json] = {
        "min": column.min,
        "max": column.max,
        "unit": column.unit,
        "meaning": column.meaning,
        "warnings": list(column.warnings),
    }
    return said | {name: value for name, value in optional.items() if value}
