"""One case of the benchmark: code that is right or wrong, with what is known beside it."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass

from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.question import read_question
from lakebook.validation.registry import check, rules


@dataclass(frozen=True, slots=True)
class Case:
    """Code and whether it answers its question rightly.

    Attributes:
        group: what must not be parted between the two halves (a data file, a gold pipeline).
        kind: class of the error, "" if it is right. `failed`: something in it raised when it was run.
    """

    id: str
    group: str
    code: str
    question: str
    right: bool
    kind: str = ""
    failed: bool = False

    @property
    def half(self) -> str:
        """`looked` for the half that rules were developed on, `scored` for the other."""
        return "looked" if int(hashlib.sha256(self.group.encode()).hexdigest(), 16) % 2 == 0 else "scored"


def question_findings(code: str, question: str, knowledge: Knowledge) -> list[Finding]:
    """Return what the rules on question and operations say when an answer that rests on the code is given."""
    if not question:
        return []
    record = ExecutionRecord("r001", "Compute", "", {"code": code})
    invocation = Invocation("Answer", records=(record,), question=read_question(question))
    families = {rule.id: rule.family for rule in rules()}
    found = check(invocation, knowledge, "before")
    return [one for one in found if families[one.rule] == "question" and one.action != "not_checked"]


def findings(code: str, question: str, knowledge: Knowledge) -> tuple[Finding, ...] | None:
    """Return what the rules say of code before it runs, None if it cannot be parsed."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    asked = read_question(question) if question else None
    invocation = Invocation("Compute", {"code": code}, tree=tree, question=asked)
    return check(invocation, knowledge, "before")
