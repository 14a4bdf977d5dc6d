"""What is known of a workbook beside its values: whichever of the formats it is, asked in one way.

The cell reader gives values and, for some formats, merged ranges. What it leaves out (errors, formulas that
were never calculated, tables, number formats, merged ranges of ods and xlsb) comes from the modules of each
format; damage there costs only this knowledge, and is said.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from contextlib import ExitStack
from typing import Any

from lxml import etree

from lakebook.sources.formats.workbooks.grid import Box, DefinedTable, Unread
from lakebook.sources.formats.workbooks.ods import read_spans
from lakebook.sources.formats.workbooks.ole import Ole
from lakebook.sources.formats.workbooks.xlsb import read_records
from lakebook.sources.formats.workbooks.xlsx import Marks, Package
from lakebook.sources.peek import Peek

_OLE = b"\xd0\xcf\x11\xe0"
_DAMAGE = (
    OSError,
    EOFError,
    KeyError,
    IndexError,
    ValueError,
    RuntimeError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
    etree.LxmlError,
)


class Beside:
    """The knowledge beside the values of one workbook. Use as a context manager.

    Raises:
        SourceError: an old container is so damaged that the cell reader must not see it.
    """

    def __init__(self, file: Peek) -> None:
        """Open what there is beside the values."""
        self._package: Package | None = None
        self._found: dict[str, tuple[list[Box], dict[tuple[int, int], str]]] = {}
        self._errors: list[dict[tuple[int, int], str]] = []
        self._stack = ExitStack()
        self.is_known = True
        if file.head.startswith(_OLE):
            self._errors = Ole(file.path).errors()
            return
        try:
            names = set(zipfile.ZipFile(file.path).namelist())
            if "content.xml" in names:
                self._found = read_spans(file.path)
            elif "xl/workbook.bin" in names:
                self._found = read_records(file.path)
            else:
                self._package = self._stack.enter_context(Package(file.path))
        except _DAMAGE:
            self.is_known = False

    def __enter__(self) -> Beside:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._stack.close()

    def is_empty(self, sheet: str) -> bool | None:
        """Return whether no cell of the sheet holds a value, None where only the cell reader can tell."""
        try:
            if self._package is not None and self._package.knows(sheet):
                return self._package.is_empty(sheet)
        except _DAMAGE:
            self.is_known = False
        return None

    def extent(self, sheet: str) -> tuple[int, int]:
        """Return how many rows and columns reach to the last cell with a value, as far as that is known."""
        if self._package is None or not self._package.knows(sheet):
            return 0, 0
        return self._package.extent(sheet)

    def marks(self, sheet: str, number: int) -> Marks | None:
        """Return the marks of a sheet, given by its name and its place among the sheets; None if unknown."""
        try:
            if self._package is not None:
                return self._package.marks(sheet)
        except _DAMAGE:
            return None
        if sheet in self._found:
            return Marks(errors=self._found[sheet][1])
        if number < len(self._errors):
            return Marks(errors=self._errors[number])
        return Marks() if self.is_known else None

    def merges(self, sheet: str) -> list[Box]:
        """Return the merged ranges that the cell reader does not give."""
        return self._found[sheet][0] if sheet in self._found else []

    def tables(self, sheet: str) -> tuple[DefinedTable, ...]:
        """Return the tables that the workbook declares on the sheet."""
        try:
            return self._package.tables(sheet) if self._package is not None else ()
        except _DAMAGE:
            return ()


def put_marks(cells: list[list[Any]], marks: Marks) -> frozenset[str]:
    """Put errors and formulas without a value in their cells, which the cell reader leaves empty.

    Returns:
        The errors that the cell reader gives as text.
    """
    texts = set()
    unread = [(place, Unread(error)) for place, error in marks.errors.items()]
    unread += [(place, Unread()) for place in marks.uncalculated]
    width = max(map(len, cells), default=0)
    for (row, column), mark in unread:
        while row >= len(cells):
            cells.append([""] * width)
        if column >= width:
            width = column + 1
            for line in cells:
                line.extend([""] * (width - len(line)))
        if cells[row][column] == "":
            cells[row][column] = mark
        elif cells[row][column] == mark.error:
            texts.add(mark.error)
    return frozenset(texts)


def mark_warnings(marks: Marks | None) -> list[str]:
    """Say what a reader must know of a sheet as a whole."""
    if marks is None:
        return ["errors and formulas without a value could not be told from blank cells in this file"]
    warnings = []
    if marks.hidden_rows:
        noun = "row of the sheet is" if marks.hidden_rows == 1 else "rows of the sheet are"
        warnings.append(f"{marks.hidden_rows:,} {noun} hidden, but read like the others")
    if marks.unplaced:
        warnings.append(
            f"{marks.unplaced:,} cells hold an error or a formula without a value: read as missing"
        )
    if marks.zeros > 2 and marks.zeros == marks.formulas:
        warnings.append(
            f"the stored value of every formula ({marks.formulas:,}) is 0: the workbook may never have been"
            " calculated"
        )
    return warnings
