"""The insights stage: recorded facts become sentences, and every number in them a claim (design rule 3).

Each claim's expression is evaluated in the sandbox over the recorded facts. A sentence of which any claim
fails is withheld; error control over all tests then decides what is published.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.plan import Finding, Findings, Plan, Step
from lakebook.analyst.play import FindingDraft, InsightDraft
from lakebook.analyst.plays import play_of
from lakebook.analyst.render import insight_from_draft
from lakebook.analyst.selection import Computed, select
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.insights.choice import component_drafts
from lakebook.enhancement.refinement.drafts import said_drafts
from lakebook.enhancement.refinement.drawn_text import labels_text, values_text
from lakebook.notebooks.component import Component, Corpus, Notebook, NotebookCell
from lakebook.operators.record import ExecutionRecord
from lakebook.pipeline.documents import InsightsDocument, PlanDocument, RecordsDocument, ReusedInsights
from lakebook.pipeline.inquiry import dataset_session
from lakebook.pipeline.project import Project
from lakebook.pipeline.reasoning import COMPONENT, facts_name, open_runtime, usable_components
from lakebook.sandbox.base import Json, Session


@dataclass(frozen=True, slots=True)
class Drafted:
    """Drafts of one step or component with the record that they rest on; `owner` is its id."""

    owner: str
    drafts: tuple[InsightDraft, ...]
    record: ExecutionRecord


class ClaimNumbers:
    """Numbers for insights and claims, counted over the whole notebook."""

    def __init__(self) -> None:
        self.insights = 0
        self.claims = 0

    def insights_of(self, drafted: Drafted, values: Mapping[str, Json]) -> tuple[Insight, ...]:
        """Make the insights of one step or component."""
        source = drafted.record.inputs[0] if drafted.record.inputs else None
        made = []
        for draft in drafted.drafts:
            self.insights += 1
            insight = insight_from_draft(
                draft,
                {
                    claim.name: values[claim.expression]
                    for claim in draft.claims
                    if claim.expression in values
                },
                id=f"i{self.insights:03d}",
                step=drafted.owner,
                first=self.claims + 1,
                record=drafted.record.id,
                columns=source.columns if source else (),
                rows=source.rows if source else 0,
            )
            self.claims += len(insight.claims)
            made.append(insight)
        return tuple(made)


def insights(project: Project, partition: str) -> InsightsDocument:
    """Read every record, evaluate every claim, and choose what is published."""
    planned = project.store.read_document("eda_plan", PlanDocument, partition)
    records = project.store.read_document("execution_records", RecordsDocument, partition).records
    plan, by_output = planned.plan, {record.output: record for record in records if record.result is not None}
    read = list(_read_steps(plan, by_output))
    session = dataset_session(project, plan.table, planned.prepare_code)
    reused = list(_read_components(project, partition, plan, by_output, session))
    values = evaluate(session, [*(drafted for _, _, drafted in read), *reused])
    numbers = ClaimNumbers()
    computed = [
        Computed(_finding(plan, step, draft, drafted, numbers.insights_of(drafted, values)), draft)
        for step, draft, drafted in read
    ]
    relevance = {step.id: step.score for step in plan.steps}
    findings = select(computed, plan.intent, relevance)
    said = tuple(ReusedInsights(one.owner, numbers.insights_of(one, values)) for one in reused)
    with open_runtime(project, session, records) as runtime:
        text, claims = answer_text(findings)
        answer = runtime.answer(text, claims, purpose="the published insights")
    document = InsightsDocument(findings, said, answer)
    project.store.write_table("insights", claims_table(document), partition, name="claims")
    return document


def _read_steps(
    plan: Plan, records: Mapping[str, ExecutionRecord]
) -> Iterator[tuple[Step, FindingDraft, Drafted]]:
    """Read the facts of every step that was computed."""
    for step in plan.steps:
        record = records.get(step.candidate.key)
        if step.play == COMPONENT or record is None or not isinstance(record.result, dict):
            continue
        draft = play_of(step.play).read(step.candidate, record.result, plan.table, plan.intent)
        yield step, draft, Drafted(step.id, draft.insights, record)


def _read_components(
    project: Project,
    partition: str,
    plan: Plan,
    records: Mapping[str, ExecutionRecord],
    session: Session,
) -> Iterator[Drafted]:
    """Read what the figures of the reused components show."""
    enhanced = usable_components(project, partition)
    corpus = project.store.read_document("notebook_components", Corpus)
    known = {component.id: component for component in corpus.components}
    notebooks = {notebook.path: notebook for notebook in corpus.notebooks}
    for name in dict.fromkeys(name for step in plan.steps for name in step.components):
        if name in enhanced and (record := records.get(facts_name(enhanced[name]))):
            shown = record.result.get("shown", ()) if isinstance(record.result, dict) else ()
            facts = [one for one in shown if isinstance(one, dict)] if isinstance(shown, list) else []
            drafts = component_drafts(enhanced[name], plan.table, facts)
            if (old := known.get(name)) is not None:
                said = said_beside(notebooks[old.notebook], old)
                said += said_by_model(project, plan.intent.text, enhanced[name], session)
                drafts += said_drafts(enhanced[name], facts, said, (*old.columns, *old.key_columns))
            yield Drafted(name, drafts, record)


def said_by_model(
    project: Project, question: str, enhanced: EnhancedComponent, session: Session
) -> list[tuple[str, str]]:
    """Return what the vision model says of a component's figures; nothing where none may be asked."""
    reader = project.figure_reader
    if reader is None or not enhanced.drawn:
        return []
    project.progress("figures", 0, 0, enhanced.function)
    results, _ = session.run_forked([f"{enhanced.code.rstrip()}\n\n{enhanced.function}()"])
    outputs = [output.get("data") for result in results for output in result.outputs]
    coded = [data["image/png"] for data in outputs if isinstance(data, dict) and "image/png" in data]
    picture = base64.b64decode(str(coded[0])) if coded else None
    labels, values = labels_text(enhanced.drawn), values_text(enhanced.drawn)
    text = reader.text_of(question, labels, values, picture)
    return [(text, f"the model {reader.name}")] if text else []


