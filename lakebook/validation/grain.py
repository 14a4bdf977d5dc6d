"""Which inputs of a join keep their rows single, as far as keys tell: reasoning only, nothing is measured.

A row of A stands at most once in A ⋈ B ⋈ … if every other input is determined by it: the columns of one of
its keys are equated to columns that are determined already, or to constants. What keys cannot tell may still
be so behind the query's own conditions; that is measured (`operators.measure.scopes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.statement import (
    Resolver,
    is_constant,
    joins,
    links,
    literal,
    opaque,
    sources,
    visible,
    where,
)

Place: TypeAlias = tuple[str, str]  # alias and column, in lower case
_CONSTANT: Place = ("", "constant")
_DEPTH = 20


def single(scope: Scope, resolver: Resolver) -> frozenset[str]:
    """Return the aliases of which each row stands at most once in the join of a SELECT."""
    return resolver.remembered(scope, "single", lambda: _single(scope, resolver, 0))


def unique_sets(source: Any, resolver: Resolver, depth: int = 0) -> frozenset[frozenset[str]]:
    """Return sets of columns (lower case) that no two rows of a source share; an empty set: one row."""
    if depth > _DEPTH or opaque(source):
        return frozenset()
    if not isinstance(source, Scope):
        table = resolver.table(source)
        return resolver.knowledge.keys(table.name) if table is not None else frozenset()
    return resolver.remembered(source, "unique sets", lambda: frozenset(_of_query(source, resolver, depth)))


def pinned(scope: Scope, resolver: Resolver, alias: str, given: frozenset[Place]) -> bool:
    """Say whether rows that agree on the given places come from one row of an input."""
    alike = _Alike(scope, resolver)
    return any(
        all(alike.reaches((alias.lower(), column), given) for column in key)
        for key in unique_sets(sources(scope)[alias], resolver)
    )


def place(scope: Scope, resolver: Resolver, column: Any) -> Place | None:
    """Return where a column reference of a SELECT leads, None if that is not plain."""
    if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
        return None
    holders, _ = resolver.holders(scope, column)
    return (holders[0].lower(), column.name.lower()) if holders else None


def _single(scope: Scope, resolver: Resolver, depth: int) -> frozenset[str]:
    shown = visible(scope)
    if len(shown) <= 1:
        return (
            frozenset(shown) if not any(opaque(source) for source in sources(scope).values()) else frozenset()
        )
    alike = _Alike(scope, resolver)
    keys = {alias: unique_sets(source, resolver, depth + 1) for alias, source in shown.items()}
    nearest = {join.alias_or_name for join in joins(scope) if join.method == "ASOF"}
    keys |= {
        alias: frozenset({frozenset()}) for alias in nearest if alias in keys
    }  # one row at most is taken
    return frozenset(alias for alias in shown if _determines(alias, keys, alike))


def _determines(alias: str, keys: dict[str, frozenset[frozenset[str]]], alike: _Alike) -> bool:
    determined = {alias.lower()}
    waiting = {other for other in keys if other != alias}
    while waiting:
        reached = {
            other
            for other in waiting
            if any(
                all(alike.meets((other.lower(), column), determined) for column in key) for key in keys[other]
            )
        }
        if not reached:
            return False
        waiting -= reached
        determined |= {other.lower() for other in reached}
    return True


class _Alike:
    """Which columns of a join are equal in every row of it."""

    def __init__(self, scope: Scope, resolver: Resolver) -> None:
        self._class: dict[Place, int] = {}
        for left, right in equal_places(scope, resolver):
            self._unite(left, right)

    def meets(self, one: Place, aliases: set[str]) -> bool:
        """Say whether a column equals a constant, or a column of one of the aliases."""
        number = self._class.get(one)
        return number is not None and any(
            found == number and (other == _CONSTANT or other[0] in aliases)
            for other, found in self._class.items()
        )

    def reaches(self, one: Place, given: frozenset[Place]) -> bool:
        """Say whether a column is one of the given ones, or equal to one of them or to a constant."""
        number = self._class.get(one)
        return one in given or (
            number is not None
            and any(
                found == number and (other == _CONSTANT or other in given)
                for other, found in self._class.items()
            )
        )

    def _unite(self, left: Place, right: Place) -> None:
        goal = self._class.setdefault(left, len(self._class))
        old = self._class.setdefault(right, goal)
        if old != goal:
            self._class = {one: goal if found == old else found for one, found in self._class.items()}


def equal_places(scope: Scope, resolver: Resolver) -> Iterator[tuple[Place, Place]]:
    """Yield the places that conditions of a SELECT make equal; a constant has a place of its own."""
    for condition in links(scope):
        if isinstance(condition, exp.EQ):
            left, right = condition.this, condition.expression
            if is_constant(left):
                left, right = right, left
            one = place(scope, resolver, left)
            other = _CONSTANT if is_constant(right) else place(scope, resolver, right)
            if one and other:
                yield one, other
    before: list[str] = []
    named = sources(scope)
    order = list(named)
    for join in joins(scope):
        alias = join.alias_or_name
        before = order[: order.index(alias)] if alias in order else before
        for name in shared_names(join, before, named, resolver):
            for other_alias in before:
                if name in _lower_names(named[other_alias], resolver):
                    yield (other_alias.lower(), name), (alias.lower(), name)


def shared_names(join: Any, before: list[str], named: dict[str, Any], resolver: Resolver) -> list[str]:
    """Return the column names by which USING or NATURAL joins a source to those before it (lower case)."""
    if join.method == "NATURAL" and join.alias_or_name in named:
        earlier = {name for alias in before for name in _lower_names(named[alias], resolver)}
        return [name for name in _lower_names(named[join.alias_or_name], resolver) if name in earlier]
    return [str(name.name).lower() for name in join.args.get("using") or []]


def _lower_names(source: Any, resolver: Resolver) -> list[str]:
    return [name.lower() for name in resolver.names(source) or ()]


def _of_query(scope: Scope, resolver: Resolver, depth: int) -> Iterator[frozenset[str]]:
    """Yield the sets of output columns that are unique in the result of a query."""
    query = scope.expression
    outputs = frozenset(name.lower() for name in resolver.names(scope) or ())
    distinct = query.args.get("distinct")
    if outputs and distinct and not (isinstance(distinct, exp.Distinct) and distinct.args.get("on")):
        yield outputs  # SELECT DISTINCT, and UNION without ALL
    if not isinstance(query, exp.Select):
        return
    limit = query.args.get("limit")
    if limit is not None and literal(limit.expression) == 1:
        yield frozenset()
    if is_aggregated(scope):
        keys = group_columns(scope)
        written = [_written(key, _shown(scope)) for key in keys or []]
        if keys is not None and all(written):
            yield frozenset(written)
    elif not any(item.find(exp.Unnest, exp.Explode) for item in query.expressions):
        yield from _numbered_once(scope, resolver, _shown(scope))
        yield from _passed_on(scope, resolver, depth)


def _passed_on(scope: Scope, resolver: Resolver, depth: int) -> Iterator[frozenset[str]]:
    """Yield keys of inputs whose rows stay single, under the names that they have in the result."""
    shown = _shown(scope)
    stars = any(
        isinstance(item, exp.Star) or isinstance(item.this, exp.Star) for item in scope.expression.expressions
    )
    for alias in _single(scope, resolver, depth):
        for key in unique_sets(sources(scope)[alias], resolver, depth + 1):
            names = [
                _written(exp.column(name, table=alias), shown) or (name if stars else "") for name in key
            ]
            if all(names):
                yield frozenset(names)


def _shown(scope: Scope) -> dict[str, str]:
    """Return expression -> output name (lower case) of a SELECT."""
    found: dict[str, str] = {}
    for item in scope.expression.expressions:
        inner = item.this if isinstance(item, exp.Alias) else item
        name = item.alias_or_name.lower()
        if name and name != "*":
            found[_form(inner)] = name
            if isinstance(inner, exp.Column):
                found.setdefault(_form(exp.column(inner.name)), name)
            found.setdefault(_form(exp.column(name)), name)
    return found


def _written(expression: Any, shown: dict[str, str]) -> str:
    """Return the output name under which an expression is shown, "" if it is not."""
    name = shown.get(_form(expression), "")
    if not name and isinstance(expression, exp.Column):
        name = shown.get(_form(exp.column(expression.name)), "")
    return name


def _form(expression: Any) -> str:
    return str(expression.sql(dialect="duckdb")).lower().replace('"', "")


def group_columns(scope: Scope) -> list[Any] | None:
    """Return the expressions that a SELECT groups by, positions and aliases replaced; None for ROLLUP etc."""
    query = scope.expression
    group = query.args.get("group")
    if group is None:
        return []
    if any(group.args.get(part) for part in ("grouping_sets", "cube", "rollup", "totals")):
        return None
    items = query.expressions
    if group.args.get("all"):
        return [_bare(item) for item in items if not item.find(exp.AggFunc)]
    found: list[Any] = []
    aliases = {item.alias.lower(): item.this for item in items if isinstance(item, exp.Alias)}
    for key in group.expressions:
        value = literal(key)
        if isinstance(value, float) and 0 < int(value) <= len(items):
            found.append(_bare(items[int(value) - 1]))
        elif isinstance(key, exp.Column) and not key.table and key.name.lower() in aliases:
            found.append(aliases[key.name.lower()])
        else:
            found.append(key)
    return found


def _bare(item: Any) -> Any:
    return item.this if isinstance(item, exp.Alias) else item


def is_aggregated(scope: Scope) -> bool:
    """Say whether a SELECT gives one row a group (or one row in all)."""
    query = scope.expression
    if query.args.get("group") is not None:
        return True
    return any(
        node.find_ancestor(exp.Window, exp.Select) is query
        for item in query.expressions
        for node in item.find_all(exp.AggFunc)
    )


def _numbered_once(scope: Scope, resolver: Resolver, shown: dict[str, str]) -> Iterator[frozenset[str]]:
    """Yield the partition of a row number that the query keeps only the first of."""
    qualify = scope.expression.args.get("qualify")
    conditions = [qualify.this] if qualify is not None else []
    for condition in conditions + where(scope):
        if not isinstance(condition, exp.EQ) or literal(condition.expression) != 1:
            continue
        for window in _row_numbers(condition.this, scope, resolver):
            names = [_written(key, shown) for key in window.args.get("partition_by") or []]
            if all(names):
                yield frozenset(names)


def _row_numbers(node: Any, scope: Scope, resolver: Resolver) -> Iterator[Any]:
    if isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber):
        yield node
    if not isinstance(node, exp.Column):
        return
    inner = [scope, *(source for source in sources(scope).values() if isinstance(source, Scope))]
    for one in inner:
        for item in one.expression.expressions if isinstance(one.expression, exp.Select) else []:
            if item.alias.lower() == node.name.lower() and isinstance(item.this, exp.Window):
                yield from _row_numbers(item.this, one, resolver)
