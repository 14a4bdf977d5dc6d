"""Tables that a text of SQL makes: which columns each of its results is computed from.

Followed are selections over tables, joins, subqueries, common table expressions and unions. What a `WHERE` or
`HAVING` names selects rows. What cannot be parsed gives a table in doubt. Which tables there are is for the
caller to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.values import NO_BASES, Bases, Column, Frame, Label
from lakebook.notebooks.sql_text import statements_of

if TYPE_CHECKING:
    from sqlglot.exp import Expression

QUERIED_TABLE = "a table is made by a query that is not understood"

Tables = Callable[[str], Frame]
_SELECTS = re.compile(r"\s*(?:select|with|from)\b", re.I)
_QUERIES = frozenset(
    {"sql", "query", "execute", "sqldf", "read_sql", "read_sql_query", "read_database", "run"}
)
_DIALECTS = ("duckdb", "sqlite")
_DEEPEST = 8


def query_text(name: str, call: Call) -> str:
    """Return the selection that a call of this name is handed, "" if it is no query."""
    if name.rpartition(".")[2] not in _QUERIES:
        return ""
    for key in ("sql", "query"):
        text = call.get(key, 0)
        if isinstance(text, str) and _SELECTS.match(text):
            return text
    return ""


def queried(text: str, tables: Tables) -> Frame:
    """Return the table that a selection gives.

    Args:
        text: of SQL.
        tables: gives a table by its name.
    """
    parsed = statements_of(text, _DIALECTS)
    made = _selected(parsed[0], tables, {}, 0) if parsed else None
    if made is not None:
        return made
    unknown = tables("").copy()
    unknown.doubt, unknown.is_renamed = QUERIED_TABLE, unknown.open
    unknown.columns = {
        name: Column(one.bases, one.kind, doubt=QUERIED_TABLE) for name, one in unknown.columns.items()
    }
    return unknown


def as_loaded(made: Frame, table: Frame) -> Frame:
    """Return what a query of a database gives, whose columns are known by the names that it gives them.

    Args:
        made: by the query.
        table: as it is loaded; a column of this name is meant before what it is computed from.
    """
    columns: dict[Label, Column] = {}
    for label, one in made.columns.items():
        is_own = label in table.columns or (table.open and isinstance(label, str))
        columns[label] = table.column(label) if is_own else one
    return made.copy(columns)


def _selected(query: Expression, tables: Tables, known: Mapping[str, Frame], depth: int) -> Frame | None:
    from sqlglot import exp

    if depth > _DEEPEST:
        return None
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(query, (exp.Select, exp.SetOperation)):
        named = dict(known)
        for one in query.ctes:
            made = _selected(one.this, tables, named, depth + 1)
            if made is None:
                return None
            named[one.alias.lower()] = made
        if isinstance(query, exp.SetOperation):
            return _united(query, tables, named, depth)
        return _projected(query, tables, named, depth)
    return None


def _united(query: Expression, tables: Tables, known: Mapping[str, Frame], depth: int) -> Frame | None:
    """Return two selections one above the other: columns meet by their positions, the first names them."""
    left = _selected(query.args["this"], tables, known, depth + 1)
    right = _selected(query.args["expression"], tables, known, depth + 1)
    if left is None or right is None:
        return None
    below = list(right.columns.values())
    columns: dict[Label, Column] = {}
    for at, (name, one) in enumerate(left.columns.items()):
        more = below[at].bases if at < len(below) else NO_BASES
        columns[name] = Column(one.bases | more, one.kind, doubt=one.doubt)
    return left.copy(columns, filters=right.filters)


def _projected(query: Expression, tables: Tables, known: Mapping[str, Frame], depth: int) -> Frame | None:
    from sqlglot import exp

    sources: dict[str, Frame] = {}
    for part in _sources(query):
        frame = (
            _selected(part, tables, known, depth + 1)
            if isinstance(part, exp.Subquery)
            else known.get(part.name.lower()) or tables(part.name)
            if isinstance(part, exp.Table)
            else None
        )
        if frame is None:
            return None
        sources[part.alias_or_name.lower()] = frame
    if not sources:
        return None
    filters = frozenset[str]().union(*(one.filters for one in sources.values()))
    for clause in ("where", "having", "qualify"):
        if query.args.get(clause) is not None:
            filters |= _bases(query.args[clause], sources)
    columns: dict[Label, Column] = {}
    is_open = False
    for item in query.expressions:
        if item.is_star:
            taken = [sources[item.table.lower()]] if _table_of(item) in sources else list(sources.values())
            for frame in taken:
                columns |= frame.columns
                is_open |= frame.open
        else:
            columns[item.alias_or_name] = _column(item.unalias(), sources)
    return Frame(columns, filters=filters, open=is_open)


def _table_of(item: Expression) -> str:
    return str(getattr(item, "table", "") or "").lower()


def _sources(query: Expression) -> Iterator[Expression]:
    start = query.args.get("from_") or query.args.get("from")
    if start is not None:
        yield start.this
    for join in query.args.get("joins") or ():
        yield join.this


def _column(item: Expression, sources: Mapping[str, Frame]) -> Column:
    from sqlglot import exp

    if isinstance(item, exp.Column):
        return _found(item, sources) or Column()
    is_number = isinstance(item, (exp.AggFunc, exp.Binary, exp.Window)) and not isinstance(item, exp.DPipe)
    return Column(_bases(item, sources), "number" if is_number else "unknown")


def _bases(item: Expression, sources: Mapping[str, Frame]) -> Bases:
    from sqlglot import exp

    found = (_found(one, sources) for one in item.find_all(exp.Column))
    return frozenset[str]().union(*(one.bases for one in found if one is not None))


def _found(column: Expression, sources: Mapping[str, Frame]) -> Column | None:
    """Return a column by its name, without regard to case as in SQL; known ones come before open tables."""
    table = _table_of(column)
    frames = [sources[table]] if table in sources else list(sources.values())
    for frame in frames:
        for label, one in frame.columns.items():
            if isinstance(label, str) and label.lower() == column.name.lower():
                return one
    return next((frame.column(column.name) for frame in frames if frame.open), None)
