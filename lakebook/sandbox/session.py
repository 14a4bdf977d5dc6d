"""A session as the host sees it: one running worker, its channel, and what its replies mean.

The same for every backend; a backend only says how a worker is started. Nothing that happens inside can raise
anything here but `SandboxFailed`.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from lakebook.errors import SandboxFailed
from lakebook.sandbox import reaper
from lakebook.sandbox.base import CellResult, Evaluation, Limits, OnOutput
from lakebook.sandbox.protocol import MAX_REPLY, Channel, End, ProtocolError
from lakebook.sandbox.reply import Reply
from lakebook.sandbox.running import Running

_START_SECONDS = 90.0
# The inside enforces time limits; the host waits this much longer before it ends the sandbox itself.
_PATIENCE_SECONDS = 10.0


class WorkerSession:
    """A warm, stateful interpreter behind a channel. Calls from several threads wait for each other.

    `interrupt`, `restart` and `close` do not wait: they end what another thread runs.

    Attributes:
        inputs: where the cells find each mount, by its name.
        isolated: False when nothing keeps the cells from this machine.
        versions: of the libraries inside.
    """

    def __init__(
        self,
        start: Callable[[], Running],
        setup: Mapping[str, Any],
        limits: Limits,
        *,
        inputs: Mapping[str, str],
        isolated: bool,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        """Start the worker. Raises SandboxFailed.

        Args:
            start: starts a worker, again for every restart.
            setup: its first frame.
            limits: of the session.
            inputs: see the attributes.
            isolated: see the attributes.
            on_close: called once, when the session has ended.
        """
        self.inputs = dict(inputs)
        self.isolated = isolated
        self._start, self._setup = start, dict(setup)
        self._limits = limits
        self._on_close = on_close
        self._lock = threading.Lock()  # of the one call that runs
        self._sending = threading.Lock()  # of the way to the worker
        self._changing = threading.Lock()  # of the worker itself
        self._numbers = itertools.count(1)
        self._running: int | None = None
        self._ended = ""
        self._closed = False
        self._used = time.monotonic()
        try:
            self._open()
        except BaseException:
            on_close()
            raise
        reaper.look_after(self)

    def _open(self) -> None:
        self._worker = self._start()
        self._channel = Channel(self._worker.to_worker, self._worker.from_worker)
        deadline = time.monotonic() + _START_SECONDS
        try:
            self._channel.send(self._setup, deadline)
            frame = self._channel.receive(deadline)
            if frame.get("kind") != "ready" or not isinstance(frame.get("versions"), dict):
                raise ProtocolError("the worker's first word is not `ready`")
        except ProtocolError as error:
            said = self._worker.last_words()
            self._end_worker()
            self._worker.release()
            raise SandboxFailed(
                f"the sandbox did not start: {said or error}.",
                hint="`lakebook doctor` tests the sandbox by itself.",
            ) from error
        self.versions: dict[str, str] = {str(k): str(v) for k, v in frame["versions"].items()}
        self._ended, self._used = "", time.monotonic()

    @property
    def ended(self) -> str:
        """Why the session can do no more; "" while it can."""
        return self._ended

    def run(
        self, code: str, *, seconds: float | None = None, on_output: OnOutput | None = None
    ) -> CellResult:
        """Run one cell in the session's state; `on_output` is told of each output as it comes."""
        return self._request("run", seconds, cells=[code], on_output=on_output).results()[0]

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        """Run cells, then evaluate expressions, in a copy of the state, which is then dropped."""
        reply = self._request("fork", seconds, cells=cells, expressions=evaluate)
        return reply.results(), reply.values()

    @contextlib.contextmanager
    def copied(self) -> Iterator[None]:
        """Work in a copy of the state inside the block; the copy is dropped at its end. Blocks may nest."""
        self._request("copy", None)
        try:
            yield
        finally:
            if not self._ended:
                self._request("drop", None)

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        """Evaluate expressions in the session's state."""
        return self._request("evaluate", None, expressions=expressions).values()

    def interrupt(self) -> bool:
        """End the running call from another thread; False if none runs."""
        with self._sending:
            if self._running is None:
                return False
            try:
                self._channel.send({"id": self._running, "do": "interrupt"}, time.monotonic() + 5)
            except ProtocolError:  # the running call sees for itself that the worker is gone
                return False
        return True

    def _request(
        self,
        do: str,
        seconds: float | None,
        *,
        cells: Sequence[str] = (),
        expressions: Sequence[str] = (),
        on_output: OnOutput | None = None,
    ) -> Reply:
        limit = self._limits.cell_seconds if seconds is None else seconds
        with self._lock:
            if self._ended:
                raise SandboxFailed(
                    f"this session has ended: {self._ended}.", hint="Open a new one, or restart it."
                )
            request: dict[str, Any] = {"id": next(self._numbers), "do": do, "seconds": limit}
            request |= {"code": cells[0]} if do == "run" else {"expressions": list(expressions)}
            if do == "fork":
                request["cells"] = list(cells)
            reply = Reply(len(cells), expressions, self._limits, limit)
            try:
                self._exchange(request, reply, on_output)
                if (
                    self._worker.ran_out() and reply.killed()
                ):  # asked of every call, so that none answers for another
                    reply.blame_memory()
            except ProtocolError as error:
                if not self._ended and self._worker.ran_out():
                    reply.end = End("memory", "", True)
                    return reply
                self._ended = self._ended or str(error)
                self._worker.kill()
                raise SandboxFailed(
                    f"the sandbox failed: {self._ended}.", hint="Open a new one, or restart it."
                ) from error
            except BaseException:
                if reply.end is None:  # an interrupt of the host leaves a reply half read
                    self._ended = self._ended or "a call was interrupted"
                    self._worker.kill()
                raise
            finally:
                self._used = time.monotonic()
                with self._sending:
                    self._running = None
                if reply.end is not None and reply.end.dead:
                    self._ended = self._ended or reply.end.detail or reply.end.ended
                    self._worker.kill()
            return reply

    def _exchange(self, request: dict[str, Any], reply: Reply, on_output: OnOutput | None) -> None:
        """Send a request and read its reply to the end. Raises ProtocolError, and what `on_output` raised."""
        patience = self._limits.grace_seconds + _PATIENCE_SECONDS
        deadline = time.monotonic() + float(request["seconds"]) + patience
        before = self._channel.received
        with self._sending:
            self._channel.send(request, deadline)
            self._running = request["id"]
        trouble: Exception | None = None
        while reply.end is None:
            frame = self._channel.receive(deadline)
            if self._channel.received - before > MAX_REPLY:
                raise ProtocolError(f"a reply of more than {MAX_REPLY} bytes")
            if frame.get("id") != request["id"]:
                raise ProtocolError("a reply to no request")
            message = reply.take(frame)
            if message is None or on_output is None or trouble is not None:
                continue
            start = time.monotonic()
            try:
                on_output(message)
            except Exception as error:  # noqa: BLE001 - the caller's; it is raised when the cell has ended
                trouble = error
                self.interrupt()
            deadline += time.monotonic() - start
        if trouble is not None:
            raise trouble

    def restart(self) -> None:
        """Begin with a fresh state; what runs is ended. Raises SandboxFailed."""
        with self._changing:
            if self._closed:
                raise SandboxFailed("this session was closed.", hint="Open a new one.")
            self._ended = "it was restarted"
            self._end_worker()
            with self._lock:  # a call in another thread has seen the end by now; its descriptors can go
                self._worker.release()
                self._open()

    def reclaim(self) -> None:
        """End the session if nobody has called it for its limit of idle time; it can be restarted."""
        idle = self._limits.idle_seconds
        if not self._lock.acquire(blocking=False):
            return
        try:
            if not self._ended and time.monotonic() - self._used >= idle:
                self._ended = f"it was not used for {idle:g} s"
                self._end_worker()
        finally:
            self._lock.release()

    def close(self) -> None:
        """End every process of the session. Closing twice is fine."""
        reaper.let_go(self)
        with self._changing:
            self._ended = self._ended or "it was closed"
            self._end_worker()
            with self._lock:
                self._worker.release()
            if not self._closed:
                self._closed = True
                self._on_close()

    def _end_worker(self) -> None:
        if not self.isolated:
            self._worker.hang_up(5)  # no namespace ends with this worker: it ends its children itself
        self._worker.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
