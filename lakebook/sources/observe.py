"""Observe a typed column over all its rows: nulls, exact distinct, range, values with counts, warnings.

Works on dictionary codes, so that each distinct value is looked at once however many rows repeat it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.card import Column, ColumnType, ValueCount
from lakebook.sources.roles import Evidence, role_of, words

COMPLETE_UP_TO = 1_000
_TOP = 50
_LONGEST_VALUE = 1_000
_UNITS = frozenset(
    [
        "usd",
        "eur",
        "gbp",
        "kg",
        "g",
        "mg",
        "km",
        "m",
        "cm",
        "mm",
        "mi",
        "ft",
        "lb",
        "lbs",
        "oz",
        "l",
        "ml",
        "pct",
        "percent",
        "hours",
        "hour",
        "minutes",
        "seconds",
        "days",
        "ms",
        "mph",
        "kmh",
        "celsius",
        "fahrenheit",
        "degc",
        "degf",
        "hpa",
        "kwh",
        "mw",
        "gw",
        "ppm",
    ]
)
_SENTINELS = frozenset({-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0})


@dataclass(frozen=True, slots=True)
class Encoded:
    """A column as distinct values and, for each row, which of them it holds (-1 = none)."""

    values: pa.Array
    codes: npt.NDArray[np.int32]

    @property
    def nulls(self) -> int:
        """Number of rows without a value."""
        return int((self.codes < 0).sum())

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the number of rows of each distinct value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values)).astype(np.int64)

    def column(self) -> pa.Array:
        """Return the column itself."""
        return self.values.take(pa.array(self.codes, mask=self.codes < 0))


def encode(column: pa.ChunkedArray | pa.Array, *, empty_is_null: bool = False) -> Encoded:
    """Encode a column; NaN, and the empty text if so wished, count as no value."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):  # text beyond 2 GB stays in chunks
        whole = (
            pa.array([], column.type)
            if whole.num_chunks == 0
            else pa.concat_arrays(whole.cast(pa.large_string()).chunks)
        )
    encoded = whole.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    values = encoded.dictionary
    void = np.zeros(len(values), dtype=bool)
    if pa.types.is_floating(values.type):
        void = np.isnan(values.to_numpy(zero_copy_only=False))
    elif empty_is_null:
        void = pc.equal(values, "").to_numpy(zero_copy_only=False)
    return recode(values, codes, void) if void.any() else Encoded(values, codes)


def recode(values: pa.Array, codes: npt.NDArray[np.int32], void: npt.NDArray[np.bool_]) -> Encoded:
    """Drop the distinct values marked void; their rows hold no value then."""
    renumbered = np.where(void, -1, np.cumsum(~void) - 1).astype(np.int32)
    shifted = np.concatenate([renumbered, np.array([-1], dtype=np.int32)])
    return Encoded(values.filter(pa.array(~void)), shifted[codes])


def retype(raw: Encoded, typed: pa.Array) -> Encoded:
    """Replace each distinct raw value by its typed one; texts that mean the same value become one."""
    merged = encode(typed)
    lookup = np.concatenate([merged.codes, np.array([-1], dtype=np.int32)])
    return Encoded(merged.values, lookup[raw.codes])


def observe(
    column: Encoded,
    *,
    name: str,
    original_name: str,
    kind: ColumnType,
    date_format: str = "",
    unit: str = "",
    warnings: tuple[str, ...] = (),
) -> Column:
    """Describe a column from all its rows."""
    counts = column.counts()
    low, high = _range(column.values, kind)
    few = len(column.values) <= COMPLETE_UP_TO
    numeric = kind in ("integer", "number")
    evidence = Evidence(
        name=name,
        type=kind,
        rows=len(column.codes),
        nulls=column.nulls,
        distinct=len(column.values),
        values=_prefix(column.values, kind),
        minimum=float(low) if numeric and low is not None else None,
        maximum=float(high) if numeric and high is not None else None,
        sequential=kind == "integer" and _is_sequential(column),
    )
    return Column(
        name=name,
        original_name=original_name,
        type=kind,
        role=role_of(evidence),
        nulls=column.nulls,
        distinct=len(column.values),
        min=low,
        max=high,
        values=_most_frequent(column.values, counts, kind, COMPLETE_UP_TO if few else _TOP),
        values_complete=few,
        date_format=date_format,
        unit=unit or _unit_in(original_name),
        warnings=(*warnings, *_sentinels(column.values, counts, kind)),
    )


