"""The offline analyst's answer as an outcome like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakebook.agent.offline import Declined, OfflineAnswer, answer
from lakebook.agent.outcome import Answer, Outcome
from lakebook.agent.references import Reference
from lakebook.operators.runtime import Runtime

OFFLINE = "offline analyst"


def ask_offline(
    question: str, runtime: Runtime, choose: Callable[[str, Sequence[str]], int | None] | None = None
) -> Outcome:
    """Have the offline analyst answer.

    Args:
        question: in English.
        runtime: the lake.
        choose: puts a question with options to the person who is there; None if nobody is.
    """
    found = answer(question, runtime, ask=choose)
    records = tuple(runtime.records)
    if isinstance(found, Declined):
        ending = "rejected" if any(one.action == "reject" for one in found.findings) else "declined"
        return Outcome(ending, OFFLINE, reason=f"{found.reason} {found.help}".strip(), records=records)
    return Outcome("answered", OFFLINE, _answer(found), records=records, notes=(found.did, *found.notes))


def _answer(found: OfflineAnswer) -> Answer:
    references = {
        (claim.record, claim.name): Reference(claim.record, claim.name, claim.value, claim.shown)
        for claim in found.claims
        if claim.record
    }
    behind = [Reference(found.records[0], "", found.value, "")] if found.records else []
    return Answer(
        found.text, found.value, found.type, tuple(references.values()) or tuple(behind), found.assumptions
    )
