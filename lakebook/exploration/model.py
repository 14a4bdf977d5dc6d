"""Groups chosen by a language model, and a tail ordered by meaning (RADAR §2.2); both optional.

What belongs here: two uses of a model in a search, each with its fallback and the note that tells of it. A
model that fails never fails a search. What leaves is decided in `analyst.model.privacy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lakebook.analyst.model.asking import asked
from lakebook.analyst.model.budget import Budget, open_budget
from lakebook.analyst.model.embedding import Embeddings
from lakebook.analyst.model.privacy import (
    MOST_GROUPS,
    question_embedding,
    sources_embedding,
    sources_request,
)
from lakebook.analyst.model.protocol import BadReply, LanguageModel, ModelFailed, json_in
from lakebook.exploration.pool import SURE
from lakebook.exploration.ranking import Ranking
from lakebook.exploration.selection import Candidate
from lakebook.settings import Privacy, Settings

# Reciprocal ranks (Cormack et al. 2009): how fast a rank loses weight, and how many neighbours take part.
_FLAT = 20
_NEIGHBOURS = 20


@dataclass
class ModelSelector:
    """Chooses with a chat model, reorders with an embedding model; either may be missing."""

    model: LanguageModel | None = None
    embeddings: Embeddings | None = None
    privacy: Privacy = "schema"

    def reorder(
        self, question: str, candidates: Sequence[Candidate], ranking: Ranking, notes: list[str]
    ) -> Ranking:
        """Order the groups behind the first few by words and meaning together; the first few stay."""
        if self.embeddings is None or not candidates:
            return ranking
        try:
            asked = self.embeddings.vectors(question_embedding(question))[0]
            groups = self.embeddings.vectors(sources_embedding(candidates, self.privacy))
            if groups.shape[1] != len(asked):
                raise ModelFailed("vectors of different lengths")
        except ModelFailed as failure:
            notes.append(
                _failed(self.embeddings.name, "the order by meaning", failure, "words alone decide it")
            )
            return ranking
        nearest = np.argsort(-(groups @ asked), kind="stable")[:_NEIGHBOURS].tolist()
        scores = dict(ranking.groups)
        ranks = {group: 1 / (_FLAT + place) for place, group in enumerate(scores)}
        for place, group in enumerate(nearest):
            ranks[group] = ranks.get(group, 0.0) + 1 / (_FLAT + place)
        first = list(scores)[:SURE]
        tail = sorted((group for group in ranks if group not in first), key=lambda g: (-ranks[g], g))
        notes.append(
            f"Groups from the {SURE + 1}th on are ordered by words and by vectors of {self.embeddings.name}."
        )
        return replace(ranking, groups=tuple((group, scores.get(group, 0.0)) for group in (*first, *tail)))

    def choose(self, question: str, candidates: Sequence[Candidate], notes: list[str]) -> tuple[str, ...]:
        """Return the ids of the groups that the model chose; () if it gave none that exist."""
        if self.model is None:
            notes.append("No language model is set: groups are in order, and the first give evidence.")
            return ()
        if not candidates:
            return ()
        try:
            request = sources_request(question, candidates, self.privacy)
            chosen = asked(self.model, request, lambda text: _chosen(text, candidates))
        except ModelFailed as failure:
            notes.append(_failed(self.model.name, "the choice of groups", failure, "the first give evidence"))
            return ()
        notes.append(
            f"The model {self.model.name} chose {len(chosen)} of {len(candidates)} candidate groups."
        )
        return chosen


def _chosen(text: str, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Read the choice; one unknown name makes all of it doubtful. Raises BadReply."""
    names = json_in(text).get("groups")
    if not isinstance(names, list) or not names:
        raise BadReply("it names no group")
    known = {f"G{number}": candidate.id for number, candidate in enumerate(candidates, start=1)}
    if not all(isinstance(name, str) and name in known for name in names):
        raise BadReply("it names a group that is no candidate")
    return tuple(dict.fromkeys(known[name] for name in names))[:MOST_GROUPS]


def _failed(name: str, what: str, failure: ModelFailed, instead: str) -> str:
    hint = f" {failure.hint}" if failure.hint else ""
    return f"{name} was of no use for {what}: {failure.message}; {instead}.{hint}"


def open_selector(settings: Settings, budget: Budget | None = None) -> ModelSelector | None:
    """Open the models that are set, within one budget (default: the settings'); None if none is."""
    chat, vectors = settings.language_model, settings.embedding_model
    limits = chat or vectors
    if limits is None:
        return None
    from lakebook.analyst.model.layers import open_embeddings, open_model

    state: Path = settings.state
    budget = budget if budget is not None else open_budget(limits)
    selector = ModelSelector(privacy=limits.privacy)
    if chat is not None:
        selector.model = open_model(chat, state, budget)
    if vectors is not None:
        selector.embeddings = open_embeddings(vectors, state, budget)
    return selector
