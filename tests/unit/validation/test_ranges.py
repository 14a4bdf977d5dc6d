"""Bounds that no value reaches, last days cut off, periods partly covered; AND beside OR."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding
from lakebook.validation.periods import moment

Said = Callable[[str, str], tuple[Finding, ...]]
Checked = Callable[..., tuple[Finding, ...]]


@pytest.mark.parametrize(
    ("condition", "action"),
    [
        ("id > 100", "reject"),
        ("id > 39", "reject"),
        ("100 < id", "reject"),
        ("id between 50 and 60", "reject"),
        ("gender = 'Male' and id < 0", "reject"),
        ("day > '2030-01-01'", "reject"),
        ("day < date '2020-01-01'", "reject"),
        ("sold_at >= '2025-01-01'", "reject"),
        ("discount > 20", "reject"),
        ("discount < 20", "advise"),
        ("id > 100 or gender = 'Male'", "advise"),
        ("rate_pct > 0.2", "advise"),
        ("rate_pct between 0.1 and 0.5", "reject"),
    ],
)
def test_f4_speaks_on_bounds_that_no_value_reaches(said: Said, condition: str, action: str) -> None:
    (finding,) = said(f"select count(*) from shop where {condition}", "F4")
    assert finding.action == action
    assert len(finding.values) == 2


@pytest.mark.parametrize(
    "condition",
    [
        "id > 38",
        "id >= 39",
        "id between 30 and 60",
        "id >= 0",
        "id < 1000",
        "not id > 100",
        "discount > 0.2",
        "rate_pct > 20",
        "rate_pct > 0",
        "discount <= 1",
        "day >= '2024-01-01'",
        "sold_at < '2024-02-01'",
        "id > length(state)",
        "state > 'Z'",
    ],
)
def test_f4_is_silent_on_bounds_within_reach(said: Said, condition: str) -> None:
    assert said(f"select count(*) from shop where {condition}", "F4") == ()


def test_f4_is_silent_on_the_bins_of_a_case(said: Said) -> None:
    sql = "select case when id > 100 then 'high' else 'low' end as bin, count(*) from shop group by bin"
    assert said(sql, "F4") == ()


@pytest.mark.parametrize(
    "condition",
    [
        "sold_at between '2024-01-01' and '2024-01-31'",
        "sold_at between date '2024-01-01' and date '2024-01-31'",
        "sold_at <= '2024-01-31'",
        "'2024-01-31' >= sold_at",
        "sold_at = '2024-01-31'",
    ],
)
def test_f12_counts_the_rows_of_the_last_day(said: Said, condition: str) -> None:
    (finding,) = said(f"select count(*) from shop where {condition}", "F12")
    assert finding.action == "advise"
    assert finding.observed.startswith("14 rows")


def test_f12_tells_of_a_day_that_has_no_later_row_yet(said: Said) -> None:
    (finding,) = said("select count(*) from shop where sold_at between '2024-01-01' and '2024-02-03'", "F12")
    assert finding.observed.startswith("no rows")


@pytest.mark.parametrize(
    "condition",
    [
        "sold_at < '2024-02-01'",
        "sold_at <= '2024-01-31 23:59:59'",
        "sold_at >= '2024-01-31'",
        "sold_at::date <= '2024-01-31'",
        "sold_at between '2023-01-01' and '2023-12-31'",
        "day between '2024-01-01' and '2024-01-31'",
    ],
)
def test_f12_is_silent_where_no_row_is_lost(said: Said, condition: str) -> None:
    assert said(f"select count(*) from shop where {condition}", "F12") == ()


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(amount) from ledger where booked between '2021-01-01' and '2023-12-31'",
        "select sum(amount) from ledger where booked >= '2023-01-01' and booked < '2024-01-01'",
        "select sum(amount) from ledger where year(booked) = 2023",
        "select sum(amount) from ledger where extract(year from booked) in (2022, 2023)",
        "select sum(amount) from ledger where year = 2023",
        "select sum(amount) from ledger where year between 2020 and 2022",
        "select year(booked) y, sum(amount) from ledger group by y",
        "select date_trunc('year', booked), count(*) from ledger group by 1",
        "select year, sum(amount) from ledger group by all",
    ],
)
def test_f13_speaks_where_a_period_is_cut(said: Said, sql: str) -> None:
    (finding,) = said(sql, "F13")
    assert finding.action == "advise"
    assert finding.values


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(amount) from ledger where booked between '2021-01-01' and '2022-12-31'",
        "select sum(amount) from ledger where booked >= '2021-06-01'",
        "select sum(amount) from ledger where year(booked) = 2022",
        "select sum(amount) from ledger where year = 2021",
        "select year(booked) y, sum(amount) from ledger where booked < '2023-01-01' group by y",
        "select year(booked) y, avg(amount) from ledger group by y",
        "select month(booked) m, sum(amount) from ledger where year = 2022 group by m",
        "select count(*) from shop where day between '2024-01-01' and '2024-01-20'",
        "select sum(case when year(booked) = 2023 then amount end) from ledger",
    ],
)
def test_f13_is_silent_on_periods_that_are_covered_or_open(said: Said, sql: str) -> None:
    assert said(sql, "F13") == ()


@pytest.mark.parametrize(
    ("condition", "read_as"),
    [
        (
            "carrier = 'AA' or carrier = 'UA' and distance > 5",
            "carrier = 'AA' OR (carrier = 'UA' AND distance > 5)",
        ),
        (
            "distance > 5 and carrier = 'AA' or carrier = 'UA'",
            "(distance > 5 AND carrier = 'AA') OR carrier = 'UA'",
        ),
        ("carrier = 'AA' or origin = 'JFK' or carrier = 'UA' and distance > 5", "OR origin = 'JFK' OR ("),
    ],
)
def test_f6_says_how_and_beside_or_is_read(found: Checked, condition: str, read_as: str) -> None:
    (finding,) = found(f"select 1 from flights where {condition}", "F6")
    assert finding.action == "advise"
    assert read_as in finding.message


@pytest.mark.parametrize(
    "condition",
    [
        "(carrier = 'AA' or carrier = 'UA') and distance > 5",
        "carrier = 'AA' or (carrier = 'UA' and distance > 5)",
        "carrier = 'AA' and distance > 5 or carrier = 'UA' and distance > 9",
        "carrier = 'AA' or carrier = 'UA' or carrier = 'B6'",
        "distance between 5 and 9 or distance > 20",
    ],
)
def test_f6_is_silent_where_it_reads_one_way(found: Checked, condition: str) -> None:
    assert found(f"select 1 from flights where {condition}", "F6") == ()


@pytest.mark.parametrize(
    ("written", "same"), [("2024-01-31", "2024-01-31 00:00:00"), ("2024/1/31", "2024-01-31T00:00:00Z")]
)
def test_dates_are_read_alike(written: str, same: str) -> None:
    assert moment(written) == moment(same) is not None
    assert moment(written + " 12:00") in (None, (moment(written) or 0) + 0.5)


@pytest.mark.parametrize("written", ["2024", "31.01.2024", "x", "2024-13-01", ""])
def test_what_is_no_date_is_not_read(written: str) -> None:
    assert moment(written) is None
