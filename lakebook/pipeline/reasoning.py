"""The middle stages of an analysis: the plan, and the operator invocations that carry it out (RADAR §3).

The structure plays run first, for what they find decides what may be summed or averaged; then the plan's
steps run, each an operator invocation with a record. What the records say is put into words in `wording`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from lakebook.analyst.offline import find_structure, prepare_code
from lakebook.analyst.planner import make_plan
from lakebook.analyst.play import Candidate, Cells, Facts
from lakebook.analyst.plays import all_plays, play_of
from lakebook.analyst.table import Table
from lakebook.enhancement.drawn import call_and_read, drawn_name
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.insights.choice import facts_call, shown_name
from lakebook.operators.group_table import with_dataset
from lakebook.operators.kept_records import records_frame
from lakebook.operators.record import ExecutionRecord
from lakebook.operators.runtime import Runtime
from lakebook.pipeline.documents import Inquiry, PlanDocument, RecordsDocument
from lakebook.pipeline.inquiry import choose, components_by_id, dataset_session
from lakebook.pipeline.project import Project
from lakebook.sandbox.base import Session
from lakebook.sources.card import SourceMap
from lakebook.sources.dataset import Dataset
from lakebook.sources.profile import table_file

COMPONENT = "component"
"""The play id of a step that only shows earlier work."""


def open_runtime(
    project: Project,
    session: Session | None,
    records: Sequence[ExecutionRecord] = (),
    dataset: Dataset | None = None,
) -> Runtime:
    """Return a runtime over the lake that continues from these records; the dataset may be a group's."""
    source_map = project.store.read_document("source_cards", SourceMap)
    source_map = with_dataset(source_map, dataset) if dataset else source_map
    runtime = Runtime(source_map, partial(table_file, project.state), session)
    runtime.records.extend(records)
    return runtime


def eda_plan(project: Project, partition: str) -> PlanDocument:
    """Load the dataset, find its structure, and plan what the intent needs."""
    inquiry = project.store.read_document("eda_queries", Inquiry, partition)
    enhanced = project.store.read_document("enhanced_components", tuple[EnhancedComponent, ...], partition)
    table, intent = inquiry.table, inquiry.intent
    dataset = choose(project, partition)
    with open_runtime(project, dataset_session(project, table), dataset=dataset) as runtime:
        runtime.load(dataset.unit, purpose="the dataset under analysis")
        probe_columns(runtime, dataset.unit.table, table, intent.columns or (intent.target,))

        def run(candidate: Candidate, cells: Cells) -> Facts | None:
            project.progress("structure", len(runtime.records), 0, candidate.key)
            return runtime.compute(
                candidate.key, cells.compute, table=table, purpose=f"structure {candidate.play}"
            )

        table, _ = find_structure(table, intent, run)
        plan = make_plan(table, intent, all_plays(), enhanced, components_by_id(project))
        return PlanDocument(plan, prepare_code(table), tuple(runtime.records))


def probe_columns(runtime: Runtime, name: str, table: Table, columns: Iterable[str]) -> None:
    """Probe what the intent names: the values of dimensions, the range of everything else."""
    for column in dict.fromkeys(column for column in columns if column):
        few = table.column(column).use in ("dim", "geo", "boolean", "ordinal")
        runtime.probe(name, column, "distinct" if few else "range", purpose="a column that the intent names")


def execution_records(project: Project, partition: str) -> RecordsDocument:
    """Run every step of the plan and every component that it reuses, each as one invocation."""
    planned = project.store.read_document("eda_plan", PlanDocument, partition)
    plan = planned.plan
    enhanced = usable_components(project, partition)
    session = dataset_session(project, plan.table, planned.prepare_code)
    with open_runtime(project, session, planned.records) as runtime:
        wanted = [name for step in plan.steps for name in step.components if name in enhanced]
        for done, step in enumerate(plan.steps):
            project.progress("analysis", done, len(plan.steps), step.title)
            if step.play != COMPONENT:
                cells = play_of(step.play).compute(step.candidate, plan.table)
                purpose = f"{step.id} {step.play}"
                runtime.compute(step.candidate.key, cells.compute, table=plan.table, purpose=purpose)
        for name in dict.fromkeys(wanted):
            project.progress("earlier work", len(runtime.records), 0, enhanced[name].function)
            code = component_code(enhanced[name], plan.table)
            runtime.compute(facts_name(enhanced[name]), code, table=plan.table, purpose=f"component {name}")
        document = RecordsDocument(tuple(runtime.records))
    project.store.write_table("execution_records", records_frame(document.records), partition, name="records")
    return document


def usable_components(project: Project, partition: str) -> dict[str, EnhancedComponent]:
    """Return the components that ran well on the dataset, by id."""
    enhanced = project.store.read_document("enhanced_components", tuple[EnhancedComponent, ...], partition)
    return {one.component: one for one in enhanced if one.status == "ok"}


def facts_name(enhanced: EnhancedComponent) -> str:
    """Return the name under which a component's drawn data is recorded."""
    return f"{drawn_name(enhanced.function)}_facts"


def component_code(enhanced: EnhancedComponent, table: Table) -> str:
    """Return code that runs a component, binds what it drew, and computes what that says."""
    name, shown = drawn_name(enhanced.function), shown_name(enhanced.function)
    call = f"{call_and_read(enhanced.code, enhanced.function)}\n{facts_call(enhanced.function, table)}"
    facts = f"{facts_name(enhanced)} = {{'axes': {name}, 'shown': {shown}}}"
    return f"{enhanced.code.rstrip()}\n\n\n{call}\n{facts}\n"
