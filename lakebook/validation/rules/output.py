"""Rules on what comes out: arbitrary cuts, ties at the cut, and empty results with what emptied them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation, Outcome
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule
from lakebook.validation.statement import text


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
    statement, outcome = invocation.statement, invocation.outcome
    if statement is None or statement.tree is None or outcome is None:
        return
    for node in statement.tree.find_all(exp.Limit):
        query = node.parent
        if query is None or query.args.get("order"):
            continue
        count = text(node.expression)
        outermost = query is statement.tree
        if outermost and not (count.isdigit() and 0 < int(count) <= outcome.rows):
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
    "O11",
    operator="Query",
    stage="after",
    detects="an empty or all-NULL result, with the condition that emptied it",
    evidence="row counts after each condition in turn and for each alone",
    action="advise",
    reference="RADAR §3.3 (diagnostics of empty results); catalogue O11",
)
def empty_result(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on nothing, and say where the rows went."""
    outcome = invocation.outcome
    if outcome is None or (outcome.rows and not outcome.only_nulls):
        return
    what = "The result is empty." if not outcome.rows else "The result holds nothing but NULL."
    emptied = next((step for step in outcome.narrowings if step.rows_after == 0), None)
    if outcome.rows_before == 0:
        yield Finding(
            "O11", "advise", f"{what} The joined inputs have no row even before WHERE.",
            observed="0 rows after FROM and JOIN", hint="Check that the join keys have values in common.",
        )  # fmt: skip
    elif emptied is not None:
        alone = (
            f"; alone it holds in {emptied.rows_alone:,}" if emptied.rows_alone else "; it holds in no row"
        )
        yield Finding(
            "O11",
            "advise",
            f"{what} No row is left after {emptied.condition}.",
            observed=_path(outcome) + alone,
            hint="An empty result can be right; if not, revise that condition.",
        )
    else:
        yield Finding("O11", "advise", what, observed=_path(outcome), hint="An empty result can be right.")


def _path(outcome: Outcome) -> str:
    start = [f"{outcome.rows_before:,} rows"] if outcome.rows_before is not None else []
    return " → ".join(start + [f"{step.rows_after:,} after {step.condition}" for step in outcome.narrowings])
