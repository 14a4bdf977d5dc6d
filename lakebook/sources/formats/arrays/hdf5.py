"""HDF5 and netCDF-4 files: every dataset is an array or, where it is flat records, a table.

Datasets with dimension scales (as netCDF-4 has them) go through `grid`. Links to other files, and datasets
whose values lie in other files, are never followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from lakebook.errors import SourceError
from lakebook.sources.formats.arrays.array_table import (
    ArrayLike,
    array_attributes,
    column_names,
    fields_left_out,
    table_source,
    text_of,
)
from lakebook.sources.formats.arrays.grid import Variable, grid_readings
from lakebook.sources.formats.columnar.arrow_table import arrow_reading
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_HIDDEN = ("_Netcdf4", "CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_NCProperties")
_NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"


class Hdf5:
    """Reads HDF5 files, one unit a dataset or a group of variables over one dimension."""

    format = "hdf5"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content is HDF5."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the datasets, those over a shared dimension as one table."""
        try:
            import h5py
        except ImportError as error:
            raise SourceError(
                "to read HDF5, h5py is needed.",
                where=file.relative,
                hint='pip install "lakebook[formats]"',
            ) from error
        try:
            with h5py.File(file.path, "r") as opened:
                datasets, problems = _datasets(opened, h5py)
                for name, problem in problems:
                    yield Part(file, name, partial(_failed, name, problem))
                gridded = [item for item in datasets if _scales(item)]
                rest = [item for item in datasets if not _scales(item)]
                if not datasets and not problems:
                    raise SourceError("it holds no dataset.", where=file.relative)
                variables = [_variable(item) for item in gridded if not _is_bare(item)]
                code = ["import h5py", f"with h5py.File({data_file(file.relative)}) as file:"]
                for name, reading in grid_readings(variables, code):
                    yield Part(file, name, reading)
                for item in rest:
                    yield Part(file, _name(item), partial(_dataset, file, item))
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise SourceError(f"damaged or cut off ({_first_line(error)}).", where=file.relative) from error

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one table or describe one array."""
        try:
            reading: Reading = part.content(budget)
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            return Reading(unit=part.name, problem=f"it cannot be read ({_first_line(error)})")
        return reading


def _failed(name: str, problem: str, _: Budget) -> Reading:
    return Reading(unit=name, problem=problem)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _datasets(opened: Any, h5py: Any) -> tuple[list[Any], list[tuple[str, str]]]:
    """Return the datasets that can be read, and why others cannot; links are not followed."""
    found: list[Any] = []
    problems: list[tuple[str, str]] = []

    def visit(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        if item.external or (item.is_virtual and any(s.file_name != "." for s in item.virtual_sources())):
            problems.append((name, "its values lie in another file, which is not opened"))
        else:
            found.append(item)

    opened.visititems(visit)
    return found, problems


def _name(item: Any) -> str:
    return str(item.name).removeprefix("/")


def _is_bare(item: Any) -> bool:
    """Return True for a dimension that has a length, but no values."""
    return bytes(item.attrs.get("NAME", b"")).startswith(_NO_VARIABLE)


def _scales(item: Any) -> tuple[str, ...]:
    """Return the dimensions of a dataset that has any, () for others."""
    if item.attrs.get("CLASS") == b"DIMENSION_SCALE":
        if "_Netcdf4Coordinates" in item.attrs and len(item.shape) > 1:
            return (_name(item), *("" for _ in item.shape[1:]))
        return (_name(item),)
    names = [_name(dimension[0]) if len(dimension) else "" for dimension in item.dims]
    return tuple(names) if any(names) else ()


def _variable(item: Any) -> Variable:
    name = _name(item)
    values = _Strings(item) if item.dtype.kind == "O" else item
    code = f"file[{literal(name)}]"
    return Variable(
        name=name,
        values=cast("ArrayLike", values),
        code=f"{code}.asstr()[:]" if item.dtype.kind == "O" else f"{code}[:]",
        dimensions=_scales(item),
        attributes=_attributes(item),
    )


def _attributes(item: Any) -> dict[str, Any]:
    return {key: value for key, value in item.attrs.items() if not key.startswith(_HIDDEN)}


class _Strings:
    """A dataset of texts of any length, read as fixed ones."""

    dtype: np.dtype[Any] = np.dtype("U1")

    def __init__(self, item: Any) -> None:
        self._item, self.shape = item, tuple(item.shape)

    def __getitem__(self, key: Any) -> Any:
        found = np.asarray(self._item.asstr()[key])
        return found.astype(str) if found.size else found.astype("U1")


def _dataset(file: Peek, item: Any, budget: Budget) -> Reading:
    """Read a dataset without dimensions: records as a table, all else as an array."""
    name = _name(item)
    extra = [(key, text_of(value)) for key, value in _attributes(item).items()][:20]
    if item.shape is None:
        return Reading(unit=name, kind="array", attributes=(("shape", "no values"), *extra))
    values = cast("ArrayLike", item)
    names = column_names(values) if item.dtype.names else ()
    if not names:
        return Reading(unit=name, kind="array", attributes=(*array_attributes(values), *extra))
    load = [
        "import h5py",
        "",
        f"with h5py.File({data_file(file.relative)}) as file:\n    values = file[{literal(name)}][:]",
    ]
    found = arrow_reading(table_source(values, names, load), budget, name)
    return replace(
        found,
        attributes=(*array_attributes(values), *extra),
        skipped=(*found.skipped, *fields_left_out(values, names)),
    )
