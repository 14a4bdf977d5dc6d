"""Files of old code and the tables of the lake that they have become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from lakebook.notebooks.sources import Source
from lakebook.retrieval.counterparts import NoCounterpart, counterparts, digits, likeness
from lakebook.retrieval.lake import Lake
from lakebook.sources.card import Column, SourceCard, SourceGroup, SourceMap, SourceUnit


def lake_of(tables: Mapping[str, Sequence[str]], groups: Sequence[SourceGroup] = ()) -> Lake:
    cards = []
    for path, names in tables.items():
        columns = tuple(Column(name, name, "number", "measure", 0, 9) for name in names)
        unit = SourceUnit("", "table", path, 10, 10, columns=columns, load_code="df = 1")
        cards.append(SourceCard(path, "ok", "csv", 1, path, units=(unit,)))
    return Lake.of(SourceMap(tuple(cards), tuple(groups)))


def chosen(sources: Sequence[Source], needed: Sequence[str], lake: Lake, main: str) -> dict[str, str]:
    found = counterparts(sources, needed, lake.table(main), lake, {})
    return {one.source: one.table for one in found}


SHOP = lake_of(
    {
        "orders_2026.csv": ("order_id", "customer_id", "order_date", "quantity"),
        "customers.csv": ("customer_id", "city", "age"),
        "weather.csv": ("date", "temperature"),
    }
)
ORDERS = Source("orders.csv", "in/orders.csv", ("CustomerID", "Order Date"), ("Quantity",))
CUSTOMERS = Source("clients.csv", "in/clients.csv", ("CustomerID", "City"), ("Quantity",))


def test_columns_decide_and_both_tables_are_told() -> None:
    needed = ["Order Date", "Quantity", "City"]
    found = chosen([ORDERS, CUSTOMERS], needed, SHOP, "orders_2026.csv")
    assert found == {"orders.csv": "orders_2026.csv", "clients.csv": "customers.csv"}
    assert found == chosen([ORDERS, CUSTOMERS], needed, SHOP, "customers.csv")


def test_the_correspondences_are_each_tables_own() -> None:
    found = counterparts([ORDERS, CUSTOMERS], ["City"], SHOP.table("orders_2026.csv"), SHOP, {})
    pairs = [{pair.old: pair.new for pair in one.columns} for one in found]
    assert pairs == [
        {"CustomerID": "customer_id", "Order Date": "order_date", "Quantity": "quantity"},
        {"CustomerID": "customer_id", "City": "city"},
    ]


@pytest.mark.parametrize(
    ("sources", "needed", "reason"),
    [
        (
            [ORDERS, Source("returns.csv", "", ("Return Reason", "Refund"))],
            ["Refund"],
            r"reads returns\.csv, and no table",
        ),
        ([ORDERS, CUSTOMERS], ["City", "Profit"], "no table it reads has: Profit"),
        (
            [ORDERS, Source("x.csv", "", ("CustomerID", "City", "Shoe Size"))],
            ["Shoe Size"],
            "has no Shoe Size",
        ),
        ([Source("w.csv", "", ("date", "temperature")), CUSTOMERS], ["City"], "other tables of the lake"),
        ([ORDERS, Source("more.csv", "")], ["Quantity"], "no table of the lake fits it"),
    ],
)
def test_what_has_no_counterpart_is_named(sources: list[Source], needed: list[str], reason: str) -> None:
    with pytest.raises(NoCounterpart, match=reason):
        chosen(sources, needed, SHOP, "orders_2026.csv")


def test_the_nearest_table_is_named_too() -> None:
    lost = Source("clients.csv", "", ("City", "Income", "Job", "Height"))
    with pytest.raises(
        NoCounterpart, match=r"nearest: customers.csv, which has 1 of its 4 columns"
    ) as caught:
        chosen([ORDERS, lost], ["Income", "City"], SHOP, "orders_2026.csv")
    assert caught.value.unmatched == ("City", "Income")


TITANIC = ("PassengerId", "Survived", "Age")


def test_names_decide_between_tables_with_the_same_columns() -> None:
    lake = lake_of({"test.csv": TITANIC[::2], "train.csv": TITANIC, "zoo.csv": ("Legs",)})
    train, test = (Source(f"{name}.csv", "", (), ("Age",)) for name in ("train", "test"))
    assert chosen([train, test], ["Age"], lake, "train.csv") == {
        "train.csv": "train.csv",
        "test.csv": "test.csv",
    }


YEARS = {f"data/whr_{year}.csv": ("Country", "Score") for year in (2015, 2016, 2017)}


def test_a_file_a_year_goes_to_its_own_year() -> None:
    lake = lake_of(YEARS)
    sources = [Source(f"{year}.csv", "", (), ("Score", "Country")) for year in (2015, 2017)]
    found = chosen(sources, ["Score"], lake, "data/whr_2017.csv")
    assert found == {"2015.csv": "data/whr_2015.csv", "2017.csv": "data/whr_2017.csv"}


def test_one_column_is_enough_where_the_year_is_the_same() -> None:
    sources = [Source(f"{year}.csv", "", ("Score",)) for year in (2015, 2016)]
    found = chosen(sources, ["Score"], lake_of(YEARS), "data/whr_2016.csv")
    assert found == {"2015.csv": "data/whr_2015.csv", "2016.csv": "data/whr_2016.csv"}


def test_a_year_that_is_not_there_is_refused() -> None:
    sources = [Source(f"{year}.csv", "", (), ("Score", "Country")) for year in (2014, 2017)]
    with pytest.raises(NoCounterpart, match=r"reads 2014\.csv"):
        chosen(sources, ["Score"], lake_of(YEARS), "data/whr_2017.csv")


def test_tables_that_fit_alike_are_not_guessed_between() -> None:
    lake = lake_of({"a.csv": ("id", "v"), "north.csv": ("id", "city"), "south.csv": ("id", "city")})
    sources = [Source("a.csv", "", ("id", "v")), Source("places.csv", "", ("id", "city"))]
    with pytest.raises(NoCounterpart, match=r"north\.csv and south\.csv fit it equally"):
        chosen(sources, ["v", "city"], lake, "a.csv")


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("train", "train", 1, 1),
        ("orders", "orders_2026", 0.9, 1),
        ("train", "test", 0, 0.6),
        ("2015", "2016", 0.3, 0.3),
        ("2015", "2015", 1, 1),
        ("2015", "whr_2015", 0.6, 0.6),
        ("2015", "whr_2016", 0, 0),
    ],
)
def test_likeness_of_names(one: str, other: str, least: float, most: float) -> None:
    assert least <= likeness(one, other) <= most


def test_numbers_of_names() -> None:
    assert digits("whr_2015-part2") == ("2015", "2")
