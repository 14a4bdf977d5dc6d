"""The table under analysis as the plays see it: columns with roles, and the structure found by arithmetic.

A `Table` is made from a source card (`Table.columns`), then enriched by the structure plays
(`Table.structure`), whose facts gate every later play (notes: trust plays come before insight plays).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

TimeStep = Literal["hour", "day", "week", "month", "quarter", "year", "irregular"]

# What a number may be used for. flow: adds up over rows (sales). stock: adds up over entities, not over
# time. ratio: a price, rate, share or average, which needs a weight. count: whole numbers of things.
# ordinal: few ordered levels. code: digits that name something.
Use = Literal[
    "key",
    "time",
    "flow",
    "stock",
    "ratio",
    "count",
    "ordinal",
    "code",
    "dim",
    "dim_high",
    "geo",
    "list",
    "text",
    "unit_mixed",
    "constant",
    "boolean",
    "empty",
    "derived",
]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of the analysis frame `df`.

    Attributes:
        dtype: what pandas holds after the load code: number, integer, datetime, boolean, text.
        use: what it may be used for. `levels`: values by frequency, complete if `levels_complete`.
        unit: unit or currency, "" if none is stated in the file.
        quantiles: (share, value) of numbers, as far as the card knows them, ends included.
    """

    name: str
    dtype: Literal["number", "integer", "datetime", "boolean", "text"]
    use: Use
    nulls: int
    distinct: int
    min: str | None = None
    max: str | None = None
    levels: tuple[tuple[str, int], ...] = ()
    levels_complete: bool = False
    unit: str = ""
    quantiles: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Structure:
    """What the structure plays found; every field is empty until they ran.

    Attributes:
        key: smallest set of columns that identifies a row (S01); `row_means` is the sentence for it.
        time: the main time column; `time_step`: modal step between its distinct stamps (S02).
        period_complete: the calendar years that are covered from end to end.
        partial_periods: "2018: covers 12 of 52 weeks" …
        gaps: (after, before) ISO stamps between which at least one step is missing.
        off_grid: stamps that are off the modal grid.
        entities: dimension columns that form a panel with time, one row per (time, entities).
        totals: dimension -> members that are sums of other members (S04), to be left out of `base`.
        parts: dimension -> the members that add up to its total, which are all that `base` keeps of it, since
            the other members are cuts of the same whole; absent where the others are kept.
        weights: ratio column -> the flow that weights it (S06).
        lists: column -> separator of list cells (S11). units: columns with mixed units (S10).
        determined: (A, B): B is a function of A (S09). `policies`: (A, B, C): C is a function of A and B.
        identities: column -> human-readable formula that it equals (S05).
        coarse_key: the id column of a coarser unit in which rows are grouped (orders of lines), "" if none.
        duplicates: fully duplicated rows. `copies_dropped`: they break the key, so that `base` goes without.
        stale: time stamps whose values repeat the stamp before (S08).
    """

    key: tuple[str, ...] = ()
    row_means: str = ""
    time: str = ""
    time_step: TimeStep = "irregular"
    period_complete: tuple[int, ...] = ()
    partial_periods: tuple[str, ...] = ()
    gaps: tuple[tuple[str, str], ...] = ()
    off_grid: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    totals: tuple[tuple[str, tuple[str, ...]], ...] = ()
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    weights: tuple[tuple[str, str], ...] = ()
    lists: tuple[tuple[str, str], ...] = ()
    units: tuple[str, ...] = ()
    determined: tuple[tuple[str, str], ...] = ()
    policies: tuple[tuple[str, str, str], ...] = ()
    identities: tuple[tuple[str, str], ...] = ()
    coarse_key: str = ""
    duplicates: int = 0
    copies_dropped: bool = False
    stale: tuple[str, ...] = ()

    def weight(self, ratio: str) -> str:
        """Return the column that weights this ratio, "" if none is known."""
        return dict(self.weights).get(ratio, "")

    def total_members(self, dimension: str) -> tuple[str, ...]:
        """Return the members of the dimension that are sums of other members."""
        return dict(self.totals).get(dimension, ())


@dataclass(frozen=True, slots=True)
class Table:
    """The table under analysis.

    In every notebook cell two frames exist: `df`, all loaded rows with proper types, and `base`, the rows
    of `df` without total members and exact duplicates of a key: the frame that plays compute on.
    """

    source: str
    path: str
    unit: str
    sha256: str
    rows: int
    rows_in_file: int
    columns: tuple[TableColumn, ...]
    load_code: str
    structure: Structure = field(default_factory=Structure)

    def column(self, name: str) -> TableColumn:
        """Return the column of that name. Raises KeyError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def having(self, *uses: Use) -> tuple[TableColumn, ...]:
        """Return the columns with one of these uses, in file order."""
        return tuple(column for column in self.columns if column.use in uses)

    def with_structure(self, structure: Structure) -> Table:
        """Return the table with its structure known."""
        return replace(self, structure=structure)
