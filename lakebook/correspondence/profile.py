"""What is remembered of a column's values, to compare it with a column of another table.

A profile is made of a loaded table (a sample of its rows) or of a card, so that a table that is gone can
still be the old side. What two profiles have in common is decided in `values`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lakebook.correspondence.names import letters
from lakebook.sources.card import Column, SourceUnit

ProfileKind = Literal["number", "boolean", "date", "category", "text", "empty"]
Key = str | float

SAMPLE_ROWS = 20_000
SHARES = tuple(round(0.05 * step, 2) for step in range(21))

_CATEGORIES = 60  # distinct values up to which text names kinds of things
_WORDS = 300
_READ_FOR_WORDS = 1_500
_MOST_VALUES = 4_000  # distinct values kept of a column, the most frequent first
_WORD = re.compile(r"\w{3,}")
_BOOLEANS = frozenset({"0", "1", "true", "false", "yes", "no", "y", "n", "t", "f"})
_POSITIVE = frozenset({"1", "true", "yes", "y", "t"})
_STARTS_A_NUMBER = frozenset("0123456789+-.")
_NUMERIC = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column as far as its values are known.

    Attributes:
        kind: what the values are; "empty" if none is known.
        rows: values that were seen, nulls not counted. nulls: share of rows without a value.
        distinct: distinct values, as far as known.
        counts: value in its comparable form -> rows; all of them if `complete`, else the most frequent.
        quantiles: of numbers and dates (seconds), by share from 0 to 1.
        whole: every number is whole.
        words, masks, length: of texts: their words, their shapes with shares, their mean length.
        positive: of two-valued columns, the share of the value that affirms; None if neither value does.
    """

    name: str
    kind: ProfileKind = "empty"
    rows: int = 0
    nulls: float = 0.0
    distinct: int = 0
    counts: Mapping[Key, int] = field(default_factory=dict)
    complete: bool = True
    quantiles: Mapping[float, float] = field(default_factory=dict)
    whole: bool = True
    words: frozenset[str] = frozenset()
    masks: Mapping[str, float] = field(default_factory=dict)
    length: float = 0.0
    positive: float | None = None

    @property
    def is_known(self) -> bool:
        """Return True if at least the kind of the values is known."""
        return self.kind != "empty"

    @property
    def has_values(self) -> bool:
        """Return True if there is something to compare: values, or the range of numbers or dates."""
        return bool(self.counts if self.kind not in ("number", "date") else len(self.quantiles) > 1)


def profiles_of_file(path: Path, columns: Sequence[str] | None = None) -> tuple[ColumnProfile, ...]:
    """Return the profiles of a loaded table (Parquet), of at most `SAMPLE_ROWS` of its rows."""
    return profiles_of_table(pq.read_table(path, columns=list(columns) if columns is not None else None))


def profiles_of_table(table: pa.Table) -> tuple[ColumnProfile, ...]:
    """Return one profile a column, of at most `SAMPLE_ROWS` rows taken evenly."""
    if table.num_rows > SAMPLE_ROWS:
        table = table.take(np.linspace(0, table.num_rows - 1, SAMPLE_ROWS).astype(np.int64))
    return tuple(_profile(name, table.column(name)) for name in table.column_names)


def profiles_of_unit(unit: SourceUnit) -> tuple[ColumnProfile, ...]:
    """Return the profiles that a card holds: less than the table itself, but kept when the table is gone."""
    return tuple(_from_card(column, unit.rows) for column in unit.columns)


def _profile(name: str, values: pa.ChunkedArray) -> ColumnProfile:
    present = values.drop_null()
    rows, nulls = len(present), values.null_count / max(1, len(values))
    if not rows:
        return ColumnProfile(name, nulls=nulls)
    kind = present.type
    if pa.types.is_boolean(kind):
        counts: dict[Key, int] = {str(v).lower(): n for v, n in _counted(present)}
        return _labels(name, counts, rows, nulls, complete=True, distinct=len(counts))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(name, pc.cast(present, pa.float64(), safe=False).to_numpy(), nulls)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        seconds = pc.cast(pc.cast(present, pa.timestamp("us")), pa.int64()).to_numpy() / 1e6
        return _dates(name, seconds, nulls)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        present = pa.chunked_array([pa.array([str(value) for value in present.to_pylist()], pa.string())])
    return _texts(name, _counted(present), rows, nulls)


