"""The layers between a request and the wire, put together: kept replies, patience, the budget, the ledger.

What belongs here: their order. A kept reply costs nothing, so it lies outside the budget; each try of a
patient one is a call of its own, so the budget and the ledger lie within.
"""

from __future__ import annotations

from pathlib import Path

from lakebook.analyst.model.budget import Budget, Budgeted
from lakebook.analyst.model.client import OpenAIEmbedder, OpenAIModel, Patient
from lakebook.analyst.model.embedding import VECTORS, Embeddings
from lakebook.analyst.model.ledger import LEDGER, Ledgered
from lakebook.analyst.model.protocol import LanguageModel
from lakebook.analyst.model.recorded import REPLIES, Recorded
from lakebook.settings import ModelSettings


def open_model(settings: ModelSettings, state: Path, budget: Budget) -> LanguageModel:
    """Return the model that is set, with all layers around it.

    Args:
        settings: which model, where, at what price.
        state: the state folder, where the ledger and the replies are kept.
        budget: of the run; several models may share one.
    """
    wire = OpenAIModel(settings.name, base_url=settings.base_url, api_key=settings.api_key)
    counted = Budgeted(Ledgered(wire, state / LEDGER, settings.price), budget, settings.price)
    return Recorded(settings.name, state / REPLIES, Patient(counted))


def open_embeddings(settings: ModelSettings, state: Path, budget: Budget) -> Embeddings:
    """Return the embedding model that is set, with all layers around it; arguments as above."""
    wire = OpenAIEmbedder(settings.name, base_url=settings.base_url, api_key=settings.api_key)
    return Embeddings(wire, state / VECTORS, budget, state / LEDGER, settings.price)
