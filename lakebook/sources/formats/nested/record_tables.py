"""Records of any format as tables: rejected ones counted, lists inside them made tables that join back.

A format says how its records are read again and again, and which statements bind them; here they become
readings. What records look like as columns is the work of `json_columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from lakebook.sources.formats.nested.json_columns import Columns, Record, learn, leaves
from lakebook.sources.formats.nested.json_document import find_inner, pointer, sample
from lakebook.sources.formats.nested.json_shapes import Inner, Row, Stray
from lakebook.sources.formats.nested.json_text import Notes
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Account, Budget, Part, RawTable, Reading, Rejects

_INNER_LEVELS = 3


@dataclass(slots=True)
class Tally:
    """What became of the members that are no records, counted anew in every pass."""

    counting: bool = True
    rejects: Rejects = field(default_factory=Rejects)
    notes: Notes = field(default_factory=Notes)
    blank: int = 0
    bad_lines: int = 0

    def clear(self) -> None:
        """Begin anew."""
        self.rejects, self.notes, self.blank, self.bad_lines = Rejects(), Notes(self.counting), 0, 0

    def aside(self, row: Stray | None) -> None:
        """Count a line that is no value, or a blank one."""
        if row is None:
            self.blank += 1
        else:
            self.bad_lines += 1
            self.reject(row)

    def reject(self, row: Stray) -> None:
        """Count and keep a row that is no record."""
        self.rejects.add(row.position, row.reason, row.text)


@dataclass(frozen=True, slots=True)
class RecordTable:
    """A table of records before it is read.

    Attributes:
        rows: yields records and strays; every call begins anew. Blank lines are told to its argument.
        opening: statements that bind `records`, given that longer whole numbers, and strays, are there.
        encoding: of the file; `warnings` hold for all its tables, `notes` are said with the first one.
        apart: dotted names of lists that are units of their own.
        broken: the place where the file breaks off, if it does inside or after this table.
        is_lines: a record is a line. is_long: its values are read block by block.
        is_text: all values are text that may stand for numbers and dates.
    """

    unit: str
    file: Peek
    rows: Callable[[Tally], Iterator[Row]]
    opening: Callable[[bool, Tally], list[str]]
    encoding: str = ""
    warnings: tuple[str, ...] = ()
    notes: Notes = field(default_factory=Notes)
    attributes: tuple[tuple[str, str], ...] = ()
    apart: tuple[str, ...] = ()
    broken: Stray | None = None
    is_lines: bool = False
    is_long: bool = False
    is_first: bool = True
    is_text: bool = False


def with_inner(table: RecordTable, level: int = 0, *, nested: bool = True) -> Iterator[Part]:
    """Return the table, unless its records are empty, and the lists of records inside its records.

    Args:
        table: the table.
        level: how many tables it is inside of.
        nested: look for lists inside its records.
    """
    records = sample(row for row in table.rows(Tally()) if type(row) is dict)
    inner = find_inner(records) if nested and level < _INNER_LEVELS else []
    apart = tuple(one.path for one in inner)
    if any(path not in apart for record in records for _, path in leaves(record)):
        names = tuple(".".join(path) for path in apart)
        yield Part(table.file, table.unit, replace(table, apart=names))
    for one in inner:
        yield from with_inner(_inside(table, one), level + 1)


def _inside(outer: RecordTable, shape: Inner) -> RecordTable:
    def rows(tally: Tally) -> Iterator[Row]:
        records = (row for row in outer.rows(Tally()) if type(row) is dict)
        return shape.rows(enumerate(records))

    def opening(exact: bool, tally: Tally) -> list[str]:
        above = Tally()
        for row in outer.rows(above):
            if isinstance(row, Stray):
                above.reject(row)
        above.notes.lone_surrogates |= tally.notes.lone_surrogates
        return [*outer.opening(exact, above), *shape.statements(strays=tally.rejects.count > 0)]

    parent = f"{outer.unit or '/'}, whose rows {shape.row_column} counts from 1"
    return replace(
        outer,
        unit=f"{outer.unit}/*{pointer(shape.path)}",
        rows=rows,
        opening=opening,
        attributes=(("parent", parent),),
        broken=None,
        is_lines=False,
        is_first=False,
    )


def read_table(table: RecordTable, budget: Budget) -> Reading:
    """Read one table."""
    tally = Tally()
    counted = _Pass(table, tally, budget.rows)
    columns = learn(counted.records, table.apart)
    columns = replace(columns, records=_Pass(table, Tally(counting=False), budget.rows).records)
    if table.broken is not None:
        tally.reject(table.broken)
    warnings = [*table.warnings, *columns.warnings]
    if table.is_first:
        warnings += [*table.notes.warnings(), *tally.notes.warnings()]
    noun = "line" if table.is_lines and not tally.rejects.count and not tally.blank else "record"
    raw = RawTable(
        columns.headers() if table.is_long else columns.raw(),
        rows=columns.rows,
        opening=lambda _: (_statements(table, columns, tally), not table.is_text),
        place=lambda index: f"{noun} {index + 1:,}",
        is_text=table.is_text,
        blocks=columns.batches if table.is_long else None,
    )
    reading = Reading(
        unit=table.unit,
        kind="table",
        table=raw,
        attributes=(*table.attributes, *columns.lists),
        left_out=counted.left_out,
        rows_in_file=columns.rows + tally.rejects.count + tally.blank,
        rows_rejected=tally.rejects.count,
        rows_skipped=tally.blank,
        rejected=tuple(tally.rejects.kept),
        skipped=(f"{tally.blank:,} blank rows",) if tally.blank else (),
        warnings=tuple(warnings),
        encoding=table.encoding,
    )
    if not table.is_long:
        return reading
    account = Account(
        reading.table.rows if reading.table else 0,
        reading.rows_in_file,
        reading.rows_rejected,
        reading.rows_skipped,
        reading.rejected,
        reading.skipped,
    )
    return replace(reading, account=lambda: account)


def _statements(table: RecordTable, columns: Columns, tally: Tally) -> list[str]:
    statements = [*table.opening(columns.exact, tally), *columns.statements()]
    needs_json = bool(columns.lists) and "import json" not in statements
    return ["import json", *statements] if needs_json else statements


@dataclass(slots=True)
class _Pass:
    """Passes over the records of a table within a budget; strays are counted anew in each."""

    table: RecordTable
    tally: Tally
    most: int | None
    left_out: str = ""

    def records(self) -> Iterator[Record]:
        """Yield the records."""
        self.tally.clear()
        count = 0
        for row in self.table.rows(self.tally):
            if isinstance(row, Stray):
                self.tally.reject(row)
                continue
            count += 1
            if self.most is not None and count > self.most:
                self.left_out = f"only the first {self.most:,} rows were read"
                return
            yield row
