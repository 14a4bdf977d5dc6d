"""Units and currencies that the name and the values of a column state.

Only what is written is reported: nothing is converted, and nothing is guessed from magnitudes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakebook.sources.roles import words

_NAMES = """
    usd eur gbp jpy chf kg g mg km m cm mm mi ft lb lbs oz l ml pct percent hours hour minutes seconds days ms
    mph kmh celsius fahrenheit degc degf hpa kwh mw gw ppm
"""
_UNITS = frozenset(_NAMES.split())
_SIGNS = "$€£¥%"
_IN_VALUE = re.compile(r"[+-]?\d+(?:[.,]\d+)*\s?([^\W\d_]{1,12}|°[CF]|%|[$€£¥])\.?")
_BEFORE_VALUE = re.compile(r"([$€£¥]|[A-Z]{3}) ?[+-]?\d+(?:[.,]\d+)*")
_SHARE_OF_COLUMN = 0.8
_SHARE_OF_UNIT = 0.01
_TRIED = 100


def _match(value: str) -> re.Match[str] | None:
    text = value.strip()
    return _IN_VALUE.fullmatch(text) or _BEFORE_VALUE.fullmatch(text)


def _has_unit(value: str) -> bool:
    return _match(value) is not None


def unit_in_name(name: str) -> str:
    """Return the unit that a column's name states: "Weight (kg)", "price_usd"."""
    bracket = re.search(r"[(\[]\s*([^()\[\]]{1,12})\s*[)\]]\s*$", name)
    if bracket and (bracket[1].lower() in _UNITS or bracket[1] in _SIGNS):
        return bracket[1]
    last = words(name)[-1:]
    return last[0] if last and last[0] in _UNITS and len(last[0]) > 1 and len(words(name)) > 1 else ""


def units_in_values(values: Sequence[str], rows: Sequence[int]) -> list[tuple[str, int]]:
    """Return the units that stand with numbers in most values ("90 min", "$5"), with their rows, most first.

    Singular and plural of a word are one unit; what fewer than one value in a hundred has is left out.
    """
    found: dict[str, int] = {}
    if sum(map(_has_unit, values[:_TRIED])) < _SHARE_OF_COLUMN / 2 * len(values[:_TRIED]):
        return []  # so few that the whole can hardly have more
    total = sum(rows)
    for value, count in zip(values, rows, strict=True):
        match = _match(value)
        if match:
            found[match[1]] = found.get(match[1], 0) + count
    if not total or sum(found.values()) < _SHARE_OF_COLUMN * total:
        return []
    merged: dict[str, int] = {}
    for unit, count in sorted(found.items(), key=lambda item: -item[1]):
        same = next(
            (other for other in merged if {unit, other} in ({unit, unit + "s"}, {other, other + "s"})), unit
        )
        merged[same] = merged.get(same, 0) + count
    common = [(unit, count) for unit, count in merged.items() if count >= _SHARE_OF_UNIT * total]
    return sorted(common, key=lambda item: -item[1])
