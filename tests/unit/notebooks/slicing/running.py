"""Runs small programs, each in a process and a folder of its own, and tells what they show.

Run as a script it is the server: a program for each line of its input, forked from a process that has the
libraries loaded, so that one program costs milliseconds and leaves nothing behind for the next.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakebook.notebooks.slicing.slicer import Statement

RAISED = "raised"
"""What a line begins with that tells of an error."""

_SECONDS = 30
_LIBRARIES = ("numpy", "pandas", "matplotlib.pyplot", "duckdb", "seaborn")


class Runner:
    """A server of programs; close it after use."""

    def __init__(self) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
        self._server = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def shown(
        self, statements: list[Statement], files: tuple[tuple[str, str], ...] = (), *, tolerant: bool = False
    ) -> list[str]:
        """Run statements and return what they displayed, and the error that ended them, if one did."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        texts = [one.text for one in statements]
        self._server.stdin.write(json.dumps([texts, files, tolerant]) + "\n")
        self._server.stdin.flush()
        found: list[str] = json.loads(self._server.stdout.readline())
        return found

    def close(self) -> None:
        """End the server."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait(10)


def _serve() -> None:
    for line in sys.stdin:
        texts, files, tolerant = json.loads(line)
        for library in _LIBRARIES:
            if any(library.partition(".")[0] in text for text in texts):
                __import__(library)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _answer(writing, texts, files, tolerant)
        os.close(writing)
        with os.fdopen(reading) as answer:
            sys.stdout.write((answer.read() or '["died"]') + "\n")
        sys.stdout.flush()
        os.waitpid(child, 0)


def _answer(writing: int, texts: list[str], files: list[list[str]], tolerant: bool) -> None:
    shown: list[str] = []
    try:
        signal.alarm(_SECONDS)
        silent = os.open(os.devnull, os.O_RDWR)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        with tempfile.TemporaryDirectory() as folder:
            _prepare(Path(folder), files)
            _run(texts, shown, tolerant)
            os.chdir("/")
    finally:
        os.write(writing, json.dumps(shown).encode())
        os._exit(0)


def _prepare(folder: Path, files: list[list[str]]) -> None:
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for name in ("random", "numpy.random"):
        if name in sys.modules:
            sys.modules[name].seed(None)  # what no program seeds differs in every process


def _run(texts: list[str], shown: list[str], tolerant: bool) -> None:
    space: dict[str, Any] = {"__name__": "__main__", "display": lambda value: shown.append(repr(value))}
    for text in texts if tolerant else ["\n".join(texts)]:
        try:
            exec(compile(text, "program", "exec"), space)
        except Exception as error:  # noqa: BLE001 - whatever it raises is what it shows
            if not tolerant:
                shown.append(f"{RAISED} {type(error).__name__}: {error}")


if __name__ == "__main__":
    _serve()
