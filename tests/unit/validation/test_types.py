"""Text against numbers, numbers that sort as text, and casts that fail, lose values or leading zeros."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.validation.numeric_text import disorder, is_missing, looks_numeric, marks, number

Said = Callable[[str, str], tuple[Finding, ...]]


@pytest.mark.parametrize(
    ("condition", "action"),
    [
        ("state = 5", "reject"),
        ("5 = state", "reject"),
        ("gender in (1, 2)", "reject"),
        ("level = 7", "advise"),
        ("id = '7'", "advise"),
        ("discount > '0.5'", "advise"),
        ("id between '3' and '9'", "advise"),
        ("id = '7.5'", "advise"),
        ("id = 'seven'", "reject"),
        ("id <> ''", "reject"),
        ("day = '31/01/2024'", "reject"),
        ("day > '2024'", "reject"),
        ("day <= '2024-13-31'", "reject"),
        ("sold_at < '2023/02/29'", "reject"),
    ],
)
def test_b5_speaks_on_types_that_differ(said: Said, condition: str, action: str) -> None:
    findings = said(f"select count(*) from shop where {condition}", "B5")
    assert {finding.action for finding in findings} == {action}


@pytest.mark.parametrize(
    "condition",
    [
        "id = 7",
        "state = '5'",
        "level = '7'",
        "day >= '2024-01-31'",
        "day >= '2024-02-29'",
        "day < 'infinity'",
        "sold_at < '2024-02-01 08:00'",
        "day = date '2024-01-03'",
        "day::varchar like '2024%'",
        "cast(level as varchar) = '7'",
        "length(state) = 2",
        "year(day) = 2024",
    ],
)
def test_b5_is_silent_on_types_that_fit(said: Said, condition: str) -> None:
    assert said(f"select count(*) from shop where {condition}", "B5") == ()


@pytest.mark.parametrize(
    ("sql", "action"),
    [
        ("select max(level) from shop where id <> 17", "advise"),
        ("select min(level), count(*) from shop", "advise"),
        ("select id, level from shop order by level limit 3", "reject"),
        ("select id, level as l from shop order by l desc, id limit 3", "reject"),
        ("select level, count(*) from shop group by level order by level", "advise"),
        ("select count(*) from shop where level > '9'", "advise"),
        ("select count(*) from shop where level between '10' and '30'", "advise"),
    ],
)
def test_b6_speaks_where_numbers_sort_as_text(said: Said, sql: str, action: str) -> None:
    (finding,) = said(sql, "B6")
    assert finding.action == action
    assert "sorts before" in finding.observed
    assert finding.values


@pytest.mark.parametrize(
    "sql",
    [
        "select max(id) from shop",
        "select max(try_cast(level as int)) from shop",
        "select min(zip) from shop",
        "select zip from shop order by zip limit 2",
        "select max(state) from shop",
        "select state from shop order by state limit 3",
        "select count(*) from shop where state > 'M'",
        "select count(*) from shop order by count(*)",
    ],
)
def test_b6_is_silent_on_numbers_and_on_text_that_sorts_well(said: Said, sql: str) -> None:
    assert said(sql, "B6") == ()


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(cast(price as double)) from shop",
        "select sum(price::double) from shop",
        "select sum(cast(replace(price, ',', '') as double)) from shop",
        "select sum(p) from (select cast(price as double) p from shop)",
        "select sum(cast(price as double)) from shop where price <> '$15'",
        "select strptime(note, '%Y') from shop",
        "select id from shop where cast(price as double) > 3",
    ],
)
def test_b7_rejects_a_cast_that_fails(said: Said, sql: str) -> None:
    (finding,) = said(sql, "B7")
    assert finding.action == "reject"
    assert finding.values


def test_b7_names_what_is_in_the_way(said: Said) -> None:
    (finding,) = said("select sum(cast(price as double)) from shop", "B7")
    assert "thousands separators, currency signs" in finding.message
    assert set(finding.values) == {"'1,200'", "'$15'", "'n/a*'"}


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(cast(zip as int)) from shop",
        "select sum(try_cast(price as double)) from shop",
        "select sum(cast(price as double)) from shop where price in ('12', '7.5')",
        "select sum(case when id % 5 = 2 then cast(price as double) end) from shop",
        "select cast(id as varchar) from shop",
        "select sum(cast(level as int)) from shop where id <> 17",
    ],
)
def test_b7_is_silent_where_the_cast_reads_all_it_meets(said: Said, sql: str) -> None:
    assert said(sql, "B7") == ()


@pytest.mark.parametrize(
    ("sql", "lost"),
    [
        ("select sum(try_cast(price as double)) from shop", "'1,200' in 8"),
        ("select avg(try_cast(replace(price, ',', '') as double)) from shop", "'$15' in 8"),
        ("select max(try_cast(level as int)) from shop", "'top' in 1"),
        ("select count(*) from shop where try_cast(gender as boolean)", "'Male' in 20"),
        ("select max(try_strptime(note, '%d/%m/%Y')) from shop", "'Love it' in 10"),
    ],
)
def test_b8_lists_the_values_that_a_cast_loses(said: Said, sql: str, lost: str) -> None:
    (finding,) = said(sql, "B8")
    assert finding.action == "advise"
    assert lost in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(try_cast(zip as int)) from shop",
        "select max(try_cast(level as int)) from shop where level <> 'top'",
        "select max(try_cast(level as int)) from shop where id < 17",
        "select max(try_cast(level as int)) from shop where try_cast(level as int) is not null",
        "select sum(coalesce(try_cast(level as int), 0)) from shop",
        "select sum(try_cast(nullif(level, 'top') as int)) from shop",
        "select try_cast(mark as int) from marks",
    ],
)
def test_b8_is_silent_where_nothing_is_lost_or_the_query_looks(said: Said, sql: str) -> None:
    assert said(sql, "B8") == ()


@pytest.mark.parametrize(
    "sql", ["select cast(zip as int) z, count(*) from shop group by 1", "select zip::int from shop"]
)
def test_b11_speaks_where_a_code_loses_its_zeros(said: Said, sql: str) -> None:
    (finding,) = said(sql, "B11")
    assert finding.action == "advise"
    assert "'01000'" in finding.values


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from shop where cast(zip as int) = 1000",
        "select cast(level as int) from shop where id <> 17",
        "select a.id from shop a join shop b on cast(a.zip as int) = b.id",
        "select zip from shop order by cast(zip as int)",
    ],
)
def test_b11_is_silent_in_comparisons_and_on_quantities(said: Said, sql: str) -> None:
    assert said(sql, "B11") == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1,200", 1200.0),
        ("-$5.50", -5.5),
        ("12%", 12.0),
        ("90 min", 90.0),
        (" 7 ", 7.0),
        ("a1", None),
        ("", None),
    ],
)
def test_numbers_are_read_with_what_files_put_around_them(value: str, expected: float | None) -> None:
    assert number(value) == expected
    assert looks_numeric(value) == (expected is not None)


def test_disorder_is_told_only_within_one_unit() -> None:
    assert disorder(["9", "10", "100"]) == ("100", "9")
    assert disorder(["2 m", "10 km", "1 m"]) is None
    assert disorder(["01", "02", "10"]) is None
    assert disorder(["2019", "2020", "x"]) is None


def test_marks_and_words_for_none() -> None:
    assert marks(["1,200", "3*"]) == ("thousands separators", "footnote marks")
    assert marks(["1,5"]) == ("decimal commas",)
    assert marks(["12"]) == ()
    assert [is_missing(value) for value in ("N/A", " - ", "", "none", "0", "west")] == [True] * 4 + [
        False
    ] * 2
