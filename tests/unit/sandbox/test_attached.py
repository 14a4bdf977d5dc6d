from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from lakebook.sandbox.attached import AttachedContainer


class Engine:
    """Remembers what was killed."""

    def __init__(self) -> None:
        self.killed: list[str] = []

    def kill(self, container: str) -> None:
        self.killed.append(container)


class Stream:
    """The attached connection as docker-py hands it out."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self._response: Any = end

    def fileno(self) -> int:
        return self.end.fileno()


@pytest.fixture
def attached() -> Iterator[tuple[AttachedContainer, socket.socket, Engine]]:
    ours, theirs = socket.socketpair()
    engine = Engine()
    worker = AttachedContainer(engine, "box", Stream(ours))
    os.set_blocking(worker.to_worker, False)  # as the channel does
    yield worker, theirs, engine
    worker.kill()
    worker.release()
    theirs.close()


def frame(kind: int, data: bytes) -> bytes:
    return struct.pack(">BxxxI", kind, len(data)) + data


def test_output_is_taken_apart_however_it_arrives(
    attached: tuple[AttachedContainer, socket.socket, Engine],
) -> None:
    worker, theirs, _ = attached
    for byte in frame(1, b"one ") + frame(2, b"a warning\nthe last words\n") + frame(1, b"two"):
        theirs.sendall(bytes([byte]))
    assert os.read(worker.from_worker, 4) + os.read(worker.from_worker, 3) == b"one two"
    assert worker.last_words() == "the last words"


def test_the_end_of_the_container_is_the_end_of_its_output(
    attached: tuple[AttachedContainer, socket.socket, Engine],
) -> None:
    worker, theirs, _ = attached
    theirs.sendall(frame(1, b"x") + b"\x01\x00")
    theirs.close()
    assert os.read(worker.from_worker, 8) == b"x"
    assert os.read(worker.from_worker, 8) == b""


def test_hanging_up_ends_the_workers_input_only(
    attached: tuple[AttachedContainer, socket.socket, Engine],
) -> None:
    worker, theirs, engine = attached
    os.write(worker.to_worker, b"hello")
    worker.hang_up(0.01)
    assert (theirs.recv(8), theirs.recv(8)) == (b"hello", b"")
    theirs.sendall(frame(1, b"bye"))
    assert os.read(worker.from_worker, 8) == b"bye"
    assert engine.killed == []


def test_killing_names_the_container(attached: tuple[AttachedContainer, socket.socket, Engine]) -> None:
    worker, theirs, engine = attached
    worker.kill()
    assert engine.killed == ["box"]
    assert theirs.recv(1) == b""
