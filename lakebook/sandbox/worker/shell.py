"""A Jupyter kernel's shell without the kernel: runs cells and collects nbformat outputs.

The outputs are what ipykernel would have sent: streams, `execute_result` with every representation,
`display_data` with figures as base64 PNG, errors. Two things differ on purpose: tracebacks have no terminal
colours, and output past the limits is cut with a line that says so.
"""

from __future__ import annotations

import base64
import io
import os
import re
import sys
import tempfile
import zlib
from typing import Any, cast

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def _text(value: Any) -> str:
    """Return plain text without lone surrogates, which are no UTF-8."""
    return str(value).encode("utf-8", "backslashreplace").decode()


class Outputs:
    """The outputs of one cell, in order and within limits."""

    def __init__(self, characters: int, display_bytes: int) -> None:
        self._limits = (characters, display_bytes)
        self.start()

    def start(self) -> None:
        """Forget everything: a new cell begins."""
        self.items: list[dict[str, Any]] = []
        self._characters, self._bytes = self._limits
        self._ids: dict[str, list[dict[str, Any]]] = {}
        self._clear_next = False

    def stream(self, name: str, text: str) -> None:
        """Add printed text; neighbours of one name become one output."""
        if not text or self._characters < 0:
            return
        self._clear_if_asked()
        if len(text) > self._characters:
            text = f"{text[: self._characters]}\n[output cut at {self._limits[0]} characters]\n"
            self._characters = -1
        else:
            self._characters -= len(text)
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += text
        else:
            self.items.append({"output_type": "stream", "name": name, "text": text})

    def display(self, data: dict[str, Any], metadata: dict[str, Any], **more: Any) -> None:
        """Add a display_data, or an execute_result when `execution_count` is given."""
        self._clear_if_asked()
        identity = more.pop("display_id", None)
        kind = "execute_result" if "execution_count" in more else "display_data"
        item = {
            "output_type": kind,
            "data": self._within(_encode(data)),
            "metadata": _plain(metadata),
            **more,
        }
        self.items.append(item)
        if identity is not None:
            self._ids.setdefault(str(identity), []).append(item)

    def update(self, data: dict[str, Any], metadata: dict[str, Any], display_id: Any) -> None:
        """Replace what was displayed under this identity in this cell."""
        for item in self._ids.get(str(display_id), []):
            item.update(data=self._within(_encode(data)), metadata=_plain(metadata))

    def failure(self, name: str, message: str, traceback: list[str]) -> None:
        """Add an error output."""
        self._clear_if_asked()
        lines = [_COLOURS.sub("", _text(line))[:20_000] for line in traceback[:200]]
        item = {"output_type": "error", "ename": name, "evalue": message[:20_000], "traceback": lines}
        self.items.append(item)

    def clear(self, wait: bool) -> None:
        """Do what `clear_output` asks for."""
        if wait:
            self._clear_next = True
        else:
            self.items.clear()

    def _clear_if_asked(self) -> None:
        if self._clear_next:
            self._clear_next = False
            self.items.clear()

    def _within(self, data: dict[str, Any]) -> dict[str, Any]:
        size = sum(len(value) if isinstance(value, str) else len(str(value)) for value in data.values())
        if size <= self._bytes:
            self._bytes -= size
            return data
        text = str(data.get("text/plain", ""))[:1000]
        return {"text/plain": f"{text}\n[display of {size} bytes left out: over {self._limits[1]} in a cell]"}


def _encode(data: dict[str, Any]) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for kind, value in data.items():
        if isinstance(value, bytes):
            encoded[_text(kind)] = base64.b64encode(value).decode("ascii")
        elif "json" in str(kind):
            encoded[_text(kind)] = _plain(value)
        else:
            encoded[_text(kind)] = _text(value)
    return encoded


