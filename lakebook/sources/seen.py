"""What all rows of a column show: nulls, distinct values with their rows, range, quantiles.

Columns with few values bring a tally, others are read back from their file; both give the same.
What a column is taken for (role, units, warnings) is decided in `observe`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.card import ColumnType, Quantile, ValueCount
from lakebook.sources.distribution import Distribution, from_distinct, from_rows, most_frequent, run_starts
from lakebook.sources.stored import Stored, as_numbers
from lakebook.sources.tally import Tally

COMPLETE_UP_TO = 1_000
_TOP = 50
_LONGEST_VALUE = 1_000
_SAMPLE = 5_000
_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
# Up to so many rows are sorted in memory; beyond that the number of distinct values is an estimate.
EXACT_ROWS = 30_000_000
_NUMERIC = frozenset({"integer", "number", "date", "datetime"})
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    """What a column shows.

    Attributes:
        sample: distinct values as text, all or the first few thousand; their rows in `sample_rows`.
        distribution: of numbers and times, None for others.
    """

    nulls: int
    distinct: int
    distinct_exact: bool = True
    low: str | None = None
    high: str | None = None
    values: tuple[ValueCount, ...] = ()
    complete: bool = False
    sample: Sequence[str] = ()
    sample_rows: Sequence[int] = ()
    distribution: Distribution | None = None
    quantiles: tuple[Quantile, ...] = ()
    quantiles_exact: bool = True


def see(tally: Tally, kind: ColumnType) -> Seen:
    """Look at a column that was tallied."""
    if kind in _NUMERIC:
        return _numbers(from_distinct(as_numbers(tally.values), tally.counts), tally.nulls, kind)
    return _texts(tally, kind)


def see_stored(stored: Stored, name: str, kind: ColumnType) -> Seen:
    """Look at a column of a long table with too many values to tally them."""
    if kind not in _NUMERIC:
        return _hashed(stored, name, kind)
    numbers, nulls = stored.numbers(name)
    if len(numbers) > EXACT_ROWS:
        return _estimated(stored, name, kind, numbers, nulls)
    return _numbers(from_rows(numbers), nulls, kind)


def shown(values: npt.NDArray[Any], kind: ColumnType) -> list[str]:
    """Return numbers as text: ISO 8601 for times, the shortest exact form for others."""
    if kind == "date":
        return np.datetime_as_string(values.astype("M8[us]"), unit="D").tolist()  # type: ignore[no-any-return]
    if kind == "datetime":
        stamps = pa.array(values.astype(np.int64)).cast(pa.timestamp("us"))
        return [stamp.isoformat() for stamp in stamps.to_pylist()]
    return [str(value) for value in values.tolist()]


def _numbers(distribution: Distribution, nulls: int, kind: ColumnType) -> Seen:
    values, counts = distribution.values, distribution.counts
    if not len(values):
        return Seen(nulls, 0, complete=True)
    complete = len(values) <= COMPLETE_UP_TO
    top = distribution.most_frequent(COMPLETE_UP_TO if complete else _TOP)
    texts = shown(values[top], kind)
    low, high = shown(values[[0, -1]], kind)
    few = values[:_SAMPLE] if kind in ("integer", "number") else values[:0]
    return Seen(
        nulls=nulls,
        distinct=len(values),
        low=low,
        high=high,
        values=tuple(ValueCount(text, rows) for text, rows in zip(texts, counts[top].tolist(), strict=True)),
        complete=complete,
        sample=[str(value) for value in few.tolist()],
        sample_rows=counts[: len(few)].tolist(),
        distribution=distribution,
        quantiles=_quantiles(distribution, kind),
    )


def _quantiles(distribution: Distribution, kind: ColumnType) -> tuple[Quantile, ...]:
    found = distribution.quantiles(_SHARES)
    if kind in ("date", "datetime"):
        whole = np.array([int(value) for value in found], np.int64)
        texts = shown(whole, kind)
    elif kind == "integer":
        texts = [str(int(value)) if float(value).is_integer() else str(value) for value in found]
    else:
        texts = [str(value) for value in found]
    return tuple(Quantile(share, text) for share, text in zip(_SHARES, texts, strict=True))


def _estimated(stored: Stored, name: str, kind: ColumnType, numbers: npt.NDArray[Any], nulls: int) -> Seen:
    """Look at more numbers than are sorted: range over all, quantiles of a regular sample, about distinct."""
    low, high = shown(np.array([numbers.min(), numbers.max()]), kind)
    sample = from_rows(numbers[:: max(1, len(numbers) // 1_000_000)].copy())
    return Seen(
        nulls=nulls,
        distinct=stored.estimate(name),
        distinct_exact=False,
        low=low,
        high=high,
        quantiles=_quantiles(sample, kind),
        quantiles_exact=False,
    )


# --- texts ----------------------------------------------------------------------------------------------


def _texts(tally: Tally, kind: ColumnType) -> Seen:
    values, counts = tally.values, tally.counts
    if pa.types.is_boolean(values.type):
        values = pa.array([str(value) for value in values.to_pylist()], pa.string())
    if not len(values):
        return Seen(tally.nulls, 0, complete=True)
    complete = len(values) <= COMPLETE_UP_TO
    low, high = (None, None) if kind in ("json", "empty") else _ends(values)
    return Seen(
        nulls=tally.nulls,
        distinct=len(values),
        low=low,
        high=high,
        values=_top(values, counts, COMPLETE_UP_TO if complete else _TOP),
        complete=complete,
        sample=_as_texts(values.slice(0, _SAMPLE)),
        sample_rows=counts[:_SAMPLE].tolist(),
    )


def _as_texts(values: pa.Array) -> list[str]:
    return [str(value) for value in values.to_pylist()]


def _ends(values: pa.Array) -> tuple[str, str]:
    span = pc.min_max(values)
    return str(span["min"].as_py())[:_LONGEST_VALUE], str(span["max"].as_py())[:_LONGEST_VALUE]


def _top(values: pa.Array, counts: npt.NDArray[np.int64], limit: int) -> tuple[ValueCount, ...]:
    """Return the most frequent texts, in their own order among equals."""
    if len(values) <= COMPLETE_UP_TO:
        pairs = sorted(zip((-counts).tolist(), values.to_pylist(), strict=True))
        return tuple(ValueCount(text[:_LONGEST_VALUE], -rows) for rows, text in pairs[:limit])
    ranked = pa.table({"rows": counts, "value": values})
    chosen = pc.select_k_unstable(ranked, limit, sort_keys=[("rows", "descending"), ("value", "ascending")])
    rows = counts[chosen.to_numpy()].tolist()
    texts = values.take(chosen).to_pylist()
    return tuple(ValueCount(text[:_LONGEST_VALUE], n) for text, n in zip(texts, rows, strict=True))


def _hashed(stored: Stored, name: str, kind: ColumnType) -> Seen:
    """Count texts by their hashes: 64 bits tell tens of millions of texts apart."""
    nulls, low, high = _ends_in_pieces(stored, name)
    sample = _as_texts(pc.unique(next(stored.pieces(name)).drop_null().slice(0, _SAMPLE)))
    if kind == "json":
        low = high = None
    if stored.rows > EXACT_ROWS:
        return Seen(nulls, stored.estimate(name), False, low, high, sample=sample)
    hashes = stored.hashes([name])
    hashes.sort()
    starts = run_starts(hashes)
    counts = np.diff(np.append(starts, len(hashes)))
    top = _ranked(stored, name, hashes[starts], counts)
    return Seen(nulls, len(starts) - bool(nulls), True, low, high, top, sample=sample)


def _ranked(
    stored: Stored, name: str, hashes: npt.NDArray[np.uint64], counts: npt.NDArray[np.int64]
) -> tuple[ValueCount, ...]:
    """Find the most frequent texts among the hashes; nulls have a hash too."""
    least = counts[most_frequent(counts, _TOP + 1)[-1]]
    is_likely = counts >= least if least > 1 else counts > 1
    ranked = stored.ranked(name, hashes[is_likely], _TOP)
    if len(ranked) < _TOP and least == 1:  # the others stand in one row each
        above = {value for value, _ in ranked}
        others = stored.first(name, _TOP + int(counts[is_likely].sum()))
        ranked += [(value, 1) for value in others if value not in above][: _TOP - len(ranked)]
    return tuple(ValueCount(str(value)[:_LONGEST_VALUE], rows) for value, rows in ranked)


def _ends_in_pieces(stored: Stored, name: str) -> tuple[int, str | None, str | None]:
    nulls = 0
    low: str | None = None
    high: str | None = None
    for piece in stored.pieces(name):
        nulls += piece.null_count
        if piece.null_count < len(piece):
            first, last = _ends(piece)
            low = first if low is None or first.encode() < low.encode() else low
            high = last if high is None or last.encode() > high.encode() else high
    return nulls, low, high
