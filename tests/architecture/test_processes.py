"""Code that is not ours is started by the sandbox alone, and nothing of ours waits for callers.

A page, a report or a model's answer must not be a way to run a program: no converter is called on texts, and
no server listens but Dagster's own, on this machine's loopback unless its user says otherwise.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from lakebook.cli.dagster_ui import dagster

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("lakebook", "resources", "assets", "definitions")
SOURCES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
# What runs inside the sandbox is no part of this.
OURS = [path for path in SOURCES if "lakebook/sandbox/worker" not in path.as_posix()]
SERVERS = {"http.server", "socketserver", "uvicorn", "aiohttp.web", "flask", "fastapi", "tornado", "xmlrpc"}
STARTERS = {
    "system",
    "popen",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "spawnv",
    "spawnl",
    "posix_spawn",
    "startfile",
}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
    return found


def starts_programs(path: Path) -> bool:
    if any(
        name.split(".")[0] in ("subprocess", "pty", "multiprocessing", "pexpect") for name in imported(path)
    ):
        return True
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in STARTERS
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def test_only_the_sandbox_and_dagsters_command_start_programs() -> None:
    starters = {path.relative_to(ROOT).as_posix() for path in OURS if starts_programs(path)}
    assert {path for path in starters if not path.startswith("lakebook/sandbox/")} == {
        "lakebook/cli/dagster_ui.py"
    }


def test_nothing_listens() -> None:
    servers = {
        path.relative_to(ROOT).as_posix()
        for path in OURS
        for name in imported(path)
        if any(name == server or name.startswith(f"{server}.") for server in SERVERS)
    }
    assert servers == set()


def test_the_dagster_ui_listens_on_the_loopback_only() -> None:
    assert inspect.signature(dagster).parameters["host"].default == "127.0.0.1"


@pytest.mark.parametrize("word", ["pandoc", "xelatex", "pdflatex", "wkhtmltopdf", "chromium"])
def test_no_converter_is_ever_called(word: str) -> None:
    called = [
        path.name
        for path in OURS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value == word
    ]
    assert called == []
