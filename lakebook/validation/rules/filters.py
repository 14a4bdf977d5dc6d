"""Rules on filters: values that do not exist, conditions that nothing fulfils, and what NULL does to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.conditions import Match, matches, possibilities
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.nearest import nearest, same_but_for_writing
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, joins, owned, sources, text, where

_MANY = 8


def _parsed(invocation: Invocation) -> bool:
    return invocation.statement is not None and invocation.statement.tree is not None


def _missing(match: Match, knowledge: Knowledge) -> tuple[bool | None, tuple[str, ...]]:
    """Say whether the constant is absent (None: not known), and which real values are near."""
    table, column = match.origin.table, match.origin.column
    seen = knowledge.enumeration(table, column)
    values = tuple(value.value for value in seen.values) if seen else ()
    counted = knowledge.presence(table, match.key)
    if counted is not None:
        return counted.rows == 0, counted.near
    if seen is None or not isinstance(match.constant, str):
        return None, ()
    if match.constant in values:
        return False, ()
    near = same_but_for_writing(match.constant, values) or nearest(match.constant, values)
    return (True if seen.complete else None), near


def _observed(match: Match, knowledge: Knowledge, table: KnownTable) -> str:
    column = table.column(match.origin.column)
    head = f"{table.name}.{match.origin.column}: none of {table.rows:,} rows has {match.written}"
    seen = knowledge.enumeration(table.name, match.origin.column)
    if seen and seen.complete and len(seen.values) <= _MANY:
        return f"{head}; its values are {', '.join(repr(value.value) for value in seen.values)}"
    if column is not None:
        many = f"{column.distinct:,} distinct values" if column.distinct_exact else "values"
        return f"{head}; it has {many} from {column.min} to {column.max}"
    return head


def _absent(
    invocation: Invocation, knowledge: Knowledge
) -> Iterator[tuple[Match, KnownTable, bool | None, Any]]:
    if invocation.statement is None or not _parsed(invocation):
        return
    for match in matches(invocation.statement, Resolver(knowledge)):
        table = knowledge.table(match.origin.table)
        if table is not None:
            missing, near = _missing(match, knowledge)
            yield match, table, missing, near


@rule(
    "F1",
    operator="Query",
    detects="a filter value that the column does not hold",
    evidence="a complete enumeration, or a count over all rows; rejected rows make it partial",
    action="reject",
    reference="RADAR §3.2; catalogue F1",
)
def value_absent(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a value that no row has; advise if the table was not loaded whole, or if the test is negated."""
    for match, table, missing, near in _absent(invocation, knowledge):
        if missing is None:
            message = f"Whether {match.origin.column} holds {match.written} was not observed."
            yield Finding("F1", "not_checked", message, hint="Probe the column's distinct values.")
        elif missing and not same_but_for_writing(str(match.constant), near):
            certain = table.coverage.complete and not match.negated
            note = "" if table.coverage.complete else f" (partial: {table.coverage.note})"
            yield Finding(
                "F1",
                "reject" if certain else "advise",
                f"{match.origin.column} has no value {match.written}"
                + (", so this excludes nothing." if match.negated else "."),
                observed=_observed(match, knowledge, table) + note,
                hint=f"Nearest: {', '.join(map(repr, near))}." if near else "No value is near it.",
            )


