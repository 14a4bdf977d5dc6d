"""Length-prefixed JSON over file descriptors: the one wire format of the sandbox.

A frame is a four-byte big-endian length and that many bytes of UTF-8 JSON, an object at the top. Blocking
reads and writes for the inside; the host has its own side with deadlines in `lakebook.sandbox.protocol`.
"""

from __future__ import annotations

import json
import os
import select
import struct
from typing import Any

HEADER = struct.Struct(">I")
MAX_FRAME = 48 << 20


class FrameError(Exception):
    """The other side sent something that is no frame, or too long a one."""


def pack(document: dict[str, Any]) -> bytes:
    """Return the bytes of one frame. NaN is refused: it is not JSON."""
    body = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = body.encode("utf-8", "backslashreplace")
    if len(data) > MAX_FRAME:
        raise FrameError(f"a frame of {len(data)} bytes is longer than {MAX_FRAME}")
    return HEADER.pack(len(data)) + data


def unpack(data: bytes) -> dict[str, Any]:
    """Parse the body of a frame."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"a frame is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise FrameError("a frame is not a JSON object")
    return document


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however many calls that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_frame(fd: int, document: dict[str, Any]) -> None:
    """Send one frame."""
    write_all(fd, pack(document))


def read_frame(fd: int) -> dict[str, Any] | None:
    """Wait for one frame; None when the other side has closed."""
    header = _read_exactly(fd, HEADER.size)
    if header is None:
        return None
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME:
        raise FrameError(f"a frame of {length} bytes is longer than {MAX_FRAME}")
    body = _read_exactly(fd, length)
    return None if body is None else unpack(body)


def _read_exactly(fd: int, count: int) -> bytes | None:
    chunks: list[bytes] = []
    while count:
        chunk = os.read(fd, min(count, 1 << 20))
        if not chunk:
            return None
        chunks.append(chunk)
        count -= len(chunk)
    return b"".join(chunks)


class FrameBuffer:
    """Collects bytes from a descriptor that is read piecemeal and gives back complete frames."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._data = bytearray()
        self._limit = limit

    def feed(self, data: bytes) -> None:
        """Add bytes as they came."""
        self._data += data

    def take(self) -> bytes | None:
        """Return the body of the first complete frame and forget it, or None if there is none yet."""
        if len(self._data) < HEADER.size:
            return None
        (length,) = HEADER.unpack_from(self._data)
        if length > self._limit:
            raise FrameError(f"a frame of {length} bytes is longer than {self._limit}")
        end = HEADER.size + length
        if len(self._data) < end:
            return None
        body = bytes(self._data[HEADER.size : end])
        del self._data[:end]
        return body


class Outbox:
    """Frames on their way to a reader that may be slow: `push` sends what it takes and never waits."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._data = bytearray()
        os.set_blocking(fd, False)

    def __len__(self) -> int:
        return len(self._data)

    def put(self, document: dict[str, Any]) -> None:
        """Add a frame. Raises FrameError for one that is too long."""
        self._data += pack(document)

    def push(self) -> None:
        """Send as much as the reader takes now. Raises BrokenPipeError when it is gone."""
        while self._data:
            try:
                sent = os.write(self._fd, memoryview(self._data)[: 1 << 20])
            except BlockingIOError:
                return
            del self._data[:sent]

    def flush(self) -> None:
        """Send everything, waiting for the reader."""
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        while self._data:
            poll.poll()
            self.push()
