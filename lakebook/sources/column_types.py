"""Decide the type of a text column from all of its values, and write down how pandas gets there.

A `Survey` takes in a column block by block and keeps what still holds for every value. Order: boolean, date
of eight digits, number, date, text. A column is what every one of its values is; a declared set of tokens
(`NA`, `-` …) counts as missing only where all other values are numbers or dates, and is then reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.curated import SettledOrder
from lakebook.sources.date_formats import COMPACT, candidates, parse, shape
from lakebook.sources.dates import Break, DateEvidence, DateReading, Order
from lakebook.sources.load_code import literal, literals
from lakebook.sources.numerals import NUMBER, NumberEvidence, NumberReading, Numerals
from lakebook.sources.reading import Typing
from lakebook.sources.texts import BLANK, Texts

NULL_TOKENS = frozenset(
    {
        "NA",
        "N/A",
        "n/a",
        "#N/A",
        "NaN",
        "nan",
        "null",
        "NULL",
        "Null",
        "None",
        "none",
        "nil",
        "k.A.",
        "k. A.",
        "keine Angabe",
        "n.v.",
        "n.d.",
        "-",
        "--",
        "?",
        ".",
    }
)
_TOKENS = pa.array(sorted(NULL_TOKENS))
# The longest token that begins with each byte: few texts are candidates, and most columns have none.
_LONGEST_FROM = np.zeros(256, np.int64)
for _token in NULL_TOKENS:
    _LONGEST_FROM[ord(_token[0])] = max(len(_token.encode()), _LONGEST_FROM[ord(_token[0])])
_BOOLEANS = frozenset({"True", "False", "TRUE", "FALSE", "true", "false"})
# What `pd.read_csv` might turn into a number or a boolean in some chunk of a text column.
_TEMPTING = rf"[{BLANK}]*(?:[0-9.eE+-]+|[+-]?(?i:inf|infinity|nan)|(?i:true|false))[{BLANK}]*"
_NUMBER_STARTS = np.isin(np.arange(256), list(b"0123456789.+- \t\n\f\r"))
_TEMPTING_STARTS = np.isin(np.arange(256), list(b"0123456789.eE+- \t\n\f\riInNtTfF"))
_MOSTLY = 0.5
_DATE_NAME = re.compile(r"(?:date|ymd|yyyymmdd)s?$|(?:^|[^a-z])(?:date|day|dt)(?:[^a-z]|$)")


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a block of texts becomes the loaded column; the same for every block.

    Attributes:
        kind: what comes out. numerals: how numbers are written. form: of dates.
    """

    kind: Literal["empty", "boolean", "number", "date", "text"]
    numerals: Numerals | None = None
    form: str = ""

    def apply(self, texts: Texts) -> pa.Array | None:
        """Return one value a text, null for tokens that stand for none; None if a text does not fit."""
        if self.kind == "text":
            return texts.array
        if self.kind == "empty":
            return pa.nulls(len(texts), pa.float64()) if len(texts) == 0 else None
        if self.kind == "boolean":
            return pc.equal(pc.utf8_lower(texts.array), "true")
        is_token = _is_token(texts)
        solid = texts if is_token is None else texts.select(~is_token)
        try:
            values = self.numerals.read(solid) if self.numerals else parse(solid, self.form)
        except pa.ArrowInvalid:
            return None
        if values is None or is_token is None:
            return values
        return values.take(pa.array(np.cumsum(~is_token) - 1, mask=is_token))


@dataclass(frozen=True, slots=True)
class Decision:
    """The type of a column and how its blocks are converted."""

    typing: Typing
    conversion: Conversion


