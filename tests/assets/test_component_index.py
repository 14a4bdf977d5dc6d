"""The component index as an asset: by notebook, mended when damaged, without secrets, found by text too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import orjson
import pytest

import lakebook.pipeline.notebooks as stages
from assets.notebooks import component_index, notebook_cells, notebook_components
from lakebook.analysis import Analysis
from lakebook.notebooks.component import Corpus
from lakebook.pipeline import STAGES
from lakebook.pipeline.inquiry import read_passages
from lakebook.pipeline.notebooks import IndexSummary, index_folder
from lakebook.pipeline.project import Project, declare_analysis
from lakebook.pipeline.stage import build
from lakebook.retrieval.build import Built, build_index
from lakebook.retrieval.index import POINTER, ComponentIndex
from lakebook.retrieval.result import RetrievedComponent
from resources.project import ProjectResource

LOAD = "import pandas as pd\ndf = pd.read_csv('sales.csv')"
SECRET = "ghp_" + "a1B2" * 9


def write(folder: Path, name: str, *cells: str, prose: str = "") -> None:
    made = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
            for source in cells]  # fmt: skip
    made += [{"cell_type": "markdown", "metadata": {}, "source": prose}] if prose else []
    text = json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Built]:
    """What every build of the index did, in order."""
    done: list[Built] = []

    def noted(folder: Path, corpus: Corpus) -> Built:
        done.append(build_index(folder, corpus))
        return done[-1]

    monkeypatch.setattr(stages, "build_index", noted)
    return done


def materialize(project: Project) -> IndexSummary:
    """Look at the corpus and materialize the group as Dagster does."""
    project.seen.clear()
    build(STAGES["corpus_notebooks"], project)
    assets: Sequence[dg.AssetsDefinition] = (notebook_cells, notebook_components, component_index)
    with dg.DagsterInstance.ephemeral() as instance:
        resources = {"project": ProjectResource.of(project)}
        assert dg.materialize(assets, instance=instance, resources=resources).success
    return project.store.read_document("component_index", IndexSummary)


def retrieve(project: Project, intent: str = "compare Sales by Shop") -> tuple[RetrievedComponent, ...]:
    analysis = Analysis(intent, "sales.csv")
    declare_analysis(project.state, analysis, project.state / "out")
    for name in ("lake_files", "source_cards", "eda_queries", "retrieved_components"):
        build(STAGES[name], project, analysis.id)
    return project.store.read_document("retrieved_components", tuple[RetrievedComponent, ...], analysis.id)


def test_a_changed_notebook_is_all_that_is_written(
    project: Project, corpus: Path, built: list[Built]
) -> None:
    write(corpus, "more.ipynb", LOAD, "df.groupby('shop').sales.sum().plot.bar()")
    first = materialize(project)
    assert materialize(project) == first
    assert len(built) == 1
    write(corpus, "more.ipynb", LOAD, "df.groupby('shop').sales.mean().plot.bar()")
    second = materialize(project)
    assert (built[1].written, built[1].removed, built[1].kept) == (1, 0, 1)
    assert second.components == first.components
    assert second != first, "what is retrieved has to be made anew"
    (corpus / "more.ipynb").unlink()
    materialize(project)
    assert (built[2].written, built[2].removed, built[2].kept) == (0, 1, 1)


def test_a_damaged_index_is_mended_with_a_notice(project: Project) -> None:
    materialize(project)
    expected = retrieve(project)
    assert expected
    for path in index_folder(project).rglob("*.lance"):
        if path.is_file():
            path.write_bytes(b"?")
    project.store.forget("retrieved_components", Analysis("compare Sales by Shop", "sales.csv").id)
    assert retrieve(project) == expected
    assert "it was rebuilt" in project.notices[0]
    (index_folder(project) / POINTER).unlink()
    project.store.forget("retrieved_components", Analysis("compare Sales by Shop", "sales.csv").id)
    assert retrieve(project) == expected


def test_no_secret_of_a_notebook_is_in_the_index(project: Project, corpus: Path) -> None:
    code = f"token = '{SECRET}'\ndf[df.shop == token].sales.plot(label='{SECRET}')"
    write(
        corpus,
        "secret.ipynb",
        LOAD,
        f"# {SECRET}",
        code,
        prose=f"My key is {SECRET} and sales by shop matter.",
    )
    materialize(project)
    retrieve(project)
    index = ComponentIndex.open(index_folder(project))
    assert "secret.ipynb" in index.contents()
    held = [index.entries(["secret.ipynb"]), index.prose(["secret.ipynb"]), index.notebooks_like(["shop"])]
    assert "sales" in repr(held)
    assert SECRET not in repr(held)
    kept = [path for path in project.state.rglob("*") if path.is_file() and path.parent.name != "lake"]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


def test_retrieval_by_text_is_another_result(project: Project, lake: Path, corpus: Path) -> None:
    write(
        corpus,
        "prose.ipynb",
        LOAD,
        "df.groupby('shop').sales.sum().plot.bar()",
        prose="We compare sales by shop.",
    )
    materialize(project)
    by_columns = retrieve(project)
    assert "exact" in {one.match for one in by_columns}
    assert read_passages(project, Analysis("compare Sales by Shop", "sales.csv").id)
    general = Project(project.state, lake, corpus, retrieval="general")
    by_text = retrieve(general)
    assert {one.match for one in by_text} == {"general"}
    assert retrieve(project) == by_columns


def test_the_summary_is_small(project: Project) -> None:
    summary = orjson.loads(orjson.dumps(materialize(project)))
    assert set(summary) == {"components", "chunks", "notebooks", "content"}
