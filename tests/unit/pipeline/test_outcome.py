"""The exit code and the words at the end of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.pipeline.documents import NotebookRun
from lakebook.pipeline.outcome import CheckSummary, finished_before, remember, summarize_run
from lakebook.pipeline.project import Project
from lakebook.sources.card import SourceCard, SourceMap

GOOD = CheckSummary("source_cards", "rows_accounted_for", "passed", "")
WARNED = CheckSummary("notebook_cells", "notebooks_usable", "warned", "1 notebooks were left out")
FAILED = CheckSummary("source_cards", "cards_cover_files", "failed", "2 files and cards do not match")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "state", tmp_path)


def cards(project: Project, *statuses: str) -> None:
    made = tuple(
        SourceCard(f"{n}.csv", status, "csv", 1, "0" * 64)  # type: ignore[arg-type]
        for n, status in enumerate(statuses)
    )
    project.store.write_document("source_cards", SourceMap(made), SourceMap)


def notebook(project: Project, error: str = "") -> None:
    run = NotebookRun("analysis.ipynb", "0" * 64, 3, 1, 1, 0, error, ())
    project.store.write_document("eda_notebook", run, NotebookRun, "one")


@pytest.mark.parametrize(
    ("statuses", "checks", "error", "code"),
    [
        (["ok"], [GOOD], "", 0),
        (["ok", "skipped"], [GOOD, WARNED], "", 0),
        (["ok", "partial"], [GOOD], "", 4),
        (["ok", "failed"], [GOOD], "", 4),
        (["ok", "failed"], [GOOD, FAILED], "", 3),
        (["ok"], [GOOD, FAILED], "cell x: NameError: y", 1),
    ],
    ids=["good", "warned", "partial", "failed source", "failed check", "failed cell"],
)
def test_exit_codes(
    project: Project, tmp_path: Path, statuses: list[str], checks: list[CheckSummary], error: str, code: int
) -> None:
    cards(project, *statuses)
    notebook(project, error)
    assert summarize_run(project, "one", "r", checks, tmp_path).exit_code == code


def test_the_words_name_what_did_not_go_well(project: Project, tmp_path: Path) -> None:
    cards(project, "ok", "failed")
    text = summarize_run(project, "one", "r", [GOOD, WARNED, FAILED], tmp_path).text
    assert "1 read whole, 0 in part, 1 failed" in text
    assert "failed: cards_cover_files" in text
    assert text.index("cards_cover_files") < text.index("notebooks_usable")


def test_a_run_that_made_nothing_can_be_summed_up(project: Project, tmp_path: Path) -> None:
    summary = summarize_run(project, "one", "r", [], tmp_path)
    assert (summary.notebook, summary.report, summary.insights) == ("", "", ())
    assert "did not get that far" in summary.text


def test_only_a_finished_run_is_remembered_as_such(project: Project, tmp_path: Path) -> None:
    assert finished_before(project, "one") is None
    cards(project, "ok")
    notebook(project)
    good = summarize_run(project, "one", "r", [GOOD], tmp_path)
    remember(project, "one", good)
    assert finished_before(project, "one") == good
    remember(project, "one", summarize_run(project, "one", "r", [FAILED], tmp_path))
    assert finished_before(project, "one") is None
