"""Counts with Wilson intervals, by kind of error and by rule."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field


def wilson(found: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    if not of:
        return 0.0, 1.0
    share = found / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(found: int, of: int) -> str:
    """Return `9/10 = 90.0 % [59.6, 98.2]`."""
    low, high = wilson(found, of)
    return f"{found}/{of} = {100 * found / of:.1f} % [{100 * low:.1f}, {100 * high:.1f}]" if of else "–"


@dataclass
class Kind:
    """What became of the wrong queries of one kind.

    Attributes:
        wrong: truly wrong by the oracle. `same`: mutants that were not. `rules`: which rules caught them.
        rejected, expected, baseline: caught before they ran; by a rule that is meant for it; by the baseline.
    """

    wrong: int = 0
    same: int = 0
    caught: int = 0
    rejected: int = 0
    expected: int = 0
    baseline: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)


@dataclass
class Right:
    """What became of the right queries."""

    queries: int = 0
    not_right: Counter[str] = field(default_factory=Counter)
    rejected: int = 0
    advised: int = 0
    not_checked: int = 0
    failed: int = 0
    baseline: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    alarms: list[str] = field(default_factory=list)
