"""Limits on calls, tokens, cost and time; what is expected before; what the ledger says of the cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lakebook.analyst.model.analyst import ModelAnalyst
from lakebook.analyst.model.budget import Budget, Budgeted, Usage, shown_cost
from lakebook.analyst.model.forecast import conversation, forecast, main_job
from lakebook.analyst.model.privacy import probe_request
from lakebook.analyst.model.protocol import BudgetSpent, EndpointFailed, Reply
from lakebook.analyst.table import Table
from lakebook.settings import ModelSettings, Price

PRICE = Price(1_000.0, 2_000.0)  # a thousandth a token sent, two a token received


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Slow:
    """Takes ten seconds and thirty tokens a call."""

    name = "slow"

    def __init__(self, clock: Clock, fails: bool = False) -> None:
        self.clock, self.fails, self.asked = clock, fails, 0

    def complete(self, request: Any, on_text: Any = None) -> Reply:
        self.asked += 1
        self.clock.now += 10
        if self.fails:
            raise EndpointFailed("down")
        return Reply("{}", 20, 10)


def asked_until_denied(budget: Budget, model: Slow, price: Price | None = PRICE) -> str:
    counted = Budgeted(model, budget, price)
    for _ in range(20):
        try:
            counted.complete(probe_request())
        except BudgetSpent as spent:
            return f"{spent.message} {spent.hint} {spent.exit_code}"
    return ""


@pytest.mark.parametrize(
    ("limits", "calls", "why"),
    [
        ({"max_calls": 3}, 3, "3 calls"),
        ({"max_tokens": 300}, 7, "300 tokens"),
        ({"max_cost": 0.5}, 9, "0.5 in cost"),
        ({"max_cost": 0.0}, 0, "0 in cost"),
        ({"max_seconds": 35}, 3, "35 seconds"),
    ],
)
def test_the_call_that_would_pass_a_limit_is_not_made(limits: dict[str, Any], calls: int, why: str) -> None:
    clock = Clock()
    budget = Budget(**({"max_calls": 99, "max_tokens": 9_999} | limits), clock=clock)
    model = Slow(clock)
    said = asked_until_denied(budget, model)
    assert why in said
    assert f"Raise {next(iter(limits))} (--max-" in said
    assert said.endswith(" 5")
    assert why in budget.denied
    assert model.asked == budget.calls == calls
    assert budget.tokens == 30 * calls
    assert budget.cost == pytest.approx(0.04 * calls)
    for name, limit in limits.items():
        assert getattr(budget, name.removeprefix("max_")) <= limit


def test_a_failed_call_costs_its_estimate_and_the_meter_hears_of_each() -> None:
    told: list[str] = []
    budget = Budget(
        9, 9_999, max_cost=9.0, clock=(clock := Clock()), on_change=lambda b: told.append(b.told())
    )
    with pytest.raises(EndpointFailed):
        Budgeted(Slow(clock, fails=True), budget, PRICE).complete(probe_request())
    assert budget.tokens > 50
    Budgeted(Slow(clock), budget, PRICE).complete(probe_request())
    assert [text.split(",")[0] for text in told] == ["1 call", "2 calls"]
    assert told[-1].endswith(" of 9")
    assert budget.denied == ""


def test_a_model_without_a_price_costs_nothing_and_says_none() -> None:
    budget = Budget(9, 9_999, clock=(clock := Clock()))
    Budgeted(Slow(clock), budget).complete(probe_request())
    assert (budget.cost, budget.told()) == (0.0, "1 call, 30 tokens")


def test_an_analysis_whose_budget_is_spent_is_done_offline(
    endpoint: Any, analyst: Callable[..., ModelAnalyst], table: Table
) -> None:
    endpoint.says("nonsense")
    spender = analyst(max_cost=0.0001, price=PRICE)
    _, by_model = spender.read_intent("which regions lose profit?", table)
    assert not by_model
    assert "0.0001 in cost" in spender.budget.denied
    assert (endpoint.bodies, spender.budget.calls) == ([], 0)


def test_the_ledger_says_what_a_call_cost(
    endpoint: Any, analyst: Callable[..., ModelAnalyst], table: Table, tmp_path: Path
) -> None:
    endpoint.says("nonsense")
    analyst(price=PRICE).read_intent("which regions lose profit?", table)
    line = (tmp_path / "state" / "llm_calls.jsonl").read_text().splitlines()[0]
    assert json.loads(line)["cost"] == pytest.approx(0.14)
    assert "secret-key" not in line


def settings(**more: Any) -> ModelSettings:
    return ModelSettings(**({"name": "m", "price": PRICE} | more))


def test_what_is_expected_rests_on_the_past_where_there_is_one(tmp_path: Path) -> None:
    ledger = tmp_path / "llm_calls.jsonl"
    planned = main_job(10, settings())
    unknown = forecast(planned, settings(), ledger)
    assert unknown.calls == (3, 20)
    assert unknown.seconds is None
    assert "time unknown" in unknown.told()
    calls = [
        {
            "model": "m",
            "purpose": "intent",
            "tokens": {"prompt": 1000, "completion": 7},
            "seconds": 4,
            "error": "",
        },
        {
            "model": "m",
            "purpose": "intent",
            "tokens": {"prompt": 0, "completion": 0},
            "seconds": 2,
            "error": "",
        },
        {"model": "other", "purpose": "intent", "tokens": {"prompt": 9, "completion": 9}, "seconds": 99},
    ]
    ledger.write_text("".join(json.dumps(call) + "\n" for call in calls) + '{"cut')
    known = forecast(planned[:1], settings(), ledger)
    assert (known.calls, known.tokens, known.seconds) == ((1, 1), (1007, 1007), (3.0, 3.0))
    assert known.cost == pytest.approx((1.014, 1.014))
    assert known.told() == "1 calls, 1,007 tokens, cost 1.01, 3 s"


def test_what_is_expected_passes_no_limit(tmp_path: Path) -> None:
    tight = settings(max_calls=2, max_tokens=100, max_cost=0.01)
    found = forecast(main_job(10, tight), tight, tmp_path / "none")
    assert (found.calls, found.tokens) == ((2, 2), (100, 100))
    assert found.cost == (0.01, 0.01)
    assert len(main_job(10, settings(privacy="schema"))) == 2


def test_a_conversation_grows_with_every_round() -> None:
    few, more = conversation((2, 4), first=1_000, each=300, reply=200)
    assert (few.fewest, few.usage) == (2, Usage(1_250, 200))
    assert (more.fewest, more.most, more.usage) == (0, 2, Usage(2_250, 200))


@pytest.mark.parametrize(
    ("cost", "shown"), [(0, "0.00"), (12.3, "12.30"), (0.0123, "0.012"), (4e-5, "4e-05")]
)
def test_small_costs_are_shown(cost: float, shown: str) -> None:
    assert shown_cost(cost) == shown
