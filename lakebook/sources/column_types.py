"""Decide the type of a text column from all of its values, and write down how pandas gets there.

Order: boolean, number, date, text. A column is what every one of its values is; a declared set of tokens
(`NA`, `-` …) counts as missing only where all other values are numbers or dates, and is then reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.dates import DateReading, Order, read_dates
from lakebook.sources.load_code import literal, literals
from lakebook.sources.numerals import NUMBER, NumberReading, matches, read_numbers
from lakebook.sources.reading import Typing

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
_BOOLEANS = frozenset({"True", "False", "TRUE", "FALSE", "true", "false"})
# What `pd.read_csv` might turn into a number or a boolean in some chunk of a text column.
_TEMPTING = r"^\s*(?:[\d.eE+-]+|[+-]?(?i:inf|infinity|nan)|(?i:true|false))\s*$"
_MOSTLY = 0.5
_DATE_NAME = re.compile(r"date|day|ymd|yyyymmdd|\bdt\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TextValues:
    """The distinct texts of a column, how often each stands there, and where each stands first.

    Attributes:
        rows: number of rows of each text. place: says where the text with this index stands first.
    """

    name: str
    texts: pa.Array
    rows: npt.NDArray[np.int64]
    nulls: int
    place: Callable[[int], str]


def decide(
    column: TextValues, *, numbers: bool, decimal_comma_likely: bool = False, order_hint: Order = ""
) -> Typing:
    """Decide the type of a column.

    Args:
        column: its distinct values.
        numbers: texts may stand for numbers and booleans (delimited files), else only for dates.
        decimal_comma_likely: see `read_numbers`.
        order_hint: order of day and month in other columns of the table.
    """
    if len(column.texts) == 0:
        return Typing("empty", pa.nulls(0, pa.float64()), template="{}.astype(float)", plain=True)
    values = column.texts.to_pylist() if len(column.texts) <= len(_BOOLEANS) else None
    if numbers and values is not None and set(values) <= _BOOLEANS:
        return _boolean(column)
    is_token = pc.is_in(column.texts, value_set=pa.array(sorted(NULL_TOKENS)))
    solid = pc.filter(column.texts, pc.invert(is_token))
    if len(solid) == 0:
        return _text(column, numbers)
    if numbers:
        reading = read_numbers(solid, decimal_comma_likely=decimal_comma_likely)
        if not isinstance(reading, str):
            return _number(column, is_token, reading)
        if reading:
            return _text(column, numbers, (reading,))
    dates = _dates(column.name, solid, numbers, order_hint)
    if dates is not None:
        return _date(column, is_token, dates)
    return _text(column, numbers, _almost(column, is_token) if numbers else ())


def _boolean(column: TextValues) -> Typing:
    truth = pc.equal(pc.utf8_lower(column.texts), "true")
    if column.nulls:
        template = '{}.str.lower().map({"true": True, "false": False}).astype("boolean")'
        return Typing("boolean", truth, template, as_text=True)
    return Typing("boolean", truth, '{}.str.lower().eq("true")', plain=True)


def _number(column: TextValues, is_token: pa.Array, reading: NumberReading) -> Typing:
    tokens, token_note = _tokens(column, is_token)
    missing = column.nulls > 0 or bool(tokens)
    cast = '.astype("int64")' if reading.is_whole and not missing else ".astype(float)"
    replaced = f"{{}}.replace({_token_list(tokens)}, None)" if tokens else "{}"
    return Typing(
        type="integer" if reading.is_whole else "number",
        values=_aligned(reading.numbers, is_token),
        template=reading.template.replace("{}", replaced) + cast,
        plain=reading.plain and not tokens,
        as_text=not reading.plain or bool(tokens),
        unit=reading.unit,
        warnings=(*reading.warnings, *token_note),
    )


def _dates(name: str, solid: pa.Array, numbers: bool, order_hint: Order) -> DateReading | None:
    first = solid[0].as_py()
    if len(first) > 40 or not any(character.isdigit() for character in first):
        return None
    compact = numbers and bool(_DATE_NAME.search(name))
    return read_dates(pd.Series(solid.to_pandas(), dtype="str"), compact=compact, order_hint=order_hint)


def _date(column: TextValues, is_token: pa.Array, dates: DateReading) -> Typing:
    tokens, token_note = _tokens(column, is_token)
    replaced = f"{{}}.replace({_token_list(tokens)}, None)" if tokens else "{}"
    stamps = pa.Array.from_pandas(dates.stamps, type=pa.timestamp("us"))
    return Typing(
        type="date" if dates.is_day else "datetime",
        values=_aligned(stamps, is_token),
        template=dates.template.replace("{}", replaced),
        as_text=dates.format == "%Y%m%d",
        date_format=dates.format,
        day_order=dates.order,
        warnings=(*dates.warnings, *token_note),
    )


def _text(column: TextValues, tempting: bool, warnings: tuple[str, ...] = ()) -> Typing:
    as_text = tempting and bool(pc.any(matches(column.texts, _TEMPTING), min_count=0).as_py())
    return Typing("text", column.texts, plain=True, as_text=as_text, warnings=warnings)


def _tokens(column: TextValues, is_token: pa.Array) -> tuple[list[str], tuple[str, ...]]:
    """Return the tokens that stand for missing values here, and the sentence that reports them."""
    tokens = pc.filter(column.texts, is_token).to_pylist()
    if not tokens:
        return [], ()
    counts = column.rows[np.asarray(is_token.to_numpy(zero_copy_only=False))]
    shown = ", ".join(
        f"{token!r} in {rows:,} row{'s' if rows > 1 else ''}"
        for token, rows in zip(tokens, counts, strict=True)
    )
    return tokens, (f"counted as missing: {shown}",)


def _token_list(tokens: list[str]) -> str:
    return literal(tokens[0]) if len(tokens) == 1 else literals(tokens)


def _aligned(values: pa.Array, is_token: pa.Array) -> pa.Array:
    """Put the converted values back beside the distinct texts; tokens become null."""
    solid = np.asarray(pc.invert(is_token).to_numpy(zero_copy_only=False))
    positions = np.cumsum(solid) - 1
    return values.take(pa.array(positions, mask=~solid))


def _almost(column: TextValues, is_token: pa.Array) -> tuple[str, ...]:
    """Say where a column that is mostly numbers stops being one."""
    numeric = np.asarray(matches(column.texts, NUMBER).to_numpy(zero_copy_only=False))
    total = int(column.rows.sum())
    count = int(column.rows[numeric].sum())
    other = ~numeric & ~np.asarray(is_token.to_numpy(zero_copy_only=False))
    if count < _MOSTLY * total or not other.any():
        return ()
    first = int(np.flatnonzero(other)[0])
    text = str(column.texts[first].as_py())[:40]
    strays = int(column.rows[other].sum())
    verdict = "is not a number" if strays == 1 else "are not numbers"
    where = f"the first is {text!r} at {column.place(first)}"
    return (f"kept as text: {strays:,} of {total:,} values {verdict}; {where}",)
