"""Rules on aggregates: what is counted, what is counted twice, and units that do not add up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.chance import summed_once
from lakebook.validation.grain import single
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.lineage import passes_rows_on, sensitive
from lakebook.validation.pairs import pairs
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, joins, owned, text, visible
from lakebook.validation.units import units_beside

_SHARE_DOUBLED = 0.001


@rule(
    "A3",
    operator="Query",
    detects="COUNT(column) that leaves out rows where the column is NULL, beside no count of rows",
    evidence="both counts, over the query's own joins and conditions",
    action="advise",
    reference="catalogue A3",
)
def count_skips_nulls(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when COUNT(column) and COUNT(*) differ and the query shows only the first."""
    statement = invocation.parsed
    if statement is None:
        return
    for measured in invocation.measured:
        scope = statement.scopes[measured.scope]
        counts = list(owned(scope, exp.Count))
        if any(isinstance(node.this, (exp.Star, exp.Literal)) for node in counts) or any(
            join.side for join in joins(scope)
        ):
            continue  # the rows are shown too; or the count of matches is what an outer join is for
        for argument, present in measured.present.items():
            if present < measured.rows:
                yield Finding(
                    "A3",
                    "advise",
                    f"COUNT({argument}) leaves out rows where {argument} is NULL.",
                    observed=f"{measured.rows:,} rows, {present:,} with a value",
                    hint="COUNT(*) counts rows; show both if the difference matters.",
                )


