"""Syntax trees are made in one place: in CPython 3.11 two threads disturb each other in making them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT / "lakebook/sandbox/worker"  # stands alone inside the sandbox, and has one thread that parses


def test_only_one_module_parses_python() -> None:
    parsers = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "lakebook").rglob("*.py")
        if not path.is_relative_to(WORKER)
        and any(way in path.read_text(encoding="utf-8") for way in ("ast.parse(", "PyCF_ONLY_AST"))
    }
    assert parsers == {"lakebook/syntax.py"}
