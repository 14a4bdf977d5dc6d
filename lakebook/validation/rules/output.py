"""Rules on what comes out: results that are empty, with what emptied them."""

from __future__ import annotations

from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.invocation import Invocation, Outcome
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule


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
    if outcome is None or not (outcome.rows == 0 or outcome.only_nulls or _counts_nothing(outcome)):
        return
    what = "The result is empty." if not outcome.rows else "The result is made of no row."
    if outcome.only_nulls:
        what = "The result holds nothing but NULL."
    emptied = next((step for step in outcome.narrowings if step.rows_after == 0), None)
    if outcome.rows_before == 0:
        cell = Cells()
        held = "; ".join(f"{side} holds {cell.several(values)}" for side, values in outcome.keys.items())
        yield Finding(
            "O11",
            "advise",
            f"{what} The joined inputs have no row even before WHERE.",
            observed="0 rows after FROM and JOIN" + (f"; {held}" if held else ""),
            hint="Check that the join keys have values in common.",
            values=cell.shown(),
        )
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


def _counts_nothing(outcome: Outcome) -> bool:
    """Say whether what was counted or added up is no row at all."""
    last = outcome.narrowings[-1].rows_after if outcome.narrowings else outcome.rows_before
    return last == 0


def _path(outcome: Outcome) -> str:
    start = [f"{outcome.rows_before:,} rows"] if outcome.rows_before is not None else []
    return " → ".join(start + [f"{step.rows_after:,} after {step.condition}" for step in outcome.narrowings])
