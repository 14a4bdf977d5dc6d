"""What the XML of an ods file says and the cell reader does not: merged ranges and error cells."""

from __future__ import annotations

import zipfile
from pathlib import Path

from lxml import etree

from lakebook.sources.formats.workbooks.grid import Box

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_CALC_TYPE = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
# A sheet ends with rows that repeat to the last possible one.
_MOST_REPEATED = 1 << 20

Found = tuple[list[Box], dict[tuple[int, int], str]]


def read_spans(path: Path) -> dict[str, Found]:
    """Return the merged ranges and the error cells of each sheet by its name; {} if there are none.

    Raises:
        OSError, ValueError, KeyError, zipfile.BadZipFile, etree.XMLSyntaxError: the file is damaged.
    """
    with zipfile.ZipFile(path) as archive:
        content = archive.read("content.xml")
    if b"-spanned=" not in content and b'value-type="error"' not in content:
        return {}
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    return {sheet.get(f"{_TABLE}name", ""): _sheet(sheet) for sheet in root.iter(f"{_TABLE}table")}


def _sheet(sheet: etree._Element) -> Found:
    merges: list[Box] = []
    errors: dict[tuple[int, int], str] = {}
    row = 0
    for line in sheet.iter(f"{_TABLE}table-row"):
        column = 0
        for cell in line.iterchildren(*_CELLS):
            down = _number(cell, "number-rows-spanned")
            across = _number(cell, "number-columns-spanned")
            if down > 1 or across > 1:
                merges.append(Box(row, column, row + down, column + across))
            if cell.get(_CALC_TYPE) == "error":
                text = cell.find(f"{_TEXT}p")
                errors[row, column] = "#ERROR" if text is None else "".join(map(str, text.itertext()))
            column += _number(cell, "number-columns-repeated")
        row += _number(line, "number-rows-repeated")
        if row >= _MOST_REPEATED:
            break
    return merges, errors


def _number(element: etree._Element, name: str) -> int:
    return int(element.get(f"{_TABLE}{name}", "1"))
