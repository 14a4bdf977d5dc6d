"""Type the columns of a sheet: cells are typed one by one, a column is what all of its cells are.

Numbers, dates and texts come from the cells themselves; here stands what spreadsheets add: errors, numbers
stored as text, tokens such as "-" among numbers, durations, and numbers longer than a spreadsheet keeps.
Everything else is `object_column`, as for other formats of typed values.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from lakebook.sources.formats.workbooks.grid import Unread, is_token
from lakebook.sources.load_code import literal, literals
from lakebook.sources.objects import object_column
from lakebook.sources.reading import EXACT, RawColumn
from lakebook.sources.roles import words

# A text that a number replaces must look like one and nothing else: no leading zeros, no separators.
_NUMERAL_LENGTH = 15
_LEAST_CODES, _CODE_DIGITS = 5, 6
_CODES = frozenset(
    {
        *("id", "ids", "uid", "code", "codes", "key", "nr", "no", "zip", "zipcode", "plz", "postal"),
        *("postcode", "phone", "tel", "telephone", "fax", "isbn", "issn", "ean", "sku", "upc", "iban", "bic"),
        *("fips", "naics", "sic", "nuts", "ags", "account", "konto", "barcode", "serial", "part"),
    }
)


def cell_column(name: str, original: str, values: Sequence[Any]) -> RawColumn:
    """Type a column of cells, with the pandas expression that gets there from the cells that pandas reads."""
    errors = Counter(value.error for value in values if isinstance(value, Unread))
    plain = [None if isinstance(value, Unread) else value for value in values] if errors else values
    column = _typed(name, original, plain)
    return replace(column, warnings=(*column.warnings, *_unread(errors)))


def _unread(errors: Counter[str]) -> tuple[str, ...]:
    """Say which cells count as missing although something stands in them."""
    warnings = []
    found = {error: cells for error, cells in errors.items() if error}
    if found:
        shown = ", ".join(f"{error} in {_cells(cells)}" for error, cells in sorted(found.items()))
        warnings.append(f"errors counted as missing: {shown}")
    if errors[""]:
        cells = errors[""]
        warnings.append(f"{_cells(cells)} with a formula whose value is not stored: counted as missing")
    return tuple(warnings)


def _cells(count: int) -> str:
    return f"{count:,} cell" if count == 1 else f"{count:,} cells"


def _typed(name: str, original: str, values: Sequence[Any]) -> RawColumn:
    kinds = Counter(type(value) for value in values if value is not None)
    found = set(kinds)
    if found == {str}:
        return _texts(name, original, values)
    if found and found <= {int, float}:
        return _numbers(name, original, values)
    if found == {dt.timedelta}:
        return _durations(name, original, values)
    if str in found and (found <= {int, float, str} or found == {dt.datetime, str}):
        return _with_texts(name, original, values)
    return object_column(name, original, values)


def _durations(name: str, original: str, values: Sequence[Any]) -> RawColumn:
    seconds = [None if value is None else value.total_seconds() for value in values]
    warning = "durations: given in seconds"
    column = pa.array(seconds, pa.float64())
    return RawColumn(name, original, column, "{}.dt.total_seconds()", "number", (warning,))


def _numbers(name: str, original: str, values: Sequence[Any]) -> RawColumn:
    """Numbers beyond 2^53 are codes if all are whole and printable, else measures."""
    present = [value for value in values if value is not None]
    largest = max(map(abs, present))
    if largest <= EXACT:
        return object_column(name, original, values)
    if largest < 1e21 and all(float(value).is_integer() for value in present):
        texts = [None if value is None else str(int(value)) for value in values]
        warning = (
            "whole numbers of more than 15 digits: kept as text; a spreadsheet keeps only 15, so the last"
            " digits may have been lost before"
        )
        template = '{}.map(lambda value: str(int(value)), na_action="ignore").astype("str")'
        return RawColumn(name, original, pa.array(texts, pa.string()), template, "text", (warning,))
    numbers = [None if value is None else float(value) for value in values]
    return RawColumn(name, original, pa.array(numbers, pa.float64()), "{}.astype(float)", "number")


def _texts(name: str, original: str, values: Sequence[Any]) -> RawColumn:
    """Texts that are all plain numerals are numbers, unless name or digits say that they are codes."""
    column = RawColumn(name, original, pa.array(values, pa.string()))
    texts = Counter(value for value in values if value is not None)
    if not any(_is_numeral(text) for text in texts):
        return column
    cells = sum(texts.values())
    if _CODES & set(words(original)) and all(map(_is_numeral, texts)):
        warning = "numbers stored as text, in a column that is called a code: kept as text"
        return replace(column, template='{}.astype("str")', type="text", warnings=(warning,))
    if _are_codes(texts):
        warning = "long numbers of one length stored as text, hardly one twice: kept as text, as codes are"
        return replace(column, template='{}.astype("str")', type="text", warnings=(warning,))
    read = _with_texts(name, original, values)
    if read.type != "text" and read.type is not None:
        first = f"numbers stored as text in all {cells:,} cells: read as numbers"
        rest = [warning for warning in read.warnings if "stored as text" not in warning]
        return replace(read, warnings=(first, *rest))
    numerals = sum(rows for text, rows in texts.items() if _is_numeral(text))
    if 2 * numerals > cells:
        stray = next(text for text in texts if not _is_numeral(text) and not is_token(text))
        note = f"{numerals:,} of {cells:,} texts are numbers, but {stray[:40]!r} is not: kept as text"
        return replace(column, warnings=(note,))
    return column


def _are_codes(texts: Counter[str]) -> bool:
    """Somebody stored digits as text on purpose: tax numbers, telephone numbers, order numbers."""
    cells = sum(texts.values())
    if cells < _LEAST_CODES or len(texts) < 0.9 * cells:
        return False
    return len({len(text) for text in texts}) <= 2 and all(
        len(text) >= _CODE_DIGITS and text.isdecimal() for text in texts
    )


def _with_texts(name: str, original: str, values: Sequence[Any]) -> RawColumn:
    """Numbers or dates with a few texts among them: tokens are missing values, numerals are numbers."""
    texts = Counter(value for value in values if isinstance(value, str))
    tokens = sorted(text for text in texts if is_token(text))
    numerals = [text for text in texts if _is_numeral(text)]
    has_dates = any(isinstance(value, dt.datetime) for value in values)
    if len(tokens) + len(numerals) < len(texts) or (has_dates and numerals):
        return _mixed(name, original, values, texts, tokens)
    if numerals and _CODES & set(words(original)):
        return object_column(name, original, values)
    listed = literal(tokens[0]) if len(tokens) == 1 else literals(tokens)
    source = f"{{}}.replace({listed}, None)" if tokens else "{}"
    warnings = []
    if tokens:
        shown = ", ".join(f"{token!r} in {_cells(texts[token])}" for token in tokens[:10])
        warnings.append(f"counted as missing: {shown}")
    if numerals:
        warnings.append(f"numbers stored as text in {_cells(sum(texts[text] for text in numerals))}")
    if has_dates:
        plain = [value if isinstance(value, dt.datetime) else None for value in values]
        column = object_column(name, original, plain)
        return replace(column, template=f"pd.to_datetime({source})", warnings=tuple(warnings))
    plain = [None if isinstance(value, str) and value in tokens else _number(value) for value in values]
    column = _numbers(name, original, plain)
    if column.type == "text":
        return object_column(name, original, values)
    cast = "" if column.type == "integer" and None not in plain else ".astype(float)"
    template = f"pd.to_numeric({source}){cast}"
    return replace(column, template=template, warnings=(*warnings, *column.warnings))


def _mixed(
    name: str, original: str, values: Sequence[Any], texts: Counter[str], tokens: Sequence[str]
) -> RawColumn:
    """A column of several kinds stays text; say which texts are in the way if they are few."""
    column = object_column(name, original, values)
    strays = [text for text in texts if text not in tokens and not _is_numeral(text)]
    if len(strays) > 5:
        return column
    shown = ", ".join(f"{text[:40]!r}" for text in strays)
    return replace(column, warnings=(*column.warnings, f"texts among the values: {shown}"))


def _is_numeral(text: str) -> bool:
    stripped = text.strip()
    digits = stripped.removeprefix("-").replace(".", "", 1)
    if not digits.isdecimal() or not digits.isascii() or len(digits) > _NUMERAL_LENGTH:
        return False
    whole = stripped.removeprefix("-").partition(".")[0]
    return whole == "0" or not whole.startswith("0")


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    number = float(value)
    return int(number) if "." not in value else number
