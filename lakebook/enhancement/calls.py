"""The lists in `calls.toml`: which calls read, print, write, set, or may not be made."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = (resources.files("lakebook.enhancement") / "calls.toml").read_text(encoding="utf-8")
    return {kind: frozenset(names) for kind, names in tomllib.loads(text).items()}


def calls(kind: str) -> frozenset[str]:
    """Return the names of one list. Raises KeyError if there is no such list."""
    return _lists()[kind]
