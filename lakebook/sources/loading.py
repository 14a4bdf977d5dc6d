"""Load a raw table block by block: survey its text columns, convert them, write the table as Parquet.

Types are decided from all rows, yet a file is read once as a rule: the types that the first block suggests
are applied to every block while the survey goes on, and only if another type comes out of it is the table
read again. A table of one block stays in memory; a longer one never does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lakebook.errors import SourceError
from lakebook.sources.card import ColumnType
from lakebook.sources.column_types import Conversion, Decision, Survey, decide
from lakebook.sources.curated import SettledOrder
from lakebook.sources.dates import Order
from lakebook.sources.encoded import Encoded, encode, retype, with_one_zero
from lakebook.sources.reading import RawColumn, RawTable, Typing
from lakebook.sources.stored import Stored
from lakebook.sources.tally import Run, RunningTally, Tally, run_of
from lakebook.sources.texts import Coded, code

BLOCK_ROWS = 1 << 18
BLOCK_BYTES = 1 << 26
_WORTH_A_DICTIONARY = 1_000
_WORTH_PACKING = 1 << 14
_SAMPLE = 2_000

_Look: TypeAlias = Coded | Encoded | pa.Array


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table as it was loaded.

    Attributes:
        file: where it was written.
        columns: the columns themselves, where the table is short; else they stand in the file only.
        tallies: of a long table's columns, those with few distinct values.
        runs: how each column runs through the rows.
    """

    rows: int
    typings: Mapping[str, Typing]
    file: Path | None
    runs: Mapping[str, Run]
    columns: tuple[Encoded, ...] | None = None
    tallies: Mapping[str, Tally] = field(default_factory=dict)

    def stored(self) -> Stored:
        """Return the file of a long table, opened."""
        if self.file is None:
            raise ValueError("the table was not written")
        return Stored(self.file)

    def table(self) -> pa.Table:
        """Return the whole table."""
        if self.columns is None:
            return pq.read_table(self.file)
        return pa.table([column.column() for column in self.columns], names=list(self.typings))


def load(raw: RawTable, file: Path | None, day_orders: Mapping[str, SettledOrder] | None = None) -> Loaded:
    """Read a raw table to its end and write it with its types.

    Args:
        raw: the table.
        file: where to write it; a table of one block need not be written.
        day_orders: by column, the order of day and month that somebody has settled.
    """
    loader = _Loader(raw, day_orders or {})
    blocks = _gathered(raw)
    first = next(blocks, None)
    second = next(blocks, None)
    if first is None or second is None:
        return loader.load_short(first, file)
    if file is None:
        raise ValueError("a table of several blocks needs a file to be written to")
    return loader.load_long(chain((first, second), blocks), file)


@dataclass(slots=True)
class _Incoming:
    """A column on its way: text is surveyed; what has a type already is taken as it is."""

    raw: RawColumn
    survey: Survey | None
    decision: Decision
    repeats: bool = True
    tally: RunningTally = field(default_factory=RunningTally)
    run: Run = field(default_factory=Run)

    def restart(self) -> None:
        """Forget what was counted: the column is read once more."""
        self.tally, self.run = RunningTally(self.repeats), Run()

    def take(self, look: Coded | pa.Array) -> pa.Array | None:
        """Convert and count a block of the column; None if some text does not fit its type."""
        if not isinstance(look, Coded):
            values = with_one_zero(_without_nan(look, self.raw.type))
            if self.tally.is_open:
                encoded = encode(values)
                self.tally.add(encoded.values, encoded.counts(), encoded.nulls)
        else:
            typed = self.decision.conversion.apply(look.texts)
            if typed is None:
                return None
            typed = with_one_zero(typed)
            if look.texts.rows is None:
                self.tally.is_open = False
            else:
                self.tally.add(typed, look.texts.rows, look.nulls)
            values = look.spread(typed)
        self.run.add(values)
        return values


