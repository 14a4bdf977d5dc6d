"""A warm session that holds the dataset: cells run in it once, and stages then work in forks of it.

Which cells ran decides whether the session can be used again; the notebook never runs here, it gets a fresh
session (`lakebook.report.execute`).
"""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.errors import SandboxFailed
from lakebook.pipeline.project import Project
from lakebook.report.execute import open_for_notebook
from lakebook.sandbox.base import Limits, Session


def warm_session(project: Project, cells: Sequence[str]) -> Session:
    """Return a session in which exactly these cells ran, reusing the open one if it is on the way there.

    Raises:
        SandboxUnavailable: no isolation works here.
        SandboxFailed: one of the cells failed.
    """
    ran = project.warm_cells
    if project.warm is None or tuple(cells[: len(ran)]) != ran:
        project.close()
        limits = Limits(cell_seconds=project.cell_seconds)
        project.warm, ran = open_for_notebook(project.sandbox, project.data, limits), ()
    for cell in cells[len(ran) :]:
        result = project.warm.run(cell)
        if result.error is not None:
            project.close()
            raise SandboxFailed(
                f"the dataset could not be prepared: {result.error.name}: {result.error.message}",
                where=cell.strip().splitlines()[0][:80] if cell.strip() else "",
            )
    project.warm_cells = tuple(cells)
    return project.warm
