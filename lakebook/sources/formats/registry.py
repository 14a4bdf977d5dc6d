"""The profilers, in the order in which they are asked; the first that can read a file reads it."""

from __future__ import annotations

from lakebook.sources.formats.columnar import Columnar
from lakebook.sources.formats.database import Sqlite
from lakebook.sources.formats.delimited import Delimited
from lakebook.sources.formats.document import Document
from lakebook.sources.formats.json_records import JsonRecords
from lakebook.sources.formats.workbook import Workbook
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Profiler

PROFILERS: tuple[Profiler, ...] = (
    Columnar("parquet"),
    Columnar("feather"),
    Workbook(),
    Sqlite(),
    JsonRecords(),
    Delimited(),
    Document(),
)


def profiler_for(file: Peek) -> Profiler | None:
    """Return the profiler that reads the file, None if none does."""
    return next((profiler for profiler in PROFILERS if profiler.can_read(file)), None)
