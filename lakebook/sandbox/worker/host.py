"""The controller's line to the host: requests one after the other, frames back, and words in between.

While a request is worked on, the host may say only `{"id", "do": "interrupt"}`. It may also be slow to read:
then what comes from the interpreter waits, first here, then in the interpreter, which is the back-pressure
that a cell which floods its output feels. The guard's own loop never waits for the host.
"""

from __future__ import annotations

import contextlib
import os
import select
from typing import Any

from .framing import MAX_FRAME, FrameBuffer, Outbox, unpack

_ENOUGH_WAITING = 1 << 18


class HungUpError(Exception):
    """The host has closed its end."""


class Host:
    """Two descriptors and what is on its way between them."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming, self.outgoing = incoming, outgoing
        self._inbox = FrameBuffer()
        self._outbox = Outbox(outgoing)

    def request(self) -> dict[str, Any] | None:
        """Wait for the next request; None when the host hung up."""
        while True:
            while (body := self._inbox.take()) is not None:
                request = unpack(body)
                if request.get("do") != "interrupt":  # of a request that has ended meanwhile
                    return request
            try:
                self._read()
            except HungUpError:
                return None

    def interrupts(self, identity: int) -> bool:
        """Read what the host said during a request; True if it wants that one interrupted."""
        self._read()
        asked = False
        while (body := self._inbox.take()) is not None:
            frame = unpack(body)
            asked = asked or (frame.get("do") == "interrupt" and frame.get("id") == identity)
        return asked

    def _read(self) -> None:
        chunk = os.read(self.incoming, 1 << 20)
        if not chunk:
            raise HungUpError
        self._inbox.feed(chunk)

    def listen(self, poll: select.poll, replies: int, *, ending: bool) -> None:
        """Register what is to be heard of now: the host always, the interpreter if its words have room.

        A cell that is told to end must not hang on a slow host: then there is room for all that it may say.
        """
        poll.register(self.incoming, select.POLLIN)
        if self._outbox:
            poll.register(self.outgoing, select.POLLOUT)
        else:
            _forget(poll, self.outgoing)
        if len(self._outbox) < (MAX_FRAME if ending else _ENOUGH_WAITING):
            poll.register(replies, select.POLLIN)
        else:
            _forget(poll, replies)

    def say(self, frame: dict[str, Any]) -> None:
        """Send a frame, or as much of it as the host takes now."""
        self._outbox.put(frame)
        self._outbox.push()

    def push(self) -> None:
        """Send what still waits, as far as the host takes it."""
        self._outbox.push()

    def finish(self, frame: dict[str, Any]) -> None:
        """Send a frame and wait until the host has taken everything."""
        self._outbox.put(frame)
        self._outbox.flush()


def _forget(poll: select.poll, descriptor: int) -> None:
    with contextlib.suppress(KeyError):
        poll.unregister(descriptor)
