"""Parquet, Feather and other Arrow files, ORC: typed tables that are read by row group, never whole."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq

from lakebook.errors import SourceError
from lakebook.sources.formats.columnar.arrow_table import ArrowSource, arrow_reading
from lakebook.sources.formats.columnar.arrow_types import Facts
from lakebook.sources.load_code import data_file
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_BATCH = 65_536


class Columnar:
    """Reads one format of typed columns: "parquet", "feather", "arrow stream" or "orc"."""

    def __init__(self, name: str) -> None:
        self.format = name
        self._source = {
            "parquet": _parquet,
            "feather": _feather,
            "arrow stream": _stream,
            "orc": _orc,
        }[name]

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as this format does."""
        return file.magic == self.format and not file.compression

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one table of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the table."""
        file = part.file
        try:
            return arrow_reading(self._source(file), budget)
        except (KeyError, NotImplementedError, pa.ArrowNotImplementedError) as error:
            raise SourceError(f"it holds a type that is not read ({error}).", where=file.relative) from error
        except (pa.ArrowException, OSError, ValueError, struct.error) as error:
            cause = str(error).splitlines()[0] if str(error) else type(error).__name__
            is_keyless = "encrypted" in cause.lower() or "decrypt" in cause.lower()
            what = "encrypted, so it cannot be read without its keys" if is_keyless else "damaged or cut off"
            raise SourceError(f"{what}: {cause}", where=file.relative) from error


def _parquet(file: Peek) -> ArrowSource:
    with pq.ParquetFile(file.path) as opened:
        metadata, schema = opened.metadata, opened.schema_arrow
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    place = data_file(file.relative)
    # in a folder named key=value pandas would add that key as a column
    in_hive = any("=" in part for part in PurePosixPath(file.relative).parent.parts)
    hive = ", partitioning=None" if in_hive else ""
    return ArrowSource(
        schema=schema,
        rows=sum(group.num_rows for group in groups),
        bytes=sum(group.total_byte_size for group in groups),
        read=partial(_read_parquet, file),
        load=["import pyarrow.parquet as pq", "", f"table = pq.read_table({place}{hive})"],
        short=() if _has_index(schema) else [f"df = pd.read_parquet({place}{hive})"],
        known=partial(_stated, file),
    )


def _read_parquet(file: Peek, names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(file.path, pre_buffer=False) as opened:
        chosen = None if names is None else list(names)
        yield from opened.iter_batches(batch_size=_BATCH, columns=chosen)


def _stated(file: Peek) -> dict[str, Facts]:
    """Return the null counts, and the ranges of whole numbers, that every row group states."""
    facts: dict[str, Facts] = {}
    with pq.ParquetFile(file.path, pre_buffer=False) as opened:
        # asking an encrypted column for its statistics would end the process, reading it raises
        next(opened.iter_batches(batch_size=1), None)
        metadata, schema = opened.metadata, opened.schema_arrow
    by_path = {metadata.schema.column(index).path: index for index in range(metadata.num_columns)}
    for item in schema:
        index = by_path.get(item.name)
        if index is None or pa.types.is_temporal(item.type) or pa.types.is_decimal(item.type):
            continue  # of these more is asked than is stated
        is_whole, fact = pa.types.is_integer(item.type), Facts()
        for group in range(metadata.num_row_groups):
            chunk = metadata.row_group(group).column(index)
            stated = chunk.statistics
            if stated is None or not stated.has_null_count:
                break
            if is_whole and not stated.has_min_max and stated.null_count < chunk.num_values:
                break
            fact.rows += chunk.num_values
            fact.nulls += stated.null_count
            if is_whole and stated.has_min_max:
                fact.add_range(stated.min, stated.max)
        else:
            facts[item.name] = fact
    return facts


def _feather(file: Peek) -> ArrowSource:
    place = data_file(file.relative)
    with pa.OSFile(str(file.path)) as opened:
        reader = pa.ipc.open_file(opened)
        schema = reader.schema
        rows = sum(reader.get_batch(index).num_rows for index in range(reader.num_record_batches))
    return ArrowSource(
        schema=schema,
        rows=rows,
        bytes=4 * file.size,  # compressed ones grow
        read=partial(_read_feather, file),
        load=["import pyarrow.feather as feather", "", f"table = feather.read_table({place})"],
        short=() if _has_index(schema) else [f"df = pd.read_feather({place})"],
    )


def _read_feather(file: Peek, _: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(file.path)) as opened:
        reader = pa.ipc.open_file(opened)
        for index in range(reader.num_record_batches):
            yield from _small(reader.get_batch(index))


def _stream(file: Peek) -> ArrowSource:
    with pa.OSFile(str(file.path)) as opened, pa.ipc.open_stream(opened) as reader:
        schema = reader.schema
        rows = sum(batch.num_rows for batch in reader)
    opened_code = f"pa.ipc.open_stream(pa.OSFile(str({data_file(file.relative)})))"
    return ArrowSource(
        schema=schema,
        rows=rows,
        bytes=4 * file.size,
        read=partial(_read_stream, file),
        load=["import pyarrow as pa", "", f"table = {opened_code}.read_all()"],
    )


def _read_stream(file: Peek, _: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(file.path)) as opened, pa.ipc.open_stream(opened) as reader:
        for batch in reader:
            yield from _small(batch)


def _small(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, _BATCH):
        yield batch.slice(start, _BATCH)


def _orc(file: Peek) -> ArrowSource:
    opened = orc.ORCFile(file.path)
    place = data_file(file.relative)
    return ArrowSource(
        schema=opened.schema,
        rows=opened.nrows,
        bytes=8 * file.size,
        read=partial(_read_orc, file),
        load=["import pyarrow.orc as orc", "", f"table = orc.read_table({place})"],
        short=() if _has_index(opened.schema) else [f"df = pd.read_orc({place})"],
    )


def _read_orc(file: Peek, _: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    opened = orc.ORCFile(file.path)
    for index in range(opened.nstripes):
        yield from _small(opened.read_stripe(index))


def _has_index(schema: pa.Schema) -> bool:
    """A frame that pandas wrote with an index would come back with one; the table has it as a column."""
    stored = (schema.metadata or {}).get(b"pandas")
    if not stored:
        return False
    described: dict[str, Any] = json.loads(stored)
    return any(item != _plain(item) for item in described.get("index_columns", []))


def _plain(item: Any) -> Any:
    """Return the description of a plain 0..n-1 index."""
    stop = item.get("stop") if isinstance(item, dict) else None
    return {"kind": "range", "name": None, "start": 0, "stop": stop, "step": 1}
