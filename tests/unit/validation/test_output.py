from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Narrowing, Outcome

Checked = Callable[..., tuple[Finding, ...]]


def test_o1_advises_on_a_limit_that_cut_without_order(found: Checked) -> None:
    outcome = Outcome(("carrier",), 5)
    (finding,) = found("select carrier from flights limit 5", "O1", "after", outcome=outcome)
    assert finding.action == "advise"
    inner = "select avg(d) from (select distance d from flights limit 100)"
    (finding,) = found(inner, "O1", "after", outcome=Outcome(("a",), 1))
    assert "LIMIT 100" in finding.message


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select carrier from flights limit 50", 3),
        ("select carrier from flights order by distance limit 5", 5),
        ("select avg(d) from (select distance d from flights order by 1 limit 100)", 1),
        ("select carrier from flights", 1000),
    ],
)
def test_o1_is_silent_on_ordered_or_unreached_limits(found: Checked, sql: str, rows: int) -> None:
    assert found(sql, "O1", "after", outcome=Outcome(("x",), rows)) == ()


def test_o2_advises_on_ties_that_were_left_out(found: Checked) -> None:
    (finding,) = found("select 1", "O2", "after", outcome=Outcome(("x",), 3, ties_left_out=2))
    assert finding.observed == "2 further rows tie with row 3"
    for ties in (0, None):
        assert found("select 1", "O2", "after", outcome=Outcome(("x",), 3, ties_left_out=ties)) == ()


def test_o11_names_the_condition_that_emptied_the_result(found: Checked) -> None:
    steps = (Narrowing("month = 2", 20, 20), Narrowing("day = 30", 0, 11))
    outcome = Outcome(("x",), 0, rows_before=100, narrowings=steps)
    (finding,) = found("select 1", "O11", "after", outcome=outcome)
    assert "after day = 30" in finding.message
    assert finding.observed == "100 rows → 20 after month = 2 → 0 after day = 30; alone it holds in 11"


def test_o11_names_a_join_that_matched_nothing(found: Checked) -> None:
    (finding,) = found("select 1", "O11", "after", outcome=Outcome(("x",), 0, rows_before=0))
    assert "join keys" in finding.hint


def test_o11_speaks_on_nothing_but_null(found: Checked) -> None:
    (finding,) = found("select 1", "O11", "after", outcome=Outcome(("x",), 1, only_nulls=True))
    assert "nothing but NULL" in finding.message


def test_o11_is_silent_on_a_result(found: Checked) -> None:
    assert found("select 1", "O11", "after", outcome=Outcome(("x",), 1)) == ()
