"""What a cell shows, sent on at the moment it is shown: limits, encoding, order.

Every output leaves at once as one message, in nbformat's form and named as Jupyter's protocol names it:
`stream`, `display_data`, `execute_result`, `error`, `update_display_data`, `clear_output`. What they amount
to together the host works out (`lakebook.sandbox.transcript`). Text goes by way of two files, where C code
and child processes print too, so everything keeps its place, many prints are one message, and what a process
printed can still be read when it has died.
"""

from __future__ import annotations

import base64
import codecs
import contextlib
import fcntl
import mmap
import os
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .framing import write_all

MOST_OUTPUTS = 5000
NUDGE = signal.SIGURG
"""By this the controller tells that there is text at the descriptors; who does not handle it ignores it."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LONGEST_JOINED = 1 << 16
_LONGEST_FILE = 16 << 20
# Text that follows so shortly on other text may wait for more, or for the controller's nudge.
_TOGETHER_SECONDS = 0.02

Send = Callable[[dict[str, Any]], None]


def plain_text(value: Any) -> str:
    """Return text without lone surrogates, which are no UTF-8."""
    return str(value).encode("utf-8", "backslashreplace").decode()


class Descriptors:
    """Descriptors 1 and 2 as files, shared by all processes that are forked after them."""

    def __init__(self) -> None:
        self._files = {name: _append_only() for name in ("stdout", "stderr")}
        self._taken = memoryview(mmap.mmap(-1, 16)).cast("Q")
        self.forget()

    def install(self) -> None:
        """Make them descriptors 1 and 2 of this process."""
        for number, descriptor in enumerate(self._files.values(), 1):
            os.dup2(descriptor, number)

    def write(self, name: str, text: str) -> None:
        """Print text."""
        write_all(self._files[name], text.encode("utf-8", "backslashreplace"))

    def waiting(self) -> bool:
        """Tell whether there is text that nobody has taken, whoever wrote it."""
        sizes = [os.fstat(descriptor).st_size for descriptor in self._files.values()]
        return any(size > taken for size, taken in zip(sizes, self._taken, strict=True))

    def take(self, most: int) -> Iterator[tuple[str, str]]:
        """Give what came since the last call, by stream; of much hardly more than `most` characters."""
        for place, (name, descriptor) in enumerate(self._files.items()):
            size, start = os.fstat(descriptor).st_size, self._taken[place]
            if size <= start:
                continue
            self._taken[place] = size
            data = os.pread(descriptor, min(4 * most + 4, size - start), start)
            if size > _LONGEST_FILE:
                self._empty(place, descriptor)
            if text := self._decoders[name].decode(data):
                yield name, text

    def forget(self) -> None:
        """Drop what was written so far: its cell is over."""
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in self._files}
        for place, descriptor in enumerate(self._files.values()):
            if os.fstat(descriptor).st_size:
                self._empty(place, descriptor)

    def _empty(self, place: int, descriptor: int) -> None:
        os.ftruncate(descriptor, 0)
        self._taken[place] = 0


def _append_only() -> int:
    """Return a nameless file to which every process that has it open appends."""
    with tempfile.TemporaryFile() as file:
        descriptor = os.dup(file.fileno())
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
    return descriptor


class Interrupts:
    """SIGINT as a KeyboardInterrupt, but never in the middle of a message, which would break the protocol."""

    def __init__(self) -> None:
        self._held = False
        self._pending = False
        self._main = threading.get_ident()

    def handle(self, number: int, frame: Any) -> None:
        """Be the handler of SIGINT."""
        if self._held:
            self._pending = True
        else:
            raise KeyboardInterrupt

    @property
    def busy(self) -> bool:
        """Whether a message is on its way."""
        return self._held

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep an interrupt back until the end of the block. Only the main thread is ever interrupted."""
        if self._held or threading.get_ident() != self._main:
            yield
            return
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self._pending:
                self._pending = False
                raise KeyboardInterrupt


