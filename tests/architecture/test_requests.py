"""One package decides what leaves: no other one makes a request, and only the client connects.

The container engine is reached through a socket of this machine alone, which `engine` sees to.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("lakebook", "resources", "assets", "definitions")
SOURCES = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
ENGINE, CONTAINER = "lakebook/sandbox/engine.py", "lakebook/sandbox/container.py"
NETWORK = {"openai", "httpx", "httpx2", "requests", "aiohttp", "urllib3", "http", "docker"}


def test_only_privacy_makes_requests() -> None:
    makers = {
        path.parent.relative_to(ROOT).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Request"
    }
    assert makers == {"lakebook/analyst/model/privacy"}


def test_only_the_client_reaches_the_network() -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and {
            name.split(".")[0]
            for name in (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            )
        }
        & NETWORK
    }
    assert users == {"lakebook/analyst/model/client.py", ENGINE, CONTAINER}
