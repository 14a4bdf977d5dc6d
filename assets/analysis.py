"""The analysis group, one partition an analysis: from the intent to the notebook and the report."""

from typing import Any
from urllib.parse import urlencode

import dagster as dg
import pandas as pd

from assets.materialize import CODE_LOCATION, Metadata, arguments, materialize, table_metadata
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.operators.kept_records import SHOWN
from lakebook.pipeline.documents import (
    Inquiry,
    InsightsDocument,
    NotebookRun,
    PlanDocument,
    RecordsDocument,
    ReportFiles,
)
from lakebook.pipeline.inquiry import read_passages
from lakebook.pipeline.project import Project
from lakebook.retrieval.result import RetrievedComponent
from resources.project import ProjectResource

Result = dg.MaterializeResult[Any]


@dg.asset(
    **arguments("eda_queries"), description="The intent as read, broken into questions with their columns."
)
def eda_queries(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Read the intent."""

    def describe(inquiry: Inquiry, opened: Project, partition: str) -> Metadata:
        lines = [f"> {inquiry.intent.text}", "", f"{inquiry.intent.kind} of `{inquiry.intent.target}`", ""]
        lines += [f"- {query.goal} ({', '.join(query.columns)}): {query.why}" for query in inquiry.queries]
        lines += ["", inquiry.queries_note] if inquiry.queries_note else []
        return {"dagster/row_count": len(inquiry.queries), "queries": dg.MetadataValue.md("\n".join(lines))}

    return materialize("eda_queries", project, describe, context.partition_key)


@dg.asset(
    **arguments("retrieved_components", "lancedb"),
    description="Components of old notebooks taken for each question, and why (NotebookRAG §4.2.3).",
)
def retrieved_components(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Find components."""

    def describe(found: tuple[RetrievedComponent, ...], opened: Project, partition: str) -> Metadata:
        rows = [
            (one.query, one.component, one.rank, one.match, round(one.score, 3), one.why) for one in found
        ]
        frame = pd.DataFrame(rows, columns=["query", "component", "rank", "match", "score", "why"])
        prose = [
            (one.query, one.notebook, one.cell, one.text, one.why) for one in read_passages(opened, partition)
        ]
        passages = pd.DataFrame(prose, columns=["query", "notebook", "cell", "text", "why"])
        return {
            "dagster/row_count": len(found),
            "components": table_metadata(frame),
            "passages": table_metadata(passages),
        }

    return materialize("retrieved_components", project, describe, context.partition_key)


@dg.asset(
    **arguments("enhanced_components", "jupyter"),
    description="The retrieved components rerun on the new data in the sandbox (NotebookRAG §4.2.4).",
)
def enhanced_components(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Rerun components."""

    def describe(enhanced: tuple[EnhancedComponent, ...], opened: Project, partition: str) -> Metadata:
        rows = [(one.component, one.status, one.figures, len(one.repairs), one.error) for one in enhanced]
        frame = pd.DataFrame(rows, columns=["component", "status", "figures", "repairs", "error"])
        return {"dagster/row_count": len(enhanced), "components": table_metadata(frame)}

    return materialize("enhanced_components", project, describe, context.partition_key)


@dg.asset(**arguments("eda_plan"), description="Ordered steps: goal, method, columns, component to reuse.")
def eda_plan(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Plan."""

    def describe(document: PlanDocument, opened: Project, partition: str) -> Metadata:
        steps = document.plan.steps
        lines = [f"1. **{step.title}** ({step.play}, {step.score:.2f}) {step.why}" for step in steps]
        return {"dagster/row_count": len(steps), "plan": dg.MetadataValue.md("\n".join(lines))}

    return materialize("eda_plan", project, describe, context.partition_key)


@dg.asset(
    **arguments("execution_records", "parquet"),
    description="Every operator invocation with its observations and findings (RADAR §3.1).",
)
def execution_records(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Run the plan through the typed operators."""

    def describe(document: RecordsDocument, opened: Project, partition: str) -> Metadata:
        frame = opened.store.read_table("execution_records", partition, name="records")
        return {"dagster/row_count": len(document.records), "records": table_metadata(frame[list(SHOWN)])}

    return materialize("execution_records", project, describe, context.partition_key)


@dg.asset(
    **arguments("insights", "parquet"), description="Sentences whose every number is a claim, with verdicts."
)
def insights(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Turn records into insights."""

    def describe(document: InsightsDocument, opened: Project, partition: str) -> Metadata:
        lines = [
            f"- **{finding.title}** {insight.text}"
            for finding in document.findings.findings
            if finding.published
            for insight in finding.insights
            if insight.verdict != "withheld"
        ]
        claims = opened.store.read_table("insights", partition, name="claims")
        said = [
            (one.original.by, one.verdict, one.original.text, one.text, one.reason)
            for component in document.reused
            for one in component.insights
            if one.original is not None
        ]
        return {
            "dagster/row_count": len(lines),
            "insights": dg.MetadataValue.md("\n".join(lines)),
            "refined": table_metadata(pd.DataFrame(said, columns=["by", "verdict", "said", "now", "reason"])),
            "claims": table_metadata(claims),
        }

    return materialize("insights", project, describe, context.partition_key)


@dg.asset(
    **arguments("eda_notebook", "jupyter"),
    description="The notebook, executed afresh, its claims recomputed.",
)
def eda_notebook(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Write and execute the notebook."""

    def describe(run: NotebookRun, opened: Project, partition: str) -> Metadata:
        path = opened.store.folder("eda_notebook", partition) / run.file
        # Runs of the command line have no code location, so the UI needs the address of its own viewer.
        viewer = f"/notebook?{urlencode({'path': str(path), 'repoLocName': CODE_LOCATION})}"
        return {
            "notebook": dg.MetadataValue.notebook(path),
            "open": dg.MetadataValue.url(viewer),
            "sections": run.sections,
            "figures": run.figures,
            "reused components": run.components,
            "claims": len(run.checks),
            "claims that hold": sum(check.holds for check in run.checks),
        }

    return materialize("eda_notebook", project, describe, context.partition_key)


@dg.asset(
    **arguments("eda_report", "html"), description="The notebook as HTML, Markdown, PDF, and one bundle."
)
def eda_report(context: dg.AssetExecutionContext, project: ProjectResource) -> Result:
    """Write the report."""

    def describe(files: ReportFiles, opened: Project, partition: str) -> Metadata:
        folder = opened.store.folder("eda_report", partition)
        return {name: dg.MetadataValue.path(folder / name) for name in files.names}

    return materialize("eda_report", project, describe, context.partition_key)
