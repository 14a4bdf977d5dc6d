from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.validation.statement import parse

Checked = Callable[..., tuple[Finding, ...]]


def test_q1_rejects_what_is_no_statement(found: Checked) -> None:
    (finding,) = found("selec", "Q1", statement_types=(), refusal="Parser Error: near selec")
    assert "near selec" in finding.message
    (finding,) = found("select 1; select 2", "Q1", statement_types=("SELECT", "SELECT"))
    assert "2 statements" in finding.message
    assert found("select 1", "Q1") == ()


@pytest.mark.parametrize("kind", ["DROP", "INSERT", "COPY", "SET", "PRAGMA", "ATTACH", "CREATE"])
def test_q2_rejects_what_is_no_select(found: Checked, kind: str) -> None:
    (finding,) = found("select 1", "Q2", statement_types=(kind,))
    assert kind in finding.message
    assert found("select 1", "Q2", statement_types=("SELECT",)) == ()


def test_q2_says_how_a_pivot_can_be_looked_into(found: Checked) -> None:
    (finding,) = found("select 1", "Q2", statement_types=("MULTI",))
    assert "IN (" in finding.hint
    assert "never changed" not in finding.message


@pytest.mark.parametrize(
    "source",
    ["read_csv('x')", "read_csv_auto('x')", "read_parquet('x')", "parquet_scan('x')", "read_text('x')",
     "read_json_auto('x')", "glob('*')", "sqlite_scan('x', 'y')", "parquet_metadata('x')"],
)  # fmt: skip
def test_q3_rejects_functions_that_read_files(found: Checked, source: str) -> None:
    findings = found(f"select * from {source}", "Q3")
    assert [finding.action for finding in findings] == ["reject"]


@pytest.mark.parametrize("sql", ["select upper(carrier) from flights", "select * from range(3)"])
def test_q3_is_silent_on_other_functions(found: Checked, sql: str) -> None:
    assert found(sql, "Q3") == ()


def test_q4_passes_on_what_the_engine_says(found: Checked) -> None:
    (finding,) = found("select 1", "Q4", refusal="Binder Error: no function foo")
    assert "no function foo" in finding.message
    assert found("select 1", "Q4") == ()


def test_text_that_cannot_be_parsed_gives_a_problem_and_no_tree() -> None:
    for sql in ("select from where (", "", "select 1; select 2", "(" * 50):
        statement = parse(sql)
        assert statement.tree is None
        assert statement.problem
