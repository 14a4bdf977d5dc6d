"""Old components run on the new data, mended where they fail, judged by what they draw (NotebookRAG §4.2.4).

The code is not ours: it runs only through `Session.run_forked`, in a copy of a session that holds `df`. A run
that fails is mended (`mend`); what still fails is dropped with the reason. What a figure says is put into
sentences in `insights`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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
from lakebook.enhancement.run import Run, Runs
from lakebook.enhancement.shared import run_shared
from lakebook.errors import SandboxError
from lakebook.notebooks.component import Component
from lakebook.progress import Progress, silent
from lakebook.retrieval.lake import Lake
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sandbox.base import CellResult, Evaluation

_STAGE = "rerun components"
_MOST_TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Rerun:
    """One component after its run, with the pictures that it drew (PNG bytes), in order."""

    enhanced: EnhancedComponent
    pictures: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class _Job:
    """One component to run, and its number among all."""

    number: int
    item: RetrievedComponent
    component: Component


class _Unlocked:
    """Runs outside the lock that the rest of the work holds.

    The rest silences warnings and stops the collector while it reads code (`clean.parsing`), which are of the
    process and not of a thread. What takes time is the run, and that needs neither.
    """

    def __init__(self, session: Runs, lock: Lock) -> None:
        self._session, self._lock = session, lock

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        with self._released():
            return self._session.run_forked(cells, evaluate=evaluate, seconds=seconds)

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        with self._released():
            return self._session.run(code, seconds=seconds)

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        with self._released():
            return self._session.evaluate(expressions)

    @contextmanager
    def copied(self) -> Iterator[None]:
        with self._session.copied():
            yield

    @contextmanager
    def _released(self) -> Iterator[None]:
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()


def enhance(
    retrieved: Sequence[RetrievedComponent],
    components: Mapping[str, Component],
    table: Table,
    sessions: Runs | Sequence[Runs],
    progress: Progress = silent,
    seconds_each: float = 20,
    mender: Mender | None = None,
    lake: Lake | None = None,
) -> tuple[EnhancedComponent, ...]:
    """Run every distinct retrieved component on the new data, in order of first retrieval."""
    runs = rerun(retrieved, components, table, sessions, progress, seconds_each, mender, lake)
    return tuple(run.enhanced for run in runs)


def rerun(
    retrieved: Sequence[RetrievedComponent],
    components: Mapping[str, Component],
    table: Table,
    sessions: Runs | Sequence[Runs],
    progress: Progress = silent,
    seconds_each: float = 20,
    mender: Mender | None = None,
    lake: Lake | None = None,
) -> Iterator[Rerun]:
    """Do what `enhance` does, and give the pictures too.

    Several sessions, all in the same state, share the work; the order and the results are the same. `mender`
    is the model that may try what no fix could mend; `lake` has the tables that components may read besides.
    """
    distinct: dict[str, RetrievedComponent] = {}
    for item in retrieved:
        distinct.setdefault(item.component, item)
    free: SimpleQueue[Runs] = SimpleQueue()
    given = sessions if isinstance(sessions, Sequence) else [sessions]
    lock = Lock()
    for session in given:
        free.put(_Unlocked(session, lock))

    def work(group: Sequence[_Job]) -> dict[str, Rerun]:
        session = free.get()
        try:
            with lock:
                return _group(group, table, session, seconds_each, mender, lake)
        finally:
            free.put(session)

    jobs = [
        _Job(number, item, components[item.component]) for number, item in enumerate(distinct.values(), 1)
    ]
    with ThreadPoolExecutor(len(given), thread_name_prefix="rerun") as pool:
        done = {}
        for group in _groups(jobs, min(_MOST_TOGETHER, -(-len(jobs) // len(given)))):
            future = pool.submit(work, group)
            done.update(dict.fromkeys((job.component.id for job in group), future))
        for count, job in enumerate(jobs):
            progress(_STAGE, count, len(jobs), f"{job.component.notebook} cell {job.component.cell}")
            result = done[job.component.id].result()[job.component.id]
            with (
                lock
            ):  # CPython counts the depth of a syntax tree for all threads at once: one parses at a time
                yield result
    progress(_STAGE, len(jobs), len(jobs), "")


def _groups(jobs: Sequence[_Job], most: int) -> Iterator[list[_Job]]:
    """Put components of one notebook together, as many as one session should run in a row."""
    by_notebook: dict[str, list[_Job]] = {}
    for job in jobs:
        by_notebook.setdefault(job.component.notebook, []).append(job)
    for together in by_notebook.values():
        for start in range(0, len(together), most):
            yield together[start : start + most]


def _group(
    group: Sequence[_Job],
    table: Table,
    session: Runs,
    seconds: float,
    mender: Mender | None,
    lake: Lake | None,
) -> dict[str, Rerun]:
    """Adapt the components of a group, run what they share once, and mend what fails."""
    adapted = [adapt(job.item, job.component, table, job.number, lake) for job in group]
    ready = [one for one in adapted if isinstance(one, Adapted)]
    shared = run_shared(ready, session, seconds) if len(ready) > 1 else {}
    first = {ready[place].component.id: run for place, run in shared.items()}
    return {
        job.component.id: _one(job, one, table, session, seconds, first.get(job.component.id), mender, lake)
        for job, one in zip(group, adapted, strict=True)
    }


def _one(
    job: _Job,
    adapted: Adapted | str,
    table: Table,
    session: Runs,
    seconds: float,
    first: Run | None,
    mender: Mender | None,
    lake: Lake | None,
) -> Rerun:
    if isinstance(adapted, str):
        return Rerun(EnhancedComponent(job.component.id, job.item.query, "failed", error=adapted))
    try:
        adapted, run = run_and_mend(adapted, table, session, seconds, first)
        if run.fault and _names_are_lost(adapted, run.fault):
            plain = adapt(job.item, job.component, table, job.number, lake, in_code=False)
            if isinstance(plain, Adapted):
                plain, second = run_and_mend(plain, table, session, seconds)
                adapted, run = (adapted, run) if second.fault else (plain, second)
        if mender is not None and run.fault:
            adapted, run = try_to_mend(adapted, run, table, mender, session, seconds)
    except SandboxError as error:
        run = Run(Fault("SandboxError", str(error)))
    status, reason = _verdict(adapted, run, table)
    enhanced = EnhancedComponent(
        component=job.component.id,
        query=job.item.query,
        status=status,
        error=reason,
        code=adapted.code(),
        function=adapted.function,
        repairs=adapted.repairs,
        figures=len(run.pictures) + run.plotly,
        drawn=run.axes,
        columns=adapted.columns,
        findings=run.inspection.findings,
        tables=tuple(other.table for other in adapted.others),
    )
    return Rerun(enhanced, run.pictures)


def _names_are_lost(adapted: Adapted, fault: Fault) -> bool:
    """Return True for a fault that renaming columns in the code may have brought."""
    return any(name in str(fault) for name in (*adapted.renamed, *adapted.renamed.values()))


def _verdict(adapted: Adapted, run: Run, table: Table) -> tuple[Literal["ok", "failed", "dropped"], str]:
    if run.fault:
        return "failed", failed(adapted, run.fault, table)
    if run.plotly and not run.axes:
        return "ok", ""
    reason = unreadable(run.axes)
    return ("dropped", dropped(adapted, reason, table)) if reason else ("ok", "")
