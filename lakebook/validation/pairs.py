"""The keys by which a statement joins tables: which columns of which tables are compared for equality.

Equalities between the same two inputs belong together (a key of several columns). Only columns of tables
count: a computed key has no evidence of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.grain import shared_names
from lakebook.validation.invocation import Repeats
from lakebook.validation.knowledge import Key, Knowledge
from lakebook.validation.statement import Origin, Resolver, Statement, conjuncts, joins, links, sources, where

_KIND = {"integer": "number", "date": "time", "datetime": "time"}

JoinKind = Literal["inner", "left", "right", "full", "semi", "anti"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two inputs of a SELECT joined by equality.

    Attributes:
        scope: the SELECT. `first`, `second`: the aliases, in the order of FROM.
        left, right: the columns of the tables behind them that are compared.
        kind: of the join that brings the second in. `plain`: both inputs are tables themselves, so that what
            holds for the tables holds for the join, but for its conditions.
    """

    scope: Scope
    first: str
    second: str
    left: Key
    right: Key
    kind: JoinKind
    plain: bool


def pairs(statement: Statement, resolver: Resolver) -> list[Pair]:
    """Return the joined keys of all SELECTs of a statement."""
    return [pair for scope in statement.selects() for pair in pairs_of(scope, resolver)]


def pairs_of(scope: Scope, resolver: Resolver) -> tuple[Pair, ...]:
    """Return the joined keys of one SELECT."""
    return resolver.remembered(scope, "pairs", lambda: tuple(_pairs(scope, resolver)))


def comparable(left: Key, right: Key, knowledge: Knowledge) -> bool:
    """Say whether two keys are of known and equal kinds; what is of other kinds is for another rule."""
    for one, other in zip(left.columns, right.columns, strict=True):
        columns = knowledge.column(left.table, one), knowledge.column(right.table, other)
        kinds = {_KIND.get(column.type, column.type) for column in columns if column is not None}
        if None in columns or len(kinds) > 1 or "json" in kinds:
            return False
    return True


def _pairs(scope: Scope, resolver: Resolver) -> Iterator[Pair]:
    named = sources(scope)
    order = {alias: position for position, alias in enumerate(named)}
    kinds = {join.alias_or_name: _kind(join) for join in joins(scope)}
    found: dict[tuple[str, str], list[tuple[Origin, Origin]]] = {}
    for (one, left), (other, right) in _equal(scope, resolver):
        if one == other or one not in order or other not in order:
            continue
        if order[one] > order[other]:
            one, left, other, right = other, right, one, left
        both = found.setdefault((one, other), [])
        if (left, right) not in both:
            both.append((left, right))
    for (first, second), origins in found.items():
        left_key, right_key = _key([pair[0] for pair in origins]), _key([pair[1] for pair in origins])
        if left_key is not None and right_key is not None and left_key != right_key:
            plain = not any(isinstance(named[alias], Scope) for alias in (first, second))
            yield Pair(scope, first, second, left_key, right_key, kinds.get(second, "inner"), plain)


def _key(origins: list[Origin]) -> Key | None:
    tables = {origin.table for origin in origins}
    return Key(tables.pop(), tuple(origin.column for origin in origins)) if len(tables) == 1 else None


def _kind(join: Any) -> JoinKind:
    for name in (join.kind, join.side):
        if name in ("SEMI", "ANTI", "LEFT", "RIGHT", "FULL"):
            kind: JoinKind = name.lower()
            return kind
    return "inner"


def _equal(scope: Scope, resolver: Resolver) -> Iterator[tuple[tuple[str, Origin], tuple[str, Origin]]]:
    """Yield the table columns that conditions make equal, each with its alias."""
    conditions = where(scope)
    for join in joins(scope):
        if join.args.get("on") is not None:
            conditions += conjuncts(join.args["on"])
    for condition in conditions:
        if isinstance(condition, exp.EQ):
            left = _held(scope, condition.this, resolver)
            right = _held(scope, condition.expression, resolver)
            if left and right:
                yield left, right
    named = sources(scope)
    order = list(named)
    for join in joins(scope):
        alias = join.alias_or_name
        before = order[: order.index(alias)] if alias in order else []
        for name in shared_names(join, before, named, resolver):
            right = _held(scope, exp.column(name, table=alias), resolver)
            for other in before:
                left = _held(scope, exp.column(name, table=other), resolver)
                if left and right:
                    yield left, right
                    break


def _held(scope: Scope, column: Any, resolver: Resolver) -> tuple[str, Origin] | None:
    if not isinstance(column, exp.Column):
        return None
    holders, _ = resolver.holders(scope, column)
    origin = resolver.origin(scope, column) if len(holders) == 1 else None
    return (holders[0], origin) if origin is not None else None


def _pairs_columns(scope: Scope, condition: Any, resolver: Resolver) -> bool:
    if not isinstance(condition, exp.EQ):
        return False
    left, right = (_held(scope, side, resolver) for side in (condition.this, condition.expression))
    return left is not None and right is not None and left[0] != right[0]


def repeats_of_keys(
    scope: Scope, resolver: Resolver, *, whole: bool = False
) -> tuple[Repeats, Repeats] | None:
    """Return how often rows stand in a join of two tables that only its key decides, if that was compared.

    The comparison of the keys tells then what would be counted. None if other conditions count in,
    unless `whole` asks for what holds without them.
    """
    found = pairs_of(scope, resolver)
    if len(found) != 1 or len(sources(scope)) != 2 or not found[0].plain:
        return None
    pair = found[0]
    match = resolver.knowledge.match(pair.left, pair.right)
    usual = match is not None and pair.kind in ("inner", "left")
    keyed = [condition for condition in links(scope) if _pairs_columns(scope, condition, resolver)]
    if match is None or not usual or (len(keyed) < len(links(scope)) and not whole):
        return None
    left, right = match.left, match.right
    rows = match.joined + (left.lost + left.nulls if pair.kind == "left" else 0)
    kept = left.rows if pair.kind == "left" else left.rows - left.lost - left.nulls
    return (
        Repeats(pair.first, rows, kept),
        Repeats(pair.second, match.joined, right.rows - right.lost - right.nulls),
    )
