"""Great Expectations on the cards and claims tables: types, ranges and keys that a reader relies on.

Only tables are checked here; what relates two results to each other is in `lakebook.pipeline.checks`.
The library costs seconds to import, hence inside the functions.
"""

from collections.abc import Sequence
from typing import Any

import dagster as dg
import pandas as pd

from assets.materialize import partition_of
from resources.project import ProjectResource


def validate(frame: pd.DataFrame, suite_name: str, expectations: Sequence[Any]) -> dg.AssetCheckResult:
    """Validate a frame and return one check result with every unmet expectation."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("tables").add_dataframe_asset(suite_name)
    batch = asset.add_batch_definition_whole_dataframe("whole").get_batch(
        batch_parameters={"dataframe": frame}
    )
    suite = gx.ExpectationSuite(name=suite_name, expectations=list(expectations))
    result = batch.validate(suite)
    unmet = [
        f"{one.expectation_config.type} {one.expectation_config.kwargs.get('column', '')}: "
        f"{one.result.get('partial_unexpected_list', one.exception_info)}"
        for one in result.results
        if not one.success
    ]
    return dg.AssetCheckResult(
        passed=bool(result.success),
        description=f"{len(result.results) - len(unmet)} of {len(result.results)} expectations met",
        metadata={"unmet": unmet[:20], "rows": len(frame)},
    )


@dg.asset_check(
    asset="source_cards",
    name="cards_meet_expectations",
    description="Great Expectations on the table of files and units.",
    blocking=True,
)
def cards_meet_expectations(project: ProjectResource) -> dg.AssetCheckResult:
    """Check statuses, hashes and counts of the cards table."""
    import great_expectations.expectations as gxe

    frame = project.open().store.read_table("source_cards", name="files")
    expectations = [
        gxe.ExpectColumnValuesToBeInSet(column="status", value_set=["ok", "partial", "failed", "skipped"]),
        gxe.ExpectColumnValuesToNotBeNull(column="path"),
        gxe.ExpectColumnValuesToMatchRegex(column="sha256", regex=r"^[0-9a-f]{64}$"),
        gxe.ExpectColumnValuesToBeBetween(column="rows", min_value=0),
        gxe.ExpectColumnValuesToBeBetween(column="rows_rejected", min_value=0),
        gxe.ExpectCompoundColumnsToBeUnique(column_list=["path", "unit"]),
    ]
    return validate(frame, "cards", expectations)


@dg.asset_check(
    asset="insights",
    name="claims_meet_expectations",
    description="Great Expectations on the table of published claims.",
    blocking=True,
)
def claims_meet_expectations(
    context: dg.AssetCheckExecutionContext, project: ProjectResource
) -> dg.AssetCheckResult:
    """Check ids, kinds, expressions and records of the claims table."""
    import great_expectations.expectations as gxe

    frame = project.open().store.read_table("insights", partition_of(context), name="claims")
    kinds = ["number", "direction", "comparison", "rank", "absence", "label"]
    expectations = [
        gxe.ExpectTableRowCountToBeBetween(min_value=1),
        gxe.ExpectColumnValuesToBeUnique(column="claim"),
        gxe.ExpectColumnValuesToBeInSet(column="kind", value_set=kinds),
        gxe.ExpectColumnValueLengthsToBeBetween(column="expression", min_value=1),
        gxe.ExpectColumnValueLengthsToBeBetween(column="shown", min_value=1),
        gxe.ExpectColumnValuesToMatchRegex(column="record", regex=r"^r\d{3,}$"),
    ]
    return validate(frame, "claims", expectations)


EXPECTATIONS = (cards_meet_expectations, claims_meet_expectations)
