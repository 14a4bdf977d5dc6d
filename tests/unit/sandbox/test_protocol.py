from __future__ import annotations

import base64
import copy
import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from lakebook.sandbox.base import CellError, CellWarning, Evaluation
from lakebook.sandbox.protocol import (
    Channel,
    End,
    ProtocolError,
    parse_cell,
    parse_end,
    parse_output,
    parse_value,
)
from lakebook.sandbox.worker.framing import HEADER, pack

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n123").decode()


def cell() -> dict[str, Any]:
    error = {"name": "E", "message": "v", "traceback": ["line"]}
    warning = {"category": "UserWarning", "message": "odd", "line": 2, "count": 3, "shown": False}
    inner = {"error": error, "ended": "error", "seconds": 0.5, "warnings": [warning]}
    return {"id": 1, "kind": "cell", "cell": inner}


STREAM = {"output_type": "stream", "name": "stdout", "text": "hi\n"}
SHOWN = {
    "output_type": "display_data",
    "data": {"image/png": PNG, "text/plain": "x"},
    "metadata": {},
    "transient": {"display_id": "i"},
}
VALUE = {
    "output_type": "execute_result",
    "data": {"application/vnd.plotly.v1+json": {"data": []}},
    "metadata": {},
    "transient": {},
    "execution_count": 3,
}
ERROR = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["line"]}
CLEAR = {"output_type": "clear_output", "wait": True}
UPDATE = {**SHOWN, "output_type": "update_display_data"}


def output(message: object) -> dict[str, Any]:
    return {"id": 1, "kind": "output", "output": copy.deepcopy(message)}


def test_a_proper_cell_is_understood() -> None:
    result = parse_cell(cell(), [STREAM])
    assert result.outputs == (STREAM,)
    assert result.error == CellError("E", "v", ("line",))
    assert (result.ended, result.seconds) == ("error", 0.5)
    assert result.warnings == (CellWarning("UserWarning", "odd", 2, 3, False),)


@pytest.mark.parametrize("message", [STREAM, SHOWN, VALUE, ERROR, CLEAR, UPDATE])
def test_a_proper_output_is_understood(message: dict[str, Any]) -> None:
    assert parse_output(output(message)) == message


def _put(path: tuple[str | int, ...], value: object) -> Callable[[dict[str, Any]], None]:
    def change(frame: dict[str, Any]) -> None:
        target: Any = frame
        for part in path[:-1]:
            target = target[part]
        target[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _put(("more",), 1),
        _put(("cell",), []),
        _put(("cell", "more"), 1),
        _put(("cell", "outputs"), []),
        _put(("cell", "ended"), "timeout"),
        _put(("cell", "ended"), "done"),
        _put(("cell", "seconds"), "soon"),
        _put(("cell", "error"), None),
        _put(("cell", "error"), "text"),
        _put(("cell", "error", "traceback"), [1]),
        _put(("cell", "error", "name"), 7),
        _put(("cell", "warnings"), None),
        _put(("cell", "warnings"), [{}]),
        _put(("cell", "warnings", 0, "line"), -1),
        _put(("cell", "warnings", 0, "count"), True),
        _put(("cell", "warnings", 0, "shown"), 0),
        _put(("cell", "warnings", 0, "category"), None),
    ],
)
def test_any_other_cell_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    frame = copy.deepcopy(cell())
    change(frame)
    with pytest.raises(ProtocolError):
        parse_cell(frame, [])


