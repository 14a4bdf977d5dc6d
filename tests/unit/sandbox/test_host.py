"""The controller's line to the host: a slow host holds nothing up but the words meant for it."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from typing import Any

import pytest

from lakebook.sandbox.worker.framing import pack, read_frame
from lakebook.sandbox.worker.host import Host, HungUpError


class Line:
    """A host's ends of the pipes, and the interpreter's."""

    def __init__(self) -> None:
        incoming, self.writer = os.pipe()
        self.reader, outgoing = os.pipe()
        self.replies, self.interpreter = os.pipe()
        self.host = Host(incoming, outgoing)
        self.all = [incoming, self.reader, outgoing, self.replies, self.interpreter]

    def heard(self, *, ending: bool = False) -> set[int]:
        poll = select.poll()
        self.host.listen(poll, self.replies, ending=ending)
        return {descriptor for descriptor, _ in poll.poll(0)}


@pytest.fixture
def line() -> Iterator[Line]:
    made = Line()
    yield made
    for descriptor in made.all:
        os.close(descriptor)


def test_requests_come_one_by_one_and_late_interrupts_are_passed_over(line: Line) -> None:
    for frame in ({"id": 1, "do": "interrupt"}, {"id": 2, "do": "run"}, {"id": 3, "do": "run"}):
        os.write(line.writer, pack(frame))
    assert [request["id"] for _ in range(2) if (request := line.host.request())] == [2, 3]
    os.close(line.writer)
    assert line.host.request() is None


@pytest.mark.parametrize(
    ("frame", "asked"),
    [({"id": 7, "do": "interrupt"}, True), ({"id": 6, "do": "interrupt"}, False), ({"id": 7}, False)],
)
def test_only_the_running_request_is_interrupted(line: Line, frame: dict[str, Any], asked: bool) -> None:
    os.write(line.writer, pack(frame))
    assert line.host.interrupts(7) is asked
    os.close(line.writer)
    with pytest.raises(HungUpError):
        line.host.interrupts(7)


def test_a_host_that_reads_nothing_stops_the_interpreter_not_the_guard(line: Line) -> None:
    os.write(line.interpreter, b"x")
    sent = 0
    while line.replies in line.heard():
        line.host.say({"id": sent, "text": "y" * 50_000})
        sent += 1
    assert 6 <= sent < 20
    assert line.replies in line.heard(ending=True)
    got = []
    for _ in range(sent):
        line.host.push()
        frame = read_frame(line.reader)
        assert frame is not None
        got.append(frame["id"])
    assert got == list(range(sent))
    assert line.replies in line.heard()
    os.close(line.writer)


def test_a_host_that_is_gone_breaks_the_pipe(line: Line) -> None:
    os.close(line.reader)
    line.all.remove(line.reader)
    with pytest.raises(BrokenPipeError):
        line.host.say({"id": 1})
    os.close(line.writer)
