"""What every command shares: where output goes, how JSON and progress look, how errors end.

Data goes to stdout, everything else to stderr. Nothing here knows what a command does.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.markup import escape

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]

_state = {"quiet": False, "verbose": False, "color": True}


def configure(*, quiet: bool, verbose: bool, color: bool) -> None:
    """Set what the global flags say; called once by the main callback."""
    _state.update(quiet=quiet, verbose=verbose, color=color and not os.environ.get("NO_COLOR"))


def is_verbose() -> bool:
    """Return True under `-v`."""
    return _state["verbose"]


def is_quiet() -> bool:
    """Return True under `-q`."""
    return _state["quiet"]


def out() -> Console:
    """Return the console for data (stdout)."""
    return Console(no_color=not _state["color"], highlight=False, soft_wrap=not sys.stdout.isatty())


def err() -> Console:
    """Return the console for progress, warnings and errors (stderr)."""
    return Console(
        stderr=True, no_color=not _state["color"], highlight=False, soft_wrap=not sys.stderr.isatty()
    )


def note(text: str) -> None:
    """Say something about the work in hand on stderr, unless `-q`."""
    if not _state["quiet"]:
        err().print(escape(visible(text)))


def warn(text: str) -> None:
    """Warn on stderr, also under `-q`."""
    err().print(f"[yellow]warning:[/] {escape(visible(text))}")


def fail(text: str) -> None:
    """Print an error on stderr."""
    err().print(f"[red]error:[/] {escape(visible(text))}")


def visible(text: str) -> str:
    """Show control characters as such: what a file says or is called must not steer the terminal."""
    return "".join(
        sign if sign.isprintable() or sign in "\t\n" else "\N{REPLACEMENT CHARACTER}" for sign in text
    )


def plain(value: Any) -> Any:
    """Make dataclasses, paths and tuples JSON-ready, recursively."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return value


def print_json(document: Any) -> None:
    """Print one JSON document on stdout."""
    text = orjson.dumps(plain(document), option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    sys.stdout.write(text.decode() + "\n")
    sys.stdout.flush()


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Pad the cells of each column to one width; nothing is cut."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


class LineProgress:
    """Progress on stderr: one live line on a terminal, one line a stage elsewhere; nothing under `-q`."""

    def __init__(self) -> None:
        self._stage = ""
        self._live = sys.stderr.isatty()

    def __call__(self, stage: str, done: int, total: int, what: str) -> None:
        """Show the stage, the count and the thing in hand."""
        if _state["quiet"]:
            return
        count = f" {done}/{total}" if total else ""
        line = visible(f"{stage}{count}{': ' + what if what else ''}").replace("\n", " ")
        if self._live:
            width = max(20, err().width - 1)
            sys.stderr.write(f"\r\x1b[2K{line[:width]}")
            sys.stderr.flush()
        elif stage != self._stage or is_verbose():
            sys.stderr.write(line + "\n")
        self._stage = stage

    def done(self) -> None:
        """End the live line."""
        if self._live and self._stage and not _state["quiet"]:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