def texts(values: pa.Array, kind: ColumnType) -> list[str]:
    """Return values as text: ISO 8601 for dates, the shortest exact form for numbers."""
    if kind == "date":
        return [value.date().isoformat() for value in values.to_pylist()]
    if kind == "datetime":
        return [value.isoformat() for value in values.to_pylist()]
    return [str(value) for value in values.to_pylist()]


def _prefix(values: pa.Array, kind: ColumnType) -> list[str]:
    return texts(values.slice(0, 5_000), kind)


def _range(values: pa.Array, kind: ColumnType) -> tuple[str | None, str | None]:
    if len(values) == 0 or kind in ("json", "empty"):
        return None, None
    if kind == "boolean":
        seen = sorted(texts(values, kind))
        return seen[0], seen[-1]
    span = pc.min_max(values)
    ends = pa.array([span["min"].as_py(), span["max"].as_py()], values.type)
    low, high = texts(ends, kind)
    return low[:_LONGEST_VALUE], high[:_LONGEST_VALUE]


def _most_frequent(
    values: pa.Array,
    counts: npt.NDArray[np.int64],
    kind: ColumnType,
    limit: int,
) -> tuple[ValueCount, ...]:
    if len(values) == 0:
        return ()
    sortable = values.cast(pa.int8()) if kind == "boolean" else values
    ranked = pa.table({"rows": counts, "value": sortable})
    chosen = pc.select_k_unstable(ranked, limit, sort_keys=[("rows", "descending"), ("value", "ascending")])
    shown = texts(values.take(chosen), kind)
    rows = counts[chosen.to_numpy()]
    return tuple(ValueCount(text[:_LONGEST_VALUE], int(n)) for text, n in zip(shown, rows, strict=True))


def _is_sequential(column: Encoded) -> bool:
    """Whole numbers that rise by one from row to row, as row counters do."""
    if column.nulls or len(column.values) != len(column.codes) or len(column.codes) < 2:
        return False
    numbers = column.values.to_numpy(zero_copy_only=False)[column.codes]
    return bool((np.diff(numbers) == 1).all())


def _unit_in(name: str) -> str:
    """Return the unit that a column's name states: "Weight (kg)", "price_usd"."""
    bracket = re.search(r"[(\[]\s*([^()\[\]]{1,12})\s*[)\]]\s*$", name)
    if bracket and (bracket[1].lower() in _UNITS or bracket[1] in "$€£¥%"):
        return bracket[1]
    last = words(name)[-1:]
    return last[0] if last and last[0] in _UNITS and len(last[0]) > 1 and len(words(name)) > 1 else ""


def _sentinels(values: pa.Array, counts: npt.NDArray[np.int64], kind: ColumnType) -> tuple[str, ...]:
    """Warn of a code for "missing": a known one, repeated, and far outside the range of all other values."""
    if kind not in ("integer", "number") or len(values) < 3:
        return ()
    numbers = values.to_numpy(zero_copy_only=False).astype(float)
    order = np.argsort(numbers)
    inner = {-1: numbers[order[1:]], 1: numbers[order[:-1]]}
    warnings = []
    for side, position in ((-1, order[0]), (1, order[-1])):
        value, rest = numbers[position], inner[side]
        if value not in _SENTINELS or counts[position] < 2:
            continue
        spread = rest.max() - rest.min()
        distance = float(np.abs(rest - value).min())
        if 0 < 2 * spread < distance:
            warnings.append(
                f"{value:g} in {int(counts[position]):,} rows looks like a code for a missing value"
            )
    return tuple(warnings)
