"""What is truly wrong: the right query and its mutant are run by plain DuckDB, and their results compared.

Nothing of the runtime is used here. A mutant is wrong if it fails, if it gives another result, or if its
result changes when the rows of the tables stand in another order. A mutant that gives what the right query
gives is not wrong on these data, and is not counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import duckdb

Truth = Literal["same", "other result", "fails", "depends on the order of rows"]


class Oracle:
    """Plain DuckDB over the tables of a lake, and over the same rows in another order."""

    def __init__(self, files: Mapping[str, Path], threads: int = 1) -> None:
        self._plain = duckdb.connect(config={"threads": threads})
        self._shuffled = duckdb.connect(config={"threads": threads})
        for name, path in files.items():
            held = duckdb.from_parquet(str(path), connection=self._plain)
            held.create(name)
            moved = duckdb.from_parquet(str(path), connection=self._shuffled)
            moved.order("hash(columns(*)), random()").create(name)

    def run(self, sql: str) -> Any:
        """Return the rows, or the error as text."""
        return _run(self._plain, sql)

    def stands(self, sql: str) -> str:
        """Return why a query that is meant to be right is not, "" if it is."""
        found = _run(self._plain, sql)
        if isinstance(found, str):
            return found
        if not found or all(value is None for row in found for value in row):
            return "an empty result"
        if not _same(found, _run(self._shuffled, sql), _ordered(sql)):
            return "the result depends on the order of rows"
        return ""

    def judge(self, right: str, wrong: str) -> Truth:
        """Say what is wrong with a mutant."""
        found = _run(self._plain, wrong)
        if isinstance(found, str):
            return "fails"
        if not _same(found, _run(self._plain, right), _ordered(right)):
            return "other result"
        moved = _run(self._shuffled, wrong)
        return "same" if _same(found, moved, _ordered(wrong)) else "depends on the order of rows"

    def close(self) -> None:
        """Close both."""
        self._plain.close()
        self._shuffled.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _run(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    try:
        return connection.execute(sql).fetchall()
    except duckdb.Error as error:
        return str(error).splitlines()[0]


def _ordered(sql: str) -> bool:
    return "order by" in sql.lower().rpartition(")")[2]


def _same(one: Any, other: Any, ordered: bool) -> bool:
    """Compare two results; numbers to nine digits, rows as a multiset unless their order is meant."""
    if isinstance(one, str) or isinstance(other, str):
        return False
    left, right = ([tuple(_rounded(value) for value in row) for row in rows] for rows in (one, other))
    return left == right if ordered else Counter(left) == Counter(right)


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_rounded, value))
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return value
    number = float(value)
    return f"{number:.9g}" if math.isfinite(number) else str(number)
