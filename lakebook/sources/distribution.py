"""Numbers of a column counted: each distinct one in order with its rows; ranks, quantiles, top values.

Times are numbers here: microseconds since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_CAP = 1_000


@dataclass(frozen=True, slots=True)
class Distribution:
    """Distinct numbers in order, and the rows of each."""

    values: npt.NDArray[Any]
    counts: npt.NDArray[np.int64]

    @property
    def total(self) -> int:
        """Rows that have a number."""
        return int(self.counts.sum())

    def quantiles(self, shares: tuple[float, ...]) -> list[float]:
        """Return the values below which the shares of all rows lie, linearly interpolated."""
        if not len(self.values):
            return []
        ends = np.cumsum(self.counts)
        places = np.asarray(shares) * (int(ends[-1]) - 1)
        below = self.values[np.searchsorted(ends, np.floor(places), side="right")]
        above = self.values[np.searchsorted(ends, np.ceil(places), side="right")]
        found = []
        for low, high, part in zip(below.tolist(), above.tolist(), (places % 1).tolist(), strict=True):
            found.append(low if low == high or part == 0 else _between(low, high, part))
        return found

    def most_frequent(self, limit: int) -> npt.NDArray[np.intp]:
        """Return the positions of the most frequent values, the smaller value first among equals."""
        return most_frequent(self.counts, limit)


def _between(low: float, high: float, part: float) -> float:
    """Interpolate; the last digits of a float are noise and would only show as such."""
    return float(f"{low + (high - low) * part:.15g}")


def most_frequent(counts: npt.NDArray[np.int64], limit: int) -> npt.NDArray[np.intp]:
    """Return the positions of the largest counts, largest first, in order of position among equals."""
    if len(counts) > limit:
        least = _least_of_largest(counts, limit)
        above = np.flatnonzero(counts > least)
        chosen = np.concatenate([above, np.flatnonzero(counts == least)[: limit - len(above)]])
        chosen.sort()
    else:
        chosen = np.arange(len(counts))
    ranked: npt.NDArray[np.intp] = chosen[np.argsort(-counts[chosen], kind="stable")]
    return ranked


def _least_of_largest(counts: npt.NDArray[np.int64], limit: int) -> int:
    """Return the count at this rank from the top; most counts are small, so they are counted themselves."""
    capped = np.bincount(np.minimum(counts, _CAP), minlength=_CAP + 1)
    if capped[_CAP] >= limit:
        return int(np.sort(counts[counts >= _CAP])[-limit])
    at_least = np.cumsum(capped[::-1])[::-1]
    return int(np.flatnonzero(at_least >= limit)[-1])


def from_distinct(values: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> Distribution:
    """Put distinct numbers into order."""
    order = np.argsort(values, kind="stable")
    return Distribution(values[order], counts[order])


def from_rows(numbers: npt.NDArray[Any]) -> Distribution:
    """Count numbers; the array is sorted in place."""
    numbers.sort()
    starts = run_starts(numbers)
    return Distribution(numbers[starts], np.diff(np.append(starts, len(numbers))))


def run_starts(ordered: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return where each run of equal values begins."""
    if not len(ordered):
        return np.empty(0, np.intp)
    changes = np.empty(len(ordered), bool)
    changes[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return np.flatnonzero(changes)
