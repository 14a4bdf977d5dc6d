"""Which components are taken for which query, in which order, and why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.analyst.table import Table
from lakebook.notebooks.component import Component, Corpus
from lakebook.retrieval.applicability import applicable
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.result import EdaQuery
from lakebook.retrieval.search import retrieve, search

ComponentMaker = Callable[..., Component]
TREND = EdaQuery("q1", "trend of the price", ("average_price", "date"))


@pytest.fixture
def index(tmp_path: Path, corpus: Corpus) -> ComponentIndex:
    return ComponentIndex.build(tmp_path / "index", corpus)


def test_exact_before_partial_before_text(index: ComponentIndex, avocados: Table) -> None:
    found = retrieve(index, [TREND], avocados)
    assert [(item.rank, item.match, item.component) for item in found] == [
        (1, "exact", "one.ipynb-3"),
        (2, "partial", "one.ipynb-7"),
        (3, "text", "one.ipynb-5"),
    ]
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


def test_half_of_the_columns_is_not_most(index: ComponentIndex, avocados: Table) -> None:
    half = EdaQuery("q", "", ("average_price", "geography", "year", "total_volume"))
    most = EdaQuery("q", "", ("average_price", "geography", "year"))
    assert retrieve(index, [half], avocados) == ()
    assert [item.component for item in retrieve(index, [most], avocados)] == ["one.ipynb-5"]


def test_a_copy_in_another_notebook_is_folded_in(index: ComponentIndex, avocados: Table) -> None:
    first = retrieve(index, [TREND], avocados)[0]
    assert first.also_in == ("two.ipynb#2",)


def test_columns_carry_their_correspondence_and_why(index: ComponentIndex, avocados: Table) -> None:
    first = retrieve(index, [TREND], avocados)[0]
    assert {pair.old: pair.new for pair in first.columns} == {"AveragePrice": "average_price", "Date": "date"}
    assert first.why.startswith("line chart of just the query's columns: average_price, date; read")
    partial = retrieve(index, [TREND], avocados)[1]
    assert "with type besides" in partial.why


def test_what_the_table_lacks_is_left_out_with_the_reason(index: ComponentIndex, avocados: Table) -> None:
    query = EdaQuery("q", "total volume by size", ("total_volume",))
    result = search(index, [query], avocados)
    assert "two.ipynb-4" not in [item.component for item in result.taken]
    left_out = {item.component: item for item in result.left_out}
    assert left_out["two.ipynb-4"].unmatched == ("4046",)
    assert "does not have: 4046" in left_out["two.ipynb-4"].reason


def test_a_table_without_a_chart_is_left_out(index: ComponentIndex, avocados: Table) -> None:
    left_out = {item.component: item.reason for item in search(index, [TREND], avocados).left_out}
    assert left_out["two.ipynb-6"] == "draws no chart"


def test_a_notebook_about_something_else_is_not_trusted(index: ComponentIndex, avocados: Table) -> None:
    """`region` alone agrees with the table; the notebook is about passengers of a ship."""
    result = search(index, [EdaQuery("q", "rows per region", ("geography",))], avocados)
    assert all(not item.component.startswith("ship") for item in result.taken)
    reasons = {item.component: item.reason for item in result.left_out}
    assert "another table: 1 of its 4 columns" in reasons["ship.ipynb-2"]


def test_nothing_relevant_gives_nothing(tmp_path: Path, corpus: Corpus, avocados: Table) -> None:
    ship = replace(corpus, components=tuple(c for c in corpus.components if c.notebook == "ship.ipynb"))
    index = ComponentIndex.build(tmp_path / "ship", ship)
    queries = [TREND, EdaQuery("q2", "survival by class and region", ("geography",))]
    assert retrieve(index, queries, avocados) == ()
    assert retrieve(ComponentIndex.build(tmp_path / "none", Corpus(())), queries, avocados) == ()


def test_text_takes_what_shares_no_column(index: ComponentIndex, avocados: Table) -> None:
    found = retrieve(index, [EdaQuery("q", "price over time", ("year",))], avocados)
    assert found
    assert {item.match for item in found} == {"text"}
    assert found[0].component == "one.ipynb-3"
    assert "text fits the goal (Price over time)" in found[0].why


def test_at_most_k_a_query_and_every_query_in_order(index: ComponentIndex, avocados: Table) -> None:
    other = EdaQuery("q2", "price by region", ("average_price", "geography"))
    found = retrieve(index, [TREND, other], avocados, k=1)
    assert [(item.query, item.component) for item in found] == [("q1", "one.ipynb-3"), ("q2", "one.ipynb-5")]
    assert retrieve(index, [], avocados) == ()


def test_unknown_columns_in_a_query_find_nothing_by_column(index: ComponentIndex, avocados: Table) -> None:
    assert retrieve(index, [EdaQuery("q", "", ("no_such_column",))], avocados) == ()


def test_the_same_twice(index: ComponentIndex, avocados: Table) -> None:
    assert search(index, [TREND], avocados) == search(index, [TREND], avocados)


def test_progress_counts_queries(index: ComponentIndex, avocados: Table) -> None:
    seen: list[tuple[int, int]] = []
    retrieve(index, [TREND], avocados, progress=lambda stage, done, total, what: seen.append((done, total)))
    assert seen == [(0, 1), (1, 1)]


def test_applicable_needs_no_query(corpus: Corpus, avocados: Table) -> None:
    taken, left_out = applicable(corpus.components, avocados)
    assert [item.component for item in taken] == ["one.ipynb-3", "one.ipynb-5", "one.ipynb-7", "two.ipynb-2"]
    assert len(taken) + len(left_out) == len(corpus.components)
    assert all(item.reason for item in left_out)


def test_a_whole_frame_chart_needs_a_related_notebook(
    corpus: Corpus, avocados: Table, make_component: ComponentMaker
) -> None:
    related = make_component((), ("heatmap",), notebook="one.ipynb", cell=9)
    foreign = make_component((), ("heatmap",), notebook="ship.ipynb", cell=9)
    taken, _ = applicable((*corpus.components, related, foreign), avocados)
    ids = [item.component for item in taken]
    assert related.id in ids
    assert foreign.id not in ids
