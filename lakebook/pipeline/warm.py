"""A warm session that holds the dataset: cells run in it once, and stages then work in forks of it.

Which cells ran decides whether the session can be used again; the notebook never runs here, it gets a fresh
session (`lakebook.report.execute`).
"""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.errors import SandboxError, SandboxFailed
from lakebook.pipeline.project import Project
from lakebook.report.execute import open_for_notebook
from lakebook.sandbox.base import Session


def warm_session(project: Project, cells: Sequence[str]) -> Session:
    """Return a session in which exactly these cells ran, reusing the open one if it is on the way there.

    Raises:
        SandboxUnavailable: no isolation works here.
        SandboxFailed: one of the cells failed.
    """
    ran = project.warm_cells
    if project.warm is None or project.warm.ended or tuple(cells[: len(ran)]) != ran:
        project.close()
        project.warm, ran = open_session(project), ()
    try:
        _run(project.warm, cells[len(ran) :])
    except SandboxError:
        project.close()
        raise
    project.warm_cells = tuple(cells)
    return project.warm


def start_session(project: Project, cells: Sequence[str]) -> Session:
    """Return a session of its own in which these cells ran; the caller closes it."""
    session = open_session(project)
    try:
        _run(session, cells)
    except SandboxError:
        session.close()
        raise
    return session


def open_session(project: Project) -> Session:
    """Open a session that sees the lake."""
    return open_for_notebook(project.sandbox, project.data, project.limits)


def _run(session: Session, cells: Sequence[str]) -> None:
    for cell in cells:
        result = session.run(cell)
        if result.error is not None:
            raise SandboxFailed(
                f"the dataset could not be prepared: {result.error.name}: {result.error.message}",
                where=cell.strip().splitlines()[0][:80] if cell.strip() else "",
            )
