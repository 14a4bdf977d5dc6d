"""The baseline: what is caught without looking at data.

sqlglot's `qualify` over the schemas, DuckDB's binder and engine (a query that fails is caught), and four
checks of the sqlfluff kind, written anew: no join condition (AM08), LIMIT without ORDER BY (AM09), UNION
without ALL (AM02), ORDER BY or GROUP BY that mixes positions with names (AM06).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify


def caught(sql: str, schema: Mapping[str, Mapping[str, str]], ran: Any) -> str:
    """Return what the baseline says of a query, "" for nothing.

    Args:
        sql: the query.
        schema: table -> column -> type.
        ran: its result from plain DuckDB, or the error as text.
    """
    if isinstance(ran, str):
        return "engine"
    try:
        tree = sqlglot.parse_one(sql, dialect="duckdb")
    except SqlglotError:
        return ""
    return _lint(tree) or _unqualified(tree, schema)


def _unqualified(tree: Any, schema: Mapping[str, Mapping[str, str]]) -> str:
    try:
        qualify(tree.copy(), schema=schema, dialect="duckdb", validate_qualify_columns=True)
    except (SqlglotError, RecursionError):
        return "qualify"
    return ""


def _lint(tree: Any) -> str:
    for join in tree.find_all(exp.Join):
        paired = join.args.get("on") or join.args.get("using") or join.method or join.kind == "CROSS"
        if not paired and not join.parent.args.get("where"):
            return "AM08"
    for query in tree.find_all(exp.Select):
        if query.args.get("limit") and not query.args.get("order"):
            return "AM09"
        for part in ("order", "group"):
            clause = query.args.get(part)
            kinds = {isinstance(_key(one), exp.Literal) for one in clause.expressions} if clause else set()
            if len(kinds) == 2:
                return "AM06"
    return "AM02" if any(union.args.get("distinct") for union in tree.find_all(exp.Union)) else ""


def _key(node: Any) -> Any:
    return node.this if isinstance(node, exp.Ordered) else node
