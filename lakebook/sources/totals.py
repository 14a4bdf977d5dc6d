"""Rows inside a table that hold sums of other rows: their label says so, and their numbers are those sums.

A note only: what is loaded never depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.sources.card import Column
from lakebook.sources.loading import Loaded

_LABEL = re.compile(
    r"\W*(?:(?:grand|sub|over)?[\s-]?totals?|all|overall|sum|gesamt|insgesamt|summe|total\w*)\b.*",
    re.IGNORECASE,
)
_LONGEST_LABEL = 40
_TOLERANCE = 1e-6
_LEAST_PARTS = 2


def find_totals(loaded: Loaded, columns: Sequence[Column]) -> tuple[str, ...]:
    """Return a note for each label whose rows hold the sums of all other rows."""
    numeric = [
        (index, column)
        for index, column in enumerate(columns)
        if column.type in ("integer", "number") and column.role == "measure" and column.distinct > 1
    ]
    if not numeric or loaded.rows <= _LEAST_PARTS:
        return ()
    notes = []
    for index, column in enumerate(columns):
        labels = (
            [value for value in column.values if is_total_label(value.value)] if column.type == "text" else []
        )
        if not labels or not column.values_complete:
            continue
        texts = _column(loaded, index, column)
        is_any = pc.is_in(texts, value_set=pa.array([label.value for label in labels])).to_numpy(False)
        for label in labels:
            is_total = pc.fill_null(pc.equal(texts, label.value), False).to_numpy(zero_copy_only=False)
            equal = [
                other.name
                for place, other in numeric
                if _sums_up(_column(loaded, place, other), is_total, ~is_any)
            ]
            if equal and 2 * len(equal) >= len(numeric):
                verb = "row has" if label.rows == 1 else "rows have"
                notes.append(
                    f"{label.rows:,} {verb} {label.value!r} in {column.name!r} and sums of the other rows "
                    f"in {', '.join(map(repr, equal[:5]))}: leave out one or the other before adding up"
                )
    return tuple(notes)


def is_total_label(value: str) -> bool:
    """Say whether a value is called a total."""
    return len(value) <= _LONGEST_LABEL and _LABEL.fullmatch(value) is not None


def _column(loaded: Loaded, index: int, column: Column) -> pa.Array:
    if loaded.columns is not None:
        return loaded.columns[index].column()
    with closing(loaded.stored()) as stored:
        return pa.chunked_array(list(stored.pieces(column.name))).combine_chunks()


def _sums_up(values: pa.Array, is_total: npt.NDArray[np.bool_], is_part: npt.NDArray[np.bool_]) -> bool:
    numbers = pc.fill_null(values.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
    parts = numbers[is_part]
    total, whole = float(numbers[is_total].sum()), float(parts.sum())
    if np.count_nonzero(parts) < _LEAST_PARTS or not np.isfinite(whole):
        return False
    return abs(total - whole) <= _TOLERANCE * max(abs(total), abs(whole))
