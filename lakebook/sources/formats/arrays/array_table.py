"""Arrays of numbers: what is said of any of them, and how a flat one becomes a table.

Shared by the formats that hold arrays (NumPy, HDF5, netCDF, MATLAB); where an array stands in its file is
their matter. Anything that slices along its first axis and has `shape` and `dtype` is an array here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakebook.sources.formats.columnar.arrow_table import ArrowSource
from lakebook.sources.load_code import call, literals
from lakebook.sources.reading import Reading

MOST_COLUMNS = 200
# The range of an array is taken from so many bytes at most.
MOST_BYTES = 4 << 30

_ROWS = 65_536
_BLOCK_BYTES = 32 << 20
_LONGEST = 200


class ArrayLike(Protocol):
    """An array in memory, mapped from a file, or inside one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its length along each axis."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        ...

    def __getitem__(self, key: Any) -> Any:
        """Return a part of it."""
        ...


@dataclass(slots=True)
class _Range:
    low: Any = None
    high: Any = None
    nans: int = 0

    def add(self, values: npt.NDArray[Any]) -> None:
        if values.dtype.kind in "fc":
            gone = np.isnan(values)
            self.nans += int(gone.sum())
            values = values[~gone]
        if values.size:
            low, high = values.min(), values.max()
            self.low = low if self.low is None else min(self.low, low)
            self.high = high if self.high is None else max(self.high, high)


def array_attributes(values: ArrayLike, fill: Any = None) -> tuple[tuple[str, str], ...]:
    """Return shape, type, range and the number of missing elements of an array.

    Args:
        values: the array.
        fill: the value that stands for "none" in it.
    """
    shape, dtype = values.shape, values.dtype
    attributes = [("shape", " × ".join(f"{n:,}" for n in shape) or "a single value"), ("dtype", str(dtype))]
    if dtype.kind not in "iuf" or 0 in shape:
        return tuple(attributes)
    seen, filled, covered = _Range(), 0, 0
    for block in _blocks(values):
        covered += block.nbytes
        if fill is not None:
            is_none = block == np.asarray(fill, block.dtype)
            filled += int(is_none.sum())
            block = block[~is_none]
        seen.add(block)
        if covered > MOST_BYTES:
            attributes.append(("seen", f"the first {covered:,} bytes"))
            break
    if seen.low is not None:
        attributes += [("min", _number(seen.low)), ("max", _number(seen.high))]
    if seen.nans:
        attributes.append(("NaN", f"{seen.nans:,}"))
    if filled:
        attributes.append(("missing", f"{filled:,}"))
    return tuple(attributes)


def _blocks(values: ArrayLike) -> Iterator[npt.NDArray[Any]]:
    if not values.shape:
        yield np.atleast_1d(np.asarray(values[()]))
        return
    row = int(np.prod(values.shape[1:], dtype=np.int64)) * values.dtype.itemsize
    step = max(1, _BLOCK_BYTES // max(1, row))
    for start in range(0, values.shape[0], step):
        yield np.asarray(values[start : start + step])


def _number(value: Any) -> str:
    return str(value.item())


def text_of(value: Any) -> str:
    """Return the value of an attribute as short text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").rstrip("\0")[:_LONGEST]
    if isinstance(value, np.ndarray) and value.size == 1:
        return text_of(value.reshape(-1)[0])
    if isinstance(value, np.ndarray):
        return ", ".join(text_of(item) for item in value.reshape(-1)[:20])[:_LONGEST]
    return str(value)[:_LONGEST]


def array_reading(
    unit: str, values: ArrayLike, extra: Sequence[tuple[str, str]] = (), fill: Any = None
) -> Reading:
    """Describe an array that is no table."""
    return Reading(unit=unit, kind="array", attributes=(*array_attributes(values, fill), *extra))


def column_names(values: ArrayLike) -> tuple[str, ...]:
    """Return the columns of an array that is a table: fields, or one name a column; () if it is none."""
    shape, dtype = values.shape, values.dtype
    if dtype.names and len(shape) == 1:
        flat = [name for name in dtype.names if _is_plain(dtype[name])]
        return tuple(flat) if len(flat) <= MOST_COLUMNS else ()
    if not _is_plain(dtype) or dtype.names or 0 in shape:
        return ()
    if len(shape) == 1:
        return ("value",)
    if len(shape) == 2 and shape[1] <= MOST_COLUMNS:
        return tuple(f"column_{n}" for n in range(1, shape[1] + 1))
    return ()


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Return True for elements that a column can hold: no complex or extended numbers, objects, records."""
    return (
        dtype.kind in "biufMSU"
        and not dtype.names
        and not dtype.shape
        and dtype.itemsize <= (8 if dtype.kind in "biufM" else 1 << 16)
    )


def table_source(
    values: ArrayLike, names: Sequence[str], load: Sequence[str], short: str = ""
) -> ArrowSource:
    """Return an array as a table of Arrow batches.

    Args:
        values: an array for which `column_names` gives `names`.
        names: of the columns.
        load: statements that bind `values` to the whole array.
        short: the expression that gives the array, if it is one.
    """
    sample = _batch(np.asarray(values[:0]), names)
    is_native = _is_native(values.dtype)
    native = [] if is_native else ['values = values.astype(values.dtype.newbyteorder("="))']
    if values.dtype.names:
        made = f"table = pa.table({{name: values[name] for name in {literals(names)}}})"
    elif len(values.shape) == 1:
        made = 'table = pa.table({"value": values})'
    else:
        made = 'table = pa.table({f"column_{n + 1}": values[:, n] for n in range(values.shape[1])})'
    is_number = values.dtype.kind in "iuf" and values.dtype.itemsize > (2 if values.dtype.kind == "f" else 0)
    brief = call("pd.DataFrame", [short, f"columns={literals(names)}"])
    return ArrowSource(
        schema=sample.schema,
        rows=values.shape[0],
        bytes=int(np.prod(values.shape, dtype=np.int64)) * values.dtype.itemsize,
        read=partial(_read, values, names),
        load=["import pyarrow as pa", *load, *native, made],
        short=["import numpy as np", "", f"df = {brief}"] if short and is_number and is_native else (),
    )


def _is_native(dtype: np.dtype[Any]) -> bool:
    if dtype.fields:
        return all(_is_native(part) for part, *_ in dtype.fields.values())
    return bool(dtype.isnative)


def _read(values: ArrayLike, names: Sequence[str], _: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    for start in range(0, values.shape[0], _ROWS):
        yield _batch(np.asarray(values[start : start + _ROWS]), names)


def _batch(block: npt.NDArray[Any], names: Sequence[str]) -> pa.RecordBatch:
    block = block.astype(block.dtype.newbyteorder("="))
    if block.dtype.names:
        columns = [block[name] for name in names]
    elif block.ndim == 1:
        columns = [block]
    else:
        columns = [block[:, index] for index in range(block.shape[1])]
    return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], list(names))


def fields_left_out(values: ArrayLike, names: Sequence[str]) -> tuple[str, ...]:
    """Say which fields of a record array are no columns."""
    fields: Mapping[str, Any] = values.dtype.fields or {}
    return tuple(
        f"field {name!r}: elements of type {kind[0]}, left out"
        for name, kind in fields.items()
        if name not in names
    )
