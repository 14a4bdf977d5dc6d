"""What the person who ran an analysis is told: files, insights, checks, sources, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lakebook.errors import LakebookError
from lakebook.pipeline.documents import Inquiry, InsightsDocument, NotebookRun
from lakebook.pipeline.project import Project
from lakebook.report.summary import summarize
from lakebook.sources.card import SourceMap
from lakebook.storage import Receipt, Store

_COLUMNS = 40  # of a table of which nothing is known yet
DONE, FAILED, CHECK_FAILED, SOURCES_PARTIAL = 0, 1, 3, 4


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """One check: `status` is passed, warned or failed."""

    asset: str
    name: str
    status: str
    message: str


@dataclass(frozen=True, slots=True)
class InsightSummary:
    """One published insight."""

    section: str
    text: str
    verdict: str
    claims: int


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """How many source files could be read. `skipped` are kinds of files that are not read at all."""

    ok: int
    partial: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The whole outcome in words (`text`) and parts; `dataset` says which table was taken, and why."""

    notebook: str
    report: str
    run_id: str
    insights: tuple[InsightSummary, ...]
    checks: tuple[CheckSummary, ...]
    sources: SourceCounts
    exit_code: int
    text: str
    dataset: str = ""


def summarize_run(
    project: Project, partition: str, run_id: str, checks: Sequence[CheckSummary], out: Path
) -> RunSummary:
    """Read off the store what a run made; parts that a failure kept from being made are left empty."""
    kept = tuple(checks)
    cards = (
        project.store.read_document("source_cards", SourceMap).cards if _has(project, "source_cards") else ()
    )
    counts = SourceCounts(
        *(sum(card.status == name for card in cards) for name in ("ok", "partial", "failed", "skipped"))
    )
    findings = (
        project.store.read_document("insights", InsightsDocument, partition).findings
        if _has(project, "insights", partition)
        else None
    )
    run = (
        project.store.read_document("eda_notebook", NotebookRun, partition)
        if _has(project, "eda_notebook", partition)
        else None
    )
    insights = tuple(
        InsightSummary(finding.title, insight.text, insight.verdict, len(insight.claims))
        for finding in (findings.findings if findings else ())
        if finding.published
        for insight in finding.insights
        if insight.verdict != "withheld"
    )
    summary = RunSummary(
        notebook=str(out / run.file) if run else "",
        report=str(out / "analysis.html") if _has(project, "eda_report", partition) else "",
        run_id=run_id,
        insights=insights,
        checks=kept,
        sources=counts,
        exit_code=_exit_code(run, kept, counts),
        text="",
        dataset=_dataset(project, partition),
    )
    said = (
        summarize(findings, run.checks)
        if findings and run
        else "Nothing was found: the run did not get that far."
    )
    return replace(summary, text=f"{said}\n\n{_account(summary)}")


def columns_known(state: Path, dataset: str) -> int:
    """Return how many columns a dataset's table has, by the last map of the lake; `_COLUMNS` without one.

    Args:
        state: the state folder.
        dataset: file or table, "" for the largest.
    """
    try:
        cards = Store(state).read_document("source_cards", SourceMap).cards
    except (OSError, LakebookError):
        return _COLUMNS
    units = [(card, unit) for card in cards for unit in card.units if unit.columns]
    named = [unit for card, unit in units if dataset in (card.path, unit.table)]
    sizes = [len(unit.columns) for unit in named or [unit for _, unit in units]]
    return max(sizes, default=_COLUMNS)


def _dataset(project: Project, partition: str) -> str:
    if not _has(project, "eda_queries", partition):
        return ""
    inquiry = project.store.read_document("eda_queries", Inquiry, partition)
    return f"{inquiry.table.source} ({inquiry.chosen})" if inquiry.chosen else inquiry.table.source


def _account(summary: RunSummary) -> str:
    """Say where things are, and what did not go well."""
    count = summary.sources
    read = f"{count.ok} read whole, {count.partial} in part, {count.failed} failed, {count.skipped} not data"
    lines = [f"Sources: {read}."]
    if summary.dataset:
        lines.insert(0, f"Dataset: {summary.dataset}.")
    failed = [check for check in summary.checks if check.status == "failed"]
    warned = [check for check in summary.checks if check.status == "warned"]
    passed = len(summary.checks) - len(failed) - len(warned)
    lines.append(f"Checks: {passed} passed, {len(warned)} warn, {len(failed)} failed.")
    lines += [
        f"  {check.status}: {check.name} ({check.asset}): {check.message}" for check in (*failed, *warned)
    ]
    if summary.notebook:
        lines.append(f"Notebook: {summary.notebook}")
    if summary.report:
        lines.append(f"Report:   {summary.report}")
    return "\n".join(lines)


def _exit_code(run: NotebookRun | None, checks: tuple[CheckSummary, ...], counts: SourceCounts) -> int:
    if run is not None and run.error:
        return FAILED
    if any(check.status == "failed" for check in checks):
        return CHECK_FAILED
    return SOURCES_PARTIAL if counts.partial or counts.failed else DONE


def _has(project: Project, asset: str, partition: str = "") -> bool:
    return (project.store.folder(asset, partition) / "document.json").is_file()


def remember(project: Project, partition: str, summary: RunSummary) -> None:
    """Keep the summary of a finished run; what is kept says that all its checks were evaluated."""
    version = project.store.write_document("run", summary, RunSummary, partition)
    project.store.write_receipt("run", Receipt(_versions(project, partition), "1", version), partition)


def finished_before(project: Project, partition: str) -> RunSummary | None:
    """Return the summary of the last finished run, if its results are still those that are stored."""
    receipt = project.store.receipt("run", partition)
    if receipt is None or dict(receipt.inputs) != _versions(project, partition):
        return None
    summary = project.store.read_document("run", RunSummary, partition)
    return summary if summary.exit_code in (DONE, SOURCES_PARTIAL) else None


def _versions(project: Project, partition: str) -> dict[str, str]:
    receipts = {
        name: project.store.receipt(name, partition) for name in ("insights", "eda_notebook", "eda_report")
    }
    return {name: receipt.version if receipt else "" for name, receipt in receipts.items()}
