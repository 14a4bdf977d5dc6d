"""What the XML of an xlsx file says and the cell reader does not: errors, formulas without a value, formats.

The cell reader gives an empty cell for an error and for a formula that was never calculated. Neither may
pass for a missing value without a word, so the sheets' XML is scanned for them, as bytes and in blocks,
since a full parse would cost more than reading the cells.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from lxml import etree

from lakebook.sources.formats.workbooks.grid import DefinedTable, Formats, box_of, position

_BLOCK = 1 << 20
_ERROR = re.compile(rb'<(?:\w+:)?c\s([^>]*\bt="e"[^>]*)>(.*?)</(?:\w+:)?c>', re.DOTALL)
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)(.*?)</(?:\w+:)?c>", re.DOTALL
)
_VALUE = re.compile(rb"<(?:\w+:)?(?:v|t)(?:\s[^>]*)?>([^<]*)<")
_REFERENCE = re.compile(rb'\br="([A-Z]{1,3}\d{1,7})"')
_STYLE = re.compile(rb'\bs="(\d+)"')
_COLUMN = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})\d')
_SOLID = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"[^>]*(?<!/)>(?!</)')
_ROW = re.compile(rb'<(?:\w+:)?row\s[^>]*?\br="(\d+)"')
_HIDDEN = re.compile(rb'<(?:\w+:)?row\s[^>]*\bhidden="(?:1|true)"')
_CELL_VALUE = re.compile(rb"<(?:\w+:)?(?:v|is|f)\b[^>]*>")
_BUILT_IN_PERCENT = {9, 10}


@dataclass(slots=True)
class Marks:
    """What was found in one sheet.

    Attributes:
        errors: (row, column) -> text of the error. uncalculated: formulas without a stored value.
        formulas, zeros: number of formulas, and of those whose stored value is 0.
        unplaced: cells of these kinds whose place the file does not state.
        rows, columns: extent of the sheet. hidden_rows: rows that a reader of the workbook does not see.
    """

    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    uncalculated: set[tuple[int, int]] = field(default_factory=set)
    formulas: int = 0
    zeros: int = 0
    unplaced: int = 0
    rows: int = 0
    columns: int = 0
    cells: int = 0
    hidden_rows: int = 0
    formats: Formats = field(default_factory=Formats)


class Package:
    """The parts of an xlsx file, found by the names of its sheets. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the package and read which part holds which sheet.

        Raises:
            OSError, zipfile.BadZipFile, KeyError, etree.XMLSyntaxError: it is no such package.
        """
        self._zip = zipfile.ZipFile(path)
        self._names = {name.lower().lstrip("/"): name for name in self._zip.namelist()}
        self._parts = self._sheet_parts()
        self._styles = self._interesting_styles()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._zip.close()

    def knows(self, sheet: str) -> bool:
        """Return True if the part that holds the sheet was found."""
        return sheet in self._parts

    def is_empty(self, sheet: str) -> bool:
        """Return True if no cell of the sheet holds a value; False where that is not known."""
        part = self._parts.get(sheet)
        return part is not None and not any(_CELL_VALUE.search(block) for block in self._blocks(part))

    def marks(self, sheet: str) -> Marks | None:
        """Scan a sheet; None if its part is not to be found or not in plain UTF-8."""
        part = self._parts.get(sheet)
        if part is None:
            return None
        marks = Marks()
        columns: set[bytes] = set()
        for block in self._blocks(part):
            if block[:2] in (b"\xff\xfe", b"\xfe\xff"):
                return None
            self._scan(block, marks, columns)
        marks.columns = max((_column(name) + 1 for name in columns), default=0)
        return marks

    def extent(self, sheet: str) -> tuple[int, int]:
        """Return how many rows and columns reach from A1 to the last cell that is not blank."""
        rows = columns = 0
        for block in self._blocks(self._parts[sheet]):
            for name, row in _SOLID.findall(block):
                rows = max(rows, int(row))
                columns = max(columns, _column(name) + 1)
        return rows, columns

    def tables(self, sheet: str) -> tuple[DefinedTable, ...]:
        """Return the tables that are declared on a sheet."""
        part = self._parts.get(sheet)
        if part is None:
            return ()
        found = []
        for kind, target in self._relations(part).values():
            if kind.endswith("/table") and (root := self._xml(target)) is not None:
                box = box_of(root.get("ref", ""))
                if box is not None:
                    totals = int(root.get("totalsRowCount", "0"))
                    found.append(DefinedTable(box, int(root.get("headerRowCount", "1")), totals))
        return tuple(sorted(found, key=lambda table: (table.box.top, table.box.left)))

    # --- parts ----------------------------------------------------------------------------------------------

    def _xml(self, name: str) -> etree._Element | None:
        known = self._names.get(name.lower().lstrip("/"))
        if known is None:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
        return etree.fromstring(self._zip.read(known), parser)

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        folder, name = posixpath.split(part)
        root = self._xml(f"{folder}/_rels/{name}.rels")
        found = {}
        for item in root if root is not None else ():
            target = item.get("Target", "")
            whole = target if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found[item.get("Id", "")] = (item.get("Type", ""), whole.lstrip("/"))
        return found

    def _sheet_parts(self) -> dict[str, str]:
        relations = self._relations("xl/workbook.xml")
        root = self._xml("xl/workbook.xml")
        parts = {}
        for item in root.iter() if root is not None else ():
            if isinstance(item.tag, str) and etree.QName(item).localname == "sheet":
                identity = next((value for key, value in item.attrib.items() if str(key).endswith("}id")), "")
                if identity in relations:
                    parts[item.get("name", "")] = relations[identity][1]
        return parts

    def _blocks(self, part: str) -> Iterator[bytes]:
        """Read a sheet in blocks that end before a row begins."""
        known = self._names.get(part.lower())
        if known is None:
            return
        with self._zip.open(known) as stream:
            rest = b""
            while read := stream.read(_BLOCK):
                rest += read
                cut = max(rest.rfind(b"<row"), rest.rfind(b":row ") - 4)
                if cut > 0:
                    yield rest[:cut]
                    rest = rest[cut:]
            if rest:
                yield rest

    def _interesting_styles(self) -> dict[bytes, int]:
        """Return style -> 0 for percent, or the number of digits to which it pads with zeros."""
        root = self._xml("xl/styles.xml")
        if root is None:
            return {}
        codes: dict[int, str] = {}
        styles: dict[bytes, int] = {}
        for item in root.iter("{*}numFmt"):
            codes[int(item.get("numFmtId", "0"))] = item.get("formatCode", "")
        for cell_formats in root.iter("{*}cellXfs"):
            for index, item in enumerate(cell_formats.iterchildren("{*}xf")):
                number = int(item.get("numFmtId", "0"))
                code = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", codes.get(number, ""))
                if number in _BUILT_IN_PERCENT or "%" in code:
                    styles[str(index).encode()] = 0
                elif re.fullmatch(r"0{2,}", code.strip()):
                    styles[str(index).encode()] = len(code.strip())
        return styles

    # --- scanning -------------------------------------------------------------------------------------------

    def _scan(self, block: bytes, marks: Marks, columns: set[bytes]) -> None:
        rows = _ROW.findall(block)
        marks.rows = max([marks.rows, *map(int, rows[-1:])])
        found = _COLUMN.findall(block)
        marks.cells += len(found)
        columns.update(found)
        if b"hidden=" in block:
            marks.hidden_rows += len(_HIDDEN.findall(block))
        if b't="e"' in block:
            _errors(block, marks)
        if b"<f" in block or b":f" in block:
            _formulas(block, marks)
        if self._styles:
            self._formats(block, marks)

    def _formats(self, block: bytes, marks: Marks) -> None:
        wanted = b"|".join(self._styles)
        for match in re.finditer(rb'<(?:\w+:)?c\s([^>]*\bs="(?:' + wanted + rb')"[^>]*)>', block):
            place, style = _place(match[1]), _STYLE.search(match[1])
            if place is None or style is None:
                continue
            row, column = place
            digits = self._styles[style[1]]
            if digits:
                marks.formats.padded.setdefault(column, {})[row] = digits
            else:
                marks.formats.percent.setdefault(column, []).append(row)


def _errors(block: bytes, marks: Marks) -> None:
    for match in _ERROR.finditer(block):
        place, value = _place(match[1]), _VALUE.search(match[2])
        if place is None:
            marks.unplaced += 1
        else:
            marks.errors[place] = value[1].decode("utf-8", "replace") if value else "#ERROR"


def _formulas(block: bytes, marks: Marks) -> None:
    for match in _FORMULA.finditer(block):
        marks.formulas += 1
        value = _VALUE.search(match[2])
        text = value[1] if value else b""
        marks.zeros += text == b"0"
        if text or b't="str"' in match[1] or b't="e"' in match[1]:
            continue
        place = _place(match[1])
        if place is None:
            marks.unplaced += 1
        else:
            marks.uncalculated.add(place)


def _place(attributes: bytes) -> tuple[int, int] | None:
    match = _REFERENCE.search(attributes)
    return position(match[1].decode()) if match else None


def _column(name: bytes) -> int:
    place = position(name.decode() + "1")
    return place[1] if place else 0