def _counted(values: pa.ChunkedArray) -> list[tuple[Any, int]]:
    """Return (value, rows), in an order that does not depend on the order of the rows."""
    found = pc.value_counts(values)
    pairs = zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], str(pair[0])))


def _numbers(name: str, numbers: NDArray[np.float64], nulls: float) -> ColumnProfile:
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return ColumnProfile(name, nulls=nulls)
    rounded, rows = np.unique(_five_digits(finite), return_counts=True)
    distinct = len(rounded)
    kept = np.lexsort((rounded, -rows))[:_MOST_VALUES]
    counts: dict[Key, int] = dict(zip(rounded[kept].tolist(), rows[kept].tolist(), strict=True))
    if set(counts) <= {0.0, 1.0}:
        return _labels(
            name, {f"{key:.0f}": n for key, n in counts.items()}, len(finite), nulls, True, len(counts)
        )
    quantiles = dict(zip(SHARES, np.quantile(finite, SHARES).tolist(), strict=True))
    return ColumnProfile(
        name=name,
        kind="number",
        rows=len(finite),
        nulls=nulls,
        distinct=distinct,
        counts=counts,
        complete=distinct <= _MOST_VALUES,
        quantiles=quantiles,
        whole=bool(np.all(finite == np.round(finite))),
    )


