"""Recognise numbers that a file keeps as text: signs, decimal commas, thousands separators, currencies.

Only when every value reads as a number is a column a number. Codes stay text: leading zeros, and whole
numbers too long for a float.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.reading import EXACT

INTEGER = r"^\s*[+-]?\d+\s*$"
NUMBER = r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$"
_LEADING_ZERO = r"^\s*[+-]?0\d"
_DECORATED = r"^\s*[+-]?[$€£¥]?\s?[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?[%€]?\s*$"
_DECIMAL_COMMA = r"^\s*[+-]?[$€£¥]?\s?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?\s?[%€]?\s*$"
_DOT_GROUPS = r"^\s*[+-]?\d{1,3}\.\d{3}\s*$"
_CURRENCIES = {"$": "USD?", "€": "EUR", "£": "GBP", "¥": "JPY/CNY", "%": "%"}


@dataclass(frozen=True, slots=True)
class NumberReading:
    """How a column of texts is read as numbers.

    Attributes:
        numbers: the values, as 64-bit integers or floats. template: pandas expression over `{}`, without
            the final cast. plain: pandas reads these texts by itself.
    """

    numbers: pa.Array
    is_whole: bool
    template: str
    plain: bool
    unit: str = ""
    warnings: tuple[str, ...] = ()


def matches(texts: pa.Array, pattern: str) -> pa.Array:
    """Return for each text whether it matches."""
    return pc.match_substring_regex(texts, pattern)


def all_match(texts: pa.Array, pattern: str) -> bool:
    """Return True if every text matches."""
    return bool(pc.all(matches(texts, pattern), min_count=0).as_py())


def read_numbers(texts: pa.Array, *, decimal_comma_likely: bool = False) -> NumberReading | str:
    """Read distinct texts as numbers; return a reading, or why they stay text ("" if they are no numbers).

    Args:
        texts: the distinct values, none missing.
        decimal_comma_likely: settles "1,234" where both a decimal and a thousands comma are possible.
    """
    if all_match(texts, NUMBER):
        return _plain(texts, decimal_comma_likely)
    if all_match(texts, _DECORATED):
        return _with_commas(texts, decimal_comma_likely)
    if all_match(texts, _DECIMAL_COMMA):
        return _decimal_comma(texts)
    return ""


def looks_like_code(texts: pa.Array) -> str:
    """Return why whole numbers are codes rather than quantities, "" if they are not."""
    if bool(pc.any(matches(texts, _LEADING_ZERO), min_count=0).as_py()):
        return "leading zeros: kept as text"
    long = pc.filter(texts, pc.greater(pc.utf8_length(texts), 15))
    if any(abs(int(text)) > EXACT for text in pc.utf8_trim_whitespace(long).to_pylist()):
        return "whole numbers beyond 2^53: kept as text, since a float would change them"
    return ""


def _plain(texts: pa.Array, decimal_comma_likely: bool) -> NumberReading | str:
    trimmed = pc.utf8_ltrim(pc.utf8_trim_whitespace(texts), characters="+")
    if not all_match(texts, INTEGER):
        whole_part = pc.filter(texts, matches(texts, INTEGER))
        if bool(pc.any(matches(whole_part, _LEADING_ZERO), min_count=0).as_py()):
            return "leading zeros: kept as text"
        warnings: tuple[str, ...] = ()
        if decimal_comma_likely and all_match(texts, _DOT_GROUPS):
            warnings = ("dots before three digits are read as decimal points; they may group thousands",)
        return NumberReading(trimmed.cast(pa.float64()), False, "{}", True, warnings=warnings)
    code = looks_like_code(texts)
    return code or NumberReading(trimmed.cast(pa.int64()), True, "{}", True)


def _with_commas(texts: pa.Array, decimal_comma_likely: bool) -> NumberReading | str:
    """Dots are decimal points here; commas, if any, group thousands unless the dialect says otherwise."""
    has_comma = _contains(texts, ",")
    has_dot = _contains(texts, ".")
    warnings: tuple[str, ...] = ()
    if has_comma and not has_dot:
        if decimal_comma_likely:
            reading = _decimal_comma(texts)
            note = "commas before three digits are read as decimal commas, as the file's separator is ;"
            return NumberReading(
                reading.numbers, reading.is_whole, reading.template, False, reading.unit, (note,)
            )
        warnings = ("commas before three digits are read as thousands separators",)
    unit = _unit(texts)
    removed = ("," if has_comma else "") + "".join(sign for sign in _CURRENCIES if _contains(texts, sign))
    removed += " " if _contains(texts, " ") else ""
    bare = pc.replace_substring_regex(texts, f"[{removed}]", "")
    if all_match(bare, INTEGER) and (code := looks_like_code(bare)):
        return code
    return _reading(bare, f'{{}}.str.replace("[{removed}]", "", regex=True)', unit, warnings)


def _decimal_comma(texts: pa.Array) -> NumberReading:
    unit = _unit(texts)
    signs = "".join(sign for sign in _CURRENCIES if _contains(texts, sign))
    removed = ("." if _contains(texts, ".") else "") + signs + (" " if _contains(texts, " ") else "")
    template = f'{{}}.str.replace("[{removed}]", "", regex=True)' if removed else "{}"
    bare = pc.replace_substring_regex(texts, f"[{removed}]", "") if removed else texts
    bare = pc.replace_substring(bare, ",", ".")
    return _reading(bare, f'{template}.str.replace(",", ".", regex=False)', unit, ())


def _reading(bare: pa.Array, template: str, unit: str, warnings: tuple[str, ...]) -> NumberReading:
    trimmed = pc.utf8_ltrim(pc.utf8_trim_whitespace(bare), characters="+")
    is_whole = all_match(bare, INTEGER)
    numbers = trimmed.cast(pa.int64() if is_whole else pa.float64())
    return NumberReading(numbers, is_whole, template, False, unit, warnings)


def _contains(texts: pa.Array, part: str) -> bool:
    return bool(pc.any(pc.match_substring(texts, part), min_count=0).as_py())


def _unit(texts: pa.Array) -> str:
    seen = [name for sign, name in _CURRENCIES.items() if _contains(texts, sign)]
    return seen[0] if len(seen) == 1 else "/".join(seen)
