"""Execution records as a Parquet table: one row a record, nested parts as JSON, read back as they were.

The same table is the `execution_records` asset's and stands in the folder of a question (design §1). Columns
that are written for readers of the table (`columns`, `rows`) are not read back.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter, ValidationError

from lakebook.errors import OperatorError
from lakebook.operators.record import ExecutionRecord
from lakebook.storage import replacing

if TYPE_CHECKING:
    import pandas as pd

RECORDS = "records.parquet"
SHOWN = (
    "record", "operator", "purpose", "output", "columns", "rows",
    "verdict", "error", "result_sha256", "seconds",
)  # fmt: skip
"""The columns that are enough to see what happened."""

_PLAIN = (
    "operator",
    "purpose",
    "output",
    "verdict",
    "error",
    "result_sha256",
    "validated",
    "started",
    "seconds",
)
_NESTED = ("arguments", "inputs", "observations", "findings", "repairs", "result")


@cache
def _adapter(field: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(ExecutionRecord)[field])


def records_table(records: Iterable[ExecutionRecord]) -> pa.Table:
    """Return one row a record."""
    every = tuple(records)
    columns: dict[str, pa.Array] = {"record": pa.array([one.id for one in every], pa.string())}
    columns["columns"] = pa.array([_columns(one) for one in every], pa.string())
    columns["rows"] = pa.array([sum(source.rows for source in one.inputs) for one in every], pa.int64())
    kinds = {"validated": pa.bool_(), "seconds": pa.float64()}
    for name in _PLAIN:
        columns[name] = pa.array([getattr(one, name) for one in every], kinds.get(name, pa.string()))
    for name in _NESTED:
        texts = [_adapter(name).dump_json(getattr(one, name)).decode() for one in every]
        columns[name] = pa.array(texts, pa.string())
    order = [*SHOWN, *(name for name in columns if name not in SHOWN)]
    return pa.table({name: columns[name] for name in order})


def _columns(record: ExecutionRecord) -> str:
    return ", ".join(column for source in record.inputs for column in source.columns)


def records_frame(records: Iterable[ExecutionRecord]) -> pd.DataFrame:
    """Return the table as a frame."""
    frame: pd.DataFrame = records_table(records).to_pandas()
    return frame


def records_of(table: pa.Table) -> tuple[ExecutionRecord, ...]:
    """Return the records of a table. Raises OperatorError if it is none of records."""
    try:
        return tuple(
            ExecutionRecord(
                id=row["record"],
                **{name: row[name] for name in _PLAIN},
                **{name: _adapter(name).validate_json(row[name]) for name in _NESTED},
            )
            for row in table.to_pylist()
        )
    except (KeyError, TypeError, ValidationError) as error:
        raise OperatorError(
            "these are no execution records.", hint="They were written by another version: ask again."
        ) from error


def write_records(folder: Path, records: Iterable[ExecutionRecord]) -> Path:
    """Write the records of a question into its folder, in one step; return the file."""
    packed = io.BytesIO()
    pq.write_table(records_table(records), packed, compression="zstd")
    file = folder / RECORDS
    with replacing(file) as temporary:
        temporary.write_bytes(packed.getvalue())
    return file


def read_records(folder: Path) -> tuple[ExecutionRecord, ...]:
    """Return the records of a folder. Raises OperatorError if there are none, or they are damaged."""
    file = folder / RECORDS
    try:
        table = pq.read_table(file)
    except FileNotFoundError as error:
        raise OperatorError("there are no records here.", where=str(folder)) from error
    except (pa.ArrowException, OSError) as error:
        raise OperatorError("the records are damaged.", where=str(file), hint="Ask again.") from error
    return records_of(table)
