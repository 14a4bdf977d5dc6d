"""Messages of a running cell amount to the outputs that a notebook keeps."""

from __future__ import annotations

from typing import Any

from lakebook.sandbox.transcript import Transcript


def text(value: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": value}


def shown(value: str, identity: str | None = None, kind: str = "display_data") -> dict[str, Any]:
    transient = {} if identity is None else {"display_id": identity}
    return {"output_type": kind, "data": {"text/plain": value}, "metadata": {}, "transient": transient}


def outputs(*messages: dict[str, Any]) -> list[tuple[str, str]]:
    transcript = Transcript()
    for message in messages:
        transcript.add(message)
    done = transcript.finish()
    assert all("transient" not in output for output in done)
    return [(o.get("name", ""), o["text"] if "text" in o else o["data"]["text/plain"]) for o in done]


def test_neighbouring_streams_are_one_output() -> None:
    assert outputs(text("a"), text("b"), text("c", "stderr"), text("d")) == [
        ("stdout", "ab"),
        ("stderr", "c"),
        ("stdout", "d"),
    ]


def test_a_display_stands_between_streams() -> None:
    assert outputs(text("a"), shown("x"), text("b")) == [("stdout", "a"), ("", "x"), ("stdout", "b")]


def test_a_display_is_updated_in_place() -> None:
    update = shown("second", "x", "update_display_data")
    nobody = shown("nobody", "y", "update_display_data")
    messages = (shown("first", "x"), text("between"), update, nobody, text(" and on"))
    assert outputs(*messages) == [("", "second"), ("stdout", "between and on")]


def test_clearing_can_wait_for_the_next_output() -> None:
    at_once = {"output_type": "clear_output", "wait": False}
    later = {"output_type": "clear_output", "wait": True}
    assert outputs(text("old"), later) == [("stdout", "old")]
    assert outputs(text("old"), later, text("new")) == [("stdout", "new")]
    assert outputs(text("old"), later, shown("new"), text("next")) == [("", "new"), ("stdout", "next")]
    assert outputs(text("old"), at_once) == []
    assert outputs(text("old"), later, at_once, text("new")) == [("stdout", "new")]


def test_the_given_messages_are_not_changed() -> None:
    first = text("a")
    outputs(first, text("b"))
    assert first["text"] == "a"
