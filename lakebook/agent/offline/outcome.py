"""What the offline analyst hands back: an answer with all it rests on, or a decline with the reason.

Only data types live here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lakebook.analyst.claim import Claim
from lakebook.operators.record import DataInput, Finding, Verdict
from lakebook.sandbox.base import Json
from lakebook.validation.contract import AnswerType

Ask = Callable[[str, Sequence[str]], int | None]  # a question and its options; the option chosen, or None


@dataclass(frozen=True, slots=True)
class OfflineAnswer:
    """An answer that was computed without a model.

    Attributes:
        value: a number or text; a list of names; or rows, each a mapping of column to value, for a table.
        text: the answer as a sentence; `claims` carry every number in it.
        sql: what computed it. `did`: the same in words. `assumptions`: what the words left open.
        notes: what a reader must know: rows without a value, ties, groups without a name.
        sources: what was read, with the rows covered; `files` are the files behind a group of files.
        records: ids of the records it rests on, the answer's own last.
        verdict, findings: of the checks, on the query and on the answer.
    """

    value: Json
    type: AnswerType
    text: str
    claims: tuple[Claim, ...]
    sql: str
    did: str
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = ""
    sources: tuple[DataInput, ...] = ()
    files: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    verdict: Verdict = "pass"
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Declined:
    """A question that was not answered.

    Attributes:
        reason: why. `help`: what would make it answerable. `unread`: words that mean nothing here.
        options: readings between which the words do not decide.
        records, findings: of queries that were tried, if any were.
    """

    reason: str
    help: str
    unread: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
