"""EDA queries of a model: what stands up is taken, the rest is said; else the offline ones serve."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lakebook.analyst.intent import Intent
from lakebook.analyst.model.analyst import ModelAnalyst
from lakebook.analyst.model.protocol import BadReply
from lakebook.analyst.model.questions import drafts_from
from lakebook.analyst.table import Table
from lakebook.retrieval.queries import MOST_QUERIES, eda_queries

Opened = Callable[..., ModelAnalyst]
INTENT = Intent(
    "which regions lose profit in 2024?", "compare", target="Profit", columns=("Region", "Discount")
)


def reply(*queries: Any) -> str:
    return json.dumps({"queries": list(queries)})


def query(goal: str, *columns: Any) -> dict[str, Any]:
    return {"goal": goal, "columns": list(columns)}


GOOD = reply(query("Profit by region", "Profit", "Region"), query("Losses in 2024", "Profit"))


def test_the_models_queries_come_first_and_offline_ones_fill_up(
    endpoint: Any, analyst: Opened, table: Table
) -> None:
    endpoint.says(GOOD)
    queries, note = analyst().eda_queries(INTENT, table)
    assert [one.goal for one in queries[:2]] == ["Profit by region", "Losses in 2024"]
    assert queries[0].why == "asked by the model m"
    assert note == ""
    assert {"Profit", "Region", "Discount"} <= {name for one in queries for name in one.columns}
    assert 2 < len(queries) <= MOST_QUERIES
    [body] = endpoint.bodies
    assert "CANARY" not in json.dumps(body)


def test_what_does_not_stand_up_is_dropped_and_said(endpoint: Any, analyst: Opened, table: Table) -> None:
    endpoint.says(
        reply(
            query("Profit by region", "Profit", "Region", "Country"),
            query("Profit by discount", "Discount", "Profit", "Profit"),
            query("Profit by planet", "Planet"),
            query("Profit fell by 37 percent", "Profit"),
            query("", "Profit"),
            {"goal": "no columns"},
            "not a query",
        )
    )
    queries, note = analyst().eda_queries(INTENT, table)
    assert [one.columns for one in queries[:2]] == [("Profit", "Region"), ("Discount", "Profit")]
    assert not any("37" in one.goal or "planet" in one.goal for one in queries)
    assert "Country" not in {name for one in queries for name in one.columns}
    assert note.startswith("Of the model m was left out: 1 unknown columns of a query; ")
    assert "a query that states a number" in note


@pytest.mark.parametrize(
    "answer", ["no JSON", "{}", '{"queries": 3}', reply(query("a", "Gone")), reply(), 500]
)
def test_without_usable_queries_the_offline_ones_serve(
    endpoint: Any, analyst: Opened, table: Table, answer: Any
) -> None:
    endpoint.says(answer)
    opened = analyst()
    queries, note = opened.eda_queries(INTENT, table)
    assert queries == eda_queries(INTENT, table)
    assert "they are the offline analyst's" in note
    assert "the queries" in opened.notes[0]


def test_a_spent_budget_asks_nobody(endpoint: Any, analyst: Opened, table: Table) -> None:
    endpoint.says(GOOD)
    queries, _ = analyst(max_calls=0).eda_queries(INTENT, table)
    assert queries == eda_queries(INTENT, table)
    assert endpoint.bodies == []


def test_many_and_long_queries_are_bounded(table: Table) -> None:
    many = [query(f"Question {'x' * number}", "Profit") for number in range(40)]
    drafts, _ = drafts_from(reply(*many), "m", "q", table)
    assert len(drafts) == MOST_QUERIES
    with pytest.raises(BadReply, match="fewer than two"):
        drafts_from(reply(query("x" * 500, "Profit"), query("fine", "Profit")), "m", "q", table)
