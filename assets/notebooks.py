"""The notebooks group: the corpus cut into components, and the index over them (NotebookRAG §4.2)."""

from typing import Any

import dagster as dg
import pandas as pd

from assets.materialize import Metadata, arguments, materialize, observe, table_metadata
from assets.sources import describe_manifest
from lakebook.notebooks.component import Corpus, Notebook
from lakebook.pipeline.notebooks import IndexSummary
from lakebook.pipeline.project import Project
from resources.project import ProjectResource


@dg.observable_source_asset(
    name="corpus_notebooks",
    group_name="notebooks",
    description="Every file of the corpus of old notebooks with its content hash.",
)
def corpus_notebooks(project: ProjectResource) -> dg.ObserveResult:
    """Observe the corpus."""
    return observe("corpus_notebooks", project, describe_manifest)


@dg.asset(
    **arguments("notebook_cells", "jupyter"),
    description="Code and Markdown cells, cleaned of magics; notebooks that cannot be used, with the reason.",
)
def notebook_cells(project: ProjectResource) -> dg.MaterializeResult[Any]:
    """Read the notebooks."""

    def describe(notebooks: tuple[Notebook, ...], opened: Project, partition: str) -> Metadata:
        names = ["notebook", "status", "reason", "cells"]
        rows = [(one.path, one.status, one.reason, len(one.cells)) for one in notebooks]
        frame = pd.DataFrame(rows, columns=names)
        return {"dagster/row_count": sum(frame["cells"]), "notebooks": table_metadata(frame)}

    return materialize("notebook_cells", project, describe)


@dg.asset(
    **arguments("notebook_components", "jupyter"),
    description="Self-contained executable slices that draw a figure, with the columns they use.",
)
def notebook_components(project: ProjectResource) -> dg.MaterializeResult[Any]:
    """Cut the components."""

    def describe(corpus: Corpus, opened: Project, partition: str) -> Metadata:
        frame = opened.store.read_table("notebook_components", name="components")
        return {"dagster/row_count": len(corpus.components), "components": table_metadata(frame)}

    return materialize("notebook_components", project, describe)


@dg.asset(
    **arguments("component_index", "lancedb"),
    description="The components by column and text, and the prose of the notebooks.",
)
def component_index(project: ProjectResource) -> dg.MaterializeResult[Any]:
    """Index the components."""

    def describe(summary: IndexSummary, opened: Project, partition: str) -> Metadata:
        return {"dagster/row_count": summary.components, "chunks": summary.chunks}

    return materialize("component_index", project, describe)
