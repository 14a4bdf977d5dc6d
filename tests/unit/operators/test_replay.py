from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.operators.record import ExecutionRecord
from lakebook.operators.replay import Replayed, replay
from lakebook.operators.runtime import Runtime
from lakebook.pipeline.replayed_rules import rule_outcome
from lakebook.sources.card import SourceMap
from lakebook.validation.registry import Rule, rules

MakeRuntime = Callable[[], Runtime]


@pytest.fixture
def make_runtime(folder: Path, source_map: SourceMap) -> MakeRuntime:
    return lambda: Runtime(source_map, lambda card, unit: folder / f"{unit.table}.parquet")


def recorded(runtime: Runtime) -> tuple[ExecutionRecord, ...]:
    runtime.load("orders")
    runtime.probe("customers", "city")
    runtime.query("select sum(amount) from orders", output="total")
    runtime.query("select * from total")
    runtime.query("select count(*) from customers where city = 'oslo'")
    return tuple(runtime.records)


def rule_of(name: str) -> Rule:
    return next(rule for rule in rules() if rule.id == name)


def test_records_replayed_on_the_same_data_say_the_same(make_runtime: MakeRuntime) -> None:
    records = recorded(make_runtime())
    again = tuple(replay(make_runtime(), records))
    assert [one.record for one in again] == list(records)
    assert [one.findings for one in again] == [record.findings for record in records]
    assert not any(one.reason for one in again)
    assert any(record.verdict == "reject" for record in records)


def test_a_rule_tells_what_it_finds_and_on_which_record(make_runtime: MakeRuntime) -> None:
    records = recorded(make_runtime())
    outcome = rule_outcome(rule_of("F2"), tuple(replay(make_runtime(), records)))
    assert not outcome.passed
    assert len(outcome.offenders) == 1
    assert outcome.offenders[0].startswith(f"{records[-1].id} reject: ")
    assert "3 of 3 Query records replayed" in outcome.message
    assert rule_outcome(rule_of("J1"), tuple(replay(make_runtime(), records))).passed


def test_a_record_that_was_edited_is_found_out(make_runtime: MakeRuntime) -> None:
    records = recorded(make_runtime())
    silenced = (*records[:-1], replace(records[-1], findings=(), verdict="pass"))
    offenders = rule_outcome(rule_of("F2"), tuple(replay(make_runtime(), silenced))).offenders
    assert any("recorded with 0 findings of F2" in told for told in offenders)


def test_what_was_run_without_rules_is_no_difference(make_runtime: MakeRuntime) -> None:
    record = recorded(make_runtime())[0]
    unchecked = replace(record, findings=(), validated=False)
    assert rule_outcome(rule_of("L2"), [Replayed(unchecked)]).passed


def test_what_cannot_be_replayed_is_named(make_runtime: MakeRuntime) -> None:
    lost = make_runtime().query("select * from total_of_a_computation").record
    lost = replace(lost, arguments={"nothing": 1}, findings=(), verdict="pass")
    (one,) = replay(make_runtime(), [lost])
    assert one.reason
    outcome = rule_outcome(rule_of("F2"), [one])
    assert outcome.passed
    assert "0 of 1 Query records replayed" in outcome.message
    assert lost.id in outcome.message


def test_a_rule_without_records_of_its_operator_passes_and_says_so() -> None:
    assert "no Query was recorded" in rule_outcome(rule_of("F2"), ()).message
