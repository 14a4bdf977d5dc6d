"""What a text of SQL reads and writes: tables, schemas, files. Knows nothing of Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from lakebook.notebooks.sql_text import statements_of

if TYPE_CHECKING:
    from sqlglot.exp import Expression, Table

Name = tuple[str, ...]
"""A table or schema in lower case, its catalog and schema before it as far as they are given."""

HOLE = "lakebook_hole"
_DIALECTS = ("duckdb", "mysql", "sqlite")
_ONLY_READS = re.compile(r"\s*(?:select|with|from|values|show|describe|explain)\b", re.I)
_CATALOGS = ("sqlite_", "duckdb_", "pg_")
_FILE = re.compile(r"'([^'\n]*[./][^'\n]*)'")


@dataclass(frozen=True, slots=True)
class Touched:
    """What one statement of SQL does.

    Attributes:
        schemas: schemas that it makes.
        catalogs: databases that it attaches.
        writes_files: it writes the files that it names, and reads them otherwise.
        reads_all: it may read any table.
        changes_all: it may change anything (`USE`, `COMMIT`, what cannot be parsed).
    """

    reads: frozenset[Name] = frozenset()
    writes: frozenset[Name] = frozenset()
    schemas: frozenset[Name] = frozenset()
    catalogs: frozenset[Name] = frozenset()
    files: frozenset[str] = frozenset()
    writes_files: bool = False
    reads_all: bool = False
    changes_all: bool = False


def is_same(one: Name, other: Name) -> bool:
    """Return True if two names may mean the same table: `t` and `s.t`, `c.t` and `c.s.t`."""
    if one[-1] != other[-1]:
        return False
    short, long = sorted((one[:-1], other[:-1]), key=len)
    left = iter(long)
    return all(part in left for part in short)


@lru_cache(maxsize=512)
def touched(text: str) -> tuple[Touched, ...]:
    """Return what each statement of a text does; `{}` stands for what is filled in when it runs."""
    files = frozenset(_FILE.findall(text))
    statements = statements_of(text.replace("{}", HOLE), _DIALECTS)
    if statements is not None:
        return tuple(_of_statement(one, files) for one in statements)
    return (Touched(files=files, reads_all=True, changes_all=not _ONLY_READS.match(text)),)


def _of_statement(statement: Expression, files: frozenset[str]) -> Touched:
    from sqlglot import exp

    named = [table for table in statement.find_all(exp.Table) if table.name and not _is_local(table)]
    reading = (exp.Query, exp.Summarize, exp.Describe, exp.Pivot)
    read = frozenset(_parts(table) for table in named)
    if any(_is_unclear(part) for name in read for part in name):
        return Touched(files=files, reads_all=True, changes_all=not isinstance(statement, reading))
    if isinstance(statement, exp.Create) and statement.kind in ("TABLE", "VIEW"):
        target = statement.find(exp.Table)
        others = frozenset(_parts(table) for table in named if table is not target)
        return Touched(others, frozenset((_parts(target),)) if target else frozenset(), files=files)
    if isinstance(statement, exp.Create) and statement.kind == "SCHEMA":
        return Touched(schemas=frozenset(_parts(table) for table in statement.find_all(exp.Table)))
    if isinstance(statement, exp.Attach):
        return Touched(catalogs=frozenset(((statement.this.alias.lower(),),)), files=files)
    if isinstance(statement, (exp.Insert, exp.Update, exp.Delete, exp.Alter, exp.Merge)):
        return Touched(read, frozenset(_parts(table) for table in named[:1]), files=files)
    if isinstance(statement, exp.Drop) and statement.kind in ("TABLE", "VIEW"):
        return Touched(writes=read)
    if isinstance(statement, exp.Copy):
        loads = bool(statement.args.get("kind"))
        nothing: frozenset[Name] = frozenset()
        return Touched(
            nothing if loads else read, read if loads else nothing, files=files, writes_files=not loads
        )
    if isinstance(statement, reading):
        return Touched(read, files=files)
    return Touched(read, files=files, reads_all=True, changes_all=not isinstance(statement, exp.Show))


def _is_unclear(part: str) -> bool:
    """Return True for a name that is filled in when it runs, and for lists of all tables."""
    return HOLE in part or part == "information_schema" or part.startswith(_CATALOGS)


def _parts(table: Table) -> Name:
    return tuple(part.lower() for part in (table.catalog, table.db, table.name) if part)


def _is_local(table: Table) -> bool:
    """Return True if a name is that of a common table expression, where the name stands."""
    inner: Expression = table
    outer = table.parent
    while outer is not None and not table.db:
        known = outer.args.get("with_")
        if known is not None:
            for one in known.expressions:
                if one is inner or (inner is known and _holds(one, table)):
                    break
                if one.alias.lower() == table.name.lower():
                    return True
        inner, outer = outer, outer.parent
    return False


def _holds(outer: Expression, inner: Expression | None) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.parent
    return inner is not None
