"""Every validation rule as an asset check of the execution records: one step replays them for all rules."""

from collections.abc import Iterator

import dagster as dg

from assets.checks.factory import result_of
from assets.materialize import partition_of
from lakebook.pipeline.replayed_rules import rule_outcomes
from lakebook.validation.registry import rules
from resources.project import ProjectResource

RECORDS = dg.AssetKey("execution_records")


def check_name(rule: str) -> str:
    """Return the name of the check that a rule is."""
    return f"rule_{rule}"


@dg.multi_asset_check(
    name="validation_rules",
    specs=[
        dg.AssetCheckSpec(
            check_name(rule.id), asset=RECORDS, description=f"{rule.detects} ({rule.reference})"
        )
        for rule in rules()
    ],
)
def validation_rules(
    context: dg.AssetCheckExecutionContext, project: ProjectResource
) -> Iterator[dg.AssetCheckResult]:
    """Replay the records, and give one result a rule; none of them blocks, what was rejected never ran."""
    for rule, outcome in rule_outcomes(project.open(), partition_of(context)).items():
        result = result_of(outcome, blocking=False)
        yield result._replace(asset_key=RECORDS, check_name=check_name(rule))
