"""Typed operations through the runtime, alone and in batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakebook.operators.arguments import Answer, Inspect, Load, Operation, Probe, Query, Read, Search
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap


@pytest.fixture
def bare(folder: Path, source_map: SourceMap) -> Iterator[Runtime]:
    """A runtime without validation."""
    files = lambda card, unit: folder / f"{unit.table}.parquet"  # noqa: E731
    with Runtime(source_map, files, validation=False) as made:
        yield made


def test_what_is_wrong_with_an_operation_stands_in_its_record(runtime: Runtime) -> None:
    record = runtime.run(Probe(table="custmers", columns=("city",)))
    assert (record.id, record.operator, record.verdict) == ("r001", "Probe", "pass")
    assert record.error == "there is no table 'custmers'. Nearest: customers."
    record = runtime.run(Inspect(table="customers", kind="head", rows=2))
    assert record.error == ""
    assert isinstance(record.result, dict)
    assert record.result["rows"] == [["c0", "Oslo", 0], ["c1", "Rome", 100]]
    assert record.result["shown"] == "2 of 4 rows"
    assert not record.observations[0].coverage.complete


def test_a_sample_is_spread_over_the_table_and_says_so(runtime: Runtime) -> None:
    record = runtime.run(Inspect(table="words", kind="sample", rows=3))
    assert isinstance(record.result, dict)
    assert record.result["rows"] == [["word 0"], ["word 1000"], ["word 2000"]]
    assert record.result["shown"] == "3 of 3,000 rows"
    whole = runtime.run(Inspect(table="customers", kind="sample", rows=10))
    assert whole.observations[0].coverage.complete


def test_the_schema_tells_what_the_card_knows(runtime: Runtime) -> None:
    record = runtime.run(Inspect(table="orders"))
    assert isinstance(record.result, dict)
    columns = record.result["columns"]
    assert isinstance(columns, list)
    assert columns[0] == {"name": "id", "type": "integer", "role": "identifier", "nulls": 0, "distinct": 40}


def test_shapes_and_keys_are_probed(runtime: Runtime) -> None:
    shapes = runtime.run(Probe(table="orders", columns=("day",), kind="pattern")).result
    assert shapes == {
        "shapes": [{"shape": "9-9-9", "rows": 40, "example": "2024-01-01"}], "complete": True,
    }  # fmt: skip
    match = runtime.run(
        Probe(table="customers", columns=("customer", "credit"), kind="match",
              other_table="orders", other_columns=("customer", "amount"))
    ).result  # fmt: skip
    assert isinstance(match, dict)
    assert (match["left_keys"], match["right_keys"], match["keys_in_both"]) == (4, 40, 1)
    assert match["only_left"] == ["c1, 100", "c2, 200", "c3, 300"]
    assert match["joined_rows"] == "1"


def test_keys_are_paired_in_the_order_that_was_given(runtime: Runtime) -> None:
    crossed = Probe(
        table="customers", columns=("credit", "customer"), kind="match",
        other_table="orders", other_columns=("amount", "customer"),
    )  # fmt: skip
    match = runtime.run(crossed).result
    assert isinstance(match, dict)
    assert match["keys_in_both"] == 1
    assert match["only_left"] == ["100, c1", "200, c2", "300, c3"]


def test_an_earlier_probe_serves_a_later_query_of_the_batch(runtime: Runtime) -> None:
    probed, query = runtime.run_batch(
        [
            Probe(table="customers", columns=("city",)),
            Query(sql="select customer from customers where city = 'Roma'", output="romans"),
        ]
    )
    assert probed.verdict == "pass"
    assert [finding.rule for finding in query.findings] == ["F1"]
    assert query.verdict == "reject"


def test_a_failed_one_stops_only_those_that_need_it(runtime: Runtime) -> None:
    batch: list[Operation] = [
        Query(sql="select customer from customers where city = 'Roma'", output="romans"),
        Query(sql="select count(*) as n from romans", output="counted"),
        Probe(table="romans", columns=("customer",)),
        Query(sql="select count(*) as n from orders", output="orders_in_all"),
        Answer(value=3, references=("counted",)),
        Load(table="orders"),
    ]
    runtime.run(Probe(table="customers", columns=("city",)))
    records = runtime.run_batch(batch)
    assert [record.id for record in records] == [f"r{number:03d}" for number in range(2, 8)]
    assert records[0].verdict == "reject"
    assert records[1].error == "not run: it needs romans, but r002, which was to give it, was rejected."
    assert records[2].error.startswith("not run: it needs romans")
    assert records[3].error == ""
    assert records[4].error == "not run: it needs counted, but r003, which was to give it, did not run."
    assert (records[5].error, records[5].output) == ("", "orders")


def test_a_name_that_was_given_again_is_no_longer_missed(runtime: Runtime) -> None:
    records = runtime.run_batch(
        [
            Query(sql="select nothing from orders", output="t"),
            Query(sql="select id from orders", output="t"),
            Query(sql="select count(*) from t"),
        ]
    )
    assert [record.error for record in records[1:]] == ["", ""]
    assert records[0].verdict == "reject"


def test_what_is_loaded_enters_the_scope(runtime: Runtime) -> None:
    runtime.run_batch([Load(table="orders"), Load(path="customers.csv"), Load(table="orders")])
    assert runtime.scope == {"orders.csv": "r001", "customers.csv": "r002"}
    assert "Nearest: customers.csv" in runtime.run(Load(path="custmers.csv")).error


def test_search_and_read_need_what_was_kept(runtime: Runtime) -> None:
    assert "no index" in runtime.run(Search(query="orders")).error
    assert "cannot be read here" in runtime.run(Read(path="orders.csv")).error


def test_without_validation_rules_are_silent_and_the_records_say_so(bare: Runtime) -> None:
    wrong = "select sum(o.amount) from orders o, prices p where o.region = 'nort'"
    record = bare.run(Query(sql=wrong))
    assert (record.findings, record.validated, record.verdict) == ((), False, "not_checked")
    assert record.result is not None
    assert bare.run(Answer(text="It is 12.")).verdict == "not_checked"


@pytest.mark.parametrize("sql", ["drop view orders", "select 1; select 2", "copy orders to 'x.csv'"])
def test_without_validation_the_lake_stays_closed(bare: Runtime, sql: str) -> None:
    assert bare.run(Query(sql=sql)).verdict == "reject"
    assert bare.run(Query(sql="select count(*) from orders")).error == ""
