"""Numbers that a column keeps as text: what they look like, how they sort, and what keeps them from reading.

Used by the rules on types. The patterns are RE2, which the engine and Python read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from lakebook.sources.column_types import NULL_TOKENS

# A number with what files put around it: a currency sign, thousands separators, a percent sign or a unit.
LOOKS_NUMERIC = r"\s*[-+]?\s*[$€£¥]?\s*[0-9][0-9,]*(?:\.[0-9]+)?\s*(?:%|[A-Za-z.]{0,8})\s*"
LEADING_ZERO = r"0[0-9]+"
_LOOKS_NUMERIC = re.compile(LOOKS_NUMERIC)
_MISSING = frozenset(token.casefold() for token in NULL_TOKENS) | {"", "unknown", "missing", "not available"}
_MARKS = (
    ("thousands separators", re.compile(r"\d,\d{3}\b")),
    ("currency signs", re.compile(r"[$€£¥]")),
    ("percent signs", re.compile(r"%")),
    ("footnote marks", re.compile(r"\d\s*(?:[*†‡^]|\[\w+\]|\(\w\))")),
    ("decimal commas", re.compile(r"\d,\d{1,2}\b(?!\d)")),
    ("units", re.compile(r"\d\s*[A-Za-zµ°]+")),
)


def looks_numeric(value: str) -> bool:
    """Say whether a value is a number with no more around it than files put there."""
    return _LOOKS_NUMERIC.fullmatch(value) is not None


def number(value: str) -> float | None:
    """Return the number in a value, without what stands around it; None if there is none."""
    if not looks_numeric(value):
        return None
    found = re.search(r"[-+]?\s*[$€£¥]?\s*([0-9][0-9,]*(?:\.[0-9]+)?)", value)
    if found is None:
        return None
    sign = -1.0 if value.lstrip().startswith("-") else 1.0
    return sign * float(found.group(1).replace(",", ""))


def disorder(values: Iterable[str]) -> tuple[str, str] | None:
    """Return two values in the same unit of which the first sorts before the second only as text."""
    by_unit: dict[str, list[tuple[str, float]]] = {}
    for value in sorted(values):
        found = number(value)
        if found is not None:
            by_unit.setdefault(value.strip().lstrip("-+$€£¥0123456789., "), []).append((value, found))
    for ordered in by_unit.values():
        for (before, one), (after, other) in pairwise(ordered):
            if one > other:
                return before, after
    return None


def is_missing(value: str) -> bool:
    """Say whether a value is a word or sign for none."""
    return value.strip().casefold() in _MISSING


def marks(values: Iterable[str]) -> tuple[str, ...]:
    """Name what keeps values from reading as numbers."""
    listed = list(values)
    return tuple(name for name, sign in _MARKS if any(sign.search(value) for value in listed))


def cleaner(column: str, found: Sequence[str]) -> str:
    """Return SQL that takes the marks away, for a hint."""
    if "decimal commas" in found:
        return f"replace(replace({column}, '.', ''), ',', '.')::double"
    return f"try_cast(regexp_replace({column}, '[^0-9.eE+-]', '', 'g') as double)"
