"""Queries from end to end: checks with measured evidence, results, records."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap


def findings(runtime: Runtime, sql: str, **options: object) -> dict[str, str]:
    """Rule -> action."""
    record = runtime.query(sql, **options).record  # type: ignore[arg-type]
    return {finding.rule: finding.action for finding in record.findings}


RIGHT = [
    "select city, sum(amount) from orders join customers using (customer) group by city",
    "select count(*) from orders where region = 'north'",
    "select customer, sum(amount) a from orders group by customer order by a desc, customer limit 2",
    "select sum(credit) from (select distinct customer from orders) o join customers using (customer)",
    "select sum(c.credit) from orders o join customers c on o.customer = c.customer and o.id < 4",
    "select amount / nullif(quantity, 0) r from orders where quantity > 0",
    "select amount / quantity from orders where quantity > 1",
    "select count(*), count(region) from orders",
    "with t as (select customer, count(*) n from orders group by customer) select avg(n) from t",
    "select word from words where word = 'word 2999'",
    "select max(c.credit) from orders o join customers c using (customer)",
    "select count(*) from orders cross join customers",
    "select customer from customers where customer not in (select customer from orders) union all select 'x'",
    "select day, sum(amount) over (order by day) from orders",
]


@pytest.mark.parametrize("sql", RIGHT)
def test_right_work_raises_no_alarm(runtime: Runtime, sql: str) -> None:
    result = runtime.query(sql)
    assert result.record.findings == ()
    assert result.record.verdict == "pass"
    assert result.record.error == ""
    assert result.rows


WRONG = [
    ("select citi from customers", "B1", "reject"),
    ("select 1 from customer", "B3", "reject"),
    ("select customer from orders o join customers c on o.customer = c.customer", "B2", "reject"),
    ("select sum(id) from orders", "B12", "advise"),
    ("select 1 from words where word = 'word 3001'", "F1", "reject"),
    ("select 1 from words where word = 'WORD 12'", "F2", "reject"),
    ("select 1 from orders where quantity = 9", "F1", "reject"),
    ("select 1 from orders where day = '2030-01-01'", "F1", "reject"),
    ("select 1 from partly where city = 'Lima'", "F1", "advise"),
    ("select 1 from orders where amount > 9 and amount < 3", "F5", "reject"),
    ("select 1 from customers where city not in (select region from orders)", "F7", "reject"),
    ("select 1 from orders where region = null", "F8", "reject"),
    ("select 1 from orders o left join customers c using (customer) where c.credit > 100", "F9", "advise"),
    ("select 1 from orders, customers", "J1", "reject"),
    ("select count(*) from orders o join prices p using (customer)", "J3", "advise"),
    ("select sum(c.credit) from orders o join customers c using (customer)", "J4", "advise"),
    ("select 1 from orders o join customers c on o.customer = c.credit", "J6", "reject"),
    ("select count(region) from orders", "A3", "advise"),
    ("select amount / quantity from orders", "A6", "advise"),
    ("select amount / quantity from orders", "A21", "advise"),
    ("select id from orders limit 3", "O1", "advise"),
    ("select customer, count(*) n from orders group by customer order by n desc limit 2", "O2", "advise"),
    ("select id from orders where quantity = 0 and amount = 1.5", "O11", "advise"),
    ("select id from orders where id in (1) and quantity = 4", "O11", "advise"),
    ("select 1 from read_csv('x.csv')", "Q3", "reject"),
    ("drop view orders", "Q2", "reject"),
    ("select 1; select 2", "Q1", "reject"),
    ("selec 1", "Q1", "reject"),
    ("", "Q1", "reject"),
    ("select no_such_function(id) from orders", "Q4", "reject"),
]


@pytest.mark.parametrize(
    ("sql", "rule", "action"), WRONG, ids=[f"{rule}-{sql[:40]}" for sql, rule, _ in WRONG]
)
def test_wrong_work_is_met_by_its_rule(runtime: Runtime, sql: str, rule: str, action: str) -> None:
    assert findings(runtime, sql).get(rule) == action


def test_a_rejected_query_does_not_run(runtime: Runtime) -> None:
    result = runtime.query("select 1 from orders, customers")
    assert result.rows == ()
    assert result.record.result is None
    assert result.record.result_sha256 == ""
    assert result.record.verdict == "reject"


def test_a_meant_product_runs(runtime: Runtime) -> None:
    result = runtime.query("select count(*) from orders, customers", confirm_cross=True)
    assert result.rows == ((160,),)
    assert result.record.arguments["confirm_cross"] is True


def test_the_record_says_what_was_read_and_what_came_out(runtime: Runtime) -> None:
    record = runtime.query(
        "select city, sum(o.amount) s from orders o join customers c using (customer) group by 1 order by 1",
        purpose="q",
    ).record
    assert [(one.source, one.columns, one.rows) for one in record.inputs] == [
        ("customers.csv", ("city",), 4),
        ("orders.csv", ("amount",), 40),
    ]
    assert record.inputs[0].sha256.startswith("customers")
    assert isinstance(record.result, dict)
    assert record.result["row_count"] == 3
    assert record.result["rows"] == [["Lima", 615.0], ["Oslo", 270.0], ["Rome", 285.0]]
    assert len(record.result_sha256) == 64
    assert {one.kind for one in record.observations} == {"result_rows", "joined_keys"}
    assert (record.id, record.purpose, record.started) == ("r001", "q", "2025-01-01T00:00:00.000+00:00")


def test_equal_runs_leave_equal_records(folder: Path, source_map: SourceMap) -> None:
    kept = []
    for _ in range(2):
        with Runtime(source_map, lambda card, unit: folder / f"{unit.table}.parquet") as runtime:
            for sql in RIGHT:
                runtime.query(sql)
            runtime.probe("orders", "customer")
            kept.append(runtime.records)
    assert kept[0] == kept[1]


def test_declared_inputs_bound_what_may_be_read(runtime: Runtime) -> None:
    assert runtime.query("select count(*) from orders", ["orders"]).record.verdict == "pass"
    assert findings(runtime, "select count(*) from customers", inputs=["orders"]) == {"B3": "reject"}


def test_an_output_serves_later_queries(runtime: Runtime) -> None:
    runtime.query("select customer, sum(amount) as total from orders group by customer", output="totals")
    later = runtime.query("select count(*) from totals where total > 0")
    assert later.rows == ((4,),)
    assert later.record.inputs[0].source == "result totals"
    assert findings(runtime, "select totall from totals") == {"B1": "reject"}
    again = runtime.query("select 1 as a", output="totals").record
    assert "already" in again.error


def test_a_failing_run_is_recorded_with_its_error(runtime: Runtime) -> None:
    record = runtime.query("select error(customer) from orders").record
    assert "c0" in record.error
    assert record.result is None


def test_the_condition_that_emptied_the_result_is_named(runtime: Runtime) -> None:
    (finding,) = runtime.query("select id from orders where id in (1) and quantity = 4").record.findings
    assert "after quantity = 4" in finding.message
    assert finding.observed == "40 rows → 1 after id IN (1) → 0 after quantity = 4; alone it holds in 8"


def test_fan_out_is_counted_behind_the_querys_own_conditions(runtime: Runtime) -> None:
    sql = "select sum(c.credit) from orders o join customers c using (customer) where o.id {}"
    (finding,) = runtime.query(sql.format("< 8")).record.findings
    assert finding.observed == "4 rows of c stand 8 times after the join"
    assert runtime.query(sql.format("< 4")).record.findings == ()


def test_fan_out_is_found_inside_a_cte(runtime: Runtime) -> None:
    sql = (
        "with big as (select customer, credit from customers where credit >= 0), "
        "joined as (select sum(big.credit) s from orders o join big using (customer)) select s from joined"
    )
    assert findings(runtime, sql) == {"J4": "advise"}


def test_ties_are_counted_exactly(runtime: Runtime) -> None:
    (finding,) = runtime.query("select id, quantity from orders order by quantity limit 5").record.findings
    assert finding.observed == "3 further rows tie with row 5"
    assert runtime.query("select id, quantity from orders order by quantity limit 8").record.findings == ()
    assert runtime.query("select id from orders order by id limit 5").record.findings == ()


def test_what_is_not_understood_is_run_and_said_to_be_unchecked(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lakebook.operators import query as module
    from lakebook.validation.statement import Statement

    monkeypatch.setattr(module, "parse", lambda sql: Statement(sql, problem="beyond the parser"))
    result = runtime.query("select count(*) from orders")
    assert result.rows == ((40,),)
    assert result.record.verdict == "not_checked"


@pytest.mark.parametrize(
    "sql",
    [
        "FROM (UNPIVOT customers ON credit INTO NAME what VALUE v) SELECT what, max(v) GROUP BY what",
        "PIVOT customers ON city IN ('Lima', 'Oslo') USING sum(credit)",
        "SELECT what, avg(v) FROM (UNPIVOT customers ON credit INTO NAME what VALUE v) GROUP BY what",
        "UNPIVOT customers ON credit INTO NAME what VALUE v",
        "WITH u AS (UNPIVOT customers ON credit INTO NAME what VALUE v) SELECT avg(v) FROM u",
    ],
)
def test_what_turns_columns_into_rows_runs_unchecked_and_says_so(runtime: Runtime, sql: str) -> None:
    record = runtime.query(sql).record
    assert not record.error
    assert record.verdict == "not_checked"
    assert record.result is not None


def test_what_is_not_analysed_still_reads_the_lake_only(runtime: Runtime) -> None:
    sql = "SELECT * FROM (UNPIVOT read_csv('/etc/passwd') ON column0 INTO NAME what VALUE v)"
    record = runtime.query(sql).record
    assert record.verdict == "reject"
    assert record.result is None
