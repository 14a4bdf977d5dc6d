"""A session as the host sees it: one running worker, its channel, and what its replies mean.

The same for every backend; a backend only says which command starts the worker. Nothing that happens
inside can raise anything here but `SandboxFailed`.
"""

from __future__ import annotations

import dataclasses
import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import CellResult, Evaluation, Limits
from lakebook.sandbox.causes import cause_of, explain, named
from lakebook.sandbox.protocol import Channel, End, ProtocolError, parse_cell, parse_end, parse_value
from lakebook.sandbox.running import Running

_START_SECONDS = 90.0
# The inside enforces time limits; the host waits this much longer before it ends the sandbox itself.
_PATIENCE_SECONDS = 10.0


class WorkerSession:
    """A warm, stateful interpreter behind a channel. Calls from several threads wait for each other.

    Attributes:
        inputs: where the cells find each mount, by its name.
        isolated: False when nothing keeps the cells from this machine.
    """

    def __init__(
        self,
        worker: Running,
        setup: Mapping[str, Any],
        limits: Limits,
        *,
        inputs: Mapping[str, str],
        isolated: bool,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self.inputs = dict(inputs)
        self.isolated = isolated
        self._worker = worker
        self._limits = limits
        self._on_close = on_close
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._ended = ""
        self._channel = Channel(worker.to_worker, worker.from_worker)
        self._start(dict(setup))

    def _start(self, setup: dict[str, Any]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        try:
            self._channel.send(setup, deadline)
            frame = self._channel.receive(deadline)
            if frame.get("kind") != "ready" or not isinstance(frame.get("versions"), dict):
                raise ProtocolError("the worker's first word is not `ready`")
        except ProtocolError as error:
            said = self._worker.last_words()
            self.close()
            raise SandboxFailed(
                f"the sandbox did not start: {said or error}.",
                hint="`lakebook doctor` tests the sandbox by itself.",
            ) from error
        self.versions: dict[str, str] = {str(k): str(v) for k, v in frame["versions"].items()}

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        """Run one cell in the session's state."""
        cells, _, end, limit = self._request("run", seconds, cells=[code])
        return _finish(cells, 1, end, self._limits, limit)[0]

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        """Run cells, then evaluate expressions, in a copy of the state, which is then dropped."""
        done, values, end, limit = self._request("fork", seconds, cells=cells, expressions=evaluate)
        results = _finish(done, len(cells), end, self._limits, limit)
        return results, _missing_values(values, evaluate, results, end, self._limits, limit)

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        """Evaluate expressions in the session's state."""
        _, values, end, limit = self._request("evaluate", None, expressions=expressions)
        return _missing_values(values, expressions, [], end, self._limits, limit)

    def _request(
        self, do: str, seconds: float | None, *, cells: Sequence[str] = (), expressions: Sequence[str] = ()
    ) -> tuple[list[CellResult], list[Evaluation], End, float]:
        limit = self._limits.cell_seconds if seconds is None else seconds
        with self._lock:
            if self._ended:
                raise SandboxFailed(f"this session has ended: {self._ended}.", hint="Open a new one.")
            identity = next(self._numbers)
            request: dict[str, Any] = {"id": identity, "do": do, "seconds": limit}
            request |= {"code": cells[0]} if do == "run" else {"expressions": list(expressions)}
            if do == "fork":
                request["cells"] = list(cells)
            try:
                results, values, end = self._exchange(request, len(cells), expressions)
            except ProtocolError as error:
                self._ended = self._ended or str(error)
                self._worker.kill()
                raise SandboxFailed(f"the sandbox failed: {self._ended}.", hint="Open a new one.") from error
            except BaseException:  # an interrupt of the host leaves a reply half read
                self._ended = "a call was interrupted"
                self._worker.kill()
                raise
            if end.dead:
                self._ended = end.detail or end.ended
                self._worker.kill()
            return results, values, end, limit

    def _exchange(
        self, request: dict[str, Any], most: int, expressions: Sequence[str]
    ) -> tuple[list[CellResult], list[Evaluation], End]:
        deadline = time.monotonic() + float(request["seconds"]) + _PATIENCE_SECONDS
        results: list[CellResult] = []
        values: list[Evaluation] = []
        self._channel.send(request, deadline)
        for frame in self._channel.replies(request["id"], deadline):
            kind = frame.get("kind")
            if kind == "cell" and len(results) < most and not values:
                results.append(parse_cell(frame))
            elif kind == "value":
                values.append(parse_value(frame, expressions, len(values)))
            elif kind == "end":
                end = parse_end(frame)
                _check_complete(end, results, most, values, expressions)
                return results, values, end
            else:
                raise ProtocolError("a frame that does not belong here")
        raise ProtocolError("a reply without an end")

    def close(self) -> None:
        """End every process of the session. Closing twice is fine."""
        self._ended = self._ended or "it was closed"
        if not self.isolated:
            self._worker.hang_up(5)  # no namespace ends with this worker: it ends its children itself
        self._worker.kill()
        with self._lock:  # a call in another thread has seen the end by now; its descriptors can go
            self._worker.release()
        self._on_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _check_complete(
    end: End,
    results: Sequence[CellResult],
    cells: int,
    values: Sequence[Evaluation],
    expressions: Sequence[str],
) -> None:
    failed = bool(results) and results[-1].error is not None
    complete = len(results) == cells and len(values) == len(expressions)
    if end.ended == "done" and not (complete or failed):
        raise ProtocolError("a reply without all of its results")


def _finish(
    results: list[CellResult], asked: int, end: End, limits: Limits, seconds: float
) -> list[CellResult]:
    """Name the true cause of a cell that was ended from outside, or ran into a limit by itself."""
    if results:
        results[-1] = named(results[-1], limits)
    if end.ended == "done":
        return results
    error, ended = explain(end, limits, seconds), cause_of(end)
    if results and results[-1].error and results[-1].error.name == "KeyboardInterrupt":
        results[-1] = dataclasses.replace(results[-1], error=error, ended=ended)
    elif len(results) < asked:
        results.append(CellResult((), error, ended, seconds if end.ended == "timeout" else 0.0))
    return results


def _missing_values(
    values: list[Evaluation],
    asked: Sequence[str],
    results: Sequence[CellResult],
    end: End,
    limits: Limits,
    seconds: float,
) -> list[Evaluation]:
    """Give every expression an evaluation; those that were not reached say why."""
    if len(values) == len(asked):
        return values
    if results and results[-1].error:
        why = f"not evaluated: the cell failed with {results[-1].error.name}"
    elif end.ended != "done":
        error = explain(end, limits, seconds)
        why = f"not evaluated: {error.name}: {error.message}"
    else:
        why = "not evaluated"
    return [*values, *(Evaluation(text, None, why) for text in asked[len(values) :])]
