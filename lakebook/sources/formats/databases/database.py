"""SQLite databases: every table is a unit; views are listed, not run. Opened so that nothing is ever written.

SQLite keeps the kind of each value, not of a column, so one pass counts the kinds; how values are then read
is the work of `sqlite_table`. A GeoPackage is such a database with layers: their attributes are tables.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

from lakebook.errors import SourceError
from lakebook.sources.formats.databases.sqlite_table import Scan, scan_table, table_reading
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading
from sql import read

_SHADOWS = {
    "fts5": ("data", "idx", "content", "docsize", "config"),
    "fts": ("content", "segments", "segdir", "docsize", "stat"),
    "rtree": ("node", "parent", "rowid"),
}
_VIRTUAL = re.compile(r"CREATE\s+VIRTUAL\s+TABLE.*?\bUSING\s+(\w+)", re.IGNORECASE | re.DOTALL)

Attributes = tuple[tuple[str, str], ...]


class Sqlite:
    """Reads SQLite files, one unit a table."""

    format = "sqlite"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as SQLite files do."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the tables one by one, in order of name; the first lists the views and what is left out."""
        # immutable: no lock, no journal, no -shm file beside the lake's file
        address = file.path.resolve().as_uri() + "?immutable=1"
        try:
            with closing(sqlite3.connect(address, uri=True)) as connection:
                connection.execute("PRAGMA trusted_schema = OFF")  # strangers' expressions call no functions
                entries = connection.execute(read("profile/list_sqlite_tables")).fetchall()
                layers = _layers(connection, {name for name, _, _ in entries})
                tables, left_out = _sort_out(entries, is_geopackage=bool(layers))
                views = tuple((f"view {name}", sql) for name, kind, sql in entries if kind == "view")
                if not tables:
                    listed = ", ".join(name for name, _ in views)
                    raise SourceError(f"it holds no table{f', only {listed}' if listed else ''}.")
                left_out += (f"views, not run: {', '.join(name[5:] for name, _ in views)}",) if views else ()
                warnings = _log_beside(file)
                for name in tables:
                    scan = scan_table(connection, name)
                    attributes = (*layers.get(name, ()), *_keys(connection, name), *views)
                    yield Part(file, name, (connection, scan, attributes, left_out, warnings))
                    if scan.damage and scan.rows:
                        lost = f"damaged after row {scan.rows:,} ({scan.damage}); the rows after it are lost"
                        yield Part(file, name, Reading(unit=name, problem=lost))
                    views, left_out, warnings = (), (), ()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise SourceError(f"the database cannot be read ({error}).", where=file.relative) from error

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one table."""
        if isinstance(part.content, Reading):
            return part.content
        connection, scan, attributes, left_out, warnings = part.content
        _check(scan)
        return table_reading(
            part.file, connection, scan, budget, attributes=attributes, skipped=left_out, warnings=warnings
        )


def _check(scan: Scan) -> None:
    if scan.damage and not scan.rows:
        raise SourceError(f"the table {scan.table!r} cannot be read ({scan.damage}).")


def _sort_out(
    entries: Sequence[tuple[str, str, str]], *, is_geopackage: bool
) -> tuple[list[str], tuple[str, ...]]:
    """Return the tables that are read, and which are not with the reason."""
    shadows: dict[str, str] = {}
    indexes: dict[str, str] = {}
    for name, _, statement in entries:
        found = _VIRTUAL.match(statement)
        if found:
            module = found[1].lower()
            kind = "fts5" if module == "fts5" else "fts" if module.startswith("fts") else module
            shadows |= {f"{name}_{suffix}": name for suffix in _SHADOWS.get(kind, ())}
            if not kind.startswith("fts"):
                indexes[name] = module
    tables, left_out = [], []
    for name, kind, _ in entries:
        if kind != "table":
            continue
        if name in shadows:
            left_out.append(f"table {name}: inner part of the virtual table {shadows[name]}")
        elif name in indexes:
            left_out.append(f"table {name}: a virtual table of the module {indexes[name]}, which is not read")
        elif is_geopackage and name.startswith("gpkg_"):
            left_out.append(f"table {name}: what the GeoPackage says of itself")
        else:
            tables.append(name)
    return tables, tuple(left_out)


def _log_beside(file: Peek) -> tuple[str, ...]:
    log = file.path.with_name(file.path.name + "-wal")
    if not log.is_file() or not log.stat().st_size:
        return ()
    where = f"newer changes may lie in {log.name} beside it, which is not read"
    return (f"{where}: close the program that has the database open",)


def _keys(connection: sqlite3.Connection, table: str) -> Attributes:
    """Return the declared primary and foreign keys."""
    columns = connection.execute(read("profile/list_sqlite_columns"), {"table": table}).fetchall()
    primary = [name for name, _, place in sorted(columns, key=lambda row: row[2]) if place]
    keys = [("primary key", ", ".join(primary))] if primary else []
    foreign: dict[int, tuple[str, list[str], list[str]]] = {}
    for key, column, other, target in connection.execute(
        read("profile/list_sqlite_foreign_keys"), {"table": table}
    ):
        _, columns_here, columns_there = foreign.setdefault(key, (other, [], []))
        columns_here.append(column)
        columns_there += [target] if target else []
    for other, here, there in foreign.values():
        aim = f"{other} ({', '.join(there)})" if there else other
        keys.append(("foreign key", f"{', '.join(here)} → {aim}"))
    return tuple(keys)


def _layers(connection: sqlite3.Connection, names: set[str]) -> dict[str, Attributes]:
    """Return what a GeoPackage says of its layers, nothing for other databases."""
    if not {"gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"} <= names:
        return {}
    layers: dict[str, Attributes] = {}
    for table, title, kind, shape, *extent, system in connection.execute(
        read("profile/list_geopackage_layers")
    ):
        found = [("layer", title), ("data type", kind)]
        found += [("geometry", shape)] if shape else []
        if None not in extent:
            found.append(("extent", " ".join(f"{value:g}" for value in extent)))
        found += [("reference system", system)] if system else []
        layers[table] = tuple(found)
    return layers
