"""NumPy arrays (.npy, .npz): flat ones are tables, others are described.

Nothing is unpickled, since that would run code.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np

from lakebook.errors import SourceError
from lakebook.sources.formats.arrays.array_table import (
    ArrayLike,
    array_attributes,
    array_reading,
    column_names,
    fields_left_out,
    table_source,
)
from lakebook.sources.formats.columnar.arrow_table import arrow_reading
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

MOST_BYTES = 2 << 30
_PICKLED = "it holds Python objects as a pickle: to open it would run code"


class NumpyArray:
    """Reads .npy files."""

    format = "npy"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as NumPy arrays do."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one array of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the array, mapped rather than loaded."""
        place = data_file(part.file.relative)
        try:
            values = np.load(part.file.path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError, OSError, SyntaxError) as error:
            raise _refusal(error, part.file) from error
        load = ["import numpy as np", "", f"values = np.load({place})"]
        return _reading("", values, load, f"np.load({place})", budget)


class NumpyArchive:
    """Reads .npz files, one unit an array."""

    format = "npz"

    def can_read(self, file: Peek) -> bool:
        """Return True for zip containers of NumPy arrays."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the arrays one by one."""
        try:
            with zipfile.ZipFile(file.path) as archive, np.load(file.path, allow_pickle=False) as arrays:
                for info in archive.infolist():
                    yield Part(file, info.filename.removesuffix(".npy"), (arrays, info.file_size))
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise _refusal(error, file) from error

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one array."""
        arrays, size = part.content
        if size > MOST_BYTES:
            return Reading(unit=part.name, problem=f"more than {MOST_BYTES >> 30} GB in one array: not read")
        try:
            values = arrays[part.name]
        except (ValueError, EOFError, OSError, SyntaxError, zipfile.BadZipFile) as error:
            return Reading(unit=part.name, problem=_refusal(error, part.file).message.rstrip("."))
        opened = f"with np.load({data_file(part.file.relative)}) as arrays:"
        load = ["import numpy as np", "", f"{opened}\n    values = arrays[{literal(part.name)}]"]
        return _reading(part.name, values, load, "", budget)


def _refusal(error: BaseException, file: Peek) -> SourceError:
    if "pickle" in str(error) or "Python objects" in str(error):
        return SourceError(
            f"{_PICKLED}.", where=file.relative, hint="Save it without objects, or as Parquet or CSV."
        )
    return SourceError(f"damaged or cut off ({error}).", where=file.relative)


def _reading(unit: str, values: Any, load: list[str], short: str, budget: Budget) -> Reading:
    array = cast("ArrayLike", values)
    names = column_names(array)
    if not names:
        return array_reading(unit, array)
    found = arrow_reading(table_source(array, names, load, short), budget, unit)
    return replace(
        found,
        attributes=array_attributes(array),
        skipped=(*found.skipped, *fields_left_out(array, names)),
    )
