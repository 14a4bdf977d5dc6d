"""From the source card to the table that the analyst plans on: what each column may be used for.

What belongs here: roles, told from names and from the card's statistics alone; the data is not read. What
needs the data is the work of the structure plays. Paper: NotebookRAG §4.2.2 (data understanding).
"""

from __future__ import annotations

import re
from typing import Literal

from lakebook.analyst import vocabulary as words
from lakebook.analyst.table import Table, TableColumn, Use
from lakebook.sources.card import Column, SourceCard, SourceUnit

Dtype = Literal["number", "integer", "datetime", "boolean", "text"]

_DTYPES: dict[str, Dtype] = {
    "integer": "integer",
    "number": "number",
    "date": "datetime",
    "datetime": "datetime",
    "boolean": "boolean",
}
_NUMBER_AND_WORD = re.compile(r"^[-+]?\d+(?:[.,]\d+)?\s*([^\W\d_%]{1,15}|%)\.?$")
_LIST = re.compile(r"[^,;|]{2,40}(?:, ?|; ?|\|)[^,;|]{2,40}")
DIM_LEVELS = 50


def table_from_card(card: SourceCard, unit: SourceUnit) -> Table:
    """Make the table of a source unit: its columns with their uses; the structure is still unknown."""
    source = f"{card.path}#{unit.unit}" if unit.unit else card.path
    return Table(
        source=source,
        path=card.path,
        unit=unit.unit,
        sha256=card.sha256,
        rows=unit.rows,
        rows_in_file=unit.rows_in_file,
        columns=tuple(table_column(column, unit.rows) for column in unit.columns),
        load_code=unit.load_code,
    )


def table_column(column: Column, rows: int) -> TableColumn:
    """Describe one column for the plays."""
    return TableColumn(
        name=column.name,
        dtype=_DTYPES.get(column.type, "text"),
        use=column_use(column, rows),
        nulls=column.nulls,
        distinct=column.distinct,
        min=column.min,
        max=column.max,
        levels=tuple((value.value, value.rows) for value in column.values),
        levels_complete=column.values_complete,
        unit=column.unit,
        quantiles=_quantiles(column) if column.type in ("integer", "number") else (),
    )


def _quantiles(column: Column) -> tuple[tuple[float, float], ...]:
    inner = {quantile.share: quantile.value for quantile in column.quantiles}
    known = {0.0: column.min, 1.0: column.max, **inner}
    return tuple((share, float(value)) for share, value in sorted(known.items()) if value is not None)


def column_use(column: Column, rows: int) -> Use:
    """Decide what a column may be used for."""
    if column.type == "empty" or (column.distinct == 0 and column.nulls >= rows):
        return "empty"
    if column.distinct <= 1:
        return "constant"
    if column.type == "boolean":
        return "boolean"
    if column.type in ("date", "datetime"):
        return "time"
    if column.type in ("integer", "number"):
        return _number_use(column, rows)
    return _text_use(column, rows)


def _number_use(column: Column, rows: int) -> Use:
    tokens = set(words.name_tokens(column.name))
    known = rows - column.nulls
    unique = column.distinct >= known > 1 and column.nulls == 0
    low, high = _bounds(column)
    whole = column.type == "integer"
    if tokens & {"latitude", "longitude", "lat", "lon", "lng"}:
        return "code"
    if tokens & words.CODE_WORDS or (tokens & words.ID_WORDS and whole and not tokens & {"index"}):
        return "key" if unique else "code"
    if whole and unique and known >= 20 and (high - low == known - 1 or column.role == "identifier"):
        return "key"
    if whole and _restarting_counter(column, low, high):
        return "key"
    if whole and "rank" in tokens and column.distinct > 12:
        return "code"  # a place in an order that other columns make: no quantity, and no cause of them
    if _calendar_part(tokens, whole, low, high):
        return "ordinal"
    if whole and "time" in tokens and low >= 0 and 1200 <= high <= 2400:
        return "ratio"  # a time of day written as 1430: it has an order, and no sum
    if "%" in column.name or column.unit == "%":
        return "ordinal" if whole and column.distinct <= 12 else "ratio"
    use = _measure_by_name(tokens, whole, column.distinct)
    return use or _measure_by_range(column, low, high, whole)