def insights_inputs(project: Project, partition: str) -> Mapping[str, str]:
    """Insights depend on what was computed, on the old notebooks' prose, and on who looks at figures."""
    receipts = [
        project.store.receipt(name, partition)
        for name in ("execution_records", "eda_plan", "enhanced_components")
    ]
    corpus = project.store.receipt("notebook_components")
    versions = [receipt.version if receipt else "" for receipt in (*receipts, corpus)]
    names = ("execution_records", "eda_plan", "enhanced_components", "notebook_components")
    return {**dict(zip(names, versions, strict=True)), "figures": project.figures_version}


def said_beside(notebook: Notebook, component: Component) -> list[tuple[str, str]]:
    """Return the prose beside a component's cell, with whose it is: what follows it first."""
    after: list[NotebookCell] = []
    for cell in notebook.cells[component.cell + 1 :]:
        if cell.kind != "markdown":
            break
        after.append(cell)
    before: list[NotebookCell] = []
    for cell in reversed(notebook.cells[: component.cell]):
        if cell.kind != "markdown":
            break
        before.insert(0, cell)
    return [(cell.source, f"{notebook.path}, cell {cell.index + 1}") for cell in (*after, *before)]


def evaluate(session: Session, drafted: Sequence[Drafted]) -> dict[str, Json]:
    """Evaluate every claim's expression over the recorded facts, in one fork; failing ones are left out."""
    expressions = list(
        dict.fromkeys(claim.expression for one in drafted for draft in one.drafts for claim in draft.claims)
    )
    binding = "import json\n" + "\n".join(_bind(one.record) for one in drafted)
    results, values = session.run_forked([binding], evaluate=expressions)
    if any(result.error for result in results):
        return {}
    return {one.expression: one.value for one in values if not one.error}


def _bind(record: ExecutionRecord) -> str:
    """Return code that binds a record's result to its name; drawn data to the name that the notebook uses."""
    line = f"{record.output} = json.loads({json.dumps(record.result)!r})"
    if record.output.endswith("_facts") and record.purpose.startswith(COMPONENT):
        drawn = record.output.removesuffix("_facts")
        line += f"\n{drawn} = {record.output}['axes']"
        line += f"\nshown_{drawn.removeprefix('drawn_')} = {record.output}['shown']"
    return line


def _finding(
    plan: Plan, step: Step, draft: FindingDraft, drafted: Drafted, made: tuple[Insight, ...]
) -> Finding:
    play = play_of(step.play)
    cells = play.compute(step.candidate, plan.table)
    facts = drafted.record.result
    figure = play.figure(step.candidate, facts, plan.table) if isinstance(facts, dict) else ""
    return Finding(
        step=step.id,
        play=step.play,
        key=step.candidate.key,
        title=draft.title,
        goal=draft.goal,
        method=draft.method,
        compute=cells.compute,
        figure=figure,
        methods=cells.methods,
        columns=step.candidate.columns,
        record=drafted.record.id,
        verdict=draft.verdict,
        score=step.score,
        population=draft.population,
        insights=made,
        components=step.components,
    )


def answer_text(findings: Findings) -> tuple[str, tuple[Claim, ...]]:
    """Return all published sentences and their claims: what is submitted as the answer."""
    shown = [
        insight
        for finding in findings.findings
        if finding.published
        for insight in finding.insights
        if insight.verdict != "withheld"
    ]
    return " ".join(insight.text for insight in shown), tuple(claim for one in shown for claim in one.claims)


def claims_table(document: InsightsDocument) -> pd.DataFrame:
    """Return one row a published claim."""
    names = ["claim", "insight", "kind", "shown", "expression", "format", "record", "columns", "rows"]
    published = [finding.insights for finding in document.findings.findings if finding.published]
    published += [one.insights for one in document.reused]
    rows = [
        (
            claim.id,
            insight.id,
            claim.kind,
            claim.shown,
            claim.expression,
            claim.format,
            claim.record,
            ", ".join(claim.columns),
            claim.rows,
        )
        for group in published
        for insight in group
        if insight.verdict != "withheld"
        for claim in insight.claims
    ]
    return pd.DataFrame(rows, columns=names)
