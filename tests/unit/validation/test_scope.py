"""Samples left in, members of a group left out, totals counted with their parts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.operators.runtime import Runtime
from lakebook.validation.question import read_question

Said = Callable[[str, str], tuple[Finding, ...]]
Checked = Callable[..., tuple[Finding, ...]]


@pytest.mark.parametrize(
    ("sql", "action"),
    [
        ("select avg(id) from (select * from shop limit 10)", "reject"),
        (
            "with s as (select id, state from shop limit 10) select state, count(*) from s group by state",
            "reject",
        ),
        ("with s as (select * from shop limit 10), t as (select * from s) select sum(id) from t", "reject"),
        ("select avg(id) from shop tablesample 10%", "reject"),
        ("select avg(id) from shop using sample 10", "reject"),
        ("select distinct state from shop group by state having count(*) > 0 limit 2", ""),
        ("select avg(id) from (select * from shop where id > 3 limit 10)", "advise"),
        ("select avg(n) from (select state, count(*) n from shop group by 1 limit 2)", "advise"),
    ],
)
def test_f16_speaks_on_an_aggregate_over_an_arbitrary_choice(said: Said, sql: str, action: str) -> None:
    assert [finding.action for finding in said(sql, "F16")] == ([action] if action else [])


@pytest.mark.parametrize(
    "sql",
    [
        "select id from shop limit 5",
        "select avg(id) from (select id from shop order by discount desc, id limit 5)",
        "select avg(id) from (select * from shop limit 1000)",
        "select state, count(*) n from shop group by 1 order by n desc limit 3",
        "select count(*) from shop where id = (select id from shop order by id limit 1)",
        "select id, sum(id) over (order by id) from (select id from shop limit 5)",
    ],
)
def test_f16_is_silent_on_ordered_cuts_and_on_cuts_of_nothing(said: Said, sql: str) -> None:
    assert said(sql, "F16") == ()


def test_f16_follows_a_result_that_was_kept_with_a_cut(shop: Runtime) -> None:
    shop.query("select * from shop limit 10", output="few")
    shop.query("select * from shop order by id limit 10", output="first_ten")
    shop.query("select id * 2 as twice from few", output="doubled")
    for name, actions in (("few", ["reject"]), ("doubled", ["reject"]), ("first_ten", [])):
        findings = shop.query(f"select count(*) from {name}").record.findings
        assert [finding.action for finding in findings if finding.rule == "F16"] == actions


def test_f16_is_silent_where_the_question_asks_for_a_sample(found: Checked) -> None:
    sql = "select avg(distance) from flights tablesample 10%"
    assert found(sql, "F16")
    assert found(sql, "F16", question=read_question("Estimate the mean distance from a sample.")) == ()


def union(*years: int) -> str:
    parts = " union all ".join(f"select * from sales_{year}" for year in years)
    return f"select sum(amount) from ({parts})"


def test_f14_names_the_members_that_a_union_leaves_out(said: Said) -> None:
    (finding,) = said(union(2021, 2023), "F14")
    assert finding.action == "advise"
    assert "2 of the 3 members" in finding.message
    assert "sales_2022" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        union(2021, 2022, 2023),
        "select sum(amount) from sales_2023",
        "select sum(amount) from sales",
        "select a.shop, b.amount - a.amount from sales_2021 a join sales_2022 b using (shop)",
    ],
)
def test_f14_is_silent_on_all_members_one_member_and_comparisons(said: Said, sql: str) -> None:
    assert said(sql, "F14") == ()


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(sales) from regions",
        "select avg(people) from regions",
        "select count(*) from regions",
        "select region, sum(sales) s from regions group by region order by s desc limit 2",
        "select sum(s) from (select sales s from regions)",
    ],
)
def test_f18_speaks_where_a_total_is_counted_with_its_parts(said: Said, sql: str) -> None:
    (finding,) = said(sql, "F18")
    assert finding.action == "advise"
    assert "'Total'" in finding.message
    assert "the sum of the others" in finding.observed


def test_f18_tells_all_aggregates_of_one_total_at_once(said: Said) -> None:
    (finding,) = said("select count(*), sum(sales), avg(people) from regions", "F18")
    assert "take in the rows" in finding.message
    assert all(part in finding.message for part in ("COUNT(*)", "SUM(sales)", "AVG(people)"))


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(sales) from regions where region <> 'Total'",
        "select sum(sales) from regions where region = 'Total'",
        "select sum(s) from (select sales s from regions where region not like 'Tot%')",
        "select region, sum(sales) from regions group by region",
        "select region, sales from regions",
        "select sum(id) from shop",
        "select count(distinct people) from regions",
    ],
)
def test_f18_is_silent_where_totals_are_set_apart(said: Said, sql: str) -> None:
    assert said(sql, "F18") == ()
