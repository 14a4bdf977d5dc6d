"""Rules on shares, percentages and means of means: what is divided by what, and on which scale it is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.validation.grain import group_columns
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.lineage import mean_of, values
from lakebook.validation.registry import rule
from lakebook.validation.statement import (
    Resolver,
    conjuncts,
    is_constant,
    literal,
    owned,
    sources,
    text,
    where,
)

_PERCENT = re.compile(
    r"(^|_)(pct|percent|percentage|perc|prozent|pourcentage)(_|$)|(Pct|Percent|Percentage)$|%", re.I
)


def says_percent(name: str) -> bool:
    """Say whether a name promises a number out of a hundred."""
    return _PERCENT.search(name) is not None


@rule(
    "A2",
    operator="Query",
    detects="a mean of means, or of ratios, of groups of different size",
    evidence="the sizes of the groups, behind the query's own conditions",
    action="advise",
    reference="catalogue A2",
)
def mean_of_means(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when groups of unequal size weigh the same in a mean."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    positions = {id(scope): position for position, scope in enumerate(statement.scopes)}
    measured = {one.scope: one for one in invocation.measured}
    for scope in statement.selects():
        for node in owned(scope, exp.Avg):
            found = mean_of(node.this, scope, resolver) if isinstance(node.this, exp.Column) else None
            if found is None:
                continue
            inner, mean = found
            seen = measured.get(positions[id(inner)])
            if seen is None or seen.groups is None:
                if seen is not None and seen.problem:
                    message = f"Whether {text(node)} averages groups of equal size was not measured"
                    yield Finding("A2", "not_checked", f"{message}: {seen.problem}.")
                continue
            groups, smallest, largest = seen.groups
            if groups > 1 and smallest != largest:
                yield Finding(
                    "A2",
                    "advise",
                    f"{text(node)} gives every group of {text(mean)} the same weight, whatever its size.",
                    observed=f"{groups:,} groups of {smallest:,} to {largest:,} rows",
                    hint="For the mean over all rows take it of the rows, or SUM of totals / SUM of counts.",
                )


@rule(
    "A8",
    operator="Query",
    detects="a percentage multiplied by a hundred twice, or compared with a fraction",
    evidence="the statement, and the range of the column (complete)",
    action="advise",
    reference="catalogue A8",
)
def percent_scale(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on hundreds that are too many, and on thresholds of another scale than the column's."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for item in scope.expression.expressions:
            for node in item.find_all(exp.Mul):
                if _outermost(node) and _hundreds(node, scope, resolver) > 1:
                    yield Finding(
                        "A8",
                        "advise",
                        f"{text(node)} multiplies by a hundred twice.",
                        observed="What is multiplied is a percentage already.",
                        hint="Take one of the factors out.",
                    )
        for node in owned(scope, exp.GT, exp.GTE, exp.LT, exp.LTE):
            yield from _other_scale(node, scope, resolver)


def _outermost(node: Any) -> bool:
    above = node.parent
    while isinstance(above, (exp.Paren, exp.Div)):
        above = above.parent
    return not isinstance(above, exp.Mul)


def _hundreds(node: Any, scope: Scope, resolver: Resolver) -> int:
    """Count the factors of a hundred in a product, a column in percent being one."""
    if isinstance(node, (exp.Paren, exp.Round, exp.Cast, exp.Avg)):
        return _hundreds(node.this, scope, resolver)
    if isinstance(node, exp.Mul):
        return _hundreds(node.this, scope, resolver) + _hundreds(node.expression, scope, resolver)
    if isinstance(node, exp.Div):
        bottom = literal(node.expression)
        return _hundreds(node.this, scope, resolver) - (1 if bottom == 100.0 else 0)
    if isinstance(node, exp.Column):
        column = _column(node, scope, resolver)
        return 1 if column is not None and _is_in_percent(column) else 0
    return 1 if literal(node) == 100.0 else 0


def _column(column: Any, scope: Scope, resolver: Resolver) -> Column | None:
    origin = resolver.origin(scope, column)
    return resolver.knowledge.column(origin.table, origin.column) if origin else None


def _is_in_percent(column: Column) -> bool:
    """Say whether a column holds numbers out of a hundred: it says so, and most values are above one."""
    low = _quantile(column, 0.25)
    return (says_percent(column.name) or column.unit == "%") and low is not None and low > 1


def _quantile(column: Column, share: float) -> float | None:
    found = next((one.value for one in column.quantiles if one.share == share), None)
    try:
        return float(found) if found is not None else None
    except ValueError:
        return None


def _other_scale(node: Any, scope: Scope, resolver: Resolver) -> Iterator[Finding]:
    column, bound = node.this, literal(node.expression)
    if not isinstance(column, exp.Column) or not isinstance(bound, float) or not 0 < bound < 1:
        return
    known = _column(column, scope, resolver)
    if known is not None and _is_in_percent(known):
        yield Finding(
            "A8",
            "advise",
            f"{text(node)} compares a percentage with a fraction.",
            observed=f"{known.name} goes from {known.min} to {known.max}",
            hint=f"{text(column)} … {bound * 100:g}",
        )


@rule(
    "A24",
    operator="Query",
    stage="after",
    detects="a result called a percentage that is a fraction of one",
    evidence="the result (all rows)",
    action="advise",
    reference="catalogue A8",
)
def fraction_called_percent(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a ratio is called percent and never passes one."""
    statement, outcome = invocation.parsed, invocation.outcome
    if statement is None or outcome is None or not isinstance(statement.tree, exp.Select):
        return
    scope = next((one for one in statement.scopes if one.expression is statement.tree), None)
    for name, span in outcome.ranges.items():
        item = _made_of(scope, name) if scope is not None and says_percent(name) else None
        if item is None or not item.find(exp.Div, exp.Avg):
            continue
        taken = values(item.this)
        if any(says_percent(column.name) for column in taken) or _has_hundred(item):
            continue
        if span[0] >= -1 and span[1] <= 1 and span != (0.0, 0.0):
            yield Finding(
                "A24",
                "advise",
                f"{name} is called a percentage, but {text(item.this)} is a fraction of one.",
                observed=f"values from {span[0]:g} to {span[1]:g}",
                hint=f"100.0 * {text(item.this)}, or call it a share.",
            )


