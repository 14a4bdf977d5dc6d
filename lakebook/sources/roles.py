"""Say what part a column plays: identifier, measure, category, time, geography, list, text, and so on.

Names and values both count; the values decide wherever they can. What a number may be used for in an
analysis (flow, ratio, stock) is the analyst's question, not asked here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lakebook.sources.card import ColumnType, Role

_ID = frozenset(
    {"id", "ids", "uid", "uuid", "guid", "key", "pk", "fk", "isbn", "issn", "sku", "ean", "doi", "tailnum"}
)
_GEOGRAPHY = frozenset(
    [
        "country",
        "countries",
        "nation",
        "continent",
        "state",
        "province",
        "county",
        "city",
        "town",
        "municipality",
        "district",
        "region",
        "geography",
        "location",
        "place",
        "postal",
        "postcode",
        "zip",
        "zipcode",
        "iso2",
        "iso3",
        "fips",
        "latitude",
        "longitude",
        "lat",
        "lon",
        "lng",
        "long",
    ]
)
_COORDINATE = frozenset({"latitude", "longitude", "lat", "lon", "lng", "long"})
_QUANTITY = frozenset(
    [
        "quantity",
        "qty",
        "count",
        "number",
        "num",
        "n",
        "amount",
        "total",
        "sum",
        "score",
        "age",
        "rank",
        "ranking",
        "price",
        "sales",
        "value",
        "rate",
        "size",
        "units",
        "points",
        "seats",
        "population",
    ]
)
_POSTAL = frozenset({"zip", "zipcode", "postal", "postcode", "fips"})
_YES_NO = ({"yes", "no"}, {"y", "n"}, {"t", "f"}, {"true", "false"}, {"0", "1"})
_FEW = 12
_SEPARATORS = (", ", "; ", "|", ",", ";")
_NUMERAL = re.compile(r"^[^\d,;|]{0,4}\d{1,3}(?:[., ]?\d{3})*(?:[.,]\d+)?[^\d,;|]{0,4}$")
_LIST_SAMPLE = 5_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the role is decided from.

    Attributes:
        values: distinct values as text (all of them, or a prefix of many). sequential: whole numbers that
            rise by one from row to row.
    """

    name: str
    type: ColumnType
    rows: int
    nulls: int
    distinct: int
    values: Sequence[str]
    minimum: float | None = None
    maximum: float | None = None
    sequential: bool = False


def words(name: str) -> list[str]:
    """Split a column name into lower-case words: "customerID" and "Customer ID" both give customer, id."""
    return list(_words(name))


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return tuple(word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word)


def role_of(column: Evidence) -> Role:
    """Return the role of a column."""
    if column.type == "empty" or column.distinct == 0:
        return "empty"
    if column.type in ("date", "datetime"):
        return "time"
    if column.distinct == 1 and column.rows > 1 and column.nulls == 0:
        return "constant"
    if column.type == "boolean" or (column.distinct == 2 and _is_yes_no(column)):
        return "boolean"
    if column.type == "json":
        return "list"
    if column.type in ("integer", "number"):
        return _number_role(column)
    return _text_role(column)


def _is_yes_no(column: Evidence) -> bool:
    return {value.lower() for value in column.values} in _YES_NO


def _number_role(column: Evidence) -> Role:
    named = words(column.name)
    whole = column.type == "integer"
    if whole and _is_year(named, column):
        return "time"
    if _COORDINATE & set(named) and named[-1] in _COORDINATE:
        return "geography"
    if whole and (_ID & set(named[-1:]) or column.name.startswith("Unnamed: ")):
        return "identifier"
    if whole and _POSTAL & set(named) and not _QUANTITY & set(named):
        return "geography"
    is_unique = column.distinct == column.rows > _FEW
    if whole and is_unique and column.sequential and not _QUANTITY & set(named):
        return "identifier"
    few = whole and column.distinct <= _FEW and column.rows >= 5 * column.distinct
    if few and not _QUANTITY & set(named):
        return "category"
    return "measure"


def _is_year(named: list[str], column: Evidence) -> bool:
    if (
        column.minimum is None
        or column.maximum is None
        or not 1500 <= column.minimum <= column.maximum <= 2200
    ):
        return False
    return bool({"year", "yr", "yyyy", "jahr", "annee", "ano"} & set(named))


def _text_role(column: Evidence) -> Role:
    named = words(column.name)
    filled = column.rows - column.nulls
    if named and named[-1] in _ID:
        return "identifier"
    if _GEOGRAPHY & set(named) and not _is_prose(column.values):
        return "list" if separator_of(column.values) else "geography"
    if separator_of(column.values):
        return "list"
    if column.distinct == filled > 1:
        has_blank = any(" " in value.strip() for value in column.values[:200])
        return "identifier" if not has_blank and ("code" in named or _are_codes(column.values)) else "text"
    if _is_prose(column.values):
        return "text"
    return "category" if column.distinct <= max(20, 0.6 * filled) else "text"


def _are_codes(values: Sequence[str]) -> bool:
    """Codes have digits in them, or are short and all capitals."""
    sample = values[:200]
    has_digits = any(any(char.isdigit() for char in value) for value in sample)
    return has_digits or all(value.isupper() and len(value) <= 8 for value in sample)


def _is_prose(values: Sequence[str]) -> bool:
    sample = values[:1_000]
    return sum(len(value.split()) for value in sample) > 8 * len(sample)


def separator_of(values: Sequence[str]) -> str:
    """Return the separator if cells hold lists, "" if not.

    Cells are lists if the separator stands in some of them, their parts are short and of varying number,
    and parts come back in other cells. A sentence with commas fails the last test.
    """
    sample = values[:_LIST_SAMPLE]
    for separator in _SEPARATORS:
        split = [value.split(separator) for value in sample if separator in value]
        if sum(_NUMERAL.match(separator.join(parts)) is not None for parts in split) > 0.5 * len(split):
            continue  # a decimal comma or a thousands mark, not a list
        if len(split) < max(3, 0.05 * len(sample)) or len({len(parts) for parts in split}) == 1:
            continue
        others = [value for value in sample if separator not in value]
        parts = Counter(part.strip() for cell in split for part in set(cell))
        parts.update(others)
        occurrences = sum(len(cell) for cell in split)
        repeated = sum(1 for cell in split for part in cell if parts[part.strip()] > 1)
        short = sum(len(part.split()) for cell in split for part in cell) <= 4 * occurrences
        if short and occurrences <= 12 * len(split) and repeated >= 0.4 * occurrences:
            return separator
    return ""
