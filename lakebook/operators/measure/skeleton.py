"""Queries that count what a SELECT works on: its own FROM, JOIN and WHERE, with counts for columns.

They are built from the user's own tree, so what is counted is what the query itself would see, filters and
all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.statement import Statement

# A row's own number inside a measurement; no column of a file is called so.
ROW = "lakebook row"


def skeleton(scope: Scope, statement: Statement, counts: Sequence[Any], *, number: Sequence[str] = ()) -> Any:
    """Return SELECT counts over the FROM, JOIN and WHERE of a scope; sources in `number` get a row number."""
    query = scope.expression.copy()
    for part in ("group", "having", "qualify", "order", "limit", "offset", "distinct", "windows"):
        query.set(part, None)
    query.set("expressions", list(counts))
    for item in [query.args["from_"].this, *[join.this for join in query.args.get("joins") or []]]:
        if item.alias_or_name in number:
            item.replace(numbered(item))
    inherited = statement.tree.args.get("with_")
    if inherited is not None and scope.expression is not statement.tree and query.args.get("with_") is None:
        query.set("with_", inherited.copy())
    return query


def numbered(item: Any) -> Any:
    """Return a source with a number for each of its rows, under the same alias."""
    inner, alias = item.copy(), item.alias_or_name
    row = exp.alias_(exp.Window(this=exp.func("row_number")), ROW, quoted=True)
    numbered = exp.select(exp.Star(), row).from_(inner)
    return exp.Subquery(this=numbered, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
