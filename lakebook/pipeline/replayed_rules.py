"""The validation rules as checks of stored records: each rule is replayed, and then and now are compared.

One outcome a registered rule. A conflict that a rule finds now is told, and so is a difference from what was
recorded: the data changed since, the record was edited, or the rule did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.operators.replay import Replayed, replay
from lakebook.pipeline.check import Outcome
from lakebook.pipeline.documents import PlanDocument, RecordsDocument
from lakebook.pipeline.inquiry import choose
from lakebook.pipeline.project import Project
from lakebook.pipeline.reasoning import open_runtime
from lakebook.validation.registry import Rule, rules

_MOST_TOLD = 20


def rule_outcomes(project: Project, partition: str) -> dict[str, Outcome]:
    """Return the outcome of each rule over the records of an analysis, by the rule's id."""
    records = project.store.read_document("execution_records", RecordsDocument, partition).records
    table = project.store.read_document("eda_plan", PlanDocument, partition).plan.table
    with open_runtime(project, None, dataset=choose(project, partition)) as runtime:
        replayed = tuple(replay(runtime, records, table))
    return {rule.id: rule_outcome(rule, replayed) for rule in rules()}


def rule_outcome(rule: Rule, replayed: Sequence[Replayed]) -> Outcome:
    """Return what one rule says of replayed records."""
    concerned = [one for one in replayed if one.record.operator == rule.operator]
    if not concerned:
        return Outcome(True, f"no {rule.operator} was recorded")
    told, actions = [], Counter[str]()
    for one in concerned:
        now = _of(rule, one.findings)
        actions.update(finding.action for finding in now)
        told += [f"{one.record.id} {f.action}: {f.message}" for f in now if f.action != "not_checked"]
        if one.record.validated and not one.reason and now != _of(rule, one.record.findings):
            told.append(f"{one.record.id}: {_change(one.record, rule, now)}")
    lost = [one for one in concerned if one.reason]
    counts = [f"{len(concerned) - len(lost)} of {len(concerned)} {rule.operator} records replayed"]
    counts += [f"{actions[name]} {name.replace('_', ' ')}" for name in sorted(actions)]
    counts += [f"not replayed: {one.record.id}, {one.reason}" for one in lost[:1]]
    return Outcome(not told, "; ".join(counts), tuple(told[:_MOST_TOLD]))


def _of(rule: Rule, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.rule == rule.id)


def _change(record: ExecutionRecord, rule: Rule, now: Sequence[Finding]) -> str:
    then = _of(rule, record.findings)
    return f"recorded with {len(then)} findings of {rule.id}, now there are {len(now)} or they say otherwise"
