"""Small pictures of a column, one inline SVG each: how numbers and times spread, how often values stand.

Counts come from all rows of the stored table, never from a sample. Drawn without text: what they show is
said in the title that a reader hears or sees on hovering.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lakebook.sources.card import Column

BINS = 24
_BARS = 12
_WIDTH, _HEIGHT = 96, 22
_TAIL = 0.5  # how far beyond the 5 % and 95 % quantiles the bins reach, in widths of that range


def counts_of(column: Column, table: Path) -> list[int]:
    """Return the bars of a column's picture: a histogram for numbers and times, else the top values.

    The first and last bin of a histogram hold whatever lies further out. Columns whose values are all
    different have no picture.
    """
    if column.type in ("integer", "number", "date", "datetime") and column.distinct > _BARS:
        return _histogram(table, column)
    if column.distinct < 2 or (column.values and column.values[0].rows < 2):
        return []
    return [value.rows for value in column.values[:_BARS]]


def bars(counts: Sequence[int], title: str) -> str:
    """Return the bars as SVG. `title` must be escaped by the caller."""
    if not counts:
        return ""
    step = _WIDTH / len(counts)
    top = max(counts) or 1
    shapes = "".join(
        f"M{number * step:.1f} {_HEIGHT}v-{max(1.0, count / top * _HEIGHT):.1f}"
        f"h{max(1.0, step - 1):.1f}V{_HEIGHT}z"
        for number, count in enumerate(counts)
        if count
    )
    return (
        f'<svg class="spark" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img">'
        f'<title>{title}</title><path d="{shapes}"/></svg>'
    )


def _histogram(table: Path, column: Column) -> list[int]:
    found = np.zeros(BINS, dtype=np.int64)
    edges: npt.NDArray[np.float64] | None = None
    file = pq.ParquetFile(table)
    for batch in file.iter_batches(columns=[column.name], batch_size=1 << 20):
        values = _numbers(batch.column(0))
        if edges is None and len(values):
            edges = _edges(column, values)
        if edges is not None:
            found += np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges)[0]
    return [int(count) for count in found]


def _numbers(values: pa.Array) -> npt.NDArray[np.float64]:
    kept = values.drop_null()
    if pa.types.is_timestamp(kept.type) or pa.types.is_date(kept.type):
        kept = kept.cast(pa.timestamp("us")).cast(pa.int64())
    numbers = kept.to_numpy(zero_copy_only=False).astype(np.float64)
    finite: npt.NDArray[np.float64] = numbers[np.isfinite(numbers)]
    return finite


def _edges(column: Column, first: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    """Return bin edges over the range, cut where a few far values would squeeze all others into one bin."""
    quantiles = {one.share: _number(one.value) for one in column.quantiles}
    low, high = _number(column.min or ""), _number(column.max or "")
    if np.isnan(low) or np.isnan(high):
        low, high = float(first.min()), float(first.max())
    inner_low, inner_high = quantiles.get(0.05, low), quantiles.get(0.95, high)
    reach = _TAIL * (inner_high - inner_low)
    if reach > 0:
        low, high = max(low, inner_low - reach), min(high, inner_high + reach)
    return np.linspace(low, high, BINS + 1) if high > low else None


def _number(text: str) -> float:
    """Read a number or a time of a card as the number that the bins count in."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(np.datetime64(text, "us").astype(np.int64))
    except ValueError:
        return float("nan")
