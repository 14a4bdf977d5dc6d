"""A long table that was loaded into its Parquet file, read back a column at a time.

What the values say is the observation's question; here they are only fetched, counted and hashed in bounded
memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from sql import read

_MEMORY = "384MB"


@dataclass(slots=True)
class Stored:
    """The file of a long table."""

    file: Path
    names: tuple[str, ...] = field(init=False)
    rows: int = field(init=False)
    _duck_names: tuple[str, ...] = field(init=False, default=())
    _connection: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        with pq.ParquetFile(self.file) as opened:
            self.names = tuple(opened.schema_arrow.names)
            self.rows = opened.metadata.num_rows

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def pieces(self, name: str, *, as_dictionary: bool = False) -> Iterator[pa.Array]:
        """Give a column row group by row group."""
        wanted = [name] if as_dictionary else None
        with pq.ParquetFile(self.file, read_dictionary=wanted, memory_map=True) as opened:
            for group in range(opened.num_row_groups):
                yield from opened.read_row_group(group, columns=[name]).column(name).chunks

    def numbers(self, name: str) -> tuple[npt.NDArray[Any], int]:
        """Return the numbers of a column (times in microseconds) in order of rows, and how many lack one."""
        found = []
        nulls = 0
        for chunk in self.pieces(name):
            nulls += chunk.null_count
            found.append(as_numbers(chunk.drop_null() if chunk.null_count else chunk))
        return (np.concatenate(found) if found else np.empty(0, np.int64)), nulls

    def hashes(self, names: Sequence[str] | None = None) -> npt.NDArray[np.uint64]:
        """Return a 64-bit hash a row, of some columns or of all."""
        if names is None:
            return self._fetch("profile/hash_rows", {})
        return self._fetch("profile/hash_columns", {"columns": [self._duck_name(name) for name in names]})

    def ranked(self, name: str, likely: npt.NDArray[np.uint64], limit: int) -> list[tuple[Any, int]]:
        """Return the most frequent values of a column with their rows, among those with a likely hash."""
        with closing(self.connection().cursor()) as cursor:
            cursor.register("likely", pa.table({"hash": likely}))
            values = {"file": str(self.file), "column": self._duck_name(name), "limit": limit}
            rows: list[tuple[Any, int]] = cursor.execute(read("profile/rank_values"), values).fetchall()
        return rows

    def first(self, name: str, limit: int) -> list[Any]:
        """Return the first values of a column in their own order."""
        return [row[0] for row in self._rows("profile/first_values", name, {"limit": limit})]

    def estimate(self, name: str) -> int:
        """Return about how many distinct values a column has."""
        return int(self._rows("profile/estimate_column", name, {})[0][0])

    def connection(self) -> Any:
        """Return the connection, opened when it is first needed."""
        if self._connection is None:
            import duckdb

            self._connection = duckdb.connect(config={"threads": 1, "memory_limit": _MEMORY})
            described = self._connection.execute(
                "SELECT * FROM read_parquet($file) LIMIT 0", {"file": str(self.file)}
            ).description
            self._duck_names = tuple(column[0] for column in described)
        return self._connection

    def _duck_name(self, name: str) -> str:
        """DuckDB renames columns whose names differ only in case; their order stays."""
        self.connection()
        return self._duck_names[self.names.index(name)]

    def _rows(self, statement: str, name: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        given = {"file": str(self.file), "column": self._duck_name(name), **values}
        found: list[tuple[Any, ...]] = self.connection().execute(read(statement), given).fetchall()
        return found

    def _fetch(self, statement: str, values: dict[str, Any]) -> npt.NDArray[np.uint64]:
        given = {"file": str(self.file), **values}
        found = self.connection().execute(read(statement), given).fetchnumpy()["hash"]
        return np.asarray(found, dtype=np.uint64)


def as_numbers(values: pa.Array) -> npt.NDArray[Any]:
    """Return an array without nulls as numbers: times as microseconds, small integers as large ones."""
    if pa.types.is_timestamp(values.type) or pa.types.is_date(values.type):
        values = values.cast(pa.timestamp("us")).cast(pa.int64())
    numbers = values.to_numpy(zero_copy_only=False)
    kind = np.float64 if numbers.dtype.kind == "f" else np.int64
    found: npt.NDArray[Any] = numbers.astype(kind, copy=False)
    return found
