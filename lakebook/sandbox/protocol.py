"""The host's side of the worker protocol: deadlines, size caps, and replies read as if an enemy sent them.

Everything from inside is checked against the schema before it becomes a `CellResult` or an `Evaluation`.
Any deviation raises `ProtocolError`, and the session that sees it ends its sandbox.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import orjson

from lakebook.sandbox.base import CellError, CellResult, CellWarning, Evaluation
from lakebook.sandbox.transcript import Output
from lakebook.sandbox.worker.framing import FrameBuffer, FrameError, pack

MAX_REPLY = 256 << 20
_MOST_WARNINGS = 1000
_MIME = re.compile(r"[A-Za-z0-9][\w.+-]*/[\w.+-]+(;[\w=.-]+)?")
_BINARY = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")
_PNG = b"\x89PNG\r\n\x1a\n"
_ENDS = ("done", "error", "memory", "disk")

Cause = Literal["done", "interrupted", "timeout", "cpu", "memory", "disk", "files", "died"]


class ProtocolError(Exception):
    """The inside sent what it must not, or nothing at all in time."""


@dataclass(frozen=True, slots=True)
class End:
    """How a request came to its end; `dead` means that the session can do no more."""

    ended: Cause
    detail: str
    dead: bool


class Channel:
    """One pair of pipes to a worker; each direction is used by one thread at a time.

    Attributes:
        received: bytes that came from the worker so far.
    """

    def __init__(self, to_worker: int, from_worker: int) -> None:
        self._to, self._from = to_worker, from_worker
        self._buffer = FrameBuffer()
        self.received = 0
        os.set_blocking(to_worker, False)
        os.set_blocking(from_worker, False)

    def send(self, document: dict[str, Any], deadline: float) -> None:
        """Send one frame before the deadline (of `time.monotonic`)."""
        try:
            view = memoryview(pack(document))
            while view:
                self._wait(self._to, deadline, write=True)
                view = view[os.write(self._to, view) :]
        except (BrokenPipeError, FrameError) as error:
            raise ProtocolError(str(error)) from error

    def receive(self, deadline: float) -> dict[str, Any]:
        """Wait for one frame until the deadline."""
        try:
            while (body := self._buffer.take()) is None:
                self._wait(self._from, deadline, write=False)
                chunk = os.read(self._from, 1 << 20)
                if not chunk:
                    raise ProtocolError("the worker closed its end")
                self.received += len(chunk)
                self._buffer.feed(chunk)
            document = orjson.loads(body)
        except FrameError as error:
            raise ProtocolError(str(error)) from error
        except orjson.JSONDecodeError as error:
            raise ProtocolError(f"a frame is not JSON: {error}") from error
        if not isinstance(document, dict):
            raise ProtocolError("a frame is not a JSON object")
        return document

    def _wait(self, fd: int, deadline: float, *, write: bool) -> None:
        left = max(0.0, deadline - time.monotonic())
        poll = select.poll()
        poll.register(fd, select.POLLOUT if write else select.POLLIN)
        if not poll.poll(left * 1000):
            raise ProtocolError("the worker does not answer")


def _need(condition: object, what: str) -> None:
    if not condition:
        raise ProtocolError(what)


def _text(value: object, what: str) -> str:
    _need(isinstance(value, str), f"{what} is not text")
    return cast("str", value)


def _keys(value: object, keys: Sequence[str], what: str) -> dict[str, Any]:
    _need(isinstance(value, dict) and set(value) == set(keys), f"{what} has other fields than {list(keys)}")
    return cast("dict[str, Any]", value)


def parse_cell(frame: dict[str, Any], outputs: Sequence[Output]) -> CellResult:
    """Check a `cell` frame and return the result in it, with the outputs that stood before it."""
    inner = _keys(frame, ("id", "kind", "cell"), "a cell frame")["cell"]
    cell = _keys(inner, ("error", "ended", "seconds", "warnings"), "a cell")
    _need(cell["ended"] in _ENDS, "a cell ended in no known way")
    _need(isinstance(cell["seconds"], (int, float)), "seconds are no number")
    error = None if cell["error"] is None else _parse_error(cell["error"])
    _need((error is None) == (cell["ended"] == "done"), "a cell's end and error disagree")
    told = cell["warnings"]
    _need(isinstance(told, list) and len(told) <= _MOST_WARNINGS, "warnings are no list")
    warnings = tuple(_parse_warning(one) for one in told)
    return CellResult(tuple(outputs), error, cell["ended"], float(cell["seconds"]), warnings)


def _parse_warning(value: object) -> CellWarning:
    told = _keys(value, ("category", "message", "line", "count", "shown"), "a warning")
    for number in (told["line"], told["count"]):
        _need(type(number) is int and number >= 0, "a warning's line or count is no number")
    _need(isinstance(told["shown"], bool), "shown is no truth value")
    category, message = _text(told["category"], "a category"), _text(told["message"], "a message")
    return CellWarning(category, message, told["line"], told["count"], told["shown"])


def _parse_error(value: object) -> CellError:
    error = _keys(value, ("name", "message", "traceback"), "an error")
    lines = error["traceback"]
    _need(isinstance(lines, list), "a traceback is no list")
    traceback = tuple(_text(line, "a traceback line") for line in lines)
    return CellError(_text(error["name"], "a name"), _text(error["message"], "a message"), traceback)


def parse_output(frame: dict[str, Any]) -> Output:
    """Check an `output` frame and return the message in it."""
    output = _keys(frame, ("id", "kind", "output"), "an output frame")["output"]
    _need(isinstance(output, dict), "an output is no object")
    kind = output.get("output_type")
    check = _CHECKS.get(kind) if isinstance(kind, str) else None
    if check is None:
        raise ProtocolError("an output of no known type")
    check(output)
    return cast("Output", output)


def _check_stream(output: Output) -> None:
    _keys(output, ("output_type", "name", "text"), "a stream")
    _need(output["name"] in ("stdout", "stderr"), "a stream has no known name")
    _text(output["text"], "a stream's text")


def _check_error(output: Output) -> None:
    _keys(output, ("output_type", "ename", "evalue", "traceback"), "an error output")
    _text(output["ename"], "a name")
    _text(output["evalue"], "a message")
    _need(isinstance(output["traceback"], list), "a traceback is no list")
    for line in output["traceback"]:
        _text(line, "a traceback line")


def _check_clear(output: Output) -> None:
    _keys(output, ("output_type", "wait"), "a clearing")
    _need(isinstance(output["wait"], bool), "waiting is no truth value")


def _check_display(output: Output) -> None:
    more = ("execution_count",) if output["output_type"] == "execute_result" else ()
    _keys(output, ("output_type", "data", "metadata", "transient", *more), "a display")
    count = output.get("execution_count")
    _need(count is None or (isinstance(count, int) and count >= 0), "an execution count is no number")
    _need(isinstance(output["metadata"], dict), "metadata is no object")
    transient = output["transient"]
    _need(isinstance(transient, dict) and set(transient) <= {"display_id"}, "transient data of another kind")
    if "display_id" in transient:
        _text(transient["display_id"], "a display's identity")
    _check_bundle(output["data"])


_CHECKS: dict[str, Callable[[Output], None]] = {
    "stream": _check_stream,
    "error": _check_error,
    "clear_output": _check_clear,
    "display_data": _check_display,
    "execute_result": _check_display,
    "update_display_data": _check_display,
}


def _check_bundle(data: object) -> None:
    _need(isinstance(data, dict), "display data is no object")
    for kind, value in cast("dict[str, Any]", data).items():
        _need(_MIME.fullmatch(kind), "a display's key is no media type")
        if kind in _BINARY:
            try:
                raw = base64.b64decode(_text(value, kind), validate=True)
            except binascii.Error as error:
                raise ProtocolError(f"{kind} is not base64") from error
            _need(kind != "image/png" or raw.startswith(_PNG), "image/png is no PNG")
        elif "json" not in kind:
            _text(value, kind)


def parse_value(frame: dict[str, Any], expressions: Sequence[str], expected: int) -> Evaluation:
    """Check a `value` frame, the one for the expression at place `expected`."""
    _keys(frame, ("id", "kind", "place", "value", "error"), "a value frame")
    _need(frame["place"] == expected < len(expressions), "a value for no expression")
    return Evaluation(expressions[expected], frame["value"], _text(frame["error"], "a value's error"))


def parse_end(frame: dict[str, Any]) -> End:
    """Check an `end` frame."""
    _keys(frame, ("id", "kind", "ended", "detail", "dead"), "an end frame")
    _need(frame["ended"] in get_args(Cause), "a request ended in no known way")
    _need(isinstance(frame["dead"], bool), "dead is no truth value")
    return End(frame["ended"], _text(frame["detail"], "a detail")[:2000], frame["dead"])
