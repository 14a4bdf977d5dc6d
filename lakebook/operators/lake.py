"""The tables of a lake in DuckDB: read-only views over Parquet, closed against everything else.

Once the views stand, the connection can read just their files, has no network, and its settings are locked,
so that no SQL can reach the host; besides them only an empty folder of its own is open, through which tables
come in that a computation made, one at a time. It runs on one thread, since with more the order of groups and
the last digits of sums differ from run to run, and equal inputs must give equal bytes (design §5, rule 6).
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from duckdb import ColumnExpression
from sqlglot import exp

from lakebook.errors import OperatorError, TimedOut
from lakebook.operators.together import relation
from lakebook.sandbox.base import Json
from lakebook.sources.card import SourceGroup
from lakebook.validation.reach import Reach, reach_of
from sql import read

MEMORY_MB = 1024


_REFUSALS = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ParserException,
    duckdb.PermissionException,
)


class Refused(OperatorError):
    """The engine cannot bind a statement, so that nothing of it ran."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A result: names, types and all rows that were fetched; `more` if there are further ones."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False


class Lake:
    """A closed connection with one view a table."""

    def __init__(
        self,
        files: Mapping[str, Path],
        *,
        groups: Sequence[tuple[SourceGroup, Mapping[str, Path]]] = (),
        memory_mb: int = MEMORY_MB,
    ) -> None:
        """Open the views.

        Args:
            files: table name -> Parquet file.
            groups: groups that are read as one table, each with member -> Parquet file.
            memory_mb: how much memory a query may use; there is no spilling to disk.

        Raises:
            OperatorError: a file cannot be read.
        """
        self._connection = duckdb.connect(":memory:")
        self._watch = _Watch(self._connection.interrupt)
        self._connection.execute(
            "set threads = 1; set preserve_insertion_order = true; set autoinstall_known_extensions = false; "
            "set autoload_known_extensions = false; set python_enable_replacements = false; "
            "set temp_directory = ''"
        )
        self._connection.execute("set memory_limit = $limit", {"limit": f"{memory_mb}MB"})
        for name, path in files.items():
            try:
                self._connection.from_parquet(str(path)).create_view(name)
            except duckdb.Error as error:
                raise OperatorError(
                    f"the stored table cannot be read: {_first_line(error)}",
                    where=name,
                    hint="Delete the state folder's tables and run again.",
                ) from error
        for group, members in groups:
            try:
                relation(self._connection, group, members).create_view(group.table)
            except duckdb.Error as error:
                raise OperatorError(
                    f"its members cannot be read as one table: {_first_line(error)}",
                    where=group.table,
                    hint="Query the members one by one.",
                ) from error
        self._crossing = Path(tempfile.mkdtemp(prefix="lakebook-crossing-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self._crossing, ignore_errors=True)
        self._connection.execute("set allowed_directories = $paths", {"paths": [str(self._crossing)]})
        allowed = [str(path.resolve()) for path in files.values()] + [str(path) for path in files.values()]
        self._connection.execute("set allowed_paths = $paths", {"paths": allowed})
        self._connection.execute("set enable_external_access = false; set lock_configuration = true")

    def statement_types(self, sql: str) -> tuple[str, ...]:
        """Return the kinds of the statements in a text. Raises OperatorError if it is not SQL."""
        try:
            return tuple(found.type.name for found in duckdb.extract_statements(sql))
        except duckdb.Error as error:
            raise OperatorError(_first_line(error)) from error
        except ValueError:  # the engine knows kinds that its Python side has no name for
            return ("OTHER",)

    def reach(self, sql: str) -> Reach | None:
        """Return what a SELECT uses by name, None if the engine does not tell. Nothing is run."""
        try:
            return reach_of(str(self.fetch(read("probe/serialize_statement"), {"sql": sql}).rows[0][0]))
        except OperatorError:
            return None

    def fetch(
        self, sql: str, parameters: Mapping[str, Json] | None = None, *, most: int = 0, seconds: float = 60.0
    ) -> Rows:
        """Run a SELECT and fetch its rows, at most `most` of them (0: all).

        Raises:
            Refused: the engine cannot make sense of it; nothing ran.
            OperatorError: the engine reports another error.
            TimedOut: it took longer than `seconds`.
        """
        try:
            with self._limited(seconds):
                cursor = self._connection.execute(sql, dict(parameters) if parameters else None)
                described = cursor.description or []
                fetched = cursor.fetchmany(most + 1) if most else cursor.fetchall()
        except duckdb.InterruptException as error:
            raise TimedOut(f"the query was ended after {seconds:g} seconds.", hint="Narrow it.") from error
        except _REFUSALS as error:
            raise Refused(_first_line(error)) from error
        except duckdb.Error as error:
            raise OperatorError(_first_line(error)) from error
        more = bool(most) and len(fetched) > most
        rows = fetched[:most] if more else fetched
        return Rows(
            tuple(item[0] for item in described), tuple(str(item[1]) for item in described), tuple(rows), more
        )

    def keep(self, name: str, sql: str, *, seconds: float = 60.0) -> None:
        """Keep the result of a SELECT under a name for later queries. Raises as `fetch` does."""
        try:
            with self._limited(seconds):
                self._connection.sql(sql).create(name)
        except duckdb.InterruptException as error:
            raise TimedOut(f"the query was ended after {seconds:g} seconds.", hint="Narrow it.") from error
        except duckdb.Error as error:
            raise OperatorError(_first_line(error)) from error

    def export(self, name: str, file: Path) -> None:
        """Write a table as Parquet, in types that pandas has: decimals and very wide numbers become floats.

        Raises:
            OperatorError: there is no such table, or it cannot be written.
        """
        try:
            rows = self._connection.sql(_all_of(name))
            columns = [
                self._for_pandas(name, column, str(kind)).alias(column)
                for column, kind in zip(rows.columns, rows.types, strict=True)
            ]
            reader = rows.select(*columns).to_arrow_reader()
            with pq.ParquetWriter(file, reader.schema, compression="zstd") as writer:
                for batch in reader:
                    writer.write_batch(batch)
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            file.unlink(missing_ok=True)
            raise OperatorError(f"the table cannot be written: {_first_line(error)}", where=name) from error

    def _for_pandas(self, table: str, column: str, kind: str) -> duckdb.Expression:
        """Return a column in a type that pandas has."""
        cell = ColumnExpression(column)
        if kind in ("HUGEINT", "UHUGEINT"):
            measured = self.fetch(read("probe/measure_column"), {"table": table, "columns": [column]}).rows[0]
            fits = all(bound is None or abs(int(bound)) < 2**63 for bound in measured[3:5])
            return cell.cast("BIGINT" if fits else "DOUBLE")
        if kind.startswith("DECIMAL"):
            return cell.cast("DOUBLE")
        if kind.startswith(("ENUM", "INTERVAL", "BIT")):
            return cell.cast("VARCHAR")
        return cell

    def take(self, name: str, parquet: bytes, *, most_rows: int, seconds: float = 60.0) -> None:
        """Make a table of the bytes of a Parquet file that nobody trusts, within the engine's memory.

        Raises:
            OperatorError: they are no such file, or hold more rows. TimedOut: reading took too long.
        """
        file = self._crossing / "table.parquet"
        try:
            file.write_bytes(parquet)
            with self._limited(seconds):
                self._connection.from_parquet(str(file)).limit(most_rows + 1).create(name)
                rows = len(self._connection.sql(_all_of(name)))
        except duckdb.InterruptException as error:
            raise TimedOut(f"reading the table was ended after {seconds:g} seconds.", where=name) from error
        except duckdb.Error as error:
            reason = _first_line(error).replace(str(file), "it")
            raise OperatorError(f"what came back is no table: {reason}", where=name) from error
        finally:
            file.unlink(missing_ok=True)
        if rows > most_rows:
            self.drop(name)
            raise OperatorError(
                f"the table has more than {most_rows:,} rows.", where=name, hint="Aggregate it first."
            )

    def drop(self, name: str) -> None:
        """Remove a kept result; nothing happens if there is none of that name."""
        statement = exp.Drop(tables=[_table(name)], kind="TABLE", exists=True)
        self._connection.execute(statement.sql(dialect="duckdb"))

    def close(self) -> None:
        """Close the connection."""
        self._watch.close()
        self._connection.close()
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _limited(self, seconds: float) -> Iterator[None]:
        self._watch.start(seconds)
        try:
            yield
        finally:
            self._watch.stop()


class _Watch:
    """Calls `interrupt` when time is up.

    One thread serves all queries, since to start one for each costs more than most of them take; it is woken
    only for a limit nearer than the one that it waits for.
    """

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._changed = threading.Condition()
        self._end: float | None = None  # when to interrupt
        self._wakes: float | None = None  # when the thread looks again
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self, seconds: float) -> None:
        with self._changed:
            self._end = time.monotonic() + seconds
            if self._thread is None:
                self._thread = threading.Thread(target=self._wait, daemon=True, name="lakebook-query-limit")
                self._thread.start()
            elif self._wakes is None or self._wakes > self._end:
                self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._end = None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _wait(self) -> None:
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                if self._end is not None and now >= self._end:
                    self._interrupt()
                    self._end = None
                self._wakes = self._end
                self._changed.wait(None if self._end is None else self._end - now)


def _table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _all_of(name: str) -> str:
    return str(exp.select("*").from_(_table(name)).sql(dialect="duckdb"))


def _first_line(error: Exception) -> str:
    """Return the engine's message without the excerpt of the statement, or advice to whoever set it up."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"it needs more memory than the {MEMORY_MB:,} MB that a query may use."
    return str(error).split("\n\nLINE", 1)[0].replace("\n", " ").strip()
