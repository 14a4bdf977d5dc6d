"""The answer to one request: frames checked as they arrive, and what they mean once they have ended.

A cell's outputs come before its end, so what it showed is kept when it never ends. What belongs elsewhere:
the form of a frame (`protocol`), and waiting for it (`session`).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from lakebook.sandbox.base import CellResult, Evaluation, Limits
from lakebook.sandbox.causes import cause_of, explain, named
from lakebook.sandbox.protocol import (
    End,
    ProtocolError,
    parse_cell,
    parse_end,
    parse_output,
    parse_value,
)
from lakebook.sandbox.transcript import Output, Transcript

_MOST_OUTPUTS = 10_000
# What libraries say of a worker process of theirs that was killed.
_KILLED = re.compile(r"SIGKILL|signal 9\b|\bcode -9\b|BrokenProcessPool|TerminatedWorker|abruptly")


class Reply:
    """What has arrived so far.

    Attributes:
        end: set when the request has ended.
    """

    def __init__(self, cells: int, expressions: Sequence[str], limits: Limits, seconds: float) -> None:
        """Expect so many cells, then a value for each expression.

        Args:
            cells: how many were asked for.
            expressions: to be evaluated after them.
            limits: of the session; what a reader is told of.
            seconds: the time limit of this request.
        """
        self.end: End | None = None
        self._cells, self._expressions = cells, expressions
        self._limits, self._seconds = limits, seconds
        self._results: list[CellResult] = []
        self._values: list[Evaluation] = []
        self._transcript = Transcript()

    def take(self, frame: dict[str, Any]) -> Output | None:
        """Take the next frame; return the output in it, if it is one. Raises ProtocolError."""
        kind = frame.get("kind")
        in_cell = len(self._results) < self._cells and not self._values
        if kind == "output" and in_cell:
            message = parse_output(frame)
            self._transcript.add(message)
            if len(self._transcript) > _MOST_OUTPUTS:
                raise ProtocolError("more outputs than a cell may have")
            return message
        if kind == "cell" and in_cell:
            self._results.append(parse_cell(frame, self._transcript.finish()))
            self._transcript = Transcript()
        elif kind == "value" and len(self._results) == self._cells:
            self._values.append(parse_value(frame, self._expressions, len(self._values)))
        elif kind == "end":
            self.end = parse_end(frame)
            self._check_complete(self.end)
        else:
            raise ProtocolError("a frame that does not belong here")
        return None

    def _check_complete(self, end: End) -> None:
        failed = bool(self._results) and self._results[-1].error is not None
        complete = len(self._results) == self._cells and len(self._values) == len(self._expressions)
        if end.ended == "done" and not (complete or failed):
            raise ProtocolError("a reply without all of its results")

    def killed(self) -> bool:
        """Whether a killed process may be why it ended, its own or one that it waited for."""
        if self.end is not None and self.end.ended == "timeout":
            return True
        if self.end is not None and self.end.ended == "died":
            return "SIGKILL" in self.end.detail
        last = self._results[-1].error if self._results else None
        return last is not None and bool(_KILLED.search(f"{last.name}: {last.message}"))

    def blame_memory(self) -> None:
        """Take in that the kernel killed the process, for the session had no memory left."""
        if self.end is not None and self.end.ended in ("died", "timeout"):
            detail = self.end.detail or "a process was ended, and the rest waited for it in vain"
            self.end = dataclasses.replace(self.end, ended="memory", detail=detail)
        elif self._results:
            self._results[-1] = dataclasses.replace(self._results[-1], ended="memory")

    def results(self) -> list[CellResult]:
        """Return the results, the true cause named of a cell that ran into a limit or was ended."""
        results = list(self._results)
        if results:
            results[-1] = named(results[-1], self._limits)
        if self.end is None or self.end.ended == "done":
            return results
        error, ended = explain(self.end, self._limits, self._seconds), cause_of(self.end)
        last = results[-1].error if results else None
        if last is not None and last.name == "KeyboardInterrupt":
            error = last if ended == "interrupted" else error
            results[-1] = dataclasses.replace(results[-1], error=error, ended=ended)
        elif len(results) < self._cells and last is None:
            seconds = self._seconds if self.end.ended == "timeout" else 0.0
            results.append(CellResult(self._transcript.finish(), error, ended, seconds))
        return results

    def values(self) -> list[Evaluation]:
        """Return an evaluation for every expression; those that were not reached say why."""
        results = self.results()
        if len(self._values) == len(self._expressions):
            return self._values
        if results and results[-1].error:
            why = f"not evaluated: the cell failed with {results[-1].error.name}"
        elif self.end is not None and self.end.ended != "done":
            error = explain(self.end, self._limits, self._seconds)
            why = f"not evaluated: {error.name}: {error.message}"
        else:
            why = "not evaluated"
        return [
            *self._values,
            *(Evaluation(text, None, why) for text in self._expressions[len(self._values) :]),
        ]
