"""Old columns matched to new ones, one to one, with refusal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.correspondence.evidence import OldColumn
from lakebook.retrieval.correspondence import correspond, renames
from lakebook.retrieval.result import Correspondence

TableMaker = Callable[..., Table]
OLD_AVOCADO = [
    "Date", "AveragePrice", "Total Volume", "4046", "4225", "4770",
    "Total Bags", "Small Bags", "Large Bags", "XLarge Bags", "type", "year", "region",
]  # fmt: skip
NEW_AVOCADO = [
    "date", "average_price", "total_volume", "4046", "4225", "4770",
    "total_bags", "small_bags", "large_bags", "xlarge_bags", "type", "year", "geography",
]  # fmt: skip


def pairs(old: list[str], table: Table) -> dict[str, str]:
    return {pair.old: pair.new for pair in correspond([OldColumn(name) for name in old], table)}


def test_every_column_of_the_older_table_is_found(make_table: TableMaker) -> None:
    assert pairs(OLD_AVOCADO, make_table(*NEW_AVOCADO)) == dict(zip(OLD_AVOCADO, NEW_AVOCADO, strict=True))


def test_order_of_the_old_names_does_not_matter(make_table: TableMaker) -> None:
    table = make_table(*NEW_AVOCADO)
    assert pairs(OLD_AVOCADO[::-1], table) == pairs(OLD_AVOCADO, table)


def test_codes_without_a_name_are_refused(make_table: TableMaker) -> None:
    table = make_table(
        "date", "average_price", "small_hass_sold", "large_hass_sold", "xlarge_hass_sold", "region"
    )
    found = pairs(["Date", "AveragePrice", "4046", "4225", "4770", "region"], table)
    assert found == {"Date": "date", "AveragePrice": "average_price", "region": "region"}


def test_names_of_shops_match_across_styles(make_table: TableMaker) -> None:
    old = ["Order Date", "Ship Date", "Ship Mode", "Sub-Category", "Sales", "Profit", "Customer Name"]
    new = ["order_date", "ship_date", "ship_mode", "sub_category", "sales", "profit", "customer_name"]
    assert pairs(old, make_table(*new)) == dict(zip(old, new, strict=True))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["min_temp"], ["max_temp"]),
        (["Large Bags"], ["small_bags", "xlarge_bags"]),
        (["temp"], ["low_temp", "high_temp"]),
        (["lower"], ["upper"]),
        (["Survived", "Pclass", "Fare"], ["date", "average_price", "type"]),
        (["gdpPercap"], ["gdp"]),
        (["sales"], ["geography"]),
        ([""], ["date"]),
    ],
)
def test_refused(old: list[str], new: list[str], make_table: TableMaker) -> None:
    assert pairs(old, make_table(*new)) == {}


def test_nothing_old_and_nothing_new(make_table: TableMaker) -> None:
    assert correspond([], make_table("a")) == ()
    assert correspond([OldColumn("a")], make_table()) == ()


def test_reason_and_probability(make_table: TableMaker) -> None:
    found = {
        pair.old: pair
        for pair in correspond([OldColumn("region"), OldColumn("Date")], make_table("geography", "date"))
    }
    assert found["region"].reason == "synonyms: region ~ geography"
    assert found["Date"].reason == "same name apart from case and punctuation"
    assert 0.5 <= found["region"].probability < found["Date"].probability <= 1


def test_another_type_lowers_the_probability_and_is_said(make_table: TableMaker) -> None:
    table = make_table(TableColumn("mode", "text", "dim", 0, 2), "fare")
    plain = correspond([OldColumn("mode")], table)[0]
    conflicting = correspond([OldColumn("mode", kind="number")], table)[0]
    assert conflicting.probability < plain.probability
    assert "used as number and now text" in conflicting.reason
    assert "used as" not in correspond([OldColumn("mode", kind="text")], table)[0].reason


def test_values_in_the_code_speak_for_or_against(make_table: TableMaker) -> None:
    kind = TableColumn(
        "kind", "text", "dim", 0, 2, levels=(("Organic", 5), ("other", 5)), levels_complete=True
    )
    table = make_table(kind, "price")
    plain = correspond([OldColumn("kinds")], table)[0]
    seen = correspond([OldColumn("kinds", values=("organic",))], table)[0]
    absent = correspond([OldColumn("kinds", values=("steel",))], table)[0]
    assert absent.probability < plain.probability < seen.probability
    assert "values in the code occur in it (organic)" in seen.reason
    assert "do not occur" in absent.reason


def test_quartiles_in_an_output_speak_for_a_column(make_table: TableMaker) -> None:
    spread = ((0.0, 0.0), (0.25, 0.6), (0.5, 0.96), (0.75, 1.23), (1.0, 1.68))
    wide = tuple((share, 1000 * value) for share, value in spread)
    described = OldColumn("GDP per capita", "number", quartiles=tuple(value for _, value in spread))
    same, other = (TableColumn("GDP", "number", "flow", 0, 90, quantiles=known) for known in (spread, wide))
    assert [pair.new for pair in correspond([described], make_table(same, "Score"))] == ["GDP"]
    assert correspond([described], make_table(other, "Score")) == ()


def test_an_incomplete_list_of_levels_speaks_against_nothing(make_table: TableMaker) -> None:
    kind = TableColumn("kind", "text", "dim", 0, 900, levels=(("organic", 5),))
    plain = correspond([OldColumn("kinds")], make_table(kind))[0]
    assert correspond([OldColumn("kinds", values=("steel",))], make_table(kind))[0] == plain


def test_neighbours_help_where_the_order_is_known(make_table: TableMaker) -> None:
    table = make_table("date", "units_sold", "region")
    old = [OldColumn("date"), OldColumn("units"), OldColumn("region")]
    loose = {pair.old: pair.probability for pair in correspond(old, table, cut=0.0)}
    tight = {pair.old: pair.probability for pair in correspond(old, table, in_file_order=True, cut=0.0)}
    assert tight["units"] > loose["units"]


def test_a_higher_cut_keeps_a_part(make_table: TableMaker) -> None:
    old = [OldColumn(name) for name in OLD_AVOCADO]
    table = make_table(*NEW_AVOCADO)
    sure = correspond(old, table, cut=0.9)
    assert set(sure) < set(correspond(old, table))
    assert all(pair.probability >= 0.9 for pair in sure)


def test_renames_names_only_what_changed() -> None:
    same, other = Correspondence("a", "a", 1.0, ""), Correspondence("B", "b", 0.9, "")
    assert renames([same, other]) == {"b": "B"}
