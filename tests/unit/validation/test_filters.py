from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding

Checked = Callable[..., tuple[Finding, ...]]


@pytest.mark.parametrize(
    "condition",
    [
        "distance > 5 and distance < 3",
        "distance > 5 and distance <= 5",
        "5 < distance and 3 > distance",
        "carrier = 'AA' and carrier = 'UA'",
        "carrier in ('AA', 'UA') and carrier = 'B6'",
        "distance = 4 and distance between 5 and 9",
        "distance between 9 and 5",
        "distance is null and distance > 3",
        "(distance > 5 and origin = 'JFK') and (distance < 2)",
        "day >= date '2020-02-01' and day < date '2020-01-01'",
        "distance = -1 and distance > 0",
    ],
)
def test_f5_rejects_what_no_row_can_fulfil(found: Checked, condition: str) -> None:
    (finding,) = found(f"select 1 from flights where {condition}", "F5")
    assert finding.action == "reject"


@pytest.mark.parametrize(
    "condition",
    [
        "distance > 3 and distance < 5",
        "distance >= 5 and distance <= 5",
        "distance > 5 or distance < 3",
        "carrier = 'AA' or carrier = 'UA'",
        "carrier in ('AA', 'UA') and carrier = 'UA'",
        "distance between 5 and 9 and distance = 7",
        "distance is not null and distance > 3",
        "not (distance > 5) and distance < 3",
        "day >= date '2020-01-01' and day < date '2020-02-01'",
        "distance > 5 and dep_delay < 3",
        "distance > dep_delay and distance < 3",
        "day > '2020-01-01' and day < 5",
    ],
)
def test_f5_is_silent_on_what_can_be(found: Checked, condition: str) -> None:
    assert found(f"select 1 from flights where {condition}", "F5") == ()


def test_f5_keeps_columns_of_different_tables_apart(found: Checked) -> None:
    sql = "select 1 from flights f join planes p using (tailnum) where f.year > 2010 and p.year < 2000"
    assert found(sql, "F5") == ()


def test_f7_rejects_not_in_over_a_column_with_nulls(found: Checked) -> None:
    (finding,) = found("select 1 from planes where tailnum not in (select tailnum from flights)", "F7")
    assert finding.action == "reject"
    assert "7 rows" in finding.observed
    assert "NOT EXISTS" in finding.hint


def test_f7_rejects_a_null_in_the_list(found: Checked) -> None:
    (finding,) = found("select 1 from flights where carrier not in ('AA', null)", "F7")
    assert finding.action == "reject"


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights where tailnum not in (select tailnum from planes)",
        "select 1 from planes where tailnum not in (select tailnum from flights where tailnum is not null)",
        "select 1 from planes where tailnum not in (select tailnum from flights where tailnum > 'N')",
        "select 1 from planes where tailnum in (select tailnum from flights)",
        "select 1 from flights where carrier <> 'AA'",
        "select 1 from planes where maker <> 'x' or maker is null",
        "select 1 from planes where maker is distinct from 'x'",
    ],
)
def test_f7_is_silent_where_nulls_are_out_of_the_way(found: Checked, sql: str) -> None:
    assert found(sql, "F7") == ()


def test_f7_advises_that_unequal_drops_nulls(found: Checked) -> None:
    (finding,) = found("select 1 from planes where maker <> 'x'", "F7")
    assert finding.action == "advise"
    assert "IS DISTINCT FROM" in finding.hint


@pytest.mark.parametrize(("sql", "hint"), [("carrier = null", "IS NULL"), ("carrier <> null", "IS NOT NULL")])
def test_f8_rejects_a_comparison_with_null(found: Checked, sql: str, hint: str) -> None:
    (finding,) = found(f"select 1 from flights where {sql}", "F8")
    assert finding.action == "reject"
    assert hint in finding.hint


@pytest.mark.parametrize("sql", ["carrier is null", "carrier is not null", "coalesce(carrier, null) = 'AA'"])
def test_f8_is_silent_on_is_null(found: Checked, sql: str) -> None:
    assert found(f"select 1 from flights where {sql}", "F8") == ()


LEFT = "select 1 from flights f left join planes p on f.tailnum = p.tailnum where "


