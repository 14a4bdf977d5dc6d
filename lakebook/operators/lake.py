"""The tables of a lake in DuckDB: read-only views over Parquet, closed against everything else.

Once the views stand, the connection can read just their files, has no network, and its settings are locked,
so that no SQL can reach the host. It runs on one thread, since with more the order of groups and the last
digits of sums differ from run to run, and equal inputs must give equal bytes (design §5, rule 6).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb

from lakebook.errors import OperatorError, TimedOut
from lakebook.operators.together import relation
from lakebook.sandbox.base import Json
from lakebook.sources.card import SourceGroup

MEMORY_MB = 1024


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
            "set autoload_known_extensions = false; set temp_directory = ''"
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
        allowed = [str(path.resolve()) for path in files.values()] + [str(path) for path in files.values()]
        self._connection.execute("set allowed_paths = $paths", {"paths": allowed})
        self._connection.execute("set enable_external_access = false; set lock_configuration = true")

    def statement_types(self, sql: str) -> tuple[str, ...]:
        """Return the kinds of the statements in a text. Raises OperatorError if it is not SQL."""
        try:
            return tuple(found.type.name for found in duckdb.extract_statements(sql))
        except duckdb.Error as error:
            raise OperatorError(_first_line(error)) from error

    def refusal(self, sql: str, *, seconds: float = 10.0) -> str:
        """Return why the engine cannot bind a SELECT, "" if it can. Nothing is run."""
        try:
            with self._limited(seconds):
                self._connection.execute("explain " + sql).fetchall()
        except (
            duckdb.BinderException,
            duckdb.CatalogException,
            duckdb.ParserException,
            duckdb.PermissionException,
        ) as error:
            return _first_line(error)
        except duckdb.Error:
            return ""  # what only fails when run is reported by the run
        return ""

    def fetch(
        self, sql: str, parameters: Mapping[str, Json] | None = None, *, most: int = 0, seconds: float = 60.0
    ) -> Rows:
        """Run a SELECT and fetch its rows, at most `most` of them (0: all).

        Raises:
            OperatorError: the engine reports an error.
            TimedOut: it took longer than `seconds`.
        """
        try:
            with self._limited(seconds):
                cursor = self._connection.execute(sql, dict(parameters) if parameters else None)
                described = cursor.description or []
                fetched = cursor.fetchmany(most + 1) if most else cursor.fetchall()
        except duckdb.InterruptException as error:
            raise TimedOut(f"the query was ended after {seconds:g} seconds.", hint="Narrow it.") from error
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

    def close(self) -> None:
        """Close the connection."""
        self._watch.close()
        self._connection.close()

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


def _first_line(error: Exception) -> str:
    """Return the engine's message without the excerpt of the statement."""
    return str(error).split("\n\nLINE", 1)[0].replace("\n", " ").strip()
