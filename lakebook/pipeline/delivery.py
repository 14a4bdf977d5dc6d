"""The last stages of an analysis: the notebook, executed afresh, and the report made from it."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping, Sequence
from importlib import metadata

from lakebook.analyst.methods import method_names
from lakebook.analyst.model.summary import Summary
from lakebook.analyst.plan import Findings, Plan
from lakebook.analyst.plays.closing import closing_sections
from lakebook.enhancement.drawn import readers
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.notebooks.component import Notebook
from lakebook.pipeline.documents import Inquiry, InsightsDocument, NotebookRun, PlanDocument, ReportFiles
from lakebook.pipeline.inquiry import choose, components_by_id
from lakebook.pipeline.project import Project, out_folder
from lakebook.pipeline.warm import open_session
from lakebook.report.document import NotebookDocument, ReusedComponent
from lakebook.report.execute import execute_notebook
from lakebook.report.export import export_notebook
from lakebook.report.markup import anchor, code, escape, link
from lakebook.report.methods_source import source_of
from lakebook.report.notebook_writer import notebook_text, write_notebook
from lakebook.report.opening import key_findings, numbered
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sources.card import SourceCard, SourceMap
from lakebook.sources.dataset import Dataset
from lakebook.storage import replacing
from lakebook.syntax import parse_python

NOTEBOOK = "analysis.ipynb"
OFFLINE = "offline analyst, no language model"
LIBRARIES = ("pandas", "numpy", "scipy", "statsmodels", "matplotlib")


def eda_notebook(project: Project, partition: str) -> NotebookRun:
    """Write the notebook, run it in a session of its own, and recompute every claim in it."""
    findings = project.store.read_document("insights", InsightsDocument, partition).findings
    document = notebook_document(project, partition, findings)
    notebook = write_notebook(document)
    project.close()  # the warm session has done its work; the notebook gets a fresh one
    with open_session(project) as session:
        executed = execute_notebook(notebook, session, progress=project.progress)
    text = notebook_text(executed.notebook).encode()
    with replacing(project.store.folder("eda_notebook", partition) / NOTEBOOK) as temporary:
        temporary.write_bytes(text)
    published = [finding for finding in findings.findings if finding.published]
    return NotebookRun(
        file=NOTEBOOK,
        sha256=hashlib.sha256(text).hexdigest(),
        cells=executed.cells,
        figures=executed.figures,
        sections=len(published),
        components=sum(cell.metadata.get("lakebook", {}).get("role") == "reuse" for cell in notebook.cells),
        error=f"cell {executed.failed_cell}: {executed.error.name}: {executed.error.message}"
        if executed.error
        else "",
        checks=executed.checks,
    )


def notebook_inputs(project: Project, partition: str) -> Mapping[str, str]:
    """The notebook depends on what was found, and on where it goes: its links start there."""
    names = ("insights", "enhanced_components", "retrieved_components", "eda_plan", "eda_queries")
    receipts = {name: project.store.receipt(name, partition) for name in names}
    versions = {name: receipt.version if receipt else "" for name, receipt in receipts.items()}
    places = {"data": str(project.data), "notebooks": str(project.notebooks or "")}
    places["analyst"] = project.analyst_version
    return versions | places | {"out": str(out_folder(project.state, partition))}


def notebook_document(project: Project, partition: str, findings: Findings) -> NotebookDocument:
    """Gather all that the notebook says."""
    inquiry = project.store.read_document("eda_queries", Inquiry, partition)
    planned = project.store.read_document("eda_plan", PlanDocument, partition)
    dataset = choose(project, partition)
    reused = reused_components(project, partition, planned.plan)
    offline_answer, limits = closing_sections(planned.plan, findings)
    summary = summary_of(project, inquiry, planned.plan, findings)
    answer = summary_text(summary, project.model.name, findings) if summary and project.model else ""
    return NotebookDocument(
        title=title_of(inquiry),
        intent=inquiry.intent,
        table=planned.plan.table,
        plan=planned.plan,
        findings=findings,
        prepare_code=planned.prepare_code,
        data_dir=project.data,
        out_dir=out_folder(project.state, partition),
        reused=reused,
        methods=methods_of(findings, reused),
        corpus_dir=project.notebooks,
        answer=answer or offline_answer,
        answer_claims=summary.claims if summary else (),
        limits=limits + reservations([dataset.card], inquiry.table.unit),
        cards=dataset.files,
        others=other_cards(project, dataset, reused),
        group=dataset.card if dataset.is_group else None,
        chosen=inquiry.chosen,
        libraries=tuple((name, metadata.version(name)) for name in LIBRARIES),
        corpus_note=corpus_note(project, partition),
        analyst=analyst_line(project.model.name, inquiry, summary) if summary and project.model else OFFLINE,
    )


def other_cards(
    project: Project, dataset: Dataset, reused: Sequence[ReusedComponent]
) -> tuple[SourceCard, ...]:
    """Return the cards of the files that reused components read beside the dataset, in order of path."""
    read = {
        path
        for item in reused
        if item.enhanced.status == "ok"
        for one in item.enhanced.tables
        for path in one.files
    }
    read -= {card.path for card in dataset.files}
    source_map = project.store.read_document("source_cards", SourceMap) if read else SourceMap(())
    return tuple(card for path in sorted(read) if (card := source_map.card(path)) is not None)


def reservations(cards: Sequence[SourceCard], unit: str) -> str:
    """Return a line for the limits that names columns read with a reservation (ambiguous dates, say)."""
    columns = [
        code(column.name)
        for card in cards
        for found in card.units
        if found.unit == unit
        for column in found.columns
        if column.warnings
    ]
    if not columns:
        return ""
    return f"\n- Read with reservations, which stand under *The files*: {', '.join(columns)}."


def summary_of(project: Project, inquiry: Inquiry, plan: Plan, findings: Findings) -> Summary | None:
    """Ask the model for a summary of the key findings; None if no model is set."""
    if project.language_model is None:
        return None
    shown = [finding for finding in findings.findings if finding.published]
    best = [shown[position] for position in key_findings(shown)]
    return project.language_model.summarize(inquiry.intent, plan.table, best)


def summary_text(summary: Summary, model: str, findings: Findings) -> str:
    """Return the summary as Markdown, each sentence with the way to its section; "" if there is none."""
    if not summary.sentences:
        return ""
    shown = [finding for finding in findings.findings if finding.published]
    section = {
        insight.id: anchor(numbered(place, finding))
        for place, finding in enumerate(shown, start=1)
        for insight in finding.insights
    }
    said = [
        f"{escape(sentence.text)} {link('(section)', section[sentence.insight])}"
        for sentence in summary.sentences
    ]
    mark = (
        f"*These sentences are in the words of the model {escape(model)}; code put every number and name "
        "into them. The findings below are worded by code alone.*"
    )
    return f"{' '.join(said)}\n\n{mark}"


def analyst_line(model: str, inquiry: Inquiry, summary: Summary) -> str:
    """Say who did what: which parts are the model's, and why one that could be is not."""
    parts = ["the reading of the question"] if inquiry.read_by else []
    parts += ["the summary"] if summary.sentences else []
    lacking = f"; no summary by it, as {summary.reason}" if summary.reason else ""
    if not parts:
        return f"offline analyst; the model {model} was of no use{lacking}"
    return f"model {model} for {' and '.join(parts)}{lacking}; every number by the offline analyst's code"


