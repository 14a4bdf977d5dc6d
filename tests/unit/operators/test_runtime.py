"""Load, Probe, Compute and Answer, and the shared state between them."""

from __future__ import annotations

import pytest

from lakebook.analyst.claim import Claim
from lakebook.analyst.table import Table, TableColumn
from lakebook.errors import OperatorError, SandboxUnavailable, TimedOut
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap

TABLE = Table(
    "orders", "orders.csv", "", "f" * 64, 40, 41,
    (TableColumn("amount", "number", "flow", 0, 40), TableColumn("region", "text", "dim", 4, 1)), "",
)  # fmt: skip


def test_load_accounts_for_the_rows(runtime: Runtime, source_map: SourceMap) -> None:
    record = runtime.load(source_map.cards[0].units[0], purpose="dataset")
    assert record.operator == "Load"
    assert record.verdict == "pass"
    assert record.output == "orders"
    assert isinstance(record.result, dict)
    assert record.result["rows"] == record.result["rows_in_file"] == 40
    partly = runtime.load("partly")
    assert partly.verdict == "advise"
    assert partly.findings[0].rule == "L2"
    with pytest.raises(OperatorError, match="no unit"):
        runtime.load("nothing")


def test_probe_lists_values_and_serves_later_queries(runtime: Runtime) -> None:
    record = runtime.probe("customers", "city", "distinct")
    assert record.result == {"values": {"Lima": 2, "Oslo": 1, "Rome": 1}, "complete": True}
    assert record.observations[0].coverage.complete
    (finding,) = runtime.query("select 1 from customers where city = 'Roma'").record.findings
    assert finding.action == "reject"
    assert "'Lima', 'Oslo', 'Rome'" in finding.observed
    assert finding.hint == "Nearest: 'Rome'."


def test_probe_of_many_values_is_partial_and_says_so(runtime: Runtime) -> None:
    record = runtime.probe("words", "word")
    assert isinstance(record.result, dict)
    assert record.result["complete"] is False
    assert not record.observations[0].coverage.complete
    assert "1,000" in record.observations[0].coverage.note


def test_probe_of_a_table_with_rejected_rows_is_never_complete(runtime: Runtime) -> None:
    record = runtime.probe("partly", "city")
    assert isinstance(record.result, dict)
    assert record.result["complete"] is False
    assert "2 rows of the file" in record.observations[0].coverage.note


def test_probe_measures_ranges_nulls_and_keys(runtime: Runtime) -> None:
    assert runtime.probe("orders", "region", "nulls").result == {
        "rows": 40, "nulls": 4, "distinct_values": 1, "smallest": "north", "largest": "north",
    }  # fmt: skip
    day = runtime.probe("orders", "day", "range").result
    assert isinstance(day, dict)
    assert (day["smallest"], day["largest"]) == ("2024-01-01", "2024-02-09")
    assert runtime.probe("orders", ["id"], "key").result == {
        "rows": 40, "combinations": 40, "most_rows_of_one": 1, "unique": True,
    }  # fmt: skip
    both = runtime.probe("orders", ["customer", "quantity"], "key").result
    assert isinstance(both, dict)
    assert (both["unique"], both["combinations"], both["most_rows_of_one"]) == (False, 20, 2)


def test_probe_names_what_is_not_there(runtime: Runtime) -> None:
    with pytest.raises(OperatorError, match="no table"):
        runtime.probe("nowhere", "x")
    with pytest.raises(OperatorError, match="no column") as caught:
        runtime.probe("customers", "town")
    assert "city" in caught.value.hint


def test_compute_gives_facts_and_a_record(runtime: Runtime) -> None:
    runtime.prepare("df = [1, 2, 3]")
    facts = runtime.compute(
        "total", "total = {'sum': sum(df), 'of': 'amount'}", table=TABLE, purpose="O1", seconds=5
    )
    assert facts == {"sum": 6, "of": "amount"}
    record = runtime.records[-1]
    assert (record.operator, record.output, record.purpose, record.error) == ("Compute", "total", "O1", "")
    assert record.result == facts
    assert record.inputs[0].columns == ("amount",)
    assert (record.inputs[0].rows, record.inputs[0].rows_in_source) == (40, 41)


def test_compute_leaves_the_shared_state_as_it_was(runtime: Runtime) -> None:
    runtime.prepare("df = 1")
    runtime.compute("x", "df = 5\nx = {'df': df}", table=TABLE)
    assert runtime.compute("y", "y = {'df': df}", table=TABLE) == {"df": 1}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("x = {'a': missing}", "NameError"),
        ("y = 1", "NameError"),
        ("x = [1, 2]", "not a dictionary"),
        ("x = {", "SyntaxError"),
        ("df[df['a'] > 3]['b'] = 1\nx = {}", "rejected"),
    ],
)
def test_failing_code_is_recorded_and_gives_none(runtime: Runtime, code: str, error: str) -> None:
    assert runtime.compute("x", code, table=TABLE) is None
    assert error in runtime.records[-1].error
    assert runtime.records[-1].result is None


def test_a_time_out_is_recorded_but_no_isolation_is_not_swallowed(
    runtime: Runtime, session: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object, **__: object) -> None:
        raise TimedOut("too slow")

    monkeypatch.setattr(type(session), "run_forked", late)
    assert runtime.compute("x", "x = {}", table=TABLE) is None
    assert runtime.records[-1].error == "too slow"

    def gone(*_: object, **__: object) -> None:
        raise SandboxUnavailable("none")

    monkeypatch.setattr(type(session), "run_forked", gone)
    with pytest.raises(SandboxUnavailable):
        runtime.compute("x", "x = {}", table=TABLE)


def test_prepare_that_fails_stops(runtime: Runtime) -> None:
    with pytest.raises(OperatorError, match="ZeroDivisionError"):
        runtime.prepare("1 / 0")
    assert "ZeroDivisionError" in runtime.records[-1].error


def test_without_a_session_nothing_is_computed(source_map: SourceMap) -> None:
    runtime = Runtime(source_map, lambda card, unit: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(OperatorError, match="no sandbox session"):
        runtime.compute("x", "x = {}", table=TABLE)


def test_answer_rests_on_records(runtime: Runtime) -> None:
    facts = runtime.compute("x", "x = {'n': 40}", table=TABLE)
    assert facts is not None
    claim = Claim("c001", "n", "number", "x['n']", 40, "40", record=runtime.records[-1].id)
    accepted = runtime.answer("There are 40 orders.", [claim])
    assert accepted.verdict == "pass"
    assert accepted.result == {"text": "There are 40 orders.", "claims": {"c001": 40}}
    refused = runtime.answer("There are 40 orders of 12 people.", [claim])
    assert (refused.verdict, refused.result) == ("reject", None)
    assert runtime.answer("There are 40.", []).verdict == "reject"


def test_records_are_numbered_in_order_and_timed(runtime: Runtime) -> None:
    runtime.load("orders")
    runtime.probe("orders", "customer")
    runtime.query("select 1")
    assert [record.id for record in runtime.records] == ["r001", "r002", "r003"]
    assert all(record.seconds > 0 for record in runtime.records)
    assert runtime.records[0].started < runtime.records[1].started
