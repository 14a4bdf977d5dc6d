"""How a stage becomes a Dagster asset: common arguments, and the result with its data version.

What a stage computes is in `lakebook.pipeline`; what is shown of it is in the group's module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dagster as dg
import pandas as pd

from lakebook.errors import LakebookError
from lakebook.pipeline import STAGES
from lakebook.pipeline.project import Project
from lakebook.pipeline.stage import build, code_version
from resources.project import ProjectResource

OWNERS = ["team:lakebook"]
CODE_LOCATION = "lakebook"
analyses = dg.DynamicPartitionsDefinition(name="analyses")

Metadata = Mapping[str, Any]
Describe = Callable[[Any, Project, str], Metadata]


def arguments(name: str, *kinds: str) -> dict[str, Any]:
    """Return the arguments of `@dg.asset` that follow from the stage: group, deps, code version."""
    stage = STAGES[name]
    return {
        "name": name,
        "group_name": stage.group,
        "deps": list(stage.upstream),
        "kinds": {"python", *kinds},
        "owners": OWNERS,
        "code_version": code_version(stage.code),
        "partitions_def": analyses if stage.partitioned else None,
    }


def materialize(
    name: str, project: ProjectResource, describe: Describe, partition: str = ""
) -> dg.MaterializeResult[Any]:
    """Build the stage unless its result still stands, and describe what there is now."""
    stage = STAGES[name]
    opened = project.open()
    try:
        for outside in (STAGES[name] for name in stage.upstream if STAGES[name].observed):
            build(outside, opened)  # a run that the UI starts has not looked at the files yet
        built = build(stage, opened, partition)
    except LakebookError as error:
        opened.failures.append(error)
        metadata = {"where": error.where, "next step": error.hint}
        raise dg.Failure(error.message, metadata=metadata, allow_retries=False) from error
    document = opened.store.read_document(name, stage.kind, partition)
    shown: dict[str, Any] = {
        "rebuilt": built.rebuilt,
        "seconds": round(built.seconds, 2),
        **describe(document, opened, partition),
    }
    return dg.MaterializeResult(data_version=dg.DataVersion(built.version), metadata=shown)


def observe(name: str, project: ProjectResource, describe: Describe) -> dg.ObserveResult:
    """Look at files outside; their data version is the hash of their content, never of times."""
    stage = STAGES[name]
    opened = project.open()
    built = build(stage, opened)
    document = opened.store.read_document(name, stage.kind)
    return dg.ObserveResult(
        data_version=dg.DataVersion(built.version), metadata=dict(describe(document, opened, ""))
    )


def partition_of(context: dg.AssetCheckExecutionContext) -> str:
    """Return the analysis that a check's run is about (partitioned check definitions are only a preview)."""
    return str(context.run.tags["dagster/partition"])


def table_metadata(frame: pd.DataFrame, rows: int = 100) -> dg.TableMetadataValue:
    """Return the first rows of a frame for the Dagster UI."""
    schema = dg.TableSchema([dg.TableColumn(str(name), str(dtype)) for name, dtype in frame.dtypes.items()])
    records = [
        dg.TableRecord({str(name): _cell(value) for name, value in row.items()})
        for row in frame.head(rows).to_dict("records")
    ]
    return dg.MetadataValue.table(records=records, schema=schema)


def _cell(value: object) -> str | int | float | bool | None:
    if value is None or (not isinstance(value, (list, tuple, dict)) and pd.isna(value)):  # type: ignore[call-overload]
        return None
    return value if isinstance(value, (str, int, float, bool)) else str(value)