def _plain(value: Any) -> Any:
    """Make what a display carries beside text JSON-ready, as Jupyter's clients do."""
    if isinstance(value, dict):
        return {_text(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return _text(value)


class _Hook(DisplayHook):  # type: ignore[misc]
    """Turns the value of a cell's last expression into an execute_result."""

    outputs: Outputs

    def start_displayhook(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()

    def write_output_prompt(self) -> None:
        """The prompt number is part of the output, not printed."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        if format_dict:
            self.outputs.display(format_dict, md_dict or {}, execution_count=self.prompt_count)

    def finish_displayhook(self) -> None:
        sys.stdout.flush()


class _Publisher(DisplayPublisher):  # type: ignore[misc]
    """Turns `display(…)` into display_data."""

    outputs: Outputs

    def publish(self, data: dict[str, Any], metadata: dict[str, Any] | None = None, **options: Any) -> None:
        identity = (options.get("transient") or {}).get("display_id")
        if options.get("update"):
            self.outputs.update(data, metadata or {}, identity)
        else:
            self.outputs.display(data, metadata or {}, display_id=identity)

    def clear_output(self, wait: bool = False) -> None:
        self.outputs.clear(wait)


class _Stream(io.TextIOBase):
    """`sys.stdout` and `sys.stderr` of the cells."""

    encoding = "utf-8"

    def __init__(self, name: str, descriptor: int, outputs: Outputs) -> None:
        self.name = name
        self._descriptor = descriptor
        self._outputs = outputs

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._outputs.stream(self.name, _text(text))
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor


class _Compiler(CachingCompiler):  # type: ignore[misc]
    """Names the code of a cell after its text, as a file, which is what a kernel does."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return f"/workspace/cell-{zlib.crc32(raw_code.encode('utf-8', 'replace')):08x}.py"


class CellShell(InteractiveShell):  # type: ignore[misc]
    """IPython's shell with its outputs collected."""

    outputs: Outputs

    def enable_gui(self, gui: str | None = None) -> None:
        """There is no event loop of a graphical kit here."""

    def init_history(self) -> None:
        """Keep history in memory only."""
        self.config.HistoryManager.enabled = False
        super().init_history()

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.outputs.failure(_text(getattr(etype, "__name__", etype)), _describe(evalue), list(stb))


def _describe(error: Any) -> str:
    try:
        return _text(error)
    except Exception:  # noqa: BLE001 - a user's __str__ may raise anything
        return f"<unprintable {type(error).__name__}>"


class _Descriptor:
    """Descriptor 1 or 2 turned into a file, to catch what C code and child processes print."""

    def __init__(self, number: int) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        os.set_inheritable(self._file.fileno(), False)
        os.dup2(self._file.fileno(), number)
        self._start = 0

    def take(self, limit: int) -> str:
        """Return what was written since the last call and drop it."""
        size = os.fstat(self._file.fileno()).st_size
        if not size:
            return ""
        text = os.pread(self._file.fileno(), limit + 1, 0).decode("utf-8", "replace")
        os.ftruncate(self._file.fileno(), 0)
        os.lseek(self._file.fileno(), 0, os.SEEK_SET)
        return text


class Runner:
    """Runs cells in one shell and tells what each did."""

    def __init__(self, characters: int, display_bytes: int) -> None:
        self._characters = characters
        self.outputs = Outputs(characters, display_bytes)
        config = Config()
        config.InteractiveShell.display_page = True
        config.InteractiveShell.autocall = 0
        CellShell.compiler_class = _Compiler
        CellShell.displayhook_class = _Hook
        CellShell.display_pub_class = _Publisher
        shell = CellShell.instance(config=config)
        shell.outputs = shell.displayhook.outputs = shell.display_pub.outputs = self.outputs
        shell.enable_matplotlib("inline")
        self.shell = shell

    def attach(self) -> None:
        """Take over the standard streams; called in the process that runs the cells."""
        self._descriptors = {"stdout": _Descriptor(1), "stderr": _Descriptor(2)}
        sys.stdout = cast("Any", _Stream("stdout", 1, self.outputs))
        sys.stderr = cast("Any", _Stream("stderr", 2, self.outputs))

    def run(self, code: str) -> tuple[list[dict[str, Any]], BaseException | None]:
        """Run one cell; return its outputs and the exception that ended it."""
        self.outputs.start()
        result = self.shell.run_cell(code, store_history=True, silent=False)
        self.collect_descriptors()
        return self.outputs.items, result.error_before_exec or result.error_in_exec

    def collect_descriptors(self) -> None:
        """Add what was written past Python's streams; it comes last, its place among them is unknown."""
        for name, descriptor in self._descriptors.items():
            self.outputs.stream(name, descriptor.take(self._characters))

    def evaluate(self, expression: str) -> Any:
        """Return the value of one expression in the cells' namespace; printed text is dropped."""
        self.outputs.start()
        code = compile(expression.strip(), "<expression>", "eval")
        return eval(code, self.shell.user_global_ns, self.shell.user_ns)  # noqa: S307 - that is the job

    def describe_error(self, error: BaseException) -> dict[str, Any]:
        """Return the JSON form of an exception, with the traceback that the cell showed."""
        shown: dict[str, Any] = next(
            (o for o in reversed(self.outputs.items) if o["output_type"] == "error"), {}
        )
        return {
            "name": _text(type(error).__name__),
            "message": _describe(error)[:20_000],
            "traceback": shown.get("traceback", []),
        }
