"""The project as a Dagster resource: configured with paths, opened as a plain `lakebook` Project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg

from lakebook.pipeline.project import Project
from lakebook.sandbox.base import Limits
from lakebook.settings import ModelSettings, Settings, load_settings

# Dagster copies resources, but a warm sandbox session should be shared by all steps of a process.
_LIMITS = ("cell_seconds", "cores", "memory_mb", "processes", "disk_mb", "idle_seconds")

_opened: dict[str, Project] = {}


class ProjectResource(dg.ConfigurableResource[Project]):
    """A lake, a corpus and the state folder.

    Attributes:
        state, data, notebooks: folders; an empty `notebooks` means that there is no corpus.
        sandbox: which isolation to use ("auto" takes what works).
        cell_seconds, cores, memory_mb, processes, disk_mb, idle_seconds: limits of a sandbox session.
        root: folder of `lakebook.toml`. day_order: "day" or "month" where dates leave it open, else "".
        retrieval: how components are found ("columns" or "general").
        embedding: name of the model that ranks prose, `vision` of the one that looks at figures, "" for none.
        model: name of the language model, "" for none; `privacy`, `max_calls`, `max_tokens`, `max_cost` and
            `max_seconds`: its limits. Its address and its key are no configuration, which Dagster shows and
            stores: they are read from the settings where they are used.
    """

    state: str
    data: str
    notebooks: str = ""
    sandbox: str = "auto"
    cell_seconds: float = 60.0
    cores: float = 2.0
    memory_mb: int = 3072
    processes: int = 64
    disk_mb: int = 512
    idle_seconds: float = 1800.0
    root: str = ""
    day_order: str = ""
    retrieval: str = "columns"
    embedding: str = ""
    vision: str = ""
    model: str = ""
    privacy: str = "samples"
    max_calls: int = 20
    max_tokens: int = 60_000
    max_cost: str = ""
    max_seconds: str = ""

    @classmethod
    def of(cls, project: Project) -> ProjectResource:
        """Return the resource of a project that is already open; steps in this process get that one."""
        resource = cls(
            state=str(project.state),
            data=str(project.data),
            notebooks=str(project.notebooks or ""),
            sandbox=project.sandbox_preference,
            root=str(project.root or ""),
            day_order=project.day_order or "",
            retrieval=project.retrieval,
            embedding=project.embedding.name if project.embedding else "",
            **limit_fields(project.limits),
            vision=project.vision.name if project.vision else "",
            **model_fields(project.model),
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
                limits=Limits(**{name: getattr(self, name) for name in _LIMITS}),
                root=Path(self.root) if self.root else None,
                day_order=load_settings({"day_order": self.day_order}).day_order,
                model=self._language_model(),
                retrieval=load_settings({"retrieval": self.retrieval}).retrieval,
                embedding=self._embedding_model(),
                vision=self._vision_model(),
            )
        return _opened[repr(self)]

    def _embedding_model(self) -> ModelSettings | None:
        """Add the address and the key of this machine's settings, as for the language model."""
        return self._with({"embedding_model": self.embedding}).embedding_model if self.embedding else None

    def _vision_model(self) -> ModelSettings | None:
        """Add the address and the key of this machine's settings, as for the language model."""
        return self._with({"vision_model": self.vision}).vision_model if self.vision else None

    def _language_model(self) -> ModelSettings | None:
        """Add the address and the key of this machine's settings; without either there is no model."""
        return self._with({"model": self.model}).language_model if self.model else None

    def _with(self, named: dict[str, str | None]) -> Settings:
        """Return the settings of this machine, with the limits of this configuration."""
        names = ("privacy", "max_calls", "max_tokens", "max_cost", "max_seconds")
        return load_settings(named | {name: str(getattr(self, name)) for name in names})


def limit_fields(limits: Limits) -> dict[str, Any]:
    """Return what the configuration holds of a session's limits."""
    return {name: getattr(limits, name) for name in _LIMITS}


def model_fields(model: ModelSettings | None) -> dict[str, Any]:
    """Return what the configuration may hold of a language model."""
    if model is None:
        return {}
    return {
        "model": model.name,
        "privacy": model.privacy,
        "max_calls": model.max_calls,
        "max_tokens": model.max_tokens,
        "max_cost": "" if model.max_cost is None else f"{model.max_cost:g}",
        "max_seconds": "" if model.max_seconds is None else f"{model.max_seconds:g}",
    }
