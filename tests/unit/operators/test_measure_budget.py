from __future__ import annotations

import pytest

from lakebook.operators.measure.budget import FREE_ROWS, MOST_PROBES, Budget, budget_for
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import Column
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.statement import parse


def test_a_budget_is_spent_by_rows_and_by_probes() -> None:
    budget = Budget(rows=10)
    assert budget.allows(6)
    assert not budget.allows(6)
    assert budget.allows(4)
    assert budget.refused == 1
    many = Budget(rows=1e9)
    assert sum(many.allows(1) for _ in range(MOST_PROBES + 5)) == MOST_PROBES


def test_the_budget_of_a_query_follows_what_it_reads() -> None:
    knowledge = Knowledge()
    column = Column("k", "k", "integer", "category", 0, 5)
    for name, rows in (("small", 10), ("large", 10_000_000)):
        knowledge.learn_table(KnownTable(name, (column,), rows, name))
    assert budget_for(parse("select k from small"), knowledge).rows == FREE_ROWS
    assert budget_for(parse("select k from large"), knowledge).rows == 15_000_000
    both = budget_for(parse("with t as (select k from large) select 1 from t, large"), knowledge)
    assert both.rows >= 30_000_000


def test_what_the_budget_refuses_is_told_from_keys_or_not_checked(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lakebook.operators.measure import budget

    monkeypatch.setattr(budget, "FREE_ROWS", 45)
    monkeypatch.setattr(budget, "SHARE", 0)
    fan = "select sum(c.credit) from orders o join customers c using (customer) where o.id < 30"
    (finding,) = [one for one in runtime.query(fan).record.findings if one.rule == "J4"]
    assert finding.action == "advise"
    assert "the whole tables" in finding.observed
    monkeypatch.setattr(budget, "FREE_ROWS", 0)
    deep = "select sum(p.price) from prices p join customers c using (customer) where p.price < 3"
    rules = {one.rule: one.action for one in runtime.query(deep).record.findings}
    assert rules["J5"] == "not_checked"
    many = "select sum(p.price) from orders o join prices p using (customer) where p.price < 3"
    rules = {one.rule: one.action for one in runtime.query(many).record.findings}
    assert rules["J4"] == "not_checked"


def test_what_was_measured_costs_nothing_again(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "select sum(c.credit) from orders o join customers c using (customer)"
    first = runtime.query(sql).record
    asked: list[str] = []
    fetch = type(runtime.lake).fetch

    def counted(self: object, statement: str, *rest: object, **options: object) -> object:
        asked.append(statement)
        return fetch(self, statement, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(type(runtime.lake), "fetch", counted)
    assert runtime.query(sql).record.findings == first.findings
    assert [one for one in asked if not one.startswith("-- The parse tree")] == [sql]


def test_where_keys_cannot_be_compared_it_is_asked_whether_they_meet(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lakebook.operators.measure import budget

    monkeypatch.setattr(budget, "FREE_ROWS", 43)  # the smaller table, and not both
    monkeypatch.setattr(budget, "SHARE", 0)
    runtime.query("select count(*) from orders o join customers c using (customer)")
    meetings = runtime.knowledge.meets
    assert list(meetings.values()) == [True, True]
