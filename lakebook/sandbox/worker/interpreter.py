"""The process that runs the cells: one request at a time from the controller, answered in frames.

`run` and `evaluate` work in the process's own state; `fork` works in a copy of it. Requests and frames:

- `{"id", "do": "run", "code"}` → one `cell` frame, `end`
- `{"id", "do": "evaluate", "expressions"}` → a `value` frame each, `end`
- `{"id", "do": "fork", "cells", "expressions"}` → `cell` frames to the first failure, `value` frames, `end`
- `{"id", "do": "copy"}` → `end`; a copy of this process answers from now on, until
- `{"id", "do": "drop"}` → `end`; and this process answers again, in the state in which it was copied

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
from typing import Any, NoReturn

from .apart import keep_apart
from .confine import die_with_parent, reporting
from .faults import end_of, go_first
from .framing import HEADER, FrameBuffer, FrameError, pack, read_frame, unpack, write_all, write_frame
from .outputs import NUDGE, Descriptors, last_words
from .processes import describe_end
from .shell import Runner
from .values import to_json

_DONE = {"ended": "done", "detail": ""}


class Interpreter:
    """Serves requests in the state that earlier requests left."""

    def __init__(self, runner: Runner, requests: int, replies: int) -> None:
        self._runner = runner
        self._requests = requests
        self._replies = replies
        self._process, self._above = os.getpid(), [os.getppid()]
        self._spare: Descriptors | None = None  # of the runs forked from here, one after the other
        self._passed = 0

    def serve(self) -> None:
        """Answer until the controller closes the request pipe."""
        self._heed()
        while (request := read_frame(self._requests)) is not None:
            identity, do = request["id"], request["do"]
            if do == "copy":
                self._copy(identity)
                continue
            if do == "fork":
                end = self._fork(identity, request["cells"], request["expressions"])
            else:
                end = self._work(self._replies, identity, do, request)
            self._end(identity, end)

    def _heed(self) -> None:
        """Be told from now on when to collect, and be interrupted in a cell only."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(NUDGE, self._runner.outputs.collect)

    def _end(self, identity: int, end: dict[str, Any]) -> None:
        write_frame(self._replies, {"id": identity, "kind": "end", **end})

    def _copy(self, identity: int) -> None:
        """Let a copy of this process answer what comes, until it is to be dropped.

        The copy has pipes of its own, so that nothing which it leaves behind can speak for this process.
        """
        (its_requests, requests), (replies, its_replies) = os.pipe(), os.pipe()
        gc.freeze()
        child = os.fork()
        if child == 0:
            os.close(requests)
            os.close(replies)
            self._become_copy(its_requests, its_replies)
        gc.unfreeze()
        os.close(its_requests)
        os.close(its_replies)
        os.set_blocking(replies, False)
        for number in (signal.SIGINT, NUDGE):
            signal.signal(number, lambda sent, _: os.kill(child, sent))
        self._end(identity, _DONE)
        last = self._relay(child, requests, replies)
        self._heed()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(requests)
        os.close(replies)
        if last is not None:
            self._end(last, _DONE)

    def _become_copy(self, requests: int, replies: int) -> NoReturn:
        try:
            self._confine(Descriptors())
            self._requests, self._replies = requests, replies
            self.serve()
        finally:
            os._exit(0)

    def _relay(self, child: int, requests: int, replies: int) -> int | None:
        """Pass requests to a copy, and back what it replies, until it is to be dropped.

        Returns the number of the request that drops it, None if there are no more requests.
        """
        depth, trouble = 0, ""
        while (request := read_frame(self._requests)) is not None:
            identity, do = request["id"], request["do"]
            if do == "drop" and depth == 0:
                return int(identity)
            depth += {"copy": 1, "drop": -1}.get(do, 0)
            end = None
            try:
                if not trouble:
                    write_frame(requests, request)
                    end = self._pass_on(child, replies, identity)
            except (FrameError, BrokenPipeError) as error:
                trouble = f"the copy broke its protocol: {error}"
            if end is None:
                trouble = trouble or "the copy of the session died"
                end = {"ended": "died", "detail": trouble}
            self._end(identity, {key: end.get(key, "") for key in _DONE})
        return None

    def _work(self, replies: int, identity: int, do: str, request: dict[str, Any]) -> dict[str, Any]:
        """Do a request in this process; the last frame is the caller's to send."""
        cells: Sequence[str] = [request["code"]] if do == "run" else request.get("cells", ())
        for code in cells:
            cell = self._cell(code, replies, identity)
            write_frame(replies, {"id": identity, "kind": "cell", "cell": cell})
            if cell["ended"] != "done":
                return _DONE
        for place, expression in enumerate(request.get("expressions", ())):
            write_all(replies, self._value(identity, place, expression))
        return _DONE

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
            self._serve_fork(writer, spare, identity, cells, expressions)
        os.close(writer)
        gc.unfreeze()
        os.set_blocking(reader, False)
        trouble = ""
        try:
            end = self._pass_on(child, reader, identity)
        except FrameError as error:
            os.kill(child, signal.SIGKILL)
            end, trouble = None, f"the forked process broke its protocol: {error}"
        finally:
            os.close(reader)
        _, status = os.waitpid(child, 0)
        if end:
            return _DONE
        if self._passed < len(cells):
            for output in last_words(spare, self._runner.characters):
                write_frame(self._replies, {"id": identity, "kind": "output", "output": output})
        return {"ended": "died", "detail": trouble or describe_end(status)}

    def _confine(self, descriptors: Descriptors) -> None:
        """Give up, in a forked process, what belongs to those above, and every right over them."""
        os.close(self._requests)
        os.close(self._replies)
        self._spare = None
        go_first()
        die_with_parent()
        self._above.append(self._process)
        keep_apart(self._above)
        self._process = os.getpid()
        self._runner.attach(descriptors)

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
            self._confine(descriptors)
            request = {"cells": cells, "expressions": expressions}
            end = self._work(writer, identity, "fork", request)
            write_frame(writer, {"id": identity, "kind": "end", **end})
            status = 0
        except (OSError, MemoryError, FrameError, SystemExit):
            status = 1
        finally:
            os._exit(status)

    def _pass_on(self, child: int, reader: int, identity: int) -> dict[str, Any] | None:
        """Forward the child's frames up to its `end`, which is returned; None if it ended without.

        The end of the child is seen by its process descriptor: its own children may keep the pipe open.
        """
        buffer = FrameBuffer()
        handle = os.pidfd_open(child)
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
                        return frame
                    self._passed += frame.get("kind") == "cell"
                    write_all(self._replies, HEADER.pack(len(body)) + body)
                if gone:
                    return None
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