@rule(
    "A1",
    operator="Query",
    detects="an aggregate over a table in which whole rows stand twice",
    evidence="the card's count of duplicate rows, against what chance would give",
    action="advise",
    reference="catalogue A1",
)
def duplicate_rows(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when rows that repeat another in every column are counted again."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    told: set[str] = set()
    for scope in statement.selects():
        for node in sensitive(scope):
            table = _whole_source(scope, resolver) if not _seeks_repeats(scope) else None
            if table is None or table.name in told or not _are_suspicious(table):
                continue
            told.add(table.name)
            yield Finding(
                "A1",
                "advise",
                f"{text(node)} counts rows of {table.name} that repeat another row in every column.",
                observed=f"{table.duplicate_rows:,} of {table.rows:,} rows are duplicates",
                hint=f"If they were recorded twice, read {table.name} through SELECT DISTINCT *.",
            )


def _seeks_repeats(scope: Scope) -> bool:
    """Say whether the query asks which groups have several rows: then duplicates are what it is about."""
    having = scope.expression.args.get("having")
    return having is not None and having.find(exp.Count) is not None


def _whole_source(scope: Scope, resolver: Resolver) -> KnownTable | None:
    """Return the table whose rows a SELECT aggregates, through queries that only pass them on."""
    shown = visible(scope)
    if len(shown) != 1:
        return None
    source = next(iter(shown.values()))
    if isinstance(source, Scope):
        return _whole_source(source, resolver) if passes_rows_on(source) else None
    return resolver.table(source)


def _are_suspicious(table: KnownTable) -> bool:
    """Say whether more rows repeat than would if the columns had nothing to do with one another."""
    if not table.duplicate_rows:
        return False
    combinations = prod(max(1, column.distinct) for column in table.columns)
    expected = table.rows**2 / (2 * combinations)
    return table.duplicate_rows > 10 * expected and table.duplicate_rows > _SHARE_DOUBLED * table.rows


@rule(
    "A5",
    operator="Query",
    detects="a column beside aggregates that is not grouped by",
    evidence="the engine's own message, before anything ran",
    action="reject",
    reference="catalogue A5",
)
def not_grouped(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Say what to do about a column that has no one value in a group."""
    found = re.search(r'column "([^"]+)" must appear in the GROUP BY', invocation.refusal)
    if found:
        name = found.group(1)
        yield Finding(
            "A5",
            "reject",
            f"{name} has no one value in a group of rows.",
            observed="It stands beside aggregates and is not grouped by.",
            hint=f"GROUP BY {name}, or take one value on purpose: MIN({name}), or arg_max({name}, …).",
        )


@rule(
    "A23",
    operator="Query",
    detects="COUNT(*) over a LEFT JOIN, which counts one for rows without any match",
    evidence="both keys over all rows",
    action="advise",
    reference="catalogue A3",
)
def count_of_padding(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when groups without a match are counted as one."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    for pair in pairs(statement, resolver):
        match = knowledge.match(pair.left, pair.right)
        scope = pair.scope
        if pair.kind != "left" or match is None or pair.first in single(scope, resolver):
            continue
        unmatched = match.left.lost + match.left.nulls
        counts = list(owned(scope, exp.Count))
        if any(isinstance(test.expression, exp.Null) for test in owned(scope, exp.Is)):
            continue  # the rows without a match are what is asked for, or are kept out
        bare = [node for node in counts if isinstance(node.this, (exp.Star, exp.Literal))]
        if not bare or len(bare) < len(counts) or not unmatched or not scope.expression.args.get("group"):
            continue
        yield Finding(
            "A23",
            "advise",
            f"COUNT(*) gives 1, not 0, for rows of {pair.first} that have no match in {pair.second}.",
            observed=f"{unmatched:,} of {match.left.rows:,} rows of {pair.left.table} have none",
            hint=f"COUNT({pair.second}.{pair.right.columns[0]}) counts the matches.",
        )


@rule(
    "A9",
    operator="Query",
    detects="a sum or mean over values in several units or currencies",
    evidence="the units on the column's card, or the column beside it that names them, over the query's rows",
    action="advise",
    reference="catalogue A9",
)
def mixed_units(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when what is added up is not of one kind, and the query does not look at the unit."""
    statement = invocation.parsed
    if statement is None:
        return
    resolver = Resolver(knowledge)
    measured = {one.scope: one for one in invocation.measured}
    for position, scope in enumerate(statement.scopes):
        if not isinstance(scope.expression, exp.Select):
            continue
        counts = measured[position].distinct if position in measured else {}
        beside = units_beside(scope, resolver)
        for node in owned(scope, exp.Sum, exp.Avg, exp.Median):
            unit = beside.get(id(node))
            several = counts.get(text(unit), 0) if unit is not None else 0
            if unit is not None and several > 1:
                yield Finding(
                    "A9",
                    "advise",
                    f"{text(node)} adds values in several kinds of {unit.name}.",
                    observed=f"{several:,} different values of {unit.name} among the rows",
                    hint=f"GROUP BY {unit.name}, filter one of them, or convert first.",
                )
            origin = resolver.origin(scope, node.this)
            column = knowledge.column(origin.table, origin.column) if origin else None
            if origin and column and len(column.units) > 1:
                cell = Cells()
                yield Finding(
                    "A9",
                    "advise",
                    f"{text(node)} adds values in several units.",
                    observed=f"{origin.table}.{origin.column} holds {cell.several(column.units)}",
                    hint="Convert to one unit first.",
                    values=cell.shown(),
                )


@rule(
    "J16",
    operator="Query",
    detects="SUM(DISTINCT …) or AVG(DISTINCT …), which takes equal values of different rows only once",
    evidence="values and different values in each group, over the query's own joins and conditions",
    action="advise",
    reference="equal amounts must both count (crbnos/carbon#1380)",
)
def distinct_sum(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when DISTINCT in a sum drops values: it is no cure for rows that a join repeats."""
    statement = invocation.parsed
    if statement is None:
        return
    for measured in invocation.measured:
        for node in summed_once(statement.scopes[measured.scope]):
            groups = measured.odd.get(text(node), 0)
            if groups:
                total = measured.groups[0] if measured.groups else groups
                yield Finding(
                    "J16",
                    "advise",
                    f"{text(node)} takes equal values only once, also where they belong to different rows.",
                    observed=f"values repeat in {groups:,} of {total:,} groups",
                    hint="If a join repeats rows, aggregate each table before it; then plain SUM is right.",
                )
