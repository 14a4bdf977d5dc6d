"""Whether the data hold a filter value, and how it is written there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import duckdb
import pytest
from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.sources.card import ValueCount
from lakebook.validation.knowledge import Enumeration, Knowledge, Presence
from lakebook.validation.patterns import spelling, spelt_like
from lakebook.validation.statement import text

Checked = Callable[..., tuple[Finding, ...]]
Said = Callable[[str, str], tuple[Finding, ...]]


@pytest.mark.parametrize(
    ("sql", "near"),
    [
        ("select 1 from flights where carrier = 'DL'", ""),
        ("select 1 from flights where origin = 'JFX'", "JFK"),
        ("select 1 from flights where 'XX' = carrier", ""),
        ("select 1 from flights where carrier in ('ZZ', 'YY')", ""),
        ("select 1 from flights where origin in ('EWR', 'JFX')", "JFK"),
        ("select 1 from flights where carrier = any(['QQ'])", ""),
        ("select 1 from flights where list_contains(['QQ'], carrier)", ""),
        ("select 1 from flights where carrier is not distinct from 'QQ'", ""),
        ("select 1 from flights where origin like 'JFX'", "JFK"),
        ("select case origin when 'JFX' then 1 end from flights", "JFK"),
        ("select iif(origin = 'JFX', 1, 0) from flights", "JFK"),
        ("select 1 from airlines a left join flights f on a.carrier = f.carrier and f.origin = 'JFX'", "JFK"),
        ("select 1 from airlines where carrier in (select carrier from flights where origin = 'JFX')", "JFK"),
        ("select 1 from (select carrier from flights where origin = 'EWR') q where carrier = 'QQ'", ""),
        ("select sum(case when origin = 'LAG' then 1 end) from flights", "LGA"),
        ("select count(*) filter (where origin = 'EWK') from flights", "EWR"),
        ("with m as (select carrier c from flights) select 1 from m where c = 'QQ'", ""),
        ("select 1 from (select * from flights) q where q.carrier = 'QQ'", ""),
        ("select carrier from flights group by carrier having carrier = 'QQ'", ""),
    ],
)
def test_f1_rejects_a_value_that_a_complete_listing_lacks(found: Checked, sql: str, near: str) -> None:
    finding = found(sql, "F1")[0]
    assert finding.action == "reject"
    assert near in finding.hint
    assert not near or repr(near) in finding.values
    assert "none of 1,000 rows" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights where carrier = 'AA'",
        "select 1 from flights where carrier in ('AA', 'UA')",
        "select 1 from flights where carrier not in ('AA')",
        "select 1 from flights where lower(carrier) = 'zz'",
        "select 1 from flights where carrier = tailnum",
        "select 1 from flights where carrier like 'Z%'",
        "select 1 from flights where carrier > 'Z'",
        "select upper(carrier) c from flights where c = 'ZZ'",
        "select 1 from (select upper(carrier) carrier from flights) q where carrier = 'ZZ'",
    ],
)
def test_f1_and_f2_are_silent_on_values_that_are_there_or_computed(found: Checked, sql: str) -> None:
    assert found(sql, "F1") == ()
    assert found(sql, "F2") == ()


def test_f1_only_advises_where_rows_were_rejected(found: Checked, knowledge: Knowledge) -> None:
    sql = "select 1 from partly where city = 'Lima'"
    assert [finding.action for finding in found(sql, "F1")] == ["not_checked"]
    knowledge.learn_presence("partly", "city = 'Lima'", Presence(0))
    (finding,) = found(sql, "F1")
    assert finding.action == "advise"
    assert "3 rows of the file could not be loaded" in finding.observed


def test_f1_says_not_checked_without_evidence_and_uses_a_count_when_there_is_one(
    found: Checked, knowledge: Knowledge
) -> None:
    sql = "select 1 from flights where tailnum = 'N1'"
    assert [finding.action for finding in found(sql, "F1")] == ["not_checked"]
    knowledge.learn_presence("flights", "tailnum = 'N1'", Presence(4))
    assert found(sql, "F1") == ()
    knowledge.learn_presence("flights", "tailnum = 'N1'", Presence(0, ("N11", "N12")))
    (finding,) = found(sql, "F1")
    assert finding.action == "reject"
    assert "'N11'" in finding.hint


def test_an_earlier_probe_serves_a_later_query(found: Checked, knowledge: Knowledge) -> None:
    sql = "select 1 from planes where maker = 'Boing'"
    assert [finding.action for finding in found(sql, "F1")] == ["not_checked"]
    knowledge.learn_values("planes", "maker", Enumeration((ValueCount("Boeing", 9),), complete=True))
    (finding,) = found(sql, "F1")
    assert (finding.action, finding.hint) == ("reject", "Nearest: 'Boeing'.")


def test_a_partial_preview_never_rejects(found: Checked, knowledge: Knowledge) -> None:
    knowledge.learn_values("planes", "maker", Enumeration((ValueCount("Boeing", 9),), complete=False))
    assert [one.action for one in found("select 1 from planes where maker = 'Airbus'", "F1")] == [
        "not_checked"
    ]


@pytest.mark.parametrize("sql", ["carrier <> 'DL'", "carrier not in ('DL')", "not carrier = 'DL'"])
def test_f1_advises_on_an_exclusion_that_excludes_nothing(found: Checked, sql: str) -> None:
    (finding,) = found(f"select 1 from flights where {sql}", "F1")
    assert finding.action == "advise"
    assert "excludes nothing" in finding.message


@pytest.mark.parametrize("written", ["'aa'", "' AA '", "'Aa'", "'ＡＡ'"])
def test_f2_names_the_spelling_that_is_there(found: Checked, written: str) -> None:
    sql = f"select 1 from flights where carrier = {written}"
    (finding,) = found(sql, "F2")
    assert finding.action == "reject"
    assert finding.hint == "Write 'AA'."
    assert found(sql, "F1") == ()


def test_f1_only_advises_on_a_value_beside_others_that_are_there(found: Checked) -> None:
    (finding,) = found("select 1 from flights where carrier in ('AA', 'ZZ')", "F1")
    assert finding.action == "advise"


def test_a_list_that_names_the_spelling_that_is_there_is_no_mistake(found: Checked) -> None:
    assert found("select 1 from flights where origin in ('JFK', 'jfk')", "F2") == ()


@pytest.mark.parametrize(
    ("condition", "others"),
    [
        ("state = 'MA'", ["'ma'"]),
        ("state <> 'MA'", ["'ma'"]),
        ("state in ('MA', 'NY')", ["'ma'"]),
    ],
)
def test_f3_tells_the_spellings_that_a_filter_leaves_out(
    said: Said, condition: str, others: list[str]
) -> None:
    (finding,) = said(f"select count(*) from shop where {condition}", "F3")
    assert finding.action == "advise"
    assert list(finding.values) == others
    assert "in 8 rows" in finding.observed


def test_f3_tells_the_spellings_that_become_groups(said: Said) -> None:
    for sql in (
        "select state, count(*) from shop group by state",
        "select state, count(*) from shop group by 1",
        "select state as place, count(*) from shop group by place",
        "select state, count(*) from shop group by all",
        "select count(distinct state) from shop",
    ):
        (finding,) = said(sql, "F3")
        assert "'MA' and 'ma'" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from shop where state in ('MA', 'ma')",
        "select count(*) from shop where state = 'MA' or state = 'ma'",
        "select count(*) from shop where lower(state) = 'ma'",
        "select count(*) from shop where state = 'NY'",
        "select upper(state), count(*) from shop group by upper(state)",
        "select gender, count(*) from shop group by gender",
    ],
)
def test_f3_is_silent_where_spellings_are_named_folded_or_not_there(said: Said, sql: str) -> None:
    assert said(sql, "F3") == ()


def test_f17_rejects_a_list_that_repeats_a_cut_listing(found: Checked, knowledge: Knowledge) -> None:
    listed = tuple(ValueCount(f"N{number}", 9 - number) for number in range(5))
    knowledge.learn_values("planes", "maker", Enumeration(listed, complete=False))
    table = knowledge.tables["planes"]
    many = tuple(replace(one, distinct=90) if one.name == "maker" else one for one in table.columns)
    knowledge.tables["planes"] = replace(table, columns=many)
    values = ", ".join(f"'{value.value}'" for value in listed)
    (finding,) = found(f"select 1 from planes where maker in ({values})", "F17")
    assert finding.action == "reject"
    assert found("select 1 from planes where maker in ('N0', 'N1', 'N2')", "F17") == ()
    knowledge.tables["planes"] = replace(table, columns=tuple(replace(one, distinct=5) for one in many))
    assert found(f"select 1 from planes where maker in ({values})", "F17") == ()


@pytest.mark.parametrize("value", ["Mass.", "MASS", " mass ", "Máss", "Mass\u00a0"])
def test_spellings_of_one_category_are_equal_here_and_in_sql(value: str) -> None:
    assert spelling(value) == "mass"
    with duckdb.connect() as engine:
        engine.execute("create table t as select $value as v", {"value": value})
        condition = text(spelt_like(exp.column("v"), "mass"))
        assert engine.sql("from t").filter(condition).fetchall() == [(value,)]


@pytest.mark.parametrize(("one", "other"), [("3.5", "35"), ("A1", "A2"), ("-5", "5"), ("St. 1", "St 1")])
def test_signs_beside_digits_are_kept(one: str, other: str) -> None:
    assert spelling(one) != spelling(other)


@pytest.mark.parametrize(
    ("condition", "action"),
    [
        ("lower(gender) = 'Male'", "reject"),
        ("upper(gender) = 'MALES'", "reject"),
        ("year(day) = 2023", "reject"),
        ("extract(month from day) = 12", "reject"),
        ("strftime(day, '%Y') in ('2019')", "reject"),
        ("strftime(day, '%Y') in ('2019', '2024')", "advise"),
        ("left(zip, 1) = '7'", "reject"),
    ],
)
def test_f1_counts_what_functions_of_a_column_give(said: Said, condition: str, action: str) -> None:
    (finding,) = said(f"select count(*) from shop where {condition}", "F1")
    assert finding.action == action


@pytest.mark.parametrize(
    "condition",
    [
        "lower(gender) = 'male'",
        "year(day) = 2024",
        "strftime(day, '%Y-%m') = '2024-01'",
        "not lower(gender) = 'x'",
        "lower(gender) <> 'x'",
        "id % 7 = 9",
        "lower(gender) = 'x' or id > 3",
    ],
)
def test_f1_is_silent_on_what_functions_do_give_and_on_alternatives(said: Said, condition: str) -> None:
    assert said(f"select count(*) from shop where {condition}", "F1") == ()


def test_f1_is_silent_on_the_columns_of_a_pivot_but_not_on_years_past_the_data(said: Said) -> None:
    assert said("select sum(case when month(day) = 12 then 1 end) from shop", "F1") == ()
    (finding,) = said("select count(*) filter (where year(day) = 1999) from shop", "F1")
    assert finding.action == "advise"


def test_f17_tells_the_first_of_a_listing_from_the_most_frequent(
    found: Checked, knowledge: Knowledge
) -> None:
    def learn(rows: list[int]) -> str:
        listed = tuple(ValueCount(f"N{at}", count) for at, count in enumerate(rows))
        knowledge.enumerations.clear()
        knowledge.learn_values("planes", "maker", Enumeration(listed, complete=False))
        return ", ".join(f"'N{at}'" for at in range(10))

    table = knowledge.tables["planes"]
    many = tuple(replace(one, distinct=90) if one.name == "maker" else one for one in table.columns)
    knowledge.tables["planes"] = replace(table, columns=many)
    ties, ranked = [2] * 30, [40 - at for at in range(30)]
    (finding,) = found(f"select 1 from planes where maker in ({learn(ties)})", "F17")
    assert finding.action == "reject"
    assert found(f"select 1 from planes where maker in ({learn(ranked)})", "F17") == ()


def test_f2_reads_a_constant_that_is_put_in_one_letter_case(found: Checked) -> None:
    (finding,) = found("select count(*) filter (where origin = lower('JFK')) from flights", "F2")
    assert finding.hint == "Write 'JFK'."
    assert found("select 1 from flights where origin = upper('jfk')", "F2") == ()
