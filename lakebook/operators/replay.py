"""Stored records replayed: what the rules say of each invocation now, on the data as they are now.

What belongs here: having recorded invocations checked again, in their order, so that an earlier Probe
serves a later Query as it did then. Probes and queries run again, for their rules rest on what is measured;
code does not: its rules read it. Comparing then with now is for whoever asks
(`lakebook.pipeline.replayed_rules`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lakebook.analyst.table import Table
from lakebook.errors import LakebookError
from lakebook.operators.arguments import read_operation
from lakebook.operators.compute import parse_code
from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.operators.runtime import Runtime
from lakebook.validation.invocation import Invocation


@dataclass(frozen=True, slots=True)
class Replayed:
    """A record with what the rules say of its invocation now; `reason` says why nothing could be said."""

    record: ExecutionRecord
    findings: tuple[Finding, ...] = ()
    reason: str = ""


def replay(
    runtime: Runtime, records: Sequence[ExecutionRecord], table: Table | None = None
) -> Iterator[Replayed]:
    """Have recorded invocations checked again.

    Args:
        runtime: a fresh one over the lake; it makes records of its own.
        records: of one analysis, in order.
        table: what facts were computed of, if any were.
    """
    for record in records:
        if record.operator == "Compute":
            yield _compute(runtime, record, table)
            continue
        try:
            now = runtime.run(read_operation({"operator": record.operator, **_arguments(record)}))
        except LakebookError as error:
            yield Replayed(record, reason=str(error))
            continue
        lost = now.error and not record.error and not now.findings
        yield Replayed(record, now.findings, now.error if lost else "")


def _arguments(record: ExecutionRecord) -> dict[str, object]:
    """Return the arguments as an operation takes them; the name of the result stands beside them."""
    given: dict[str, object] = dict(record.arguments)
    if record.operator == "Query" and record.output:
        given["output"] = record.output
    return given


def _compute(runtime: Runtime, record: ExecutionRecord, table: Table | None) -> Replayed:
    """Have code checked as it was: over the prepared table, or over the tables that it names."""
    tree, error = parse_code(str(record.arguments.get("code", "")))
    if tree is None:
        return Replayed(record, reason=error)
    if record.arguments.get("kept"):
        return Replayed(record)  # what only prepares is not checked
    names = record.arguments.get("inputs")
    if not isinstance(names, list):
        return Replayed(
            record,
            runtime.state.check(Invocation("Compute", record.arguments, table=table, tree=tree)),
        )
    try:
        frames = {str(name): runtime.state.known(str(name)) for name in names}
    except LakebookError as lost:
        return Replayed(record, reason=str(lost))
    return Replayed(
        record,
        runtime.state.check(Invocation("Compute", record.arguments, tree=tree, frames=frames)),
    )
