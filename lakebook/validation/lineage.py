"""From which inputs an aggregate takes its values: through CTEs and subqueries that only pass rows on.

An aggregate of an outer query may take a column that an inner join has already repeated. What is followed is
the value, not the condition: SUM(CASE WHEN c.tier = 'gold' THEN 1 END) takes no value of c, it counts rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.grain import is_aggregated
from lakebook.validation.statement import Resolver, owned, sources

# Aggregates that a repeated row changes; MIN, MAX and DISTINCT are indifferent to it.
SENSITIVE = (
    exp.Sum,
    exp.Avg,
    exp.Count,
    exp.CountIf,
    exp.Stddev,
    exp.StddevSamp,
    exp.StddevPop,
    exp.Variance,
    exp.VariancePop,
    exp.Median,
    exp.PercentileCont,
    exp.Quantile,
)
_CONDITIONS = (exp.Predicate, exp.Connector, exp.Not, exp.Between, exp.In)
_DEPTH = 20


def sensitive(scope: Scope) -> list[Any]:
    """Return the aggregates of a SELECT that repeated rows change."""
    return [node for node in owned(scope, *SENSITIVE) if not isinstance(node.this, exp.Distinct)]


def values(node: Any) -> list[Any]:
    """Return the columns whose values an expression takes, without those that it only tests."""
    if isinstance(node, exp.Column):
        return [] if isinstance(node.this, exp.Star) else [node]
    if isinstance(node, (exp.CountIf, *_CONDITIONS)):
        return []
    if isinstance(node, exp.Case):
        parts = [branch.args["true"] for branch in node.args["ifs"]] + [node.args.get("default")]
    elif isinstance(node, exp.If):
        parts = [node.args.get("true"), node.args.get("false")]
    elif isinstance(node, (exp.Window, exp.Filter)):
        parts = [node.this]
    elif isinstance(node, exp.Query):
        parts = []
    else:
        parts = list(node.iter_expressions())
    return [column for part in parts if part is not None for column in values(part)]


def grounds(
    scope: Scope, columns: Sequence[Any], resolver: Resolver, depth: int = 0
) -> Iterator[tuple[Scope, frozenset[str]]]:
    """Yield the joins that rows went through before they were aggregated, outermost first.

    Each with the aliases whose columns are taken there; none where rows are only counted.
    """
    by_alias: dict[str, list[Any]] = {}
    for column in columns:
        for alias in resolver.holders(scope, column)[0][:1]:
            by_alias.setdefault(alias, []).append(column)
    yield scope, frozenset(by_alias)
    if depth > _DEPTH:
        return
    named = sources(scope)
    if not by_alias and len(named) == 1:
        by_alias = {next(iter(named)): []}
    for alias, taken in by_alias.items():
        source = named[alias]
        if isinstance(source, Scope) and passes_rows_on(source):
            inner = [found for column in taken for found in _inside(source, column)]
            if inner or not taken:
                yield from grounds(source, inner, resolver, depth + 1)


def passes_rows_on(scope: Scope) -> bool:
    """Say whether the rows of a query are those of its FROM and WHERE: not grouped, cut or made distinct."""
    query = scope.expression
    changed = ("distinct", "limit", "qualify", "having")
    return (
        isinstance(query, exp.Select)
        and not any(query.args.get(part) for part in changed)
        and not is_aggregated(scope)
    )


def _inside(source: Scope, column: Any) -> list[Any]:
    """Return the columns that an output of a query is made of."""
    items = source.expression.expressions
    for item in items:
        if item.alias_or_name.lower() == column.name.lower():
            return values(item.this if isinstance(item, exp.Alias) else item)
    stars = [item for item in items if isinstance(item, exp.Star) or isinstance(item.this, exp.Star)]
    return [exp.column(column.name, table=getattr(star, "table", "") or None) for star in stars[:1]]


def mean_of(column: Any, scope: Scope, resolver: Resolver) -> tuple[Scope, Any] | None:
    """Return the inner SELECT and expression if a column is a mean, or a ratio of sums, of groups."""
    holders, _ = resolver.holders(scope, column)
    source = sources(scope).get(holders[0]) if holders else None
    if not isinstance(source, Scope) or not isinstance(source.expression, exp.Select):
        return None
    for item in source.expression.expressions:
        if item.alias_or_name.lower() != column.name.lower():
            continue
        inner = item.this if isinstance(item, exp.Alias) else item
        while isinstance(inner, (exp.Round, exp.Cast, exp.Paren, exp.Coalesce)):
            inner = inner.this
        if isinstance(inner, exp.Column):
            return mean_of(inner, source, resolver)
        ratio = isinstance(inner, exp.Div) and all(
            side.find(exp.Sum, exp.Count) for side in (inner.this, inner.expression)
        )
        grouped = source.expression.args.get("group") is not None
        if grouped and (isinstance(inner, exp.Avg) or ratio):
            return source, inner
    return None
