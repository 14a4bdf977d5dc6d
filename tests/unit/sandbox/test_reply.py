"""What the frames of one reply amount to, whole, cut off or forged."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.sandbox.base import Limits
from lakebook.sandbox.protocol import ProtocolError
from lakebook.sandbox.reply import Reply


def output(text: str = "hi") -> dict[str, Any]:
    return {
        "id": 1,
        "kind": "output",
        "output": {"output_type": "stream", "name": "stdout", "text": text},
    }


def cell(error: str = "") -> dict[str, Any]:
    told = {"name": error, "message": "", "traceback": []} if error else None
    ended = "error" if error else "done"
    inner = {"error": told, "ended": ended, "seconds": 0.1, "warnings": []}
    return {"id": 1, "kind": "cell", "cell": inner}


def value(place: int) -> dict[str, Any]:
    return {"id": 1, "kind": "value", "place": place, "value": 7, "error": ""}


def end(ended: str = "done", *, dead: bool = False, detail: str = "") -> dict[str, Any]:
    return {"id": 1, "kind": "end", "ended": ended, "detail": detail, "dead": dead}


def reply(cells: int, expressions: list[str], *frames: dict[str, Any]) -> Reply:
    made = Reply(cells, expressions, Limits(), 3.0)
    for frame in frames:
        made.take(frame)
    return made


def test_outputs_belong_to_the_cell_after_them() -> None:
    made = reply(2, ["a"], output("one"), output(" more"), cell(), output("two"), cell(), value(0), end())
    assert [result.outputs[0]["text"] for result in made.results()] == ["one more", "two"]
    assert [evaluation.value for evaluation in made.values()] == [7]


def test_a_message_is_given_back_for_whoever_follows() -> None:
    made = Reply(1, [], Limits(), 3.0)
    assert made.take(output("x")) == output("x")["output"]
    assert made.take(cell()) is None


@pytest.mark.parametrize(
    ("ended", "name"),
    [
        ("died", "ProcessDied"),
        ("interrupted", "KeyboardInterrupt"),
        ("memory", "MemoryError"),
        ("timeout", "TimeoutError"),
    ],
)
def test_a_cell_that_never_ended_keeps_its_outputs_and_gets_its_cause(ended: str, name: str) -> None:
    made = reply(2, ["a"], cell(), output("so far"), end(ended, dead=True, detail="why"))
    first, second = made.results()
    assert first.ended == "done"
    assert (second.ended, second.outputs[0]["text"]) == (ended, "so far")
    assert second.error is not None
    assert second.error.name == name
    assert "why" in second.error.message
    assert "not evaluated" in made.values()[0].error


def test_an_interrupted_cell_keeps_its_traceback_and_a_late_one_its_cause() -> None:
    stopped = reply(1, [], cell("KeyboardInterrupt"), end("interrupted")).results()[0]
    assert stopped.ended == "interrupted"
    late = reply(1, [], cell("KeyboardInterrupt"), end("timeout")).results()[0]
    assert late.error is not None
    assert (late.ended, late.error.name) == ("timeout", "TimeoutError")


def test_a_cell_that_was_done_all_the_same_is_done() -> None:
    for how in ("interrupted", "timeout"):
        assert reply(1, [], cell(), end(how)).results()[0].ended == "done"
        assert reply(1, [], cell("ValueError"), end(how)).results()[0].ended == "error"


def test_a_keyboard_interrupt_of_the_cells_own_is_an_error() -> None:
    assert reply(1, [], cell("KeyboardInterrupt"), end()).results()[0].ended == "error"


@pytest.mark.parametrize(
    "frames",
    [
        [cell(), cell()],
        [cell(), output()],
        [value(0)],
        [cell(), end()],
        [end()],
        [cell(), value(1)],
        [cell(), value(0), value(1)],
        [cell(), value(0), cell()],
        [{"id": 1, "kind": "ready"}],
        [{"id": 1}],
    ],
)
def test_frames_out_of_order_are_refused(frames: list[dict[str, Any]]) -> None:
    made = Reply(1, ["a"], Limits(), 3.0)
    for frame in frames[:-1]:
        made.take(frame)
    with pytest.raises(ProtocolError):
        made.take(frames[-1])


def test_outputs_have_a_greatest_number() -> None:
    made = Reply(1, [], Limits(), 3.0)
    shown = {"output_type": "display_data", "data": {}, "metadata": {}, "transient": {}}
    frame = {"id": 1, "kind": "output", "output": shown}
    for _ in range(10_000):
        made.take(frame)
    with pytest.raises(ProtocolError, match="more outputs"):
        made.take(frame)


def test_a_process_that_the_kernel_killed_for_memory_is_told_so() -> None:
    made = reply(1, [], output(), end("died", detail="killed by SIGKILL"))
    assert made.killed()
    made.blame_memory()
    last = made.results()[-1]
    assert last.ended == "memory"
    assert last.error is not None
    assert last.error.message == f"out of memory at {Limits().memory_mb} MB (killed by SIGKILL)"


def test_a_run_that_waited_in_vain_for_a_killed_process_is_told_so() -> None:
    made = reply(1, [], output(), end("timeout"))
    assert made.killed()
    made.blame_memory()
    last = made.results()[-1]
    assert last.error is not None
    assert last.error.message.startswith(f"out of memory at {Limits().memory_mb} MB (a process was ended")


def test_a_helper_that_the_kernel_killed_for_memory_is_told_so() -> None:
    made = reply(1, [], cell("BrokenProcessPool"), end())
    assert made.killed()
    made.blame_memory()
    assert made.results()[-1].ended == "memory"


@pytest.mark.parametrize(
    "frames",
    [(cell("ValueError"), end()), (cell(), end()), (output(), end("died", detail="killed by SIGSEGV"))],
)
def test_no_other_end_is_blamed_on_memory(frames: tuple[dict[str, Any], ...]) -> None:
    assert not reply(1, [], *frames).killed()
