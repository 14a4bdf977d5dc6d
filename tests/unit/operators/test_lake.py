from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest

from lakebook.errors import OperatorError, TimedOut
from lakebook.operators.lake import Lake, Refused
from lakebook.operators.plain import canonical, plain, sha256


@pytest.fixture
def lake(folder: Path) -> Lake:
    return Lake({"orders": folder / "orders.parquet"})


def test_views_are_read(lake: Lake) -> None:
    found = lake.fetch("select count(*) n, sum(quantity) q from orders")
    assert found.columns == ("n", "q")
    assert found.rows == ((40, 80),)
    assert not found.more


def test_a_cut_fetch_says_so(lake: Lake) -> None:
    found = lake.fetch("select id from orders order by id", most=3)
    assert [row[0] for row in found.rows] == [0, 1, 2]
    assert found.more
    assert not lake.fetch("select id from orders limit 3", most=3).more


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/hostname')",
        "select * from read_text('https://example.org/')",
        "select * from glob('/*')",
        "copy (select 1) to '/tmp/lakebook-test.csv'",
        "attach '/tmp/lakebook-test.db' as other",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
        "install httpfs",
        "load httpfs",
        "export database '/tmp/lakebook-test'",
    ],
)
def test_nothing_outside_can_be_reached(lake: Lake, sql: str) -> None:
    with pytest.raises(OperatorError):
        lake.fetch(sql)


def test_only_the_views_files_can_be_read(lake: Lake, folder: Path) -> None:
    with pytest.raises(OperatorError):
        lake.fetch(f"select * from read_parquet('{folder / 'customers.parquet'}')")


def test_a_long_query_is_ended(lake: Lake) -> None:
    with pytest.raises(TimedOut):
        lake.fetch(
            "select count(*) from range(1000000) a, range(1000000) b where a.range > b.range", seconds=0.2
        )
    assert lake.fetch("select 1").rows == ((1,),)


def test_memory_is_bounded(folder: Path) -> None:
    with Lake({"orders": folder / "orders.parquet"}, memory_mb=20) as small, pytest.raises(OperatorError):
        small.fetch("select list(a.range) from range(50000000) a")


def test_statement_types_and_refusals(lake: Lake) -> None:
    assert lake.statement_types("select 1") == ("SELECT",)
    assert lake.statement_types("select 1; drop view orders") == ("SELECT", "DROP")
    with pytest.raises(OperatorError):
        lake.statement_types("selec 1")
    with pytest.raises(Refused) as refused:
        lake.fetch("select nope from orders")
    assert "nope" in refused.value.message
    assert "\n" not in refused.value.message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OperatorError) as caught:
        Lake({"gone": tmp_path / "gone.parquet"})
    assert caught.value.where == "gone"


def test_a_kept_result_is_a_table(lake: Lake) -> None:
    lake.keep("totals", "select customer, sum(amount) total from orders group by customer")
    assert lake.fetch("select count(*) from totals").rows == ((4,),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None), (True, True), (3, 3), (2**70, str(2**70)), (1.5, 1.5), (float("inf"), "inf"),
        (float("nan"), "nan"), (Decimal("2.50"), 2.5), (Decimal("7"), 7), (dt.date(2024, 1, 2), "2024-01-02"),
        (dt.datetime(2024, 1, 2, 3), "2024-01-02T03:00:00"), (b"ab", "YWI="), ([1, (2,)], [1, [2]]),
        ({"b": 1, 2: None}, {"b": 1, "2": None}), (dt.timedelta(days=1), "1 day, 0:00:00"),
    ],
)  # fmt: skip
def test_plain_values(value: object, expected: object) -> None:
    assert plain(value) == expected


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert sha256({"a": 1, "b": [1, None]}) == sha256({"b": [1, None], "a": 1})
    assert sha256({"a": 1}) != sha256({"a": 1.5})
    assert canonical({"b": 1, "a": 2}) == b'{"a":2,"b":1}'
