"""A Jupyter kernel's shell without the kernel: runs cells and sends on what they show (`outputs`).

The outputs are what ipykernel would have sent: streams, `execute_result` with every representation,
`display_data` with figures as base64 PNG, errors. Two things differ on purpose: tracebacks have no terminal
colours, and output past the limits is cut with a line that says so.
"""

from __future__ import annotations

import io
import os
import sys
import zlib
from typing import Any, cast

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from . import charts
from .outputs import Descriptors, Outputs, Send
from .outputs import plain_text as _text
from .warned import CELL_FILES, Warned


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
        if self._outputs.own():
            self._outputs.stream(self.name, _text(text))
        else:  # a process that a cell forked: its text comes by the descriptor that it shares
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor


class _Compiler(CachingCompiler):  # type: ignore[misc]
    """Names the code of a cell after its text, as a file, which is what a kernel does."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return f"{CELL_FILES}{zlib.crc32(raw_code.encode('utf-8', 'replace')):08x}.py"


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


class Runner:
    """Runs cells in one shell and sends on what each shows."""

    def __init__(self, characters: int, display_bytes: int) -> None:
        self.characters = characters
        self.outputs = Outputs(characters, display_bytes)
        self.warned = Warned()
        config = Config()
        config.InteractiveShell.display_page = True
        config.InteractiveShell.autocall = 0
        CellShell.compiler_class = _Compiler
        CellShell.displayhook_class = _Hook
        CellShell.display_pub_class = _Publisher
        shell = CellShell.instance(config=config)
        shell.outputs = shell.displayhook.outputs = shell.display_pub.outputs = self.outputs
        shell.enable_matplotlib("inline")
        charts.register(shell)
        self.shell = shell

    def warm(self) -> None:
        """Format a traceback: the first one takes long, and may be that of an interrupt."""
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            self.shell.InteractiveTB.structured_traceback(*sys.exc_info())

    def attach(self, descriptors: Descriptors) -> None:
        """Take over the standard streams; called in the process that runs the cells."""
        descriptors.install()
        self.warned.install()
        self.outputs.attach(descriptors)
        sys.stdout = cast("Any", _Stream("stdout", 1, self.outputs))
        sys.stderr = cast("Any", _Stream("stderr", 2, self.outputs))

    def run(self, code: str, send: Send) -> BaseException | None:
        """Run one cell, its outputs going to `send`; return the exception that ended it."""
        self.outputs.start(send)
        self.warned.start(code[: len(code) - len(code.lstrip())].count("\n"))
        result = self.shell.run_cell(code, store_history=True, silent=False)
        error: BaseException | None = result.error_before_exec or result.error_in_exec
        return error

    def evaluate(self, expression: str) -> Any:
        """Return the value of one expression in the cells' namespace; printed text is dropped."""
        self.outputs.start(None)
        code = compile(expression.strip(), "<expression>", "eval")
        return eval(code, self.shell.user_global_ns, self.shell.user_ns)  # noqa: S307 - that is the job

    def describe_error(self, error: BaseException) -> dict[str, Any]:
        """Return the JSON form of an exception, with the traceback that the cell showed."""
        return {
            "name": _text(type(error).__name__),
            "message": _describe(error)[:20_000],
            "traceback": self.outputs.traceback,
        }
