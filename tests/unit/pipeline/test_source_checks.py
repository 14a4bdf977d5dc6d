"""A source that changed is compared with its previous card; an unchanged one raises no alarm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lakebook.pipeline import STAGES
from lakebook.pipeline.project import Project
from lakebook.pipeline.source_checks import SOURCE_CHECKS
from lakebook.pipeline.stage import build

CHANGED = {"columns_kept", "types_kept", "null_rates_steady", "scales_steady", "rows_kept"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    lake = tmp_path / "lake"
    lake.mkdir()
    return Project(tmp_path / "state", lake)


def write(
    project: Project, seed: int, *, factor: float = 1.0, rows: int = 200, gaps: int = 4, code: str = ""
) -> None:
    values = np.random.default_rng(seed).lognormal(4, 0.5, rows) * factor
    lines = ["shop,price,code"]
    for number, value in enumerate(values):
        shown = "" if number < gaps else f"{value:.2f}"
        lines.append(f"{'NSW'[number % 3]},{shown},{code or number % 7}")
    (project.data / "prices.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def alarms(project: Project) -> dict[str, str]:
    """Look at the lake anew, and return the failed checks about changes with their first offender."""
    project.seen.clear()
    build(STAGES["lake_files"], project)
    build(STAGES["source_cards"], project)
    outcomes = {
        check.name: check.evaluate(project.store, "") for check in SOURCE_CHECKS if check.name in CHANGED
    }
    return {name: found.offenders[0] for name, found in outcomes.items() if not found.passed}


def test_another_draw_of_the_same_data_raises_no_alarm(project: Project) -> None:
    write(project, 1)
    assert alarms(project) == {}
    write(project, 2)
    assert alarms(project) == {}


@pytest.mark.parametrize(
    ("change", "name", "words"),
    [
        ({"factor": 100.0}, "scales_steady", "× 100"),
        ({"gaps": 120}, "null_rates_steady", "60.0% now"),
        ({"rows": 60}, "rows_kept", "200 rows before, 60 now"),
        ({"code": "x"}, "types_kept", "was integer, is text"),
    ],
)
def test_each_kind_of_change_is_named(
    project: Project, change: dict[str, float], name: str, words: str
) -> None:
    write(project, 1)
    alarms(project)
    write(project, 2, **change)  # type: ignore[arg-type]
    found = alarms(project)
    assert words in found[name]
    assert "prices.csv" in found[name]


def test_the_previous_card_stays_the_measure_until_the_file_changes_again(project: Project) -> None:
    write(project, 1)
    alarms(project)
    write(project, 1, factor=100.0)
    assert "scales_steady" in alarms(project)
    (project.data / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert "scales_steady" in alarms(project), "another file's arrival is no pardon"
    write(project, 2, factor=100.0)
    assert alarms(project) == {}


def test_notes_and_settings_make_the_cards_anew(project: Project) -> None:
    write(project, 1)
    alarms(project)
    (project.data / "sources.yml").write_text("files:\n  prices.csv: prices of shops\n", encoding="utf-8")
    project.seen.clear()
    build(STAGES["lake_files"], project)
    assert build(STAGES["source_cards"], project).rebuilt
    project.day_order = "day"
    assert build(STAGES["source_cards"], project).rebuilt
    assert not build(STAGES["source_cards"], project).rebuilt
