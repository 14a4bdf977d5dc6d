from __future__ import annotations

from typing import Any

import numpy as np

from lakebook.sandbox.worker.shell import Outputs


def test_neighbouring_streams_are_one_output() -> None:
    outputs = Outputs(100, 100)
    for name, text in (("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "")):
        outputs.stream(name, text)
    assert [(o["name"], o["text"]) for o in outputs.items] == [("stdout", "ab"), ("stderr", "c")]


def test_text_past_the_limit_is_cut_once() -> None:
    outputs = Outputs(5, 100)
    outputs.stream("stdout", "1234")
    outputs.stream("stdout", "5678")
    outputs.stream("stderr", "more")
    assert outputs.items[0]["text"] == "12345\n[output cut at 5 characters]\n"
    assert len(outputs.items) == 1


def test_text_at_the_limit_is_whole() -> None:
    outputs = Outputs(4, 100)
    outputs.stream("stdout", "1234")
    assert outputs.items[0]["text"] == "1234"


def test_displays_share_the_limit_of_a_cell() -> None:
    outputs = Outputs(100, 10)
    outputs.display({"text/plain": "12345678"}, {})
    outputs.display({"text/plain": "12345678"}, {})
    assert outputs.items[0]["data"] == {"text/plain": "12345678"}
    assert "left out" in outputs.items[1]["data"]["text/plain"]
    outputs.start()
    outputs.display({"text/plain": "12345678"}, {})
    assert outputs.items[0]["data"] == {"text/plain": "12345678"}


def test_bytes_become_base64_and_json_becomes_plain() -> None:
    outputs = Outputs(100, 1000)
    data: dict[str, Any] = {
        "image/png": b"\x00\x01",
        "application/json": {"a": np.arange(2), "b": float("nan")},
    }
    outputs.display(data, {"isolated": np.bool_(True)})
    assert outputs.items[0]["data"] == {"image/png": "AAE=", "application/json": {"a": [0, 1], "b": None}}
    assert outputs.items[0]["metadata"] == {"isolated": True}


def test_a_display_is_updated_in_place() -> None:
    outputs = Outputs(100, 1000)
    outputs.display({"text/plain": "first"}, {}, display_id="x")
    outputs.stream("stdout", "between")
    outputs.update({"text/plain": "second"}, {}, "x")
    outputs.update({"text/plain": "nobody"}, {}, "y")
    assert outputs.items[0]["data"]["text/plain"] == "second"
    assert len(outputs.items) == 2


def test_clearing_can_wait_for_the_next_output() -> None:
    outputs = Outputs(100, 1000)
    outputs.stream("stdout", "old")
    outputs.clear(True)
    assert len(outputs.items) == 1
    outputs.stream("stdout", "new")
    assert [o["text"] for o in outputs.items] == ["new"]
    outputs.clear(False)
    assert outputs.items == []


def test_tracebacks_lose_their_colours_and_texts_their_surrogates() -> None:
    outputs = Outputs(100, 1000)
    outputs.failure("E", "m", ["\x1b[31mred\x1b[0m \ud800"])
    assert outputs.items[0]["traceback"] == ["red \\ud800"]
