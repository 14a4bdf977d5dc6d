"""The nouns of the source map: files, units, columns, coverage, groups (RADAR §2.1).

Only the data types live here. Reading files is the profilers' work, naming and grouping is the scan's.
All of it is plain frozen data that survives a round trip through JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

FileStatus = Literal["ok", "partial", "failed", "skipped"]
UnitKind = Literal["table", "text", "array", "image"]
ColumnType = Literal["boolean", "integer", "number", "date", "datetime", "text", "json", "empty"]
Role = Literal[
    "identifier", "measure", "category", "time", "text", "boolean", "geography", "constant", "list", "empty"
]
GroupKind = Literal["workbook", "archive", "pattern", "compatible", "database", "document"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an observation covers: `complete`, or partial with a note on what was left out."""

    complete: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A distinct value as text, and in how many rows it stands."""

    value: str
    rows: int


@dataclass(frozen=True, slots=True)
class Quantile:
    """The value below which the given share of the values lies (linear interpolation), as text."""

    share: float
    value: str


@dataclass(frozen=True, slots=True)
class TimeCoverage:
    """Which time a column covers: its usual step and the places where a step is missing.

    Attributes:
        step: "day", "week", "month", "quarter", "year", "hour" …, "" where there is no regular one.
        periods: distinct periods seen; expected: periods between first and last at that step.
        gaps: the first twenty missing stretches as (first missing, last missing), ISO 8601.
        gaps_in_all: how many there are.
    """

    step: str
    periods: int
    expected: int
    gaps: tuple[tuple[str, str], ...] = ()
    gaps_in_all: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """One column as observed over all loaded rows.

    Attributes:
        name: the name under which the loaded table has it (unique in the unit).
        original_name: the name as the file has it.
        type: decided from all rows, never from a sample.
        nulls: rows without a value.
        distinct: number of distinct values, null not counted; exact if `distinct_exact`.
        min, max: smallest and largest value as text (ISO 8601 for dates), None when there is none.
        values: values with counts, most frequent first; the complete list if `values_complete`.
        date_format: the strptime format that parses every value, for dates kept as text in the file.
        quantiles: of numbers and times, at 5, 25, 50, 75 and 95 %; exact if `quantiles_exact`.
        unit: unit or currency seen in the name or the values, "" when none was seen; `units`: all that were.
        sentinels: values that look like codes for "missing", with their rows; they are not nulls.
        time: what a time column covers, None for others.
        ambiguous_dates: no value decides day/month order; `warnings` show both readings.
        meaning: what a person wrote of the column in `sources.yml`, "" if nothing.
        warnings: what a reader must know (ambiguous dates, type change at line N, sentinel values …).
    """

    name: str
    original_name: str
    type: ColumnType
    role: Role
    nulls: int
    distinct: int
    distinct_exact: bool = True
    min: str | None = None
    max: str | None = None
    values: tuple[ValueCount, ...] = ()
    values_complete: bool = False
    date_format: str = ""
    unit: str = ""
    warnings: tuple[str, ...] = ()
    quantiles: tuple[Quantile, ...] = ()
    quantiles_exact: bool = True
    units: tuple[str, ...] = ()
    sentinels: tuple[ValueCount, ...] = ()
    time: TimeCoverage | None = None
    ambiguous_dates: bool = False
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row of the file that could not be loaded: where it stands and why."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """A part of a file that is read as one thing: the table itself, a sheet, a database table, a document.

    The law of every unit: `rows_in_file == rows + rows_rejected + rows_skipped`.

    Attributes:
        unit: name inside the file: "" when the file is one unit, else sheet, table, or JSON pointer.
        table: the name by which `lakebook query` reads it; unique in the lake, a valid SQL identifier.
        rows: rows loaded.
        rows_in_file: data rows that the file holds (header not counted).
        rows_rejected: rows that could not be loaded; the first 1,000 are kept in `rejected`.
        rows_skipped: rows left out on purpose (blank, banner, footer); reasons in `skipped`.
        load_code: plain pandas statements that load the unit as `df` from `DATA_DIR`, with the same rows,
            names and types as the loaded table has; "" for text units.
        text_length: number of characters, for text units. headings: of its sections.
        place: where the unit stands in the file ("Report!A5:H40", "pages 2-4"), "" if it fills the file.
        candidate_keys: the smallest sets of columns (up to three) whose values never repeat.
        total_rows: rows that hold sums of others, recognised by their numbers, with what was found.
        attributes: what else the format says of the unit (shape, mode, geometry …), in order.
        meaning: what a person wrote of the unit in `sources.yml`, "" if nothing.
    """

    unit: str
    kind: UnitKind
    table: str
    rows: int = 0
    rows_in_file: int = 0
    rows_rejected: int = 0
    rows_skipped: int = 0
    coverage: Coverage = Coverage()
    columns: tuple[Column, ...] = ()
    duplicate_rows: int = 0
    warnings: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    rejected: tuple[RejectedRow, ...] = ()
    load_code: str = ""
    text_length: int = 0
    headings: tuple[str, ...] = ()
    place: str = ""
    candidate_keys: tuple[tuple[str, ...], ...] = ()
    total_rows: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    meaning: str = ""

    def column(self, name: str) -> Column | None:
        """Return the column of that name, or None."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, slots=True)
