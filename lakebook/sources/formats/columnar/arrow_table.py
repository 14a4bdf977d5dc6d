"""A raw table from anything that yields Arrow batches: small ones whole, long ones block by block.

Which batches, and how pandas opens the file, is the matter of the format; the types that of `arrow_types`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakebook.sources.formats.columnar.arrow_types import (
    Facts,
    Plan,
    Plans,
    is_text,
    look_at_text,
    make_plans,
)
from lakebook.sources.load_code import literals
from lakebook.sources.reading import (
    Account,
    Budget,
    RawTable,
    Reading,
    Typing,
    name_warnings,
    unique_names,
)

# A table up to this size stands in memory; longer ones are read in blocks, again for each pass.
SMALL_BYTES = 64 << 20
SMALL_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class ArrowSource:
    """A table of Arrow batches.

    Attributes:
        schema: of the batches, names as the file has them.
        rows: of the whole table. bytes: about as many in memory.
        read: yields all rows from the start; given names, at least those columns are filled
            and the others may be missing.
        load: statements that bind `table` to the same rows. short: one that binds `df`, if that does it.
        known: finds what the file itself states of its columns.
    """

    schema: pa.Schema
    rows: int
    bytes: int
    read: Callable[[Sequence[str] | None], Iterator[pa.RecordBatch]]
    load: Sequence[str]
    short: Sequence[str] = ()
    known: Callable[[], Mapping[str, Facts]] = dict


def arrow_reading(source: ArrowSource, budget: Budget, unit: str = "") -> Reading:
    """Describe the table as a reading, within the budget."""
    originals = source.schema.names
    names = unique_names(originals)
    limit = source.rows if budget.rows is None else min(budget.rows, source.rows)
    schema = pa.schema(
        [item.with_name(name) for item, name in zip(source.schema, names, strict=True)],
    )
    reader = _Reader(source, names, limit, len(set(originals)) == len(originals))
    is_small = source.bytes <= SMALL_BYTES and limit * len(names) <= SMALL_CELLS
    if is_small:
        held = list(reader.read(None))
        plans = make_plans(schema, originals, lambda _: iter(held), _texts(schema, held))
        whole = pa.Table.from_batches(
            [plans.convert(batch) for batch in held], _shared_schema(plans, held, schema)
        )
        columns = tuple(plan.column(whole.column(plan.name)) for plan in plans.plans)
    else:
        known = source.known() if limit == source.rows else {}
        plans = make_plans(schema, originals, reader.read, known)
        columns = tuple(plan.column(pa.array([], pa.null())) for plan in plans.plans)
    if names and not plans.plans:
        return Reading(unit=unit, problem="every column holds binary values, which are not read")
    statements = _Statements(source, originals, names, plans, limit)
    table = RawTable(
        columns,
        rows=limit,
        opening=statements,
        place=lambda index: f"row {index + 1:,}",
        blocks=None if is_small else lambda: map(plans.convert, reader.read(None)),
    )
    left = source.rows - limit
    return Reading(
        unit=unit,
        kind="table",
        table=table,
        account=None if is_small else lambda: Account(limit, source.rows, rows_skipped=left),
        rows_in_file=source.rows,
        rows_skipped=left,
        left_out=f"only the first {limit:,} of {source.rows:,} rows were read" if left else "",
        skipped=tuple(f"column {name!r}: {why}" for name, why in plans.left_out.items()),
        warnings=name_warnings(names, originals),
    )


def _texts(schema: pa.Schema, held: Sequence[pa.RecordBatch]) -> dict[str, Facts]:
    """Return what is to be known of text columns: whether any has no value, or bytes that are no text."""
    facts = {item.name: Facts() for item in schema if is_text(item.type)}
    for batch in held:
        for name, fact in facts.items():
            look_at_text(fact, batch.column(name))
    return {name: fact for name, fact in facts.items() if fact.is_empty or not fact.is_text}


def _shared_schema(plans: Plans, held: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.Schema:
    """Return the schema of converted batches, also where there is none."""
    if held:
        return plans.convert(held[0].slice(0, 0)).schema
    empty = pa.RecordBatch.from_arrays([pa.array([], item.type) for item in schema], schema=schema)
    return plans.convert(empty).schema


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the batches under their final names, up to the limit."""

    source: ArrowSource
    names: tuple[str, ...]
    limit: int
    is_unique: bool

    def read(self, wanted: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        left = self.limit
        chosen = wanted if self.is_unique else None
        for batch in self.source.read(chosen):
            if left <= 0:
                return
            kept = batch.slice(0, left)
            left -= len(kept)
            yield kept if self.is_unique else kept.rename_columns(list(self.names))


@dataclass(frozen=True, slots=True)
class _Statements:
    """Writes the load code."""

    source: ArrowSource
    originals: Sequence[str]
    names: Sequence[str]
    plans: Plans
    limit: int

    def __call__(self, typings: Mapping[str, Typing]) -> tuple[list[str], bool]:
        is_renamed = tuple(self.originals) != tuple(self.names)
        is_cut = self.limit < self.source.rows
        casts = [plan for plan in self.plans.plans if plan.cast]
        if self.source.short and not (casts or is_renamed or is_cut or self.plans.left_out):
            return list(self.source.short), True
        statements = list(self.source.load)
        if any("json." in plan.cast for plan in casts):
            statements.insert(0, "import json")
        if (
            any(not plan.cast.startswith("table") for plan in casts)
            and "import pyarrow as pa" not in statements
        ):
            statements.insert(0, "import pyarrow as pa")
        if is_renamed:
            statements.append(f"table = table.rename_columns({literals(self.names)})")
        if self.plans.left_out:
            statements.append(f"table = table.drop_columns({literals(self.plans.left_out)})")
        if is_cut:
            statements.append(f"table = table.slice(0, {self.limit})")
        statements += [_loop(cast, casts) for cast in dict.fromkeys(plan.cast for plan in casts)]
        statements.append("df = table.to_pandas(ignore_metadata=True)")
        return statements, True


def _loop(cast: str, plans: Sequence[Plan]) -> str:
    """Write the loop that converts columns before pandas sees them."""
    names = [plan.name for plan in plans if plan.cast == cast]
    made = cast if cast.startswith("table") else f'pa.array({cast}, "string")'
    return (
        f"for name in {literals(names)}:\n"
        "    at = table.column_names.index(name)\n"
        f"    table = table.set_column(at, name, {made})"
    )
