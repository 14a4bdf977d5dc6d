"""Replies told while they arrive: through all layers, whole, broken off, and by services that cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lakebook.analyst.model.budget import Budget, Budgeted
from lakebook.analyst.model.client import OpenAIModel, Patient
from lakebook.analyst.model.ledger import Ledgered
from lakebook.analyst.model.privacy import conversation_request
from lakebook.analyst.model.protocol import EndpointFailed
from lakebook.analyst.model.recorded import Recorded

ASKED = conversation_request("s", (("user", "q"),), "schema", stop=("</Execute>",))


def events(*texts: str, ends: bool = True) -> bytes:
    said = [{"choices": [{"delta": {"content": text}}]} for text in texts]
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    last = [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
    lines = [f"data: {json.dumps(one)}\n\n" for one in [*said, *(last if ends else [])]]
    return "".join([": hello\n", *lines, "data: [DONE]\n\n" if ends else ""]).encode()


def layered(endpoint: Any, folder: Path) -> tuple[Recorded, Budget]:
    budget = Budget(9, 99_999)
    wire = OpenAIModel("m", base_url=endpoint.url)
    counted = Budgeted(Ledgered(wire, folder / "calls.jsonl"), budget)
    return Recorded("m", folder / "replies", Patient(counted)), budget


def test_pieces_are_told_through_all_layers_and_a_kept_reply_at_once(endpoint: Any, tmp_path: Path) -> None:
    endpoint.says(events("<Ana", "lyze> é", ""))
    model, budget = layered(endpoint, tmp_path)
    told: list[str] = []
    reply = model.complete(ASKED, told.append)
    assert (reply.text, reply.tokens, reply.finish) == ("<Analyze> é", 11, "stop")
    assert told == ["<Ana", "lyze> é"]
    assert (budget.calls, budget.tokens) == (1, 11)
    [body] = endpoint.bodies
    assert (body["stream"], body["stop"]) == (True, ["</Execute>"])
    [line] = (tmp_path / "calls.jsonl").read_text().splitlines()
    assert json.loads(line)["reply"] == "<Analyze> é"
    told.clear()
    assert model.complete(ASKED, told.append) == reply
    assert told == ["<Analyze> é"]
    assert model.complete(ASKED) == reply
    assert len(endpoint.bodies) == 1


def test_a_service_that_does_not_stream_is_told_whole(endpoint: Any, tmp_path: Path) -> None:
    endpoint.says("all of it")
    told: list[str] = []
    assert layered(endpoint, tmp_path)[0].complete(ASKED, told.append).text == "all of it"
    assert told == ["all of it"]


def test_a_service_that_refuses_the_form_is_asked_barely(endpoint: Any, tmp_path: Path) -> None:
    endpoint.says(lambda body: 400 if "stream_options" in body else events("ok"))
    assert layered(endpoint, tmp_path)[0].complete(ASKED, print).text == "ok"


def test_a_reply_that_broke_off_is_asked_for_again_and_that_is_told(endpoint: Any, tmp_path: Path) -> None:
    endpoint.says(events("half", ends=False), events("whole"))
    told: list[str] = []
    model, budget = layered(endpoint, tmp_path)
    assert model.complete(ASKED, told.append).text == "whole"
    assert [part.strip() for part in told] == [
        "half",
        "[the reply broke off; it is asked for again]",
        "whole",
    ]
    assert budget.calls == 2


@pytest.mark.parametrize("body", [b"data: {\n\n", b'data: {"choices": 3}\n\n', b"data: [1]\n\n", b"hello"])
def test_what_is_no_reply_is_said(endpoint: Any, tmp_path: Path, body: bytes) -> None:
    endpoint.says(body)
    with pytest.raises(EndpointFailed, match="no chat completion"):
        layered(endpoint, tmp_path)[0].complete(ASKED, print)
