"""Windows of a SELECT: what they order and part by, and whether that decides which row comes before which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.grain import equal_places, group_columns, is_aggregated, place, unique_sets
from lakebook.validation.statement import Resolver, is_constant, literal, owned, sources, text

# Functions of which the value hangs on the order of rows.
ORDERED = (
    exp.Lag,
    exp.Lead,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.Ntile,
    exp.PercentRank,
    exp.CumeDist,
)
# Those that take the value of one other row, so that it must be clear which.
NEIGHBOURS = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)


def windows(scope: Scope) -> Iterator[Any]:
    """Yield the windows of a SELECT."""
    yield from owned(scope, exp.Window)


def function(window: Any) -> Any:
    """Return the function that a window runs, without IGNORE NULLS and FILTER."""
    inner = window.this
    while isinstance(inner, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        inner = inner.this
    return inner


def parts(window: Any) -> list[Any]:
    """Return the PARTITION BY expressions."""
    return list(window.args.get("partition_by") or [])


def order(window: Any) -> list[Any]:
    """Return the ORDER BY expressions."""
    found = window.args.get("order")
    return [item.this for item in found.expressions] if found is not None else []


def named(window: Any) -> bool:
    """Say whether the window is defined elsewhere (OVER w), where it is not looked at."""
    return bool(window.args.get("alias")) or isinstance(window.args.get("window"), exp.Identifier)


def counts_in_rows(window: Any) -> bool:
    """Say whether the frame counts rows (ROWS …), so that rows of equal order are told apart."""
    frame = window.args.get("spec")
    return frame is not None and str(frame.args.get("kind") or "").upper() == "ROWS"


def picks_a_row(window: Any, scope: Scope) -> bool:
    """Say whether a row number is compared with a number: QUALIFY, or a condition around the query."""
    if not isinstance(function(window), exp.RowNumber):
        return False
    if window.find_ancestor(exp.Qualify) is not None:
        return isinstance(window.parent, exp.Predicate)
    holder = window.parent
    alias = holder.alias.lower() if isinstance(holder, exp.Alias) else ""
    if not alias:
        return False
    qualify = scope.expression.args.get("qualify")
    around = scope.parent.expression if scope.parent is not None else None
    outside = around.args.get("where") if around is not None else None
    for condition in (qualify, outside):
        for node in condition.find_all(exp.EQ, exp.LTE, exp.LT) if condition is not None else []:
            if isinstance(node.this, exp.Column) and node.this.name.lower() == alias:
                return isinstance(literal(node.expression), float)
    return False


def order_is_total(window: Any, scope: Scope, resolver: Resolver) -> bool | None:
    """Say whether partition and order tell all rows apart; None if only counting can tell."""
    keys = [*parts(window), *order(window)]
    if is_aggregated(scope):
        grouped = group_columns(scope)
        if grouped is None:
            return None
        fixed = _fixed(scope, resolver)
        written = {text(key).lower() for key in keys} | {key.name.lower() for key in keys if key.name}
        left = [
            key
            for key in grouped
            if text(key).lower() not in written
            and _alias_of(key, scope) not in written
            and place(scope, resolver, key) not in fixed
        ]
        # A key that is aggregated itself (ORDER BY SUM(x)) may tell the groups apart; only counting can tell.
        return None if left and any(key.find(exp.AggFunc) for key in keys) else not left
    if len(sources(scope)) != 1:
        return None
    names = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    names |= {column for _, column in _fixed(scope, resolver)}
    source = next(iter(sources(scope).values()))
    return True if any(key <= names for key in unique_sets(source, resolver)) else None


def _fixed(scope: Scope, resolver: Resolver) -> set[tuple[str, str]]:
    """Return the places that a condition sets to one value."""
    return {left for left, right in equal_places(scope, resolver) if not right[0]}


def _alias_of(key: Any, scope: Scope) -> str:
    for item in scope.expression.expressions:
        if isinstance(item, exp.Alias) and text(item.this) == text(key):
            return str(item.alias).lower()
    return ""


def constant_order(window: Any) -> bool:
    """Say whether the window orders by constants only, which orders nothing."""
    keys = order(window)
    return bool(keys) and all(is_constant(key) for key in keys)
