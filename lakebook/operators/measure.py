"""Measure what the rules need to know of a query: before it runs, and after (RADAR §3.1, observations).

Each measurement is a query built from the user's own tree: the same FROM, JOIN and WHERE with counts in
place of the columns. So what is counted is what the query itself would see, filters and all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.errors import LakebookError
from lakebook.operators.lake import Lake, Rows
from lakebook.sandbox.base import Json
from lakebook.validation.conditions import Match, matches
from lakebook.validation.invocation import Measured, Narrowing, Outcome, Repeats
from lakebook.validation.knowledge import Knowledge, Presence
from lakebook.validation.nearest import nearest
from lakebook.validation.rules.joins import SENSITIVE
from lakebook.validation.statement import Resolver, Statement, joins, opaque, owned, sources, text, where
from sql import read

# A row's own number inside a measurement; no column of a file is called so.
_ROW = "lakebook row"


def learn_presences(lake: Lake, statement: Statement, knowledge: Knowledge, seconds: float) -> None:
    """Count in how many rows each comparison with a constant holds, unless it is known already."""
    for match in matches(statement, Resolver(knowledge)):
        table, column = match.origin.table, match.origin.column
        seen = knowledge.enumeration(table, column)
        listed = isinstance(match.constant, str) and seen is not None and seen.complete
        if knowledge.presence(table, match.key) is not None:
            continue
        if listed and seen is not None and match.constant in {value.value for value in seen.values}:
            continue
        try:
            rows = _count_matching(lake, match, seconds)
            near = _near_values(lake, match, knowledge, seconds) if rows == 0 else ()
        except LakebookError:
            continue  # the rule then says that it was not checked
        knowledge.learn_presence(table, match.key, Presence(rows, near))


def _count_matching(lake: Lake, match: Match, seconds: float) -> int:
    column = exp.column(match.origin.column, quoted=True)
    value = exp.maybe_parse(match.written, dialect="duckdb")
    query = (
        exp.select(exp.func("count", exp.Star()))
        .from_(exp.to_identifier(match.origin.table, quoted=True))
        .where(exp.EQ(this=column, expression=value))
    )
    return int(lake.fetch(text(query), seconds=seconds).rows[0][0])


def _near_values(lake: Lake, match: Match, knowledge: Knowledge, seconds: float) -> tuple[str, ...]:
    """Return values near a text that is absent; numbers have no near values, their range says more."""
    if not isinstance(match.constant, str):
        return ()
    seen = knowledge.enumeration(match.origin.table, match.origin.column)
    if seen is not None and seen.complete:
        return nearest(match.constant, (value.value for value in seen.values))
    parameters: dict[str, Json] = {
        "table": match.origin.table,
        "columns": [match.origin.column],
        "text": match.constant,
        "most": 40,
    }
    found = lake.fetch(read("diagnose/find_near_values"), parameters, seconds=seconds)
    return nearest(match.constant, (str(row[0]) for row in found.rows))


def measure_scopes(
    lake: Lake, statement: Statement, knowledge: Knowledge, seconds: float
) -> tuple[Measured, ...]:
    """Count what aggregates, joins and divisions of each SELECT work on."""
    resolver = Resolver(knowledge)
    found = []
    for position, scope in enumerate(statement.scopes):
        if isinstance(scope.expression, exp.Select) and _measurable(scope):
            wanted = _Wanted(scope, resolver)
            if wanted:
                found.append(wanted.measure(lake, position, statement, seconds))
    return tuple(found)


def _measurable(scope: Scope) -> bool:
    """Say whether the SELECT stands for itself and reads only what is understood."""
    named = sources(scope)
    understood = not any(opaque(source) for source in named.values())
    return bool(named) and understood and not scope.is_correlated_subquery


class _Wanted:
    """The counts that one SELECT asks for."""

    def __init__(self, scope: Scope, resolver: Resolver) -> None:
        self.scope = scope
        sensitive = [
            node
            for node in owned(scope, *SENSITIVE)
            if not isinstance(node.this, exp.Distinct) and not node.find_ancestor(exp.Window)
        ]
        hidden = {
            join.alias_or_name for join in joins(scope) if "SEMI" in _join(join) or "ANTI" in _join(join)
        }
        several = len(sources(scope)) > 1
        self.aliases = (
            [alias for alias in sources(scope) if alias not in hidden] if several and sensitive else []
        )
        self.counted = [
            node.this
            for node in sensitive
            if isinstance(node, exp.Count) and isinstance(node.this, exp.Column)
        ]
        self.denominators = [
            node.expression
            for node in owned(scope, exp.Div)
            if node.expression.find(exp.Column)
            and not node.expression.find(exp.AggFunc, exp.Select, exp.Nullif)
        ]

    def __bool__(self) -> bool:
        return bool(self.aliases or self.counted or self.denominators)

    def measure(self, lake: Lake, position: int, statement: Statement, seconds: float) -> Measured:
        """Run one query for all counts."""
        counts: list[Any] = [exp.func("count", exp.Star())]
        for alias in self.aliases:
            row = exp.column(_ROW, table=alias, quoted=True)
            counts += [exp.func("count", row), exp.Count(this=exp.Distinct(expressions=[row.copy()]))]
        counts += [exp.func("count", column.copy()) for column in self.counted]
        counts += [
            exp.func("count_if", exp.EQ(this=exp.paren(node.copy()), expression=exp.Literal.number(0)))
            for node in self.denominators
        ]
        query = _skeleton(self.scope, statement, counts, number=self.aliases)
        try:
            values = iter(lake.fetch(text(query), seconds=seconds).rows[0])
        except LakebookError as error:
            return Measured(position, problem=error.message.rstrip("."))
        rows = int(next(values))
        repeats = tuple(Repeats(alias, int(next(values)), int(next(values))) for alias in self.aliases)
        present = {text(column): int(next(values)) for column in self.counted}
        zeros = {text(node): int(next(values)) for node in self.denominators}
        return Measured(position, rows, repeats, present, zeros)


def _join(join: Any) -> str:
    return f"{join.side} {join.kind}"


def _skeleton(
    scope: Scope, statement: Statement, counts: Sequence[Any], *, number: Sequence[str] = ()
) -> Any:
    """Return SELECT counts over the FROM, JOIN and WHERE of a scope; sources in `number` get a row number."""
    query = scope.expression.copy()
    for part in ("group", "having", "qualify", "order", "limit", "offset", "distinct", "windows"):
        query.set(part, None)
    query.set("expressions", list(counts))
    for item in [query.args["from_"].this, *[join.this for join in query.args.get("joins") or []]]:
        if item.alias_or_name in number:
            item.replace(_numbered(item))
    inherited = statement.tree.args.get("with_")
    if inherited is not None and scope.expression is not statement.tree and query.args.get("with_") is None:
        query.set("with_", inherited.copy())
    return query


def _numbered(item: Any) -> Any:
    """Return a source with a number for each of its rows, under the same alias."""
    inner, alias = item.copy(), item.alias_or_name
    row = exp.alias_(exp.Window(this=exp.func("row_number")), _ROW, quoted=True)
    numbered = exp.select(exp.Star(), row).from_(inner)
    return exp.Subquery(this=numbered, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def look_at(lake: Lake, statement: Statement, result: Rows, seconds: float) -> Outcome:
    """Describe a result: empty, all null, not finite, cut through a tie."""
    outcome = Outcome(
        columns=result.columns,
        rows=len(result.rows),
        only_nulls=bool(result.rows) and all(value is None for row in result.rows for value in row),
        not_finite=_not_finite(result),
        ties_left_out=_ties(lake, statement, result, seconds),
    )
    if outcome.rows and not outcome.only_nulls:
        return outcome
    before, narrowings = _narrow(lake, statement, seconds)
    return Outcome(
        outcome.columns, outcome.rows, outcome.only_nulls, outcome.not_finite, before, tuple(narrowings)
    )


def _not_finite(result: Rows) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for row in result.rows:
        for name, value in zip(result.columns, row, strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                found[name] = found.get(name, 0) + 1
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
    query = _skeleton(scope, statement, [exp.func("count", exp.Star())])
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
    ranked = exp.alias_(
        exp.Window(this=exp.func("rank"), order=query.args["order"].copy()), _ROW, quoted=True
    )
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
    rank = exp.column(_ROW, quoted=True)
    # Rows are cut after `shown`; the last one shown has the largest rank that is at most `shown`.
    outer = exp.select(rank.copy(), exp.func("count", exp.Star())).from_(query.subquery("ranked"))
    outer = outer.where(exp.LTE(this=rank.copy(), expression=exp.Literal.number(shown)))
    outer = outer.group_by(rank.copy()).order_by(exp.Ordered(this=rank.copy(), desc=True)).limit(1)
    try:
        found = lake.fetch(text(outer), seconds=seconds).rows
    except LakebookError:
        return None
    return max(0, int(found[0][0]) + int(found[0][1]) - 1 - shown) if found else None
