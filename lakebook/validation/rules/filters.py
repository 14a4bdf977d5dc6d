"""Rules on conditions: what nothing fulfils, what NULL does to them, and what they undo.

Whether the values are there is asked in `values`, whether the range is in `scope`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.conditions import always_holds, is_negated, possibilities, runs_backwards
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, is_constant, joins, owned, sources, text, where


@rule(
    "F5",
    operator="Query",
    detects="conditions that no row can fulfil together, or alternatives of which one always holds",
    evidence="the statement alone",
    action="reject",
    reference="catalogue F5",
)
def contradiction(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a WHERE clause whose conjuncts exclude one another, and an OR that excludes nothing."""
    statement = invocation.parsed
    if statement is None:
        return
    for scope in statement.selects():
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
        for node in owned(scope, exp.Between):
            if runs_backwards(node) and not is_negated(node):
                yield Finding(
                    "F5",
                    "reject",
                    f"{text(node)} holds for no value: it ends before it begins.",
                    observed="It follows from the condition itself.",
                    hint="The smaller bound stands first.",
                )
        for node in owned(scope, exp.Or):
            free = None if isinstance(node.parent, exp.Or) else always_holds(node)
            if free is not None:
                yield Finding(
                    "F5",
                    "reject",
                    f"{text(node)} holds for every value of {text(free)}.",
                    observed="It follows from the conditions themselves.",
                    hint=f"Use AND: {' AND '.join(map(text, node.flatten(unnest=False)))}.",
                )


@rule(
    "F6",
    operator="Query",
    detects="AND beside OR without parentheses: AND binds first",
    evidence="the statement alone",
    action="advise",
    reference="catalogue F6",
)
def mixed_and_or(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise where an OR has both a bare AND and something else; `a AND b OR c AND d` reads one way only."""
    statement = invocation.parsed
    if statement is None:
        return
    for scope in statement.selects():
        for node in owned(scope, exp.Or):
            if isinstance(node.parent, exp.Or):
                continue
            parts = list(node.flatten(unnest=False))
            ands = [part for part in parts if isinstance(part, exp.And)]
            if ands and len(ands) < len(parts):
                read_as = " OR ".join(f"({text(part)})" if part in ands else text(part) for part in parts)
                others = " OR ".join(text(part) for part in parts if part not in ands)
                first = list(ands[0].flatten(unnest=False))
                meant = f"({others} OR {text(first[0])}) AND {' AND '.join(map(text, first[1:]))}"
                yield Finding(
                    "F6",
                    "advise",
                    f"AND binds before OR: this is read as {read_as}.",
                    observed=text(node),
                    hint=f"Write the parentheses; if the other reading is meant: {meant}.",
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
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for node in owned(scope, exp.In):
            if is_negated(node):
                yield from _not_in(node, statement.scopes, resolver, knowledge)
        for node in owned(scope, exp.NEQ, exp.In, exp.EQ, exp.Like, exp.ILike):
            if is_negated(node) and _in_condition(node):
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
    if isinstance(column, exp.Case) and column.args.get("default") is None:
        yield Finding(
            "F7",
            "advise",
            f"NOT IN gives no row at all if the subquery gives NULL, and {text(column)} has no ELSE.",
            observed="Every row that no branch takes gives NULL.",
            hint="Put the condition into the WHERE of the subquery, or use NOT EXISTS.",
        )
        return
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


def _in_condition(node: Any) -> bool:
    """Say whether a test decides which rows are taken, and not what is shown of them."""
    found = node.find_ancestor(exp.Where, exp.Filter, exp.Case, exp.If, exp.Select)
    return isinstance(found, (exp.Where, exp.Filter))


def _unequal(node: Any, scope: Scope, resolver: Resolver, knowledge: Knowledge) -> Iterator[Finding]:
    column = node.this if isinstance(node.this, exp.Column) else node.expression
    constants = (
        node.expressions
        if isinstance(node, exp.In)
        else [node.expression if column is node.this else node.this]
    )
    if not isinstance(column, exp.Column) or not constants or not all(map(is_constant, constants)):
        return
    origin = resolver.origin(scope, column)
    seen = knowledge.column(origin.table, origin.column) if origin else None
    handled = any(
        isinstance(test.expression, exp.Null) and text(test.this) == text(column)
        for test in owned(scope, exp.Is)
    )
    if origin and seen and seen.nulls and not handled and not _compared_too(node, column, scope):
        written = text(node.parent) if isinstance(node.parent, exp.Not) else text(node)
        yield Finding(
            "F7",
            "advise",
            f"{written} also leaves out the rows where {origin.column} is NULL.",
            observed=f"{origin.table}.{origin.column} is null in {seen.nulls:,} rows",
            hint=f"To keep them: {text(column)} IS DISTINCT FROM {text(constants[0])}; else say IS NOT NULL.",
        )


def _compared_too(node: Any, column: Any, scope: Scope) -> bool:
    """Say whether another conjunct keeps NULL out in so many words (`x > 0 AND x <> 5`)."""
    return any(
        not any(part is node for part in one.walk())
        and not list(one.find_all(exp.NEQ, exp.Not, exp.Or))
        and any(text(found) == text(column) for found in one.find_all(exp.Column))
        for one in where(scope)
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
    statement = invocation.parsed
    if statement is None:
        return
    for scope in statement.selects():
        for node in owned(scope, exp.EQ, exp.NEQ):
            sides = [node.this, node.expression]
            if isinstance(node.parent, exp.PropertyEQ) or not any(isinstance(one, exp.Null) for one in sides):
                continue
            value = next((one for one in sides if not isinstance(one, exp.Null)), node.this)
            yield _never(node, f"{text(value)} {'IS NOT NULL' if isinstance(node, exp.NEQ) else 'IS NULL'}")
        for node in owned(scope, exp.In):
            if any(isinstance(one, exp.Null) for one in node.expressions) and not is_negated(node):
                yield _in_null(node)


def _never(node: Any, instead: str) -> Finding:
    return Finding(
        "F8",
        "reject",
        f"{text(node)} is never true, whatever the value.",
        observed="A comparison with NULL gives NULL.",
        hint=f"Write {instead}.",
    )


def _in_null(node: Any) -> Finding:
    """Speak on a NULL in a list: alone it makes the test never true, beside values it adds nothing."""
    if len(node.expressions) == 1:
        return _never(node, f"{text(node.this)} IS NULL")
    return Finding(
        "F8",
        "advise",
        f"{text(node)} does not find NULL: that item of the list matches nothing.",
        observed="A comparison with NULL gives NULL.",
        hint=f"Add OR {text(node.this)} IS NULL if these rows are meant.",
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
    statement = invocation.parsed
    if statement is None:
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
