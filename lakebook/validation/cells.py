"""Cell values in the texts of findings: written in one way and listed, so that privacy can take them out.

A rule that tells what stands in the data writes it through a `Cells` and hands its list to the finding:

    cell = Cells()
    Finding(..., observed=f"its values are {cell.several(values)}", values=cell.shown())

What may leave is decided by the analyst's privacy, never here.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_LONGEST = 60


class Cells:
    """Writes cell values into the texts of one finding and remembers what was written."""

    def __init__(self) -> None:
        self._shown: dict[str, None] = {}

    def __call__(self, value: object) -> str:
        """Return the value in quotes, cut where it is long."""
        full = str(value)
        written = repr(full if len(full) <= _LONGEST else full[:_LONGEST] + "…")
        self._shown[written] = None
        return written

    def several(self, values: Iterable[object], most: int = 8) -> str:
        """Return up to `most` values, separated by commas, with an ellipsis if there are more."""
        listed = list(islice(values, most + 1))
        shown = ", ".join(self(value) for value in listed[:most])
        return f"{shown} …" if len(listed) > most else shown

    def shown(self) -> tuple[str, ...]:
        """Return what was written so far, in order."""
        return tuple(self._shown)
