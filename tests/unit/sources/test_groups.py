"""Groups: which paths follow a pattern, how the members' columns fit, and who is left out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from lakebook.sources.card import (
    Column,
    ColumnType,
    MemberSchema,
    Quantile,
    SourceCard,
    SourceGroup,
    SourceUnit,
    ValueCount,
)
from lakebook.sources.groups import MEMBER_COLUMN, find_groups
from lakebook.sources.naming import name_groups

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
CITIES = [f"city {n}" for n in range(30)]


def number(name: str, scale: float = 1.0, kind: ColumnType = "number", seed: int = 0) -> Column:
    """A column of 40 numbers with a distribution of its own, as a card shows it."""
    values = np.random.default_rng(seed + len(name)).gamma(3, 10, 40) * scale
    quantiles = tuple(Quantile(share, str(np.quantile(values, share))) for share in SHARES)
    return Column(
        name, name, kind, "measure", 0, 40, min=str(values.min()), max=str(values.max()), quantiles=quantiles
    )


def text(name: str, labels: Sequence[str] = CITIES) -> Column:
    values = tuple(ValueCount(label, 1) for label in labels)
    return Column(name, name, "text", "category", 0, len(labels), values=values, values_complete=True)


def date(name: str, first: str, last: str) -> Column:
    return Column(name, name, "date", "time", 0, 40, min=first, max=last)


def plain(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, name, "integer", "measure", 0, 10) for name in names)


def card(path: str, *columns: Column, table: str = "t", kind: str = "csv") -> SourceCard:
    unit = SourceUnit("", "table", table, rows=40, rows_in_file=40, columns=columns)
    return SourceCard(path, "ok", kind, 1, "0" * 64, units=(unit,))


def patterns(*cards: SourceCard) -> dict[str, tuple[str, ...]]:
    return {group.id: group.members for group in find_groups(cards)}


def only(*cards: SourceCard) -> SourceGroup:
    (group,) = find_groups(cards)
    return group


def schemas(group: SourceGroup) -> Mapping[str, MemberSchema]:
    return {schema.member: schema for schema in group.schemas}


A, B, C = plain("city", "year", "price"), plain("city", "year", "rent"), plain("q", "r", "s")


@pytest.mark.parametrize(
    ("paths", "expected", "values"),
    [
        (("h/2015.csv", "h/2016.csv.gz"), "h/{date}.csv", ("2015", "2016")),
        (("a-2019-01.csv", "a-2019-02.csv"), "a-{date}.csv", ("2019-01", "2019-02")),
        (("s_20190131.csv", "s_20190228.csv"), "s_{date}.csv", ("20190131", "20190228")),
        (("s_2019Q1.csv", "s_2019Q2.csv"), "s_{date}.csv", ("2019Q1", "2019Q2")),
        (("s_q1.csv", "s_q2.csv"), "s_{quarter}.csv", ("q1", "q2")),
        (("s_jan.csv", "s_Feb.csv"), "s_{month}.csv", ("Feb", "jan")),
        (("part1.csv", "part2.csv", "part10.csv"), "part{n}.csv", ("1", "10", "2")),
        (("2019/data.csv", "2020/data.csv"), "{date}/data.csv", ("2019", "2020")),
        (("s_2019.csv", "s_2020.parquet"), "s_{date}.*", ("2019", "2020")),
        (("n_1.csv", "n_2.csv", "n_1999.csv", "n_3.csv"), "n_{n}.csv", ("1", "1999", "2", "3")),
        (("s_2019_1.csv", "s_2019_2.csv", "s_2020_1.csv"), "s_{date}_{n}.csv",
         ("2019-1", "2019-2", "2020-1")),
        (("sale_w.csv", "sale_e.csv", "sale_e_x.csv"), "sale_{name}.csv", ("e", "e_x", "w")),
        (("x_report.csv", "y_report.csv", "z_report.csv"), "{name}_report.csv", ("x", "y", "z")),
        (("north/sales.csv", "south/sales.csv"), "{name}/sales.csv", ("north", "south")),
    ],
)  # fmt: skip
def test_paths_of_one_pattern(paths: Sequence[str], expected: str, values: Sequence[str]) -> None:
    group = only(*(card(path, *A) for path in paths))
    assert group.id == expected
    assert group.members == tuple(sorted(paths))
    assert tuple(schema.value for schema in group.schemas) == values
    assert group.kind == "pattern"


def test_partitions_are_one_source_whose_key_becomes_a_column() -> None:
    group = only(
        card("d/year=2020/part-0.parquet", *plain("a", "b")),
        card("d/year=2021/part-7f3a9c12.parquet", *plain("a", "b", "c")),
    )
    assert group.id == "d/year={year}/part-{n}.parquet"
    assert group.member_column == "year"
    assert group.columns == ("a", "b", "c")
    assert [schema.value for schema in group.schemas] == ["2020", "2021"]
    assert schemas(group)["d/year=2020/part-0.parquet"].missing == ("c",)
    assert schemas(group)["d/year=2021/part-7f3a9c12.parquet"].extra == ("c",)


def test_several_partition_keys_and_a_constant_one() -> None:
    paths = [f"d/v=1/year={y}/month={m}/x.csv" for y in (2020, 2021) for m in ("01", "02")]
    group = only(*(card(path, *A) for path in paths))
    assert group.member_column == "year_month"
    assert [schema.value for schema in group.schemas] == ["2020/01", "2020/02", "2021/01", "2021/02"]


def test_a_member_column_never_hides_a_column() -> None:
    one, two = (card(f"d/Price={n}/x.csv", *A) for n in (1, 2))
    assert only(one, two).member_column == MEMBER_COLUMN
    taken = plain("a", "b", "SOURCE_MEMBER")
    assert only(card("s_2019.csv", *taken), card("s_2020.csv", *taken)).member_column == f"{MEMBER_COLUMN}_2"


def test_one_month_in_two_formats_is_not_two_parts() -> None:
    cards = [card(f"s_{year}.{kind}", *A) for year in (2019, 2020) for kind in ("csv", "parquet")]
    assert set(patterns(*cards)) == {"s_{date}.csv", "s_{date}.parquet"}


@pytest.mark.parametrize(
    "cards",
    [
        [card("sales_north.csv", *A), card("sales_south.csv", *B)],  # two names prove nothing
        [card("mmc1.csv", *A), card("mmc2.csv", *C)],
        [card("sales_a.csv", *A), card("sales_b.csv", *C), card("sales_c.csv", *plain("k", "l", "m"))],
        [card("north/sales.csv", *A), card("south/sales.csv", *C)],
        [card(f"{name}.geojson", *A[:1], *plain(name, f"{name}_2")) for name in ("a", "b", "c")],
        [card(f"sales_{name}.csv", *plain("id", "value")) for name in ("a", "b", "c")],
        [card(f"{kind}/sales.{kind}", *A[:1], *plain("id", kind)) for kind in ("csv", "parquet")],
        [card(f"{name}.csv", *plain("column_1", "column_2", "column_3")) for name in ("glass", "wine")],
        [card(f"{name}.csv", *plain("Unnamed: 0", "Unnamed: 1", "id")) for name in ("glass", "wine")],
        [card(f"{name}.json", *plain("id", "geometry_type", "west", "east")) for name in ("lines", "states")],
        [card("regions.csv", *plain("id", "name", "code")), card("cities.csv", *plain("id", "name", "url"))],
        [card("s_1.csv", *plain("column_1", "column_2")), card("s_2.csv", *plain("column_1"))],
        [card("a.csv", *A), card("b.csv", *C)],
        [card("a.csv", *A)],
    ],
)
def test_no_group(cards: list[SourceCard]) -> None:
    assert patterns(*cards) == {}


def test_equal_tables_of_one_folder() -> None:
    group = only(card("d/alpha.csv", *A), card("d/beta.csv", *reversed(A)), card("e/gamma.csv", *A))
    assert (group.kind, group.members) == ("compatible", ("d/alpha.csv", "d/beta.csv"))
    assert [schema.value for schema in group.schemas] == ["alpha", "beta"]


OLD = (
    text("Country"),
    number("Happiness Rank", 3),
    number("Happiness Score"),
    number("Family", 0.2),
    number("Health (Life Expectancy)", 0.1),
    number("Generosity", 0.05),
)
NEW = (
    text("Country or region"),
    number("Overall rank", 3, seed=2),
    number("Score", seed=10),
    number("Social support", 0.2, seed=-8),
    number("Healthy life expectancy", 0.1, seed=1),
    number("Generosity", 0.05),
)


def test_drifted_names_are_joined_with_score_and_reason() -> None:
    group = only(
        card("h/2017.csv", *OLD, text("Region", CITIES[:9])),
        card("h/2018.csv", *NEW),
        card("h/2019.csv", *NEW),
    )
    assert group.columns == (*(column.name for column in NEW), "Region")
    drifted = schemas(group)["h/2017.csv"]
    assert {pair.name: pair.group_name for pair in drifted.renamed} == {
        old.name: new.name for old, new in zip(OLD, NEW, strict=True) if old.name != new.name
    }
    assert all(0.5 <= pair.score < 1 and pair.reason for pair in drifted.renamed)
    assert drifted.extra == ("Region",)
    assert schemas(group)["h/2019.csv"].missing == ("Region",)
    assert schemas(group)["h/2019.csv"].renamed == ()


def test_drifted_names_are_joined_without_a_pattern_too() -> None:
    group = only(card("d/alpha.csv", *OLD), card("d/beta.csv", *NEW))
    assert group.kind == "compatible"
    assert "correspond" in group.why


def test_the_order_of_the_cards_plays_no_part() -> None:
    cards = [
        card("h/2017.csv", *OLD),
        card("h/2018.csv", *NEW),
        card("h/2019.csv", *NEW[:5]),
        card("h/x.csv", *C),
    ]
    expected = find_groups(cards)
    for order in itertools.permutations(cards):
        assert find_groups(order) == expected


def test_a_doubtful_column_stays_its_own() -> None:
    same = (text("city"), number("price"), number("units", 7))
    group = only(
        card("w_2019.csv", *same, number("temp", 0.3)),
        card("w_2020.csv", *same, number("low_temp", 0.2), number("high_temp", 0.5, seed=4)),
    )
    (schema,) = [one for one in group.schemas if "temp" in one.extra]
    assert schema.renamed == ()
    assert {"low_temp", "high_temp", "temp"} <= set(group.columns)
    (refused,) = [seen for one in group.schemas for seen in one.refused]
    assert "perhaps" in refused[1]


def test_an_equal_name_in_another_unit_is_not_joined() -> None:
    cards = [card(f"s_{year}.csv", text("city"), number("sales"), number("rent", 4)) for year in (2018, 2019)]
    group = only(*cards, card("s_2020.csv", text("city"), number("sales", 1000), number("rent", 4)))
    jumped = schemas(group)["s_2020.csv"]
    assert jumped.missing == ("sales",)
    assert [name for name, _ in jumped.refused] == ["sales"]
    assert "1000 times" in jumped.refused[0][1]
    assert schemas(group)["s_2019.csv"].refused == ()


def test_a_changed_type_is_listed() -> None:
    whole = number("sales", kind="integer")
    group = only(card("s_2019.csv", text("city"), whole), card("s_2020.csv", text("city"), number("sales")))
    assert schemas(group)["s_2019.csv"].retyped == (("sales", "number", "integer"),)
    assert schemas(group)["s_2020.csv"].retyped == ()


def test_a_file_that_does_not_fit_is_left_out_with_the_reason() -> None:
    group = only(card("s_2018.csv", *A), card("s_2019.csv", *A), card("s_2020.csv", *C))
    assert group.members == ("s_2018.csv", "s_2019.csv")
    assert group.left_out == (("s_2020.csv", "0 of its 3 columns have a partner in the group"),)
    twins = card("s_2021.csv", *plain("city", "City", "price"))
    assert "case alone" in only(card("s_2018.csv", *A), card("s_2019.csv", *A), twins).left_out[0][1]


def test_years_that_do_not_fit_are_a_group_that_is_not_read_as_one_table() -> None:
    group = only(card("h/2015.csv", *A), card("h/2016.csv", *C))
    assert (group.table, group.schemas, group.columns) == ("", (), ())
    assert "too little in common" in group.why


def test_versions_that_overlap_in_time_are_told() -> None:
    def version(year: int, first: str, last: str) -> SourceCard:
        return card(f"s_{year}.csv", date("day", first, last), *plain("a", "b"))

    overlapping = only(version(2018, "2015-01-01", "2018-03-01"), version(2020, "2015-01-01", "2020-05-01"))
    assert "twice" in overlapping.why
    parts = only(version(2018, "2018-01-01", "2018-12-31"), version(2019, "2019-01-01", "2019-12-31"))
    assert "twice" not in parts.why


def test_inside_files() -> None:
    units = tuple(SourceUnit(name, "table", name, columns=C) for name in ("2019", "2020"))
    for kind, expected in (
        ("workbook", "workbook"),
        ("sqlite", "database"),
        ("duckdb", "database"),
        ("zip", "archive"),
    ):
        found = find_groups([SourceCard("book.x", "ok", kind, 1, "0" * 64, units=units)])
        assert {group.kind for group in found} == {expected, "pattern"}
        assert found[-1].id == "book.x#{date}"
        assert found[-1].members == ("book.x#2019", "book.x#2020")


def test_names_of_group_tables_are_unique_in_the_lake() -> None:
    cards = [
        card("sales_2019.csv", *A, table="sales_2019"),
        card("sales_2020.csv", *A, table="sales_2020"),
        card("old/sales_2001.csv", *A, table="sales_2001"),
        card("old/sales_2002.csv", *A, table="sales_2002"),
        card("h/2015.csv", *A, table="h"),
        card("h/2016.csv", *A, table="t_2016"),
    ]
    assert {group.id: group.table for group in find_groups(cards)} == {
        "h/{date}.csv": "all_h",
        "old/sales_{date}.csv": "sales",
        "sales_{date}.csv": "all_sales",
    }


def test_a_group_that_is_not_a_table_gets_no_name() -> None:
    group = SourceGroup("a", "workbook", ("x", "y"))
    assert name_groups([group], []) == [group]
    clash = SourceGroup("{date}.csv", "pattern", ("x", "y"), table="?")
    assert [one.table for one in name_groups([clash], ["all_files"])] == ["all_files_2"]


def units(path: str, **columns: Sequence[Column]) -> SourceCard:
    found = tuple(
        SourceUnit(name, "table", name, rows=40, rows_in_file=40, columns=tuple(has))
        for name, has in columns.items()
    )
    return SourceCard(path, "ok", "workbook", 1, "0" * 64, units=found)


def test_tables_of_one_file_with_other_columns_are_other_things() -> None:
    part = OLD[:5]
    assert set(patterns(units("d/b.xlsx", everything=OLD, selection=part))) == {"d/b.xlsx"}
    assert set(patterns(card("d/alpha.csv", *OLD), card("d/beta.csv", *part))) == {"d/{like alpha.csv}"}
    alike = set(patterns(units("d/b.xlsx", first=A, second=A)))
    assert alike == {"d/b.xlsx", "d/{like first}"}


def test_units_that_are_called_alike_are_named_by_what_varies() -> None:
    book = units("d/sales_all.xlsx", sales_north=A, sales_south=A, sales_west=A)
    group = next(group for group in find_groups([book]) if group.kind == "pattern")
    assert group.id == "d/sales_all.xlsx#sales_{name}"
    assert [schema.value for schema in group.schemas] == ["north", "south", "west"]
    tables = units("d/doc.docx", **{f"table {n}: {name}": A for n, name in enumerate(("a", "b", "c"))})
    assert "pattern" not in {group.kind for group in find_groups([tables])}


def test_the_suffix_stays_with_the_unit() -> None:
    archive = units("a.zip", **{f"d/s_{year}.csv": A for year in (2019, 2020)})
    assert {group.id for group in find_groups([archive])} == {"a.zip", "a.zip#d/s_{date}.csv"} - {"a.zip"} | {
        "a.zip"
    }


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("r/de.geo.json", "r/fr.geo.json", "r/it.geo.json"), "r/{name}.geo.json"),
        (("s_a.xlsx", "s_b.xlsx", "sale_c.xlsx", "s_d.xlsx"), ""),
        (("sale_a.csv.gz", "sale_b.csv", "sale_c.csv"), "sale_{name}.csv"),
    ],
)
def test_the_kind_of_a_file_is_no_shared_word(paths: Sequence[str], expected: str) -> None:
    found = [group.id for group in find_groups([card(path, *A) for path in paths]) if group.kind == "pattern"]
    assert found == ([expected] if expected else [])


def test_copies_are_told_and_not_read_as_one_table() -> None:
    copies = [card(f"h-{n}/x.csv", text("city"), number("price")) for n in (1, 2)]
    group = only(*copies)
    assert (group.table, group.schemas) == ("", ())
    assert "copies" in group.why
    more = only(*copies, card("h-3/x.csv", text("city"), number("price", seed=5)))
    assert more.table
    assert "h-2/x.csv holds the same values as h-1/x.csv" in more.why
    assert (
        "same values" not in only(card("s_1.csv", *A), card("s_2.csv", *A)).why
    )  # nothing known of the values


def test_a_file_of_the_pattern_that_was_not_read_is_left_out_with_the_reason() -> None:
    cards = [card(f"d/s_{year}.csv", *A) for year in (2018, 2019)]
    failed = SourceCard("d/s_2020.csv.gz", "failed", "csv", 1, "0" * 64, reason="the gzip stream ends early")
    others = [
        SourceCard(path, "failed", "csv", 1, "0" * 64, reason="empty")
        for path in ("d/s_all.csv", "s_2020.csv", "d/s_2020.csv.md", "d/s_2020.csv/x.csv")
    ]
    group = only(*cards, failed, *others)
    assert group.left_out == (("d/s_2020.csv.gz", "could not be read: the gzip stream ends early"),)
    partition = [card(f"d/year={year}/x.parquet", *A) for year in (2018, 2019)]
    broken = SourceCard("d/year=2020/y.parquet", "failed", "parquet", 1, "0" * 64, reason="no footer")
    same = SourceCard("d/year=2020/x.parquet", "failed", "parquet", 1, "0" * 64, reason="no footer")
    assert [name for name, _ in only(*partition, broken, same).left_out] == ["d/year=2020/x.parquet"]


def test_many_sets_of_columns_are_not_compared_and_that_is_said() -> None:
    odd = [card(f"d/{'abcdefghij'[n % 10]}{n}x.csv", *plain(f"k{n}", f"l{n}", f"m{n}")) for n in range(31)]
    group = next(
        group for group in find_groups([*odd, card("d/one.csv", *A), card("d/two.csv", *A)]) if group.table
    )
    assert "32 different sets of columns in the folder were not compared" in group.why


def test_place_alone_does_not_join_columns_of_tables_in_one_file() -> None:
    def table(name: str, seed: int) -> tuple[Column, ...]:
        return (text("city"), number("price"), number(name, 0.3, seed=seed), number("units", 7), text("shop"))

    def renamed(group: SourceGroup) -> set[str]:
        return {pair.group_name for schema in group.schemas for pair in schema.renamed}

    one, two = table("generosity", 0), table("qualifier", 0)
    apart = only(card("s_2019.csv", *one), card("s_2020.csv", *two))
    book = find_groups([units("b.xlsx", **{"2019": one, "2020": two})])
    together = next(group for group in book if group.kind == "pattern")
    assert renamed(together) == set()
    assert renamed(apart) == {"qualifier"}
    assert renamed(only(card("alpha.csv", *one), card("beta.csv", *two))) == set()


def test_numbered_parts_of_one_file_without_names_of_columns_are_nothing() -> None:
    nameless = plain("column_1", "column_2")
    pages = units("a.pdf", **{f"page {n} table 1": nameless for n in (1, 2)})
    assert [group for group in find_groups([pages]) if group.kind == "pattern"] == []
    assert only(card("omni_1.dat", *nameless), card("omni_2.dat", *nameless)).table == "omni"
