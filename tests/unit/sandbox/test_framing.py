from __future__ import annotations

import os
import struct
from collections.abc import Iterator

import pytest

from lakebook.sandbox.worker.framing import (
    MAX_FRAME,
    FrameBuffer,
    FrameError,
    pack,
    read_frame,
    unpack,
    write_frame,
)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for fd in (reader, writer):
        try:
            os.close(fd)
        except OSError:
            continue


def test_a_frame_comes_back_as_it_was(pipe: tuple[int, int]) -> None:
    document = {"id": 1, "text": "ümläut ✓ \0", "list": [1, None, {"a": 2.5}]}
    write_frame(pipe[1], document)
    assert read_frame(pipe[0]) == document


def test_the_end_of_the_pipe_is_no_frame(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"\0\0")
    os.close(pipe[1])
    assert read_frame(pipe[0]) is None


def test_a_cut_body_is_no_frame(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack(">I", 10) + b"{}")
    os.close(pipe[1])
    assert read_frame(pipe[0]) is None


def test_a_frame_that_is_too_long_is_refused_before_it_is_read(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], struct.pack(">I", MAX_FRAME + 1))
    with pytest.raises(FrameError, match="longer"):
        read_frame(pipe[0])
    with pytest.raises(FrameError, match="longer"):
        pack({"x": "y" * MAX_FRAME})


def test_not_a_number_is_not_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        pack({"x": float("nan")})


@pytest.mark.parametrize("body", [b"[]", b"1", b"nope", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(FrameError):
        unpack(body)


def test_lone_surrogates_are_escaped_not_fatal() -> None:
    assert b"ud800" in pack({"x": "\ud800"})


@pytest.mark.parametrize("step", [1, 3, 7, 1000])
def test_pieces_of_any_size_make_the_same_frames(step: int) -> None:
    documents = [{"n": n, "text": "x" * n} for n in range(5)]
    data = b"".join(pack(document) for document in documents)
    buffer, taken = FrameBuffer(), []
    for start in range(0, len(data), step):
        buffer.feed(data[start : start + step])
        while (body := buffer.take()) is not None:
            taken.append(unpack(body))
    assert taken == documents
    assert buffer.take() is None


def test_the_buffer_refuses_a_long_frame_from_its_header() -> None:
    buffer = FrameBuffer(limit=10)
    buffer.feed(struct.pack(">I", 11))
    with pytest.raises(FrameError):
        buffer.take()