@rule(
    "F2",
    operator="Query",
    detects="a filter value that matches only after folding letter case, blanks or Unicode forms",
    evidence="as F1",
    action="reject",
    reference="catalogue F2",
)
def value_written_otherwise(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a value that stands in the data in another spelling, and say which."""
    for match, table, missing, near in _absent(invocation, knowledge):
        same = same_but_for_writing(str(match.constant), near)
        if missing and same:
            spelt = " or ".join(map(repr, same))
            yield Finding(
                "F2",
                "reject" if table.coverage.complete else "advise",
                f"{match.origin.column} has no value {match.written}; it is written {spelt}.",
                observed=_observed(match, knowledge, table),
                hint=f"Write {same[0]!r}.",
            )


@rule(
    "F5",
    operator="Query",
    detects="conditions that no row can fulfil together",
    evidence="the statement alone",
    action="reject",
    reference="catalogue F5",
)
def contradiction(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a WHERE clause whose conjuncts exclude one another."""
    if invocation.statement is None or not _parsed(invocation):
        return
    for scope in invocation.statement.selects():
        for column, possible in possibilities(where(scope), scope).items():
            if possible.is_contradiction():
                conditions = " AND ".join(possible.written)
                yield Finding(
                    "F5",
                    "reject",
                    f"No value of {column} fulfils {conditions}.",
                    observed="It follows from the conditions themselves.",
                    hint="Use OR or IN if either may hold; otherwise correct a bound.",
                )


@rule(
    "F7",
    operator="Query",
    detects="NOT IN over values with NULL (nothing passes), and <> that drops NULL rows unsaid",
    evidence="null counts of the columns (complete)",
    action="reject",
    reference="catalogue F7",
)
def not_in_null(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject NOT IN with a NULL among the values; advise on <> over a column with nulls."""
    statement = invocation.statement
    if statement is None or not _parsed(invocation):
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for node in owned(scope, exp.In):
            if isinstance(node.parent, exp.Not):
                yield from _not_in(node, statement.scopes, resolver, knowledge)
        for node in owned(scope, exp.NEQ):
            yield from _unequal(node, scope, resolver, knowledge)


def _not_in(
    node: Any, scopes: tuple[Scope, ...], resolver: Resolver, knowledge: Knowledge
) -> Iterator[Finding]:
    if any(isinstance(item, exp.Null) for item in node.expressions):
        yield Finding(
            "F7",
            "reject",
            f"{text(node.parent)} is never true: the list holds NULL.",
            observed="x NOT IN (…, NULL) is NULL or false for every x.",
            hint="Take NULL out of the list; use IS NOT NULL for it.",
        )
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    scope = next((one for one in scopes if one.expression is inner), None)
    if scope is None or not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return
    wanted = inner.expressions[0]
    column = wanted.this if isinstance(wanted, exp.Alias) else wanted
    origin = resolver.origin(scope, column)
    seen = knowledge.column(origin.table, origin.column) if origin else None
    if origin is None or seen is None or not seen.nulls or _kept_out(scope, column):
        return
    yield Finding(
        "F7",
        "reject",
        f"NOT IN gives no row at all: the subquery's {origin.column} holds NULL.",
        observed=f"{origin.table}.{origin.column} is null in {seen.nulls:,} rows",
        hint=f"Add WHERE {text(column)} IS NOT NULL to the subquery, or use NOT EXISTS.",
    )


def _kept_out(scope: Scope, column: Any) -> bool:
    """Say whether a condition of the query keeps nulls of the column out (any comparison does)."""
    for condition in where(scope):
        if isinstance(condition, exp.Or) or condition.find(exp.Coalesce):
            continue
        if isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null):
            continue
        if any(found.name.lower() == column.name.lower() for found in condition.find_all(exp.Column)):
            return True
    return False


def _unequal(node: Any, scope: Scope, resolver: Resolver, knowledge: Knowledge) -> Iterator[Finding]:
    column = node.this if isinstance(node.this, exp.Column) else node.expression
    other = node.expression if column is node.this else node.this
    if isinstance(other, (exp.Null, exp.Column)) or not isinstance(column, exp.Column):
        return
    origin = resolver.origin(scope, column)
    seen = knowledge.column(origin.table, origin.column) if origin else None
    handled = any(
        isinstance(test.expression, exp.Null) and text(test.this) == text(column)
        for test in owned(scope, exp.Is)
    )
    if origin and seen and seen.nulls and not handled:
        yield Finding(
            "F7",
            "advise",
            f"{text(node)} also leaves out the rows where {origin.column} is NULL.",
            observed=f"{origin.table}.{origin.column} is null in {seen.nulls:,} rows",
            hint=f"To keep them: {text(column)} IS DISTINCT FROM {text(other)}; else say IS NOT NULL.",
        )


@rule(
    "F8",
    operator="Query",
    detects="a comparison with NULL by = or <>, which is never true",
    evidence="the statement alone",
    action="reject",
    reference="catalogue F8",
)
def equals_null(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject `= NULL` and `<> NULL`."""
    statement = invocation.statement
    if statement is None or not _parsed(invocation):
        return
    for scope in statement.selects():
        for node in owned(scope, exp.EQ, exp.NEQ):
            if not isinstance(node.parent, exp.PropertyEQ) and isinstance(node.expression, exp.Null):
                test = "IS NOT NULL" if isinstance(node, exp.NEQ) else "IS NULL"
                yield Finding(
                    "F8",
                    "reject",
                    f"{text(node)} is never true, whatever the value.",
                    observed="A comparison with NULL gives NULL.",
                    hint=f"Write {text(node.this)} {test}.",
                )


@rule(
    "F9",
    operator="Query",
    detects="an outer join whose added rows a WHERE condition removes again",
    evidence="the statement alone",
    action="advise",
    reference="catalogue F9",
)
def outer_join_cancelled(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a condition rejects the null rows that the outer join is there for."""
    statement = invocation.statement
    if statement is None or not _parsed(invocation):
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        optional = _optional(scope)
        for condition in where(scope) if optional else []:
            alias = _null_rejecting(condition, scope, resolver)
            if alias in optional:
                yield Finding(
                    "F9",
                    "advise",
                    f"{text(condition)} undoes the {optional[alias]} JOIN: unmatched rows have NULL there.",
                    observed=f"{alias} is the optional side of the join.",
                    hint="Move the condition into ON to keep unmatched rows, or write an inner JOIN.",
                )


def _optional(scope: Scope) -> dict[str, str]:
    """Return alias -> kind of outer join for the sources that may be all NULL in a row."""
    found: dict[str, str] = {}
    order = list(sources(scope))
    for join in joins(scope):
        alias = join.alias_or_name
        before = order[: order.index(alias)] if alias in order else []
        if join.side in ("LEFT", "FULL"):
            found[alias] = join.side
        if join.side in ("RIGHT", "FULL"):
            found |= dict.fromkeys(before, join.side)
    return found


def _null_rejecting(condition: Any, scope: Scope, resolver: Resolver) -> str:
    """Return the one alias whose NULL row the condition rejects, "" if it rejects none or is not simple."""
    if not isinstance(
        condition, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between, exp.Like)
    ):
        return ""
    if condition.find(exp.Coalesce, exp.Case, exp.Select, exp.If):
        return ""
    holders = {
        alias for column in condition.find_all(exp.Column) for alias in resolver.holders(scope, column)[0][:1]
    }
    return holders.pop() if len(holders) == 1 else ""