@dataclass(slots=True)
class Survey:
    """What holds for every value of a text column so far.

    Attributes:
        numbers: texts may stand for numbers and booleans (delimited files), else only for dates.
        rows: rows seen; `nulls` of them without a text, `solid` with one that is no token.
        tokens: the tokens that may stand for missing values, with their rows.
        tempting: some text would tempt `pd.read_csv` to make it a number or a boolean.
        numeric: rows with a number. stray: the first value that is neither number nor token.
        dated: rows with a date that looks like the first value.
    """

    name: str
    numbers: bool
    rows: int = 0
    nulls: int = 0
    solid: int = 0
    tokens: dict[str, int] = field(default_factory=dict)
    boolean: bool = True
    tempting: bool = False
    number: NumberEvidence = field(default_factory=NumberEvidence)
    numeric: int = 0
    stray: Break | None = None
    date: DateEvidence = field(default_factory=DateEvidence)
    dated: int = 0

    def __post_init__(self) -> None:
        """Eight digits may be a date where the name says so."""
        self.date.compact = _DATE_NAME.search(self.name.lower()) is not None

    def add(self, texts: Texts, length: int) -> None:
        """Take in the texts of the next block, which has so many rows."""
        start, self.rows = self.rows, self.rows + length
        self.nulls += length - texts.row_count
        if len(texts) == 0:
            return
        is_token = _is_token(texts)
        solid = texts if is_token is None else texts.select(~is_token)
        if is_token is not None:
            self._count_tokens(texts.select(is_token))
        self.solid += solid.row_count
        if self.numbers:
            self.boolean = self.boolean and len(texts) <= len(_BOOLEANS) and set(texts.listed) <= _BOOLEANS
            self.number.add(solid)
            self._add_numeric(solid, start)
            self._add_tempting(texts)
        self.date.add(solid, start)
        if self.date.formats:
            self.dated += solid.row_count if self.date.fits else _like(solid, self.date.formats[0])

    def _count_tokens(self, tokens: Texts) -> None:
        rows = np.ones(len(tokens), np.int64) if tokens.rows is None else tokens.rows
        for text, count in zip(tokens.listed, rows, strict=True):
            self.tokens[text] = self.tokens.get(text, 0) + int(count)

    def _add_numeric(self, solid: Texts, start: int) -> None:
        if self.number.plain.fits:
            self.numeric += solid.row_count
            return
        is_number = _matching(solid, NUMBER, _NUMBER_STARTS)
        self.numeric += solid.rows_where(is_number)
        if self.stray is None and not is_number.all():
            first = int(np.argmin(is_number))
            self.stray = Break(solid.text(first), start + solid.row_of(first))

    def _add_tempting(self, texts: Texts) -> None:
        if not self.tempting:
            plain = self.number.plain.fits and len(self.tokens) == 0
            self.tempting = plain or bool(_matching(texts, _TEMPTING, _TEMPTING_STARTS).any())


def decide(
    survey: Survey,
    place: Callable[[int], str],
    *,
    decimal_comma_likely: bool = False,
    order_hint: Order = "",
    settled: SettledOrder | None = None,
) -> Decision:
    """Decide the type of a column that was surveyed to its end.

    Args:
        survey: what was found.
        place: says where a row stands.
        decimal_comma_likely: settles "1,234" where both a decimal and a thousands comma are possible.
        order_hint: order of day and month in other columns of the table.
        settled: order of day and month that somebody has settled.
    """
    if survey.rows == survey.nulls:
        return Decision(Typing("empty", template="{}.astype(float)", plain=True), Conversion("empty"))
    if survey.numbers and survey.boolean:
        return _boolean(survey)
    if survey.solid == 0:
        return _text(survey)
    dates = survey.date.settle(order_hint, settled)
    if survey.numbers and not (dates and dates.format == COMPACT):
        reading = survey.number.reading(decimal_comma_likely=decimal_comma_likely)
        if not isinstance(reading, str):
            return _number(survey, reading)
        if reading:
            return _text(survey, (reading,))
    if dates is not None:
        return _date(survey, dates)
    return _text(survey, _almost_numbers(survey, place) or _almost_dates(survey, place))


def _boolean(survey: Survey) -> Decision:
    if survey.nulls:
        template = '{}.str.lower().map({"true": True, "false": False}).astype("boolean")'
        return Decision(Typing("boolean", template, as_text=True), Conversion("boolean"))
    return Decision(Typing("boolean", '{}.str.lower().eq("true")', plain=True), Conversion("boolean"))


def _number(survey: Survey, reading: NumberReading) -> Decision:
    missing = survey.nulls > 0 or bool(survey.tokens)
    is_whole = reading.numerals.is_whole
    cast = '.astype("int64")' if is_whole and not missing else ".astype(float)"
    typing = Typing(
        type="integer" if is_whole else "number",
        template=reading.template.replace("{}", _without_tokens(survey)) + cast,
        plain=reading.plain and not survey.tokens,
        as_text=not reading.plain or bool(survey.tokens),
        unit=reading.unit,
        warnings=(*reading.warnings, *_token_note(survey)),
    )
    return Decision(typing, Conversion("number", reading.numerals))


