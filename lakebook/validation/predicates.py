"""Predicates over one column: what rules ask to be counted before they judge a statement.

A rule names the predicates that it needs (`asks` of the registry), the runtime counts those that are not
known yet (`operators.measure.predicates`) and keeps the counts in the shared state, and the rule reads them
there. Nothing here reads data or judges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.knowledge import Knowledge, Presence
from lakebook.validation.statement import Origin, Resolver, owned, text, where

# What may not stand in a predicate: its value then depends on more than the row.
_BEYOND_THE_ROW = (exp.AggFunc, exp.Window, exp.Query, exp.Subquery, exp.Rand, exp.Parameter, exp.Placeholder)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on the rows of a table, as SQL over the table's own name of the column, quoted."""

    origin: Origin
    sql: str

    def counted(self, knowledge: Knowledge) -> Presence | None:
        """Return what was counted for it, None if nothing was."""
        return knowledge.presence(self.origin.table, self.sql)


def over_one_column(node: Any, scope: Scope, resolver: Resolver) -> tuple[Origin, Any] | None:
    """Return the one table column that an expression is made of, and the expression over that column.

    Returns:
        the column, and a copy of the expression in which it stands under the table's own name; None if the
        expression takes in several columns, none, or anything beyond the row.
    """
    if node.find(*_BEYOND_THE_ROW) is not None:
        return None
    columns = list(node.find_all(exp.Column))
    origins = {resolver.origin(scope, column) for column in columns}
    origin = origins.pop() if len(origins) == 1 else None
    if origin is None:
        return None
    own = exp.column(origin.column, quoted=True)
    if isinstance(node, exp.Column):
        return origin, own
    copied = node.copy()
    for column in list(copied.find_all(exp.Column)):
        column.replace(own.copy())
    return origin, copied


def predicate(node: Any, scope: Scope, resolver: Resolver) -> Predicate | None:
    """Return a condition of a statement as a predicate, None if it is not one over a single table column."""
    found = over_one_column(node, scope, resolver)
    return Predicate(found[0], text(found[1])) if found is not None else None


def within(
    origin: Origin, condition: Any, scope: Scope, resolver: Resolver, *, besides: Any = None
) -> Predicate:
    """Return the rows that fulfil a condition and what WHERE says of the same column.

    Args:
        origin: the column.
        condition: over the table's own name of the column.
        scope: the query.
        resolver: of its names.
        besides: a conjunct of WHERE that is left out, since it is what the condition is about.
    """
    narrowed = [condition]
    for conjunct in where(scope):
        if conjunct is besides or conjunct.find(exp.Column) is None:
            continue
        other = over_one_column(conjunct, scope, resolver)
        if other is not None and other[0] == origin:
            narrowed.append(other[1])
    return Predicate(origin, text(exp.and_(*narrowed)) if len(narrowed) > 1 else text(condition))


def tested_for_null(scope: Scope, node: Any) -> bool:
    """Say whether the query itself looks where an expression is NULL (IS NULL, IS NOT NULL, COALESCE)."""
    wanted = text(node)
    for test in owned(scope, exp.Is):
        if isinstance(test.expression, exp.Null) and text(test.this) == wanted:
            return True
    return any(text(item.this) == wanted for item in owned(scope, exp.Coalesce))


def texts_of(knowledge: Knowledge, origin: Origin) -> Iterator[str]:
    """Yield the values that are known of a text column, most frequent first; perhaps not all."""
    seen = knowledge.enumeration(origin.table, origin.column)
    for value in seen.values if seen else ():
        yield value.value
