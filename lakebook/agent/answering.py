"""From the answer as a model wrote it to what is submitted: references filled in, the value set apart.

What belongs here: what must be so before an answer can be submitted at all: that it rests on results. Whether
it keeps its contract is for the rules, when the Answer operator runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakebook.agent.outcome import Answer
from lakebook.agent.protocol import Draft
from lakebook.agent.references import Reference, bind, fill, has_reference, numbers_of, rounded
from lakebook.agent.results import grid_of
from lakebook.errors import LakebookError
from lakebook.operators.record import ExecutionRecord
from lakebook.sandbox.base import Json
from lakebook.validation.contract import Contract

_DECLINES = re.compile(
    r"\s*(?:declined?\s*:|(?:the question )?cannot (?:be )?answer(?:ed)?\b\s*[:.-]?)\s*", re.I
)
_NUMERIC = ("number", "integer")


class NotGrounded(LakebookError):
    """An answer that rests on no result, or whose value cannot be told."""


def declined(draft: Draft) -> str:
    """Return the reason if a draft declines to answer, "" if it answers."""
    match = _DECLINES.match(draft.text)
    if match is None:
        return ""
    reason = draft.text[match.end() :].strip()
    return reason if reason.casefold().strip(".") not in ("", "the reason") else "no reason was given"


def compose(
    draft: Draft,
    records: Sequence[ExecutionRecord],
    contract: Contract,
    question: str,
    *,
    may_type_numbers: bool = True,
    needs_ground: bool = True,
) -> Answer:
    """Fill in an answer.

    Args:
        draft: as the model wrote it.
        records: those that it may refer to.
        contract: what it is to be.
        question: whose own numbers may stand in the text.
        may_type_numbers: a number that was typed is bound to the result that it is a rounding of; False where
            the model has seen no value, so that a typed number can only be invented.
        needs_ground: False takes an answer that rests on no result as it was typed (the ablation of checks).

    Raises:
        UnknownReference: it refers to something that is not there.
        NotGrounded: it rests on no result, or several values could be meant.
    """
    text, said = draft.text, draft.value
    if may_type_numbers:
        text, said = bind(text, records, question), bind(said, records)
    filled = fill(text, records, contract.decimals)
    value = fill(said, records, contract.decimals)
    assumptions = [fill(one, records, contract.decimals) for one in draft.assumptions]
    references = tuple(_keys(*filled.references, *value.references))
    if not references and not needs_ground:
        typed = _typed_value(said or text, question, contract)
        return Answer(filled.text, typed, _type_of(typed, contract), (), tuple(a.text for a in assumptions))
    if not references:
        raise NotGrounded("the answer rests on no result.", hint=_how_to_refer(records))
    bare = _value(said, value.references, filled.references, contract, filled.text)
    return Answer(filled.text, bare, _type_of(bare, contract), references, tuple(a.text for a in assumptions))


def _how_to_refer(records: Sequence[ExecutionRecord]) -> str:
    """Show how the latest result is referred to; nothing of it is said."""
    for record in reversed(records):
        grid = grid_of(record.result)
        if record.operator == "Answer" or record.result is None or record.error:
            continue
        place = (
            f"{{{record.id}}}" if grid and grid.count == len(grid.columns) == 1 else f"{{{record.id}.column}}"
        )
        return f"Write the same sentence with {place} in place of the value: code puts it there."
    return "Run a query first, then write {r001.column} where its value stands."


def _keys(*references: Reference) -> list[Reference]:
    """Return references, each place once: values of lists do not hash."""
    by_place = {(one.record, one.path): one for one in reversed(references)}
    return [by_place[key] for key in dict.fromkeys((one.record, one.path) for one in references)]


def _value(
    said: str, set_apart: Sequence[Reference], named: Sequence[Reference], contract: Contract, text: str
) -> Json:
    """Return the bare value: the one set apart, else the only one in the text that fits the contract."""
    if said and has_reference(said):
        values = [one.value for one in set_apart]
        return _fitted(values[0] if len(values) == 1 else values, contract)
    if said and contract.type not in ("list", "table"):
        return _typed(said, contract)
    values = [one.value for one in named]
    if contract.type in _NUMERIC:
        values = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    elif contract.type in ("text", "date"):
        values = [one for one in values if isinstance(one, str)]
    elif contract.type == "boolean":
        yes = re.match(r"\W*(yes|no|true|false)\b", text, re.I)
        values = (
            [yes.group(1).lower() in ("yes", "true")] if yes else [v for v in values if isinstance(v, bool)]
        )
    elif contract.type == "list":
        whole = next((one for one in values if isinstance(one, list)), values)
        return _fitted(whole, contract)
    elif contract.type == "table":
        return next((one for one in values if grid_of(one)), values)
    distinct = [one for place, one in enumerate(values) if one not in values[:place]]
    if len(distinct) == 1:
        return _fitted(distinct[0], contract)
    if contract.type is None or contract.type == "text":
        return text
    kind = contract.type
    raise NotGrounded(
        f"the answer is to be one {kind}, and it holds {len(distinct)}.",
        hint="Add a line `Value: {r001.column}` with the one that is asked for.",
    )


def _fitted(value: Json, contract: Contract) -> Json:
    """Round what the contract rounds, and unpack what holds one value where one is asked for."""
    if contract.type == "list":
        value = value if isinstance(value, list) else [value]
        return [_fitted(one, Contract(decimals=contract.decimals)) for one in value]
    if contract.decimals is not None and isinstance(value, float) and value == value:
        return float(rounded(value, contract.decimals)) if abs(value) < 1e300 else value
    if contract.type == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _typed(said: str, contract: Contract) -> Json:
    if contract.type == "boolean":
        return said.strip().lower() in ("yes", "true") if said.strip().lower() in _BOOLEANS else said
    return said


def _typed_value(text: str, question: str, contract: Contract) -> Json:
    """Return the value of an answer that nothing stands behind: the only new number in it, or its words."""
    if contract.type not in _NUMERIC:
        return _typed(text, contract)
    asked = set(numbers_of(question))
    found = [number for number in numbers_of(text) if number not in asked]
    return _fitted(found[0], contract) if len(found) == 1 else text


_BOOLEANS = ("yes", "no", "true", "false")


def _type_of(value: Json, contract: Contract) -> str:
    """Return the declared type, else that of the value."""
    if contract.type is not None:
        return contract.type
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) else "number"
    if isinstance(value, list):
        return "list"
    return "table" if isinstance(value, dict) else "text"
