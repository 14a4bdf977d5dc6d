"""Identifiers that are added up, and codes for missing values that are averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from lakebook.operators.record import Finding
from lakebook.sources.card import Column, ValueCount
from lakebook.validation.knowledge import Knowledge, KnownTable

Checked = Callable[..., tuple[Finding, ...]]


@pytest.fixture
def cases(knowledge: Knowledge) -> Knowledge:
    """A table whose case numbers hardly repeat, with a code among its ages."""
    ages = tuple(ValueCount(value, rows) for value, rows in (("31", 5), ("-99", 4), ("0", 2)))
    columns = (
        Column("case_no", "case_no", "integer", "measure", 0, 90),
        Column("batch_no", "batch_no", "integer", "measure", 0, 4),
        Column("number", "number", "integer", "measure", 0, 90),
        Column(
            "age", "age", "integer", "measure", 0, 3, min="-99", max="31", values=ages, values_complete=True
        ),
    )
    knowledge.learn_table(KnownTable("cases", columns, 100, "cases.csv"))
    return knowledge


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize("aggregate", ["sum(case_no)", "avg(case_no)", "sum(distinct case_no)"])
def test_b12_advises_on_numbers_that_name_things(found: Checked, aggregate: str) -> None:
    (finding,) = found(f"select {aggregate} from cases", "B12")
    assert finding.action == "advise"
    assert "90 different numbers" in finding.observed


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize("aggregate", ["sum(batch_no)", "sum(number)", "max(case_no)", "count(case_no)"])
def test_b12_is_silent_on_quantities_and_on_what_is_no_sum(found: Checked, aggregate: str) -> None:
    assert found(f"select {aggregate} from cases", "B12") == ()


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize("aggregate", ["avg(age)", "min(age)", "median(age)"])
def test_b9_advises_on_one_negative_code_beside_values_from_zero(found: Checked, aggregate: str) -> None:
    (finding,) = found(f"select {aggregate} from cases", "B9")
    assert finding.action == "advise"
    assert finding.values == ("'-99'",)


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize(
    "sql",
    [
        "select max(age) from cases",
        "select avg(age) from cases where age >= 0",
        "select avg(age) filter (where age > 0) from cases",
    ],
)
def test_b9_is_silent_where_the_code_does_not_come_in(found: Checked, sql: str) -> None:
    assert found(sql, "B9") == ()


def test_b9_is_silent_where_other_values_are_negative_too(found: Checked, cases: Knowledge) -> None:
    table = cases.tables["cases"]
    age = table.columns[-1]
    cases.tables["cases"] = replace(
        table, columns=(replace(age, values=(*age.values, ValueCount("-98", 1))),)
    )
    assert found("select avg(age) from cases", "B9") == ()
