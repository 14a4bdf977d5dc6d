"""Which components are taken for which query, in which order, and why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.notebooks.component import Component, Corpus, Notebook, NotebookCell, ShownColumn
from lakebook.retrieval.applicability import applicable
from lakebook.retrieval.build import build_index
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.result import EdaQuery
from lakebook.retrieval.search import retrieve, search

ComponentMaker = Callable[..., Component]
TREND = EdaQuery("q1", "trend of the price", ("average_price", "date"))


@pytest.fixture
def index(tmp_path: Path, corpus: Corpus) -> ComponentIndex:
    return build_index(tmp_path / "index", corpus).index


def test_exact_before_partial(index: ComponentIndex, avocados: Table) -> None:
    found = retrieve(index, [TREND], avocados)
    assert [(item.rank, item.match, item.component) for item in found] == [
        (1, "exact", "one.ipynb-3"),
        (2, "partial", "one.ipynb-7"),
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
    index = build_index(tmp_path / "ship", ship).index
    queries = [TREND, EdaQuery("q2", "survival by class and region", ("geography",))]
    assert retrieve(index, queries, avocados) == ()
    assert retrieve(build_index(tmp_path / "none", Corpus(())).index, queries, avocados) == ()


def test_what_shares_no_column_is_not_taken_for_its_words(index: ComponentIndex, avocados: Table) -> None:
    assert retrieve(index, [EdaQuery("q", "price over time", ("year",))], avocados) == ()


def test_half_of_the_columns_needs_words_that_fit(index: ComponentIndex, avocados: Table) -> None:
    columns = ("average_price", "year")
    fits = retrieve(index, [EdaQuery("q", "price over time", columns)], avocados)
    assert fits[0].component == "one.ipynb-3"
    assert fits[0].match == "text"
    assert "without year; its words fit the goal (Price over time)" in fits[0].why
    assert retrieve(index, [EdaQuery("q", "zeppelins", columns)], avocados) == ()


def test_a_component_serves_the_query_that_it_fits_best(index: ComponentIndex, avocados: Table) -> None:
    wide = EdaQuery("q0", "price over time by type", ("average_price", "date", "type"))
    taken = retrieve(index, [wide, TREND], avocados)
    assert [(item.query, item.match, item.component) for item in taken] == [
        ("q0", "exact", "one.ipynb-7"),
        ("q1", "exact", "one.ipynb-3"),
    ]
    assert len({item.component for item in taken}) == len(taken)


def test_what_cannot_be_imported_and_what_is_unsure(
    tmp_path: Path, avocados: Table, make_component: ComponentMaker
) -> None:
    columns = ("AveragePrice", "Date")
    lost = make_component(columns, cell=1, modules=("pandas", "no_such_module"))
    unsure = make_component(columns, ("bar",), cell=2, confidence=0.3)
    partial = make_component((*columns, "type"), ("box",), cell=3)
    result = search(build_index(tmp_path, Corpus((), (lost, unsure, partial))).index, [TREND], avocados)
    assert [item.component for item in result.taken] == ["a.ipynb-3", "a.ipynb-2"]
    reasons = {item.component: item.reason for item in result.left_out}
    assert reasons["a.ipynb-1"] == "imports what is not installed: no_such_module"


def test_a_component_is_repeated_if_nothing_else_fits(index: ComponentIndex, avocados: Table) -> None:
    again = replace(TREND, id="q2")
    taken = retrieve(index, [TREND, again], avocados, k=1)
    first, second = ([item.component for item in taken if item.query == query] for query in ("q1", "q2"))
    assert first == ["one.ipynb-3"]
    assert second == ["one.ipynb-7"]
    three = retrieve(index, [TREND, again, replace(TREND, id="q3"), replace(TREND, id="q4")], avocados)
    assert {item.query for item in three} == {"q1", "q2", "q3", "q4"}


def test_a_chart_of_everything_is_not_repeated_under_every_query(
    tmp_path: Path, avocados: Table, make_component: ComponentMaker
) -> None:
    whole = make_component(("AveragePrice", "Date", "type", "year", "Total Volume"), ("heatmap",))
    index = build_index(tmp_path, Corpus((), (whole,))).index
    queries = [
        TREND,
        EdaQuery("q2", "by type", ("average_price", "type")),
        EdaQuery("q3", "years", ("year",)),
    ]
    assert [item.query for item in retrieve(index, queries, avocados)] == ["q1"]


def test_at_most_k_of_different_columns_or_charts(
    tmp_path: Path, avocados: Table, make_component: ComponentMaker
) -> None:
    charts = ("line", "bar", "box", "hist", "area", "scatter", "violin")
    code = "draw_{0}(one_{0}, two_{0}, three_{0}, four_{0})"
    components = [
        make_component(("AveragePrice", "Date"), (chart,), cell=number, code=code.format(chart))
        for number, chart in enumerate(charts)
    ]
    components += [
        make_component(("AveragePrice", "Date"), ("line",), cell=20, code=code.format("other")),
    ]
    index = build_index(tmp_path, Corpus((), tuple(components))).index
    result = search(index, [TREND], avocados)
    assert [item.rank for item in result.taken] == [1, 2, 3, 4, 5]
    assert len(retrieve(index, [TREND], avocados, k=99)) == len(charts)
    reasons = {item.component: item.reason for item in result.left_out}
    assert reasons["a.ipynb-20"] == "shows the same columns in the same kind of chart as a.ipynb-0"


def test_copies_in_many_notebooks_are_one_with_all_places(
    tmp_path: Path, avocados: Table, make_component: ComponentMaker
) -> None:
    copies = [make_component(("AveragePrice", "Date"), notebook=f"{name}.ipynb") for name in "cab"]
    index = build_index(tmp_path, Corpus((), tuple(copies))).index
    (only,) = retrieve(index, [TREND], avocados)
    assert (only.component, only.also_in) == ("a.ipynb-1", ("b.ipynb#1", "c.ipynb#1"))


def test_a_saved_output_decides_where_names_do_not(
    tmp_path: Path, make_table: Callable[..., Table], make_component: ComponentMaker
) -> None:
    """By its name `sales_group` could be either column; the rows that the notebook shows say which."""
    levels = (("north", 9), ("south", 5), ("east", 4), ("west", 2))
    tiers = (("gold", 9), ("iron", 9))
    table = make_table(
        TableColumn("sales_zone", "text", "dim", 0, 4, levels=levels, levels_complete=True),
        TableColumn("sales_tier", "text", "dim", 0, 2, levels=tiers, levels_complete=True),
        "price",
    )
    component = make_component(("price", "sales_group"))
    shown = ShownColumn("sales_group", values=("north", "south", "east", "west"))
    notebook = Notebook("a.ipynb", "0" * 64, "ok", cells=(NotebookCell(0, "code", "", evidence=(shown,)),))
    query = EdaQuery("q", "price by zone", ("price", "sales_zone"))
    silent = Corpus((), (component,))
    told = replace(silent, notebooks=(notebook,))

    assert retrieve(build_index(tmp_path / "silent", silent).index, [query], table) == ()
    assert applicable(silent, table)[0] == ()
    (found,) = retrieve(build_index(tmp_path / "told", told).index, [query], table)
    (runs,) = applicable(told, table)[0]
    assert {pair.old: pair.new for pair in found.columns} == {"price": "price", "sales_group": "sales_zone"}
    assert found.columns == runs.columns
    assert "values that outputs show occur in it" in found.why


def test_prose_of_related_notebooks_comes_with_the_query(index: ComponentIndex, avocados: Table) -> None:
    query = EdaQuery("q", "Development of average_price by type", ("average_price", "type"))
    passages = search(index, [query], avocados).passages
    assert [(one.notebook, one.cell) for one in passages] == [("one.ipynb", 2)]
    assert passages[0].why == "names average_price and has words of the goal (price)"


def test_the_same_twice(index: ComponentIndex, avocados: Table) -> None:
    assert search(index, [TREND], avocados) == search(index, [TREND], avocados)


def test_progress_counts_queries(index: ComponentIndex, avocados: Table) -> None:
    seen: list[tuple[int, int]] = []
    retrieve(index, [TREND], avocados, progress=lambda stage, done, total, what: seen.append((done, total)))
    assert seen == [(0, 1), (1, 1)]


def test_applicable_needs_no_query(corpus: Corpus, avocados: Table) -> None:
    taken, left_out = applicable(corpus, avocados)
    assert [item.component for item in taken] == ["one.ipynb-3", "one.ipynb-5", "one.ipynb-7", "two.ipynb-2"]
    assert len(taken) + len(left_out) == len(corpus.components)
    assert all(item.reason for item in left_out)


def test_a_whole_frame_chart_needs_a_related_notebook(
    corpus: Corpus, avocados: Table, make_component: ComponentMaker
) -> None:
    related = make_component((), ("heatmap",), notebook="one.ipynb", cell=9)
    foreign = make_component((), ("heatmap",), notebook="ship.ipynb", cell=9)
    taken, _ = applicable(replace(corpus, components=(*corpus.components, related, foreign)), avocados)
    ids = [item.component for item in taken]
    assert related.id in ids
    assert foreign.id not in ids
