"""A column of one block as its distinct values and, for each row, which of them it holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True, slots=True)
class Encoded:
    """Distinct values, and for each row the position of its value (-1 = none)."""

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
        missing = self.codes < 0
        return self.values.take(pa.array(self.codes, mask=missing if missing.any() else None))


def encode(column: pa.Array) -> Encoded:
    """Encode a column; NaN counts as no value."""
    encoded = with_one_zero(column).dictionary_encode()
    indices = encoded.indices.fill_null(-1) if encoded.indices.null_count else encoded.indices
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    values = encoded.dictionary
    if pa.types.is_floating(values.type):
        void = np.isnan(values.to_numpy(zero_copy_only=False))
        if void.any():
            return _without(values, codes, void)
    return Encoded(values, codes)


def with_one_zero(values: pa.Array) -> pa.Array:
    """Return the values with -0.0 as 0.0: they are equal, but Arrow and a hash tell them apart."""
    if values.type not in (pa.float32(), pa.float64()):
        return values
    return pc.add(values, pa.scalar(0.0, values.type))


def _without(values: pa.Array, codes: npt.NDArray[np.int32], void: npt.NDArray[np.bool_]) -> Encoded:
    """Drop the distinct values marked void; their rows hold no value then."""
    renumbered = np.where(void, -1, np.cumsum(~void) - 1).astype(np.int32)
    shifted = np.concatenate([renumbered, np.array([-1], dtype=np.int32)])
    return Encoded(values.filter(pa.array(~void)), shifted[codes])


def retype(codes: npt.NDArray[np.int32], typed: pa.Array) -> Encoded:
    """Give each row the typed value of its text; texts that mean the same value become one."""
    merged = encode(typed)
    if len(merged.values) == len(typed):
        return Encoded(merged.values, codes)
    lookup = np.concatenate([merged.codes, np.array([-1], dtype=np.int32)])
    return Encoded(merged.values, lookup[codes])
