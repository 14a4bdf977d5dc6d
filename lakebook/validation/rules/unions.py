"""Rules on UNION: columns meet by position, not by name, and UNION without ALL drops equal rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, Statement


@rule(
    "J14",
    operator="Query",
    detects="UNION of columns in another order, or one that drops equal rows of measures",
    evidence="the names on both sides; the rows with and without duplicates",
    action="advise",
    reference="catalogue J14",
)
def union_by_position(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when names stand at other positions on the two sides, and when rows vanish in a UNION."""
    statement = invocation.parsed
    if statement is None:
        return
    measured = {one.scope: one for one in invocation.measured}
    for position, scope in enumerate(statement.scopes):
        node = scope.expression
        if not isinstance(node, exp.Union):
            continue
        yield from _other_order(node, statement, knowledge)
        seen = measured.get(position)
        dropped = seen.rows - seen.distinct.get("union", seen.rows) if seen is not None else 0
        if dropped:
            yield Finding(
                "J14",
                "advise",
                "UNION without ALL drops rows that are equal in every column, and so values that count.",
                observed=f"{dropped:,} of {seen.rows if seen else 0:,} rows are dropped",
                hint="UNION ALL keeps them.",
            )


def _other_order(node: Any, statement: Statement, knowledge: Knowledge) -> Iterator[Finding]:
    left, right = node.left, node.right
    if node.args.get("by_name") or not isinstance(left, exp.Select) or not isinstance(right, exp.Select):
        return
    names = [[item.alias_or_name.lower() for item in side.expressions] for side in (left, right)]
    first, second = names
    if len(first) != len(second):
        return
    moved = [
        name
        for index, name in enumerate(second)
        if name and name in first and first.index(name) != index and second.count(name) == 1
    ]
    if not moved or _is_exchange(left, right, moved, statement, knowledge):
        return
    yield Finding(
        "J14",
        "advise",
        f"UNION pairs columns by position, and {', '.join(moved)} stand elsewhere on the second side.",
        observed=f"{', '.join(first)} over {', '.join(second)}",
        hint="Bring them into the same order, or write UNION ALL BY NAME.",
    )


def _is_exchange(left: Any, right: Any, moved: list[str], statement: Statement, knowledge: Knowledge) -> bool:
    """Say whether plain columns of one table change places, as when each pair is wanted both ways round."""
    resolver = Resolver(knowledge)
    items = [
        item for side in (left, right) for item in side.expressions if item.alias_or_name.lower() in moved
    ]
    if not all(isinstance(item, exp.Column) for item in items):
        return False
    tables = {table.name.lower() for side in (left, right) for table in side.find_all(exp.Table)}
    kinds = set()
    for scope in statement.selects():
        for item in scope.expression.expressions if scope.expression in (left, right) else []:
            origin = resolver.origin(scope, item) if item in items else None
            column = knowledge.column(origin.table, origin.column) if origin else None
            kinds.add((column.type, column.role) if column else None)
    return len(tables) == 1 and len(kinds - {None}) <= 1
