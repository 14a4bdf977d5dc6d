"""Rules on joins: inputs that nothing pairs, keys of different types, and rows that are multiplied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation, Measured, Repeats
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, joins, links, opaque, owned, sources, text

# Aggregates that a repeated row changes; MIN, MAX and DISTINCT are indifferent to it.
SENSITIVE = (exp.Sum, exp.Avg, exp.Count, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.Median)

_KIND = {"integer": "number", "number": "number", "date": "time", "datetime": "time"}
_CAST = {"number": "DOUBLE", "text": "VARCHAR", "time": "DATE", "boolean": "BOOLEAN"}


@rule(
    "J1",
    operator="Query",
    detects="inputs that no condition pairs: every row meets every row",
    evidence="row counts of the inputs (both above one)",
    action="reject",
    reference="RADAR §3.2 (implicit join); sqlfluff AM08; catalogue J1, J2",
)
def implicit_cross_join(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a product that was not asked for; advise if a row count is not known."""
    statement = invocation.statement
    if statement is None or statement.tree is None or invocation.confirm_cross:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        parts = _unpaired(scope, resolver)
        counts = {alias: _row_bound(sources(scope)[alias], resolver) for part in parts for alias in part}
        larger = [part for part in parts if any(counts[alias] != 1 for alias in part)]
        if len(larger) < 2:
            continue
        first, second = larger[0][0], larger[1][0]
        known = counts[first] is not None and counts[second] is not None
        told = ", ".join(
            f"{alias}: {counts[alias]:,} rows"
            if counts[alias] is not None
            else f"{alias}: rows not known yet"
            for alias in (first, second)
        )
        product = f", {counts[first] * counts[second]:,} combinations" if known else ""  # type: ignore[operator]
        yield Finding(
            "J1",
            "reject" if known else "advise",
            f"Nothing pairs {first} with {second}: every row of one meets every row of the other{product}.",
            observed=told,
            hint=f"Join {second} ON a shared key; if a product is meant: CROSS JOIN, or --confirm-cross.",
        )


def _unpaired(scope: Scope, resolver: Resolver) -> list[list[str]]:
    """Return the sources of a SELECT in groups that conditions or explicit products hold together."""
    named = sources(scope)
    group = {alias: index for index, alias in enumerate(named)}

    def unite(aliases: set[str]) -> None:
        goal = min(group[alias] for alias in aliases)
        merged = {group[alias] for alias in aliases}
        for alias, index in group.items():
            if index in merged:
                group[alias] = goal

    for join in joins(scope):
        alias = join.alias_or_name
        deliberate = join.kind in ("CROSS", "SEMI", "ANTI") or join.method or join.args.get("using")
        if alias in group and (deliberate or join.side in ("SEMI", "ANTI")):
            unite({alias, next(iter(named))})
    for alias, source in named.items():
        if opaque(source):  # UNNEST and LATERAL pair by their nature
            unite({alias, next(iter(named))})
    for condition in links(scope):
        held = {
            holder
            for column in condition.find_all(exp.Column)
            for holder in resolver.holders(scope, column)[0]
            if holder in group
        }
        if len(held) > 1:
            unite(held)
    parts: dict[int, list[str]] = {}
    for alias, index in group.items():
        parts.setdefault(index, []).append(alias)
    return list(parts.values())


def _row_bound(source: Any, resolver: Resolver) -> int | None:
    """Return the number of rows of a source if it is known before running, else None."""
    if not isinstance(source, Scope):
        table = resolver.table(source)
        return table.rows if table else None
    query = source.expression
    if not isinstance(query, exp.Select):
        return None
    aggregates = any(item.find(exp.AggFunc) and not item.find(exp.Window) for item in query.expressions)
    if (aggregates and not query.args.get("group")) or not sources(source):
        return 1
    limit = query.args.get("limit")
    if limit is not None and text(limit.expression) == "1":
        return 1
    narrowing = ("where", "group", "limit", "having", "qualify", "distinct", "joins")
    if len(sources(source)) == 1 and not any(query.args.get(part) for part in narrowing):
        return _row_bound(next(iter(sources(source).values())), resolver)
    return None