def _five_digits(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to five significant digits, so that a stored float and its printed form are the same value."""
    size = np.floor(np.log10(np.abs(np.where(numbers == 0, 1.0, numbers))))
    scale = 10.0 ** (4 - np.clip(size, -290, 290))
    result: NDArray[np.float64] = np.round(numbers * scale) / scale + 0.0
    return result


def _dates(name: str, seconds: NDArray[np.float64], nulls: float) -> ColumnProfile:
    values, rows = np.unique(seconds, return_counts=True)
    return ColumnProfile(
        name=name,
        kind="date",
        rows=len(seconds),
        nulls=nulls,
        distinct=len(values),
        counts=dict(zip(values.tolist(), rows.tolist(), strict=True)),
        quantiles=dict(zip(SHARES, np.quantile(seconds, SHARES).tolist(), strict=True)),
    )


def _texts(name: str, counted: Sequence[tuple[str, int]], rows: int, nulls: float) -> ColumnProfile:
    counts: Counter[Key] = Counter()
    kept = counted[:_MOST_VALUES]
    for key, (_, n) in zip(comparables([value for value, _ in kept]), kept, strict=True):
        counts[key] += n
    complete = len(counted) <= _MOST_VALUES
    distinct = len(counts) if complete else len(counted)
    return _labels(name, counts, rows, nulls, complete, distinct, counted)


def _labels(
    name: str,
    counts: Mapping[Key, int],
    rows: int,
    nulls: float,
    complete: bool,
    distinct: int,
    counted: Sequence[tuple[str, int]] = (),
) -> ColumnProfile:
    """Profile values that are names of something; `counted` are the original spellings of texts."""
    few = (distinct <= _CATEGORIES and distinct < 0.5 * rows) or distinct < 0.05 * rows
    shown = {str(key) for key in counts}
    if shown <= _BOOLEANS and distinct <= 2:
        kind: ProfileKind = "boolean"
    else:
        kind = "category" if few else "text"
    read = counted[:_READ_FOR_WORDS]
    seen = max(1, sum(n for _, n in read))
    words: Counter[str] = Counter()
    masks: Counter[str] = Counter()
    for value, n in read:
        masks[mask(value)] += n
        words.update(_WORD.findall(value.lower()))
    positive = sum(n for key, n in counts.items() if str(key) in _POSITIVE) / max(1, rows)
    return ColumnProfile(
        name=name,
        kind=kind,
        rows=rows,
        nulls=nulls,
        distinct=distinct,
        counts=counts,
        complete=complete,
        words=frozenset(word for word, _ in sorted(words.items(), key=lambda w: (-w[1], w[0]))[:_WORDS]),
        masks={key: n / seen for key, n in masks.items()},
        length=sum(len(value) * n for value, n in read) / seen,
        positive=positive if kind == "boolean" else None,
    )


def comparable(value: str) -> Key:
    """Return a text in the form in which it is compared: a number, else letters without case and signs."""
    return comparables([value])[0]


def comparables(values: Sequence[str]) -> list[Key]:
    """Return many texts in the form in which they are compared."""
    numbers = [_number(value) for value in values]
    rounded = iter(_five_digits(np.array([n for n in numbers if n is not None], float)).tolist())
    return [
        next(rounded) if number is not None else letters(value) or value.strip().lower()
        for value, number in zip(values, numbers, strict=True)
    ]


def _number(value: str) -> float | None:
    plain = value.strip().replace(",", "")
    if plain[:1] in _STARTS_A_NUMBER and _NUMERIC.fullmatch(plain):
        number = float(plain)
        return number if math.isfinite(number) else None
    return None


def mask(value: str) -> str:
    """Return the shape of a text: capitals, small letters and digits each by one sign ("Aa 9999")."""
    shape = re.sub(r"[^\W\d_a-z]+", "A", value[:60])
    shape = re.sub(r"[a-z]+", "a", shape)
    shape = re.sub(r"\d+", lambda match: "9" * min(4, len(match[0])), shape)
    return re.sub(r"\s+", " ", shape)[:24]


def _from_card(column: Column, rows: int) -> ColumnProfile:
    present, nulls = rows - column.nulls, column.nulls / max(1, rows)
    if not present or column.type == "empty":
        return ColumnProfile(column.name, nulls=nulls)
    listed = [(item.value, item.rows) for item in column.values]
    if column.type in ("integer", "number"):
        return _numbers_of_card(column, listed, present, nulls)
    if column.type in ("date", "datetime"):
        quantiles = {share: pd.Timestamp(v).timestamp() for share, v in _known_quantiles(column)}
        return ColumnProfile(
            column.name, "date", present, nulls, column.distinct, complete=False, quantiles=quantiles
        )
    counts: Counter[Key] = Counter()
    values = [value for value, _ in listed]
    keys = [value.lower() for value in values] if column.type == "boolean" else comparables(values)
    for key, (_, n) in zip(keys, listed, strict=True):
        counts[key] += n
    spelled = listed if column.type in ("text", "json") else []
    return _labels(column.name, counts, present, nulls, column.values_complete, column.distinct, spelled)


def _numbers_of_card(
    column: Column, listed: Sequence[tuple[str, int]], present: int, nulls: float
) -> ColumnProfile:
    counts: Counter[Key] = Counter()
    for key, (_, n) in zip(comparables([value for value, _ in listed]), listed, strict=True):
        counts[key] += n
    if column.values_complete and counts and set(counts) <= {0.0, 1.0}:
        plain: dict[Key, int] = {f"{key:.0f}": n for key, n in counts.items()}
        return _labels(column.name, plain, present, nulls, True, len(plain))
    return ColumnProfile(
        name=column.name,
        kind="number",
        rows=present,
        nulls=nulls,
        distinct=column.distinct,
        counts=counts,
        complete=column.values_complete,
        quantiles={share: float(value) for share, value in _known_quantiles(column)},
        whole=column.type == "integer",
    )


def _known_quantiles(column: Column) -> list[tuple[float, str]]:
    ends = [(0.0, column.min), (1.0, column.max)]
    inner = [(quantile.share, quantile.value) for quantile in column.quantiles]
    return sorted({**{s: v for s, v in ends if v is not None}, **dict(inner)}.items())
