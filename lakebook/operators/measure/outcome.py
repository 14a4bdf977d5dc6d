"""What a result looks like: empty, all null, not finite, cut through a tie; and what emptied it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake, Rows
from lakebook.operators.measure.skeleton import ROW, skeleton
from lakebook.validation.invocation import Narrowing, Outcome
from lakebook.validation.statement import Statement, sources, text, where

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BIGNUM")
_NUMBERS = frozenset([*_WHOLE, *(f"U{name}" for name in _WHOLE), "FLOAT", "DOUBLE", "DECIMAL"])


def look_at(lake: Lake, statement: Statement, result: Rows, seconds: float) -> Outcome:
    """Describe a result: empty, all null, not finite, cut through a tie."""
    numbers = _numbers(result)
    finite = {name: [value for value in values if math.isfinite(value)] for name, values in numbers.items()}
    outcome = Outcome(
        columns=result.columns,
        rows=len(result.rows),
        only_nulls=bool(result.rows) and all(value is None for row in result.rows for value in row),
        not_finite={name: count for name in numbers if (count := len(numbers[name]) - len(finite[name]))},
        ties_left_out=_ties(lake, statement, result, seconds),
        ranges={name: (min(values), max(values)) for name, values in finite.items() if values},
    )
    if outcome.rows and not outcome.only_nulls:
        return outcome
    before, narrowings = _narrow(lake, statement, seconds)
    return replace(outcome, rows_before=before, narrowings=tuple(narrowings))


def _numbers(result: Rows) -> dict[str, list[float]]:
    """Return the numbers of each column that holds fractions or whole numbers."""
    found: dict[str, list[float]] = {}
    for position, (name, kind) in enumerate(zip(result.columns, result.types, strict=True)):
        if kind.upper().partition("(")[0] in _NUMBERS and not kind.endswith("]"):
            found[name] = [float(row[position]) for row in result.rows if row[position] is not None]
    return found


def _narrow(lake: Lake, statement: Statement, seconds: float) -> tuple[int | None, list[Narrowing]]:
    """Count rows before WHERE, after each further condition, and for each condition alone."""
    scope = next((one for one in statement.scopes if one.expression is statement.tree), None)
    while scope is not None and isinstance(scope.expression, exp.Select) and not where(scope):
        inner = [source for source in sources(scope).values() if isinstance(source, Scope)]
        if len(inner) != 1 or len(sources(scope)) != 1:
            break
        scope = inner[0]  # the outer query only passes on what an inner one gives
    if scope is None or not isinstance(scope.expression, exp.Select) or not sources(scope):
        return None, []
    conditions = where(scope)
    try:
        before = _count_where(lake, scope, statement, [], seconds)
        steps = []
        for position, condition in enumerate(conditions):
            after = _count_where(lake, scope, statement, conditions[: position + 1], seconds)
            alone = after if position == 0 else _count_where(lake, scope, statement, [condition], seconds)
            steps.append(Narrowing(text(condition), after, alone))
    except LakebookError:
        return None, []
    return before, steps


def _count_where(
    lake: Lake, scope: Scope, statement: Statement, conditions: Sequence[Any], seconds: float
) -> int:
    query = skeleton(scope, statement, [exp.func("count", exp.Star())])
    query.set("where", exp.Where(this=exp.and_(*conditions)) if conditions else None)
    return int(lake.fetch(text(query), seconds=seconds).rows[0][0])


def _ties(lake: Lake, statement: Statement, result: Rows, seconds: float) -> int | None:
    """Count rows past LIMIT that have the sort key of the last row shown; None if it does not apply."""
    tree = statement.tree
    if not isinstance(tree, exp.Select) or tree.args.get("offset") or tree.args.get("distinct"):
        return None
    limit, order = tree.args.get("limit"), tree.args.get("order")
    count = text(limit.expression) if limit is not None else ""
    if order is None or not count.isdigit() or int(count) != len(result.rows) or not result.rows:
        return None
    query = tree.copy()
    query.set("limit", None)
    keys = list(_sort_keys(query))
    if len(keys) != len(order.expressions):
        return None
    ranked = exp.alias_(exp.Window(this=exp.func("rank"), order=query.args["order"].copy()), ROW, quoted=True)
    return _rows_ranked_as(lake, query, ranked, len(result.rows), seconds)


def _sort_keys(query: Any) -> Iterator[Any]:
    """Yield the sort expressions that can stand in a window too: no positions (`ORDER BY 1`)."""
    for item in query.args["order"].expressions:
        if not isinstance(item.this, exp.Literal):
            yield item.this


def _rows_ranked_as(lake: Lake, query: Any, ranked: Any, shown: int, seconds: float) -> int | None:
    """Count the rows that share the rank of the last row shown and stand after it."""
    aliases = {item.alias.lower(): item.this for item in query.expressions if isinstance(item, exp.Alias)}
    for column in list(ranked.find_all(exp.Column)):
        if not column.table and column.name.lower() in aliases:
            column.replace(exp.paren(aliases[column.name.lower()].copy()))
    query.set("expressions", [ranked])
    query.set("order", None)
    rank = exp.column(ROW, quoted=True)
    # Rows are cut after `shown`; the last one shown has the largest rank that is at most `shown`.
    outer = exp.select(rank.copy(), exp.func("count", exp.Star())).from_(query.subquery("ranked"))
    outer = outer.where(exp.LTE(this=rank.copy(), expression=exp.Literal.number(shown)))
    outer = outer.group_by(rank.copy()).order_by(exp.Ordered(this=rank.copy(), desc=True)).limit(1)
    try:
        found = lake.fetch(text(outer), seconds=seconds).rows
    except LakebookError:
        return None
    return max(0, int(found[0][0]) + int(found[0][1]) - 1 - shown) if found else None
