"""The process that runs the cells: one request at a time from the controller, answered in frames.

`run` and `evaluate` work in the process's own state; `fork` works in a copy of it. Requests and frames:

- `{"id", "do": "run", "code"}` → one `cell` frame, `end`
- `{"id", "do": "evaluate", "expressions"}` → a `value` frame each, `end`
- `{"id", "do": "fork", "cells", "expressions"}` → `cell` frames to the first failure, `value` frames, `end`

Before its `cell` frame stand a cell's `output` frames, each sent when the cell shows something. Time and
memory are the controller's to watch; this module does nothing about a cell that never ends.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any

from .apart import keep_apart
from .confine import die_with_parent, reporting
from .faults import end_of, go_first
from .framing import HEADER, FrameBuffer, FrameError, pack, read_frame, unpack, write_all, write_frame
from .outputs import NUDGE, Descriptors, last_words
from .processes import describe_end
from .shell import Runner
from .values import to_json


class Interpreter:
    """Serves requests in the state that earlier requests left."""

    def __init__(self, runner: Runner, requests: int, replies: int) -> None:
        self._runner = runner
        self._requests = requests
        self._replies = replies
        self._process, self._guard = os.getpid(), os.getppid()
        self._spare: Descriptors | None = None  # of the runs forked from here, one after the other
        self._passed = 0

    def serve(self) -> None:
        """Answer until the controller closes the request pipe."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(NUDGE, self._runner.outputs.collect)
        while (request := read_frame(self._requests)) is not None:
            identity, do = request["id"], request["do"]
            if do == "fork":
                end = self._fork(identity, request["cells"], request["expressions"])
            else:
                end = self._work(self._replies, identity, do, request)
            write_frame(self._replies, {"id": identity, "kind": "end", **end})

    def _work(self, replies: int, identity: int, do: str, request: dict[str, Any]) -> dict[str, Any]:
        """Do a request in this process; the last frame is the caller's to send."""
        cells: Sequence[str] = [request["code"]] if do == "run" else request.get("cells", ())
        for code in cells:
            cell = self._cell(code, replies, identity)
            write_frame(replies, {"id": identity, "kind": "cell", "cell": cell})
            if cell["ended"] != "done":
                return {"ended": "done", "detail": ""}
        for place, expression in enumerate(request.get("expressions", ())):
            write_all(replies, self._value(identity, place, expression))
        return {"ended": "done", "detail": ""}

    def _cell(self, code: str, replies: int, identity: int) -> dict[str, Any]:
        def send(output: dict[str, Any]) -> None:
            write_frame(replies, {"id": identity, "kind": "output", "output": output})

        start = time.perf_counter()
        outputs = self._runner.outputs
        reporting(False)
        try:
            signal.signal(signal.SIGINT, outputs.interrupts.handle)
            try:
                error = self._runner.run(code, send)
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                reporting(True)
        except (KeyboardInterrupt, MemoryError) as raised:
            error = raised
        if os.getpid() != self._process:
            os._exit(0)  # a process that user code forked ends with the cell, it does not serve
        outputs.finish()
        ended = end_of(error)
        shown = None if error is None else self._runner.describe_error(error)
        seconds = round(time.perf_counter() - start, 6)
        told = self._runner.warned.records()
        return {"error": shown, "ended": ended, "seconds": seconds, "warnings": told}

    def _value(self, identity: int, place: int, expression: str) -> bytes:
        value: Any = None
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value, trouble = to_json(self._runner.evaluate(expression))
        except (KeyboardInterrupt, SystemExit, Exception) as error:  # noqa: BLE001 - user code's
            trouble = f"{type(error).__name__}: {error}"[:2000].encode("utf-8", "backslashreplace").decode()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        frame = {"id": identity, "kind": "value", "place": place, "value": value, "error": trouble}
        try:
            return pack(frame)
        except (FrameError, ValueError) as error:
            return pack({**frame, "value": None, "error": f"cannot be sent: {error}"})

    def _fork(self, identity: int, cells: Sequence[str], expressions: Sequence[str]) -> dict[str, Any]:
        """Run in a copy of this process and pass on its complete frames until it ends."""
        reader, writer = os.pipe()
        spare = self._spare = self._spare or Descriptors()
        spare.forget()
        self._passed = 0
        gc.freeze()
        child = os.fork()
        if child == 0:
            self._spare = None
            self._serve_fork(writer, spare, identity, cells, expressions)
        os.close(writer)
        gc.unfreeze()
        try:
            complete, trouble = self._pass_on(child, reader, identity), ""
        except FrameError as error:
            os.kill(child, signal.SIGKILL)
            complete, trouble = False, f"the forked process broke its protocol: {error}"
        finally:
            os.close(reader)
        _, status = os.waitpid(child, 0)
        if complete:
            return {"ended": "done", "detail": ""}
        if self._passed < len(cells):
            for output in last_words(spare, self._runner.characters):
                write_frame(self._replies, {"id": identity, "kind": "output", "output": output})
        return {"ended": "died", "detail": trouble or describe_end(status)}

    def _serve_fork(
        self,
        writer: int,
        descriptors: Descriptors,
        identity: int,
        cells: Sequence[str],
        expressions: Sequence[str],
    ) -> None:
        status = 1
        try:
            os.close(self._requests)
            os.close(self._replies)
            go_first()
            die_with_parent()
            keep_apart([self._process, self._guard])
            self._process = os.getpid()
            self._runner.attach(descriptors)
            request = {"cells": cells, "expressions": expressions}
            end = self._work(writer, identity, "fork", request)
            write_frame(writer, {"id": identity, "kind": "end", **end})
            status = 0
        except (OSError, MemoryError, FrameError, SystemExit):
            status = 1
        finally:
            os._exit(status)

    def _pass_on(self, child: int, reader: int, identity: int) -> bool:
        """Forward the child's frames; True when it said that it was done.

        The end of the child is seen by its process descriptor: its own children may keep the pipe open.
        """
        buffer = FrameBuffer()
        handle = os.pidfd_open(child)
        os.set_blocking(reader, False)
        try:
            while True:
                ready, _, _ = select.select([reader, handle], [], [])
                gone = handle in ready
                while chunk := _read_some(reader):
                    buffer.feed(chunk)
                while (body := buffer.take()) is not None:
                    frame = unpack(body)
                    if frame.get("id") != identity:
                        raise FrameError("a reply to no request")
                    if frame.get("kind") == "end":
                        return True
                    self._passed += frame.get("kind") == "cell"
                    write_all(self._replies, HEADER.pack(len(body)) + body)
                if gone:
                    return False
        finally:
            os.close(handle)


def _read_some(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 20)
    except BlockingIOError:
        return b""


def prepare_path(worker_path: str) -> None:
    """Let imports of user code look where a notebook's would: the working folder first, never our own."""
    sys.path[:] = ["", *(entry for entry in sys.path if entry not in (worker_path, ""))]
