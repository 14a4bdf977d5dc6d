"""Great Expectations on the cards and claims tables: types, ranges and keys that a reader relies on.

Only tables are checked here; what relates two results to each other is in `lakebook.pipeline.checks`.
The library costs seconds to import, hence inside the functions.
"""

from collections.abc import Sequence
from typing import Any

import dagster as dg
import pandas as pd

from assets.materialize import partition_of
from lakebook.pipeline.sources import changed_cards
from lakebook.sources.card import SourceUnit
from lakebook.sources.drift import LEVEL_SHIFT, NULL_JUMP
from lakebook.sources.profile import table_file
from resources.project import ProjectResource

_MOST_TABLES = 20
_MOST_ROWS = 1_000_000


def unmet_by(frame: pd.DataFrame, suite_name: str, expectations: Sequence[Any]) -> list[str]:
    """Validate a frame and return every unmet expectation with what was seen."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("tables").add_dataframe_asset(suite_name)
    batch = asset.add_batch_definition_whole_dataframe("whole").get_batch(
        batch_parameters={"dataframe": frame}
    )
    suite = gx.ExpectationSuite(name=suite_name, expectations=list(expectations))
    return [
        f"{one.expectation_config.type} {one.expectation_config.kwargs.get('column', '')}: "
        f"{one.result.get('partial_unexpected_list', one.result.get('observed_value', one.exception_info))}"
        for one in batch.validate(suite).results
        if not one.success
    ]


def validate(frame: pd.DataFrame, suite_name: str, expectations: Sequence[Any]) -> dg.AssetCheckResult:
    """Validate a frame and return one check result with every unmet expectation."""
    unmet = unmet_by(frame, suite_name, expectations)
    return dg.AssetCheckResult(
        passed=not unmet,
        description=f"{len(expectations) - len(unmet)} of {len(expectations)} expectations met",
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


def suite_of(unit: SourceUnit) -> list[Any]:
    """Return what the next version of a table should look like, derived from its card.

    Columns as before; nulls at most ten points more; categories with a complete list keep to it in 95 % of
    the rows; the median of a measure within a factor of five.
    """
    import great_expectations.expectations as gxe

    found: list[Any] = [gxe.ExpectTableColumnsToMatchSet(column_set=[column.name for column in unit.columns])]
    for column in unit.columns:
        filled = 1 - column.nulls / unit.rows - NULL_JUMP
        if filled > 0:
            found.append(gxe.ExpectColumnValuesToNotBeNull(column=column.name, mostly=round(filled, 4)))
        if column.role == "category" and column.values_complete and column.type == "text":
            known = [value.value for value in column.values]
            found.append(gxe.ExpectColumnValuesToBeInSet(column=column.name, value_set=known, mostly=0.95))
        middle = [float(one.value) for one in column.quantiles if one.share == 0.5]
        median = middle[0] if middle and column.role == "measure" else 0.0
        if median > 0:
            low, high = median / LEVEL_SHIFT, median * LEVEL_SHIFT
            found.append(gxe.ExpectColumnMedianToBeBetween(column=column.name, min_value=low, max_value=high))
    return found


@dg.asset_check(
    asset="source_cards",
    name="changed_tables_meet_expectations",
    description="Great Expectations on each table that changed, derived from its previous card.",
    blocking=False,
)
def changed_tables_meet_expectations(project: ProjectResource) -> dg.AssetCheckResult:
    """Check the changed tables, at most twenty of them and a million rows of each."""
    opened = project.open()
    unmet: list[str] = []
    checked: list[str] = []
    left_out = 0
    for before, now in changed_cards(opened.store):
        for unit in now.units:
            earlier = next((one for one in before.units if one.unit == unit.unit and one.rows), None)
            if unit.kind != "table" or earlier is None or not unit.rows:
                continue
            if len(checked) >= _MOST_TABLES or unit.rows > _MOST_ROWS:
                left_out += 1
                continue
            frame = pd.read_parquet(table_file(opened.state, now, unit))
            checked.append(unit.table)
            unmet += [f"{unit.table}: {text}" for text in unmet_by(frame, unit.table, suite_of(earlier))]
    description = (
        f"{len(checked)} changed tables checked, {left_out} left out, {len(unmet)} expectations unmet"
    )
    return dg.AssetCheckResult(
        passed=not unmet,
        severity=dg.AssetCheckSeverity.WARN,
        description=description,
        metadata={"tables": checked, "unmet": unmet[:20]},
    )


EXPECTATIONS = (cards_meet_expectations, changed_tables_meet_expectations, claims_meet_expectations)
