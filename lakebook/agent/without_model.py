"""The offline analyst's answer as an outcome like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakebook.agent.offline import Declined, OfflineAnswer, answer
from lakebook.agent.outcome import Answer, Ending, Outcome
from lakebook.agent.references import Reference, rounded
from lakebook.operators.arguments import Search
from lakebook.operators.runtime import Runtime
from lakebook.sandbox.base import Json
from lakebook.validation.contract import Contract

OFFLINE = "offline analyst"
_PASSAGES, _LETTERS = 2, 400


def ask_offline(
    question: str,
    runtime: Runtime,
    contract: Contract,
    choose: Callable[[str, Sequence[str]], int | None] | None = None,
) -> Outcome:
    """Have the offline analyst answer.

    Args:
        question: in English.
        runtime: the lake.
        contract: what the answer is to be; one that is something else is not given.
        choose: puts a question with options to the person who is there; None if nobody is.
    """
    found = answer(question, runtime, ask=choose)
    records = tuple(runtime.records)
    if isinstance(found, Declined):
        refused = any(one.action == "reject" for one in found.findings)
        reason = f"{found.reason} {found.help}".strip()
        notes = described(found.unread, question, runtime)
        ending: Ending = "rejected" if refused else "declined"
        return Outcome(ending, OFFLINE, reason=reason, records=tuple(runtime.records), notes=notes)
    value, unfit = fitted(found.value, contract)
    if unfit:
        reason = f"it was read as {found.did}, whose answer is {unfit}."
        return Outcome("declined", OFFLINE, reason=reason, records=records)
    notes = (f"Read as {found.did}.", *found.notes)
    return Outcome("answered", OFFLINE, _answer(found, value, contract), records=records, notes=notes)


def described(words: Sequence[str], question: str, runtime: Runtime) -> tuple[str, ...]:
    """Return the passages of the lake's documents that speak of words which no table has.

    The offline analyst does not read prose, but a person who is told where a metric is defined can ask for
    what it is defined by.
    """
    if not words:
        return ()
    record = runtime.run(Search(query=question, view="content", purpose="words that no table has"))
    found = record.result if isinstance(record.result, dict) else {}
    pieces = found.get("evidence")
    told = []
    for piece in pieces if isinstance(pieces, list) else ():
        if not isinstance(piece, dict):
            continue
        text = piece.get("text_or_rows")
        if isinstance(text, str) and any(word.casefold() in text.casefold() for word in words):
            told.append(f"{piece['path']}, {piece['position']}, says: {' '.join(text.split())[:_LETTERS]}")
    return tuple(told[:_PASSAGES])


def fitted(value: Json, contract: Contract) -> tuple[Json, str]:
    """Return a value in the form of the contract, and what it is instead, "" if it fits."""
    kind = contract.type
    if kind in ("text", "date", "number", "integer") and isinstance(value, list) and len(value) == 1:
        value = value[0]
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "list" and not isinstance(value, list):
        value = [value]
    if numeric and contract.decimals is not None and isinstance(value, float):
        value = float(rounded(value, contract.decimals))
    if kind in ("number", "integer") and not numeric:
        return value, "no single number"
    if kind == "integer" and isinstance(value, float):
        return (int(value), "") if value.is_integer() else (value, "no whole number")
    if kind in ("text", "date") and not isinstance(value, str):
        return value, "no single name"
    if kind in ("boolean", "file"):
        return value, f"no {kind}"
    return value, ""


def _answer(found: OfflineAnswer, value: Json, contract: Contract) -> Answer:
    references = {
        (claim.record, claim.name): Reference(claim.record, claim.name, claim.value, claim.shown)
        for claim in found.claims
        if claim.record
    }
    behind = [Reference(found.records[0], "", found.value, "")] if found.records else []
    rests_on = tuple(references.values()) or tuple(behind)
    return Answer(found.text, value, contract.type or found.type, rests_on, found.assumptions)
