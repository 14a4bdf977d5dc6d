"""Rules on the rows that a query takes in: samples left in, members of a group left out, totals counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.sources.totals import is_total_label
from lakebook.validation.cells import Cells
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.predicates import SumsByValue
from lakebook.validation.registry import rule
from lakebook.validation.rules.types import selects
from lakebook.validation.sampling import aggregates, cuts_above
from lakebook.validation.statement import Resolver, owned, physical, quoted, sources, text


@rule(
    "F16",
    operator="Query",
    detects="a sample left in: an aggregate over an arbitrary choice of rows (unordered LIMIT, SAMPLE)",
    evidence="the statement, and the rows of the table that LIMIT cuts",
    action="reject",
    reference="catalogue F16",
)
def sample_left_in(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject an aggregate over a choice that leaves rows out; advise if that is not known."""
    if invocation.question is not None and "sampl" in invocation.question.text.lower():
        return
    resolver = Resolver(knowledge)
    for scope in selects(invocation):
        if not aggregates(scope) and not scope.expression.args.get("group"):
            continue
        for cut in cuts_above(scope, resolver):
            yield Finding(
                "F16",
                "reject" if cut.certain else "advise",
                f"The aggregate runs over an arbitrary choice of rows: {cut.words} stands below it.",
                observed="Without ORDER BY any rows may be the ones that are taken."
                if cut.words.startswith("LIMIT")
                else "The choice leaves rows out.",
                hint="Take it out; for the first few by some measure, add ORDER BY.",
            )


