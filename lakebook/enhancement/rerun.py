"""Old components run on the new data, mended where they fail, judged by what they draw (NotebookRAG §4.2.4).

The code is not ours: it runs only through `Session.run_forked`, in a copy of a session that holds `df`. A run
that fails is mended (`mend`); what still fails is dropped with the reason. What a figure says is put into
sentences in `insights`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock
from typing import Literal

from lakebook.analyst.table import Table
from lakebook.enhancement.adapt import adapt
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.asked import Mender, try_to_mend
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.mend import run_and_mend
from lakebook.enhancement.readable import unreadable
from lakebook.enhancement.reasons import dropped, failed
from lakebook.enhancement.repairs.rule import Fault
from lakebook.enhancement.run import Forks, Run
from lakebook.errors import SandboxError
from lakebook.notebooks.component import Component
from lakebook.progress import Progress, silent
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sandbox.base import CellResult, Evaluation

_STAGE = "rerun components"


@dataclass(frozen=True, slots=True)
class Rerun:
    """One component after its run, with the pictures that it drew (PNG bytes), in order."""

    enhanced: EnhancedComponent
    pictures: tuple[bytes, ...] = ()


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
    mender: Mender | None = None,
) -> tuple[EnhancedComponent, ...]:
    """Run every distinct retrieved component on the new data, in order of first retrieval."""
    runs = rerun(retrieved, components, table, sessions, progress, seconds_each, mender)
    return tuple(run.enhanced for run in runs)


def rerun(
    retrieved: Sequence[RetrievedComponent],
    components: Mapping[str, Component],
    table: Table,
    sessions: Forks | Sequence[Forks],
    progress: Progress = silent,
    seconds_each: float = 20,
    mender: Mender | None = None,
) -> Iterator[Rerun]:
    """Do what `enhance` does, and give the pictures too.

    Several sessions, all in the same state, share the work; the order and the results are the same. `mender`
    is the model that may try what no fix could mend.
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
                return _one(item, components[item.component], table, session, number, seconds_each, mender)
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
    mender: Mender | None,
) -> Rerun:
    adapted = adapt(item, component, table, number)
    if isinstance(adapted, str):
        return Rerun(EnhancedComponent(component.id, item.query, "failed", error=adapted))
    try:
        adapted, run = run_and_mend(adapted, table, session, seconds)
        if mender is not None and run.fault:
            adapted, run = try_to_mend(adapted, run, table, mender, session, seconds)
    except SandboxError as error:
        run = Run(Fault("SandboxError", str(error)))
    status, reason = _verdict(adapted, run, table)
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
        findings=run.inspection.findings,
    )
    return Rerun(enhanced, run.pictures)


def _verdict(adapted: Adapted, run: Run, table: Table) -> tuple[Literal["ok", "failed", "dropped"], str]:
    if run.fault:
        return "failed", failed(adapted, run.fault, table)
    if run.plotly and not run.axes:
        return "ok", ""
    reason = unreadable(run.axes)
    return ("dropped", dropped(adapted, reason, table)) if reason else ("ok", "")
