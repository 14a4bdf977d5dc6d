"""One run of an adapted component in a copy of a session, and what came of it.

What belongs here: the cells that are sent, and reading the fault, the drawn data, the pictures and the
warnings back. What does not: what is done about a fault (`mend`), whether the figures are worth showing
(`readable`). Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from lakebook.analyst.methods import method_source
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.drawn import axes_from, call_and_read, drawn_name, interactive
from lakebook.enhancement.enhanced import DrawnAxes
from lakebook.enhancement.figures.shipment import Inspection, inspection_from, prelude, shown_prelude
from lakebook.enhancement.repairs.rule import Fault
from lakebook.sandbox.base import CellResult, Evaluation

_FUNCTION = re.compile(r", in ([\w.<>]+)")
_ARROW = re.compile(r"-+> \d+ ?(.*)")
_PLOTLY = "application/vnd.plotly.v1+json"


@dataclass(frozen=True, slots=True)
class Run:
    """What came out of running a function once."""

    fault: Fault | None
    axes: tuple[DrawnAxes, ...] = ()
    pictures: tuple[bytes, ...] = ()
    plotly: int = 0
    warnings: str = ""
    inspection: Inspection = field(default_factory=Inspection)


class Runs(Protocol):
    """What old code runs in: the copies of a session in which `preparation()` ran."""

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        """See `lakebook.sandbox.base.Session`."""
        ...

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        """See `lakebook.sandbox.base.Session`; called inside `copied` only."""
        ...

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        """See `lakebook.sandbox.base.Session`."""
        ...

    def copied(self) -> AbstractContextManager[None]:
        """See `lakebook.sandbox.base.Session`."""
        ...


def preparation() -> str:
    """Return the cell that a session needs before components run in it; it runs once, not in each copy."""
    return f"{method_source(['relabel'])}\n\n{prelude()}"


def run_once(adapted: Adapted, session: Runs, seconds: float, unmended: Collection[str] = ()) -> Run:
    """Define the function, call it, look at its figures, mend them, and read what they show.

    `unmended`: the checks whose objections are left as they are. Raises SandboxError if the session failed.
    """
    call = f"{adapted.function}()"
    return run_cell(adapted, call, session, seconds, definition=adapted.code(), unmended=unmended)


def run_cell(
    adapted: Adapted,
    code: str,
    session: Runs,
    seconds: float,
    *,
    definition: str = "",
    table: str = "df",
    unmended: Collection[str] = (),
) -> Run:
    """Do what `run_once` does with any code that draws what the component draws.

    `definition` comes before anything is looked at; `table` names the frame where it is not `df`.
    """
    name = drawn_name(adapted.function)
    skip, shown = tuple(sorted(unmended)), interactive(adapted.code())
    kept = " + ".join(f"shown_{library}" for library in shown) or "[]"
    call = f"{code}\n{name}_seen = inspect_figures({table}, {skip!r}, {kept})"
    read = call_and_read(adapted.code(), adapted.function, call)
    cells = [*([shown_prelude()] if shown else []), f"{definition}\n\n{read}" if definition else read]
    results, values = session.run_forked(cells, evaluate=[name, f"{name}_seen"], seconds=seconds)
    last = results[-1] if results else CellResult((), ended="died")
    if last.error is not None or last.ended != "done":
        return Run(_fault(last, seconds))
    axes = axes_from(values[0].value) if values and not values[0].error else ()
    bundles = [output.get("data", {}) for output in last.outputs]
    pictures = tuple(png for bundle in bundles if (png := _png(bundle)))
    streams = (output for output in last.outputs if output.get("name") == "stderr")
    warnings = "".join(str(output.get("text", "")) for output in streams)
    seen = inspection_from(values[1].value) if len(values) > 1 and not values[1].error else Inspection()
    return Run(
        None,
        axes,
        pictures,
        sum(_PLOTLY in bundle and not _png(bundle) for bundle in bundles),
        warnings,
        seen,
    )


def _fault(result: CellResult, seconds: float) -> Fault:
    """Name the cause: the exception, or the limit that was hit."""
    causes = {
        "timeout": f"stopped after {seconds:g} s",
        "memory": "ran out of memory",
        "disk": "wrote more than it may",
        "died": "the process died",
    }
    if result.ended in causes:
        told = result.error.message.strip().splitlines() if result.error else []
        return Fault(result.ended, told[0] if told else causes[result.ended])
    if result.error is None:
        return Fault("error", "failed without an exception")
    lines = result.error.message.strip().splitlines()
    message = lines[-1] if result.error.name == "KeyError" and lines else "; ".join(lines[:3])
    ours, inside = came_through(result.error.traceback)
    return Fault(result.error.name, message, ours, inside)


def came_through(traceback: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines of cells that an exception came through, and the functions of libraries after them.

    Both outermost first, read from a traceback as IPython prints it.
    """
    ours: list[str] = []
    inside: list[str] = []
    in_cell = False
    for line in "\n".join(traceback).splitlines():
        if line.startswith(("Cell In[", "File ")):
            in_cell = line.startswith("Cell ")
            if not in_cell and (found := _FUNCTION.search(line)):
                inside.append(found[1])
        elif in_cell and (found := _ARROW.match(line)):
            ours.append(found[1].strip())
            inside.clear()
    return tuple(ours), tuple(inside)


def _png(bundle: object) -> bytes:
    text = bundle.get("image/png") if isinstance(bundle, dict) else None
    try:
        return base64.b64decode(text) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        return b""
