"""The Load operator: take a unit into use and account for its rows (RADAR §3.1).

The lake was read when it was mapped, each file once and whole, so nothing is parsed here: the record says
what that reading gave. Which dialect a file has is decided there by trials; Load has no options for it, but
where the rules find the result suspicious it looks what other readings would give.
"""

from __future__ import annotations

from lakebook.operators.record import DataInput, Observation
from lakebook.operators.rereading import SUSPICIOUS, other_readings, told
from lakebook.operators.state import Ran, SharedState, data_input
from lakebook.sandbox.base import Json
from lakebook.sources.as_table import members_of
from lakebook.sources.card import Coverage, SourceCard, SourceGroup, SourceUnit
from lakebook.validation.invocation import Invocation


def load_arguments(card: SourceCard, unit: SourceUnit) -> dict[str, Json]:
    """Return what a record keeps of a Load's arguments."""
    return {"path": card.path, "unit": unit.unit}


def load(state: SharedState, card: SourceCard, unit: SourceUnit) -> Ran:
    """Account for the rows of a unit, look for signs of a misread file, and take it into the scope."""
    state.choose([f"{card.path}#{unit.unit}" if unit.unit else card.path])
    invocation = Invocation("Load", load_arguments(card, unit), card=card, unit=unit)
    result: Json = {
        "rows": unit.rows,
        "rows_in_file": unit.rows_in_file,
        "rows_rejected": unit.rows_rejected,
        "rows_skipped": unit.rows_skipped,
        "columns": {column.name: column.type for column in unit.columns},
    }
    inputs: tuple[DataInput, ...] = ()
    if unit.kind == "table":
        inputs = (data_input(state.known(unit.table), [column.name for column in unit.columns]),)
    findings = state.check(invocation)
    seen = [Observation("row_account", unit.table or card.path, result, unit.coverage)]
    if state.root is not None and SUSPICIOUS & {finding.rule for finding in findings}:
        readings = other_readings(state.root / card.path, card, unit)
        if readings:
            findings = (*findings, told(readings))
            first = Coverage(False, "the first lines of the file")
            seen.append(Observation("readings", card.path, [one.facts for one in readings], first))
    return Ran(inputs=inputs, output=unit.table, observations=tuple(seen), findings=findings, result=result)


def load_group(state: SharedState, group: SourceGroup) -> Ran:
    """Take the members of a group into use as one table; what is wrong with one of them is found there."""
    known = state.known(group.table)
    parts = [load(state, card, unit) for card, unit in members_of(group, state.source_map)]
    result: Json = {
        "rows": known.rows,
        "rows_in_file": known.rows_in_source,
        "members": len(group.members),
        "columns": {column.name: column.type for column in known.columns},
    }
    return Ran(
        inputs=(data_input(known, [column.name for column in known.columns]),),
        output=group.table,
        observations=(Observation("row_account", group.table, result, known.coverage),),
        findings=tuple(dict.fromkeys(finding for part in parts for finding in part.findings)),
        result=result,
    )
