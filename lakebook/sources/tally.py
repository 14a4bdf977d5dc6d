"""Distinct values of a column with their rows, and how it runs through the rows; folded over blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakebook.sources.encoded import Encoded

# More distinct values than these are not kept in memory.
MOST_VALUES = 1 << 17


@dataclass(frozen=True, slots=True)
class Tally:
    """Distinct values, the rows of each, and how many rows have none."""

    values: pa.Array
    counts: npt.NDArray[np.int64]
    nulls: int


@dataclass(slots=True)
class RunningTally:
    """A tally in the making. It is given up (`is_open` is False) when there are too many values."""

    is_open: bool = True
    values: pa.Array | None = None
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    nulls: int = 0

    def add(self, values: pa.Array, rows: npt.NDArray[np.int64], nulls: int) -> None:
        """Take in the values of a block (null: tokens for none), the rows of each, and rows without one."""
        if not self.is_open:
            return
        if values.null_count:
            missing = values.is_null().to_numpy(zero_copy_only=False)
            nulls += int(rows[missing].sum())
            values, rows = values.drop_null(), rows[~missing]
        self.nulls += nulls
        both = values if self.values is None else pa.concat_arrays([self.values, values])
        encoded = both.dictionary_encode()
        weights = np.concatenate([self.counts, rows])
        self.counts = np.bincount(
            encoded.indices.to_numpy(zero_copy_only=False), weights, len(encoded.dictionary)
        ).astype(np.int64)
        self.values = encoded.dictionary
        if len(self.values) > MOST_VALUES:
            self.is_open, self.values, self.counts = False, None, self.counts[:0]

    def result(self) -> Tally | None:
        """Return the tally, None if it was given up or nothing was added."""
        if not self.is_open or self.values is None:
            return None
        return Tally(self.values, self.counts, self.nulls)


@dataclass(slots=True)
class Run:
    """How whole numbers run through the rows, told from one block to the next.

    Attributes:
        is_sequence: each is one more than that before. is_counter: or as the first one, which is 0 or 1.
    """

    is_sequence: bool = True
    is_counter: bool = True
    first: int | None = None
    last: int = 0

    def add(self, values: pa.Array) -> None:
        """Take in the numbers of the next rows."""
        if not (self.is_sequence or self.is_counter) or not len(values):
            return
        if values.null_count or not pa.types.is_integer(values.type):
            self.is_sequence = self.is_counter = False
            return
        numbers = values.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
        if self.first is None:
            self.first = int(numbers[0])
            self.is_counter = self.first in (0, 1)
            steps, following = np.diff(numbers), numbers[1:]
        else:
            steps, following = np.diff(numbers, prepend=self.last), numbers
        self.last = int(numbers[-1])
        rises = steps == 1
        self.is_sequence = self.is_sequence and bool(rises.all())
        self.is_counter = self.is_counter and bool((rises | (following == self.first)).all())

    @property
    def counts_rows(self) -> bool:
        """The numbers count the rows, all through or over and over."""
        return self.first is not None and self.first != self.last and (self.is_sequence or self.is_counter)


def tally_of(column: Encoded) -> Tally:
    """Return the tally of an encoded column."""
    return Tally(column.values, column.counts(), column.nulls)


def run_of(column: Encoded) -> Run:
    """Return how an encoded column runs through the rows."""
    run = Run()
    if pa.types.is_integer(column.values.type):
        numbers: npt.NDArray[Any] = column.values.to_numpy(zero_copy_only=False)
        missing = bool((column.codes < 0).any())
        run.add(pa.nulls(1) if missing else pa.array(numbers[column.codes]))
    else:
        run.is_sequence = run.is_counter = False
    return run