@rule(
    "F14",
    operator="Query",
    detects="a UNION over several members of a group, but not all of them",
    evidence="the groups of the source map",
    action="advise",
    reference="catalogue F14",
)
def member_left_out(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the members of a group that a union leaves out."""
    statement = invocation.parsed
    if statement is None:
        return
    for union in statement.tree.find_all(exp.Union):
        if isinstance(union.parent, exp.SetOperation):
            continue
        read = {table.name.lower() for table in union.find_all(exp.Table) if physical(table)}
        for group in knowledge.tables.values():
            members = {name.lower(): name for name in group.members}
            left_out = [name for key, name in members.items() if key not in read]
            if 2 <= len(members) - len(left_out) < len(members):
                yield Finding(
                    "F14",
                    "advise",
                    f"The union reads {len(members) - len(left_out)} of the {len(members)} members of "
                    f"{group.name}.",
                    observed=f"It leaves out {', '.join(left_out[:8])}{' …' if len(left_out) > 8 else ''}.",
                    hint=f"{quoted(group.name)} reads all of them as one table; else say which are meant.",
                )


def _totals(invocation: Invocation, knowledge: Knowledge) -> Iterator[tuple[Any, SumsByValue]]:
    """Yield the aggregates over tables that have a value called a total, with the sums that would show it."""
    resolver = Resolver(knowledge)
    limited = _limited(invocation, resolver)
    for scope in selects(invocation):
        for node in owned(scope, exp.Sum, exp.Avg, exp.Count, exp.Median, exp.Stddev, exp.Max):
            table, measures = _aggregated(node, scope, resolver, knowledge)
            if table is None or isinstance(node.parent, exp.Window) or isinstance(node.this, exp.Distinct):
                continue  # a total adds no further value to those that are told apart
            for column in table.columns:
                seen = knowledge.enumeration(table.name, column.name)
                chosen = (table.name, column.name) in limited or _grouped(scope, table, column.name, resolver)
                if column.type != "text" or seen is None or not seen.complete or chosen:
                    continue
                if knowledge.of_values(table.name, column.name, "totals", _labels):
                    for measure in measures:
                        yield node, SumsByValue(table.name, column.name, measure)


def _labels(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(is_total_label, values))


def _aggregated(
    node: Any, scope: Scope, resolver: Resolver, knowledge: Knowledge
) -> tuple[KnownTable | None, tuple[str, ...]]:
    """Return the table that an aggregate runs over and the columns in which a total would show.

    A total shows in what is added up; in a column of prices or shares it may not, but it is in the mean.
    """
    origin = resolver.origin(scope, node.this)
    named = list(sources(scope).values())
    table = knowledge.table(origin.table) if origin else None
    if table is None and len(named) == 1:  # COUNT(*)
        table = resolver.table(named[0])
    if table is None:
        return None, ()
    measures = [one.name for one in table.columns if one.role == "measure"]
    if isinstance(node, exp.Max) and (origin is None or origin.column not in measures):
        return None, ()
    if origin is not None and origin.column in measures:
        others = [name for name in measures if name != origin.column]
        measures = [origin.column] if isinstance(node, exp.Sum) else [origin.column, *others]
    return table, tuple(measures[:_MOST_MEASURES])


def _limited(invocation: Invocation, resolver: Resolver) -> set[tuple[str, str]]:
    """Return the columns on which the statement has any condition."""
    found = set()
    for scope in selects(invocation):
        for node in owned(scope, exp.Predicate):
            for column in node.find_all(exp.Column):
                origin = resolver.origin(scope, column)
                if origin is not None:
                    found.add((origin.table, origin.column))
    return found


def _grouped(scope: Scope, table: KnownTable, column: str, resolver: Resolver) -> bool:
    """Say whether each value makes a group of its own; with LIMIT the total would take one of the places."""
    group = scope.expression.args.get("group")
    if group is None or scope.expression.args.get("limit"):
        return False
    named = [*group.expressions, *scope.expression.expressions]
    origins = (resolver.origin(scope, one.this if isinstance(one, exp.Alias) else one) for one in named)
    return any(one is not None and (one.table, one.column) == (table.name, column) for one in origins)


def _ask_sums(invocation: Invocation, knowledge: Knowledge) -> Iterator[SumsByValue]:
    return (sums for _, sums in _totals(invocation, knowledge))


_MOST_MEASURES = 3
_CLOSE = 0.01
_FEWEST_PARTS = 2


@rule(
    "F18",
    operator="Query",
    detects="rows that hold totals of other rows, aggregated together with these",
    evidence="values called total, and sums of a measure that show it (all rows)",
    action="advise",
    reference="catalogue F18",
    asks=_ask_sums,
)
def totals_mixed_in(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a value called a total has about the sum of all others, or far more than any of them."""
    taken: dict[tuple[str, str, str], list[str]] = {}
    shown: dict[tuple[str, str, str], tuple[str, float, bool]] = {}
    for node, asked in _totals(invocation, knowledge):
        sums = asked.counted(knowledge) or {}
        parts = [total for value, total in sums.items() if not is_total_label(value)]
        whole = sum(parts)
        for label, total in sums.items():
            if not is_total_label(label) or len(parts) < _FEWEST_PARTS or whole <= 0:
                continue
            is_sum = abs(total - whole) <= _CLOSE * whole
            if is_sum or total > 2 * max(parts):
                place = (asked.table, asked.by, label)
                taken.setdefault(place, []).append(text(node))
                shown.setdefault(place, (asked.measure, total, is_sum))
    for place, nodes in taken.items():
        yield _takes_total_in(place, list(dict.fromkeys(nodes)), *shown[place])


def _takes_total_in(
    place: tuple[str, str, str], nodes: list[str], measure: str, total: float, is_sum: bool
) -> Finding:
    _, by, label = place
    cell = Cells()
    what = "the sum of the others" if is_sum else "more than twice any other value has"
    take = "takes" if len(nodes) == 1 else "take"
    return Finding(
        "F18",
        "advise",
        f"{', '.join(nodes)} {take} in the rows of {by} {cell(label)}, which hold a total.",
        observed=f"{measure} of {cell(label)} is {cell(f'{total:,.12g}')}, {what}",
        hint=f"Leave them out ({quoted(by)} <> {cell(label)}), or take them alone.",
        values=cell.shown(),
    )
