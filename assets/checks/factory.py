"""One asset check from one domain check: the domain decides, Dagster records."""

import dagster as dg

from assets.materialize import partition_of
from lakebook.pipeline import STAGES
from lakebook.pipeline.check import Check, Outcome
from resources.project import ProjectResource


def result_of(outcome: Outcome, blocking: bool) -> dg.AssetCheckResult:
    """Return the check's result with the offenders as metadata."""
    severity = dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN
    metadata = {"offenders": list(outcome.offenders)} if outcome.offenders else {}
    return dg.AssetCheckResult(
        passed=outcome.passed, severity=severity, description=outcome.message, metadata=metadata
    )


def asset_check_of(check: Check) -> dg.AssetChecksDefinition:
    """Make the asset check; a failed blocking one also forgets the stored result, so it is made anew."""
    partitioned = STAGES[check.asset].partitioned

    @dg.asset_check(
        asset=check.asset,
        name=check.name,
        description=check.description,
        blocking=check.blocking,
    )
    def evaluate(context: dg.AssetCheckExecutionContext, project: ProjectResource) -> dg.AssetCheckResult:
        partition = partition_of(context) if partitioned else ""
        store = project.open().store
        found = check.evaluate(store, partition)
        if not found.passed and check.blocking:
            store.forget(check.asset, partition)
        return result_of(found, check.blocking)

    return evaluate
