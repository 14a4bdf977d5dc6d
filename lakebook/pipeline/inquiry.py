"""The first stages of an analysis: what is asked of what, and what old notebooks say (NotebookRAG §4.2)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from lakebook.analyst.intent_reader import read_intent
from lakebook.analyst.methods import method_names
from lakebook.analyst.profile import table_from_card
from lakebook.analyst.table import Table
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.rerun import enhance
from lakebook.enhancement.run import preparation
from lakebook.errors import RetrievalError, UsageError
from lakebook.notebooks.component import Component, Corpus
from lakebook.operators.group_table import open_dataset
from lakebook.pipeline.documents import Inquiry
from lakebook.pipeline.notebooks import index_folder
from lakebook.pipeline.project import Project
from lakebook.pipeline.warm import start_session, warm_session
from lakebook.report.methods_source import source_of
from lakebook.report.opening import setup_code
from lakebook.retrieval.build import build_index
from lakebook.retrieval.general import cell_components, search_general
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.lake import Lake
from lakebook.retrieval.passages import Embed
from lakebook.retrieval.queries import eda_queries as eda_queries_of
from lakebook.retrieval.result import Passage, Retrieval, RetrievedComponent
from lakebook.retrieval.search import search
from lakebook.retrieval.texts import Vectors
from lakebook.sandbox.base import Session
from lakebook.sandbox.reopening import ReopeningSession
from lakebook.sources.card import SourceCard, SourceMap
from lakebook.sources.dataset import Dataset
from lakebook.storage import version_of

PASSAGES = "passages"


def choose(project: Project, partition: str) -> Dataset:
    """Return the dataset of an analysis.

    Raises:
        DatasetNotFound: the lake has no dataset of that name.
        UsageError: several have it, it has no rows, or the lake has no table at all.
    """
    source_map = project.store.read_document("source_cards", SourceMap)
    name = project.analysis(partition).dataset
    dataset = open_dataset(source_map, name, project.state, project.progress)
    if not dataset.unit.rows:
        raise UsageError(
            "the dataset has no rows.",
            where=dataset.card.path,
            hint="`lakebook sources DIR` shows what was read of it.",
        )
    return dataset


def eda_queries(project: Project, partition: str) -> Inquiry:
    """Read the intent against the dataset's card, and break it into questions."""
    dataset = choose(project, partition)
    table = table_from_card(dataset.card, dataset.unit)
    analysis = project.analysis(partition)
    model = project.language_model
    if model is None:
        intent, by_model = read_intent(analysis.intent, table), False
        queries, note = eda_queries_of(intent, table), ""
    else:
        intent, by_model = model.read_intent(analysis.intent, table)
        queries, note = model.eda_queries(intent, table)
    read_by = model.name if model is not None and by_model else ""
    return Inquiry(analysis, table, intent, queries, dataset.chosen, read_by, note)


def queries_inputs(project: Project, partition: str) -> Mapping[str, str]:
    """The questions depend on one card of the lake, not on the others, and on who reads the intent."""
    dataset = choose(project, partition)
    card = version_of(dataset.card, SourceCard)
    made_from = {"analysis": partition, "card": card, "unit": dataset.unit.unit}
    return made_from | {"analyst": project.analyst_version}


def retrieved_components(project: Project, partition: str) -> tuple[RetrievedComponent, ...]:
    """Find components of old notebooks that answer the questions with the dataset's columns."""
    inquiry = project.store.read_document("eda_queries", Inquiry, partition)
    found = _search(project, inquiry)
    project.store.write_document(
        "retrieved_components", found.passages, tuple[Passage, ...], partition, PASSAGES
    )
    return found.taken


def retrieval_inputs(project: Project, partition: str) -> Mapping[str, str]:
    """What is retrieved depends on the questions, on what is indexed, and on how it is looked for."""
    receipts = {
        "eda_queries": project.store.receipt("eda_queries", partition),
        "component_index": project.store.receipt("component_index"),
    }
    versions = {name: receipt.version if receipt else "" for name, receipt in receipts.items()}
    embedding = project.embedding.name if project.embedding and project.embeddings else ""
    embedding += "; no reply" if project.embedding_failed else ""
    receipt = project.store.receipt("source_cards")
    cards = receipt.version if receipt else ""  # a component may read other tables of the lake as well
    return versions | {"retrieval": project.retrieval, "embedding": embedding, "source_cards": cards}


def lake_of(project: Project) -> Lake:
    """Return the tables of the lake."""
    return Lake.of(project.store.read_document("source_cards", SourceMap))


