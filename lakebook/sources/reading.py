"""What passes between a profiler and the description of a table: raw columns, and how pandas reads them.

Types only, no reading. A profiler turns a `Peek` into `Reading`s, one a unit; `describe` turns the raw
table of a reading into a `SourceUnit` and the table that is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from lakebook.sources.card import ColumnType, RejectedRow, UnitKind
from lakebook.sources.peek import Peek

KEPT_REJECTS = 1_000

# The largest whole number that a 64-bit float holds exactly; longer ones would be changed by a float.
EXACT = 2**53


@dataclass(frozen=True, slots=True)
class RawColumn:
    """One column as the file has it.

    Attributes:
        values: text for formats that hold only text, else already typed; empty where the table's `blocks`
            hold them.
        template: pandas expression over `{}` that turns the freshly read column into this one ("" if none).
    """

    name: str
    original_name: str
    values: pa.ChunkedArray | pa.Array
    template: str = ""
    type: ColumnType | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Typing:
    """The type of a column, decided from all its values, and how to get there in pandas.

    Attributes:
        template: pandas expression over `{}` that converts the text column ("" = it is that already).
        plain: `pd.read_csv` by itself gives this type.
        as_text: `pd.read_csv` must be told to leave the column as text.
        day_order: "day" or "month" first where the format has both, "unclear" if no value decides it.
    """

    type: ColumnType
    template: str = ""
    plain: bool = False
    as_text: bool = False
    date_format: str = ""
    unit: str = ""
    day_order: str = ""
    warnings: tuple[str, ...] = ()


# Writes the statements that bind `df` to the raw columns, given how each column is typed; returns them
# with whether columns marked `plain` come out typed already.
Opening = Callable[[Mapping[str, Typing]], tuple[list[str], bool]]


# Reads the table from its start, block by block, columns in the order of `RawTable.columns`; every call
# begins anew. Memory stays bounded however long the table is.
Blocks = Callable[[], Iterator[pa.RecordBatch]]


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table before its types are decided: small ones in `columns`, long ones in `blocks`.

    Attributes:
        rows: rows loaded; 0 where `blocks` are read, until the account tells.
        blocks: how to read the values, None where they stand in `columns`.
        is_text: every cell is text that may stand for a number or a date (delimited files).
        decimal_comma_likely: the dialect makes a decimal comma more likely than a thousands comma.
        place: says where the loaded row with this index stands ("line 25,002").
    """

    columns: tuple[RawColumn, ...]
    rows: int
    opening: Opening
    place: Callable[[int], str]
    is_text: bool = False
    decimal_comma_likely: bool = False
    blocks: Blocks | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document that can be shown as evidence.

    Attributes:
        position: where it stands ("lines 4-9", "page 3", "paragraph 12"). heading: of its section.
        text: the passage itself; a list or a table keeps the line that introduces it.
    """

    position: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of a unit a profiler may look at; what is left out stands in the reading's coverage.

    Attributes:
        rows: at most so many rows of a table are read, None for all of them.
    """

    rows: int | None = None


WHOLE = Budget()


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the rows of a table that is read in blocks: known once they were read to the end."""

    rows: int
    rows_in_file: int
    rows_rejected: int = 0
    rows_skipped: int = 0
    rejected: tuple[RejectedRow, ...] = ()
    skipped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    total_rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One unit of a file, read: a table, a document, or the reason why neither.

    Attributes:
        kind: what it is; "table" needs `table`, "text" has `passages` and `text_length`.
        place: where the unit stands in the file ("Report!A5:H40", "pages 2-4"), "" if it fills the file.
        total_rows: rows that hold sums of others and were skipped, with what was found.
        attributes: what else the format says of the unit (shape, mode, geometry …), in order.
        left_out: what a budget left out, "" if nothing.
        account: for a table with `blocks`: asked after they were read to the end, and then in place of the
            fields of the same names here (its warnings are added to those here).
        problem: why the unit could not be read, "" if it was.
    """

    unit: str = ""
    table: RawTable | None = None
    kind: UnitKind = "text"
    text_length: int = 0
    headings: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    place: str = ""
    total_rows: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    left_out: str = ""
    account: Callable[[], Account] | None = None
    rows_in_file: int = 0
    rows_rejected: int = 0
    rows_skipped: int = 0
    rejected: tuple[RejectedRow, ...] = ()
    skipped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    encoding: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A unit of a file before it is read.

    Attributes:
        name: the unit's name in the card, "" if it fills the file.
        content: what its profiler needs to read it; nobody else looks at it.
    """

    file: Peek
    name: str = ""
    content: Any = None


class Profiler(Protocol):
    """Reads one kind of file."""

    @property
    def format(self) -> str:
        """The name of the format, as the card shows it."""
        ...

    def can_read(self, file: Peek) -> bool:
        """Return True if the content (or, where that says nothing, the name) is of this format."""
        ...

    def units(self, file: Peek) -> Iterator[Part]:
        """Find the units of the file, one by one. Raises SourceError if the file as a whole cannot be read.

        Nothing of a unit's content need be read yet. Resources that the units share stay open until the
        iterator is exhausted or closed.
        """
        ...

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one unit within the budget. Raises SourceError if that unit cannot be read."""
        ...


@dataclass(slots=True)
class Rejects:
    """Rows that could not be loaded: all are counted, the first thousand are kept."""

    count: int = 0
    kept: list[RejectedRow] = field(default_factory=list)

    def add(self, line: int, reason: str, text: str, rows: int = 1) -> None:
        """Count a rejected row and keep it if there is room."""
        self.count += rows
        if len(self.kept) < KEPT_REJECTS:
            self.kept.append(RejectedRow(line, reason, text[:2_000]))


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Make column names unique and non-empty, the way pandas does: `a`, `a.1`, `Unnamed: 2`."""
    filled = [name or f"Unnamed: {index}" for index, name in enumerate(names)]
    taken = set(filled)
    counts: dict[str, int] = {}
    result = []
    for name in filled:
        count = counts.get(name, 0)
        counts[name] = count + 1
        if count == 0:
            result.append(name)
            continue
        while f"{name}.{count}" in taken:
            count += 1
        taken.add(f"{name}.{count}")
        counts[name] = count + 1
        result.append(f"{name}.{count}")
    return tuple(result)


def name_warnings(names: Sequence[str], originals: Sequence[str]) -> tuple[str, ...]:
    """Say which columns were renamed, and which names carry blanks that are easily overlooked."""
    warnings = []
    renamed = [(old, new) for old, new in zip(originals, names, strict=True) if old and old != new]
    if renamed:
        pairs = ", ".join(f"{old!r} → {new!r}" for old, new in renamed[:10])
        warnings.append(f"duplicate column names were made unique: {pairs}")
    unnamed = [new for old, new in zip(originals, names, strict=True) if not old]
    if unnamed:
        warnings.append(f"columns without a name: {', '.join(unnamed[:10])}")
    blank = [name for name in originals if name != name.strip()]
    if blank:
        warnings.append(f"column names with blanks at an end: {', '.join(map(repr, blank[:10]))}")
    return tuple(warnings)
