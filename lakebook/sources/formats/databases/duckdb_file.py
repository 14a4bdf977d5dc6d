"""DuckDB database files: every table is a unit; views are listed, never run. Nothing is ever written.

The file may hold queries of strangers (views, defaults, macros), so extensions, other files and the network
are out of reach of the connection. A file that another process holds open is read from a copy.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa

from lakebook.errors import SourceError
from lakebook.sources.formats.columnar.arrow_table import ArrowSource, arrow_reading
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading
from sql import read

_BATCH = 65_536
_CELL_BYTES = 16
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}


class DuckDb:
    """Reads DuckDB files, one unit a table."""

    format = "duckdb"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content is a DuckDB file."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the tables one by one, in order of schema and name."""
        try:
            with ExitStack() as stack:
                connection = _connect(file, stack)
                tables = connection.execute(read("profile/list_duckdb_tables")).fetchall()
                views = connection.execute(read("profile/list_duckdb_views")).fetchall()
                listed = [(f"view {_unit(schema, name)}", query) for schema, name, query in views]
                if not tables:
                    names = ", ".join(name for name, _ in listed)
                    raise SourceError(f"it holds no table{f', only {names}' if names else ''}.")
                for schema, name, comment, constraints in tables:
                    declared = [("comment", comment)] if comment else []
                    declared += [("declared", text) for text in constraints]
                    content = (connection, schema, name, (*declared, *listed))
                    yield Part(file, _unit(schema, name), content)
                    listed = []
        except duckdb.Error as error:
            cause = str(error).splitlines()[0]
            raise SourceError(f"the database cannot be read ({cause}).", where=file.relative) from error

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one table."""
        connection, schema, name, attributes = part.content
        source = f"FROM {_quoted(schema)}.{_quoted(name)}"
        try:
            found = arrow_reading(_source(part.file, connection, source), budget, part.name)
        except (duckdb.Error, pa.ArrowException) as error:
            return Reading(unit=part.name, problem=f"the table cannot be read ({str(error).splitlines()[0]})")
        log = part.file.path.with_name(part.file.path.name + ".wal")
        notes = (f"changes that lie in {log.name} beside it are read too",) if _has_content(log) else ()
        return replace(found, attributes=attributes, warnings=(*found.warnings, *notes))


def _connect(file: Peek, stack: ExitStack) -> duckdb.DuckDBPyConnection:
    try:
        connection = duckdb.connect(str(file.path), read_only=True, config=_SETTINGS)
    except (duckdb.IOException, duckdb.ConnectionException) as error:
        if not any(word in str(error) for word in ("lock", "same database file")):
            raise
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lakebook-")))
        copy = shutil.copyfile(file.path, folder / "copy.duckdb")
        connection = duckdb.connect(str(copy), read_only=True, config=_SETTINGS)
    stack.enter_context(closing(connection))
    connection.execute("SET TimeZone = 'UTC'")  # else times would be shown as of this machine
    connection.execute("SET lock_configuration = true")
    return connection


def _source(file: Peek, connection: duckdb.DuckDBPyConnection, source: str) -> ArrowSource:
    with connection.cursor() as cursor:
        rows = cursor.execute(f"SELECT count(*) {source}").fetchall()[0][0]
        reader: pa.RecordBatchReader = cursor.sql(f"SELECT * {source} LIMIT 0").to_arrow_reader(1)
        schema = reader.schema
    return ArrowSource(
        schema=schema,
        rows=rows,
        bytes=rows * len(schema) * _CELL_BYTES,
        read=partial(_batches, connection, source),
        load=[
            "import duckdb",
            "",
            f"with duckdb.connect({data_file(file.relative)}, read_only=True) as connection:\n"
            f"    table = connection.sql({literal(f'SELECT * {source}')}).to_arrow_table()",
        ],
    )


def _batches(
    connection: duckdb.DuckDBPyConnection, source: str, names: Sequence[str] | None
) -> Iterator[pa.RecordBatch]:
    chosen = "*" if names is None else ", ".join(map(_quoted, names))
    with connection.cursor() as cursor:  # several passes may be under way
        reader: pa.RecordBatchReader = cursor.sql(f"SELECT {chosen} {source}").to_arrow_reader(_BATCH)
        yield from reader


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _unit(schema: str, name: str) -> str:
    return name if schema == "main" else f"{schema}.{name}"


def _quoted(name: str) -> str:
    """Quote an identifier: names come from the database itself and cannot be parameters."""
    return '"' + name.replace('"', '""') + '"'
