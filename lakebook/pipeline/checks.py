"""What must hold of every result before the next stage may use it: pure functions over the store.

Each `Check` becomes one asset check (assets/checks); a blocking one that fails stops what is downstream.
Rules about single operations live in `lakebook.validation`; here it is about whole results.
"""

from __future__ import annotations

from typing import Any

from lakebook.analyst.plan import Findings, Plan
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.notebooks.component import Corpus, Notebook
from lakebook.pipeline.check import Check, Outcome, check, outcome
from lakebook.pipeline.documents import (
    Inquiry,
    InsightsDocument,
    NotebookRun,
    PlanDocument,
    RecordsDocument,
    ReportFiles,
)
from lakebook.pipeline.notebooks import IndexSummary
from lakebook.pipeline.source_checks import SOURCE_CHECKS
from lakebook.retrieval.result import RetrievedComponent
from lakebook.storage import Store
from lakebook.syntax import parse_python


def notebooks_usable(store: Store, partition: str) -> Outcome:
    """Every notebook of the corpus could be used; those that could not are named with the reason."""
    notebooks = store.read_document("notebook_cells", tuple[Notebook, ...])
    offenders = [f"{one.path}: {one.reason}" for one in notebooks if one.status in ("failed", "skipped")]
    return outcome(offenders, f"{len(notebooks)} notebooks read", "{n} notebooks were left out")


def components_compile(store: Store, partition: str) -> Outcome:
    """Every component is valid Python."""
    corpus = store.read_document("notebook_components", Corpus)
    offenders = [
        f"{component.notebook}#{component.cell}: {problem}"
        for component in corpus.components
        if (problem := syntax_problem(component.code))
    ]
    return outcome(offenders, f"{len(corpus.components)} components compile", "{n} components do not compile")


def syntax_problem(code: str) -> str:
    """Return why the code is not valid Python, "" if it is."""
    try:
        parse_python(code)
    except (SyntaxError, ValueError) as error:
        return str(error)
    return ""


def index_is_whole(store: Store, partition: str) -> Outcome:
    """The index holds every component and every passage of the corpus."""
    corpus = store.read_document("notebook_components", Corpus)
    index = store.read_document("component_index", IndexSummary)
    held, wanted = (index.components, index.chunks), (len(corpus.components), len(corpus.chunks))
    return Outcome(
        held == wanted, f"{held[0]} of {wanted[0]} components, {held[1]} of {wanted[1]} passages indexed"
    )


def query_columns_exist(store: Store, partition: str) -> Outcome:
    """The queries name only columns that the dataset has."""
    inquiry = store.read_document("eda_queries", Inquiry, partition)
    names = {column.name for column in inquiry.table.columns}
    offenders = [
        f"{query.id}: {name}" for query in inquiry.queries for name in query.columns if name not in names
    ]
    return outcome(offenders, f"{len(inquiry.queries)} queries over known columns", "{n} unknown columns")


def retrieved_columns_exist(store: Store, partition: str) -> Outcome:
    """Every column that a retrieved component will be given is one of the dataset, and is given once."""
    inquiry = store.read_document("eda_queries", Inquiry, partition)
    names = {column.name for column in inquiry.table.columns}
    retrieved = store.read_document("retrieved_components", tuple[RetrievedComponent, ...], partition)
    offenders = []
    for one in retrieved:
        given = [pair.new for pair in one.columns]
        offenders += [
            f"{one.component}: {name}" for name in given if name not in names or given.count(name) > 1
        ]
    return outcome(offenders, f"{len(retrieved)} components retrieved", "{n} columns are mapped wrongly")


def enhanced_compile(store: Store, partition: str) -> Outcome:
    """Every component that is to be reused is valid Python after its repairs."""
    enhanced = store.read_document("enhanced_components", tuple[EnhancedComponent, ...], partition)
    usable = [one for one in enhanced if one.status == "ok"]
    offenders = [f"{one.component}: {problem}" for one in usable if (problem := syntax_problem(one.code))]
    return outcome(
        offenders, f"{len(usable)} of {len(enhanced)} components can be reused", "{n} do not compile"
    )


