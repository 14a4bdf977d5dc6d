"""The stages of the analysis group, one partition an analysis; what they do is in the modules beside this."""

from __future__ import annotations

from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.pipeline import delivery, inquiry, reasoning, wording
from lakebook.pipeline.documents import (
    Inquiry,
    InsightsDocument,
    NotebookRun,
    PlanDocument,
    RecordsDocument,
    ReportFiles,
)
from lakebook.pipeline.stage import Stage
from lakebook.retrieval.result import RetrievedComponent

_GROUP = "analysis"

STAGES = (
    Stage(
        "eda_queries",
        _GROUP,
        Inquiry,
        ("source_cards",),
        ("analyst",),
        inquiry.eda_queries,
        inputs=inquiry.queries_inputs,
    ),
    Stage(
        "retrieved_components",
        _GROUP,
        tuple[RetrievedComponent, ...],
        ("eda_queries", "component_index", "source_cards"),
        ("retrieval", "correspondence"),
        inquiry.retrieved_components,
        inputs=inquiry.retrieval_inputs,
    ),
    Stage(
        "enhanced_components",
        _GROUP,
        tuple[EnhancedComponent, ...],
        ("retrieved_components", "eda_queries", "source_cards"),
        ("enhancement", "sandbox", "analyst", "notebooks", "retrieval"),
        inquiry.enhanced_components,
        inputs=inquiry.enhanced_inputs,
    ),
    Stage(
        "eda_plan",
        _GROUP,
        PlanDocument,
        ("eda_queries", "enhanced_components"),
        ("analyst", "operators", "validation", "sandbox"),
        reasoning.eda_plan,
    ),
    Stage(
        "execution_records",
        _GROUP,
        RecordsDocument,
        ("eda_plan", "enhanced_components"),
        ("analyst", "operators", "validation", "sandbox"),
        reasoning.execution_records,
    ),
    Stage(
        "insights",
        _GROUP,
        InsightsDocument,
        ("execution_records", "eda_plan", "enhanced_components", "notebook_components"),
        ("analyst", "enhancement"),
        wording.insights,
        inputs=wording.insights_inputs,
    ),
    Stage(
        "eda_notebook",
        _GROUP,
        NotebookRun,
        ("insights", "eda_plan", "enhanced_components", "retrieved_components"),
        ("analyst", "report", "sandbox"),
        delivery.eda_notebook,
        inputs=delivery.notebook_inputs,
    ),
    Stage("eda_report", _GROUP, ReportFiles, ("eda_notebook",), ("report",), delivery.eda_report),
)