@dataclass(slots=True)
class _Loader:
    raw: RawTable
    day_orders: Mapping[str, SettledOrder]
    columns: list[_Incoming] = field(init=False)

    def __post_init__(self) -> None:
        self.columns = [
            _Incoming(
                column,
                Survey(column.name, self.raw.is_text) if _is_open(column) else None,
                Decision(Typing(column.type or "text", column.template), Conversion("text")),
            )
            for column in self.raw.columns
        ]

    def load_short(self, block: pa.RecordBatch | None, file: Path | None) -> Loaded:
        """Load a table of one block, or of none."""
        rows = block.num_rows if block is not None else 0 if self.columns else self.raw.rows
        looks: list[_Look] = []
        for index, column in enumerate(self.columns):
            values = block.column(index) if block is not None else _none(column)
            looks.append(self._look(column, values, always=True))
        self._decide(self.raw.place)
        encoded = tuple(_converted(column, look) for column, look in zip(self.columns, looks, strict=True))
        runs = {column.raw.name: run_of(item) for column, item in zip(self.columns, encoded, strict=True)}
        loaded = Loaded(rows, self._typings(), file, runs, encoded)
        if file is not None:
            few = [
                column.raw.name
                for column, item in zip(self.columns, encoded, strict=True)
                if rows > _WORTH_A_DICTIONARY and 2 * len(item.values) < rows
            ]
            _write_short(loaded.table(), file, few)
        return loaded

    def load_long(self, blocks: Iterable[pa.RecordBatch], file: Path) -> Loaded:
        """Load a table of several blocks."""
        output = _Output(file, [column.raw.name for column in self.columns])
        guessed: list[Conversion] = []
        spoiled = False
        try:
            for block in blocks:
                looks = [self._look(column, values) for column, values in self._zipped(block)]
                if not guessed:
                    for column, look in zip(self.columns, looks, strict=True):
                        column.repeats = _repeats(look)
                        column.restart()
                    self._decide(str)
                    guessed = [column.decision.conversion for column in self.columns]
                arrays = None if spoiled else self._arrays(looks)
                spoiled = arrays is None
                if arrays is not None:
                    output.write(arrays, self._repeating())
            self._decide(self.raw.place)
            if spoiled or guessed != [column.decision.conversion for column in self.columns]:
                self._write_again(output)
        finally:
            output.close()
        tallies = {column.raw.name: column.tally.result() for column in self.columns}
        return Loaded(
            output.rows,
            self._typings(),
            file,
            {column.raw.name: column.run for column in self.columns},
            tallies={name: tally for name, tally in tallies.items() if tally is not None},
        )

    def _look(self, column: _Incoming, values: pa.Array, *, always: bool = False) -> _Look:
        if column.survey is None:
            return encode(values) if always else values
        coded = code(values, empty_is_null=self.raw.is_text, always=always)
        column.survey.add(coded.texts, coded.length)
        return coded

    def _zipped(self, block: pa.RecordBatch) -> Iterator[tuple[_Incoming, pa.Array]]:
        return zip(self.columns, block.columns, strict=True)

    def _write_again(self, output: _Output) -> None:
        """Read the table once more, now that its types are known."""
        output.restart()
        for column in self.columns:
            column.restart()
        for block in _gathered(self.raw):
            looks: list[_Look] = [
                code(values, empty_is_null=self.raw.is_text) if column.survey else values
                for column, values in self._zipped(block)
            ]
            arrays = self._arrays(looks)
            if arrays is None:
                raise SourceError("its content changed while it was being read.")
            output.write(arrays, self._repeating())

    def _decide(self, place: Callable[[int], str]) -> None:
        """Decide all types; ambiguous dates are settled by the order that other columns show."""
        for column in self.columns:
            self._decide_one(column, place, "")
        hint = _common_order(column.decision.typing.day_order for column in self.columns)
        for column in self.columns if hint else ():
            if column.decision.typing.day_order == "unclear":
                self._decide_one(column, place, hint)

    def _decide_one(self, column: _Incoming, place: Callable[[int], str], hint: Order) -> None:
        if column.survey is not None:
            column.decision = decide(
                column.survey,
                place,
                decimal_comma_likely=self.raw.decimal_comma_likely,
                order_hint=hint,
                settled=self.day_orders.get(column.raw.name),
            )

    def _arrays(self, looks: Sequence[_Look]) -> list[pa.Array] | None:
        """Convert a block, None if some text does not fit the type of its column."""
        arrays = []
        for column, look in zip(self.columns, looks, strict=True):
            values = column.take(look)
            if values is None:
                return None
            arrays.append(values)
        return arrays

    def _typings(self) -> dict[str, Typing]:
        return {column.raw.name: column.decision.typing for column in self.columns}

    def _repeating(self) -> frozenset[str]:
        return frozenset(column.raw.name for column in self.columns if column.repeats)


