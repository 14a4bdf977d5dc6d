"""How asking ended: an answer with what it rests on, or the reason why there is none.

What belongs here: the nouns that the loop, the offline analyst, the kept run and the command share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lakebook.agent.references import Reference
from lakebook.operators.record import ExecutionRecord, Finding, Verdict
from lakebook.sandbox.base import Json
from lakebook.validation.registry import verdict

Ending = Literal["answered", "declined", "rejected", "budget", "failed"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An accepted answer.

    Attributes:
        text: for a reader. `value`: the bare value, of the declared type. `type`: what it is.
        references: the values in it, each with the record that computed it.
        assumptions: what was taken to be meant.
    """

    text: str
    value: Json
    type: str
    references: tuple[Reference, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one question.

    Attributes:
        ending: `answered`; `declined` with a reason; `rejected`, if what was to be said did not stand up to
            the checks; `budget`, if rounds or money ran out; `failed`, if the model was of no use.
        by: who answered, "offline" or the name of a model.
        reason: why there is no answer, "" if there is one.
        records: everything that was run, in order.
        rounds: replies of the model.
        notes: what the person should know of how it went.
    """

    ending: Ending
    by: str
    answer: Answer | None = None
    reason: str = ""
    records: tuple[ExecutionRecord, ...] = ()
    rounds: int = 0
    notes: tuple[str, ...] = ()

    @property
    def resting_on(self) -> tuple[ExecutionRecord, ...]:
        """The records that hold the answer's values, and those whose results they were computed from."""
        if self.answer is None:
            return ()
        return grounds({one.record for one in self.answer.references}, self.records)

    @property
    def findings(self) -> tuple[tuple[str, Finding], ...]:
        """What the rules said of the records behind the answer, and of itself: (record, finding)."""
        taken = [one for one in self.records if one.operator == "Answer" and one.verdict != "reject"]
        behind = [*self.resting_on, *(one for one in taken[-1:] if one not in self.resting_on)]
        return tuple((record.id, finding) for record in behind for finding in record.findings)

    @property
    def verdict(self) -> Verdict:
        """The gravest word of the rules on the answer; `not_checked` where there is none or they were off."""
        if self.answer is None:
            return "reject" if self.ending == "rejected" else "not_checked"
        said = verdict([finding for _, finding in self.findings])
        unchecked = any(not record.validated for record in self.records)
        return "not_checked" if said == "pass" and unchecked else said


def grounds(ids: set[str], records: Sequence[ExecutionRecord]) -> tuple[ExecutionRecord, ...]:
    """Return the records of these ids and all those whose named results they read, in order."""
    by_output = {record.output.lower(): record for record in records if record.output and not record.error}
    wanted = set(ids)
    for record in reversed(records):
        if record.id not in wanted:
            continue
        for source in record.inputs:
            name = source.source.removeprefix("result ").lower()
            if name in by_output and by_output[name].id != record.id:
                wanted.add(by_output[name].id)
    return tuple(record for record in records if record.id in wanted)
