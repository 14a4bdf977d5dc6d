from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.sources.card import Column, ValueCount
from lakebook.validation.invocation import Measured, Outcome
from lakebook.validation.knowledge import Knowledge, KnownTable

Checked = Callable[..., tuple[Finding, ...]]


@pytest.mark.parametrize("sql", ["sum(flight)", "avg(flight)", "sum(year)", "median(flight)"])
def test_b12_advises_on_sums_of_what_names_things(found: Checked, sql: str) -> None:
    (finding,) = found(f"select {sql} from flights", "B12")
    assert finding.action == "advise"


def test_b12_tells_a_code_of_a_place_from_its_position(found: Checked) -> None:
    assert [one.action for one in found("select avg(zip) from planes", "B12")] == ["advise"]
    assert found("select avg(lat) from planes", "B12") == ()


@pytest.mark.parametrize(
    "sql",
    ["sum(distance)", "count(distinct flight)", "max(flight)", "avg(year)", "sum(flight * 0)", "max(year)"],
)
def test_b12_is_silent_on_quantities_and_counts(found: Checked, sql: str) -> None:
    assert found(f"select {sql} from flights", "B12") == ()


@pytest.mark.parametrize("sql", ["avg(rain)", "sum(rain)", "min(rain)"])
def test_b9_advises_on_codes_for_missing_values(found: Checked, knowledge: Knowledge, sql: str) -> None:
    rain = Column("rain", "rain", "number", "measure", 0, 50, sentinels=(ValueCount("-999", 12),))
    knowledge.learn_table(KnownTable("weather", (rain,), 100, "weather.csv"))
    (finding,) = found(f"select {sql} from weather", "B9")
    assert finding.action == "advise"
    assert "'-999' in 12 rows" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        "select avg(rain) from weather where rain <> -999",
        "select avg(nullif(rain, -999)) from weather",
        "select count(rain) from weather",
        "select avg(distance) from flights",
    ],
)
def test_b9_is_silent_where_the_code_is_left_out_or_there_is_none(
    found: Checked, knowledge: Knowledge, sql: str
) -> None:
    rain = Column("rain", "rain", "number", "measure", 0, 50, sentinels=(ValueCount("-999", 12),))
    knowledge.learn_table(KnownTable("weather", (rain,), 100, "weather.csv"))
    assert found(sql, "B9") == ()


SOME_NULL = (Measured(0, 1000, present={"dep_delay": 997}),)


def test_a3_advises_when_the_two_counts_differ(found: Checked) -> None:
    (finding,) = found("select count(dep_delay) from flights", "A3", measured=SOME_NULL)
    assert finding.action == "advise"
    assert finding.observed == "1,000 rows, 997 with a value"


def test_a3_is_silent_when_they_agree_or_both_are_shown(found: Checked) -> None:
    whole = (Measured(0, 1000, present={"dep_delay": 1000}),)
    assert found("select count(dep_delay) from flights", "A3", measured=whole) == ()
    assert found("select count(*), count(dep_delay) from flights", "A3", measured=SOME_NULL) == ()


def test_a3_is_silent_where_an_outer_join_counts_matches(found: Checked) -> None:
    sql = "select count(p.seats) from flights f left join planes p using (tailnum)"
    assert found(sql, "A3", measured=(Measured(0, 9, present={"p.seats": 3}),)) == ()


def test_a6_advises_on_zero_denominators_only(found: Checked) -> None:
    sql = "select distance / dep_delay from flights"
    (finding,) = found(sql, "A6", measured=(Measured(0, 1000, zeros={"dep_delay": 12}),))
    assert "12 of 1,000" in finding.observed
    assert "NULLIF(dep_delay, 0)" in finding.hint
    assert found(sql, "A6", measured=(Measured(0, 1000, zeros={"dep_delay": 0}),)) == ()


def test_a21_advises_on_infinite_results(found: Checked) -> None:
    odd = Outcome(("x",), 4, not_finite={"x": 2})
    (finding,) = found("select 1", "A21", "after", outcome=odd)
    assert finding.observed == "2 of 4 rows"
    assert found("select 1", "A21", "after", outcome=Outcome(("x",), 4)) == ()
