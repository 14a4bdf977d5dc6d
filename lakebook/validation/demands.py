"""What rules want counted of each SELECT of a statement: reasoning on the tree and on what is known already.

Whatever keys, null counts and ranges on the cards settle is not asked for. The runtime counts the rest
(`operators.measure.scopes`), and rules find the counts under the texts that stand here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.sources.card import Column
from lakebook.validation.chance import odd_groups
from lakebook.validation.grain import Place, group_columns, is_aggregated, pinned, place, single
from lakebook.validation.lineage import grounds, sensitive, values
from lakebook.validation.statement import Resolver, Statement, joins, opaque, owned, sources, text, visible
from lakebook.validation.units import units_beside
from lakebook.validation.windows import (
    NEIGHBOURS,
    counts_in_rows,
    function,
    named,
    order,
    order_is_total,
    parts,
    picks_a_row,
    windows,
)

# Aggregates that do not mind repeats as long as every row of a group is repeated, or none.
_INDIFFERENT_WITHIN_A_ROW = (exp.Avg, exp.Median, exp.PercentileCont, exp.Quantile)


@dataclass(frozen=True, slots=True)
class Ground:
    """A join whose rows an aggregate takes.

    Attributes:
        aggregate: the node. `scope`: the SELECT of the join, which may lie below that of the aggregate.
        aliases: inputs of the join whose columns the aggregate takes; none if it counts rows.
    """

    aggregate: Any
    scope: Scope
    aliases: frozenset[str]


@dataclass
class Demands:
    """What is to be counted of one SELECT.

    Attributes:
        aliases: inputs whose rows may stand several times. `present`: arguments of COUNT that may be null.
        zeros: denominators that may be zero. `distinct`: name -> columns whose combinations are counted.
        odd: name -> condition over one group; counted are the groups in which it holds.
        sizes: whether the sizes of the groups are wanted. `union`: whether the rows that a UNION drops are.
    """

    aliases: set[str] = field(default_factory=set)
    present: dict[str, Any] = field(default_factory=dict)
    zeros: dict[str, Any] = field(default_factory=dict)
    distinct: dict[str, list[Any]] = field(default_factory=dict)
    odd: dict[str, Any] = field(default_factory=dict)
    sizes: bool = False
    union: bool = False

    def __bool__(self) -> bool:
        return bool(
            self.aliases
            or self.present
            or self.zeros
            or self.distinct
            or self.odd
            or self.sizes
            or self.union
        )


def measurable(scope: Scope, resolver: Resolver) -> bool:
    """Say whether a SELECT stands for itself and reads only what is understood."""
    named = sources(scope)
    understood = not any(opaque(source) for source in named.values())
    return bool(named) and understood and not (scope.is_subquery and _reaches_out(scope, resolver))


def _reaches_out(scope: Scope, resolver: Resolver) -> bool:
    """Say whether a subquery names a column of a query around it."""
    aliases = {item.alias.lower() for item in scope.expression.expressions if item.alias}
    for column in scope.expression.find_all(exp.Column):
        inside = column.parent_select is scope.expression
        if inside and not isinstance(column.this, exp.Star) and column.name.lower() not in aliases:
            holders, all_known = resolver.holders(scope, column)
            if not holders and all_known:
                return True
        elif not inside and column.table and not _is_known_below(column, scope):
            return True
    return False


def _is_known_below(column: Any, scope: Scope) -> bool:
    """Say whether a qualified column of a query inside this one belongs to this one or to what it holds."""
    tables = {table.alias_or_name.lower() for table in scope.expression.find_all(exp.Table, exp.Subquery)}
    return column.table.lower() in tables


def joins_under_aggregates(statement: Statement, resolver: Resolver) -> Iterator[Ground]:
    """Yield each join of several inputs together with the aggregates over its rows that repeats change."""
    for scope in statement.selects():
        for node in sensitive(scope):
            if _counts_matches(node, scope, resolver):
                continue
            for position, (below, aliases) in enumerate(grounds(scope, values(_argument(node)), resolver)):
                if len(visible(below)) < 2 or not measurable(below, resolver):
                    continue
                if position == 0 and isinstance(node, _INDIFFERENT_WITHIN_A_ROW):
                    aliases = _not_pinned(node, scope, aliases, resolver)
                    if not aliases:
                        continue
                yield Ground(node, below, aliases)


def _argument(node: Any) -> Any:
    """Return what an aggregate takes, for those whose argument stands beside them too."""
    around = node.parent
    return around.expression if isinstance(around, exp.WithinGroup) else node


def _counts_matches(node: Any, scope: Scope, resolver: Resolver) -> bool:
    """COUNT(right.column) over a LEFT JOIN counts matches: that is what it is for, if a side stays single."""
    outer = isinstance(node, exp.Count) and any(join.side for join in joins(scope))
    return outer and bool(values(node)) and bool(single(scope, resolver))


def _not_pinned(node: Any, scope: Scope, aliases: frozenset[str], resolver: Resolver) -> frozenset[str]:
    """Leave out the inputs of which each group has one row only: a mean does not mind its repetition."""
    window = node.find_ancestor(exp.Window, exp.Select)
    keys = window.args.get("partition_by") or [] if isinstance(window, exp.Window) else group_columns(scope)
    given: frozenset[Place] = frozenset(
        found for found in (place(scope, resolver, key) for key in keys or []) if found is not None
    )
    return frozenset(alias for alias in aliases if not pinned(scope, resolver, alias, given))


def demands(statement: Statement, resolver: Resolver) -> dict[int, Demands]:
    """Return position of a SELECT -> what is to be counted of it, where anything is."""
    positions = {id(scope): position for position, scope in enumerate(statement.scopes)}
    found: dict[int, Demands] = {}
    for scope in statement.selects():
        if measurable(scope, resolver):
            found[positions[id(scope)]] = _own(scope, resolver)
    for position, scope in enumerate(statement.scopes):
        if drops_values(scope.expression, statement, resolver):
            found[position] = Demands(union=True)
    for ground in joins_under_aggregates(statement, resolver):
        alone = single(ground.scope, resolver)
        wanted = set(visible(ground.scope)) if not alone else set(ground.aliases) - alone
        if wanted and not (ground.aliases & alone):
            found[positions[id(ground.scope)]].aliases |= wanted
    return {position: one for position, one in found.items() if one}


def _own(scope: Scope, resolver: Resolver) -> Demands:
    wanted = Demands()
    outer = any(join.side in ("LEFT", "RIGHT", "FULL") for join in joins(scope))
    for node in owned(scope, exp.Count):
        if isinstance(node.this, exp.Column) and (outer or _may_be_null(node.this, scope, resolver)):
            wanted.present[text(node.this)] = node.this
    for node in owned(scope, exp.Div):
        bottom = node.expression
        plain = bottom.find(exp.Column) and not bottom.find(exp.AggFunc, exp.Select, exp.Nullif)
        plain = plain and not _is_guarded(node)
        if plain and _may_be_zero(bottom, scope, resolver):
            wanted.zeros[text(bottom)] = bottom
    for window in windows(scope):
        if is_aggregated(scope) or not wants_total_order(window, scope):
            continue  # of groups nothing is counted here
        if order_is_total(window, scope, resolver) is None:
            wanted.distinct[text(window)] = [*parts(window), *order(window)]
    wanted.odd = odd_groups(scope)
    for column in units_beside(scope, resolver).values():
        wanted.distinct[text(column)] = [column]
    wanted.sizes = _averaged_again(scope)
    return wanted


def wants_total_order(window: Any, scope: Scope) -> bool:
    """Say whether a window needs an order in which no two rows stand alike."""
    if named(window) or not order(window):
        return False
    neighbour = isinstance(function(window), NEIGHBOURS)
    running = isinstance(function(window), exp.AggFunc) and counts_in_rows(window)
    return neighbour or running or picks_a_row(window, scope)


def _averaged_again(scope: Scope) -> bool:
    """Say whether a query around this one may average the means of its groups."""
    if scope.expression.args.get("group") is None or not scope.expression.find(exp.Avg, exp.Div):
        return False
    root = scope.expression.root()
    return any(node.find_ancestor(exp.Select) is not scope.expression for node in root.find_all(exp.Avg))


def _is_guarded(node: Any) -> bool:
    """Say whether the division stands in a CASE that tests what it divides by."""
    case = node.find_ancestor(exp.Case, exp.If, exp.Select)
    if not isinstance(case, (exp.Case, exp.If)):
        return False
    wanted = {column.name.lower() for column in node.expression.find_all(exp.Column)}
    tests = [branch.this for branch in case.args["ifs"]] if isinstance(case, exp.Case) else [case.this]
    return any(column.name.lower() in wanted for test in tests for column in test.find_all(exp.Column))


def _may_be_null(column: Any, scope: Scope, resolver: Resolver) -> bool:
    origin = resolver.origin(scope, column)
    known = resolver.knowledge.column(origin.table, origin.column) if origin else None
    return known is None or known.nulls > 0


def _may_be_zero(node: Any, scope: Scope, resolver: Resolver) -> bool:
    """Say whether a denominator may be zero; a column's range on its card can rule it out."""
    inner = node.this if isinstance(node, (exp.Cast, exp.Paren)) else node
    origin = resolver.origin(scope, inner)
    known = resolver.knowledge.column(origin.table, origin.column) if origin else None
    if known is None or known.type not in ("integer", "number") or known.min is None or known.max is None:
        return True
    try:
        return float(known.min) <= 0 <= float(known.max)
    except ValueError:
        return True


def drops_values(node: Any, statement: Statement, resolver: Resolver) -> bool:
    """Say whether a UNION without ALL is over values that may be equal by chance: measures, not names."""
    if not isinstance(node, exp.Union) or not node.args.get("distinct"):
        return False
    items = [
        (item, scope)
        for scope in statement.selects()
        if scope.expression in (node.left, node.right)
        for item in scope.expression.expressions
    ]
    return any(_measure(*one, resolver) for one in items) and not any(
        _names_rows(*one, resolver) for one in items
    )


def _known(item: Any, scope: Any, resolver: Resolver) -> Column | None:
    inner = item.this if isinstance(item, exp.Alias) else item
    origin = resolver.origin(scope, inner)
    return resolver.knowledge.column(origin.table, origin.column) if origin else None


def _measure(item: Any, scope: Any, resolver: Resolver) -> bool:
    column = _known(item, scope, resolver)
    return column is not None and column.role == "measure" and column.type in ("integer", "number")


def _names_rows(item: Any, scope: Any, resolver: Resolver) -> bool:
    column = _known(item, scope, resolver)
    words = set(re.findall(r"[a-z]+", item.alias_or_name.lower()))
    return bool(words & {"id", "key", "code", "no"}) or (column is not None and column.role == "identifier")
