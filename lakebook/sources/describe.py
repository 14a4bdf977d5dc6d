"""Describe a raw table: types from all rows, columns observed, load code written, keys and duplicates found.

The one place where a `RawTable` becomes a `SourceUnit` and the table that is loaded; formats differ before
this point and no longer after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from lakebook.progress import Progress, silent
from lakebook.sources.card import Column, Coverage, SourceUnit
from lakebook.sources.curated import SettledOrder
from lakebook.sources.keys import count_duplicates, find_keys
from lakebook.sources.load_code import conversions
from lakebook.sources.loading import Loaded, load
from lakebook.sources.observe import observe
from lakebook.sources.reading import Account, RawTable, Reading
from lakebook.sources.seen import see, see_stored
from lakebook.sources.tally import tally_of
from lakebook.sources.totals import find_totals


@dataclass(frozen=True, slots=True)
class Described:
    """A unit and its loaded table, None for what is no table."""

    unit: SourceUnit
    loaded: Loaded | None

    @property
    def table(self) -> pa.Table | None:
        """The loaded table, whole."""
        return self.loaded.table() if self.loaded else None


def describe(
    reading: Reading,
    file: Path | None = None,
    *,
    day_orders: Mapping[str, SettledOrder] | None = None,
    progress: Progress = silent,
) -> Described:
    """Turn what a profiler read into the unit of a card; a table is written to `file` on the way.

    Args:
        reading: what the profiler read.
        file: where the loaded table goes; a table of one block can do without.
        day_orders: by column, the order of day and month that somebody has settled.
        progress: told of every column of a long table.
    """
    if reading.table is None:
        return Described(_unit(reading, _account(reading, 0)), None)
    raw = reading.table
    loaded = load(raw, file, day_orders)
    columns = _observe(raw, loaded, progress)
    account = reading.account() if reading.account else _account(reading, loaded.rows)
    if account.rows != loaded.rows:
        raise ValueError(f"{loaded.rows:,} rows were loaded where {account.rows:,} were counted")
    duplicates = count_duplicates(loaded, columns)
    unit = replace(
        _unit(reading, account),
        rows=loaded.rows,
        columns=columns,
        duplicate_rows=duplicates,
        candidate_keys=() if duplicates else find_keys(loaded, columns),
        total_rows=(*account.total_rows, *find_totals(loaded, columns)),
        warnings=(*reading.warnings, *account.warnings, *_notes(loaded.rows, duplicates)),
        load_code=_load_code(raw, loaded),
    )
    return Described(unit, loaded)


def _observe(raw: RawTable, loaded: Loaded, progress: Progress) -> tuple[Column, ...]:
    """Observe one column after the other, so that a long table never stands in memory."""
    columns = []
    stored = loaded.stored() if loaded.columns is None else None
    try:
        for index, column in enumerate(raw.columns):
            typing = loaded.typings[column.name]
            if loaded.columns is not None:
                seen = see(tally_of(loaded.columns[index]), typing.type)
            elif column.name in loaded.tallies:
                seen = see(loaded.tallies[column.name], typing.type)
            elif stored is not None:
                progress("columns", index, len(raw.columns), column.name)
                seen = see_stored(stored, column.name, typing.type)
            columns.append(observe(column, typing, seen, loaded.rows, loaded.runs[column.name].is_sequence))
    finally:
        if stored is not None:
            stored.close()
    return tuple(columns)


def _account(reading: Reading, rows: int) -> Account:
    return Account(
        rows=rows,
        rows_in_file=reading.rows_in_file,
        rows_rejected=reading.rows_rejected,
        rows_skipped=reading.rows_skipped,
        rejected=reading.rejected,
        skipped=reading.skipped,
        total_rows=reading.total_rows,
    )


def _unit(reading: Reading, account: Account) -> SourceUnit:
    return SourceUnit(
        unit=reading.unit,
        kind=reading.kind,
        table="",
        rows_in_file=account.rows_in_file,
        rows_rejected=account.rows_rejected,
        rows_skipped=account.rows_skipped,
        coverage=_coverage(reading, account),
        warnings=reading.warnings,
        skipped=account.skipped,
        rejected=account.rejected,
        text_length=reading.text_length,
        headings=reading.headings,
        place=reading.place,
        total_rows=account.total_rows,
        attributes=reading.attributes,
    )


def _coverage(reading: Reading, account: Account) -> Coverage:
    notes = [reading.left_out] if reading.left_out else []
    if account.rows_rejected:
        notes.append(f"{account.rows_rejected:,} of {account.rows_in_file:,} rows could not be loaded")
    return Coverage(not notes, "; ".join(notes))


def _notes(rows: int, duplicates: int) -> tuple[str, ...]:
    if rows == 0:
        return ("there is a header, but no row of data",)
    if not duplicates:
        return ()
    noun = "row repeats" if duplicates == 1 else "rows repeat"
    return (f"{duplicates:,} {noun} another row in every column",)


def _load_code(raw: RawTable, loaded: Loaded) -> str:
    statements, plain_done = raw.opening(loaded.typings)
    plain_done = plain_done and loaded.rows > 0  # pandas types nothing where there is nothing
    pending = [
        (name, "" if plain_done and typing.plain else typing.template)
        for name, typing in loaded.typings.items()
    ]
    return "\n".join([*statements, *conversions(pending)]) + "\n"
