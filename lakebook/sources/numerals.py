"""Recognise numbers that a file keeps as text: signs, decimal commas, thousands separators, currencies.

The evidence is gathered block by block and holds for the whole column: only when every value reads as a
number is a column a number. Codes stay text: leading zeros, and whole numbers too long for a float.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.reading import EXACT
from lakebook.sources.texts import BLANK, Texts

Notation = Literal["plain", "marks", "comma"]

_S = f"[{BLANK}]"
INTEGER = rf"{_S}*[+-]?[0-9]+{_S}*"
NUMBER = rf"{_S}*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{{1,3}})?{_S}*"
_LEADING_ZERO = rf"{_S}*[+-]?0[0-9]+{_S}*"
_SIGNED = "(?:[+-]?[$€£¥]? ?|[$€£¥] ?[+-])"
_MARKED = rf"{_S}*{_SIGNED}(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+|[0-9]+)(?:\.[0-9]+)? ?[%€]?{_S}*"
_COMMA = rf"{_S}*{_SIGNED}(?:[0-9]{{1,3}}(?:\.[0-9]{{3}})+|[0-9]+)(?:,[0-9]+)? ?[%€]?{_S}*"
_DOT_GROUPS = rf"{_S}*[+-]?[0-9]{{1,3}}\.[0-9]{{3}}{_S}*"
_CURRENCIES = {"$": "USD?", "€": "EUR", "£": "GBP", "¥": "JPY/CNY", "%": "%"}
_SIGNS = "".join(_CURRENCIES)
_DIGITS = b"0123456789"
_DIGIT_SET = frozenset("0123456789")
_DOT, _MINUS, _PLUS, _ZERO = b".-+0"

_ZEROS = "leading zeros: kept as text"
_LONG = "whole numbers beyond 2^53: kept as text, since a float would change them"


@dataclass(frozen=True, slots=True)
class Numerals:
    """How numbers are written: `plain` as in Python, with `marks` (thousands, currency), or a `comma`."""

    notation: Notation
    is_whole: bool

    def read(self, texts: Texts) -> pa.Array:
        """Read texts that are known to be written so; returns 64-bit integers or floats."""
        kind = pa.int64() if self.is_whole else pa.float64()
        if self.notation == "plain":
            numbers = texts.cast(kind)
            return numbers if numbers is not None else _trimmed(texts.array).cast(kind)
        return _trimmed(_bare(texts.array, self.notation)).cast(kind)


@dataclass(frozen=True, slots=True)
class NumberReading:
    """How a column of texts is read as numbers.

    Attributes:
        template: pandas expression over `{}`, without the final cast. plain: pandas reads these by itself.
    """

    numerals: Numerals
    template: str
    plain: bool
    unit: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Seen:
    """What holds of all values so far under one notation; it is given up as soon as one does not fit."""

    fits: bool = True
    is_whole: bool = True
    has_zeros: bool = False
    is_long: bool = False

    def code(self) -> str:
        """Return why whole numbers are codes rather than quantities, "" if they are not."""
        if self.has_zeros:
            return _ZEROS
        return _LONG if self.is_long else ""


@dataclass(slots=True)
class NumberEvidence:
    """What speaks for numbers in a column, folded over its blocks.

    Attributes:
        marks: commas, dots, blanks, currency and percent signs that stand in some value.
    """

    plain: _Seen = field(default_factory=_Seen)
    marked: _Seen = field(default_factory=_Seen)
    comma: _Seen = field(default_factory=_Seen)
    dot_groups: bool = True
    marks: set[str] = field(default_factory=set)

    @property
    def fits(self) -> bool:
        """Some notation reads all values so far."""
        return self.plain.fits or self.marked.fits or self.comma.fits

    def add(self, texts: Texts) -> None:
        """Take in the values of a block, none of them missing."""
        if not (len(texts) and self.fits):
            return
        digits = _few_digits(texts) if texts.is_few else _digits(texts)
        if digits is None:
            self._add_any(texts)
        else:
            self._add_digits(texts, digits)

    def reading(self, *, decimal_comma_likely: bool) -> NumberReading | str:
        """Return how all values read as numbers, or why they stay text ("" if they are no numbers).

        Args:
            decimal_comma_likely: settles "1,234" where both a decimal and a thousands comma are possible.
        """
        if self.plain.fits:
            return self._plain(decimal_comma_likely)
        if self.marked.fits:
            return self._marked(decimal_comma_likely)
        return self._comma() if self.comma.fits else ""

    # --- gathering --------------------------------------------------------------------------------------

    def _add_digits(self, texts: Texts, digits: _Digits) -> None:
        """Take in texts of nothing but digits, dots and minus signs."""
        if not digits.has_dot:
            self.dot_groups = False
            for seen in (self.plain, self.marked, self.comma):
                seen.has_zeros = seen.has_zeros or digits.has_zeros
                seen.is_long = seen.is_long or digits.is_long
            return
        self._add_fractions(texts, digits.has_zeros and texts.any_match(_LEADING_ZERO))
        self.marked.fits = self.marked.fits and not digits.dot_at_end
        self.marks.add(".")
        if self.comma.fits:
            self._add_marked(self.comma, texts, "comma", _COMMA)

    def _add_fractions(self, texts: Texts, has_zeros: bool) -> None:
        self.plain.is_whole = self.marked.is_whole = False
        self.plain.has_zeros = self.plain.has_zeros or has_zeros
        self.dot_groups = self.dot_groups and texts.all_match(_DOT_GROUPS)

    def _add_any(self, texts: Texts) -> None:
        if self.plain.fits:
            self.plain.fits = texts.all_match(NUMBER)
        if self.plain.fits:
            self._add_codes(self.plain, texts)
            self.dot_groups = self.dot_groups and texts.all_match(_DOT_GROUPS)
        if self.marked.fits:
            self._add_marked(self.marked, texts, "marks", _MARKED)
        if self.comma.fits:
            self._add_marked(self.comma, texts, "comma", _COMMA)
        if self.marked.fits or self.comma.fits:
            self.marks.update(mark for mark in f",. {_SIGNS}" if texts.has(mark))

    def _add_marked(self, seen: _Seen, texts: Texts, notation: Notation, pattern: str) -> None:
        seen.fits = texts.all_match(pattern)
        if seen.fits:
            self._add_codes(seen, Texts(_bare(texts.array, notation)))

    def _add_codes(self, seen: _Seen, bare: Texts) -> None:
        whole = bare.select(bare.matching(INTEGER))
        seen.is_whole = seen.is_whole and len(whole) == len(bare)
        seen.has_zeros = seen.has_zeros or whole.any_match(_LEADING_ZERO)
        long = pc.filter(whole.array, pc.greater(pc.utf8_length(whole.array), 15))
        seen.is_long = seen.is_long or any(abs(int(text)) > EXACT for text in long.to_pylist())

    # --- deciding ---------------------------------------------------------------------------------------

    def _plain(self, decimal_comma_likely: bool) -> NumberReading | str:
        if self.plain.is_whole:
            return self.plain.code() or NumberReading(Numerals("plain", True), "{}", True)
        if self.plain.has_zeros:
            return _ZEROS
        warnings: tuple[str, ...] = ()
        if decimal_comma_likely and self.dot_groups:
            warnings = ("dots before three digits are read as decimal points; they may group thousands",)
        return NumberReading(Numerals("plain", False), "{}", True, warnings=warnings)

    def _marked(self, decimal_comma_likely: bool) -> NumberReading | str:
        """Dots are decimal points here; commas, if any, group thousands unless the dialect says otherwise."""
        warnings: tuple[str, ...] = ()
        if "," in self.marks and "." not in self.marks:
            if decimal_comma_likely and self.comma.fits:
                note = "commas before three digits are read as decimal commas, as the file's separator is ;"
                return self._comma((note,))
            warnings = ("commas before three digits are read as thousands separators",)
        if self.marked.is_whole and (code := self.marked.code()):
            return code
        removed = self._removed(",")
        template = f'{{}}.str.replace("[{removed}]", "", regex=True)' if removed else "{}"
        return NumberReading(Numerals("marks", self.marked.is_whole), template, False, self._unit(), warnings)

    def _comma(self, warnings: tuple[str, ...] = ()) -> NumberReading | str:
        if self.comma.is_whole and (code := self.comma.code()):
            return code
        removed = self._removed(".")
        template = f'{{}}.str.replace("[{removed}]", "", regex=True)' if removed else "{}"
        template += '.str.replace(",", ".", regex=False)'
        return NumberReading(Numerals("comma", self.comma.is_whole), template, False, self._unit(), warnings)

    def _removed(self, separator: str) -> str:
        return "".join(mark for mark in f"{separator}{_SIGNS} " if mark in self.marks)

    def _unit(self) -> str:
        return "/".join(name for sign, name in _CURRENCIES.items() if sign in self.marks)


@dataclass(frozen=True, slots=True)
class _Digits:
    """What stands out in numbers of nothing but digits, dots and minus signs.

    Attributes:
        has_zeros: some begin with a zero that another digit follows. dot_at_end: or at the beginning.
    """

    has_dot: bool
    has_zeros: bool
    dot_at_end: bool = False
    is_long: bool = False


def _few_digits(texts: Texts) -> _Digits | None:
    """Look at a few texts; None if they hold more than digits, dots and minus signs, or are no numbers."""
    listed = texts.listed
    rest = set("".join(listed)) - _DIGIT_SET
    if not rest <= {".", "-"}:
        return None
    try:
        numbers = list(map(float if "." in rest else int, listed))
    except ValueError:
        return None
    bare = [text.lstrip("-") for text in listed] if "-" in rest else listed
    zeros = any(text[0] == "0" and text[1:2].isdigit() for text in bare)
    if "." not in rest:
        return _Digits(False, zeros, is_long=max(map(abs, numbers)) > EXACT)
    return _Digits(True, zeros, any(text[0] == "." or text[-1] == "." for text in bare))


def _digits(texts: Texts) -> _Digits | None:
    """Look at many texts, as `_few_digits` does."""
    rest = texts.beyond(_DIGITS)
    if not rest <= {_DOT, _MINUS} or not texts.shortest:
        return None
    has_dot = _DOT in rest
    numbers = texts.cast(pa.float64() if has_dot else pa.int64())
    if numbers is None:
        return None
    first = texts.byte_at(0)
    signed = first == _MINUS
    lead = np.where(signed, texts.byte_at(1), first) if _MINUS in rest else first
    zero = lead == _ZERO
    zeros = zero.any() and bool(
        (zero & (np.where(signed, texts.byte_at(2), texts.byte_at(1)) >= _ZERO)).any()
    )
    if has_dot:
        return _Digits(True, zeros, bool((lead == _DOT).any() or (texts.byte_at(-1) == _DOT).any()))
    span = pc.min_max(numbers)
    return _Digits(False, zeros, is_long=max(-span["min"].as_py(), span["max"].as_py()) > EXACT)


def _bare(texts: pa.Array, notation: Notation) -> pa.Array:
    """Take all marks away that do not belong to a number."""
    if notation == "marks":
        return pc.replace_substring_regex(texts, f"[,{_SIGNS} ]", "")
    return pc.replace_substring(pc.replace_substring_regex(texts, rf"[.{_SIGNS} ]", ""), ",", ".")


def _trimmed(texts: pa.Array) -> pa.Array:
    return pc.utf8_ltrim(pc.utf8_trim_whitespace(texts), characters="+")
