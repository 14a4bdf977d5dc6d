"""Classic netCDF files: variables over named dimensions, as `grid` makes tables and arrays of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np

from lakebook.errors import SourceError
from lakebook.sources.formats.arrays.grid import Variable, grid_readings
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_CDF5 = b"CDF\x05"


class NetCdf:
    """Reads classic netCDF files; those of version 4 are HDF5."""

    format = "netcdf"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as classic netCDF does."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return a table for each dimension with variables along it, and every other variable."""
        from scipy.io import netcdf_file

        if file.head.startswith(_CDF5):
            raise SourceError(
                "netCDF of the 64-bit data format (CDF-5) is not read.",
                where=file.relative,
                hint="Convert it with nccopy -k nc4.",
            )
        try:
            with closing(netcdf_file(str(file.path), "r", mmap=False, maskandscale=False)) as opened:
                variables = [_variable(name, item) for name, item in opened.variables.items()]
                code = [
                    "from scipy.io import netcdf_file",
                    f"with netcdf_file({data_file(file.relative)}, mmap=False) as file:",
                ]
                for name, reading in grid_readings(variables, code):
                    yield Part(file, name, reading)
        except (ValueError, OSError, EOFError, TypeError, KeyError, IndexError, AssertionError) as error:
            raise SourceError(f"damaged or cut off ({error}).", where=file.relative) from error

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one table or describe one array."""
        reading: Reading = part.content(budget)
        return reading


def _variable(name: str, item: Any) -> Variable:
    values = item[:] if item.shape else np.asarray(item.getValue())
    return Variable(
        name=name,
        values=values,
        code=f"file.variables[{literal(name)}][:].copy()",
        dimensions=tuple(item.dimensions),
        attributes=dict(item._attributes),
    )
