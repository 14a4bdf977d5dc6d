"""Recognise rows that hold sums of other rows: by their label and by their numbers, never by one alone.

A row called "Total" whose numbers are not the sums of other rows is data as far as anyone can tell: it is
loaded, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lakebook.sources.formats.workbooks.grid import Unread, kind

_LABEL = re.compile(
    r"\b(?:(?:grand|sub|running)?[\s-]*totals?|totale?n?|totaal|sum|summe|(?:zwischen|end|gesamt)summe|gesamt"
    r"|insgesamt|zusammen|suma|somme|soma|overall|together)\b|итого|всего|合\s*计|总\s*计|小\s*计|合計|小計|総計",
    re.IGNORECASE,
)
_LONGEST_LABEL = 60
_ENOUGH = 0.5
_MOST_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Totals:
    """Rows that hold sums, with what was found; and labels whose numbers are no sums.

    Attributes:
        rows: index of the row -> what it sums. doubtful: index -> label of rows that are loaded all the same.
    """

    rows: dict[int, str]
    doubtful: dict[int, str]


def find_totals(rows: Sequence[Sequence[Any]], *, declared: int = 0) -> Totals:
    """Find the total rows among the rows of a table.

    Args:
        rows: its rows of data, without blank ones.
        declared: so many rows at the end are totals because the workbook says so.
    """
    labelled = {index: label for index, row in enumerate(rows) if (label := _label(row))}
    found = {index: "declared by the workbook" for index in range(len(rows) - declared, len(rows))}
    doubtful: dict[int, str] = {}
    if not labelled or len(rows) < 2:
        return Totals(found, doubtful)
    numbers = _numbers(rows)
    decimals = _decimals(numbers)
    since = 0
    for index, label in labelled.items():
        if index in found:
            continue
        if _is_uncalculated(rows[index]):
            found[index] = "its formulas hold no stored value"
            continue
        if not np.nan_to_num(numbers[index]).any():
            continue  # no numbers, or only zeros, which prove nothing
        plain = [other for other in range(index) if other not in found]
        spans = {
            "the rows above": plain,
            "the rows since the total before": [other for other in plain if other >= since],
            "the totals above": sorted(other for other in found if other < index),
            "the rows below": [other for other in range(index + 1, len(rows)) if other not in labelled],
        }
        summed = next(
            (what for what, span in spans.items() if _is_sum(numbers, index, span, decimals, bool(found))), ""
        )
        if summed:
            found[index] = f"sums of {summed}"
            since = index + 1
        else:
            doubtful[index] = label
    return Totals(found, doubtful)


def _label(row: Sequence[Any]) -> str:
    first = next((value for value in row if value is not None), None)
    if not isinstance(first, str) or len(first) > _LONGEST_LABEL:
        return ""
    return first.strip() if _LABEL.search(first) else ""


def _is_uncalculated(row: Sequence[Any]) -> bool:
    has_formula = any(isinstance(value, Unread) and not value.error for value in row)
    return has_formula and not any(kind(value) in "NYBD" for value in row if value is not None)


def _numbers(rows: Sequence[Sequence[Any]]) -> npt.NDArray[np.float64]:
    return np.array(
        [[float(value) if kind(value) in ("N", "Y") else np.nan for value in row] for row in rows],
        dtype=float,
    )


def _decimals(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the number of decimals that each column shows, from its first hundred numbers."""
    result = []
    for column in numbers.T:
        seen = column[~np.isnan(column)][:100]
        shown = [f"{value:.{_MOST_DECIMALS}f}".rstrip("0").partition(".")[2] for value in seen]
        result.append(max(map(len, shown), default=0))
    return np.array(result, dtype=float)


def _is_sum(
    numbers: npt.NDArray[np.float64],
    index: int,
    span: Sequence[int],
    decimals: npt.NDArray[np.float64],
    has_others: bool,
) -> bool:
    """Are the row's numbers the sums over the span, in at least half of its columns and one that is not 0?

    A single row is not a sum, unless other totals show that the table is built of such groups.
    """
    if len(span) < (1 if has_others else 2):
        return False
    part = numbers[list(span)]
    own = numbers[index]
    usable = ~np.isnan(own) & ~np.isnan(part).all(axis=0)
    if not usable.any():
        return False
    sums = np.nansum(part[:, usable], axis=0)
    sizes = np.nansum(np.abs(part[:, usable]), axis=0)
    rounding = 0.5 * 10.0 ** -decimals[usable] * min(len(span) + 1, 20)
    rounding = np.where(decimals[usable] >= _MOST_DECIMALS, 0.0, rounding)
    # a column of whole numbers is rounded only where its sums are large
    near = np.abs(sums - own[usable]) <= np.maximum(1e-9 * sizes, np.minimum(rounding, 0.005 * sizes))
    is_solid = near & (own[usable] != 0)
    return bool(is_solid.any()) and float(near.mean()) >= _ENOUGH
