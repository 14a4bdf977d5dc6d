"""Rules on aggregates and arithmetic: what is counted, what is divided by, and what should not be summed."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, joins, owned, text, where


@rule(
    "B12",
    operator="Query",
    detects="a sum or mean of an identifier, code or calendar year",
    evidence="the column's role (inferred from all rows)",
    action="advise",
    reference="catalogue B12",
)
def aggregate_of_identifier(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when numbers that name things are added up or averaged."""
    statement = invocation.statement
    if statement is None or statement.tree is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        for node in owned(scope, exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.StddevSamp, exp.Variance):
            origin = resolver.origin(scope, node.this)
            column = knowledge.column(origin.table, origin.column) if origin else None
            if origin and column and _is_name(column, summed=isinstance(node, exp.Sum)):
                yield Finding(
                    "B12",
                    "advise",
                    f"{text(node)} treats {origin.column} as a quantity, but it {_names(column.role)}.",
                    observed=f"{origin.table}.{origin.column} has the role {column.role}",
                    hint=f"COUNT(DISTINCT {text(node.this)}) counts them; group by it to compare them.",
                )


@rule(
    "B9",
    operator="Query",
    detects="an aggregate over a column in which a code stands for missing values (-999, 9999, 1900-01-01)",
    evidence="the column's card (repeated, round, and far from all other values)",
    action="advise",
    reference="catalogue B9",
)
def aggregate_of_sentinels(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a likely code for "missing" enters a sum, mean or extreme, and nothing leaves it out."""
    statement = invocation.statement
    if statement is None or statement.tree is None:
        return
    resolver = Resolver(knowledge)
    for scope in statement.selects():
        limited = {column.name for condition in where(scope) for column in condition.find_all(exp.Column)}
        for node in owned(scope, exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.StddevSamp, exp.Min, exp.Max):
            origin = resolver.origin(scope, node.this)
            column = knowledge.column(origin.table, origin.column) if origin else None
            if not origin or not column or not column.sentinels or origin.column in limited:
                continue
            codes = ", ".join(one.value for one in column.sentinels)
            seen = ", ".join(f"{one.value} in {one.rows:,} rows" for one in column.sentinels)
            yield Finding(
                "B9",
                "advise",
                f"{text(node)} takes {codes} as a value, but it looks like a code for a missing one.",
                observed=f"{origin.table}.{origin.column} holds {seen}",
                hint=f"WHERE {text(node.this)} <> {column.sentinels[0].value}, or NULLIF in the aggregate.",
            )


def _is_name(column: Column, *, summed: bool) -> bool:
    """Say whether the numbers name things. A mean year can be meant, a mean latitude too; a mean ZIP not."""
    if column.role == "geography":
        return column.type == "integer"
    return column.role == "identifier" or (column.role == "time" and summed)


def _names(role: str) -> str:
    return "marks a time" if role == "time" else "names things"


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
    statement = invocation.statement
    if statement is None or statement.tree is None:
        return
    for measured in invocation.measured:
        scope = statement.scopes[measured.scope]
        counts = list(owned(scope, exp.Count))
        if any(isinstance(node.this, exp.Star) for node in counts) or any(join.side for join in joins(scope)):
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
    "A6",
    operator="Query",
    detects="a division whose denominator is zero in some rows (the result is infinite or NULL there)",
    evidence="count of zeros over the query's own joins and conditions",
    action="advise",
    reference="catalogue A6",
)
def zero_denominator(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on zero denominators, with their number."""
    for measured in invocation.measured:
        for denominator, zeros in measured.zeros.items():
            if zeros:
                yield Finding(
                    "A6",
                    "advise",
                    f"{denominator} is zero in some rows, and dividing by it gives infinity, not an error.",
                    observed=f"zero in {zeros:,} of {measured.rows:,} rows",
                    hint=f"Write NULLIF({denominator}, 0), and say how many rows are left out.",
                )


@rule(
    "A21",
    operator="Query",
    stage="after",
    detects="infinite or not-a-number values in the result",
    evidence="the result (all rows)",
    action="advise",
    reference="catalogue A6, O11",
)
def not_finite(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a result holds inf or NaN."""
    if invocation.outcome is None:
        return
    for column, times in invocation.outcome.not_finite.items():
        yield Finding(
            "A21",
            "advise",
            f"{column} is infinite or not a number in the result.",
            observed=f"{times:,} of {invocation.outcome.rows:,} rows",
            hint="A denominator was zero: NULLIF(…, 0).",
        )