def _made_of(scope: Scope, name: str) -> Any:
    """Return the projection that gives a result column, through queries that only pass it on."""
    if not isinstance(scope.expression, exp.Select):
        return None
    for item in scope.expression.expressions:
        if isinstance(item, exp.Alias) and item.alias.lower() == name.lower():
            return item
    inner = [source for source in sources(scope).values() if isinstance(source, Scope)]
    passed = any(item.alias_or_name.lower() in ("*", name.lower()) for item in scope.expression.expressions)
    return _made_of(inner[0], name) if len(inner) == 1 and passed else None


def _has_hundred(node: Any) -> bool:
    return any(literal(one) in (100.0, 1e4) for one in node.find_all(exp.Literal))


@rule(
    "A10",
    operator="Query",
    detects="a share whose whole is filtered otherwise than its part, or is the part itself",
    evidence="the conditions of both, in the statement",
    action="advise",
    reference="catalogue A10",
)
def wrong_whole(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on shares of which part and whole are taken from rows that do not contain one another."""
    statement = invocation.parsed
    if statement is None:
        return
    for scope in statement.selects():
        for node in owned(scope, exp.Div):
            yield from _other_rows(node, scope)
            yield from _filtered_to_itself(node, scope)
        yield from _groups_left_out(scope)


def _other_rows(node: Any, scope: Scope) -> Iterator[Finding]:
    """The whole is a subquery with conditions that the part does not have, or with the very same."""
    bottom = _inner(node.expression)
    query = bottom.this if isinstance(bottom, exp.Subquery) else None
    top = next(iter(node.this.find_all(exp.AggFunc)), None)
    if (
        not isinstance(query, exp.Select)
        or top is None
        or query.args.get("group")
        or query.find(exp.Subquery)
    ):
        return
    whole = next(iter(query.expressions[0].find_all(exp.AggFunc)), None)
    tables = {table.name.lower() for table in query.find_all(exp.Table)}
    mine = {source.name.lower() for source in sources(scope).values() if isinstance(source, exp.Table)}
    if type(whole) is not type(top) or not tables <= mine:
        return
    part = _conditions(scope.expression) | _conditions_of(top)
    rest = _conditions(query) - part
    if rest:
        yield Finding(
            "A10",
            "advise",
            f"The whole of the share is filtered by {' and '.join(sorted(rest))}, its part is not.",
            observed="So the part holds rows that the whole does not.",
            hint="Put the condition on both, or take it out of the whole.",
        )
    elif part and part == _conditions(query) and not scope.expression.args.get("group"):
        yield Finding(
            "A10",
            "advise",
            f"Part and whole of the share have the same conditions ({' and '.join(sorted(part))}): it is 1.",
            observed="It follows from the statement.",
            hint="Take the condition that makes the part out of the whole.",
        )


def _inner(node: Any) -> Any:
    while isinstance(node, (exp.Paren, exp.Cast, exp.Nullif)):
        node = node.this
    return node


def _conditions(query: Any) -> set[str]:
    """Return the conditions of a WHERE clause as text, without the names of tables."""
    clause = query.args.get("where")
    return {_bare(one) for one in conjuncts(clause)} if clause is not None else set()


def _conditions_of(aggregate: Any) -> set[str]:
    """Return the conditions under which an aggregate takes a row: its FILTER, or its CASE."""
    if isinstance(aggregate.parent, exp.Filter):
        return {_bare(one) for one in conjuncts(aggregate.parent.expression)}
    case = aggregate.find(exp.Case)
    if case is not None and len(case.args["ifs"]) == 1:
        return {_bare(one) for one in conjuncts(case.args["ifs"][0].this)}
    return {_bare(aggregate.this)} if isinstance(aggregate, exp.CountIf) else set()


def _bare(node: Any) -> str:
    copy = node.copy()
    for column in copy.find_all(exp.Column):
        column.set("table", None)
    return text(copy).lower()


def _filtered_to_itself(node: Any, scope: Scope) -> Iterator[Finding]:
    """The condition that makes the part holds for every row, since WHERE asks for it too."""
    top = next(iter(node.this.find_all(exp.AggFunc)), None)
    bottom = node.expression.find(exp.AggFunc)
    if top is None or bottom is None or node.expression.find(exp.Subquery) or _conditions_of(bottom):
        return
    part = _conditions_of(top)
    if part and part <= _conditions(scope.expression):
        yield Finding(
            "A10",
            "advise",
            f"WHERE keeps only the rows of {' and '.join(sorted(part))}, so the share of them is 1.",
            observed="It follows from the statement.",
            hint="Take the condition out of WHERE.",
        )


def _groups_left_out(scope: Scope) -> Iterator[Finding]:
    """HAVING drops groups before a window adds the groups up."""
    having = scope.expression.args.get("having")
    if having is None:
        return
    for window in owned(scope, exp.Window):
        total = isinstance(window.this, exp.Sum) and window.this.find(exp.AggFunc) is not None
        if total and not window.args.get("partition_by") and isinstance(window.parent, (exp.Div, exp.Nullif)):
            yield Finding(
                "A10",
                "advise",
                f"{text(window)} adds up only the groups that HAVING leaves: the shares are not of all.",
                observed=f"HAVING {text(having.this)} is applied first.",
                hint="Compute the shares in a subquery and filter around it.",
            )


@rule(
    "A22",
    operator="Query",
    detects="shares of groups, one of which is the rows without a group (NULL)",
    evidence="null counts of the grouping columns (complete)",
    action="advise",
    reference="catalogue A4; parts add up to the whole (pandas-dev/pandas#3729)",
)
def share_of_missing(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a share or running total is taken over groups among which NULL is one."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        total = any(
            isinstance(window.this, exp.Sum) and window.this.find(exp.AggFunc) not in (None, window.this)
            for window in owned(scope, exp.Window)
        )
        shares = [node for node in owned(scope, exp.Div) if node.expression.find(exp.Window, exp.Subquery)]
        if not shares and not total:
            continue
        tested = {column.name.lower() for one in where(scope) for column in one.find_all(exp.Column)}
        for key in group_columns(scope) or []:
            column = _column(key, scope, resolver) if not is_constant(key) else None
            if column is None or not column.nulls or column.name.lower() in tested:
                continue
            yield Finding(
                "A22",
                "advise",
                f"One of the groups that shares are taken of is the rows whose {column.name} is NULL.",
                observed=f"{column.nulls:,} rows have no {column.name}",
                hint=f"COALESCE({column.name}, '(missing)') names the group; else leave it out and say so.",
            )
