"""A statement that failed, before a model: hidden, asked about, and given back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakebook.analyst.model.privacy import HiddenLiterals, NotAllowed, statement_request
from lakebook.analyst.model.protocol import BudgetSpent, EndpointFailed, Reply
from lakebook.analyst.model.statements import ModelMender
from lakebook.operators.record import Repair
from lakebook.sources.card import Column
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.repair import Failure

TABLE = KnownTable(
    "sales", (Column("region", "region", "text", "category", 0, 2),), 9, "sales.csv", sha256="0"
)
SQL = (
    "select yeer(region), round(x, 2) from sales where region = 'CANARY''s' and x > 77123 -- CANARY\nlimit 10"
)
ERROR = "Conversion Error: Could not convert string 'CANARY' to INT32 from source column region"
EARLIER = [("select 'CANARY' from sales", "it fails too: could not convert 'CANARY'")]


@pytest.mark.parametrize("privacy", ["schema", "samples"])
def test_no_text_and_no_number_of_a_statement_leaves(privacy: Any) -> None:
    hidden = HiddenLiterals()
    request = statement_request(SQL, ERROR, [TABLE], EARLIER, privacy, hidden)
    sent = request.messages[-1][1]
    assert "CANARY" not in repr(request)
    assert "77123" not in sent
    facts = json.loads(sent)
    assert (
        facts["sql"]
        == "select yeer(region), round(x, 2) from sales where region = 'T1_' and x > 900001 limit 10"
    )
    assert (
        facts["error"] == "Conversion Error: Could not convert string '…' to INT32 from source column region"
    )
    assert facts["tables"] == [{"name": "sales", "columns": [{"name": "region", "type": "text"}]}]
    mended = "select year(region) from sales where region = 'T1_' and x > 900001 limit 10"
    assert hidden.give_back(mended) == (
        "select year(region) from sales where region = 'CANARY''s' and x > 77123 limit 10"
    )


def test_under_full_it_leaves_as_it_is_and_what_cannot_be_hidden_does_not_leave() -> None:
    request = statement_request(SQL, ERROR, [TABLE], EARLIER, "full", HiddenLiterals())
    assert json.loads(request.messages[-1][1])["sql"] == SQL
    for sql in ("select 'CANARY", "select 1" + " " * 9_000):
        with pytest.raises(NotAllowed):
            statement_request(sql, ERROR, [TABLE], (), "schema", HiddenLiterals())


class Model:
    name = "m"

    def __init__(self, reply: Any) -> None:
        self.reply, self.asked = reply, []

    def complete(self, request: Any, on_text: Any = None) -> Reply:
        self.asked.append(request)
        if isinstance(self.reply, Exception):
            raise self.reply
        return Reply(self.reply)


def mender(reply: Any) -> ModelMender:
    return ModelMender(Model(reply), "schema")


FAILURE = Failure("select yeer(region) from sales where region = 'CANARY'", ERROR)
KNOWN = Knowledge({"sales": TABLE})
TRIED = (Repair("model", "", "", "select 1", "it reads other tables"),)


def test_a_models_statement_gets_its_texts_back() -> None:
    reply = json.dumps({"sql": "select upper(region) from sales where region = 'T1_'"})
    assert (
        mender(f"Sure: {reply}")(FAILURE, TRIED, KNOWN)
        == "select upper(region) from sales where region = 'CANARY'"
    )


@pytest.mark.parametrize(
    "reply", ["no", '{"sql": 3}', '{"sql": " "}', EndpointFailed("down"), BudgetSpent("spent")]
)
def test_a_model_that_is_of_no_use_proposes_nothing(reply: Any) -> None:
    asked = mender(reply)
    assert asked(FAILURE, (), KNOWN) == ""
    assert bool(asked.notes) is (not isinstance(reply, str) or reply == "no")
