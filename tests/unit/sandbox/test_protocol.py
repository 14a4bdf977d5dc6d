from __future__ import annotations

import base64
import copy
import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from lakebook.sandbox.base import CellError, Evaluation
from lakebook.sandbox.protocol import Channel, End, ProtocolError, parse_cell, parse_end, parse_value
from lakebook.sandbox.worker.framing import HEADER, pack

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n123").decode()


def cell() -> dict[str, Any]:
    return {
        "id": 1,
        "kind": "cell",
        "cell": {
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": "hi\n"},
                {
                    "output_type": "display_data",
                    "data": {"image/png": PNG, "text/plain": "x"},
                    "metadata": {},
                },
                {
                    "output_type": "execute_result",
                    "data": {"application/vnd.plotly.v1+json": {"data": []}},
                    "metadata": {},
                    "execution_count": 3,
                },
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["line"]},
            ],
            "error": {"name": "E", "message": "v", "traceback": ["line"]},
            "ended": "error",
            "seconds": 0.5,
        },
    }


def test_a_proper_cell_is_understood() -> None:
    result = parse_cell(cell())
    assert len(result.outputs) == 4
    assert result.error == CellError("E", "v", ("line",))
    assert (result.ended, result.seconds) == ("error", 0.5)


def _put(path: tuple[str | int, ...], value: object) -> Callable[[dict[str, Any]], None]:
    def change(frame: dict[str, Any]) -> None:
        target: Any = frame
        for part in path[:-1]:
            target = target[part]
        target[path[-1]] = value

    return change


OUTPUTS = ("cell", "outputs")


@pytest.mark.parametrize(
    "change",
    [
        _put(("more",), 1),
        _put(("cell",), []),
        _put(("cell", "more"), 1),
        _put(("cell", "ended"), "timeout"),
        _put(("cell", "ended"), "done"),
        _put(("cell", "seconds"), "soon"),
        _put(("cell", "error"), None),
        _put(("cell", "error"), "text"),
        _put(("cell", "error", "traceback"), [1]),
        _put(("cell", "error", "name"), 7),
        _put(OUTPUTS, {}),
        _put(OUTPUTS, [{}] * 10_001),
        _put((*OUTPUTS, 0), "text"),
        _put((*OUTPUTS, 0, "output_type"), "script"),
        _put((*OUTPUTS, 0, "name"), "stdin"),
        _put((*OUTPUTS, 0, "text"), None),
        _put((*OUTPUTS, 0, "more"), 1),
        _put((*OUTPUTS, 1, "data"), []),
        _put((*OUTPUTS, 1, "data"), {"image/png": "not base64!"}),
        _put((*OUTPUTS, 1, "data"), {"image/png": base64.b64encode(b"GIF89a").decode()}),
        _put((*OUTPUTS, 1, "data"), {"no media type": "x"}),
        _put((*OUTPUTS, 1, "data"), {"text/html": {"a": 1}}),
        _put((*OUTPUTS, 1, "metadata"), None),
        _put((*OUTPUTS, 1, "execution_count"), 1),
        _put((*OUTPUTS, 2, "execution_count"), "1"),
        _put((*OUTPUTS, 2, "execution_count"), -1),
        _put((*OUTPUTS, 3, "traceback"), "line"),
        _put((*OUTPUTS, 3, "evalue"), ["v"]),
    ],
)
def test_any_other_cell_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    frame = copy.deepcopy(cell())
    change(frame)
    with pytest.raises(ProtocolError):
        parse_cell(frame)


def test_a_value_belongs_to_its_expression() -> None:
    frame: dict[str, Any] = {"id": 1, "kind": "value", "place": 0, "value": [1], "error": ""}
    assert parse_value(frame, ["x"], 0) == Evaluation("x", [1], "")
    for change in ({"place": 1}, {"place": "0"}, {"error": None}, {"more": 1}):
        with pytest.raises(ProtocolError):
            parse_value({**frame, **change}, ["x"], 0)
    with pytest.raises(ProtocolError):
        parse_value({**frame, "place": 1}, ["x"], 1)


def test_an_end_is_one_of_four() -> None:
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


def test_replies_end_with_the_end(worker: Worker) -> None:
    for kind in ("value", "end", "value"):
        os.write(worker.writer, pack({"id": 4, "kind": kind}))
    assert [frame["kind"] for frame in worker.channel.replies(4, soon())] == ["value", "end"]


@pytest.mark.parametrize(
    "data",
    [
        HEADER.pack(2) + b"[]",
        HEADER.pack(3) + b"NaN",
        HEADER.pack(4) + b"nope",
        HEADER.pack(2**32 - 1),
        pack({"id": 5, "kind": "end"}),
        pack({"kind": "end"}),
        b"\0\0",
    ],
)
def test_a_broken_or_foreign_or_missing_frame_is_an_error(worker: Worker, data: bytes) -> None:
    os.write(worker.writer, data)
    with pytest.raises(ProtocolError):
        list(worker.channel.replies(4, soon()))


def test_a_worker_that_reads_nothing_is_not_waited_for(worker: Worker) -> None:
    start = time.monotonic()
    with pytest.raises(ProtocolError, match="answer"):
        worker.channel.send({"code": "x" * 1_000_000}, soon())
    assert time.monotonic() - start < 2


def test_a_request_arrives_whole(worker: Worker) -> None:
    worker.channel.send({"id": 1, "code": "x"}, soon())
    assert os.read(worker.reader, 100) == pack({"id": 1, "code": "x"})