@rule(
    "J6",
    operator="Query",
    detects="join keys of different types",
    evidence="column types, decided from all rows",
    action="reject",
    reference="catalogue J6",
)
def key_types(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject an equality between columns of different kinds."""
    statement = invocation.statement
    if statement is None or statement.tree is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for left, right in _key_pairs(scope, resolver):
            kinds = []
            for origin in (left, right):
                column = knowledge.column(origin.table, origin.column)
                kinds.append(_KIND.get(column.type, column.type) if column else "")
            if kinds[0] != kinds[1] and set(kinds) <= _CAST.keys():
                yield Finding(
                    "J6",
                    "reject",
                    f"{left.table}.{left.column} and {right.table}.{right.column} cannot be equal: "
                    f"one is {kinds[0]}, the other {kinds[1]}.",
                    observed="Types were decided from all rows.",
                    hint=f"Cast one side, e.g. TRY_CAST(… AS {_CAST[kinds[0]]}), and count what is lost.",
                )


def _key_pairs(scope: Scope, resolver: Resolver) -> Iterator[tuple[Any, Any]]:
    """Yield the column pairs that a join compares for equality."""
    for condition in links(scope):
        if isinstance(condition, exp.EQ):
            left = resolver.origin(scope, condition.this)
            right = resolver.origin(scope, condition.expression)
            if left and right and left != right:
                yield left, right
    order = list(sources(scope))
    for join in joins(scope):
        for name in join.args.get("using") or []:
            for other in order[: order.index(join.alias_or_name)] if join.alias_or_name in order else []:
                left = resolver.origin(scope, exp.column(name.name, table=other))
                right = resolver.origin(scope, exp.column(name.name, table=join.alias_or_name))
                if left and right:
                    yield left, right


def _aggregated(scope: Scope, resolver: Resolver) -> dict[str, frozenset[str]]:
    """Return sensitive aggregate -> aliases whose columns it takes; none for COUNT(*)."""
    found: dict[str, frozenset[str]] = {}
    for node in owned(scope, *SENSITIVE):
        if isinstance(node.this, exp.Distinct) or node.find_ancestor(exp.Window):
            continue
        columns = list(node.find_all(exp.Column))
        holders = (alias for column in columns for alias in resolver.holders(scope, column)[0][:1])
        found[text(node)] = frozenset(holders)
    return found


def _multiplied(
    invocation: Invocation, knowledge: Knowledge
) -> Iterator[tuple[Measured, dict[str, Repeats], dict[str, frozenset[str]]]]:
    statement = invocation.statement
    if statement is None or statement.tree is None:
        return
    resolver = Resolver(knowledge)
    for measured in invocation.measured:
        scope = statement.scopes[measured.scope]
        repeated = {one.alias: one for one in measured.repeats if one.standing > one.different}
        aggregates = _aggregated(scope, resolver) if len(sources(scope)) > 1 else {}
        if aggregates:
            yield measured, repeated, aggregates


@rule(
    "J3",
    operator="Query",
    detects="a many-to-many join under an aggregate: rows of every input are multiplied",
    evidence="counts of standing and of different rows, over the query's own joins and conditions",
    action="advise",
    reference="catalogue J3",
)
def many_to_many(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when no input of an aggregated join keeps its rows single, unless a product is meant."""
    for measured, repeated, aggregates in _multiplied(invocation, knowledge):
        single = len(repeated) < len(measured.repeats)
        if not measured.repeats or single or _is_meant(invocation, measured):
            continue
        told = "; ".join(
            f"{one.alias}: {one.different:,} rows stand {one.standing:,} times" for one in repeated.values()
        )
        yield Finding(
            "J3",
            "advise",
            f"The join is many-to-many, so {', '.join(aggregates)} takes rows of each input more than once.",
            observed=told,
            hint="Aggregate one side to one row a key before joining, or join on more columns.",
        )


def _is_meant(invocation: Invocation, measured: Measured) -> bool:
    """Say whether the query asks for a product in so many words."""
    scope = invocation.statement.scopes[measured.scope] if invocation.statement else None
    crossed = scope is not None and any(join.kind == "CROSS" for join in joins(scope))
    return crossed or invocation.confirm_cross


@rule(
    "J4",
    operator="Query",
    detects="fan-out: an aggregate over the side of a join whose rows are repeated",
    evidence="counts of standing and of different rows, over the query's own joins and conditions",
    action="advise",
    reference="catalogue J4",
)
def fan_out(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when an aggregate runs over repeated rows of one input."""
    for measured, repeated, aggregates in _multiplied(invocation, knowledge):
        if measured.problem:
            yield Finding(
                "J4", "not_checked", f"Whether the join repeats rows was not measured: {measured.problem}."
            )
        if len(repeated) == len(measured.repeats):  # then it is J3
            continue
        for aggregate, aliases in aggregates.items():
            if not aliases or not aliases <= repeated.keys():  # a side that stays single sets the grain
                continue
            one = min(
                (repeated[alias] for alias in aliases), key=lambda repeat: repeat.standing - repeat.different
            )
            factor = one.standing / one.different if one.different else 0
            yield Finding(
                "J4",
                "advise",
                f"{aggregate} runs over repeated rows: the join repeats each row of {one.alias} "
                f"{factor:,.1f} times on average.",
                observed=f"{one.different:,} rows of {one.alias} stand {one.standing:,} times after the join",
                hint=f"Aggregate {one.alias} before the join, or bring the other side to one row a key.",
            )
