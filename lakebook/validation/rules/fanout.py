"""Rules on rows that a join multiplies: under aggregates, by half a key, and beyond all bounds."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.demands import Ground, joins_under_aggregates
from lakebook.validation.grain import Place, equal_places, place, single, unique_sets
from lakebook.validation.invocation import Invocation, Measured, Repeats
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.pairs import Pair, pairs
from lakebook.validation.registry import rule
from lakebook.validation.statement import (
    Resolver,
    is_constant,
    joins,
    links,
    text,
    visible,
    where,
)

MOST_JOINED = 200_000_000  # rows of a join that nobody can have meant
_BLOW_UP = 100  # times the larger input
_MOST_MISSING = 2  # columns of a key that a join can have forgotten


def _multiplied(
    invocation: Invocation, knowledge: Knowledge
) -> Iterator[tuple[Measured, dict[str, Repeats], list[Ground]]]:
    """Yield each measured join with the inputs that it repeats and the aggregates over its rows."""
    statement = invocation.parsed
    if statement is None:
        return
    by_scope = {id(statement.scopes[one.scope]): one for one in invocation.measured}
    grounds: dict[int, list[Ground]] = {}
    for ground in joins_under_aggregates(statement, Resolver(knowledge)):
        grounds.setdefault(id(ground.scope), []).append(ground)
    for scope, found in grounds.items():
        measured = by_scope.get(scope)
        if measured is not None and (measured.repeats or measured.problem):
            repeated = {one.alias: one for one in measured.repeats if one.standing > one.different}
            yield measured, repeated, found


def _written(grounds: list[Ground]) -> str:
    return ", ".join(dict.fromkeys(text(ground.aggregate) for ground in grounds))


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
    for measured, repeated, grounds in _multiplied(invocation, knowledge):
        if not repeated or not _no_side_is_single(invocation, knowledge, measured, repeated):
            continue
        told = "; ".join(
            f"{one.alias}: {one.different:,} rows stand {one.standing:,} times" for one in repeated.values()
        )
        told += f" (in {measured.of})" if measured.of else ""
        yield Finding(
            "J3",
            "advise",
            f"The join is many-to-many, so {_written(grounds)} takes rows of each input more than once.",
            observed=told,
            hint="Aggregate one side to one row a key before joining, or join on more columns.",
        )


def _no_side_is_single(
    invocation: Invocation, knowledge: Knowledge, measured: Measured, repeated: dict[str, Repeats]
) -> bool:
    statement = invocation.statement
    if statement is None or len(repeated) < len(measured.repeats) or invocation.confirm_cross:
        return False
    scope = statement.scopes[measured.scope]
    meant = any(join.kind == "CROSS" for join in joins(scope)) or _pairs_within(scope, Resolver(knowledge))
    return not meant and not single(scope, Resolver(knowledge))


def _pairs_within(scope: Scope, resolver: Resolver) -> bool:
    """Say whether a table is joined with itself so that each pair of its rows is met once (a.id < b.id)."""
    for condition in links(scope):
        if isinstance(condition, (exp.LT, exp.GT, exp.LTE, exp.GTE, exp.NEQ)):
            sides = [resolver.origin(scope, side) for side in (condition.this, condition.expression)]
            places = {place(scope, resolver, side) for side in (condition.this, condition.expression)}
            if sides[0] is not None and sides[0] == sides[1] and len(places) == 2:
                return True
    return False


@rule(
    "J4",
    operator="Query",
    detects="fan-out: an aggregate over the side of a join whose rows are repeated, here or in a query below",
    evidence="counts of standing and of different rows, over the query's own joins and conditions",
    action="advise",
    reference="catalogue J4",
)
def fan_out(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when an aggregate runs over repeated rows of one input."""
    for measured, repeated, grounds in _multiplied(invocation, knowledge):
        if measured.problem:
            yield Finding(
                "J4", "not_checked", f"Whether the join repeats rows was not measured: {measured.problem}."
            )
        if _no_side_is_single(invocation, knowledge, measured, repeated):  # then it is J3
            continue
        told: dict[str, Finding] = {}
        for ground in grounds:
            if not ground.aliases or not ground.aliases <= repeated.keys():  # a single side sets the grain
                continue
            one = min(
                (repeated[alias] for alias in ground.aliases),
                key=lambda repeat: repeat.standing - repeat.different,
            )
            told.setdefault(text(ground.aggregate), _fans_out(ground, one, measured.of))
        yield from told.values()


def _fans_out(ground: Ground, one: Repeats, of: str) -> Finding:
    factor = one.standing / one.different if one.different else 0
    return Finding(
        "J4",
        "advise",
        f"{text(ground.aggregate)} runs over repeated rows: the join repeats each row of {one.alias} "
        f"{factor:,.1f} times on average.",
        observed=f"{one.different:,} rows of {one.alias} stand {one.standing:,} times after the join"
        + (f" (in {of})" if of else ""),
        hint=f"Aggregate {one.alias} before the join, or bring the other side to one row a key; "
        "DISTINCT in the aggregate would drop equal values that both count.",
    )


