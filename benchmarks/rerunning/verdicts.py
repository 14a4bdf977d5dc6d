"""Judges one case: what its plot cells must draw, what a plain run draws, and what the product draws.

The oracle runs the notebook statement by statement with packages of its time, on its own data or on the new
rows under the old names, twice. What a cell shows is the truth; a cell that shows something with its own data
and nothing with the new ones is one whose data are gone. Cells that show nothing of a file are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from oracle.judge import statements
from oracle.runs import Bench, Run, Runs

from lakebook.notebooks.component import Component
from lakebook.notebooks.extract import extract_components
from rerunning.cases import OWN, Case, reads_file
from rerunning.facts import Axes, axes_of, compare, hard_to_read, main_mark
from rerunning.product import Drawing, Product

BOUNDS = (5.0, 30.0)
"""Processor seconds of one statement and of all."""
_BESIDE = re.compile(r"^os\.|^(print|display)\(|\.to_(csv|excel|json)\(")
"""Statements that no figure depends on."""
_SHORT = 3  # a shorter statement may stand in any code by chance
Outcome = Literal[
    "figure",
    "kind",
    "other kind",
    "fails again",
    "dropped",
    "rightly dropped",
    "refused",
    "failed",
    "no component",
]
RIGHT = frozenset({"figure", "kind"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one plot cell did.

    Attributes:
        expected: main marks of the truth; () if the new data cannot show it.
        judged_by: `oracle` (complete, so data count too), `partial` (something before it failed with the
            packages of its time: its kind only), `gone` (what it needs is not in the new data).
        naive, naive_first: a plain run that goes on after errors, or stops at the first, draws the kind.
        naive_ran: its cell raised nothing.
        outcome: of the product: "figure" has the same data, "kind" the same kind.
    """

    case: str
    stratum: str
    part: str
    family: str
    repository: str
    cell: int
    expected: tuple[str, ...]
    judged_by: Literal["oracle", "partial", "gone"]
    naive_ran: bool
    naive: bool
    naive_first: bool
    outcome: Outcome
    reason: str = ""
    component: str = ""
    code: str = ""
    repairs: tuple[Mapping[str, Any], ...] = ()
    documentation: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """What cells show, in two runs; cells where something failed."""

    first: Run
    second: Run
    failed: Mapping[int, Sequence[str]] = field(default_factory=dict)

    def axes(self, cell: int) -> tuple[list[Axes], list[Axes]]:
        """Return the axes of a cell in both runs."""
        return axes_of(self.first.figures.get(str(cell), [])), axes_of(self.second.figures.get(str(cell), []))

    def broken(self, cell: int, code: str) -> list[str]:
        """Return the statements that failed, of those in a cell or in the code of its component."""
        others = [
            text for texts in self.failed.values() for text in texts if len(text) > _SHORT and text in code
        ]
        found = dict.fromkeys((*self.failed.get(cell, ()), *others))
        return [text for text in found if not _BESIDE.search(text)]


