"""What a repair rule is, and the fault that calls for it.

A fix names the faults that it answers. One without a fault is applied before the first run, because its
obstacle raises nothing and changes the figure in silence. A `RepairRule` edits one statement at a time and
looks at the code alone; a `TableFix` looks at the table too. They stand in the modules beside this one, and
`registry` lists them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.script import Edit, Script
from lakebook.syntax import parse_expression


@dataclass(frozen=True, slots=True)
class Fault:
    """The exception that a run ended with.

    Attributes:
        lines: the lines of the component through which it came, outermost first, without indentation.
        inside: what it then came through in libraries, outermost first: `DataFrame.corr`, `pie`.
    """

    name: str
    message: str
    lines: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name


NO_FAULT = Fault("", "")
Mending = Callable[[Adapted, Fault, Table], Adapted | None]


class Fix(Protocol):
    """One named repair."""

    @property
    def kind(self) -> str:
        """Its name, as it stands in the record."""
        ...

    @property
    def why(self) -> str:
        """What the obstacle is, for the reader."""
        ...

    @property
    def fault(self) -> str:
        """A pattern for "Name: message"; "" for a fix that is applied before the first run."""
        ...

    def answers(self, fault: Fault) -> bool:
        """Return True if this fault may be mended by the fix."""
        ...

    def mend(self, adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
        """Return the component mended and the repairs noted, None if there is nothing to do.

        `fault` is `NO_FAULT` before the first run.
        """
        ...


@dataclass(frozen=True, slots=True)
class Scene:
    """What an edit may look at beside its statement: the whole script, and the fault (`NO_FAULT` before)."""

    script: Script
    fault: Fault


Reach = Literal["everywhere", "fault", "fault first"]


@dataclass(frozen=True, slots=True)
class RepairRule:
    """A fix that edits one statement at a time and needs nothing but the code.

    Attributes:
        kind: its name, as it stands in the record.
        why: what the obstacle is, for the reader.
        edit: the edit of one statement; it returns the statement as it is where it does not apply.
        fault: a pattern for "Name: message"; "" for a rule that is applied before the first run.
        changes_meaning: True if the component no longer asks quite the same question.
        plan: makes the edit from what else is known, where one statement does not tell enough.
        reach: `everywhere` for what no version in use takes any more; `fault` for what is wrong only on
            the lines that failed; `fault first` to look elsewhere if these have nothing to edit.
        only: a pattern without which the text of a statement gives the edit nothing to do; it spares a copy.
    """

    kind: str
    why: str
    edit: Edit | None = None
    fault: str = ""
    changes_meaning: bool = field(default=False)
    plan: Callable[[Scene], Edit] | None = None
    reach: Reach = "everywhere"
    only: str = ""

    def answers(self, fault: Fault) -> bool:
        """Return True if this fault may be mended by the rule."""
        return bool(self.fault) and re.search(self.fault, str(fault)) is not None

    def apply(self, script: Script, fault: Fault = NO_FAULT) -> tuple[Script, list[Repair]]:
        """Edit the script; no repairs means that the rule found nothing to do."""
        if self.only and not any(re.search(self.only, one.text) for one in script.statements):
            return script, []
        edit = self.plan(Scene(script, fault)) if self.plan else self.edit
        if edit is None:
            return script, []
        edited, repairs = script, list[Repair]()
        reaches = [fault.lines] if self.reach != "everywhere" else [()]
        if self.reach == "fault first" and fault.lines:
            reaches.append(())
        for lines in reaches:
            edited, repairs = script.edited(
                edit, self.kind, changes_meaning=self.changes_meaning, lines=lines, only=self.only
            )
            if repairs:
                break
        return edited, repairs

    def mend(self, adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
        """Apply the edit to the component's script."""
        script, repairs = self.apply(adapted.script, fault)
        return adapted.repaired(script, repairs) if repairs else None


@dataclass(frozen=True, slots=True)
class TableFix:
    """A fix that looks at the table as well (see `Fix`)."""

    kind: str
    why: str
    mending: Mending
    fault: str = ""

    def answers(self, fault: Fault) -> bool:
        """Return True if this fault may be mended by the fix."""
        return bool(self.fault) and re.search(self.fault, str(fault)) is not None

    def mend(self, adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
        """Return the component mended, None if there is nothing to do."""
        return self.mending(adapted, fault, table)


def expression(code: str) -> ast.expr:
    """Return the syntax tree of an expression."""
    return parse_expression(code)