@pytest.mark.parametrize(
    "sql",
    [
        LEFT + "p.seats > 100",
        LEFT + "seats between 1 and 5",
        LEFT + "p.maker = 'x' and f.carrier = 'AA'",
        "select 1 from planes p right join flights f on f.tailnum = p.tailnum where p.seats > 1",
        "select 1 from planes p full join flights f on f.tailnum = p.tailnum where p.seats > 1",
    ],
)
def test_f9_advises_on_a_cancelled_outer_join(found: Checked, sql: str) -> None:
    (finding,) = found(sql, "F9")
    assert finding.action == "advise"
    assert "p is the optional side" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        LEFT + "f.distance > 100",
        LEFT + "p.seats > 100 or p.seats is null",
        LEFT + "p.seats is null",
        LEFT + "coalesce(p.seats, 0) < 5",
        "select 1 from flights f left join planes p on f.tailnum = p.tailnum and p.seats > 100",
        "select 1 from flights f join planes p on f.tailnum = p.tailnum where p.seats > 100",
    ],
)
def test_f9_is_silent_where_the_outer_join_stands(found: Checked, sql: str) -> None:
    assert found(sql, "F9") == ()


@pytest.mark.parametrize(
    "condition",
    [
        "carrier <> 'AA' or carrier <> 'UA'",
        "distance < 50 or distance >= 50",
        "distance <= 50 or distance > 20",
        "origin = 'JFK' and (distance > 5 or 10 > distance)",
        "carrier <> 'AA' or origin = 'JFK' or carrier <> 'UA'",
    ],
)
def test_f5_rejects_alternatives_that_exclude_nothing(found: Checked, condition: str) -> None:
    (finding,) = found(f"select 1 from flights where {condition}", "F5")
    assert finding.action == "reject"
    assert " AND " in finding.hint


@pytest.mark.parametrize(
    "condition",
    [
        "carrier <> 'AA' and carrier <> 'UA'",
        "carrier <> 'AA' or origin <> 'JFK'",
        "distance < 50 or distance > 60",
        "distance < 50 or dep_delay >= 50",
        "carrier <> 'AA' or carrier <> 'AA'",
        "carrier = 'AA' or carrier <> 'UA'",
    ],
)
def test_f5_is_silent_on_alternatives_that_exclude_something(found: Checked, condition: str) -> None:
    assert found(f"select 1 from flights where {condition}", "F5") == ()


@pytest.mark.parametrize(
    "condition", ["maker not in ('x', 'y')", "not maker = 'x'", "not maker in ('x')", "maker not like 'x%'"]
)
def test_f7_advises_that_other_negations_drop_nulls_too(found: Checked, condition: str) -> None:
    (finding,) = found(f"select 1 from planes where {condition}", "F7")
    assert finding.action == "advise"
    assert "2 rows" in finding.observed


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from planes where maker like 'B%' and maker <> 'Boeing'",
        "select case when maker <> 'x' then 1 else 0 end from planes",
        "select maker <> 'x' as other from planes",
        "select 1 from planes where maker not in ('x') and maker is not null",
    ],
)
def test_f7_is_silent_where_null_is_out_anyway_or_nothing_is_dropped(found: Checked, sql: str) -> None:
    assert found(sql, "F7") == ()


@pytest.mark.parametrize(
    ("condition", "action"),
    [("null = carrier", "reject"), ("carrier in (null)", "reject"), ("carrier in ('AA', null)", "advise")],
)
def test_f8_speaks_on_null_on_the_left_and_in_lists(found: Checked, condition: str, action: str) -> None:
    (finding,) = found(f"select 1 from flights where {condition}", "F8")
    assert finding.action == action


@pytest.mark.parametrize(
    "condition",
    [
        "cast(day as date) >= date '2020-05-05' and cast(day as date) <= date '2020-02-05'",
        "distance between dep_delay and dep_delay - 5",
        "day between day + interval 3 day and day",
    ],
)
def test_f5_rejects_ranges_that_run_backwards(found: Checked, condition: str) -> None:
    (finding,) = found(f"select 1 from flights where {condition}", "F5")
    assert finding.action == "reject"


@pytest.mark.parametrize(
    "condition",
    [
        "cast(day as date) >= date '2020-02-05' and cast(day as date) <= date '2020-05-05'",
        "distance between dep_delay - 5 and dep_delay",
        "day between day - interval 3 day and day",
        "distance between dep_delay and dep_delay - distance",
        "distance not between dep_delay and dep_delay - 5",
    ],
)
def test_f5_is_silent_on_ranges_that_run_forwards(found: Checked, condition: str) -> None:
    assert found(f"select 1 from flights where {condition}", "F5") == ()


def test_f7_advises_on_a_case_without_else_under_not_in(found: Checked) -> None:
    inner = "select case when origin = 'JFK' then carrier {} end from flights"
    (finding,) = found(f"select 1 from airlines where carrier not in ({inner.format('')})", "F7")
    assert finding.action == "advise"
    assert found(f"select 1 from airlines where carrier not in ({inner.format('else carrier')})", "F7") == ()