@pytest.mark.parametrize(
    ("message", "key", "value"),
    [
        (STREAM, "output_type", "script"),
        (STREAM, "output_type", None),
        (STREAM, "output_type", ["stream"]),
        (STREAM, "name", "stdin"),
        (STREAM, "text", None),
        (STREAM, "more", 1),
        (SHOWN, "data", []),
        (SHOWN, "data", {"image/png": "not base64!"}),
        (SHOWN, "data", {"image/png": base64.b64encode(b"GIF89a").decode()}),
        (SHOWN, "data", {"no media type": "x"}),
        (SHOWN, "data", {"text/html": {"a": 1}}),
        (SHOWN, "metadata", None),
        (SHOWN, "execution_count", 1),
        (SHOWN, "transient", None),
        (SHOWN, "transient", {"display_id": 1}),
        (SHOWN, "transient", {"more": "x"}),
        (VALUE, "execution_count", "1"),
        (VALUE, "execution_count", -1),
        (ERROR, "traceback", "line"),
        (ERROR, "traceback", [1]),
        (ERROR, "evalue", ["v"]),
        (CLEAR, "wait", 1),
        (CLEAR, "more", 1),
        (UPDATE, "data", {"text/plain": 7}),
    ],
)
def test_any_other_output_is_refused(message: dict[str, Any], key: str, value: object) -> None:
    with pytest.raises(ProtocolError):
        parse_output(output({**message, key: value}))


@pytest.mark.parametrize("frame", [output("text"), output(None), {**output(STREAM), "more": 1}])
def test_an_output_frame_holds_one_output(frame: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        parse_output(frame)


def test_a_value_belongs_to_its_expression() -> None:
    frame: dict[str, Any] = {"id": 1, "kind": "value", "place": 0, "value": [1], "error": ""}
    assert parse_value(frame, ["x"], 0) == Evaluation("x", [1], "")
    for change in ({"place": 1}, {"place": "0"}, {"error": None}, {"more": 1}):
        with pytest.raises(ProtocolError):
            parse_value({**frame, **change}, ["x"], 0)
    with pytest.raises(ProtocolError):
        parse_value({**frame, "place": 1}, ["x"], 1)


def test_an_end_is_one_of_five() -> None:
    frame: dict[str, Any] = {"id": 1, "kind": "end", "ended": "done", "detail": "", "dead": False}
    assert parse_end(frame) == End("done", "", False)
    for change in ({"ended": "error"}, {"dead": 0}, {"detail": 1}, {"more": 1}):
        with pytest.raises(ProtocolError):
            parse_end({**frame, **change})


class Worker:
    """The other ends of a channel's pipes."""

    def __init__(self) -> None:
        self.reader, to_worker = os.pipe()
        from_worker, self.writer = os.pipe()
        self.ends = [self.reader, to_worker, from_worker, self.writer]
        self.channel = Channel(to_worker, from_worker)

    def close(self) -> None:
        for fd in self.ends:
            os.close(fd)


@pytest.fixture
def worker() -> Any:
    made = Worker()
    yield made
    made.close()


def soon() -> float:
    return time.monotonic() + 0.2


def test_frames_arrive_one_by_one_and_are_counted(worker: Worker) -> None:
    for kind in ("value", "end"):
        os.write(worker.writer, pack({"id": 4, "kind": kind}))
    assert [worker.channel.receive(soon())["kind"] for _ in range(2)] == ["value", "end"]
    assert worker.channel.received == len(pack({"id": 4, "kind": "value"}) + pack({"id": 4, "kind": "end"}))


@pytest.mark.parametrize(
    "data",
    [
        HEADER.pack(2) + b"[]",
        HEADER.pack(3) + b"NaN",
        HEADER.pack(4) + b"nope",
        HEADER.pack(2**32 - 1),
        b"\0\0",
    ],
)
def test_a_broken_or_missing_frame_is_an_error(worker: Worker, data: bytes) -> None:
    os.write(worker.writer, data)
    with pytest.raises(ProtocolError):
        worker.channel.receive(soon())


def test_a_worker_that_reads_nothing_is_not_waited_for(worker: Worker) -> None:
    start = time.monotonic()
    with pytest.raises(ProtocolError, match="answer"):
        worker.channel.send({"code": "x" * 1_000_000}, soon())
    assert time.monotonic() - start < 2


def test_a_request_arrives_whole(worker: Worker) -> None:
    worker.channel.send({"id": 1, "code": "x"}, soon())
    assert os.read(worker.reader, 100) == pack({"id": 1, "code": "x"})
