"""Statements that fail and are mended through the runtime, and those that are left alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lakebook.operators.record import ExecutionRecord
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import Column, SourceCard, SourceMap, SourceUnit, ValueCount
from lakebook.validation.knowledge import knowledge_of
from lakebook.validation.repair import Failure, Repairing
from lakebook.validation.repair.base_sources import base_sources
from lakebook.validation.statement import parse

TABLES = {
    "orders": "select i as id, 'c' || (i % 4) as customer, i % 5 as quantity, i * 1.5 as amount, "
    "case i % 2 when 0 then 'North' else 'South' end as region, date '2024-01-01' + i::int as day, "
    "strftime(date '2024-01-14' + i::int, '%d/%m/%Y') as shipped, "
    '\'$1,\' || (200 + i) as price, i as "Unit Price", i as "order" from range(40) t(i)',
    "customers": "select 'c' || i as customer, case i when 0 then 'Oslo' else 'Rome' end as city "
    "from range(4) t(i)",
}
TEXTS = {
    "region": ("North", "South"),
    "customer": ("c0", "c1", "c2", "c3"),
    "city": ("Oslo", "Rome"),
    "shipped": (),
    "price": (),
}
KINDS = {"id": "integer", "quantity": "integer", "day": "date", "order": "integer", "Unit Price": "integer"}


def column(name: str) -> Column:
    values = tuple(ValueCount(value, 1) for value in TEXTS.get(name, ()))
    kind: Any = "text" if name in TEXTS else KINDS.get(name, "number")
    given = {"date_format": "%d/%m/%Y"} if name == "shipped" else {}
    return Column(name, name, kind, "category", 0, 4, values=values, values_complete=bool(values), **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[SourceMap, Path]:
    folder, cards = tmp_path_factory.mktemp("lake"), []
    with duckdb.connect() as connection:
        for name, sql in TABLES.items():
            table = connection.sql(sql)
            table.write_parquet(str(folder / f"{name}.parquet"))
            unit = SourceUnit("", "table", name, rows=len(table), columns=tuple(map(column, table.columns)))
            cards.append(SourceCard(f"{name}.csv", "ok", "csv", 1, name.ljust(64, "0"), units=(unit,)))
    return SourceMap(tuple(cards)), folder


Run = Callable[..., ExecutionRecord]


@pytest.fixture
def run(lake: tuple[SourceMap, Path]) -> Run:
    source_map, folder = lake

    def ran(sql: str, repairing: Repairing | None = Repairing(), **more: Any) -> ExecutionRecord:  # noqa: B008
        def table_file(card: SourceCard, unit: SourceUnit) -> Path:
            return folder / f"{unit.table}.parquet"

        with Runtime(source_map, table_file, repairing=repairing, **more) as runtime:
            return runtime.query(sql).record

    return ran


@pytest.mark.parametrize(
    ("sql", "mended", "kind"),
    [
        ("select amout from orders", "SELECT amount FROM orders", "name"),
        ("select o.id from orders", "SELECT orders.id FROM orders", "name"),
        ("select x.id from orders o", "SELECT o.id FROM orders AS o", "name"),
        ("select city from customer", "SELECT city FROM customers", "name"),
        ("select customer.city from customer", 'SELECT customer.city FROM customers AS "customer"', "name"),
        ("select count(*) as n from 'orders.csv'", "SELECT COUNT(*) AS n FROM orders", "name"),
        ("select Unit Price from orders", 'select "Unit Price" from orders', "quotes"),
        ("select order, id from orders order by id", 'select "order", id from orders order by id', "quotes"),
        (
            "select city from customers where city = 'oslo'",
            "SELECT city FROM customers WHERE city = 'Oslo'",
            "value",
        ),
        (
            "select id from orders where region in ('north', 'SOUTH ')",
            "SELECT id FROM orders WHERE region IN ('North', 'South')",
            "value",
        ),
        (
            'select id from orders where region = "North"',
            "SELECT id FROM orders WHERE region = 'North'",
            "name",
        ),
        ("select top 3 id from orders order by id", "select id from orders order by id LIMIT 3", "dialect"),
        (
            "select id from orders order by id limit 5, 2",
            "select id from orders order by id LIMIT 2 OFFSET 5",
            "dialect",
        ),
        ("select [id] from [orders]", 'select "id" from "orders"', "dialect"),
        ("```sql\nselect id from orders\n```", "select id from orders", "dialect"),
        (
            "select nvl(region, 'x') as r from orders",
            "SELECT COALESCE(region, 'x') AS r FROM orders",
            "dialect",
        ),
        (
            "select isnull(quantity, 0) as q from orders",
            "SELECT COALESCE(quantity, 0) AS q FROM orders",
            "dialect",
        ),
        (
            "select to_char(day, 'YYYY-MM') as m from orders",
            "SELECT STRFTIME(day, '%Y-%m') AS m FROM orders",
            "dialect",
        ),
        (
            "select datediff(day, day, day) as x from orders",
            "SELECT DATE_DIFF('DAY', day, day) AS x FROM orders",
            "dialect",
        ),
        (
            "select region, sum(amount) as s from orders",
            "SELECT region, SUM(amount) AS s FROM orders GROUP BY region",
            "group",
        ),
        (
            "select region, sum(amount) as s from orders where id > 3 and sum(amount) > 1 group by region",
            "SELECT region, SUM(amount) AS s FROM orders WHERE id > 3 GROUP BY region HAVING SUM(amount) > 1",
            "having",
        ),
        (
            "select cast(shipped as date) as d from orders",
            "SELECT CAST(STRPTIME(shipped, '%d/%m/%Y') AS DATE) AS d FROM orders",
            "date format",
        ),
    ],
)
def test_what_is_mended(run: Run, sql: str, mended: str, kind: str) -> None:
    record = run(sql)
    assert (record.arguments["sql"], record.error, record.verdict) == (mended, "", "advise")
    [repair] = record.repairs
    assert (repair.kind, repair.before, repair.after, repair.refused) == (kind, sql, mended, "")
    assert repair.reason
    [told] = [finding for finding in record.findings if finding.rule == "R1"]
    assert mended in told.hint
    assert told.message.startswith("The statement failed and was mended: ")
    assert record.result is not None


def test_numbers_that_are_only_dressed_are_read(run: Run) -> None:
    record = run("select sum(cast(price as double)) as s from orders")
    assert [repair.kind for repair in record.repairs] == ["cast"]
    assert isinstance(record.result, dict)
    assert record.result["rows"] == [[sum(1200 + i for i in range(40))]]


def test_two_faults_take_two_tries_and_three_are_given_back(run: Run) -> None:
    record = run("select city from customer where city = 'oslo'")
    assert [repair.kind for repair in record.repairs] == ["name", "value"]
    assert record.arguments["sql"] == "SELECT city FROM customers WHERE city = 'Oslo'"
    assert [bool(repair.refused) for repair in record.repairs] == [True, False]
    three = "select top 2 city from customer where city = 'oslo'"
    record = run(three)
    assert len(record.repairs) == 2
    assert (record.verdict, record.arguments["sql"]) == ("reject", three)
    assert all(repair.refused for repair in record.repairs)
    assert "R1" not in {finding.rule for finding in record.findings}


@pytest.mark.parametrize(
    "sql",
    [
        "select nothing from orders",
        "select min_price from orders",
        "selec id from orders",
        "select id from orders where region = 'Nowhere'",
        "select * from read_csv('/etc/passwd')",
        "copy orders to 'x.csv'",
        "drop table orders",
        "select id from orders; select 1",
        "select region, city, sum(amount) as s from orders join customers using (customer) group by region",
        "select to_char(amount, 'FM999') as x from orders",
        "select count(*) as n from orders, customers",
        "select cast(region as integer) as x from orders",
        "",
    ],
)
def test_what_is_not_sure_is_left_alone(run: Run, sql: str) -> None:
    record = run(sql)
    assert record.arguments["sql"] == sql
    assert record.verdict == "reject" or record.error
    assert not [repair for repair in record.repairs if not repair.refused]


@pytest.mark.parametrize(
    "sql",
    [
        "select id from orders",
        "select region, sum(amount) as s from orders group by region order by s",
        "select id from orders where amount > 1000000",
    ],
)
def test_what_runs_is_not_touched(run: Run, sql: str) -> None:
    assert run(sql).repairs == ()
    assert run(sql) == run(sql, None)


def test_nothing_is_mended_unless_it_is_wanted(run: Run) -> None:
    assert run("select amout from orders", None).verdict == "reject"
    record = run("select amout from orders", validation=False)
    assert record.error
    assert not record.repairs


def said(*replies: str) -> tuple[Repairing, list[Any]]:
    asked: list[Any] = []

    def ask(failure: Failure, tries: Sequence[Any], knowledge: Any) -> str:
        asked.append((failure, tuple(tries)))
        return replies[len(asked) - 1] if len(asked) <= len(replies) else ""

    return Repairing(ask), asked


FAILS = "select year(region) as y from orders"


def test_a_model_is_asked_where_nothing_is_sure(run: Run) -> None:
    repairing, asked = said("select year(day) as y from orders")
    record = run(FAILS, repairing)
    assert record.arguments["sql"] == "select year(day) as y from orders"
    assert record.repairs[0].kind == "model"
    assert record.verdict == "advise"
    assert len(asked) == 1
    assert "year" in asked[0][0].told


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (
            "select year(day) as y from orders join customers using (customer)",
            "other tables: customers, orders",
        ),
        ("select 2024 as y", "other tables: none"),
        ("select year(day) as y from read_parquet('/x')", "cannot be told"),
        ("select year(day) as y from orders where region = 'North'", "values of its own: North"),
        ("selec", "other tables: none"),
        ("select year(dya) as y from orders", "fails too"),
    ],
)
def test_a_models_statement_is_held_against_what_was_submitted(run: Run, reply: str, why: str) -> None:
    record = run(FAILS, said(reply)[0])
    assert record.arguments["sql"] == FAILS
    assert record.verdict == "reject"
    assert why in record.repairs[0].refused
    assert (record.repairs[0].before, record.repairs[0].after) == (FAILS, reply)


def test_a_model_may_mend_what_cannot_be_parsed_if_its_tables_are_the_same(run: Run) -> None:
    broken = "selct id from orders where id = 3"
    assert run(broken, said("select id from orders where id = 3")[0]).verdict == "advise"
    for reply in ("select customer from customers", "select id from orders where id = 4"):
        record = run(broken, said(reply)[0])
        assert record.verdict == "reject"
        assert record.repairs[0].refused


def test_a_model_is_told_why_and_asked_at_most_twice(run: Run) -> None:
    repairing, asked = said("select year(days) from customers", "select 1", "select id from orders")
    record = run(FAILS, repairing)
    assert len(asked) == len(record.repairs) == 2
    assert asked[1][1][0].refused.startswith("it reads other tables")


def test_base_tables_are_told_through_queries_inside(lake: tuple[SourceMap, Path]) -> None:
    knowledge = knowledge_of(lake[0])
    sql = "with a as (select * from orders) select * from a where customer in (select customer from CUSTOMER)"
    assert base_sources(parse(sql), knowledge) == {"orders", "customers"}
    assert base_sources(parse("select * from nothing"), knowledge) is None
    assert base_sources(parse("select * from range(3)"), knowledge) is None
    broken = (
        "with a as (select 1) selct x fro, from a join ordrs on joyn (select y from 'customers.csv') where"
    )
    assert parse(broken).tree is None
    assert base_sources(parse(broken), knowledge) == {"orders", "customers"}
    for other in (
        "selct 1",
        "selct x from '/etc/passwd' join orders",
        "select 'orders",
        "selct (x from day) fro",
    ):
        assert base_sources(parse(other), knowledge) is None
