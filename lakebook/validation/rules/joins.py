"""Rules on how a join is written: inputs that nothing pairs, conditions that link nothing, shared names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.grain import equal_places, place, shared_names, unique_sets
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import (
    Resolver,
    conjuncts,
    joins,
    links,
    opaque,
    owned,
    sources,
    text,
    visible,
)


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
    statement = invocation.parsed
    if statement is None or invocation.confirm_cross:
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
        if not all(resolver.holders(scope, column)[0] for column in condition.find_all(exp.Column)):
            unite(set(group))  # a name that is not understood may pair anything
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
    "J2",
    operator="Query",
    detects="a join condition that does not link the two sides: it compares a column with itself",
    evidence="the statement alone",
    action="reject",
    reference="catalogue J2",
)
def condition_links_nothing(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject ON conditions that hold for every row, or name one side only and leave the inputs unpaired."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        unpaired = len(_unpaired(scope, resolver)) > 1 and not invocation.confirm_cross
        for join in joins(scope):
            for condition in conjuncts(join.args["on"]) if join.args.get("on") is not None else []:
                held = _held_by(condition, scope, resolver)
                if _is_self_equality(condition, scope, resolver):
                    why = "compares a column with itself"
                elif unpaired and len(held) == 1 and condition.find(exp.Column):
                    why = f"names columns of {next(iter(held))} only"
                else:
                    continue
                yield Finding(
                    "J2",
                    "reject",
                    f"{text(condition)} {why}, so it does not say which rows of {join.alias_or_name} belong "
                    "to which of the other side.",
                    observed="It follows from the statement.",
                    hint=_shared_hint(scope, join.alias_or_name, resolver),
                )


def _held_by(condition: Any, scope: Scope, resolver: Resolver) -> set[str]:
    return {
        alias for column in condition.find_all(exp.Column) for alias in resolver.holders(scope, column)[0][:1]
    }


def _is_self_equality(condition: Any, scope: Scope, resolver: Resolver) -> bool:
    if not isinstance(condition, exp.EQ):
        return False
    places = [place(scope, resolver, side) for side in (condition.this, condition.expression)]
    return places[0] is not None and places[0] == places[1]


def _shared_hint(scope: Scope, alias: str, resolver: Resolver) -> str:
    """Name a join condition over columns that both sides have."""
    named = sources(scope)
    mine = resolver.names(named[alias]) if alias in named else None
    for other, source in named.items():
        shared = [name for name in resolver.names(source) or () if other != alias and name in (mine or ())]
        if shared:
            return f"e.g. ON {other}.{shared[0]} = {alias}.{shared[0]}"
    return "Compare a column of one side with a column of the other."


@rule(
    "J10",
    operator="Query",
    detects="NATURAL JOIN that pairs by more columns than a key has",
    evidence="the schemas of both sides, and their keys",
    action="advise",
    reference="catalogue J10",
)
def natural_join(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a NATURAL JOIN compares columns that merely share a name."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        named = sources(scope)
        order = list(named)
        for join in joins(scope):
            alias = join.alias_or_name
            if join.method != "NATURAL" or alias not in named:
                continue
            shared = shared_names(join, order[: order.index(alias)], named, resolver)
            keys = {key for source in named.values() for key in unique_sets(source, resolver)}
            if len(shared) < 2 or frozenset(shared) in keys:
                continue
            fitting = sorted((sorted(key) for key in keys if key < frozenset(shared)), key=len)
            hint = f"Name the key: USING ({', '.join(fitting[0] if fitting else shared)})."
            yield Finding(
                "J10",
                "advise",
                f"NATURAL JOIN pairs rows that agree in every column of the same name: {', '.join(shared)}.",
                observed=f"{len(shared)} columns are shared; together they are no key of either side.",
                hint=hint,
            )


@rule(
    "J11",
    operator="Query",
    detects="a column taken from SELECT * over a join in which two inputs have it",
    evidence="the schemas of both inputs",
    action="advise",
    reference="catalogue J11",
)
def column_of_which_side(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when an outer query names a column that an inner `*` gives twice, with different values."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for column in owned(scope, exp.Column):
            holders, _ = resolver.holders(scope, column)
            source = sources(scope).get(holders[0]) if holders else None
            if not isinstance(source, Scope) or not isinstance(source.expression, exp.Select):
                continue
            starred = any(isinstance(item, exp.Star) for item in source.expression.expressions)
            inside = [
                alias
                for alias, inner in visible(source).items()
                if starred and column.name.lower() in {name.lower() for name in resolver.names(inner) or ()}
            ]
            if len(inside) < 2 or _are_equal(inside, column.name.lower(), source, resolver):
                continue
            yield Finding(
                "J11",
                "advise",
                f"{column.name!r} is a column of {' and of '.join(inside)}; SELECT * passes both on, and "
                f"this reads the one of {inside[0]}.",
                observed=f"{len(inside)} inputs of the inner join have it.",
                hint=f"Select {inside[0]}.{column.name} or {inside[1]}.{column.name} by name, with AS.",
            )


def _are_equal(aliases: list[str], name: str, scope: Scope, resolver: Resolver) -> bool:
    """Say whether the join makes the columns of that name equal."""
    equal = [frozenset(pair) for pair in equal_places(scope, resolver)]
    first = aliases[0].lower()
    return all(frozenset([(first, name), (alias.lower(), name)]) in equal for alias in aliases[1:])