def _embed(project: Project) -> Embed | None:
    """Return what gives vectors of prose, if a model is set for it; a failure is a notice, not an error."""
    model, settings = project.embeddings, project.embedding
    if model is None or settings is None:
        return None
    privacy = settings.privacy

    def embed(texts: Sequence[str]) -> Vectors | None:
        from lakebook.analyst.model.privacy import prose_embedding
        from lakebook.analyst.model.protocol import ModelFailed

        try:
            return model.vectors(prose_embedding(texts, privacy))
        except ModelFailed as failure:
            said = f"{model.name} was of no use for the search: {failure.message}; words and columns decided."
            project.notices.append(said)
            project.embedding_failed = True
            return None

    return embed


def _search(project: Project, inquiry: Inquiry) -> Retrieval:
    """Search the index; one that is gone or damaged is built anew first."""
    embed = _embed(project)
    if project.retrieval == "general":
        corpus = project.store.read_document("notebook_components", Corpus)
        return search_general(
            corpus.notebooks, corpus.chunks, inquiry.queries, progress=project.progress, embed=embed
        )
    folder = index_folder(project)
    try:
        index = ComponentIndex.open(folder)
        return _searched(project, index, inquiry, embed)
    except RetrievalError as error:
        project.notices.append(f"{error.message.rstrip('.')}; it was rebuilt.")
    corpus = project.store.read_document("notebook_components", Corpus)
    return _searched(project, build_index(folder, corpus, anew=True).index, inquiry, embed)


def _searched(project: Project, index: ComponentIndex, inquiry: Inquiry, embed: Embed | None) -> Retrieval:
    return search(
        index,
        inquiry.queries,
        inquiry.table,
        progress=project.progress,
        embed=embed,
        lake=lake_of(project),
    )


def read_passages(project: Project, partition: str) -> tuple[Passage, ...]:
    """Return the prose of old notebooks that bears on the questions."""
    return project.store.read_document("retrieved_components", tuple[Passage, ...], partition, PASSAGES)


def enhanced_components(project: Project, partition: str) -> tuple[EnhancedComponent, ...]:
    """Run the retrieved components on the dataset, in the sandbox."""
    retrieved = project.store.read_document("retrieved_components", tuple[RetrievedComponent, ...], partition)
    if not retrieved:
        return ()
    table = project.store.read_document("eda_queries", Inquiry, partition).table
    helpers = [ReopeningSession(lambda: start_session(project, cells_of(project, table)))]
    sessions = [
        ReopeningSession(lambda: dataset_session(project, table)),
        *helpers[: (os.cpu_count() or 1) - 1],
    ]
    try:
        by_id, model, lake = components_by_id(project), project.language_model, lake_of(project)
        return enhance(retrieved, by_id, table, sessions, project.progress, mender=model, lake=lake)
    finally:
        for helper in helpers:
            helper.close()


def enhanced_inputs(project: Project, partition: str) -> Mapping[str, str]:
    """What runs depends on what was retrieved, on the table, and on the other tables that are read."""
    names = ("retrieved_components", "eda_queries")
    receipts = {name: project.store.receipt(name, partition) for name in names}
    versions = {name: receipt.version if receipt else "" for name, receipt in receipts.items()}
    if not versions["retrieved_components"]:
        return versions
    retrieved = project.store.read_document("retrieved_components", tuple[RetrievedComponent, ...], partition)
    tables = sorted({one.table for item in retrieved for one in item.sources})
    lake = lake_of(project) if tables else Lake()
    known = {one.source: one for one in lake.entries}
    for name in tables:
        cards = known[name].files if name in known else ()
        versions[f"table {name}"] = " ".join(f"{card.sha256} {card.settled}".strip() for card in cards)
    return versions


def components_by_id(project: Project) -> dict[str, Component]:
    """Return every component of the corpus by its id; for retrieval by text, every cell too."""
    corpus = project.store.read_document("notebook_components", Corpus)
    cells = cell_components(corpus.notebooks) if project.retrieval == "general" else ()
    return {component.id: component for component in (*corpus.components, *cells)}


def dataset_session(project: Project, table: Table, prepare_code: str = "") -> Session:
    """Return the warm session in which `df` is loaded, and `base` prepared if the code for it is known.

    The cells are those that the notebook opens with, save that all methods are there, not just those used,
    and what looks at the figures of old components.
    """
    return warm_session(project, [*cells_of(project, table), *([prepare_code] if prepare_code else [])])


def cells_of(project: Project, table: Table) -> list[str]:
    """Return the cells after which `df` is loaded."""
    methods = source_of(method_names())
    return [setup_code(project.data, project.data), methods, preparation(), table.load_code]