def _restarting_counter(column: Column, low: float, high: float) -> bool:
    """An unnamed column of 0, 1, 2 … is a row counter that someone saved along."""
    unnamed = not words.name_tokens(column.name) or column.name.casefold().startswith(("unnamed", "column0"))
    return unnamed and low in (0.0, 1.0) and high - low + 1 == column.distinct


def _calendar_part(tokens: set[str], whole: bool, low: float, high: float) -> bool:
    if not whole or not tokens & words.CALENDAR_WORDS:
        return False
    return 1000 <= low <= high <= 2300 if "year" in tokens or "decade" in tokens else 0 <= low <= high <= 366


def _measure_by_name(tokens: set[str], whole: bool, distinct: int) -> Use | None:
    if tokens & words.RATIO_WORDS:
        return "ordinal" if whole and distinct <= 12 else "ratio"
    if tokens & words.COUNT_WORDS and whole:
        return "count"
    if tokens & words.STOCK_WORDS:
        return "stock"
    if tokens & words.FLOW_WORDS:
        return "flow"
    return None


def _measure_by_range(column: Column, low: float, high: float, whole: bool) -> Use:
    """With no word to go by: narrow ranges far from zero are measurements, wide ones from zero add up."""
    if whole and column.distinct <= 12:
        return "ordinal"
    if not whole and 0 <= low <= high <= 1:
        return "ratio"
    narrow = low > 0 and high / low < 50
    if narrow or (not whole and low < 0):
        return "ratio"
    return "count" if whole and low >= 0 else ("flow" if high > 20 else "ratio")


def _bounds(column: Column) -> tuple[float, float]:
    try:
        return float(column.min or "nan"), float(column.max or "nan")
    except ValueError:
        return float("nan"), float("nan")


def _text_use(column: Column, rows: int) -> Use:
    tokens = set(words.name_tokens(column.name))
    known = max(rows - column.nulls, 1)
    if column.type == "json":
        return "list" if column.role == "list" else "text"
    if column.role == "list" or _looks_like_lists(column):
        return "list"
    if _looks_like_units(column):
        return "unit_mixed"
    if column.role == "identifier" or (tokens & words.ID_WORDS and column.distinct > DIM_LEVELS):
        return "key" if column.distinct >= known and column.nulls == 0 else "code"
    if tokens & words.TEXT_WORDS or _looks_like_prose(column, known):
        return "text"
    if column.role == "geography" or tokens & words.GEO_WORDS:
        return "geo"
    return "dim" if column.distinct <= DIM_LEVELS else "dim_high"


def _looks_like_lists(column: Column) -> bool:
    """Cells with separators, whose entries also stand in other cells."""
    cells = [value.value for value in column.values]
    several = [cell for cell in cells if _LIST.search(cell)]
    if len(cells) < 5 or len(several) < max(2, 0.05 * len(cells)):
        return False
    longest = sorted(len(cell) for cell in cells)[len(cells) // 2]
    entries = [entry.strip() for cell in cells for entry in re.split(r"[,;|]", cell) if entry.strip()]
    averages = sum(len(re.split(r"[,;|]", cell)) for cell in several) / len(several)
    prose = any(re.search(r"[a-z]\. [A-Z]", cell) for cell in several)
    return not prose and longest < 200 and averages <= 20 and len(set(entries)) < 0.9 * len(entries)


def _looks_like_units(column: Column) -> bool:
    """Cells that hold a number and a word, and more than one such word ("90 min", "2 Seasons")."""
    cells = [value.value for value in column.values]
    hits = [match.group(1).casefold() for cell in cells if (match := _NUMBER_AND_WORD.match(cell.strip()))]
    units = {words.stem(unit) for unit in hits}
    return len(hits) >= max(3, 0.8 * len(cells)) and 1 < len(units) <= 8


def _looks_like_prose(column: Column, known: int) -> bool:
    cells = [value.value for value in column.values]
    spaced = sum(" " in cell for cell in cells) > 0.5 * len(cells)
    long = sum(len(cell.split()) >= 8 for cell in cells) > 0.5 * len(cells)
    return bool(cells) and (long or (spaced and known > 50 and column.distinct > 0.9 * known))
