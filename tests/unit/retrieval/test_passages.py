"""Prose that bears on a query: by words and columns, by vectors where there are any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from lakebook.notebooks.component import Corpus, MarkdownChunk
from lakebook.retrieval.applicability import NotebookMatch
from lakebook.retrieval.build import build_index
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.passages import find_passages
from lakebook.retrieval.result import Correspondence, EdaQuery
from lakebook.retrieval.texts import Vectors

QUERY = EdaQuery("q1", "Comparison of sales by shop", ("sales", "shop"))
TEXTS = {
    ("a.ipynb", 1): "Sales differ by shop, the northern one leads.",
    ("a.ipynb", 3): "The shop in the north was closed in May.",
    ("a.ipynb", 5): "Weather and other things of no interest here.",
    ("a.ipynb", 7): "Shops",
    ("b.ipynb", 1): "Sales differ by shop, the northern one leads.",
    ("c.ipynb", 1): "Sales of ships by shop of the harbour.",
}


@pytest.fixture
def index(tmp_path: Path) -> ComponentIndex:
    chunks = tuple(MarkdownChunk(f"{a}{b}", a, b, text) for (a, b), text in TEXTS.items())
    return build_index(tmp_path, Corpus((), (), chunks)).index


@pytest.fixture
def matches() -> dict[str, NotebookMatch]:
    pairs = {name: Correspondence(name, name.lower(), 1.0, "") for name in ("Sales", "Shop")}
    related = NotebookMatch(pairs, 2)
    return {"a.ipynb": related, "b.ipynb": related, "c.ipynb": NotebookMatch(pairs, 40)}


def test_words_and_columns_of_related_notebooks(
    index: ComponentIndex, matches: dict[str, NotebookMatch]
) -> None:
    found = find_passages(index, [QUERY], matches)
    assert [(one.notebook, one.cell) for one in found] == [("a.ipynb", 1), ("a.ipynb", 3)]
    assert found[0].score == 1.0 > found[1].score
    assert found[0].why == "names sales, shop and has words of the goal (sale, shop)"
    assert find_passages(index, [QUERY], matches, k=1) == found[:1]


def test_a_passage_serves_one_query(index: ComponentIndex, matches: dict[str, NotebookMatch]) -> None:
    again = EdaQuery("q2", QUERY.goal, QUERY.columns)
    assert [one.query for one in find_passages(index, [QUERY, again], matches, k=1)] == ["q1", "q2"]
    assert {one.query for one in find_passages(index, [QUERY, again], matches)} == {"q1"}


def test_vectors_count_as_much_as_words(index: ComponentIndex, matches: dict[str, NotebookMatch]) -> None:
    asked: list[str] = []

    def closed(texts: Sequence[str]) -> Vectors:
        asked.extend(texts)
        return np.array([[0.0, 1.0] if "northern" in text else [1.0, 0.0] for text in texts])

    by_words = find_passages(index, [QUERY], matches)
    by_both = find_passages(index, [QUERY], matches, embed=closed)
    assert {one.cell for one in by_both} == {one.cell for one in by_words}
    assert by_both[0].score == by_both[1].score == 1.0
    assert asked[0] == QUERY.goal
    assert not any("ships" in text for text in asked)


def test_without_vectors_words_stand(index: ComponentIndex, matches: dict[str, NotebookMatch]) -> None:
    expected = find_passages(index, [QUERY], matches)
    assert find_passages(index, [QUERY], matches, embed=lambda texts: None) == expected


def test_nothing_related_nothing_found(index: ComponentIndex, matches: dict[str, NotebookMatch]) -> None:
    assert find_passages(index, [QUERY], {"c.ipynb": matches["c.ipynb"]}) == ()
    assert find_passages(index, [EdaQuery("q", "zeppelins", ("length",))], matches) == ()
