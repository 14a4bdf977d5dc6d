"""The stages of the notebooks group: manifest, cells, components, index (NotebookRAG §4.2.1-4.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from lakebook.notebooks.component import Component, Corpus, MarkdownChunk, Notebook
from lakebook.notebooks.extract import extract_components, markdown_chunks
from lakebook.notebooks.read import read_corpus
from lakebook.notebooks.schema import infer_schema
from lakebook.pipeline.project import Project
from lakebook.pipeline.stage import Stage
from lakebook.retrieval.build import build_index
from lakebook.sources.card import Manifest
from lakebook.sources.scan import scan
from lakebook.storage import version_of


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """What the component index holds; `content` is the hash of all of it."""

    components: int
    chunks: int
    notebooks: int
    content: str = ""


def corpus_notebooks(project: Project, partition: str = "") -> Manifest:
    """List and hash the files of the corpus; empty when there is none."""
    if project.notebooks is None:
        return Manifest(())
    return scan(project.notebooks, project.progress)


def notebook_cells(project: Project, partition: str = "") -> tuple[Notebook, ...]:
    """Read every notebook into cells of plain Python and Markdown."""
    manifest = project.store.read_document("corpus_notebooks", Manifest)
    if project.notebooks is None:
        return ()
    return read_corpus(project.notebooks, manifest, project.progress)


def notebook_components(project: Project, partition: str = "") -> Corpus:
    """Cut every usable notebook into self-contained components and passages of prose."""
    notebooks = project.store.read_document("notebook_cells", tuple[Notebook, ...])
    components: list[Component] = []
    chunks: list[MarkdownChunk] = []
    for done, notebook in enumerate(notebooks):
        project.progress("notebook_components", done, len(notebooks), notebook.path)
        components.extend(extract_components(notebook))
        chunks.extend(markdown_chunks(notebook))
    if project.language_model is not None:
        names = {notebook.path: infer_schema(notebook).names for notebook in notebooks}
        components[:] = project.language_model.label_components(components, names)
    corpus = Corpus(notebooks, tuple(components), tuple(chunks))
    project.store.write_table("notebook_components", components_table(corpus), name="components")
    return corpus


def component_index(project: Project, partition: str = "") -> IndexSummary:
    """Index the components by column and text; the old index serves until the new one is whole."""
    corpus = project.store.read_document("notebook_components", Corpus)
    built = build_index(index_folder(project), corpus)
    project.progress("component_index", len(corpus.notebooks), len(corpus.notebooks), built.said)
    project.notices.extend([built.notice] if built.notice else [])
    content = version_of(built.index.contents(), dict[str, str])
    return IndexSummary(len(corpus.components), len(corpus.chunks), len(corpus.notebooks), content)


def index_folder(project: Project) -> Path:
    """Return the folder of the component index."""
    return project.store.folder("component_index") / "lance"


def components_table(corpus: Corpus) -> pd.DataFrame:
    """Return one row a component, without its code."""
    names = [
        "id",
        "notebook",
        "cell",
        "columns",
        "chart_types",
        "statements_kept",
        "statements_before",
        "confidence",
    ]
    rows = [
        {
            "id": component.id,
            "notebook": component.notebook,
            "cell": component.cell,
            "columns": ", ".join(component.columns),
            "chart_types": ", ".join(component.chart_types),
            "statements_kept": component.statements_kept,
            "statements_before": component.statements_before,
            "confidence": component.confidence,
        }
        for component in corpus.components
    ]
    return pd.DataFrame(rows, columns=names)


def _component_inputs(project: Project, partition: str) -> dict[str, str]:
    """Return what the components are made from: the cells, and who says what the unsure ones show."""
    receipt = project.store.receipt("notebook_cells")
    return {"notebook_cells": receipt.version if receipt else "", "analyst": project.analyst_version}


STAGES = (
    Stage("corpus_notebooks", "notebooks", Manifest, (), ("sources",), corpus_notebooks, observed=True),
    Stage(
        "notebook_cells",
        "notebooks",
        tuple[Notebook, ...],
        ("corpus_notebooks",),
        ("notebooks",),
        notebook_cells,
    ),
    Stage(
        "notebook_components",
        "notebooks",
        Corpus,
        ("notebook_cells",),
        ("notebooks", "analyst"),
        notebook_components,
        inputs=_component_inputs,
    ),
    Stage(
        "component_index",
        "notebooks",
        IndexSummary,
        ("notebook_components",),
        ("notebooks", "retrieval"),
        component_index,
    ),
)