class Judge:
    """Runs and judges cases."""

    def __init__(self, once: Bench, now: Bench, product: Product, drawing: Drawing, limit: int) -> None:
        """Take the sessions with packages of the time and with today's, and the product."""
        self._once, self._now, self._product, self._drawing = once, now, product, drawing
        self._limit = limit

    def warm(self, case: Case) -> tuple[Truth, Truth, Run]:
        """Return the truth on its own data, on those of the case, and the plain run; each run is kept."""
        own = self._truth(case, "own", twice=case.stratum == OWN)
        truth = own if case.stratum == OWN else self._truth(case, "truth", twice=True)
        cells = [(cell.index, cell.code) for cell in case.source.notebook.code_cells()]
        runs = self._runs(self._now, case, "own" if case.stratum == OWN else "naive")
        return own, truth, runs.run(cells, tolerant=True, bounds=BOUNDS)

    def judge(self, case: Case) -> list[Verdict]:
        """Return a verdict on each plot cell, at most `limit` of them, spread over the notebook."""
        own, truth, naive = self.warm(case)
        components = {one.cell: one for one in extract_components(case.source.notebook)}
        order = [cell.index for cell in case.source.notebook.code_cells()]
        cells = [
            cell
            for cell in order
            if own.axes(cell)[0] and (cell not in components or reads_file(components[cell]))
        ]
        if len(cells) > self._limit:
            step = (len(cells) - 1) / (self._limit - 1)
            cells = [cells[round(place * step)] for place in range(self._limit)]
        if not cells:
            return []
        answers = {cell: self._answer(case, components.get(cell), cell) for cell in cells}
        broken = [order[position] for position in naive.failed if 0 <= position < len(order)]
        found = []
        for cell in cells:
            plain = axes_of(naive.figures.get(str(cell), []))
            likeness = compare(*truth.axes(cell), plain) if truth.axes(cell)[0] else None
            ran = cell not in broken and naive.failed != [-1]
            same = bool(likeness and likeness.kind and ran)
            before = not broken or order.index(cell) < order.index(broken[0])
            found.append(
                self._verdict(
                    case, cell, own, truth, components.get(cell), answers[cell], (ran, same, before)
                )
            )
        return found

    def _verdict(
        self,
        case: Case,
        cell: int,
        own: Truth,
        truth: Truth,
        component: Component | None,
        answer: tuple[Mapping[str, Any] | None, Mapping[str, Any]],
        naive: tuple[bool, bool, bool],
    ) -> Verdict:
        ran, same, before = naive
        once, twice = truth.axes(cell)
        code = component.code if component else ""
        broken = truth.broken(cell, code)
        newly = [text for text in broken if text not in own.broken(cell, code)]
        judged_by: Literal["oracle", "partial", "gone"] = "partial" if broken else "oracle"
        # What stumbles over an absent column elsewhere, and draws as before, does not need the column.
        as_before = [main_mark(one) for one in once] == [main_mark(one) for one in own.axes(cell)[0]]
        absent = any(_mentions(text, case.absent()) for text in newly)
        needed = absent and not (as_before and not truth.failed.get(cell))
        if needed or not (once or newly):
            judged_by, once, twice = "gone", [], []
        elif not once:  # it stumbles over something other than its data: a mended one draws what it drew once
            once, twice = own.axes(cell)
        item, shown = answer
        outcome, reason = _outcome(item, shown, once, twice)
        if outcome == "figure" and judged_by != "oracle":
            outcome = "kind"
        return Verdict(
            case.folder.name,
            case.stratum,
            case.part,
            case.family,
            case.source.repository,
            cell,
            tuple(main_mark(axes) for axes in once),
            judged_by,
            ran,
            same,
            same and before,
            outcome,
            reason,
            item["id"] if item else "",
            (item or {}).get("code", "") or code,
            tuple((item or {}).get("repairs", ())),
            case.documentation,
        )

    def _answer(
        self, case: Case, component: Component | None, cell: int
    ) -> tuple[Mapping[str, Any] | None, Mapping[str, Any]]:
        """Return what the product says of a cell, and what its code draws.

        A notebook may read several tables that have nothing to do with each other. What is refused on its
        first one is asked again on the first that the component itself reads, as its user would.
        """
        for table in dict.fromkeys((case.table, *_own_table(case, component))):
            documents = self._product.rerun(case, table)
            item = next((one for one in documents if one["cell"] == cell), None)
            if item is None or item["status"] == "ok":
                break
        drawn = self._drawing.drawn(case, table, documents)
        return item, drawn.get(item["id"] if item else "", {"figures": {"0": []}, "error": "not run"})

    def _truth(self, case: Case, folder: str, *, twice: bool) -> Truth:
        runs = self._runs(self._once, case, folder)
        steps = [
            (cell.index, text) for cell in case.source.notebook.code_cells() for text in statements(cell.code)
        ]
        first = runs.run(steps, tolerant=True, bounds=BOUNDS)
        second = runs.run(steps, tolerant=True, bounds=BOUNDS, attempt=1) if twice else first
        failed: dict[int, list[str]] = {}
        for position in first.failed:
            if 0 <= position < len(steps):
                failed.setdefault(steps[position][0], []).append(steps[position][1])
        return Truth(first, second, failed)

    def _runs(self, bench: Bench, case: Case, folder: str) -> Runs:
        file = self._product.work / f"runs-{case.folder.name}.jsonl"
        return Runs(bench, file, (case.folder.name, folder))


def _own_table(case: Case, component: Component | None) -> list[str]:
    if component is None or case.stratum != OWN:
        return []
    names = [path.replace("\\", "/").rpartition("/")[2] for path in component.reads]
    return [name for name in names if (case.folder / "new" / name).exists()][:1]


def _mentions(text: str, columns: Collection[str]) -> bool:
    """Tell whether code names a column, in a string or as an attribute."""
    return any(
        re.search(rf"""['"]{re.escape(name)}['"]|\.{re.escape(name)}\b""", text) for name in columns if name
    )


def _outcome(
    item: Mapping[str, Any] | None,
    shown: Mapping[str, Any],
    once: list[Axes],
    twice: list[Axes],
) -> tuple[Outcome, str]:
    if item is None:
        return "no component", ""
    status, error = item["status"], str(item["error"])
    if status == "dropped":
        return ("rightly dropped" if hard_to_read(once) else "dropped"), error
    if status != "ok":
        return ("refused" if status == "not_applicable" else "failed"), error
    if shown["error"]:
        return "fails again", shown["error"]
    likeness = compare(once, twice, axes_of(shown["figures"]["0"]))
    if not likeness.kind:
        return "other kind", likeness.why
    return ("figure" if likeness.data else "kind"), likeness.why


def code_file(folder: Path, verdict: Verdict) -> Path:
    """Write the code of a component for whoever looks at it; return where."""
    file = folder / f"{verdict.case}-{verdict.cell}.py"
    file.write_text(verdict.code, encoding="utf-8")
    return file
