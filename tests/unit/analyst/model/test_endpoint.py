"""Good and bad endpoints: forms, failures that pass and that do not, the budget, the ledger, kept replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lakebook.analyst.model.analyst import ModelAnalyst
from lakebook.analyst.model.budget import Budget, Budgeted, estimate
from lakebook.analyst.model.client import OpenAIModel, Patient, shown_address
from lakebook.analyst.model.privacy import probe_request
from lakebook.analyst.model.protocol import BadReply, BudgetSpent, EndpointFailed, Reply, json_in
from lakebook.analyst.model.recorded import Recorded
from lakebook.analyst.table import Table

Opened = Callable[..., ModelAnalyst]
QUESTION = "which regions lose profit?"
READ = json.dumps(
    {
        "kind": "compare",
        "target": "Profit",
        "columns": ["Region"],
        "words": [{"word": "regions", "column": "Region"}],
    }
)


def test_a_good_reply_is_asked_for_by_schema_and_is_the_same_each_time(
    endpoint: Any, analyst: Opened, table: Table
) -> None:
    endpoint.says(READ)
    intent, by_model = analyst().read_intent(QUESTION, table)
    assert by_model
    assert (intent.kind, intent.target, intent.columns) == ("compare", "Profit", ("Region",))
    assert intent.words == ("“regions”: column Region",)
    assert intent.assumptions[0].startswith("The question was read by the model m.")
    [body] = endpoint.bodies
    assert body["response_format"]["json_schema"]["strict"] is True
    assert (body["temperature"], body["seed"], body["model"]) == (0.0, 7, "m")
    again, _ = analyst().read_intent(QUESTION, table)
    assert again == intent
    assert len(endpoint.bodies) == 1


def test_kept_replies_need_no_endpoint(endpoint: Any, analyst: Opened, table: Table) -> None:
    endpoint.says(READ)
    first = analyst().read_intent(QUESTION, table)
    replayed = analyst(base_url="http://127.0.0.1:9/v1", max_calls=0)
    assert replayed.read_intent(QUESTION, table) == first
    assert (replayed.budget.calls, replayed.trouble) == (0, False)


def test_another_model_is_not_answered_with_the_first_ones_reply(
    endpoint: Any, analyst: Opened, table: Table
) -> None:
    endpoint.says(READ)
    analyst().read_intent(QUESTION, table)
    analyst(name="other").read_intent(QUESTION, table)
    assert [body["model"] for body in endpoint.bodies] == ["m", "other"]


def test_an_endpoint_without_schemas_is_asked_in_words(endpoint: Any, analyst: Opened, table: Table) -> None:
    def refuse_schema(body: dict[str, Any]) -> Any:
        return 400 if "response_format" in body else f"<think>{{hm}}</think>Sure:\n```json\n{READ}\n```"

    endpoint.says(refuse_schema)
    _, by_model = analyst().read_intent(QUESTION, table)
    assert by_model
    assert ["response_format" in body for body in endpoint.bodies] == [True, False]


def test_an_endpoint_without_seed_is_asked_barely_and_that_is_remembered(endpoint: Any) -> None:
    endpoint.says(lambda body: 400 if "seed" in body or "temperature" in body else "{}")
    model = Patient(OpenAIModel("m", base_url=endpoint.url))
    model.complete(probe_request())
    model.complete(probe_request())
    assert ["seed" in body for body in endpoint.bodies] == [True, True, False, False]
    assert "max_completion_tokens" in endpoint.bodies[-1]


@pytest.mark.parametrize(
    ("answer", "said", "calls"),
    [
        (500, "status 500", 3),
        (429, "status 429", 3),
        (401, "status 401", 1),
        (307, "status 307", 1),
        (404, "status 404", 3),
        (b"<html>hello</html>", "no chat completion", 1),
        (b'{"choices": []}', "no chat completion", 1),
        (b'{"choices": [{"message": {"content": [1]}}]}', "no chat completion", 1),
        ("I would rather not.", "no JSON object", 3),
        ('{"kind": "dance", "target": "Profit", "columns": []}', "no known kind", 3),
        ('{"kind": "compare", "target": "Profits", "columns": []}', "does not have", 3),
        ('{"kind": "compare", "target": "Profit", "columns": ["Nowhere"]}', "does not have", 3),
        ('{"kind": "compare", "target": "Profit", "columns": [{}]}', "does not have", 3),
        ('{"kind": "compare", "target": ["Profit"], "columns": []}', "not names", 3),
        ('{"kind": "forecast", "target": "Region", "columns": []}', "does not fit", 3),
        ('{"kind": "classify", "target": "Profit", "columns": []}', "does not fit", 3),
        ('{"kind": "regress", "target": "Order", "columns": []}', "tells rows apart", 3),
        ('{"kind": "compare", "target": "", "columns": []}', "no target", 3),
    ],
)
def test_what_cannot_be_used_falls_back_to_the_offline_reading(
    endpoint: Any, analyst: Opened, table: Table, answer: Any, said: str, calls: int
) -> None:
    endpoint.says(answer)
    used = analyst()
    intent, by_model = used.read_intent(QUESTION, table)
    assert not by_model
    assert intent.kind == "compare"
    assert intent.target == "Profit"
    assert said in intent.assumptions[0]
    assert "the offline analyst read the question" in intent.assumptions[0]
    assert len(endpoint.bodies) == calls == used.budget.calls
    assert used.notes


def test_failures_that_pass_are_waited_out(endpoint: Any, analyst: Opened, table: Table) -> None:
    endpoint.says(503, 500, READ)
    used = analyst()
    assert used.read_intent(QUESTION, table)[1]
    assert used.version == "m, privacy samples"


def test_a_reading_without_a_reply_is_made_anew_one_with_a_bad_reply_is_not(
    endpoint: Any, analyst: Opened, table: Table
) -> None:
    endpoint.says(500)
    down = analyst()
    down.read_intent(QUESTION, table)
    assert down.version == "m, privacy samples; no reply"
    endpoint.says("nonsense")
    bad = analyst()
    bad.read_intent(QUESTION, table)
    assert bad.version == "m, privacy samples"


def test_a_silent_endpoint_is_given_up_and_not_asked_again(endpoint: Any) -> None:
    endpoint.says(1.0)
    model = Patient(OpenAIModel("m", base_url=endpoint.url, seconds=0.15))
    for _ in range(2):
        with pytest.raises(EndpointFailed, match=r"no reply within 0\.15 s"):
            model.complete(probe_request())
    assert len(endpoint.bodies) == 1


def test_a_dead_endpoint_says_what_to_do() -> None:
    with pytest.raises(EndpointFailed, match="could not be reached") as failure:
        OpenAIModel("m", base_url="http://me:pw@127.0.0.1:9/v1").complete(probe_request())
    assert "http://127.0.0.1:9/v1" in failure.value.hint
    assert "pw" not in str(failure.value)


def test_the_budget_stops_before_the_call_that_would_pass_it(
    endpoint: Any, analyst: Opened, table: Table
) -> None:
    endpoint.says(READ)
    for limits in ({"max_calls": 0}, {"max_tokens": 300}):
        used = analyst(**limits)
        intent, by_model = used.read_intent(QUESTION, table)
        assert not by_model
        assert "budget" in intent.assumptions[0]
        assert used.trouble
    assert endpoint.bodies == []


def test_retries_count_against_the_budget(endpoint: Any, analyst: Opened, table: Table) -> None:
    endpoint.says(500)
    intent, _ = analyst(max_calls=2).read_intent(QUESTION, table)
    assert "budget of 2 calls" in intent.assumptions[0]
    assert len(endpoint.bodies) == 2


def test_tokens_are_counted_and_estimated_where_nobody_tells() -> None:
    class Mute:
        name = "mute"

        def complete(self, request: Any, on_text: Any = None) -> Reply:
            return Reply("{}")

    request = probe_request()
    model = Budgeted(Mute(), Budget(max_calls=9, max_tokens=estimate(request).tokens * 2))
    model.complete(request)
    model.complete(request)
    assert model.budget.tokens == 2 * estimate(request).tokens
    with pytest.raises(BudgetSpent):
        model.complete(request)


def test_the_ledger_has_every_call_and_never_the_key(
    endpoint: Any, analyst: Opened, table: Table, tmp_path: Path
) -> None:
    endpoint.says(500, READ)
    analyst().read_intent(QUESTION, table)
    ledger = tmp_path / "state" / "llm_calls.jsonl"
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert [line["error"] for line in lines] == ["the endpoint answered with status 500", ""]
    assert lines[1]["reply"] == READ
    assert lines[1]["tokens"] == {"prompt": 100, "completion": 20}
    assert {line["purpose"] for line in lines} == {"intent"}
    assert lines[0]["hash"] == lines[1]["hash"]
    assert lines[1]["messages"] == endpoint.bodies[1]["messages"]
    assert lines[1]["seconds"] >= 0
    kept = [path.read_text() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert len(kept) == 2
    assert not [text for text in kept if "secret-key" in text]
    assert endpoint.headers[0]["authorization"] == "Bearer secret-key"


def test_headers_tell_nothing_of_the_machine(endpoint: Any, analyst: Opened, table: Table) -> None:
    endpoint.says(READ)
    analyst().read_intent(QUESTION, table)
    told = {
        name for name in endpoint.headers[0] if "os" in name.split("-") or "arch" in name or "runtime" in name
    }
    assert told == set()


def test_a_damaged_kept_reply_is_asked_for_anew(endpoint: Any, analyst: Opened, table: Table) -> None:
    endpoint.says(READ)
    first = analyst()
    first.read_intent(QUESTION, table)
    assert isinstance(first.model, Recorded)
    [kept] = first.model._folder.iterdir()
    kept.write_text('{"reply": {"te')
    assert analyst().read_intent(QUESTION, table)[1]
    assert len(endpoint.bodies) == 2


def test_recorded_alone_answers_what_it_was_given(tmp_path: Path) -> None:
    model = Recorded("m", tmp_path)
    with pytest.raises(EndpointFailed, match="nobody can be asked"):
        model.complete(probe_request())
    model.keep(probe_request(), Reply("{}", 1, 2))
    assert model.complete(probe_request()).tokens == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('so {c1}: {"a": "{c1}"} }', {"a": "{c1}"}),
        ('```json\n{"a": []}```', {"a": []}),
    ],
)
def test_json_is_found_in_words(text: str, found: dict[str, Any]) -> None:
    assert json_in(text) == found


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "{" * 500, '"a": 1'])
def test_no_json_is_said(text: str) -> None:
    with pytest.raises(BadReply):
        json_in(text)


def test_an_address_is_shown_without_its_password() -> None:
    assert shown_address("https://me:pw@host:8443/v1?key=x") == "https://host:8443/v1"
    assert shown_address("").startswith("https://api.openai.com")
