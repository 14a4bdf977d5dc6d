"""How large the values of the column analysis may grow: beyond, no text or list names columns."""

from __future__ import annotations

import re
from collections.abc import Callable

from lakebook.notebooks.lineage.values import ColumnNames, combined, held_in

LONGEST_TEXT, LONGEST_LIST, LARGEST_NUMBER = 5_000, 5_000, 10**18
_DEEPEST_LIST = 40
_WIDE = re.compile(r"\d{4}|:[^{}]*\{")


def bounded(value: object) -> object:
    """Return a value, or what is computed from it where it holds more than can be told one by one.

    A list that holds another twice, which holds another twice, and so on, is small, and a walk never ends.
    """
    if not isinstance(value, (list, tuple, dict)) or isinstance(value, ColumnNames):
        return value
    return value if _walk_length(value, {}, _DEEPEST_LIST) <= LONGEST_LIST else combined(held_in(value))


def _walk_length(value: object, known: dict[int, int], depth: int) -> int:
    """Return how many values a walk through containers meets."""
    if not isinstance(value, (list, tuple, dict)):
        return 1
    if id(value) not in known:
        known[id(value)] = LONGEST_LIST  # until it is known: what holds itself has no end
        items = value.values() if isinstance(value, dict) else value
        if depth:
            known[id(value)] = 1 + sum(_walk_length(item, known, depth - 1) for item in items)
    return known[id(value)]


def as_text(value: object) -> str | None:
    """Return a known text or number as text, None for what is none, or too long to name a column."""
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        return None
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else None
    return str(value) if isinstance(value, (int, float)) else None


def filled(template: str, fill: Callable[[], str]) -> str | None:
    """Return a filled template, None if it does not fit its values, or could be filled to any length."""
    if _WIDE.search(template):
        return None
    try:
        return as_text(fill())
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