@rule(
    "J9",
    operator="Query",
    detects="a join on a part of a key, when both sides have the rest of it under the same names",
    evidence="the keys of both tables (complete)",
    action="advise",
    reference="catalogue J9",
)
def partial_key(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a longer set of shared columns would pair each row with one, and the query uses a part."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        yield from _keys_of_one_more(scope, resolver)
    for pair in pairs(statement, resolver):
        if pair.kind in ("semi", "anti"):
            continue
        match = knowledge.match(pair.left, pair.right)
        if match is None or match.left.unique or match.right.unique or not pair.plain:
            continue
        missing = _missing_part(pair, knowledge)
        if not missing:
            continue
        written = " AND ".join(f"{pair.first}.{name} = {pair.second}.{name}" for name in missing)
        yield Finding(
            "J9",
            "advise",
            f"{pair.left} and {pair.right} are parts of a key: both repeat; with {', '.join(missing)} one "
            "would not.",
            observed=f"{match.left.rows:,} and {match.right.rows:,} rows give {match.joined:,} pairs",
            hint=f"Add {written}.",
        )


def _keys_of_one_more(scope: Scope, resolver: Resolver) -> Iterator[Finding]:
    """Two inputs, one of them grouped, are joined on all of their keys but the last column of each."""
    named = visible(scope)
    if len(named) != 2 or not any(isinstance(source, Scope) for source in named.values()):
        return
    equal: list[tuple[Place, Place]] = list(equal_places(scope, resolver))
    used = {one for both in equal for one in both}
    rests = []
    for alias, source in named.items():
        mine = {column for place_alias, column in used if place_alias == alias.lower()}
        keys = unique_sets(source, resolver)
        longer = [key - mine for key in keys if mine and mine < key]
        if not longer or any(key <= mine for key in keys):
            return
        rests.append((alias, min(longer, key=lambda rest: (len(rest), sorted(rest)))))
    (first, left), (second, right) = rests
    compared = any(
        {column.name.lower() for column in condition.find_all(exp.Column)} >= left | right
        for condition in links(scope)
    )
    if len(left) == len(right) == 1 and not compared:
        one, other = f"{first}.{next(iter(left))}", f"{second}.{next(iter(right))}"
        yield Finding(
            "J9",
            "advise",
            f"{first} and {second} are joined on a part of their keys: each row meets several of the other.",
            observed=f"{one} and {other} tell the rows apart that are joined",
            hint=f"Add {one} = {other} if they mean the same.",
        )


def _missing_part(pair: Pair, knowledge: Knowledge) -> tuple[str, ...]:
    """Return the columns, shared by name, that make the joined columns a key of one side; () if none do."""
    left, right = knowledge.table(pair.left.table), knowledge.table(pair.right.table)
    if left is None or right is None or left is right:
        return ()
    shared = {column.name.lower() for column in left.columns} & {
        column.name.lower() for column in right.columns
    }
    fixed = {
        column.name.lower()
        for condition in where(pair.scope)
        if isinstance(condition, exp.EQ) and is_constant(condition.expression)
        for column in condition.find_all(exp.Column)
    }
    for key in (pair.left, pair.right):
        used = {name.lower() for name in key.columns}
        for whole in sorted(knowledge.keys(key.table), key=lambda one: (len(one), sorted(one))):
            rest = whole - used
            if used & whole and 0 < len(rest) <= _MOST_MISSING and rest <= shared and not rest & fixed:
                return tuple(sorted(rest))
    return ()


@rule(
    "J17",
    operator="Query",
    detects="a join that would give far more rows than its inputs have",
    evidence="how often each key stands on both sides (complete), before anything is joined",
    action="reject",
    reference="catalogue J3; dbt-labs/jaffle-shop#1",
)
def exploding_join(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a join beyond a limit, unless products are confirmed or a condition narrows it further."""
    statement = invocation.parsed
    if statement is None or invocation.confirm_cross:
        return
    for pair in pairs(statement, Resolver(knowledge)):
        match = knowledge.match(pair.left, pair.right)
        if match is None or pair.kind in ("semi", "anti"):
            continue
        larger = max(match.left.rows, match.right.rows)
        if match.joined <= MOST_JOINED or match.joined <= _BLOW_UP * larger:
            continue
        cell = Cells()
        worst = ", ".join(f"{cell(key)} alone {rows:,}" for key, rows in match.worst.items())
        yield Finding(
            "J17",
            "reject" if pair.plain and not where(pair.scope) else "advise",
            f"The join of {pair.left} and {pair.right} has {match.joined:,} rows.",
            observed=f"{match.left.rows:,} and {match.right.rows:,} rows; {worst}",
            hint="Aggregate one side first or join on more columns; --confirm-cross if it is meant.",
            values=cell.shown(),
        )
