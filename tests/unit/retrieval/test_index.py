"""The LanceDB index: columns, text, versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.errors import RetrievalError
from lakebook.notebooks.component import Component, Corpus
from lakebook.retrieval.index import ComponentIndex, searchable_text

ComponentMaker = Callable[..., Component]


@pytest.fixture
def index(tmp_path: Path, corpus: Corpus) -> ComponentIndex:
    return ComponentIndex.build(tmp_path / "index", corpus)


def test_all_components_come_back_as_they_were(index: ComponentIndex, corpus: Corpus) -> None:
    assert len(index) == len(corpus.components)
    assert set(index.components()) == set(corpus.components)


@pytest.mark.parametrize(
    ("columns", "cells"),
    [
        (
            ["AveragePrice"],
            [("one.ipynb", 3), ("one.ipynb", 5), ("one.ipynb", 7), ("two.ipynb", 2), ("two.ipynb", 6)],
        ),
        (["4046", "Survived"], [("ship.ipynb", 1), ("two.ipynb", 4)]),
        (["nothing"], []),
        ([], []),
        (["it's"], []),
    ],
)
def test_components_using(index: ComponentIndex, columns: list[str], cells: list[tuple[str, int]]) -> None:
    assert [(c.notebook, c.cell) for c in index.components_using(columns)] == cells


def test_a_quote_in_a_name(tmp_path: Path, make_component: ComponentMaker) -> None:
    index = ComponentIndex.build(tmp_path, Corpus((), (make_component(("it's",)),)))
    assert [c.columns for c in index.components_using(["it's"])] == [("it's",)]


def test_filter_and_key_columns_are_found_too(tmp_path: Path, make_component: ComponentMaker) -> None:
    component = make_component(("a",), filter_columns=("b",), key_columns=("c",))
    index = ComponentIndex.build(tmp_path, Corpus((), (component,)))
    assert index.components_using(["b"]) == index.components_using(["c"]) == (component,)


def test_text_finds_headings_and_identifiers(index: ComponentIndex) -> None:
    hits = index.search_text("how does the price develop over time", 3)
    assert (hits[0].component.notebook, hits[0].component.cell) == ("one.ipynb", 3)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert index.search_text("average prices", 9)
    assert index.search_text("", 3) == index.search_text("+-(:", 3) == index.search_text("price", 0) == ()
    assert index.search_text("price", 9) == index.search_text("price", 9)


def test_markdown(index: ComponentIndex) -> None:
    assert [hit.chunk.id for hit in index.search_markdown("organic price", 3)] == ["m1"]
    assert index.search_markdown("zeppelin", 3) == ()


def test_notebooks_keep_their_old_columns(index: ComponentIndex) -> None:
    found = index.notebooks()
    assert list(found) == ["one.ipynb", "ship.ipynb", "two.ipynb"]
    assert [column.name for column in found["two.ipynb"]] == ["4046", "AveragePrice", "Date", "Total Volume"]


def test_nothing_changed_nothing_written(tmp_path: Path, corpus: Corpus) -> None:
    first = ComponentIndex.build(tmp_path, corpus)
    stamp = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    second = ComponentIndex.build(tmp_path, corpus)
    assert first.version == second.version
    assert stamp == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}


def test_an_open_index_outlives_a_new_build(tmp_path: Path, corpus: Corpus) -> None:
    old = ComponentIndex.build(tmp_path, corpus)
    smaller = replace(corpus, components=corpus.components[:2])
    new = ComponentIndex.build(tmp_path, smaller)
    assert len(new) == len(ComponentIndex.open(tmp_path)) == 2
    assert len(old.components_using(["AveragePrice"])) == 5
    ComponentIndex.build(tmp_path, replace(corpus, components=corpus.components[:1]))
    versions = [path.name for path in tmp_path.iterdir() if path.is_dir()]
    assert len(versions) == 2
    assert old.version not in versions


def test_a_build_that_died_leaves_the_old_index(tmp_path: Path, corpus: Corpus) -> None:
    version = ComponentIndex.build(tmp_path, corpus).version
    (tmp_path / "v0123456789abcdef.new-1").mkdir()
    assert ComponentIndex.open(tmp_path).version == version
    ComponentIndex.build(tmp_path, replace(corpus, chunks=()))
    assert not (tmp_path / "v0123456789abcdef.new-1").exists()


def test_an_empty_corpus(tmp_path: Path) -> None:
    index = ComponentIndex.build(tmp_path, Corpus(()))
    assert len(index) == 0
    assert index.notebooks() == {}
    assert index.components_using(["a"]) == ()
    assert index.search_text("price", 3) == ()
    assert index.search_markdown("price", 3) == ()


def test_no_index_and_a_damaged_one_say_what_to_do(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(RetrievalError, match="no component index"):
        ComponentIndex.open(tmp_path)
    version = ComponentIndex.build(tmp_path, corpus).version
    for path in sorted((tmp_path / version).rglob("*.manifest")):
        path.write_bytes(b"?")
    with pytest.raises(RetrievalError, match="cannot be read") as caught:
        ComponentIndex.open(tmp_path)
    assert "Delete the folder" in caught.value.hint


def test_searchable_text_is_words(make_component: ComponentMaker) -> None:
    text = searchable_text(make_component(("AveragePrice",), heading="Trend", target_code="plot_total(x)"))
    assert text == "Trend average price line plot total x"
