"""A vision model and figures: what leaves and when, pictures refused, replies that are no JSON."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from lakebook.analyst.model.budget import Budget, estimate
from lakebook.analyst.model.figures import FigureReader, open_reader, said_in
from lakebook.analyst.model.ledger import LEDGER
from lakebook.analyst.model.privacy import NotAllowed, figure_request
from lakebook.analyst.model.protocol import BadReply, request_hash
from lakebook.settings import ModelSettings

PICTURE = b"\x89PNG\r\n\x1a\nnot really"
SAYS = json.dumps({"sentences": ["Kiel is highest", "Ulm is lowest."]})


def opened(endpoint: Any, folder: Path, **more: Any) -> FigureReader:
    given = {"name": "v", "base_url": endpoint.url, "api_key": "k", "privacy": "full"} | more
    settings = ModelSettings(**given)
    reader = open_reader(settings, folder, Budget(settings.max_calls, settings.max_tokens))
    assert reader is not None
    return reader


def test_the_picture_and_the_labels_leave_and_no_values(endpoint: Any, tmp_path: Path) -> None:
    endpoint.says(SAYS)
    reader = opened(endpoint, tmp_path)
    assert reader.text_of("where?", "title: Rent", "Kiel 25", PICTURE) == "Kiel is highest.\n\nUlm is lowest."
    text, image = endpoint.bodies[0]["messages"][-1]["content"]
    assert image["image_url"]["url"] == f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"
    assert "title: Rent" in text["text"]
    assert "Kiel 25" not in text["text"]
    assert base64.b64encode(PICTURE).decode() not in (tmp_path / LEDGER).read_text()
    assert reader.text_of("where?", "title: Rent", "Kiel 25", PICTURE)
    assert len(endpoint.bodies) == 1, "the reply was kept"


def test_a_service_without_pictures_gets_text_once_and_for_all(endpoint: Any, tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> int | str:
        return 400 if isinstance(body["messages"][-1]["content"], list) else SAYS

    endpoint.says(answer)
    reader = opened(endpoint, tmp_path)
    assert reader.text_of("where?", "title: Rent", "Kiel 25", PICTURE)
    assert "Kiel 25" in endpoint.bodies[-1]["messages"][-1]["content"]
    asked = len(endpoint.bodies)
    assert reader.text_of("what else?", "title: Rent", "Kiel 25", PICTURE)
    assert len(endpoint.bodies) == asked + 1
    assert not reader.trouble


@pytest.mark.parametrize("privacy", ["samples", "schema"])
def test_no_figure_leaves_unless_privacy_is_figures(privacy: Any, tmp_path: Path) -> None:
    settings = ModelSettings("v", "http://127.0.0.1:9/v1", privacy=privacy)
    assert open_reader(settings, tmp_path, Budget(9, 9)) is None
    with pytest.raises(NotAllowed, match="no figure leaves"):
        figure_request("q", "title", PICTURE, privacy)


def test_a_dead_endpoint_and_a_spent_budget_stop_nothing(endpoint: Any, tmp_path: Path) -> None:
    endpoint.says(500)
    reader = opened(endpoint, tmp_path)
    assert reader.text_of("q", "t", "v", PICTURE) == ""
    assert reader.trouble
    assert "no reply" in reader.version
    spent = opened(endpoint, tmp_path / "other", max_calls=0)
    assert spent.text_of("q", "t", "v", PICTURE) == ""
    assert "budget" in spent.notes[-1]


def test_pictures_count_in_hash_and_budget() -> None:
    with_picture, without = (figure_request("q", "t", one, "full") for one in (PICTURE, None))
    assert request_hash("v", with_picture) != request_hash("v", without)
    assert estimate(with_picture).prompt > estimate(without).prompt + 1000


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Kiel is highest. Ulm is lowest.", "Kiel is highest. Ulm is lowest."),
        ("<think>{}</think> Kiel is highest", "Kiel is highest."),
        ('{"sentences": ["a is b.", "a is b.", "c is', "a is b."),
        ('```json\n{"sentences": ["a is b."]}\n```', "a is b."),
    ],
)
def test_a_reply_that_is_no_json_is_taken_as_words(reply: str, expected: str) -> None:
    assert said_in(reply) == expected


@pytest.mark.parametrize("reply", ["", '{"sentences": "a"}', '{"sentences": []}'])
def test_a_reply_without_sentences_is_no_use(reply: str) -> None:
    with pytest.raises(BadReply):
        said_in(reply)
