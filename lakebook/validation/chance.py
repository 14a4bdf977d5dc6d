"""Aggregates whose value may be chance: it hangs on the order of rows, on a tie, or drops equal values.

Each comes with the condition, over the rows of one group, under which that is so; the runtime counts groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.statement import owned, text


def arbitrary(scope: Scope) -> Iterator[Any]:
    """Yield the aggregates of a SELECT of which the value hangs on the order of rows that nothing sets."""
    for node in owned(scope, exp.First, exp.Last, exp.AnyValue, exp.ArrayAgg, exp.GroupConcat):
        above = node.parent
        while isinstance(above, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter, exp.Paren, exp.Cast)):
            above = above.parent
        if isinstance(node.this, exp.Order) or isinstance(above, exp.Window):
            continue
        if not isinstance(above, _ORDER_FREE) and not _is_sorted(above):
            yield node


_ORDER_FREE = (exp.ArraySize, exp.ArrayContains, exp.ArrayDistinct, exp.ArraySort, exp.Length)


def _is_sorted(node: Any) -> bool:
    names = ("list_sort", "array_sort", "list_reverse_sort", "list_sum", "list_avg", "list_min", "list_max")
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in (
        *names,
        "list_unique",
        "list_aggregate",
        "cardinality",
    )


def argument(node: Any) -> Any:
    """Return what an aggregate takes, without DISTINCT and ORDER BY."""
    inner = node.this
    while isinstance(inner, (exp.Distinct, exp.Order)):
        inner = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner.this
    return inner


def summed_once(scope: Scope) -> Iterator[Any]:
    """Yield SUM(DISTINCT …) and AVG(DISTINCT …)."""
    for node in owned(scope, exp.Sum, exp.Avg):
        if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
            yield node


def odd_groups(scope: Scope) -> dict[str, Any]:
    """Return aggregate -> the condition under which its value is chance, over the rows of one group."""
    found: dict[str, Any] = {}
    one = exp.Literal.number(1)
    for node in arbitrary(scope):
        several = exp.Count(this=exp.Distinct(expressions=[argument(node).copy()]))
        found[text(node)] = exp.GT(this=several, expression=one.copy())
    for node in owned(scope, exp.ArgMax, exp.ArgMin):
        if node.args.get("count") is None:
            found[text(node)] = _tie(node)
    for node in summed_once(scope):
        different = exp.Count(this=exp.Distinct(expressions=[argument(node).copy()]))
        found[text(node)] = exp.LT(this=different, expression=exp.Count(this=argument(node).copy()))
    return found


def _tie(node: Any) -> Any:
    """The two best rows are equally good and give different values."""
    value, by = node.this, node.expression
    kind, extreme = ("arg_max", "max") if isinstance(node, exp.ArgMax) else ("arg_min", "min")
    two = exp.Literal.number(2)

    def at(name: str, arguments: list[Any], position: int) -> Any:
        best = exp.Anonymous(this=name, expressions=[*(item.copy() for item in arguments), two.copy()])
        return exp.func("list_extract", best, exp.Literal.number(position))

    equal = exp.EQ(this=at(extreme, [by], 1), expression=at(extreme, [by], 2))
    differ = exp.NullSafeNEQ(this=at(kind, [value, by], 1), expression=at(kind, [value, by], 2))
    return exp.and_(equal, differ)
