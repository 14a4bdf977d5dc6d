"""The Answer operator: submit what was found, to be held against its contract and the records (RADAR §3.2).

The main job's answers rest on claims, each with the code that computes it; an answer of the agent names the
records that it rests on. Whether it keeps its contract is for the rules (`rules.answer`).
"""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.analyst.claim import Claim
from lakebook.operators import plain
from lakebook.operators.arguments import Answer
from lakebook.operators.artifact_check import look_at_artifacts
from lakebook.operators.query import ROWS_FETCHED
from lakebook.operators.record import Observation
from lakebook.operators.state import Ran, SharedState
from lakebook.sandbox.base import Json
from lakebook.sources.card import Coverage
from lakebook.validation.invocation import Invocation
from lakebook.validation.registry import verdict
from lakebook.validation.support import support_of
from sql import read


def claim_arguments(text: str, claims: Sequence[Claim]) -> dict[str, Json]:
    """Return what a record keeps of an answer with claims."""
    return {"text": text, "claims": [claim.id for claim in claims]}


def answer_claims(state: SharedState, text: str, claims: Sequence[Claim]) -> Ran:
    """Accept an answer if each number in it is claimed and each claim rests on a record."""
    arguments = claim_arguments(text, claims)
    findings = state.check(
        Invocation("Answer", arguments, text=text, claims=tuple(claims), records=tuple(state.records))
    )
    accepted: Json = {"text": text, "claims": {claim.id: claim.value for claim in claims}}
    return Ran(findings=findings, result=accepted if verdict(findings) != "reject" else None)


def answer_contract(state: SharedState, operation: Answer) -> Ran:
    """Accept an answer if it keeps its contract and its numbers stand in what was recorded."""
    results, partial = _whole_results(state)
    invocation = state.judge.informed(
        Invocation(
            "Answer",
            operation.arguments,
            text=operation.text,
            value=operation.value,
            references=resolved(state, operation.references),
            records=tuple(state.records),
            results=results,
            partial=partial,
            artifacts=look_at_artifacts(state.artifacts, operation.artifacts, state.judge.contract),
        )
    )
    findings = state.check(invocation)
    if verdict(findings) == "reject":
        return Ran(findings=findings)
    support = support_of(invocation, state.knowledge)
    numbers: Json = dict(support.found)
    files: Json = {
        path: state.artifacts[path].sha256 for path in operation.artifacts if path in state.artifacts
    }
    accepted: Json = {
        "value": operation.value,
        "text": operation.text,
        "references": list(invocation.references or ()),
        "numbers": numbers,
        "artifacts": files,
    }
    return Ran(
        findings=findings,
        observations=(Observation("numbers", "answer", numbers, Coverage(support.complete)),),
        result=accepted,
    )


def _whole_results(state: SharedState) -> tuple[dict[str, Json], frozenset[str]]:
    """Return the results of which records show a part only, and which of them are cut even so."""
    results: dict[str, Json] = {}
    partial: set[str] = set()
    for record in state.records:
        shown = record.result
        if not isinstance(shown, dict) or record.error:
            continue
        if record.id in state.whole_rows:
            results[record.id] = {**shown, "rows": state.whole_rows[record.id]}
        tables = shown.get("tables") if record.operator == "Compute" else None
        if isinstance(tables, dict) and tables:
            whole = {name: _whole_table(state, name, shown) for name, shown in tables.items()}
            results[record.id] = {**shown, "tables": whole}
            cut = [known for name in whole if (known := state.knowledge.table(name)) is not None]
            if any(known.rows > ROWS_FETCHED for known in cut):
                partial.add(record.id)
        if shown.get("more") is True:
            partial.add(record.id)
    return results, frozenset(partial)


def _whole_table(state: SharedState, name: str, shown: Json) -> Json:
    known = state.knowledge.table(name)
    if known is None or not isinstance(shown, dict) or shown.get("row_count") == _count(shown.get("rows")):
        return shown
    found = state.lake.fetch(read("probe/first_rows"), {"table": known.name, "most": ROWS_FETCHED})
    rows: list[Json] = [[plain.plain(value) for value in row] for row in found.rows]
    return {**shown, "rows": rows}


def _count(rows: Json) -> int:
    return len(rows) if isinstance(rows, list) else 0


def resolved(state: SharedState, references: Sequence[str]) -> tuple[str, ...]:
    """Return ids of records for names of results, the last of each name; what is neither stays as it is."""
    by_output = {
        name.strip(): record.id
        for record in state.records
        if not record.error
        for name in record.output.split(",")
        if name.strip()
    }
    ids = {record.id for record in state.records}
    return tuple(name if name in ids else by_output.get(name, name) for name in references)
