"""A group as a dataset: its rows written once as one table, observed like those of a file, with a card.

Only a group that is asked for gets one. It is kept under what it was made from: the content of its members
and how their columns fit. Which group is meant is found in `lakebook.sources.dataset`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import duckdb
import pyarrow as pa

from lakebook.errors import LakebookError, SourceError
from lakebook.operators.together import relation
from lakebook.progress import Progress, silent
from lakebook.sources.as_table import Found, group_columns, group_load_code, members_of
from lakebook.sources.card import (
    Column,
    ColumnType,
    Coverage,
    FileStatus,
    SourceCard,
    SourceGroup,
    SourceMap,
    SourceUnit,
)
from lakebook.sources.dataset import Dataset, choose_dataset, find_dataset, find_group
from lakebook.sources.describe import describe
from lakebook.sources.group_notes import gathered, group_notes, skipped_notes, with_notes
from lakebook.sources.groups import MEMBER_COLUMN
from lakebook.sources.profile import PROFILER_VERSION, table_file
from lakebook.sources.reading import KEPT_REJECTS, Account, RawColumn, RawTable, Reading
from lakebook.storage import Store, canonical, replacing

FORMAT = "group"
_VERSION = "1"  # part of every key: raise it whenever a group's card or table could come out differently
_ASSET = "group_tables"
_BLOCK_ROWS = 1 << 17
_TEXT: ColumnType = "text"
# How values that tell members apart are written if they are times: what they are, and how they read once
# everything but digits is left out.
_TIMES = (
    (re.compile(r"(?:19|20)\d\d"), "year", "%Y"),
    (re.compile(r"(?:19|20)\d\d[-_./ ]?(?:0[1-9]|1[0-2])"), "month", "%Y%m"),
    (re.compile(r"(?:19|20)\d\d([-_./ ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])"), "date", "%Y%m%d"),
)
_OF_TIME = re.compile(r"(?<![a-z])(?:years?|yr|months?|dates?|days?|dt|ds|period)(?![a-z])", re.IGNORECASE)


def open_dataset(source_map: SourceMap, name: str, state: Path, progress: Progress = silent) -> Dataset:
    """Return the dataset of that name (a group's is made if need be), the lake's main table if none is named.

    Raises:
        DatasetNotFound: the lake has no dataset of that name.
        UsageError: several have it, or the lake has no table at all.
        SourceError: the members of the group cannot be read as one table.
    """
    if not name:
        card, unit, why = choose_dataset(source_map)
        return Dataset(card, unit, (card,), why)
    group = find_group(source_map, name)
    if group is not None:
        return group_dataset(group, source_map, state, progress)
    card, unit = find_dataset(source_map, name)
    return Dataset(card, unit, (card,))


def group_dataset(
    group: SourceGroup, source_map: SourceMap, state: Path, progress: Progress = silent
) -> Dataset:
    """Return a group as a dataset, kept or made."""
    found = members_of(group, source_map)
    if not found:
        raise SourceError("a member of the group is not there.", where=group.id, hint="Run again.")
    files = tuple({card.path: card for card, _ in found}.values())
    has_times = any(column.type in ("date", "datetime") for column in group_columns(group, found))
    # Where rows have dates of their own, that of their file is a label, and no second time axis.
    group, key_type = (group, _TEXT) if has_times else dated(group)
    made_from = _made_from(group, found)
    store = Store(state)
    card = _kept(store, made_from)
    if card is None or not table_file(state, card, card.units[0]).is_file():
        card = _made(group, found, key_type, made_from, state, progress)
        store.write_document(_ASSET, card, SourceCard, made_from[:32])
    return Dataset(card, card.units[0], files)


def with_dataset(source_map: SourceMap, dataset: Dataset) -> SourceMap:
    """Return a map in which a group's dataset is a table like any other, in place of the group."""
    if not dataset.is_group:
        return source_map
    cards = sorted((*source_map.cards, dataset.card), key=lambda card: card.path)
    groups = tuple(group for group in source_map.groups if group.table != dataset.unit.table)
    return SourceMap(tuple(cards), groups)


def dated(group: SourceGroup) -> tuple[SourceGroup, ColumnType]:
    """Return the group with dates for what tells its members apart, if all of it are years, months or days.

    The member column is then of that type, and named after it if the group has no name for it. Numbers that
    nothing marks as times stay what they are, also if they look like years.
    """
    unnamed = group.member_column == MEMBER_COLUMN
    if not ("{date}" in group.id if unnamed else _OF_TIME.search(group.member_column)):
        return group, "text"
    for pattern, name, how in _TIMES:
        if not all(pattern.fullmatch(schema.value) for schema in group.schemas):
            continue
        digits = [re.sub(r"\D", "", schema.value) for schema in group.schemas]
        try:
            days = [datetime.strptime(text, how).date().isoformat() for text in digits]
        except ValueError:
            continue
        taken = {column.casefold() for column in group.columns}
        is_free = unnamed and name not in taken
        schemas = tuple(replace(schema, value=day) for schema, day in zip(group.schemas, days, strict=True))
        return replace(group, schemas=schemas, member_column=name if is_free else group.member_column), "date"
    return group, "text"


def _made_from(group: SourceGroup, found: Sequence[Found]) -> str:
    digest = hashlib.sha256(f"{PROFILER_VERSION} {_VERSION}\n".encode())
    digest.update(canonical(group, SourceGroup))
    for card, unit in found:
        digest.update(f"{card.path}\0{card.sha256}\0{card.settled}\0{unit.unit}\n".encode())
    return digest.hexdigest()


def _kept(store: Store, made_from: str) -> SourceCard | None:
    try:
        return store.read_document(_ASSET, SourceCard, made_from[:32])
    except LakebookError:
        return None


def _made(
    group: SourceGroup,
    found: Sequence[Found],
    key_type: ColumnType,
    made_from: str,
    state: Path,
    progress: Progress,
) -> SourceCard:
    """Write the rows of all members as one table, and describe it."""
    partial = [card for card, _ in found if card.status != "ok"]
    status: FileStatus = "partial" if partial else "ok"
    reasons = gathered((card.path, card.reason) for card in partial)
    files = {card.path: card for card, _ in found}
    card = SourceCard(
        path=group.id,
        status=status,
        format=FORMAT,
        bytes=sum(file.bytes for file in files.values()),
        sha256=made_from,
        reason="; ".join(reasons),
    )
    stored = {name: table_file(state, *member) for name, member in zip(group.members, found, strict=True)}
    with replacing(table_file(state, card, SourceUnit("", "table", group.table))) as file:
        try:
            unit = describe(_reading(group, found, key_type, stored), file, progress=progress).unit
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise SourceError(
                f"its members cannot be read as one table: {str(error).splitlines()[0]}",
                where=group.id,
                hint="Name a single member as the dataset.",
            ) from error
    columns = (unit.columns[0], *(with_notes(column, group, found) for column in unit.columns[1:]))
    unit = replace(
        unit,
        table=group.table,
        columns=columns,
        coverage=_coverage(group, found),
        load_code=group_load_code(group, found, key_type),
    )
    return replace(card, units=(unit,))


def _coverage(group: SourceGroup, found: Sequence[Found]) -> Coverage:
    notes = gathered(
        (name, unit.coverage.note)
        for name, (_, unit) in zip(group.members, found, strict=True)
        if not unit.coverage.complete
    )
    return Coverage(not notes, "; ".join(notes))


def _reading(
    group: SourceGroup, found: Sequence[Found], key_type: ColumnType, stored: Mapping[str, Path]
) -> Reading:
    """Return the group as a profiler returns a file: typed columns, read in blocks; the accounts added up."""
    key, *others = group_columns(group, found)
    columns = [replace(key, type=key_type), *others]
    units = [unit for _, unit in found]
    account = Account(
        rows=sum(unit.rows for unit in units),
        rows_in_file=sum(unit.rows_in_file for unit in units),
        rows_rejected=sum(unit.rows_rejected for unit in units),
        rows_skipped=sum(unit.rows_skipped for unit in units),
        rejected=tuple(
            replace(row, reason=f"{name}: {row.reason}")
            for name, unit in zip(group.members, units, strict=True)
            for row in unit.rejected
        )[:KEPT_REJECTS],
        skipped=skipped_notes(group, found),
        total_rows=gathered(
            (name, text) for name, unit in zip(group.members, units, strict=True) for text in unit.total_rows
        ),
    )
    raw = RawTable(
        # Text has a template, so that it stays the text that its members were found to hold.
        columns=tuple(
            RawColumn(
                column.name,
                column.name,
                pa.array([], _ARROW[column.type]),
                type=column.type,
                template="{}" if column.type == "text" else "",
            )
            for column in columns
        ),
        rows=0,
        opening=lambda typings: ([], True),
        place=lambda index: f"row {index + 1:,}",
        blocks=lambda: _blocks(group, stored, columns),
    )
    return Reading(kind="table", table=raw, account=lambda: account, warnings=group_notes(group, found))


def _blocks(
    group: SourceGroup, stored: Mapping[str, Path], columns: Sequence[Column]
) -> Iterator[pa.RecordBatch]:
    with duckdb.connect(":memory:") as connection:
        connection.execute("set threads = 1; set preserve_insertion_order = true")
        for batch in relation(connection, group, stored).to_arrow_reader(_BLOCK_ROWS):
            arrays = [
                _typed(array, column.type) for array, column in zip(batch.columns, columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=[column.name for column in columns])


_ARROW: Mapping[ColumnType, pa.DataType] = {
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "date": pa.timestamp("us"),
    "datetime": pa.timestamp("us"),
    "text": pa.string(),
    "json": pa.string(),
    "empty": pa.float64(),
}


def _typed(values: pa.Array, kind: ColumnType) -> pa.Array:
    """Return the values with the type of the column; members without a value have none to go by."""
    if kind == "integer" and pa.types.is_integer(values.type):
        return values
    return values if values.type == _ARROW[kind] else values.cast(_ARROW[kind])
