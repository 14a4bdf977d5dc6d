"""The questions that an intent breaks into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.table import Table, TableColumn
from lakebook.retrieval.queries import MOST_QUERIES, Draft, eda_queries, numbered

KINDS: tuple[IntentKind, ...] = (
    "forecast", "classify", "regress", "compare", "describe", "anomaly", "segment",
)  # fmt: skip
TableMaker = Callable[..., Table]


@pytest.fixture
def shop(make_table: TableMaker) -> Table:
    return make_table(
        TableColumn("order_date", "datetime", "time", 0, 900),
        TableColumn("region", "text", "geo", 0, 4),
        TableColumn("segment", "text", "dim", 2, 3),
        TableColumn("category", "text", "dim", 0, 3),
        TableColumn("sales", "number", "flow", 0, 800, min="0", max="9000"),
        TableColumn("discount", "number", "ratio", 0, 12),
        TableColumn("quantity", "integer", "count", 0, 14),
        TableColumn("order_id", "text", "key", 0, 1000),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_goals_columns_and_reasons(kind: IntentKind, shop: Table) -> None:
    queries = eda_queries(Intent("x", kind, target="sales"), shop)
    known = {column.name for column in shop.columns}
    assert 6 <= len(queries) <= MOST_QUERIES
    assert all(one.goal and one.why and one.columns and set(one.columns) <= known for one in queries)
    assert len({(one.goal, one.columns) for one in queries}) == len(queries)
    assert [one.id for one in queries] == [f"q{n:02d}" for n in range(1, len(queries) + 1)]
    assert queries == eda_queries(Intent("x", kind, target="sales"), shop)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "named", [("discount",), ("order_id", "quantity"), ("category", "segment", "region")]
)
def test_every_column_that_the_question_names_is_asked_about(
    kind: IntentKind, named: tuple[str, ...], shop: Table
) -> None:
    queries = eda_queries(Intent("x", kind, target="sales", columns=named), shop)
    asked = {name for one in queries for name in one.columns}
    assert {"sales", *named} <= asked
    assert len(queries) <= MOST_QUERIES
    first = next(one for one in queries if named[0] in one.columns)
    assert first.why == f"the question names {named[0]}"


def test_the_kind_decides_what_comes_first(shop: Table) -> None:
    first = {kind: eda_queries(Intent("x", kind, target="sales"), shop)[0].goal for kind in KINDS}
    assert first["forecast"] == "Development of sales over time"
    assert first["compare"] == "Comparison of sales by region"
    assert first["regress"] == "Relation of sales and discount"
    assert first["describe"] == "Distribution of sales"


def test_a_further_purpose_is_asked_about_too(shop: Table) -> None:
    alone = eda_queries(Intent("x", "describe", target="sales"), shop)
    both = eda_queries(Intent("x", "describe", others=("forecast",), target="sales"), shop)
    assert not any("forecast" in one.why for one in alone)
    assert any("forecast" in one.why for one in both)


def test_tables_without_numbers_or_times_or_anything(make_table: TableMaker) -> None:
    names = make_table(TableColumn("town", "text", "geo", 0, 4), TableColumn("kind", "text", "dim", 3, 4))
    goals = [one.goal for one in eda_queries(Intent("x", "describe"), names)]
    assert {"Number of rows by town", "town by kind", "Missing values"} <= set(goals)
    assert eda_queries(Intent("x", "describe"), make_table()) == ()
    keys = make_table(TableColumn("id", "text", "key", 0, 10))
    assert eda_queries(Intent("x", "describe"), keys) == ()
    assert [one.columns for one in eda_queries(Intent("x", "describe", columns=("id",)), keys)] == [("id",)]


def test_hundreds_of_columns_stay_bounded(make_table: TableMaker) -> None:
    wide = make_table(*(f"n{number}" for number in range(300)))
    queries = eda_queries(Intent("x", "regress", target="n7", columns=("n299",)), wide)
    assert len(queries) == MOST_QUERIES
    assert max(len(one.columns) for one in queries) <= 6
    assert any("n299" in one.columns for one in queries)


def test_what_is_named_takes_the_place_of_what_is_not(shop: Table) -> None:
    drafts = [Draft(f"g{number}", ("discount",), "") for number in range(20)]
    intent = Intent("x", "compare", target="sales", columns=("region", "gone"))
    queries = numbered([*drafts, Draft("by region", ("sales", "region"), "")], intent, shop)
    assert len(queries) == MOST_QUERIES
    assert queries[-1].goal == "by region"


def test_drafts_of_unknown_columns_and_copies_are_left_out(shop: Table) -> None:
    draft = Draft("g", ("sales",), "")
    queries = numbered(
        [draft, draft, Draft("h", ("gone",), ""), Draft("i", (), "")], Intent("x", "compare"), shop
    )
    assert [one.goal for one in queries] == ["g"]
    assert replace(queries[0], id="").columns == ("sales",)
