"""The analyst that asks a model, checks what it says, and falls back to the offline analyst (rules 3 and 5).

What belongs here: its uses, each with its fallback and the sentence that tells the reader of it. A model
that fails never fails a run. Which layers stand between a request and the wire is decided in `layers`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lakebook.analyst.intent import Intent
from lakebook.analyst.intent_reader import read_intent
from lakebook.analyst.model.asking import asked
from lakebook.analyst.model.budget import Budget, open_budget
from lakebook.analyst.model.labels import labelled
from lakebook.analyst.model.layers import open_model
from lakebook.analyst.model.privacy import (
    Statement,
    again,
    allows,
    intent_request,
    queries_request,
    repair_request,
    statement_of,
    summary_request,
)
from lakebook.analyst.model.protocol import (
    BadReply,
    BudgetSpent,
    LanguageModel,
    ModelFailed,
    json_in,
)
from lakebook.analyst.model.questions import drafts_from
from lakebook.analyst.model.reading import intent_from
from lakebook.analyst.model.summary import Summary, sentences_from, usable
from lakebook.analyst.plan import Finding
from lakebook.analyst.table import Table
from lakebook.notebooks.component import Component
from lakebook.retrieval.queries import numbered, offline_drafts
from lakebook.retrieval.result import EdaQuery
from lakebook.settings import ModelSettings, Privacy

FEWEST_STATEMENTS, MOST_STATEMENTS, MOST_A_FINDING = 2, 8, 2


@dataclass
class ModelAnalyst:
    """Reads the question, breaks it into queries and writes the summary with a model.

    Attributes:
        trouble: a use failed for want of a reply, so that its result is not what the model would give.
        notes: what went wrong, for the person who runs it.
    """

    model: LanguageModel
    privacy: Privacy
    budget: Budget
    trouble: bool = False
    notes: list[str] = field(default_factory=list)
    _repairs_until: int | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def version(self) -> str:
        """What results depend on; one made without a reply is made anew in the next run."""
        return f"{self.name}, privacy {self.privacy}{'; no reply' if self.trouble else ''}"

    def read_intent(self, question: str, table: Table) -> tuple[Intent, bool]:
        """Read the question; the flag tells whether the reading is the model's."""
        offline = read_intent(question, table)
        try:
            request = intent_request(question, table)
            intent = asked(self.model, request, lambda text: intent_from(text, offline, table))
        except ModelFailed as failure:
            self._failed("the question", failure)
            said = f"The model {self.name} gave no usable reading ({failure.message})"
            return replace(
                offline,
                assumptions=(f"{said}; the offline analyst read the question.", *offline.assumptions),
            ), False
        said = f"The question was read by the model {self.name}."
        if (intent.kind, intent.target) != (offline.kind, offline.target):
            of = f" of {offline.target}" if offline.target else ""
            said += f" The offline analyst would have read it as {offline.kind}{of}."
        return replace(intent, assumptions=(said,)), True

    def eda_queries(self, intent: Intent, table: Table) -> tuple[tuple[EdaQuery, ...], str]:
        """Break the intent into queries, the model's first; a sentence says what was left out and why."""
        offline = tuple(offline_drafts(intent, table))
        try:
            drafts, left_out = asked(
                self.model,
                queries_request(intent, table),
                lambda text: drafts_from(text, self.name, intent.text, table),
            )
        except ModelFailed as failure:
            self._failed("the queries", failure)
            said = f"The model {self.name} gave no usable queries ({failure.message})"
            return numbered(offline, intent, table), f"{said}; they are the offline analyst's."
        about = {(frozenset(one.columns)) for one in drafts}
        rest = [one for one in offline if frozenset(one.columns) not in about]
        said = f"Of the model {self.name} was left out: {'; '.join(left_out)}." if left_out else ""
        return numbered((*drafts, *rest), intent, table), said

    def label_components(
        self, components: Sequence[Component], names: Mapping[str, Sequence[str]]
    ) -> tuple[Component, ...]:
        """Return components with the model's columns and chart types where the static answer is in doubt.

        At most half of what the budget still allows is spent, so that the analysis has the rest.

        Args:
            components: all of a corpus, in order; others than those in doubt are returned as they are.
            names: of columns that may be answered, by notebook.
        """
        last_call = self.budget.calls + (self.budget.max_calls - self.budget.calls) // 2
        last_token = self.budget.tokens + (self.budget.max_tokens - self.budget.tokens) // 2
        result: list[Component] = []
        asks = allows(self.privacy, "samples")
        for component in components:
            may_ask = asks and self.budget.calls < last_call and self.budget.tokens < last_token
            if not component.columns_doubt or not may_ask:
                result.append(component)
                continue
            try:
                result.append(
                    labelled(component, names.get(component.notebook, ()), self.model, self.privacy)
                )
            except ModelFailed as failure:
                result.append(component)
                if not isinstance(failure, BadReply):
                    self._failed("columns of components", failure)
                    asks = False
        return tuple(result)

    def mended_code(
        self, code: str, error: str, line: str, columns: Sequence[tuple[str, str]], earlier: str = ""
    ) -> str:
        """Return a failing component's code as the model would mend it; it still has to be checked and run.

        Args:
            code: what fails, its texts and numbers hidden.
            error: how it fails, likewise.
            line: where it fails, likewise.
            columns: name and type of every column that its table has.
            earlier: the model's earlier try, which failed with this error; "" for the first.

        Raises:
            ModelFailed: no reply, or one without code. NotAllowed: no code may leave.
        """
        if self._repairs_until is None:  # the rest of the analysis has the other half
            self._repairs_until = self.budget.calls + (self.budget.max_calls - self.budget.calls) // 2
        if self.budget.calls >= self._repairs_until:
            raise BudgetSpent(
                "half of the calls that were left are spent on repairs", hint="Raise max_calls."
            )
        request = repair_request(code, error, line, columns, self.privacy)
        if earlier:
            request = again(request, json.dumps({"code": earlier}), f"it still fails: {error}")
        try:
            found = json_in(self.model.complete(request).text).get("code")
        except ModelFailed as failure:
            self.trouble = self.trouble or not isinstance(failure, BadReply)
            raise
        if not isinstance(found, str) or not found.strip():
            raise BadReply("the reply holds no code")
        return found

    def summarize(self, intent: Intent, table: Table, findings: Sequence[Finding]) -> Summary:
        """Write the summary of findings, best first."""
        statements = statements_of(findings)
        if not allows(self.privacy, "samples"):
            return Summary(reason=f"privacy is {self.privacy}, so no finding was sent")
        if len(statements) < FEWEST_STATEMENTS:
            return Summary(reason="there are too few supported findings to summarize")
        names = [column.name for column in table.columns]
        request = summary_request(intent.text, intent.target, statements, self.privacy)
        try:
            return Summary(asked(self.model, request, lambda text: sentences_from(text, statements, names)))
        except ModelFailed as failure:
            self._failed("the summary", failure)
            return Summary(reason=failure.message)

    def _failed(self, what: str, failure: ModelFailed) -> None:
        self.trouble = self.trouble or not isinstance(failure, BadReply)
        hint = f" {failure.hint}" if failure.hint else ""
        self.notes.append(
            f"{self.name} was of no use for {what}: {failure.message}; the offline analyst did it.{hint}"
        )


def statements_of(findings: Sequence[Finding]) -> tuple[Statement, ...]:
    """Return what may be retold of the supported findings: verified statements that carry claims."""
    found = []
    for finding in findings:
        if not finding.published or finding.verdict != "supported":
            continue
        made = [statement_of(one) for one in finding.insights if not one.caution]
        found += [one for one in made if one is not None and usable(one)][:MOST_A_FINDING]
    return tuple(found[:MOST_STATEMENTS])


def open_analyst(settings: ModelSettings, state: Path, budget: Budget | None = None) -> ModelAnalyst:
    """Return an analyst that asks the model that is set, within a budget (default: the settings')."""
    budget = budget if budget is not None else open_budget(settings)
    return ModelAnalyst(open_model(settings, state, budget), settings.privacy, budget)