def plan_is_sound(store: Store, partition: str) -> Outcome:
    """The plan has steps, their keys are unique, and they use only columns of the dataset."""
    plan: Plan = store.read_document("eda_plan", PlanDocument, partition).plan
    names = {column.name for column in plan.table.columns}
    keys = [step.candidate.key for step in plan.steps]
    offenders = [f"{key} is planned twice" for key in sorted(set(keys)) if keys.count(key) > 1]
    offenders += [
        f"{step.id}: unknown column {name}"
        for step in plan.steps
        for name in step.candidate.columns
        if name not in names
    ]
    if not plan.steps:
        offenders.append("the plan has no step")
    return outcome(offenders, f"{len(plan.steps)} steps", "{n} faults in the plan")


def records_whole(store: Store, partition: str) -> Outcome:
    """Records are numbered without a gap, and every one that passed carries the hash of its result."""
    records = store.read_document("execution_records", RecordsDocument, partition).records
    offenders = [record.id for number, record in enumerate(records, 1) if record.id != f"r{number:03d}"]
    offenders += [
        f"{record.id}: no hash"
        for record in records
        if not record.error and record.verdict != "reject" and not record.result_sha256
    ]
    return outcome(offenders, f"{len(records)} records", "{n} records are not whole")


def operations_succeeded(store: Store, partition: str) -> Outcome:
    """No operation failed or was rejected."""
    records = store.read_document("execution_records", RecordsDocument, partition).records
    offenders = [
        f"{record.id} {record.purpose}: {record.error or record.verdict}"
        for record in records
        if record.error or record.verdict == "reject"
    ]
    return outcome(offenders, f"{len(records)} operations ran", "{n} operations failed")


def claims_point_into_records(store: Store, partition: str) -> Outcome:
    """Every published claim names a record that exists and passed."""
    records = store.read_document("execution_records", RecordsDocument, partition).records
    good = {record.id for record in records if not record.error}
    claims = published_claims(store.read_document("insights", InsightsDocument, partition).findings)
    offenders = [f"{claim.id}: {claim.record or 'no record'}" for claim in claims if claim.record not in good]
    return outcome(offenders, f"{len(claims)} claims point into records", "{n} claims have no record")


def published_claims(findings: Findings) -> list[Any]:
    """Return the claims of all insights that reach the reader."""
    return [
        claim
        for finding in findings.findings
        if finding.published
        for insight in finding.insights
        if insight.verdict != "withheld"
        for claim in insight.claims
    ]


def notebook_executed(store: Store, partition: str) -> Outcome:
    """The notebook ran from top to bottom without an error."""
    run = store.read_document("eda_notebook", NotebookRun, partition)
    return Outcome(not run.error, run.error or f"{run.cells} cells ran without error")


def claims_recompute(store: Store, partition: str) -> Outcome:
    """Every claim, recomputed in a fresh session, prints what the notebook says (design rule 3)."""
    run = store.read_document("eda_notebook", NotebookRun, partition)
    offenders = [
        f"{one.claim}: says {one.stated}, recomputed {one.recomputed}" for one in run.checks if not one.holds
    ]
    return outcome(offenders, f"{len(run.checks)} claims recomputed, all hold", "{n} claims do not hold")


def report_complete(store: Store, partition: str) -> Outcome:
    """Every file of the report is there and not empty."""
    files = store.read_document("eda_report", ReportFiles, partition)
    folder = store.folder("eda_report", partition)
    offenders = [
        name for name in files.names if not (folder / name).is_file() or not (folder / name).stat().st_size
    ]
    return outcome(offenders, f"{len(files.names)} files", "{n} files are missing")


CHECKS: tuple[Check, ...] = (
    *SOURCE_CHECKS,
    check("notebook_cells", notebooks_usable, blocking=False),
    check("notebook_components", components_compile),
    check("component_index", index_is_whole),
    check("eda_queries", query_columns_exist),
    check("retrieved_components", retrieved_columns_exist),
    check("enhanced_components", enhanced_compile),
    check("eda_plan", plan_is_sound),
    check("execution_records", records_whole),
    check("execution_records", operations_succeeded, blocking=False),
    check("insights", claims_point_into_records),
    check("eda_notebook", notebook_executed),
    check("eda_notebook", claims_recompute),
    check("eda_report", report_complete),
)