@dataclass(slots=True)
class _Output:
    """The Parquet file in the making: its types are those of the first block."""

    file: Path
    names: list[str]
    rows: int = 0
    writer: pq.ParquetWriter | None = None
    schema: pa.Schema | None = None

    def write(self, arrays: Sequence[pa.Array], repeating: frozenset[str]) -> None:
        if self.writer is None or self.schema is None:
            self.schema = pa.schema(
                [(name, array.type) for name, array in zip(self.names, arrays, strict=True)]
            )
            few = [name for name in self.names if name in repeating]
            self.writer = pq.ParquetWriter(
                self.file, self.schema, compression="zstd", use_dictionary=few or False
            )
        fitting = [array.cast(kind) for array, kind in zip(arrays, self.schema.types, strict=True)]
        block = pa.RecordBatch.from_arrays(fitting, schema=self.schema)
        self.writer.write_batch(block, row_group_size=BLOCK_ROWS)
        self.rows += block.num_rows

    def restart(self) -> None:
        self.close()
        self.rows, self.schema = 0, None

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None


def _write_short(table: pa.Table, file: Path, few: list[str]) -> None:
    """Write a short table in one go, which is quicker for small ones than to let Arrow open the file."""
    packed = pa.BufferOutputStream()
    compression = "zstd" if table.nbytes > _WORTH_PACKING else "none"
    with pq.ParquetWriter(
        packed, table.schema, compression=compression, use_dictionary=few or False
    ) as writer:
        writer.write_table(table)
    file.write_bytes(packed.getvalue())


def _is_open(column: RawColumn) -> bool:
    """The column is text of which nothing has been made yet."""
    return column.type in (None, "text") and not column.template


def _gathered(raw: RawTable) -> Iterator[pa.RecordBatch]:
    """Give the table in blocks that are neither small nor large."""
    if raw.blocks is None:
        names = [column.name for column in raw.columns]
        table = pa.table([column.values for column in raw.columns], names=names)
        yield from _sliced(table)
        return
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for block in raw.blocks():
        waiting.append(block)
        rows, size = rows + block.num_rows, size + block.nbytes
        if rows >= BLOCK_ROWS or size >= BLOCK_BYTES:
            yield from _sliced(pa.Table.from_batches(waiting))
            waiting, rows, size = [], 0, 0
    if waiting:
        yield from _sliced(pa.Table.from_batches(waiting))


def _sliced(table: pa.Table) -> Iterator[pa.RecordBatch]:
    if table.num_rows:
        yield from table.combine_chunks().to_batches(max_chunksize=2 * BLOCK_ROWS)


def _none(column: _Incoming) -> pa.Array:
    values = column.raw.values
    kind = pa.string() if column.survey is not None or values is None else values.type
    return pa.array([], kind)


def _converted(column: _Incoming, look: _Look) -> Encoded:
    """Give the distinct values of a short table their type."""
    if isinstance(look, Encoded):
        if column.decision.typing.type == "empty":
            return Encoded(pa.array([], pa.float64()), look.codes)
        return look
    if not isinstance(look, Coded) or look.codes is None:
        raise TypeError("a short table is looked at by its distinct values")
    conversion = column.decision.conversion
    if conversion.kind == "text":
        return Encoded(look.texts.array, look.codes)
    values = conversion.apply(look.texts)
    if values is None:
        raise SourceError(f"column {column.raw.name!r} does not read as its values promised.")
    return retype(look.codes, values)


def _repeats(look: _Look) -> bool:
    """Few values are distinct in the block."""
    if isinstance(look, Coded):
        return look.texts.rows is not None
    if isinstance(look, Encoded):
        return True
    sample = look.slice(0, _SAMPLE)
    return pa.types.is_boolean(look.type) or 2 * len(pc.unique(sample)) < len(sample)


def _without_nan(values: pa.Array, kind: ColumnType | None) -> pa.Array:
    if kind == "empty":
        return pa.nulls(len(values), pa.float64())
    if pa.types.is_floating(values.type) and pc.any(pc.is_nan(values), min_count=0).as_py():
        return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    return values


def _common_order(orders: Iterable[str]) -> Order:
    seen = set(orders) & {"day", "month"}
    if seen == {"day"}:
        return "day"
    return "month" if seen == {"month"} else ""
