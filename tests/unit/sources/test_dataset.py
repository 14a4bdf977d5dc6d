"""Finding and choosing a dataset, table names, groups."""

from __future__ import annotations

import pytest

from lakebook.errors import DatasetNotFound, UsageError
from lakebook.sources.card import Column, SourceCard, SourceMap, SourceUnit
from lakebook.sources.dataset import choose_dataset, find_dataset, label
from lakebook.sources.groups import find_groups
from lakebook.sources.naming import identifier, name_tables, stem


def unit(name: str = "", rows: int = 1, columns: str = "a b", kind: str = "table") -> SourceUnit:
    made = tuple(Column(c, c, "integer", "measure", 0, 1) for c in columns.split())
    return SourceUnit(name, kind, "", rows=rows, rows_in_file=rows, columns=made)  # type: ignore[arg-type]


def card(
    path: str, *units: SourceUnit, status: str = "ok", kind: str = "csv", reason: str = ""
) -> SourceCard:
    return SourceCard(path, status, kind, 1, "0" * 64, reason, units=units)  # type: ignore[arg-type]


def lake(*cards: SourceCard) -> SourceMap:
    named = name_tables(cards)
    return SourceMap(named, find_groups(named))


LAKE = lake(
    card("sales/2020.csv", unit(rows=10)),
    card("sales/orders.csv", unit(rows=30, columns="id region")),
    card("old/orders.csv", unit(rows=20)),
    card("book.xlsx", unit("Costs"), unit("Plan 2021"), kind="workbook"),
    card("notes.md", unit(kind="text")),
    card("broken.parquet", status="failed", reason="the content breaks off"),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sales/2020.csv", "sales/2020.csv"),
        ("SALES/2020.CSV", "sales/2020.csv"),
        ("2020.csv", "sales/2020.csv"),
        ("2020", "sales/2020.csv"),
        ("./sales/orders.csv", "sales/orders.csv"),
        ("/somewhere/lake/sales/orders.csv", "sales/orders.csv"),
        ("sales_orders", "sales/orders.csv"),
        ("old_orders", "old/orders.csv"),
        ("book.xlsx#Costs", "book.xlsx#Costs"),
        ("book#plan 2021", "book.xlsx#Plan 2021"),
        ("book_plan_2021", "book.xlsx#Plan 2021"),
        ("costs", "book.xlsx#Costs"),
    ],
)
def test_every_kind_of_name_finds_its_table(name: str, expected: str) -> None:
    assert label(find_dataset(LAKE, name)) == expected


@pytest.mark.parametrize("name", ["orders.csv", "orders", "book.xlsx", "book"])
def test_an_ambiguous_name_lists_the_choices(name: str) -> None:
    with pytest.raises(UsageError, match="names 2 tables") as caught:
        find_dataset(LAKE, name)
    assert len(caught.value.hint.split(", ")) == 2


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(DatasetNotFound) as caught:
        find_dataset(LAKE, "sales/order.csv")
    assert any("orders.csv" in name for name in caught.value.nearest)
    with pytest.raises(DatasetNotFound) as caught:
        find_dataset(LAKE, "zzzzzz")
    assert caught.value.nearest
    with pytest.raises(DatasetNotFound):
        find_dataset(lake(), "x")


def test_a_file_that_could_not_be_read_says_why() -> None:
    with pytest.raises(UsageError, match="the content breaks off") as caught:
        find_dataset(LAKE, "broken.parquet")
    assert not isinstance(caught.value, DatasetNotFound)


def test_the_table_with_most_rows_is_chosen() -> None:
    found, found_unit, reason = choose_dataset(LAKE)
    assert found.path == "sales/orders.csv"
    assert found_unit.rows == 30
    assert "most rows" in reason


def test_the_only_table_is_chosen_and_none_is_an_error() -> None:
    assert choose_dataset(lake(card("a.csv", unit())))[2] == "the only table of the lake"
    with pytest.raises(UsageError, match="no table with rows"):
        choose_dataset(lake(card("a.csv", unit(rows=0))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sales 2020", "sales_2020"),
        ("2020", "t_2020"),
        ("Ünï", "uni"),
        ("!!!", "t"),
        ("select", "t_select"),
        ("a", "a"),
    ],
)
def test_identifiers(text: str, expected: str) -> None:
    assert identifier(text) == expected


def test_stem_drops_packing_too() -> None:
    assert stem("x/a.csv.gz") == "a"
    assert stem("a.b.parquet") == "a.b"


def test_table_names_are_unique_and_short_where_they_can_be() -> None:
    tables = {label(found): found[1].table for found in LAKE.tables()}
    assert tables == {
        "sales/2020.csv": "sales_2020",
        "sales/orders.csv": "sales_orders",
        "old/orders.csv": "old_orders",
        "book.xlsx#Costs": "book_costs",
        "book.xlsx#Plan 2021": "book_plan_2021",
    }


def test_names_that_collide_all_the_way_are_numbered() -> None:
    found = lake(
        card("a b.csv", unit()), card("a-b.csv", unit()), card("a_b.csv", unit()), card("a.b.csv", unit())
    )
    names = [found_unit.table for _, found_unit in found.tables()]
    assert len(set(names)) == 4
    assert all(name.isidentifier() for name in names)


def groups(*cards: SourceCard) -> dict[str, tuple[str, ...]]:
    return {group.id: group.members for group in find_groups(cards)}


def test_years_make_a_group_whatever_the_columns() -> None:
    found = groups(card("h/2015.csv", unit(columns="a b")), card("h/2016.csv.gz", unit(columns="x y")))
    assert found == {"h/{date}.csv": ("h/2015.csv", "h/2016.csv.gz")}


def test_other_numbers_need_similar_columns() -> None:
    alike = groups(card("part1.csv", unit(columns="a b c")), card("part2.csv", unit(columns="a b c d")))
    assert alike == {"part{n}.csv": ("part1.csv", "part2.csv")}
    assert groups(card("mmc1.csv", unit(columns="a b")), card("mmc2.csv", unit(columns="x y"))) == {}


def test_equal_tables_of_one_folder_group_and_others_do_not() -> None:
    sales = unit(columns="shop amount")
    found = groups(card("d/north.csv", sales), card("d/south.csv", sales), card("e/east.csv", sales))
    assert list(found.values()) == [("d/north.csv", "d/south.csv")]
    assert groups(card("a.csv", unit(columns="shop amount")), card("b.csv", unit(columns="shop staff"))) == {}


def test_sheets_and_tables_group() -> None:
    found = groups(
        card("w.xlsx", unit("A"), unit("B", columns="x y"), kind="workbook"),
        card("one.xlsx", unit("A", columns="q r"), kind="workbook"),
        card("d.db", unit("t", columns="k l"), unit("u", columns="m n"), kind="sqlite"),
    )
    assert found == {"w.xlsx": ("w.xlsx#A", "w.xlsx#B"), "d.db": ("d.db#t", "d.db#u")}
