"""The LanceDB index, read: notebooks, entries by column, prose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lakebook.notebooks.component import Component, Corpus
from lakebook.retrieval.build import build_index
from lakebook.retrieval.entry import by_notebook, entries_of, searchable_terms
from lakebook.retrieval.index import ComponentIndex

ComponentMaker = Callable[..., Component]


@pytest.fixture
def index(tmp_path: Path, corpus: Corpus) -> ComponentIndex:
    return build_index(tmp_path / "index", corpus).index


def test_all_entries_come_back_as_they_were(index: ComponentIndex, corpus: Corpus) -> None:
    assert len(index) == len(corpus.components)
    known = {name: [column.name for column in found] for name, found in index.notebooks_like([]).items()}
    expected = {
        entry
        for notebook, group in by_notebook(corpus.components).items()
        for entry in entries_of(group, known[notebook])
    }
    assert set(index.entries(known)) == expected


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
def test_entries_by_column(index: ComponentIndex, columns: list[str], cells: list[tuple[str, int]]) -> None:
    found = index.entries(["one.ipynb", "ship.ipynb", "two.ipynb"], columns)
    assert [(entry.notebook, entry.cell) for entry in found] == cells


def test_entries_of_some_notebooks(index: ComponentIndex) -> None:
    assert {entry.cell for entry in index.entries(["one.ipynb"], ["AveragePrice"])} == {3, 5, 7}
    assert index.entries([], ["AveragePrice"]) == ()
    assert index.entries(["nowhere.ipynb"]) == ()


def test_using_puts_what_needs_least_first(index: ComponentIndex) -> None:
    found = index.using(["AveragePrice", "Date"], 3)
    assert {(entry.notebook, entry.cell) for entry in found[:2]} == {("one.ipynb", 3), ("two.ipynb", 2)}
    assert (found[2].notebook, found[2].cell) == ("one.ipynb", 7)
    assert index.using(["AveragePrice", "Date"], 2) == found[:2]
    assert index.using(["AveragePrice", "Fare"], 3) == index.using([], 3) == index.using(["Date"], 0) == ()


def test_a_quote_in_a_name_and_a_path(tmp_path: Path, make_component: ComponentMaker) -> None:
    component = make_component(("it's",), notebook="o'neill.ipynb")
    index = build_index(tmp_path, Corpus((), (component,))).index
    assert [entry.needed for entry in index.entries(["o'neill.ipynb"], ["it's"])] == [("it's",)]


def test_filter_and_key_columns_are_needed_but_not_all_shown(
    tmp_path: Path, make_component: ComponentMaker
) -> None:
    component = make_component(("a",), filter_columns=("b",), key_columns=("c",))
    index = build_index(tmp_path, Corpus((), (component,))).index
    (entry,) = index.entries(["a.ipynb"], ["b"])
    assert (entry.needed, entry.shown) == (("a", "b", "c"), ("a", "c"))


def test_more_rows_than_the_engine_returns_by_itself(tmp_path: Path, make_component: ComponentMaker) -> None:
    many = tuple(make_component(("a",), cell=number) for number in range(50))
    index = build_index(tmp_path, Corpus((), many)).index
    assert len(index.entries(["a.ipynb"])) == len(index.using(["a"], 99)) == 50


def test_of_many_notebooks_those_that_share_words_are_taken(
    tmp_path: Path, make_component: ComponentMaker
) -> None:
    about_ships = [make_component(("Fare", "Deck"), notebook=f"ship{number}.ipynb") for number in range(9)]
    about_prices = [make_component(("AveragePrice",), notebook=f"price{number}.ipynb") for number in range(4)]
    index = build_index(tmp_path, Corpus((), (*about_ships, *about_prices))).index
    found = index.notebooks_like(["average_price", "date"], most=3)
    assert list(found) == ["price0.ipynb", "price1.ipynb", "price2.ipynb"]
    assert len(index.notebooks_like(["average_price"], most=13)) == 13


def test_notebooks_keep_their_old_columns(index: ComponentIndex) -> None:
    found = index.notebooks_like(["date"])
    assert list(found) == ["one.ipynb", "ship.ipynb", "two.ipynb"]
    assert [column.name for column in found["two.ipynb"]] == ["4046", "AveragePrice", "Date", "Total Volume"]


def test_prose_of_some_notebooks(index: ComponentIndex) -> None:
    assert [chunk.id for chunk in index.prose(["one.ipynb", "two.ipynb"])] == ["m1"]
    assert index.prose([]) == ()


def test_an_empty_corpus(tmp_path: Path) -> None:
    index = build_index(tmp_path, Corpus(())).index
    assert len(index) == 0
    assert index.notebooks_like(["a"]) == {}
    assert index.entries(["a.ipynb"], ["a"]) == index.using(["a"], 3) == index.prose(["a.ipynb"]) == ()


def test_searchable_terms_are_words(make_component: ComponentMaker) -> None:
    component = make_component(("AveragePrice",), heading="Trends", target_code="plot_total(x)")
    assert searchable_terms(entries_of([component], ())[0]) == (
        "trend",
        "average",
        "price",
        "line",
        "plot",
        "total",
        "x",
    )
