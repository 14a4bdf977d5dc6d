from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Measured, Repeats

Checked = Callable[..., tuple[Finding, ...]]


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights, airlines",
        "select 1 from flights f, airlines a where f.distance > 3 and a.name = 'x'",
        "select 1 from flights join airlines on true",
        "select 1 from flights f join airlines a on a.carrier = a.carrier",
        "select 1 from flights f join planes p using (tailnum), airlines",
        "select 1 from (select * from flights) f, airlines",
    ],
)
def test_j1_rejects_inputs_that_nothing_pairs(found: Checked, sql: str) -> None:
    (finding,) = found(sql, "J1")
    assert finding.action == "reject"
    assert "rows" in finding.observed
    assert "CROSS JOIN" in finding.hint
    assert found(sql, "J1", confirm_cross=True) == ()


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights f, airlines a where f.carrier = a.carrier",
        "select 1 from flights f, airlines a where lower(f.carrier) = lower(a.carrier)",
        "select 1 from flights f join airlines a on f.carrier = a.carrier",
        "select 1 from flights join airlines using (carrier)",
        "select 1 from flights natural join airlines",
        "select 1 from flights cross join airlines",
        "select 1 from flights f join planes p on f.year between p.year and p.seats",
        "select 1 from flights, one_row",
        "select distance / total from flights, (select sum(distance) total from flights) t",
        "with t as (select max(year) y from planes) select 1 from flights, t",
        "select 1 from flights, unnest([1, 2]) u(x)",
        "select 1 from flights f, airlines a, planes p where f.carrier = a.carrier and p.tailnum = f.tailnum",
        "select 1 from flights",
        "select 1",
    ],
)
def test_j1_is_silent_on_pairs_and_on_meant_products(found: Checked, sql: str) -> None:
    assert found(sql, "J1") == ()


def test_j1_only_advises_where_a_row_count_is_not_known(found: Checked) -> None:
    sql = "select 1 from airlines, (select carrier from flights where distance > 3) f"
    assert [finding.action for finding in found(sql, "J1")] == ["advise"]


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights f join planes p on f.tailnum = p.seats",
        "select 1 from flights f, planes p where f.year = p.maker",
        "select 1 from flights f join planes p on f.day = p.year",
    ],
)
def test_j6_rejects_keys_of_different_types(found: Checked, sql: str) -> None:
    (finding,) = found(sql, "J6")
    assert finding.action == "reject"
    assert "TRY_CAST" in finding.hint


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 from flights f join planes p on f.tailnum = p.tailnum",
        "select 1 from flights join planes using (tailnum)",
        "select 1 from flights f join planes p on f.distance = p.seats",
        "select 1 from flights f join planes p on try_cast(f.tailnum as int) = p.seats",
    ],
)
def test_j6_is_silent_on_keys_of_one_kind(found: Checked, sql: str) -> None:
    assert found(sql, "J6") == ()


FAN = (
    "select sum(p.seats), max(p.seats), count(distinct p.maker) from flights f join planes p using (tailnum)"
)


def measured(flights: tuple[int, int], planes: tuple[int, int]) -> tuple[Measured, ...]:
    return (Measured(0, flights[0], (Repeats("f", *flights), Repeats("p", *planes))),)


def test_j4_advises_on_the_repeated_side_with_counts(found: Checked) -> None:
    (finding,) = found(FAN, "J4", measured=measured((900, 900), (900, 45)))
    assert finding.action == "advise"
    assert "SUM(p.seats)" in finding.message
    assert "20.0 times" in finding.message
    assert "45 rows of p stand 900 times" in finding.observed


def test_j4_is_silent_where_no_row_repeats(found: Checked) -> None:
    assert found(FAN, "J4", measured=measured((45, 45), (45, 45))) == ()


def test_j4_is_silent_on_the_side_that_stays_single(found: Checked) -> None:
    sql = FAN.replace("sum(p.seats)", "sum(f.distance)")
    assert found(sql, "J4", measured=measured((900, 900), (900, 45))) == ()


def test_j4_is_silent_on_aggregates_that_do_not_mind(found: Checked) -> None:
    sql = "select max(p.seats), count(distinct p.seats) from flights f join planes p using (tailnum)"
    assert found(sql, "J4", measured=measured((900, 900), (900, 45))) == ()


def test_j4_says_not_checked_when_the_count_failed(found: Checked) -> None:
    findings = found(FAN, "J4", measured=(Measured(0, problem="it took too long"),))
    assert [finding.action for finding in findings] == ["not_checked"]


def test_j3_advises_on_many_to_many(found: Checked) -> None:
    sql = "select count(*) from flights f join planes p on f.year = p.year"
    (finding,) = found(sql, "J3", measured=measured((900, 100), (900, 45)))
    assert finding.action == "advise"
    assert "COUNT(*)" in finding.message
    assert found(sql, "J3", measured=measured((900, 900), (900, 45))) == ()
    assert found(sql.replace("count(*)", "max(f.distance)"), "J3", measured=measured((9, 1), (9, 4))) == ()


def test_j4_is_silent_where_a_single_side_sets_the_grain(found: Checked) -> None:
    sql = FAN.replace("sum(p.seats)", "sum(f.distance * p.seats)")
    assert found(sql, "J4", measured=measured((900, 900), (900, 45))) == ()


def test_j3_is_silent_on_a_meant_product(found: Checked) -> None:
    many = measured((900, 100), (900, 45))
    assert found("select count(*) from flights f cross join planes p", "J3", measured=many) == ()
    assert found("select count(*) from flights f, planes p", "J3", measured=many, confirm_cross=True) == ()
