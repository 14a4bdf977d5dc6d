"""What a cell shows leaves at once, in order, encoded and within limits."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from lakebook.sandbox.worker.outputs import MOST_OUTPUTS, Descriptors, Interrupts, Outputs, joined, last_words


class Sent(list[dict[str, Any]]):
    """The messages of one cell."""

    def __init__(self, characters: int = 100, display_bytes: int = 1000) -> None:
        super().__init__()
        self.outputs = Outputs(characters, display_bytes)
        self.descriptors = Descriptors()
        self.outputs.attach(self.descriptors)
        self.outputs.start(self.append)

    def texts(self) -> list[str]:
        """Everything that was printed, neighbours of one stream put together."""
        self.outputs.collect()
        frames = joined({"output": message} for message in self if message["output_type"] == "stream")
        return [frame["output"]["text"] for frame in frames]


def test_the_first_text_leaves_at_once_and_more_of_it_together() -> None:
    sent = Sent()
    for text in ("a", "b", "c"):
        sent.outputs.stream("stdout", text)
    assert [message["text"] for message in sent] == ["a"]
    sent.outputs.display({"text/plain": "x"}, {})
    assert [message.get("text") for message in sent] == ["a", "bc", None]


def test_streams_keep_their_order() -> None:
    sent = Sent()
    for name, text in (("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", ""), ("stdout", "d")):
        sent.outputs.stream(name, text)
    assert sent.texts() == ["ab", "c", "d"]


def test_what_a_dead_process_printed_last_can_be_read() -> None:
    sent = Sent()
    for text in ("taken", " and", " not\n"):
        sent.outputs.stream("stdout", text)
    sent.descriptors.write("stderr", "an abort")
    assert [(o["name"], o["text"]) for o in last_words(sent.descriptors, 6)] == [
        ("stdout", " and n"),
        ("stderr", "an abo"),
    ]
    assert not sent.descriptors.waiting()


def test_letters_cut_in_the_middle_come_whole() -> None:
    sent = Sent()
    stdout = sent.descriptors._files["stdout"]
    os.write(stdout, "é".encode()[:1])
    sent.outputs.collect()
    os.write(stdout, "é".encode()[1:])
    assert sent.texts() == ["é"]


def test_text_past_the_limit_is_cut_once() -> None:
    sent = Sent(5)
    sent.outputs.stream("stdout", "1234")
    sent.outputs.stream("stdout", "5678")
    sent.outputs.stream("stderr", "more")
    assert sent.texts() == ["12345\n[output cut at 5 characters]\n"]


def test_text_at_the_limit_is_whole() -> None:
    sent = Sent(4)
    sent.outputs.stream("stdout", "1234")
    assert sent.texts() == ["1234"]


def test_displays_share_the_limit_of_a_cell() -> None:
    sent = Sent(100, 10)
    sent.outputs.display({"text/plain": "12345678"}, {})
    sent.outputs.display({"text/plain": "12345678"}, {})
    assert sent[0]["data"] == {"text/plain": "12345678"}
    assert "left out" in sent[1]["data"]["text/plain"]
    again: list[dict[str, Any]] = []
    sent.outputs.start(again.append)
    sent.outputs.display({"text/plain": "12345678"}, {})
    assert again[0]["data"] == {"text/plain": "12345678"}


def test_outputs_past_their_number_are_left_out_and_said_so_but_errors_never() -> None:
    sent = Sent(10**6, 10**6)
    for _ in range(MOST_OUTPUTS + 3):
        sent.outputs.display({"text/plain": "x"}, {})
    sent.outputs.stream("stdout", "more")
    sent.outputs.failure("E", "m", [])
    assert len(sent) == MOST_OUTPUTS + 2
    assert "left out" in sent[-2]["text"]
    assert sent[-1]["output_type"] == "error"


def test_many_prints_to_one_stream_are_one_output() -> None:
    sent = Sent(10**6)
    for _ in range(MOST_OUTPUTS + 5):
        sent.outputs.stream("stdout", "a")
    assert "".join(sent.texts()) == "a" * (MOST_OUTPUTS + 5)


def test_bytes_become_base64_and_json_becomes_plain() -> None:
    sent = Sent()
    data: dict[str, Any] = {
        "image/png": b"\x00\x01",
        "application/json": {"a": np.arange(2), "b": float("nan")},
    }
    sent.outputs.display(data, {"isolated": np.bool_(True)})
    assert sent[0]["data"] == {"image/png": "AAE=", "application/json": {"a": [0, 1], "b": None}}
    assert sent[0]["metadata"] == {"isolated": True}


def test_displays_carry_their_identity_and_updates_name_it() -> None:
    sent = Sent()
    sent.outputs.display({"text/plain": "first"}, {}, display_id="x")
    sent.outputs.update({"text/plain": "second"}, {}, "x")
    assert [m["output_type"] for m in sent] == ["display_data", "update_display_data"]
    assert [m["transient"] for m in sent] == [{"display_id": "x"}] * 2


def test_tracebacks_lose_their_colours_and_texts_their_surrogates() -> None:
    sent = Sent()
    sent.outputs.failure("E", "m", ["\x1b[31mred\x1b[0m \ud800"])
    assert sent[0]["traceback"] == ["red \\ud800"]


def test_nothing_is_sent_between_cells() -> None:
    sent = Sent()
    sent.outputs.finish()
    sent.outputs.stream("stdout", "late")
    sent.outputs.display({"text/plain": "late"}, {})
    assert sent == []


def test_what_is_printed_past_python_keeps_its_place() -> None:
    sent = Sent()
    stdout, stderr = sent.descriptors._files.values()
    os.write(stdout, b"one ")
    sent.outputs.stream("stdout", "two ")
    os.write(stdout, "drei\xff!".encode("latin-1"))
    os.write(stderr, b"oh")
    sent.outputs.finish()
    assert sent.texts() == ["one two drei\ufffd!", "oh"]
    assert not sent.descriptors.waiting()


def test_an_interrupt_waits_for_the_end_of_a_message() -> None:
    interrupts = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        interrupts.handle(2, None)
    reached = []

    def message() -> None:
        with interrupts.held():
            interrupts.handle(2, None)
            reached.append("end")

    with pytest.raises(KeyboardInterrupt):
        message()
    assert reached == ["end"]
    with interrupts.held():
        assert interrupts.busy
    assert not interrupts.busy


def frame(text: str, name: str = "stdout", identity: int = 1) -> dict[str, Any]:
    return {
        "id": identity,
        "kind": "output",
        "output": {"output_type": "stream", "name": name, "text": text},
    }


def test_frames_of_neighbouring_text_become_one() -> None:
    frames = [frame("a"), frame("b"), frame("c", "stderr"), {"id": 1, "kind": "end"}, frame("d")]
    assert list(joined(frames)) == [frame("ab"), frame("c", "stderr"), {"id": 1, "kind": "end"}, frame("d")]
    long = "x" * 40_000
    assert len(list(joined([frame(long), frame(long)]))) == 2
    assert list(joined([])) == []


@pytest.mark.parametrize(
    "odd", [{"output": None}, {"output": {"output_type": "stream"}}, {"output": [1]}, {"more": 1}, {}]
)
def test_odd_frames_are_left_for_the_host_to_refuse(odd: dict[str, Any]) -> None:
    strange = {"id": 1, "kind": "output", **odd}
    assert list(joined([frame("a"), strange, frame("b")])) == [frame("a"), strange, frame("b")]
