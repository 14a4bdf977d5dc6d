"""What is to be mended, and what is proposed: the words that the modules of this package share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lakebook.operators.record import Finding
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.statement import Statement, parse

# What is said of a statement that names or writes something so that it cannot be read: it may cause the rest.
_UNREAD = frozenset({"Q1", "Q4", "B1", "B3"})
# Further findings that a change of the text can cure. What else is rejected is wrong in what it means.
_CURABLE = frozenset({"A5", "B7", "F2"})


@dataclass(frozen=True, slots=True)
class Failure:
    """A statement that did not run: the engine's words, or what the rules say of it."""

    sql: str
    error: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def rejections(self) -> tuple[Finding, ...]:
        """The findings that kept it from running."""
        return tuple(finding for finding in self.findings if finding.action == "reject")

    @property
    def told(self) -> str:
        """Why it did not run, in a line."""
        return self.error or " ".join(dict.fromkeys(finding.message for finding in self.rejections))

    @property
    def curable(self) -> bool:
        """Whether it failed by its text: an error of the engine, or findings on names, types and writing."""
        rejected = {finding.rule for finding in self.rejections}
        return bool(rejected & _UNREAD) or rejected <= _CURABLE if rejected else bool(self.error)

    def parsed(self) -> Statement:
        """Return the statement taken apart; its tree may be changed."""
        return parse(self.sql)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A statement that may do what was meant. `kind`: by which means; `changed`: what, in words."""

    kind: str
    sql: str
    changed: str


Mender = Callable[[Failure, Knowledge], Proposal | None]