def _date(survey: Survey, dates: DateReading) -> Decision:
    typing = Typing(
        type="date" if dates.is_day else "datetime",
        template=dates.template.replace("{}", _without_tokens(survey)),
        as_text=dates.format == COMPACT,
        date_format=dates.format,
        day_order=dates.order,
        warnings=(*dates.warnings, *_token_note(survey)),
    )
    return Decision(typing, Conversion("date", form=dates.format))


def _text(survey: Survey, warnings: tuple[str, ...] = ()) -> Decision:
    as_text = survey.numbers and survey.tempting
    return Decision(Typing("text", plain=True, as_text=as_text, warnings=warnings), Conversion("text"))


def _without_tokens(survey: Survey) -> str:
    tokens = list(survey.tokens)
    if not tokens:
        return "{}"
    listed = literal(tokens[0]) if len(tokens) == 1 else literals(tokens)
    return f"{{}}.replace({listed}, None)"


def _token_note(survey: Survey) -> tuple[str, ...]:
    """Report the tokens that stand for missing values here."""
    if not survey.tokens:
        return ()
    shown = ", ".join(
        f"{token!r} in {rows:,} row{'s' if rows > 1 else ''}" for token, rows in survey.tokens.items()
    )
    return (f"counted as missing: {shown}",)


def _almost_numbers(survey: Survey, place: Callable[[int], str]) -> tuple[str, ...]:
    """Say where a column that is mostly numbers stops being one."""
    total = survey.rows - survey.nulls
    if survey.numeric < _MOSTLY * total or survey.stray is None:
        return ()
    strays = survey.solid - survey.numeric
    verdict = "is not a number" if strays == 1 else "are not numbers"
    where = f"the first is {survey.stray.text[:40]!r} at {place(survey.stray.row)}"
    return (f"kept as text: {strays:,} of {total:,} values {verdict}; {where}",)


def _almost_dates(survey: Survey, place: Callable[[int], str]) -> tuple[str, ...]:
    """Say why a column that is mostly dates, or has them in several formats, is not one of dates."""
    evidence = survey.date
    if not evidence.formats or not evidence.broken or evidence.first is None:
        return ()
    breaks = list(evidence.broken.values())

    def shown(value: Break) -> str:
        return f"{value.text[:40]!r} at {place(value.row)}"

    if len(breaks) == 2 and breaks[0].text != breaks[1].text:
        both = " and ".join(shown(value) for value in sorted(breaks, key=lambda value: value.row))
        return (f"kept as text: {both} contradict each other in the order of day and month",)
    other = max(breaks, key=lambda value: value.row)
    if candidates(other.text.strip(), compact=evidence.compact) not in ((), evidence.formats):
        return (f"kept as text: dates in more than one format: {shown(evidence.first)}, {shown(other)}",)
    if survey.dated < _MOSTLY * survey.solid:
        return ()
    rows = survey.solid - survey.dated
    verb = "looks" if rows == 1 else "look"
    counted = f"{rows:,} of {survey.solid:,} values {verb} otherwise" if rows else "not every one is a date"
    return (f"kept as text: dates like {evidence.first.text!r}, but {counted}; the first is {shown(other)}",)


def _is_token(texts: Texts) -> npt.NDArray[np.bool_] | None:
    """Return which texts may stand for missing values, None if none does."""
    if texts.is_few:
        if NULL_TOKENS.isdisjoint(texts.listed):
            return None
        found = np.fromiter((text in NULL_TOKENS for text in texts.listed), bool, len(texts))
    else:
        found = texts.lengths <= _LONGEST_FROM[texts.byte_at(0)]
        if not found.any():
            return None
        likely = texts.select(found).array
        found[found] = pc.is_in(likely, value_set=_TOKENS.cast(likely.type)).to_numpy(zero_copy_only=False)
    return found if found.any() else None


def _matching(texts: Texts, pattern: str, starts: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Match the texts that begin with one of these bytes; no other can match."""
    if texts.is_few:
        return texts.matching(pattern)
    likely = starts[texts.byte_at(0)]
    if not likely.any():
        return likely
    found = likely.copy()
    found[likely] = texts.select(likely).matching(pattern)
    return found


def _like(texts: Texts, form: str) -> int:
    return texts.rows_where(texts.matching(shape(form)))