def reused_components(project: Project, partition: str, planned: Plan) -> tuple[ReusedComponent, ...]:
    """Return the components that the plan shows, and those that failed, which are named with the reason."""
    shown = {name for step in planned.steps for name in step.components}
    said = project.store.read_document("insights", InsightsDocument, partition).reused
    sentences = {one.component: one.insights for one in said}
    retrieved = project.store.read_document("retrieved_components", tuple[RetrievedComponent, ...], partition)
    first = {one.component: one for one in reversed(retrieved)}
    enhanced = project.store.read_document("enhanced_components", tuple[EnhancedComponent, ...], partition)
    components = components_by_id(project)
    return tuple(
        ReusedComponent(
            components[one.component], one, first[one.component], sentences.get(one.component, ())
        )
        for one in enhanced
        if one.status != "ok" or one.component in shown
    )


def methods_of(findings: Findings, reused: Sequence[ReusedComponent]) -> str:
    """Return the source of the methods that the code of the published sections calls."""
    cells = [code for one in findings.findings if one.published for code in (one.compute, one.figure)]
    cells += [item.enhanced.code for item in reused if item.enhanced.status == "ok"]
    names = {node.id for cell in cells for node in ast.walk(parse_python(cell)) if isinstance(node, ast.Name)}
    for item in reused:
        if item.enhanced.status == "ok":
            names |= {"shown_facts", *readers(item.enhanced.code)}
    return source_of(names & set(method_names()))


def title_of(inquiry: Inquiry) -> str:
    """Return the title: the intent as a heading, and the table."""
    text = " ".join(inquiry.intent.text.split()).rstrip(".?!")
    return f"{text[:1].upper()}{text[1:]}"


def corpus_note(project: Project, partition: str) -> str:
    """Return what is to be said of the corpus: how much of it was used, or why nothing was."""
    if project.notebooks is None:
        return "No corpus of old notebooks was given."
    notebooks = project.store.read_document("notebook_cells", tuple[Notebook, ...])
    usable = sum(one.status in ("ok", "partial") for one in notebooks)
    retrieved = project.store.read_document("retrieved_components", tuple[RetrievedComponent, ...], partition)
    enhanced = project.store.read_document("enhanced_components", tuple[EnhancedComponent, ...], partition)
    read = f"{len(notebooks)} notebooks in the corpus, {usable} of them usable."
    if not retrieved:
        return f"{read} None of them uses columns that this table has, so nothing was reused."
    ran = sum(one.status == "ok" for one in enhanced)
    return f"{read} {len(enhanced)} of their components fit this table's columns, {ran} of them ran on it."


def eda_report(project: Project, partition: str) -> ReportFiles:
    """Write HTML, Markdown, PDF and the bundle from the executed notebook."""
    folder = project.store.folder("eda_report", partition)
    notebook = folder / NOTEBOOK
    notebook.write_bytes((project.store.folder("eda_notebook", partition) / NOTEBOOK).read_bytes())
    records = project.store.folder("execution_records", partition) / "document.json"
    files = export_notebook(notebook, records=records, progress=project.progress)
    return ReportFiles(tuple(sorted(file.relative_to(folder).as_posix() for file in files)))
