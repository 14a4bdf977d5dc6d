"""Rules on windows: what comes before what, from which entity, and whether a step is missing between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.demands import wants_total_order
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, sources, text
from lakebook.validation.windows import (
    NEIGHBOURS,
    ORDERED,
    constant_order,
    counts_in_rows,
    function,
    named,
    order,
    order_is_total,
    parts,
    picks_a_row,
    windows,
)


@rule(
    "A14",
    operator="Query",
    detects="LAG, LEAD, ranks or running totals without an order, or over rows that the order leaves alike",
    evidence="the statement; different combinations of partition and order, over the query's own rows",
    action="advise",
    reference="catalogue A14",
)
def order_of_rows(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when nothing decides which row is the one before."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    measured = {one.scope: one for one in invocation.measured}
    for position, scope in enumerate(statement.scopes):
        if not isinstance(scope.expression, exp.Select):
            continue
        for window in windows(scope):
            if named(window):
                continue
            if _is_unordered(window, scope, resolver):
                yield Finding(
                    "A14",
                    "advise",
                    f"{text(window)} has no order: which row comes before which is chance.",
                    observed="It follows from the statement.",
                    hint="Add ORDER BY to the window.",
                )
            elif _ends_at_this_row(window):
                yield Finding(
                    "A14",
                    "advise",
                    f"{text(window)} is the value of the row itself: its frame ends there.",
                    observed="With ORDER BY a frame reaches to the current row unless it says otherwise.",
                    hint="ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING, or FIRST_VALUE … DESC.",
                )
            elif wants_total_order(window, scope) and not _picks_among_equals(window, scope, resolver):
                seen = measured.get(position)
                yield from _alike(
                    window, scope, resolver, seen.rows if seen else 0, seen.distinct if seen else {}
                )


def _is_unordered(window: Any, scope: Scope, resolver: Resolver) -> bool:
    if order(window) and not constant_order(window):
        return False
    found = function(window)
    if isinstance(found, exp.RowNumber):
        return picks_a_row(window, scope) and not _picks_among_equals(window, scope, resolver)
    return isinstance(found, ORDERED) or (isinstance(found, exp.AggFunc) and counts_in_rows(window))


def _picks_among_equals(window: Any, scope: Scope, resolver: Resolver) -> bool:
    """Say whether the rows of a partition repeat one another in every column, so that any will do."""
    named_sources = sources(scope)
    if len(named_sources) != 1:
        return False
    source = next(iter(named_sources.values()))
    keys = {key.name.lower() for key in parts(window) if isinstance(key, exp.Column)}
    names = {name.lower() for name in resolver.names(source) or ()}
    if names and names <= keys:
        return True
    table = resolver.table(source)
    if table is None or len(keys) != 1:
        return False
    column = table.column(next(iter(keys)))
    return column is not None and table.rows - column.distinct == table.duplicate_rows


def _ends_at_this_row(window: Any) -> bool:
    return (
        isinstance(function(window), exp.LastValue)
        and bool(order(window))
        and window.args.get("spec") is None
    )


def _alike(window: Any, scope: Scope, resolver: Resolver, rows: int, distinct: Any) -> Iterator[Finding]:
    total = order_is_total(window, scope, resolver)
    different = distinct.get(text(window), rows)
    if total or (total is None and different >= rows):
        return
    seen = (
        f"{rows:,} rows, {different:,} different combinations of {_written(window)}"
        if total is None
        else f"the groups are told apart by more than {_written(window)}"
    )
    yield Finding(
        "A14",
        "advise",
        f"{text(window)} meets rows that stand alike in its order: it may take the row of another entity.",
        observed=seen,
        hint="PARTITION BY what tells the entities apart, and order by a further column.",
    )


def _written(window: Any) -> str:
    return ", ".join(text(key) for key in [*parts(window), *order(window)])


@rule(
    "A15",
    operator="Query",
    detects="the row before taken for the period before, in a series with missing periods",
    evidence="the periods that the time column covers (complete)",
    action="advise",
    reference="catalogue A15",
)
def missing_periods(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when LAG, LEAD or a frame of rows steps over gaps in time."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for window in windows(scope):
            keys = order(window)
            steps = isinstance(function(window), NEIGHBOURS[:2]) or _moving(window)
            if named(window) or not steps or len(keys) != 1 or not isinstance(keys[0], exp.Column):
                continue
            origin = resolver.origin(scope, keys[0])
            column = knowledge.column(origin.table, origin.column) if origin else None
            takes_time = any(
                one.name.lower() == keys[0].name.lower() for one in function(window).find_all(exp.Column)
            )
            if column is None or column.time is None or not column.time.gaps_in_all or takes_time:
                continue
            first, last = column.time.gaps[0] if column.time.gaps else ("", "")
            yield Finding(
                "A15",
                "advise",
                f"{text(window)} takes the row before, which is not always the {column.time.step} before.",
                observed=f"{column.name} covers {column.time.periods:,} of {column.time.expected:,} "
                f"{column.time.step}s; the first gap is {first} to {last}",
                hint="Join a full calendar (generate_series), or use RANGE BETWEEN INTERVAL … PRECEDING.",
                values=tuple(one for one in (first, last) if one),
            )


def _moving(window: Any) -> bool:
    """Say whether the frame is a number of rows back (a moving mean)."""
    frame = window.args.get("spec")
    return counts_in_rows(window) and frame is not None and isinstance(frame.args.get("start"), exp.Literal)
