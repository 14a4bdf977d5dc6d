"""What a notebook is written from: one frozen document that holds everything the writer may say.

The writer adds no fact of its own, so two equal documents give equal bytes (design rule 6). Only types live
here (NotebookRAG §4.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.plan import Findings, Plan
from lakebook.analyst.table import Table
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.notebooks.component import Component
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sources.card import SourceCard


@dataclass(frozen=True, slots=True)
class ReusedComponent:
    """A component of an old notebook with how it was found, what it became, and what it says now."""

    component: Component
    enhanced: EnhancedComponent
    retrieved: RetrievedComponent
    insights: tuple[Insight, ...] = ()


@dataclass(frozen=True, slots=True)
class NotebookDocument:
    """All that one notebook says.

    Attributes:
        title: one line, no markup.
        reused: every retrieved component, also those that failed (they are named at the end, with why).
        prepare_code: makes `base` from `df`. `methods`: source of the functions that the sections call.
        data_dir, corpus_dir: folders of the lake and of the old notebooks; `out_dir`: where the notebook
            will stand, from which links and the data folder are written relative.
        answer: Markdown, what the findings mean for the intent; `limits`: Markdown, what to be careful of.
        answer_claims: claims whose words the answer shows, in order.
        cards: source cards of the files that the table is read from; `others` of those that reused
            components read besides.
        group: the card of the group, where the table is read from several files.
        chosen: why this table was taken, "" if it was named.
        analyst: who thought: "offline analyst, no language model", or the model's name.
        libraries: (name, version) of what computed the numbers.
        corpus_note: what is to be said of the corpus when nothing of it could be used.
    """

    title: str
    intent: Intent
    table: Table
    plan: Plan
    findings: Findings
    prepare_code: str
    data_dir: Path
    out_dir: Path
    reused: tuple[ReusedComponent, ...] = ()
    methods: str = ""
    corpus_dir: Path | None = None
    answer: str = ""
    answer_claims: tuple[Claim, ...] = ()
    limits: str = ""
    cards: tuple[SourceCard, ...] = ()
    others: tuple[SourceCard, ...] = ()
    group: SourceCard | None = None
    chosen: str = ""
    analyst: str = "offline analyst, no language model"
    libraries: tuple[tuple[str, str], ...] = ()
    corpus_note: str = ""
