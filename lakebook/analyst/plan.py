"""The plan and the findings: what the analyst will do, did, and found, in the order of the notebook."""

from __future__ import annotations

from dataclasses import dataclass

from lakebook.analyst.claim import Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.play import Candidate
from lakebook.analyst.table import Table


@dataclass(frozen=True, slots=True)
class Step:
    """One planned section.

    Attributes:
        id: "s01" …, order of the plan. `score`: why it stands there, 0 to 1.
        components: ids of enhanced components that answer the same question, best first.
    """

    id: str
    play: str
    title: str
    goal: str
    candidate: Candidate
    score: float
    why: str = ""
    components: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A play that was not run, and the one-line reason."""

    play: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done: the table with its structure, the steps, and what does not apply."""

    intent: Intent
    table: Table
    steps: tuple[Step, ...]
    not_applicable: tuple[NotApplicable, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A step after it was computed and read.

    Attributes:
        compute, figure: code as it stands in the notebook; `methods`: functions that the code calls.
        record: id of the Compute record. `score`: final score, by which sections are chosen.
        published: False if it is left out of the notebook; `reason` says why.
        answers: how directly it answers the question: 2 a group that the question names, 1 what else it asks
            for, 0 anything further.
    """

    step: str
    play: str
    key: str
    title: str
    goal: str
    method: str
    compute: str
    figure: str
    methods: tuple[str, ...]
    columns: tuple[str, ...]
    record: str
    verdict: str
    score: float
    population: str = ""
    tests: int = 0
    insights: tuple[Insight, ...] = ()
    components: tuple[str, ...] = ()
    published: bool = True
    reason: str = ""
    answers: int = 0


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of an analysis with the counts that error control needs."""

    findings: tuple[Finding, ...]
    tests_run: int = 0
    tests_kept: int = 0
