"""A stage: one result, made from others, and made anew only when its inputs or its code changed.

Every stage is one asset. Its receipt names the versions of what it was made from; when these and the
stage's own code are the same, the stored result stands and nothing is computed (design rule 6).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from lakebook.pipeline.project import Project
from lakebook.storage import Receipt

Make = Callable[[Project, str], Any]
Inputs = Callable[[Project, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Stage:
    """One result of the pipeline.

    Attributes:
        name: the asset's name. `group`: sources, notebooks or analysis.
        kind: the type of its document.
        upstream: names of the stages whose documents `make` reads.
        code: sub-packages of `lakebook` whose source decides the result.
        make: computes the document from the project and the partition ("" for an unpartitioned stage).
        inputs: versions that the result depends on, when that is less (or more) than all of upstream.
        observed: the result is what lies outside (files), so it is looked at anew each time.
    """

    name: str
    group: str
    kind: Any
    upstream: tuple[str, ...]
    code: tuple[str, ...]
    make: Make
    inputs: Inputs | None = None
    observed: bool = False

    @property
    def partitioned(self) -> bool:
        """Whether there is one result an analysis."""
        return self.group == "analysis"


@dataclass(frozen=True, slots=True)
class Built:
    """What came of a stage: its version, whether it was computed now, and how long that took."""

    version: str
    rebuilt: bool
    seconds: float


@cache
def code_version(packages: tuple[str, ...]) -> str:
    """Return a hash of the source of these sub-packages, so that changed code makes results anew."""
    digest = hashlib.sha256()
    for package in sorted({*packages, "pipeline"}):
        _hash_tree(resources.files("lakebook") / package, digest)
    _hash_tree(resources.files("sql"), digest)
    return digest.hexdigest()[:16]


def _hash_tree(folder: Any, digest: Any) -> None:
    for entry in sorted(folder.iterdir(), key=lambda item: str(item.name)):
        if entry.is_dir():
            if entry.name != "__pycache__":
                _hash_tree(entry, digest)
        elif not entry.name.endswith(".pyc"):
            digest.update(entry.name.encode())
            digest.update(entry.read_bytes())


def input_versions(stage: Stage, project: Project, partition: str) -> dict[str, str]:
    """Return the versions of what the stage is made from, as they are stored now."""
    if stage.inputs is not None:
        return dict(stage.inputs(project, partition))
    versions = {}
    for name in stage.upstream:
        receipt = project.store.receipt(name) or project.store.receipt(name, partition)
        versions[name] = receipt.version if receipt else ""
    return versions


def build(stage: Stage, project: Project, partition: str = "") -> Built:
    """Make the stage's result unless the stored one still stands, and write its receipt."""
    place = partition if stage.partitioned else ""
    inputs = input_versions(stage, project, place)
    code = code_version(stage.code)
    receipt = project.store.receipt(stage.name, place)
    stands = receipt and receipt.inputs == inputs and receipt.code == code
    if receipt and stands and (not stage.observed or stage.name in project.seen):
        project.progress(stage.name, 1, 1, "unchanged")
        return Built(receipt.version, rebuilt=False, seconds=0.0)
    started = time.perf_counter()
    project.progress(stage.name, 0, 0, "")
    value = stage.make(project, place)
    version = project.store.write_document(stage.name, value, stage.kind, place)
    if stage.observed:
        project.seen.add(stage.name)
    seconds = time.perf_counter() - started
    # Some inputs are only known once the stage ran (which dataset was chosen), hence asked again.
    inputs = input_versions(stage, project, place)
    project.store.write_receipt(stage.name, Receipt(inputs, code, version, seconds), place)
    rebuilt = receipt is None or receipt.version != version or not stage.observed
    return Built(version, rebuilt, seconds)


def is_current(stages: Sequence[Stage], project: Project, partition: str) -> bool:
    """Look at the lake and the corpus, and return True if a run would rebuild nothing."""
    for stage in stages:
        place = partition if stage.partitioned else ""
        if stage.observed:
            build(stage, project)
        receipt = project.store.receipt(stage.name, place)
        if receipt is None or receipt.code != code_version(stage.code):
            return False
        if dict(receipt.inputs) != input_versions(stage, project, place):
            return False
    return True