class Outputs:
    """The outputs of one cell after the other, within limits."""

    def __init__(self, characters: int, display_bytes: int) -> None:
        self._limits = (characters, display_bytes)
        self.attach(None)
        self.start(None)

    def attach(self, descriptors: Descriptors | None) -> None:
        """Start anew in this process, which may be a copy of the one before."""
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._descriptors = descriptors
        self.interrupts = Interrupts()

    def start(self, send: Send | None) -> None:
        """A new cell begins, whose messages go to `send`; None drops them."""
        with self._lock:
            self._characters, self._bytes = self._limits
            self._count = 0
            self._last = self._writing = ""
            self._sent = 0.0
            self._send = send
        self.traceback: list[str] = []

    def finish(self) -> None:
        """The cell is over: send what is left of it and nothing after."""
        with self._turn():
            self._send = None
            if self._descriptors is not None:
                self._descriptors.forget()

    def collect(self, *_: Any) -> None:
        """Send what was written past Python's streams; a signal handler too, which never cuts in."""
        if not self.interrupts.busy:
            with self._turn():
                pass

    def own(self) -> bool:
        """Whether this process runs the cells, and is not one that a cell forked."""
        return os.getpid() == self._process

    def stream(self, name: str, text: str) -> None:
        """Print text; it is sent at once, or with what follows shortly after it."""
        if not text or self._descriptors is None or not self.own():
            return
        with self._lock:
            if self._send is None or self._characters < 0:
                return
            if name != self._writing:
                self.collect()
                self._writing = name
            try:
                self._descriptors.write(name, text)
            except OSError:  # the disk is full, of which the cell must be able to tell
                with self._turn():
                    self._stream(name, plain_text(text))
            if time.monotonic() - self._sent > _TOGETHER_SECONDS:
                self.collect()

    def display(self, data: dict[str, Any], metadata: dict[str, Any], **more: Any) -> None:
        """Send a display_data, or an execute_result when `execution_count` is given."""
        identity = more.pop("display_id", None)
        kind = "execute_result" if "execution_count" in more else "display_data"
        self._show(kind, data, metadata, identity, **more)

    def update(self, data: dict[str, Any], metadata: dict[str, Any], display_id: Any) -> None:
        """Replace what was displayed under this identity."""
        self._show("update_display_data", data, metadata, display_id)

    def failure(self, name: str, message: str, traceback: Iterable[str]) -> None:
        """Send an error output; it is never left out."""
        self.traceback = [_COLOURS.sub("", plain_text(line))[:20_000] for line in list(traceback)[:200]]
        error = {"ename": name, "evalue": message[:20_000], "traceback": self.traceback}
        with self._turn():
            self._say({"output_type": "error", **error})

    def clear(self, wait: bool) -> None:
        """Do what `clear_output` asks for."""
        with self._turn():
            if self._counted("clear_output"):
                self._say({"output_type": "clear_output", "wait": bool(wait)})

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Let no other thread and no interrupt in between; first send what stands before."""
        with self.interrupts.held(), self._lock:
            if self._descriptors is not None and self._send is not None and self.own():
                for name, text in self._descriptors.take(self._limits[0]):
                    self._stream(name, text)
                    self._sent = time.monotonic()
            yield

    def _show(
        self, kind: str, data: dict[str, Any], metadata: dict[str, Any], identity: Any, **more: Any
    ) -> None:
        encoded, plain = _encode(data), _plain(metadata)
        with self._turn():
            if self._counted(kind):
                transient = {} if identity is None else {"display_id": plain_text(identity)}
                shown = {"data": self._within(encoded), "metadata": plain, "transient": transient}
                self._say({"output_type": kind, **shown, **more})

    def _stream(self, name: str, text: str) -> None:
        if self._characters < 0 or (self._last != name and not self._counted(name)):
            return
        if len(text) > self._characters:
            text = f"{text[: self._characters]}\n[output cut at {self._limits[0]} characters]\n"
            self._characters = -1
        else:
            self._characters -= len(text)
        self._say({"output_type": "stream", "name": name, "text": text})

    def _counted(self, kind: str) -> bool:
        """Count one more output; False when there are too many, which is said once."""
        self._count += 1
        self._last = kind if self._count <= MOST_OUTPUTS else ""
        if self._count == MOST_OUTPUTS + 1:
            text = f"\n[more outputs left out: over {MOST_OUTPUTS} in a cell]\n"
            self._say({"output_type": "stream", "name": "stderr", "text": text})
        return self._count <= MOST_OUTPUTS

    def _say(self, output: dict[str, Any]) -> None:
        if self._send is not None and self.own():
            self._send(output)

    def _within(self, data: dict[str, Any]) -> dict[str, Any]:
        size = sum(len(value) if isinstance(value, str) else len(str(value)) for value in data.values())
        if size <= self._bytes:
            self._bytes -= size
            return data
        text = str(data.get("text/plain", ""))[:1000]
        return {"text/plain": f"{text}\n[display of {size} bytes left out: over {self._limits[1]} in a cell]"}


def last_words(descriptors: Descriptors, most: int) -> Iterator[dict[str, Any]]:
    """Give what a process that has died printed and nobody took, as stream outputs."""
    for name, text in descriptors.take(most):
        yield {"output_type": "stream", "name": name, "text": text[:most]}


def joined(frames: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give frames with the text of neighbouring stream outputs put together: many prints, few frames."""
    last: dict[str, Any] | None = None
    for frame in frames:
        if last is not None and _continues(last, frame):
            last["output"]["text"] += frame["output"]["text"]
            continue
        if last is not None:
            yield last
        last = frame
    if last is not None:
        yield last


def _continues(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Tell whether two frames are well-formed text of one stream; anything odd is left to the host."""
    texts = []
    for frame in (first, second):
        output = frame.get("output")
        if not isinstance(output, dict) or set(output) != {"output_type", "name", "text"}:
            return False
        if output["output_type"] != "stream" or not isinstance(output["text"], str):
            return False
        texts.append(output["text"])
    same = {**first, "output": first["output"]["name"]} == {**second, "output": second["output"]["name"]}
    return same and len(texts[0]) + len(texts[1]) <= _LONGEST_JOINED


def _encode(data: dict[str, Any]) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for kind, value in data.items():
        if isinstance(value, bytes):
            encoded[plain_text(kind)] = base64.b64encode(value).decode("ascii")
        elif "json" in str(kind):
            encoded[plain_text(kind)] = _plain(value)
        else:
            encoded[plain_text(kind)] = plain_text(value)
    return encoded


def _plain(value: Any) -> Any:
    """Make what a display carries beside text JSON-ready, as Jupyter's clients do."""
    if isinstance(value, dict):
        return {plain_text(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return plain_text(value)
