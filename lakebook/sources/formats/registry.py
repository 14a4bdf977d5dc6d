"""The profilers, in the order in which they are asked; the first that can read a file reads it."""

from __future__ import annotations

from lakebook.sources.formats.arrays.hdf5 import Hdf5
from lakebook.sources.formats.arrays.netcdf import NetCdf
from lakebook.sources.formats.arrays.numpy_files import NumpyArchive, NumpyArray
from lakebook.sources.formats.arrays.science import Fits, Matlab
from lakebook.sources.formats.columnar.profiler import Columnar
from lakebook.sources.formats.columnar.statistics_file import StatisticsFile
from lakebook.sources.formats.databases.database import Sqlite
from lakebook.sources.formats.databases.dbase import Dbase
from lakebook.sources.formats.databases.duckdb_file import DuckDb
from lakebook.sources.formats.delimited.profiler import Delimited
from lakebook.sources.formats.documents.document import Document
from lakebook.sources.formats.documents.docx_document import Docx
from lakebook.sources.formats.documents.html_tables import HtmlPage
from lakebook.sources.formats.documents.odt_document import Odt
from lakebook.sources.formats.documents.pdf import Pdf
from lakebook.sources.formats.image import Image
from lakebook.sources.formats.nested.json_records import JsonRecords
from lakebook.sources.formats.nested.xml_records import XmlRecords
from lakebook.sources.formats.packed.archive import Archive
from lakebook.sources.formats.packed.unpacking import Unpacked
from lakebook.sources.formats.workbooks.workbook import Workbook
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Profiler

# Packings that the profilers of text read through; everything else is unpacked before it is read.
_STREAMED = ("gz", "bz2", "zip")


def profiler_for(file: Peek) -> Profiler | None:
    """Return the profiler that reads the file, None if none does."""
    is_streamed = file.magic == "text" and file.compression in _STREAMED
    if not file.compression or is_streamed or file.magic == "tar":
        direct = _first(file)
        if direct is not None or not file.compression:
            return direct
    inner = _first(file.unpacked())
    return None if inner is None else Unpacked(inner, profiler_for)


def _first(file: Peek) -> Profiler | None:
    return next((profiler for profiler in PROFILERS if profiler.can_read(file)), None)


PROFILERS: tuple[Profiler, ...] = (
    Columnar("parquet"),
    Columnar("feather"),
    Columnar("arrow stream"),
    Columnar("orc"),
    Pdf(),
    Docx(),
    Odt(),
    Workbook(),
    Sqlite(),
    DuckDb(),
    NumpyArray(),
    NumpyArchive(),
    Hdf5(),
    NetCdf(),
    Matlab(),
    Fits(),
    StatisticsFile("stata"),
    StatisticsFile("sas"),
    StatisticsFile("sas transport"),
    Dbase(),
    Image(),
    HtmlPage(),
    XmlRecords(),
    JsonRecords(),
    Delimited(),
    Document(),
    Archive("zip", profiler_for),
    Archive("tar", profiler_for),
)
