"""SQLite databases: every table is a unit; views are listed. Opened so that nothing is ever written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.objects import object_column
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, RawTable, Reading, name_warnings, unique_names
from sql import read


class Sqlite:
    """Reads SQLite files, one unit a table."""

    format = "sqlite"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as SQLite files do."""
        return file.magic == self.format and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the tables one by one, in order of name."""
        # immutable: no lock, no journal, no -shm file beside the lake's file
        address = file.path.resolve().as_uri() + "?immutable=1"
        try:
            with closing(sqlite3.connect(address, uri=True)) as connection:
                entries = connection.execute(read("profile/list_sqlite_tables")).fetchall()
                views = [name for name, kind in entries if kind == "view"]
                note = (f"views, not read: {', '.join(views)}",) if views else ()
                for name, kind in entries:
                    if kind == "table":
                        yield Part(file, name, (connection, note))
        except sqlite3.DatabaseError as error:
            raise SourceError(f"the database cannot be read ({error}).", where=file.relative) from error

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one table."""
        connection, notes = part.content
        return _table(part.file, connection, part.name, notes)


def _quoted(name: str) -> str:
    """Quote an identifier: names come from the database itself and cannot be parameters."""
    return '"' + name.replace('"', '""') + '"'


def _table(file: Peek, connection: sqlite3.Connection, name: str, notes: tuple[str, ...]) -> Reading:
    try:
        cursor = connection.execute(f"SELECT * FROM {_quoted(name)}")  # noqa: S608  quoted
        originals = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
    except (sqlite3.DatabaseError, OverflowError) as error:
        return Reading(unit=name, problem=f"the table cannot be read ({error})")
    names = unique_names(originals)
    cells: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    binary = [
        index for index, values in enumerate(cells) if any(isinstance(value, bytes) for value in values)
    ]
    columns = tuple(
        object_column(names[index], originals[index], values)
        for index, values in enumerate(cells)
        if index not in binary
    )
    long = {
        column.name for column in columns if column.type == "text" and "2^53" in " ".join(column.warnings)
    }
    selected = "*"
    if binary or long:
        selected = ", ".join(
            f"CAST({_quoted(column.original_name)} AS TEXT) AS {_quoted(column.original_name)}"
            if column.name in long
            else _quoted(column.original_name)
            for column in columns
        )
    return Reading(
        unit=name,
        kind="table",
        table=RawTable(
            columns,
            rows=len(rows),
            opening=lambda _: (_statements(file, name, selected), True),
            place=lambda index: f"row {index + 1:,}",
        ),
        rows_in_file=len(rows),
        skipped=tuple(f"column {names[index]!r}: binary values, left out" for index in binary),
        warnings=(*name_warnings(names, originals), *notes),
    )


def _statements(file: Peek, table: str, selected: str) -> list[str]:
    query = literal(f"SELECT {selected} FROM {_quoted(table)}")  # noqa: S608  shown, not run
    return [
        "import sqlite3",
        "from contextlib import closing",
        "",
        f'database = ({data_file(file.relative)}).resolve().as_uri() + "?immutable=1"',
        "with closing(sqlite3.connect(database, uri=True)) as connection:\n"
        f"    df = pd.read_sql_query({query}, connection)",
    ]
