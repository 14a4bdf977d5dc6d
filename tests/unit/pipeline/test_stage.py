"""When a stage is made anew: changed inputs, changed code, a lost receipt; and when it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.pipeline import stage as stage_module
from lakebook.pipeline.project import Project
from lakebook.pipeline.stage import Stage, build, is_current


class Source:
    """Something outside that changes, and a count of how often the stages worked."""

    def __init__(self) -> None:
        self.value = 1
        self.made: list[str] = []

    def look(self, project: Project, partition: str) -> int:
        return self.value

    def double(self, project: Project, partition: str) -> int:
        self.made.append("double")
        return 2 * project.store.read_document("outside", int)

    def parity(self, project: Project, partition: str) -> bool:
        self.made.append(f"parity {partition}")
        return project.store.read_document("double", int) % 4 == 0


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def stages(source: Source) -> tuple[Stage, ...]:
    return (
        Stage("outside", "sources", int, (), ("sources",), source.look, observed=True),
        Stage("double", "sources", int, ("outside",), ("sources",), source.double),
        Stage("parity", "analysis", bool, ("double",), ("sources",), source.parity),
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "state", tmp_path)


def run(stages: tuple[Stage, ...], project: Project) -> list[bool]:
    project.seen.clear()  # as a new run would
    return [build(stage, project, "one").rebuilt for stage in stages]


def test_nothing_is_made_twice(source: Source, stages: tuple[Stage, ...], project: Project) -> None:
    assert run(stages, project) == [True, True, True]
    assert run(stages, project) == [False, False, False]
    assert source.made == ["double", "parity one"]
    assert is_current(stages, project, "one")


def test_a_change_outside_is_seen_and_followed(
    source: Source, stages: tuple[Stage, ...], project: Project
) -> None:
    run(stages, project)
    source.value = 2
    project.seen.clear()
    assert not is_current(stages, project, "one")
    assert run(stages, project) == [False, True, True], "is_current has looked outside already"


def test_one_run_sees_one_state_of_what_is_outside(
    source: Source, stages: tuple[Stage, ...], project: Project
) -> None:
    run(stages, project)
    source.value = 2
    assert build(stages[0], project).rebuilt is False
    assert is_current(stages, project, "one")


def test_what_comes_out_the_same_stops_the_chain(
    source: Source, stages: tuple[Stage, ...], project: Project
) -> None:
    run(stages, project)
    source.value = 3
    run(stages, project)
    before = len(source.made)
    project.store.forget("double")
    assert run(stages, project) == [False, True, False]
    assert source.made[before:] == ["double"], "parity's input has the same version as before"


def test_changed_code_makes_a_stage_anew(
    stages: tuple[Stage, ...], project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(stages, project)
    monkeypatch.setattr(stage_module, "code_version", lambda packages: "other")
    assert not is_current(stages, project, "one")
    assert run(stages, project)[1:] == [True, True]


def test_partitions_are_apart(source: Source, stages: tuple[Stage, ...], project: Project) -> None:
    run(stages, project)
    assert not is_current(stages, project, "two")
    build(stages[2], project, "two")
    assert source.made[-1] == "parity two"
    assert is_current(stages, project, "two")


def test_an_interrupted_stage_counts_as_never_made(
    source: Source, stages: tuple[Stage, ...], project: Project
) -> None:
    run(stages, project)
    project.store.forget("parity", "one")
    assert not is_current(stages, project, "one")
    assert run(stages, project) == [False, False, True]


def test_code_version_covers_the_source_of_its_packages() -> None:
    assert stage_module.code_version(("sources",)) != stage_module.code_version(("notebooks",))
    assert len(stage_module.code_version(("sources",))) == 16
