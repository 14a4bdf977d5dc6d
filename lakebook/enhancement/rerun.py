"""Old components run on the new data, mended where they fail, judged by what they draw (NotebookRAG §4.2.4).

The code is not ours: it runs only through `Session.run_forked`, in a copy of a session that holds `df`. A run
that fails is mended by the rules that answer its fault, at most five times; what still fails is dropped with
the reason. What a figure says is put into sentences in `insights`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Lock
from typing import Literal, Protocol

from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.enhancement.adapt import Adapted, adapt
from lakebook.enhancement.drawn import axes_from, drawn_name, source
from lakebook.enhancement.enhanced import DrawnAxes, EnhancedComponent, Repair
from lakebook.enhancement.readable import unreadable
from lakebook.enhancement.repairs.plot_rules import palette_rule
from lakebook.enhancement.repairs.registry import answering
from lakebook.enhancement.repairs.rule import Fault
from lakebook.errors import SandboxError
from lakebook.notebooks.component import Component
from lakebook.progress import Progress, silent
from lakebook.retrieval.correspondence import correspond
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sandbox.base import CellResult, Evaluation

MOST_REPAIRS = 5
_STAGE = "rerun components"
_PLOTLY = "application/vnd.plotly.v1+json"
# Aliases that everybody uses, for components whose import line was lost.
_USUAL_IMPORTS = {
    "sns": "import seaborn as sns",
    "seaborn": "import seaborn",
    "mpl": "import matplotlib as mpl",
    "matplotlib": "import matplotlib",
    "px": "import plotly.express as px",
    "go": "import plotly.graph_objects as go",
    "datetime": "import datetime",
    "os": "import os",
    "re": "import re",
    "math": "import math",
}
_TEXT_OF_DATE = re.compile(
    r"\.str accessor|argument of type 'Timestamp'|'Timestamp' object is not (iterable|subscriptable)"
    r"|'(Timestamp|DatetimeArray)' object has no attribute '(split|replace|strip)'"
)
_MISSING_COLUMN = (
    r"'DataFrame' object has no attribute '(\w+)'",
    r"Could not interpret value `([^`]+)`",
    r"Expected one of .* but received: (\S.*)$",
)


@dataclass(frozen=True, slots=True)
class Rerun:
    """One component after its run, with the pictures that it drew (PNG bytes), in order."""

    enhanced: EnhancedComponent
    pictures: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """What came out of running a function once."""

    fault: Fault | None
    axes: tuple[DrawnAxes, ...] = ()
    pictures: tuple[bytes, ...] = ()
    plotly: int = 0
    warnings: str = ""


class Forks(Protocol):
    """What old code runs in: the forked runs of a session."""

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        """See `lakebook.sandbox.base.Session`."""
        ...


class _Unlocked:
    """Forked runs outside the lock that the rest of the work holds.

    CPython 3.11 counts the depth of syntax trees in one place for all threads, so two threads that parse at
    once break each other. What takes time is the run, and that needs no syntax tree.
    """

    def __init__(self, session: Forks, lock: Lock) -> None:
        self._session, self._lock = session, lock

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        self._lock.release()
        try:
            return self._session.run_forked(cells, evaluate=evaluate, seconds=seconds)
        finally:
            self._lock.acquire()


def enhance(
    retrieved: Sequence[RetrievedComponent],
    components: Mapping[str, Component],
    table: Table,
    sessions: Forks | Sequence[Forks],
    progress: Progress = silent,
    seconds_each: float = 20,
) -> tuple[EnhancedComponent, ...]:
    """Run every distinct retrieved component on the new data, in order of first retrieval."""
    runs = rerun(retrieved, components, table, sessions, progress, seconds_each)
    return tuple(run.enhanced for run in runs)


def rerun(
    retrieved: Sequence[RetrievedComponent],
    components: Mapping[str, Component],
    table: Table,
    sessions: Forks | Sequence[Forks],
    progress: Progress = silent,
    seconds_each: float = 20,
) -> Iterator[Rerun]:
    """Do what `enhance` does, and give the pictures too.

    Several sessions, all in the same state, share the work; the order and the results are the same.
    """
    distinct: dict[str, RetrievedComponent] = {}
    for item in retrieved:
        distinct.setdefault(item.component, item)
    free: SimpleQueue[Forks] = SimpleQueue()
    given = sessions if isinstance(sessions, Sequence) else [sessions]
    lock = Lock()
    for session in given:
        free.put(_Unlocked(session, lock))

    def work(job: tuple[int, RetrievedComponent]) -> Rerun:
        number, item = job
        session = free.get()
        try:
            with lock:
                return _one(item, components[item.component], table, session, number, seconds_each)
        finally:
            free.put(session)

    with ThreadPoolExecutor(len(given), thread_name_prefix="rerun") as pool:
        runs = pool.map(work, enumerate(distinct.values(), 1))
        for done, item in enumerate(distinct.values()):
            component = components[item.component]
            progress(_STAGE, done, len(distinct), f"{component.notebook} cell {component.cell}")
            yield next(runs)
    progress(_STAGE, len(distinct), len(distinct), "")


def _one(
    item: RetrievedComponent,
    component: Component,
    table: Table,
    session: Forks,
    number: int,
    seconds: float,
) -> Rerun:
    adapted = adapt(item, component, table, number)
    if isinstance(adapted, str):
        return Rerun(EnhancedComponent(component.id, item.query, "failed", error=adapted))
    try:
        adapted, run = _run_and_mend(adapted, table, session, seconds)
    except SandboxError as error:
        run = _Run(Fault("SandboxError", str(error)))
    status, reason = _verdict(run)
    enhanced = EnhancedComponent(
        component=component.id,
        query=item.query,
        status=status,
        error=reason,
        code=adapted.code(),
        function=adapted.function,
        repairs=adapted.repairs,
        figures=len(run.pictures) + run.plotly,
        drawn=run.axes,
        columns=adapted.columns,
    )
    return Rerun(enhanced, run.pictures)


def _verdict(run: _Run) -> tuple[Literal["ok", "failed", "dropped"], str]:
    if run.fault:
        return "failed", str(run.fault)
    if run.plotly and not run.axes:
        return "ok", ""
    reason = unreadable(run.axes)
    return ("dropped" if reason else "ok"), reason


def _run_and_mend(adapted: Adapted, table: Table, session: Forks, seconds: float) -> tuple[Adapted, _Run]:
    """Run; while it fails and a rule answers the fault, mend and run again."""
    applied: set[str] = set()
    while True:
        run = _run(adapted, session, seconds)
        if run.fault is None:
            return _without_warning(adapted, run, session, seconds)
        if len(applied) >= MOST_REPAIRS:
            return adapted, run
        mended = _mend(adapted, run.fault, table, applied)
        if mended is None:
            return adapted, run
        adapted = mended


def _without_warning(adapted: Adapted, run: _Run, session: Forks, seconds: float) -> tuple[Adapted, _Run]:
    """Mend what only warns, if the component still runs after it."""
    rule = palette_rule(run.warnings)
    if rule is None:
        return adapted, run
    script, repairs = rule.apply(adapted.script)
    mended = adapted.repaired(script, repairs)
    again = _run(mended, session, seconds) if repairs else run
    return (adapted, run) if again.fault or not repairs else (mended, again)


def _run(adapted: Adapted, session: Forks, seconds: float) -> _Run:
    name = drawn_name(adapted.function)
    cells = [source(), f"{adapted.code()}\n\n{adapted.function}()\n{name} = drawn_data()"]
    results, values = session.run_forked(cells, evaluate=[name], seconds=seconds)
    last = results[-1] if results else CellResult((), ended="died")
    if last.error is not None or last.ended != "done":
        return _Run(_fault(last, seconds))
    axes = axes_from(values[0].value) if values and not values[0].error else ()
    bundles = [output.get("data", {}) for output in last.outputs]
    pictures = tuple(png for bundle in bundles if (png := _png(bundle)))
    streams = (output for output in last.outputs if output.get("name") == "stderr")
    warnings = "".join(str(output.get("text", "")) for output in streams)
    return _Run(None, axes, pictures, sum(_PLOTLY in bundle for bundle in bundles), warnings)


def _fault(result: CellResult, seconds: float) -> Fault:
    """Name the cause: the exception, or the limit that was hit."""
    causes = {
        "timeout": f"stopped after {seconds:g} s",
        "memory": "ran out of memory",
        "died": "the process died",
    }
    if result.ended in causes:
        return Fault(result.ended, causes[result.ended])
    if result.error is None:
        return Fault("error", "failed without an exception")
    lines = result.error.message.strip().splitlines()
    return Fault(
        result.error.name, lines[-1] if result.error.name == "KeyError" and lines else "; ".join(lines[:3])
    )


def _png(bundle: object) -> bytes:
    text = bundle.get("image/png") if isinstance(bundle, dict) else None
    try:
        return base64.b64decode(text) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        return b""


def _mend(adapted: Adapted, fault: Fault, table: Table, applied: set[str]) -> Adapted | None:
    """Apply the first fix that answers the fault and was not tried yet; None if there is none."""
    for rule in answering(fault):
        if rule.kind in applied:
            continue
        script, repairs = rule.apply(adapted.script)
        if repairs:
            applied.add(rule.kind)
            return adapted.repaired(script, repairs)
    for fix in (_dates_as_text, _import, _map_column):
        mended = fix(adapted, fault, table)
        if mended is not None and (key := f"{fix.__name__} {fault}") not in applied:
            applied.add(key)
            return mended
    return None


def _map_column(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Map a column that the code names only at run time, if the table has an unused counterpart."""
    names = [name for pattern in _MISSING_COLUMN for name in re.findall(pattern, str(fault))]
    if fault.name == "KeyError":
        names += re.findall(r"'([^']+)'", fault.message)
    known = {column.name for column in table.columns}
    taken = set(adapted.renames.values()) | (known - set(adapted.renames))
    wanted = [OldColumn(name) for name in dict.fromkeys(names) if name not in taken]
    old = [OldColumn(name) for name in adapted.renames.values()]
    pairs = [
        pair
        for pair in correspond([*old, *wanted], table)
        if pair.old in {column.name for column in wanted} and pair.new not in adapted.renames
    ]
    if not pairs:
        return None
    more = {pair.new: pair.old for pair in pairs}
    repairs = [Repair("map_column", pair.old, f"{pair.new} ({pair.reason})") for pair in pairs]
    return replace(adapted, renames={**adapted.renames, **more}, repairs=(*adapted.repairs, *repairs))


def _dates_as_text(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Give dates as text to code that takes them apart as text."""
    if adapted.text_dates or not adapted.dates or not _TEXT_OF_DATE.search(str(fault)):
        return None
    repair = Repair("dates_as_text", ", ".join(adapted.dates), "given as text (year-month-day)")
    return replace(adapted, text_dates=adapted.dates, repairs=(*adapted.repairs, repair))


def _import(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Import what is used under its usual alias and was never imported."""
    match = re.search(r"name '(\w+)' is not defined", fault.message)
    line = _USUAL_IMPORTS.get(match[1]) if match and fault.name == "NameError" else None
    if line is None:
        return None
    return adapted.repaired(adapted.script.preceded_by(line), [Repair("missing_import", "", line)])
