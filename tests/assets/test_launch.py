"""What a Dagster run of ours records and stops at: blocking checks, errors of stages, lost processes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from dagster import DagsterRunStatus

from definitions.launch import Outcome, dagster_home, instance_of, launch
from lakebook.analysis import Analysis
from lakebook.errors import DatasetNotFound, UsageError
from lakebook.pipeline import sources
from lakebook.pipeline.project import Project, declare_analysis
from lakebook.sources.card import SourceMap


def start(project: Project, dataset: str = "sales.csv") -> tuple[Outcome, str]:
    analysis = Analysis("compare sales by shop", dataset)
    declare_analysis(project.state, analysis, project.state / "out")
    return launch(project, analysis.id), analysis.id


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the profiler lose a row of every unit."""
    make = sources.map_lake

    def lose(*arguments: object, **named: object) -> SourceMap:
        whole = make(*arguments, **named)  # type: ignore[arg-type]
        cards = tuple(
            replace(card, units=tuple(replace(unit, rows=unit.rows - 1) for unit in card.units))
            for card in whole.cards
        )
        return SourceMap(cards, whole.groups)

    monkeypatch.setattr(sources, "map_lake", lose)


@pytest.mark.usefixtures("lossy")
def test_a_failed_blocking_check_stops_what_is_downstream(project: Project) -> None:
    outcome, partition = start(project)
    failed = [check for check in outcome.checks if check.status == "failed"]
    assert [(check.asset, check.name) for check in failed] == [("source_cards", "rows_accounted_for")]
    assert "rows are missing in 1 units" in failed[0].message
    assert not outcome.succeeded
    assert outcome.error is None
    assert project.store.receipt("eda_queries", partition) is None
    assert project.store.receipt("source_cards") is None, "a refused result must be made anew"
    assert "eda_plan: plan_is_sound" in outcome.unevaluated
    with instance_of(project.state) as instance:
        assert instance.get_latest_materialization_event(dg.AssetKey("eda_queries")) is None
        assert instance.get_latest_materialization_event(dg.AssetKey("notebook_components")) is not None


def test_a_missing_dataset_is_the_error_of_the_run(project: Project) -> None:
    outcome, _ = start(project, "sale.csv")
    assert isinstance(outcome.error, DatasetNotFound)
    assert "sales.csv" in outcome.error.nearest
    assert outcome.error.exit_code == 2


def test_a_dataset_without_rows_is_named_as_such(project: Project) -> None:
    (project.data / "empty.csv").write_text("day,shop\n", encoding="utf-8")
    outcome, _ = start(project, "empty.csv")
    assert isinstance(outcome.error, UsageError)
    assert outcome.error.where == "empty.csv"
    assert "no rows" in outcome.error.message


def test_the_home_keeps_history_to_itself(tmp_path: Path) -> None:
    home = dagster_home(tmp_path)
    config = (home / "dagster.yaml").read_text(encoding="utf-8")
    assert "telemetry:\n  enabled: false" in config
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    assert dagster_home(tmp_path) == home
    assert (home / "dagster.yaml").read_text(encoding="utf-8").startswith("telemetry: {"), (
        "a user's edit stands"
    )


def test_runs_of_lost_processes_are_marked_failed(tmp_path: Path) -> None:
    with instance_of(tmp_path) as instance:
        lost = instance.create_run(
            run_id=None,
            job_name="analyze",
            run_config={},
            status=DagsterRunStatus.STARTED,
            tags={"lakebook/process": "999999999:1"},
            root_run_id=None,
            parent_run_id=None,
            step_keys_to_execute=None,
            execution_plan_snapshot=None,
            job_snapshot=None,
            parent_job_snapshot=None,
            asset_selection=None,
            asset_check_selection=None,
            resolved_op_selection=None,
            op_selection=None,
            remote_job_origin=None,
            job_code_origin=None,
            asset_graph=None,  # type: ignore[arg-type]
        )
    with instance_of(tmp_path) as instance:
        found = instance.get_run_by_id(lost.run_id)
        assert found is not None
        assert found.status == DagsterRunStatus.FAILURE
