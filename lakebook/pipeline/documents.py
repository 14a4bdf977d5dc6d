"""The documents that belong to the pipeline alone: what a stage keeps beside the domain's own nouns."""

from __future__ import annotations

from dataclasses import dataclass

from lakebook.analysis import Analysis
from lakebook.analyst.claim import Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.plan import Findings, Plan
from lakebook.analyst.table import Table
from lakebook.operators.record import ExecutionRecord
from lakebook.report.verification import ClaimCheck
from lakebook.retrieval.result import EdaQuery


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked of what: the analysis, the dataset as a table, the intent, and the EDA queries.

    `chosen` says why this dataset was taken when none was named; `read_by` is the model that read the
    intent, "" for the offline analyst; `queries_note` what of a model's queries was left out.
    """

    analysis: Analysis
    table: Table
    intent: Intent
    queries: tuple[EdaQuery, ...]
    chosen: str = ""
    read_by: str = ""
    queries_note: str = ""


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """The plan, and the records of the structure plays that ran before it."""

    plan: Plan
    prepare_code: str
    records: tuple[ExecutionRecord, ...]


@dataclass(frozen=True, slots=True)
class RecordsDocument:
    """Every operator invocation of an analysis, in order."""

    records: tuple[ExecutionRecord, ...]


@dataclass(frozen=True, slots=True)
class NotebookRun:
    """What came of the notebook's execution; the notebook itself is a file beside this document."""

    file: str
    sha256: str
    cells: int
    figures: int
    sections: int
    components: int
    error: str
    checks: tuple[ClaimCheck, ...]


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Names of the report's files, in the asset's folder."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReusedInsights:
    """What the figure of a reused component says."""

    component: str
    insights: tuple[Insight, ...]


@dataclass(frozen=True, slots=True)
class InsightsDocument:
    """What was found: findings of the plan's steps, what reused figures say, and the Answer record."""

    findings: Findings
    reused: tuple[ReusedInsights, ...]
    answer: ExecutionRecord
