"""Files of statistics programs: Stata (.dta) and SAS (.sas7bdat, .xpt), with the labels that they carry.

pandas reads them without running anything. SPSS, R and pickled data are refused elsewhere, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import pyarrow as pa

from lakebook.errors import SourceError
from lakebook.sources.formats.columnar.arrow_table import ArrowSource, arrow_reading
from lakebook.sources.load_code import data_file
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

MOST_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class _Frame:
    """What was read: the rows, and what the file says of itself and its columns."""

    frame: pd.DataFrame
    code: str
    attributes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


class StatisticsFile:
    """Reads one format of a statistics program: "stata", "sas" or "sas transport"."""

    def __init__(self, name: str) -> None:
        self.format = name
        readers: dict[str, Callable[[Peek], _Frame]] = {"stata": _stata, "sas": _sas, "sas transport": _xport}
        self._read = readers[name]

    def can_read(self, file: Peek) -> bool:
        """Return True if the content is of this program."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one table of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the table."""
        file = part.file
        if file.size > MOST_BYTES:
            raise SourceError(
                f"more than {MOST_BYTES >> 30} GB of this format are not read.",
                where=file.relative,
                hint="Save it as Parquet.",
            )
        try:
            read = self._read(file)
            table = pa.Table.from_pandas(read.frame, preserve_index=False)
        except (ValueError, KeyError, IndexError, TypeError, OSError, EOFError, OverflowError) as error:
            cause = (str(error).splitlines() or [type(error).__name__])[0]
            raise SourceError(f"damaged or of an unknown version ({cause}).", where=file.relative) from error
        except Exception as error:  # pandas raises struct.error and its own kinds on damage
            if type(error).__module__.partition(".")[0] not in ("struct", "pandas", "pyarrow"):
                raise
            raise SourceError(f"damaged or cut off ({error}).", where=file.relative) from error
        source = ArrowSource(
            schema=table.schema,
            rows=table.num_rows,
            bytes=table.nbytes,
            read=lambda _: iter(table.to_batches()),
            load=[
                "import pyarrow as pa",
                "",
                f"table = pa.Table.from_pandas({read.code}, preserve_index=False)",
            ],
        )
        found = arrow_reading(source, budget)
        return replace(found, attributes=read.attributes, warnings=(*found.warnings, *read.warnings))


def _stata(file: Peek) -> _Frame:
    place = data_file(file.relative)
    with pd.read_stata(file.path, iterator=True) as reader:
        labels, title = reader.variable_labels(), reader.data_label
        coded = {name: values for name, values in reader.value_labels().items() if values}
    said = [("title", title)] if title else []
    said += [(f"{name}: label", text) for name, text in labels.items() if text]
    said += [(f"codes {name}", _codes(values)) for name, values in coded.items()]
    attributes = tuple(said)
    try:
        return _Frame(pd.read_stata(file.path), f"pd.read_stata({place})", attributes)
    except ValueError as error:
        if "not unique" not in str(error) and "categor" not in str(error):
            raise
        warning = "labels of values are not unique: the codes are shown, their meaning is in the attributes"
        frame = pd.read_stata(file.path, convert_categoricals=False)
        return _Frame(frame, f"pd.read_stata({place}, convert_categoricals=False)", attributes, (warning,))


def _codes(values: dict[Any, str]) -> str:
    return ", ".join(f"{code} = {text}" for code, text in list(values.items())[:50])


def _sas(file: Peek) -> _Frame:
    options = 'format="sas7bdat", encoding="infer"'
    frame = pd.read_sas(file.path, format="sas7bdat", encoding="infer")
    return _Frame(frame, f"pd.read_sas({data_file(file.relative)}, {options})")


def _xport(file: Peek) -> _Frame:
    options = 'format="xport", encoding="utf-8"'
    try:
        frame = pd.read_sas(file.path, format="xport", encoding="utf-8")
    except UnicodeDecodeError:
        options = 'format="xport", encoding="cp1252"'
        frame = pd.read_sas(file.path, format="xport", encoding="cp1252")
    return _Frame(frame, f"pd.read_sas({data_file(file.relative)}, {options})")
