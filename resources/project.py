"""The project as a Dagster resource: configured with paths, opened as a plain `lakebook` Project."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from lakebook.pipeline.project import Project

# Dagster copies resources, but a warm sandbox session should be shared by all steps of a process.
_opened: dict[str, Project] = {}


class ProjectResource(dg.ConfigurableResource[Project]):
    """A lake, a corpus and the state folder.

    Attributes:
        state, data, notebooks: folders; an empty `notebooks` means that there is no corpus.
        sandbox: which isolation to use ("auto" takes what works). cell_seconds: limit of one cell.
    """

    state: str
    data: str
    notebooks: str = ""
    sandbox: str = "auto"
    cell_seconds: float = 60.0

    @classmethod
    def of(cls, project: Project) -> ProjectResource:
        """Return the resource of a project that is already open; steps in this process get that one."""
        resource = cls(
            state=str(project.state),
            data=str(project.data),
            notebooks=str(project.notebooks or ""),
            sandbox=project.sandbox_preference,
            cell_seconds=project.cell_seconds,
        )
        _opened[repr(resource)] = project
        return resource

    def open(self) -> Project:
        """Return the project; the same one for equal configurations in one process."""
        if repr(self) not in _opened:
            _opened[repr(self)] = Project(
                state=Path(self.state),
                data=Path(self.data),
                notebooks=Path(self.notebooks) if self.notebooks else None,
                sandbox_preference=self.sandbox,
                cell_seconds=self.cell_seconds,
            )
        return _opened[repr(self)]
