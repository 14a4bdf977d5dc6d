"""What a model proposes for a failing component: checked, run, and recorded, at most twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lakebook.analyst.model.analyst import ModelAnalyst
from lakebook.analyst.model.budget import Budget, Budgeted
from lakebook.analyst.model.ledger import Ledgered
from lakebook.analyst.model.privacy import NotAllowed, repair_request
from lakebook.analyst.model.protocol import BadReply, EndpointFailed, Reply, Request
from lakebook.analyst.model.recorded import Recorded
from lakebook.analyst.table import Table
from lakebook.enhancement.asked import MOST_TRIES, accepted
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.hidden import Hidden
from lakebook.enhancement.rerun import enhance
from lakebook.enhancement.script import Script
from lakebook.notebooks.component import Component

HEAD = "import pandas as pd\nimport matplotlib.pyplot as plt\n"
LOAD = "df = pd.read_csv('../input/avocado.csv')\n"
BROKEN = f"{HEAD}{LOAD}plt.plot(df['AveragePrice'].no_such_method())"
RIGHT = "df = lake.copy()\nplt.plot(df['average_price'])"


@dataclass
class Scripted:
    """A model that answers as it is told, and remembers what it was asked."""

    answers: list[str]
    asked: list[Request] = field(default_factory=list)
    name: str = "scripted"

    def complete(self, request: Request, on_text: Any = None) -> Reply:
        self.asked.append(request)
        if not self.answers:
            raise EndpointFailed("nobody is there")
        return Reply(json.dumps({"code": self.answers.pop(0)}), 100, 50)


Mended = Callable[..., EnhancedComponent]


@pytest.fixture
def mended(
    table: Table, session: Any, make_component: Callable[..., Component], make_retrieved: Callable[..., Any]
) -> Mended:
    def run(analyst: ModelAnalyst, code: str = BROKEN) -> EnhancedComponent:
        component = make_component(code)
        pairs = [make_retrieved(component)]
        (done,) = enhance(pairs, {component.id: component}, table, session, mender=analyst)
        return done

    return run


def analyst(model: Any, privacy: Any = "samples", calls: int = 20) -> ModelAnalyst:
    budget = Budget(calls, 60_000)
    return ModelAnalyst(Budgeted(model, budget), privacy, budget)


def test_what_runs_is_taken_and_recorded(mended: Mended) -> None:
    model = Scripted([RIGHT])
    done = mended(analyst(model))
    assert (done.status, done.error) == ("ok", "")
    repair = done.repairs[-1]
    assert (repair.kind, repair.changes_meaning) == ("by_model", True)
    assert repair.before == "plt.plot(df['average_price'].no_such_method())"
    assert repair.after == "plt.plot(df['average_price'])"
    assert "scripted" in repair.evidence
    assert "no_such_method" in repair.evidence


def test_the_second_try_knows_how_the_first_one_failed(mended: Mended) -> None:
    model = Scripted(["df = lake.copy()\nplt.plot(df['nothing'])", RIGHT])
    assert mended(analyst(model)).status == "ok"
    first, second = model.asked
    assert len(second.messages) == len(first.messages) + 2
    assert "it still fails: KeyError" in second.messages[-1][1]


def test_there_are_two_tries_and_the_component_fails_as_it_did(mended: Mended) -> None:
    model = Scripted(["x = 1"] * 5)
    done = mended(analyst(model))
    assert len(model.asked) == MOST_TRIES
    assert done.status == "failed"
    assert "no_such_method" in done.error
    assert "by_model" not in [repair.kind for repair in done.repairs]


def test_a_component_that_runs_is_not_asked_about(mended: Mended) -> None:
    model = Scripted([RIGHT])
    assert mended(analyst(model), f"{HEAD}{LOAD}plt.plot(df['AveragePrice'])").status == "ok"
    assert model.asked == []


@pytest.mark.parametrize("calls", [0, 1])
def test_the_budget_is_kept_for_the_rest(calls: int, mended: Mended) -> None:
    model = Scripted([RIGHT])
    assert mended(analyst(model, calls=calls)).status == "failed"
    assert model.asked == []


def test_under_schema_no_code_leaves(mended: Mended) -> None:
    model = Scripted([RIGHT])
    assert mended(analyst(model, privacy="schema")).status == "failed"
    assert model.asked == []
    with pytest.raises(NotAllowed):
        repair_request("x = 1", "KeyError", "", (), "schema")
    with pytest.raises(NotAllowed):
        repair_request("x = 1\n" * 2_000, "KeyError", "", (), "samples")


def test_no_value_of_the_table_leaves(mended: Mended) -> None:
    code = f"{HEAD}{LOAD}d = df[df['region'] == 'TotalUS']\nplt.plot(d['AveragePrice'].no_such_method())"
    model = Scripted([RIGHT])
    mended(analyst(model), code)
    sent = " ".join(text for _, text in model.asked[0].messages)
    assert "Total U.S." not in sent
    assert "TotalUS" not in sent
    assert "average_price" in sent


def test_a_reply_without_code_is_none(mended: Mended) -> None:
    @dataclass
    class Silent(Scripted):
        def complete(self, request: Request, on_text: Any = None) -> Reply:
            self.asked.append(request)
            return Reply('{"code": ""}')

    model = Silent([])
    assert mended(analyst(model)).status == "failed"
    with pytest.raises(BadReply):
        analyst(model).mended_code("x", "E", "", ())


def test_a_kept_reply_is_used_again_and_every_request_is_in_the_ledger(
    mended: Mended, tmp_path: Path
) -> None:
    model = Scripted([RIGHT])
    wire = Ledgered(model, tmp_path / "llm_calls.jsonl")
    budget = Budget(20, 60_000)
    first = ModelAnalyst(
        Recorded("scripted", tmp_path / "replies", Budgeted(wire, budget)), "samples", budget
    )
    done = mended(first)
    lines = (tmp_path / "llm_calls.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["purpose"] for line in lines] == ["repair"]
    again = ModelAnalyst(Recorded("scripted", tmp_path / "replies"), "samples", Budget(20, 60_000))
    assert mended(again) == done
    assert len(model.asked) == 1


BEFORE = "df = lake.copy()\nplt.plot(df['a'])"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("df = lake.copy(", "parse"),
        (BEFORE, "changes nothing"),
        ("df = pd.read_csv('other.csv')\nplt.plot(df['a'])", "same tables"),
        ("df = lake_other.copy()\nplt.plot(df['a'])", "same tables"),
        ("plt.plot([1, 2, 3])", "same tables"),
        ("df = lake.copy()\nd = pd.DataFrame({'a': [1]})\nplt.plot(d['a'])", "makes data"),
        ("df = lake.copy()\nplt.plot(np.random.rand(9))", "makes data"),
        ("df = lake.copy()\nprint(df['a'])", "draws nothing"),
        ("import requests\ndf = lake.copy()\nplt.plot(df['a'].b)", "reaches outside"),
        ("import secrets\ndf = lake.copy()\nplt.plot(df['a'].b)", "imports secrets"),
        ("import os\ndf = lake.copy()\nplt.plot(df['a'].b)", "imports os"),
        ("df = lake.copy()\nplt.plot(df['a'].b)\ndf.to_csv('out.csv')", "writes"),
        ("df = lake.copy()\nplt.plot(eval('df'))", "calls eval"),
        ("df = lake.copy()\nplt.plot(df.__class__)", "reaches into objects"),
        ("df = lake.copy()\nopen('x', 'w')\nplt.plot(df['a'].b)", "writes a file"),
        ("df = lake.copy()\nopen('/etc/passwd')\nplt.plot(df['a'].b)", "opens"),
    ],
)
def test_what_may_not_be_run_is_refused(reply: str, why: str) -> None:
    found = accepted(Script.parse(BEFORE), reply, Hidden(()))
    assert isinstance(found, str)
    assert why in found


@pytest.mark.parametrize(
    "reply",
    [
        "df = lake.copy()\nplt.plot(df['a'].dropna())",
        "import numpy as np\ndf = lake.copy()\nplt.plot(np.log(df['a']))",
        "df = lake.copy()\ndf['a'].plot()",
    ],
)
def test_an_honest_edit_may_be_run(reply: str) -> None:
    found = accepted(Script.parse(BEFORE), reply, Hidden(()))
    assert isinstance(found, Script)
