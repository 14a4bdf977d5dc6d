"""Automation: when the content of lake or corpus changed, the analyses that it concerns are made anew.

Content decides, never times: a touched file starts nothing. The sensor is off until it is turned on in
the Dagster UI.
"""

import dagster as dg

from definitions.jobs import analyze
from lakebook.pipeline import STAGES
from lakebook.pipeline.project import read_analyses
from lakebook.pipeline.stage import is_current
from resources.project import ProjectResource


@dg.sensor(
    job=analyze,
    name="refresh_when_changed",
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Starts a run for every analysis whose lake, corpus or code changed.",
)
def refresh_when_changed(context: dg.SensorEvaluationContext, project: ProjectResource) -> dg.SensorResult:
    """Ask for a run of each analysis that is no longer current."""
    opened = project.open()
    opened.seen.clear()
    stale = [
        partition
        for partition in read_analyses(opened.state)
        if not is_current(tuple(STAGES.values()), opened, partition)
    ]
    versions = "-".join(
        receipt.version[:12]
        for name in ("lake_files", "corpus_notebooks")
        if (receipt := opened.store.receipt(name))
    )
    requests = [dg.RunRequest(run_key=f"{name}:{versions}", partition_key=name) for name in stale]
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=[
            dg.DynamicPartitionsDefinition(name="analyses").build_add_request(stale)
        ],
    )
