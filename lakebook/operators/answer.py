"""The Answer operator: submit what was found, to be held against its contract and the records (RADAR §3.2).

The main job's answers rest on claims, each with the code that computes it; an answer of the agent names the
records that it rests on. Whether it keeps its contract is for the rules (`rules.answer`).
"""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.analyst.claim import Claim
from lakebook.operators.arguments import Answer
from lakebook.operators.state import Ran, SharedState
from lakebook.sandbox.base import Json
from lakebook.validation.invocation import Invocation
from lakebook.validation.registry import verdict


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
    """Accept an answer if it keeps its contract and rests on the records that it names."""
    invocation = Invocation(
        "Answer",
        operation.arguments,
        text=operation.text,
        value=operation.value,
        references=resolved(state, operation.references),
        records=tuple(state.records),
    )
    findings = state.check(invocation)
    accepted: Json = {
        "value": operation.value,
        "text": operation.text,
        "references": list(invocation.references or ()),
        "artifacts": list(operation.artifacts),
    }
    return Ran(findings=findings, result=accepted if verdict(findings) != "reject" else None)


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
