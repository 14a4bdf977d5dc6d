"""Running an analysis in this process as a Dagster run, and reading off what came of it.

The audit trail is the product, so the main job always is a Dagster run on the project's own instance.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
from dagster import DagsterExecutionInterruptedError, DagsterInstance, DagsterRunStatus, RunsFilter

from definitions import build_defs
from definitions.jobs import QUIET, analyze
from lakebook.errors import LakebookError
from lakebook.pipeline import STAGES
from lakebook.pipeline.outcome import CheckSummary
from lakebook.pipeline.project import Project
from resources.project import ProjectResource

DAGSTER_YAML = """\
# Written by Lakebook. History lives beside this file; nothing is sent anywhere.
telemetry:
  enabled: false
nux:
  enabled: false
# The watchers of captured output answer Ctrl-C with tracebacks of their own; progress says it all.
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
"""
WORKSPACE_YAML = """\
# Written by Lakebook: what `lakebook dagster` loads.
load_from:
  - python_module:
      module_name: definitions
      location_name: lakebook
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run: `error` is a step's first failure, `unevaluated` are checks that never ran."""

    run_id: str
    succeeded: bool
    checks: tuple[CheckSummary, ...]
    unevaluated: tuple[str, ...]
    error: LakebookError | None


def dagster_home(state: Path) -> Path:
    """Return Dagster's home below the state folder, made and configured if need be."""
    home = state / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    for name, text in (("dagster.yaml", DAGSTER_YAML), ("workspace.yaml", WORKSPACE_YAML)):
        if not (home / name).is_file():
            (home / name).write_text(text, encoding="utf-8")
    return home


@contextmanager
def instance_of(state: Path) -> Iterator[DagsterInstance]:
    """Open the project's own Dagster instance; runs that a killed process left behind are marked failed."""
    os.environ["DAGSTER_HOME"] = str(dagster_home(state))
    with DagsterInstance.get() as instance:
        _bury_the_dead(instance)
        yield instance


def _bury_the_dead(instance: DagsterInstance) -> None:
    started = RunsFilter(statuses=[DagsterRunStatus.STARTED, DagsterRunStatus.STARTING])
    for run in instance.get_runs(started):
        process = run.tags.get("lakebook/process", "")
        if process and not _is_alive(process):
            instance.report_run_failed(
                run, "The process was ended from outside; the next run goes on from here."
            )


def _is_alive(process: str) -> bool:
    """Tell whether `pid:start time` still runs; the start time guards against a reused number."""
    return process == _process_mark(int(process.partition(":")[0]))


def _process_mark(pid: int) -> str:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return f"{pid}:{fields[19]}"


def launch(project: Project, partition: str) -> Outcome:
    """Run the whole analysis and return what came of it; failures of steps are returned, not raised.

    Raises:
        KeyboardInterrupt: the run was interrupted; what was finished is kept.
    """
    with warnings.catch_warnings(), instance_of(project.state) as instance:
        warnings.simplefilter("ignore", category=DeprecationWarning)
        instance.add_dynamic_partitions("analyses", [partition])
        defs = build_defs({"project": ProjectResource.of(project)})
        tags = {"lakebook/process": _process_mark(os.getpid())}
        outside = [dg.AssetKey(stage.name) for stage in STAGES.values() if stage.observed]
        # What is read is observed before it is read, or Dagster would take later changes for known ones.
        job = defs.resolve_job_def(analyze.name)
        try:
            result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
                instance=instance, asset_selection=outside, run_config=QUIET, tags=tags, raise_on_error=False
            )
            if result.success:
                result = job.execute_in_process(
                    instance=instance,
                    partition_key=partition,
                    run_config=QUIET,
                    tags=tags,
                    raise_on_error=False,
                )
        except DagsterExecutionInterruptedError:
            raise KeyboardInterrupt from None
        outcome = _outcome(job, result, project)
        if _was_interrupted(result, outcome):
            raise KeyboardInterrupt
        return outcome


def _was_interrupted(result: dg.ExecuteInProcessResult, outcome: Outcome) -> bool:
    """Tell an interrupted run: Dagster turns Ctrl-C into a failed step, or just stops between two steps."""
    if outcome.succeeded:
        return False
    failures = [event for event in result.all_events if event.is_step_failure]
    if not failures:
        return True
    return any("Interrupt" in (event.step_failure_data.error_display_string or "") for event in failures)


def _outcome(job: dg.JobDefinition, result: dg.ExecuteInProcessResult, project: Project) -> Outcome:
    evaluations = result.get_asset_check_evaluations()
    checks = tuple(
        CheckSummary(
            asset=evaluation.asset_key.to_user_string(),
            name=evaluation.check_name,
            status=_status(evaluation),
            message=evaluation.description or "",
        )
        for evaluation in evaluations
    )
    # A check can be skipped silently when a step is lost, so the planned ones are compared with these.
    evaluated = {(check.asset, check.name) for check in checks}
    planned = {
        (key.asset_key.to_user_string(), key.name) for key in job.asset_layer.asset_graph.asset_check_keys
    }
    unevaluated = tuple(sorted(f"{asset}: {name}" for asset, name in planned - evaluated))
    error = project.failures[0] if project.failures else None
    if error is None and not result.success and not any(check.status == "failed" for check in checks):
        error = _unforeseen(result)
    return Outcome(result.run_id, result.success, checks, unevaluated, error)


def _status(evaluation: dg.AssetCheckEvaluation) -> str:
    if evaluation.passed:
        return "passed"
    return "failed" if evaluation.severity == dg.AssetCheckSeverity.ERROR else "warned"


def _unforeseen(result: dg.ExecuteInProcessResult) -> LakebookError | None:
    """Return the first failure that no part of Lakebook foresaw: a fault of ours."""
    for event in result.all_events:
        if event.is_step_failure:
            cause = event.step_failure_data.error
            while cause is not None and cause.cause is not None:
                cause = cause.cause
            text = cause.message.strip() if cause else event.message or ""
            return LakebookError(
                f"{event.step_key} failed: {text}",
                hint="This is a fault of Lakebook; `lakebook dagster` shows the whole trace.",
            )
    return None
