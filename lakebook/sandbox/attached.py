"""A worker in a container: its streams over the engine's socket, and its end.

The engine multiplexes a container's output over one connection, in frames with a header of eight bytes; a
thread takes them apart. The container's input closes with the connection, so that a worker whose host died
ends by itself, and the engine then removes the container. What a container is allowed is in `container`.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any

from lakebook.sandbox.base import Limits
from lakebook.sandbox.cgroups import Tally, groups_of
from lakebook.sandbox.engine import errors
from lakebook.sandbox.running import MOST_WORDS, last_line
from lakebook.sandbox.watchdog import Watched
from lakebook.sandbox.worker.framing import write_all

_HEADER = struct.Struct(">BxxxI")
_STDERR = 2


class AttachedContainer:
    """A container that was created, attached to and started."""

    def __init__(self, engine: Any, container: str, stream: Any) -> None:
        """Take over a container.

        Args:
            engine: docker-py's low-level client.
            container: its id.
            stream: what `attach_socket` returned; kept, for it owns the connection.
        """
        self._engine, self._container, self._stream = engine, container, stream
        self._groups: list[Path] = []
        self._tally, self._told = Tally(), False
        self._watched: Watched | None = None
        self.to_worker = stream.fileno()
        self.from_worker, self._writer = os.pipe()
        self._said = bytearray()
        self._reader = threading.Thread(target=self._take_apart, name="container-output", daemon=True)
        self._reader.start()

    def _take_apart(self) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError):
            while True:
                kind, length = _HEADER.unpack(self._read(_HEADER.size))
                while length:
                    part = self._read(min(length, 1 << 16))
                    length -= len(part)
                    if kind != _STDERR:
                        write_all(self._writer, part)
                    elif len(self._said) < MOST_WORDS:
                        self._said += part
        os.close(self._writer)

    def _read(self, length: int) -> bytes:
        """Return so many bytes. The descriptor never blocks, since the channel writes to it too."""
        parts = bytearray()
        poll = select.poll()
        poll.register(self.to_worker, select.POLLIN)
        while len(parts) < length:
            poll.poll()
            try:
                part = os.read(self.to_worker, length - len(parts))
            except BlockingIOError:
                continue
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)

    def first_word(self, length: int, seconds: float) -> bytes:
        """Return what it says first, or nothing if it says nothing for so long."""
        ready, _, _ = select.select([self.from_worker], [], [], seconds)
        return os.read(self.from_worker, length) if ready else b""

    def watch(self, limits: Limits) -> None:
        """Have its processes watched from here, for an engine that can't limit their memory in total."""
        process = int(self._engine.inspect_container(self._container)["State"]["Pid"])
        self._watched = Watched(limits)
        self._watched.started(process, self.kill)

    def ran_out(self) -> bool:
        """Whether one of its processes was ended for want of memory since this was last asked.

        The kernel's own count is read where the container runs on this machine. Of one in a virtual machine
        the engine only tells whether that ever happened.
        """
        if self._watched is not None:
            return self._watched.ran_out()
        with contextlib.suppress(*errors()):
            state = self._engine.inspect_container(self._container)["State"]
            self._groups = self._groups or groups_of(int(state["Pid"]), self._container)
            if self._groups:
                return self._tally.grown(self._groups)
            told, self._told = self._told, bool(state["OOMKilled"])
            return self._told and not told
        return False

    def last_words(self) -> str:
        """Return the last line of the container's standard error."""
        time.sleep(0.2)
        return last_line(bytes(self._said))

    def hang_up(self, seconds: float) -> None:
        """Close the worker's input and wait until its output ends too."""
        self._shut(socket.SHUT_WR)
        self._reader.join(seconds)

    def kill(self) -> None:
        """End the container; the engine removes it."""
        with contextlib.suppress(*errors()):  # it has ended, or its engine has
            self._engine.kill(self._container)
        self._shut(socket.SHUT_RDWR)
        if self._watched is not None:
            self._watched.end()
        self._reader.join(5)

    def _shut(self, how: int) -> None:
        with (
            contextlib.suppress(OSError, ValueError),
            socket.socket(fileno=os.dup(self.to_worker)) as twin,
        ):
            twin.shutdown(how)

    def release(self) -> None:
        """Close the connection and the pipe."""
        with contextlib.suppress(OSError):
            os.close(self.from_worker)
        self._stream._response.close()  # it owns the connection, which docker-py hands out through this alone
