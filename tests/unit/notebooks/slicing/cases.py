"""Programs with the statements that a slice must keep, as data: how they are written and judged.

The files in `cases/` hold small notebooks. `---` parts their cells, `===` goes before the targets: each
line below it is one expression that a last cell displays. At the ends of lines stand marks, each for all
targets or for those whose numbers follow: `#+` the slice keeps this line, `#?` it may, `#-` this line inside
a statement that is kept is not needed. A line at the margin without a mark is not needed by any target.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakebook.notebooks.clean import clean
from lakebook.notebooks.slicing.slicer import Program, Statement, analyze

FOLDER = Path(__file__).with_name("cases")
_MARKS = re.compile(r"(?:\s*#([+?-])(\d*))+$")
_MARK = re.compile(r"#([+?-])(\d*)")
Line = tuple[int, int]
"""Cell and line in it, from 1."""


@dataclass(frozen=True)
class Collection:
    """The cases of one file, and what it says of their origin."""

    name: str
    project: str
    licence: str
    counted: str
    count: int
    cases: tuple[Case, ...]

    def counted_cases(self) -> int:
        """Return how many tests of the project, or slices that they ask for, the cases stand for."""
        if self.counted == "tests":
            return len({case.test for case in self.cases})
        return len(self.cases)


@dataclass(frozen=True)
class Case:
    """One target of one small notebook.

    Attributes:
        wide: why the slice keeps more than it must.
        exception: why the slice is not what the project asks for.
        doubt: what the reason for a lower confidence has to mention.
        fails: some statement raises; the others are run nevertheless.
        files: text files that the notebook finds.
    """

    name: str
    test: str
    cells: tuple[str, ...]
    later: tuple[str, ...]
    target: str
    needed: frozenset[Line]
    free: frozenset[Line]
    prunable: frozenset[Line]
    wide: str = ""
    exception: str = ""
    doubt: str = ""
    fails: bool = False
    files: tuple[tuple[str, str], ...] = ()

    def program(self) -> Program:
        """Return the notebook analysed, its target in a cell of its own."""
        cells = [clean(cell).code for cell in self.cells]
        later = [clean(cell).code for cell in self.later]
        return analyze(list(enumerate([*cells, f"display({self.target})", *later])))

    def whole(self) -> list[Statement]:
        """Return the statements down to the target."""
        return [one for one in self.program().statements if one.cell <= len(self.cells)]

    def slice(self) -> list[Statement]:
        """Return the statements of the target's slice."""
        return [kept.statement for kept in self.program().explain(len(self.cells))]

    def missing(self, kept: list[Statement]) -> list[str]:
        """Return the needed lines that a slice lacks."""
        return self._texts_at(self.needed - self._lines(kept))

    def surplus(self, kept: list[Statement]) -> list[str]:
        """Return the lines that a slice has without need."""
        heads = {(one.cell, _head(one)) for one in kept if one.cell < len(self.cells)}
        return self._texts_at((heads - self.needed - self.free) | (self.prunable & self._lines(kept)))

    def _lines(self, kept: list[Statement]) -> set[Line]:
        ends = {(one.cell, _head(one)): one.node.end_lineno or 0 for one in self.program().statements}
        found: set[Line] = set()
        for one in kept:
            if one.cell == len(self.cells):
                continue
            texts = {text.strip() for text in one.text.split("\n")} - {""}
            lines = clean(self.cells[one.cell]).code.split("\n")
            first = _head(one)
            for number in range(first, ends[one.cell, first] + 1):
                if number == first or lines[number - 1].strip() in texts:
                    found.add((one.cell, number))
        return found

    def _texts_at(self, lines: Set[Line]) -> list[str]:
        return [self.cells[cell].split("\n")[number - 1] for cell, number in sorted(lines)]


def load(name: str) -> Collection:
    """Read one file of cases."""
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    cases = [case for entry in table["case"] for case in _cases(entry)]
    return Collection(
        name, table["project"], table["licence"], table["counted"], table["count"], tuple(cases)
    )


def names() -> list[str]:
    """Return the names of all files of cases."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def _cases(entry: dict[str, Any]) -> list[Case]:
    before, _, rest = entry["code"].partition("===\n")
    shown, *later = rest.split("---\n")
    targets = [line for line in shown.split("\n") if line]
    cells, marks = _unmarked(before.split("---\n"))
    modules = [(f"{name.replace('.', '/')}.py", text) for name, text in entry.get("modules", {}).items()]
    made: list[Case] = []
    for number, target in enumerate(targets, 1):
        mine = {line: kind for line, kind, numbers in marks if not numbers or str(number) in numbers}
        made.append(
            Case(
                name=entry["name"] if len(targets) == 1 else f"{entry['name']}: {target}",
                test=entry.get("test", ""),
                cells=cells,
                later=tuple(later),
                target=target,
                needed=frozenset(line for line, kind in mine.items() if kind == "+"),
                free=frozenset(line for line, kind in mine.items() if kind == "?"),
                prunable=frozenset(line for line, kind in mine.items() if kind == "-"),
                wide=entry.get("wide", ""),
                exception=entry.get("exception", ""),
                doubt=entry.get("doubt", ""),
                fails=entry.get("fails", False),
                files=(*entry.get("files", {}).items(), *modules),
            )
        )
    return made


def _unmarked(cells: list[str]) -> tuple[tuple[str, ...], list[tuple[Line, str, str]]]:
    """Return the cells without their marks, and the marks."""
    plain: list[str] = []
    marks: list[tuple[Line, str, str]] = []
    for number, cell in enumerate(cells):
        lines = cell.split("\n")
        for at, line in enumerate(lines):
            found = _MARKS.search(line)
            if found is not None:
                marks += [((number, at + 1), kind, targets) for kind, targets in _MARK.findall(found[0])]
                lines[at] = line[: found.start()]
        plain.append("\n".join(lines))
    return tuple(plain), marks


def _head(one: Statement) -> int:
    """Return the first line of a statement, decorators included."""
    return min([one.line, *(item.lineno for item in getattr(one.node, "decorator_list", []))])
