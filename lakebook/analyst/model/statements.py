"""A model's way of mending a statement: asked only where no sure means applies, and never believed unchecked.

What belongs here: asking. What may leave is decided in `privacy`, what is taken in `validation.repair`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lakebook.analyst.model.privacy import HiddenLiterals, NotAllowed, statement_request
from lakebook.analyst.model.protocol import LanguageModel, ModelFailed, json_in
from lakebook.operators.record import Repair
from lakebook.settings import Privacy
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.repair import Failure
from lakebook.validation.statement import physical


@dataclass
class ModelMender:
    """Asks a model for a statement that runs; give it as `Repairing(ask=ModelMender(…))`.

    Attributes:
        notes: why it was of no use, for the person who runs it.
    """

    model: LanguageModel
    privacy: Privacy
    notes: list[str] = field(default_factory=list)

    def __call__(self, failure: Failure, tries: Sequence[Repair], knowledge: Knowledge) -> str:
        """Return the model's statement, "" if it has none or may not be asked."""
        hidden = HiddenLiterals()
        earlier = [(one.after, one.refused) for one in tries]
        try:
            request = statement_request(
                failure.sql, failure.told, _tables(failure, knowledge), earlier, self.privacy, hidden
            )
            said = json_in(self.model.complete(request).text).get("sql")
            if not isinstance(said, str) or not said.strip():
                return ""
            return said.strip() if self.privacy == "full" else hidden.give_back(said)
        except (ModelFailed, NotAllowed) as reason:
            self.notes.append(f"{self.model.name} could not be asked to mend a statement: {reason}")
            return ""


def _tables(failure: Failure, knowledge: Knowledge) -> list[KnownTable]:
    """Return the tables that the statement reads; all of the lake if that cannot be told."""
    known = list(knowledge.tables.values())
    named = {
        source.name.lower()
        for scope in failure.parsed().scopes
        for source in scope.sources.values()
        if physical(source)
    }
    return [table for table in known if table.name.lower() in named] or known