class SourceCard:
    """What was observed of one file, and how completely.

    Attributes:
        path: relative to the lake's root, with forward slashes.
        status: `ok`; `partial` (some rows or units could not be read); `failed`; `skipped` (a kind of file
            that is not read). `reason` says why, whenever it is not `ok`.
        sha256: hash of the file's bytes.
        meaning: what a person wrote of the file in `sources.yml`, "" if nothing.
        settled: what a person has settled of how it is read, "" if nothing; another reading, another card.
    """

    path: str
    status: FileStatus
    format: str
    bytes: int
    sha256: str
    reason: str = ""
    encoding: str = ""
    units: tuple[SourceUnit, ...] = ()
    meaning: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """A column of a member that is a column of the group under another name (docs: notes on correspondence).

    Attributes:
        score: probability of the match, 0..1. reason: what speaks for it.
    """

    name: str
    group_name: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class MemberSchema:
    """How a member's columns differ from the group's.

    Attributes:
        value: what tells this member from the others ("2016", "north"), the value of the member column.
        renamed: columns with another name here. missing: columns of the group that it lacks.
        extra: columns that only it has. retyped: column -> (type in the group, type here).
        refused: columns that have a likely partner, but not a safe one: column -> what was seen.
    """

    member: str
    value: str = ""
    renamed: tuple[ColumnPair, ...] = ()
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    retyped: tuple[tuple[str, ColumnType, ColumnType], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """Sources that belong together: sheets of a workbook, files of a pattern, tables with one schema.

    Attributes:
        table: the name by which `lakebook query` reads all members as one table, "" if they do not fit.
        member_column: the column of that table that says from which member a row comes.
        columns: names of that table's columns, without `member_column`.
        schemas: one entry a member, in order of `members`; empty where nothing is read as one table.
        left_out: files of the same pattern that do not fit, each with the reason.
    """

    id: str
    kind: GroupKind
    members: tuple[str, ...]
    why: str = ""
    table: str = ""
    member_column: str = ""
    columns: tuple[str, ...] = ()
    schemas: tuple[MemberSchema, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a manifest. The content hash is its version; times play no part."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files below a folder, sorted by path. `problems` are those that could not be hashed, with why."""

    files: tuple[FileEntry, ...]
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceMap:
    """All cards of a lake with their groups."""

    cards: tuple[SourceCard, ...]
    groups: tuple[SourceGroup, ...] = field(default=())

    def card(self, path: str) -> SourceCard | None:
        """Return the card of that path, or None."""
        return next((card for card in self.cards if card.path == path), None)

    def tables(self) -> tuple[tuple[SourceCard, SourceUnit], ...]:
        """Return every unit that is a table, with its card, in order of path."""
        return tuple((card, unit) for card in self.cards for unit in card.units if unit.kind == "table")
