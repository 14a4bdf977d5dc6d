"""What a repair rule is, and the fault that calls for it.

A rule names the faults it answers and edits one statement at a time. A rule without a fault is applied before
the first run, because its obstacle raises nothing and changes the figure in silence. The rules stand in the
modules beside this one; `registry` lists them.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.script import Edit, Script


@dataclass(frozen=True, slots=True)
class Fault:
    """The exception that a run ended with."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name


@dataclass(frozen=True, slots=True)
class RepairRule:
    """One fix.

    Attributes:
        kind: its name, as it stands in the record.
        why: what the obstacle is, for the reader.
        edit: the edit of one statement; it returns the statement as it is where it does not apply.
        fault: a pattern for "Name: message"; "" for a rule that is applied before the first run.
        changes_meaning: True if the component no longer asks quite the same question.
    """

    kind: str
    why: str
    edit: Edit
    fault: str = ""
    changes_meaning: bool = field(default=False)

    def answers(self, fault: Fault) -> bool:
        """Return True if this fault may be mended by the rule."""
        return bool(self.fault) and re.search(self.fault, str(fault)) is not None

    def apply(self, script: Script) -> tuple[Script, list[Repair]]:
        """Edit the script; no repairs means that the rule found nothing to do."""
        return script.edited(self.edit, self.kind, changes_meaning=self.changes_meaning)


def expression(code: str) -> ast.expr:
    """Return the syntax tree of an expression."""
    return ast.parse(code, mode="eval").body
