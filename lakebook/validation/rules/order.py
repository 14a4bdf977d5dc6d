"""Rules on order: arbitrary cuts and values, ties, and clauses that order nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.validation.chance import arbitrary
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import is_constant, literal, owned, text


@rule(
    "O1",
    operator="Query",
    stage="after",
    detects="LIMIT without ORDER BY that cut something: which rows are left is arbitrary",
    evidence="the statement, and the number of rows of the result",
    action="advise",
    reference="sqlfluff AM09; catalogue O1, F16",
)
def limit_without_order(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on an unordered LIMIT; the outermost one only if it was reached."""
    statement, outcome = invocation.parsed, invocation.outcome
    if statement is None or outcome is None:
        return
    for node in statement.tree.find_all(exp.Limit):
        query = node.parent
        if query is None or query.args.get("order"):
            continue
        count = text(node.expression)
        outermost = query is statement.tree
        reached = count.isdigit() and 0 < int(count) <= outcome.rows
        if outermost and (not reached or outcome.cut is False):
            continue
        what = "the result is" if outermost else f"the part {_short(text(query))} is"
        yield Finding(
            "O1",
            "advise",
            f"LIMIT {count} has no ORDER BY: {what} an arbitrary choice of rows.",
            observed=f"The result has {outcome.rows:,} rows.",
            hint="Add ORDER BY; take the LIMIT out if all rows count.",
        )


def _short(sql: str, most: int = 60) -> str:
    return sql if len(sql) <= most else sql[:most] + " …"


@rule(
    "O2",
    operator="Query",
    stage="after",
    detects="a cut between rows that tie on the sort key",
    evidence="the sort keys of the last row shown and of the rows after it",
    action="advise",
    reference="catalogue O2",
)
def ties_cut(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when rows as good as the last one shown were left out."""
    outcome = invocation.outcome
    if outcome is None or not outcome.ties_left_out:
        return
    yield Finding(
        "O2",
        "advise",
        "LIMIT cuts through a tie: rows with the same sort key as the last one shown are left out.",
        observed=f"{outcome.ties_left_out:,} further rows tie with row {outcome.rows:,}",
        hint="Sort by a further column to break the tie, or show all of them (RANK() with QUALIFY).",
    )


@rule(
    "O3",
    operator="Query",
    detects="arg_max or arg_min on a tie: several rows are as good and give different values",
    evidence="the two best rows of each group, over the query's own joins and conditions",
    action="advise",
    reference="catalogue O3",
)
def extreme_on_a_tie(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when the row with the extreme is one of several."""
    statement = invocation.parsed
    if statement is None:
        return
    for measured in invocation.measured:
        for node in owned(statement.scopes[measured.scope], exp.ArgMax, exp.ArgMin):
            groups = measured.odd.get(text(node), 0)
            if groups:
                yield Finding(
                    "O3",
                    "advise",
                    f"{text(node)} takes one of several rows with the same {text(node.expression)}.",
                    observed=f"a tie with different values in {_of(groups, measured.groups)}",
                    hint=f"Show all of them, or break the tie: arg_max({text(node.this)}, "
                    f"({text(node.expression)}, …)).",
                )


def _of(groups: int, sizes: tuple[int, int, int] | None) -> str:
    total = sizes[0] if sizes else groups
    return f"{groups:,} of {total:,} groups" if total > 1 else "the rows"


@rule(
    "O4",
    operator="Query",
    detects="first, last, any_value, list or string_agg without ORDER BY, over values that differ",
    evidence="different values in each group, over the query's own joins and conditions",
    action="advise",
    reference="catalogue O4",
)
def unordered_aggregate(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when an aggregate's value hangs on the order of rows that nothing sets."""
    statement = invocation.parsed
    if statement is None:
        return
    for measured in invocation.measured:
        for node in arbitrary(statement.scopes[measured.scope]):
            groups = measured.odd.get(text(node), 0)
            if groups:
                listed = isinstance(node, (exp.ArrayAgg, exp.GroupConcat))
                what = "lists its values in" if listed else "takes a value by"
                yield Finding(
                    "O4",
                    "advise",
                    f"{text(node)} {what} the order of rows, which nothing sets.",
                    observed=f"several values in {_of(groups, measured.groups)}",
                    hint="Write ORDER BY inside the aggregate"
                    + ("." if listed else ", or arg_max(value, by what)."),
                )


@rule(
    "O5",
    operator="Query",
    detects="ORDER BY a constant, which orders nothing",
    evidence="the statement alone",
    action="advise",
    reference="catalogue O5",
)
def order_by_constant(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on ORDER BY 'column', a text and no column."""
    statement = invocation.parsed
    if statement is None:
        return
    for node in statement.tree.find_all(exp.Ordered):
        inside = node.find_ancestor(exp.Window, exp.Select)
        position = isinstance(literal(node.this), float) and not isinstance(inside, exp.Window)
        if is_constant(node.this) and not position:
            yield Finding(
                "O5",
                "advise",
                f"ORDER BY {text(node.this)} orders by a constant: every row is alike.",
                observed="It follows from the statement.",
                hint=f'A column is written without quotes, or in double ones: "{literal(node.this)}".',
            )
