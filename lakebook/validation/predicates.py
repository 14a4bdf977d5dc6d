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
from lakebook.validation.statement import Origin, Resolver, joins, owned, sources, text, where

# What may not stand in a predicate: its value then depends on more than the row.
_BEYOND_THE_ROW = (exp.AggFunc, exp.Window, exp.Query, exp.Subquery, exp.Rand, exp.Parameter, exp.Placeholder)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on the rows of a table, as SQL over the table's own name of the column, quoted.

    `listed` if the values of the column in these rows are wanted too, not only their number.
    """

    origin: Origin
    sql: str
    listed: bool = True

    def counted(self, knowledge: Knowledge) -> Presence | None:
        """Return what was counted for it, None if nothing was."""
        return knowledge.presence(self.origin.table, self.sql)


@dataclass(frozen=True, slots=True)
class SumsByValue:
    """The sum of a measure for each value of a column of the same table."""

    table: str
    by: str
    measure: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Name in the shared state."""
        return self.table.lower(), self.by.lower(), self.measure.lower()

    def counted(self, knowledge: Knowledge) -> dict[str, float] | None:
        """Return the sums, None if they were not measured."""
        return knowledge.sums.get(self.key)


def over_one_column(node: Any, scope: Scope, resolver: Resolver) -> tuple[Origin, Any] | None:
    """Return the one table column that an expression is made of, and the expression over that column.

    Returns:
        the column, and a copy of the expression in which it stands under the table's own name; None if the
        expression takes in several columns, none, or anything beyond the row.
    """
    found = over_columns(node, scope, resolver)
    return (found[0][0], found[1]) if found is not None and len(found[0]) == 1 else None


def over_columns(node: Any, scope: Scope, resolver: Resolver) -> tuple[tuple[Origin, ...], Any] | None:
    """Return the columns of one table that an expression is made of, and the expression over these.

    Returns:
        the columns, and a copy of the expression in which they stand under the table's own names; None if it
        takes in columns of several tables, none, or anything beyond the row.
    """
    if node.find(*_BEYOND_THE_ROW) is not None:
        return None
    origins = [resolver.origin(scope, column) for column in node.find_all(exp.Column)]
    known = tuple(dict.fromkeys(origin for origin in origins if origin is not None))
    if not known or None in origins or len({origin.table for origin in known}) > 1:
        return None
    copied = exp.Paren(this=node.copy())  # so that the root can be replaced too
    for column, origin in zip(list(copied.find_all(exp.Column)), origins, strict=True):
        column.replace(exp.column(origin.column, quoted=True) if origin is not None else column)
    return known, copied.this


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A predicate together with what WHERE says of the rows.

    `exact` if no other row of the table reaches the SELECT, and every one of these does.
    """

    predicate: Predicate
    exact: bool


def within(
    origin: Origin, condition: Any, scope: Scope, resolver: Resolver, *, besides: Any = None
) -> Narrowed:
    """Return the rows that fulfil a condition among those that reach a SELECT.

    Args:
        origin: the column.
        condition: over the table's own name of the column.
        scope: the SELECT.
        resolver: of its names.
        besides: a part of WHERE whose conjunct says nothing of the rows, since the condition is about it.
    """
    found: list[Any] = []
    exact = len(sources(scope)) == 1 and not any(_narrows(one) for one in sources(scope).values())
    for conjunct in where(scope):
        if besides is not None and any(one is besides for one in conjunct.walk()):
            continue
        other = over_columns(conjunct, scope, resolver)
        if other is not None and other[0][0].table == origin.table:
            found.append(other[1])
        else:
            exact = False
    return Narrowed(Predicate(origin, text(exp.and_(condition, *found)) if found else text(condition)), exact)


def _narrows(source: Any) -> bool:
    """Say whether a source of a query may pass on other rows than those of a table."""
    if not isinstance(source, Scope):
        return source.args.get("sample") is not None
    expression = source.expression
    if not isinstance(expression, exp.Select):
        return True
    parts = (
        "where",
        "having",
        "qualify",
        "limit",
        "offset",
        "sample",
        "group",
        "distinct",
        "joins",
        "laterals",
    )
    if any(map(expression.args.get, parts)):
        return True
    return any(map(_narrows, sources(source).values()))


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


def takes_all_rows(scope: Scope) -> bool:
    """Say whether a query takes in all rows of one table."""
    parts = ("where", "having", "qualify", "sample", "laterals")
    if any(map(scope.expression.args.get, parts)) or joins(scope):
        return False
    return len(sources(scope)) == 1 and not any(map(_narrows, sources(scope).values()))
