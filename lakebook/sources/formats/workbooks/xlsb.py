"""What the records of an xlsb file say and the cell reader does not: merged ranges and error cells.

The content of the sheets is read by the cell reader; here only the records of these two kinds are taken.
"""

from __future__ import annotations

import posixpath
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from lakebook.sources.formats.workbooks.grid import Box
from lakebook.sources.formats.workbooks.ole import error_text

_ROW, _ERROR, _FORMULA_ERROR, _SHEET, _MERGED = 0, 3, 11, 156, 176

Found = tuple[list[Box], dict[tuple[int, int], str]]


def read_records(path: Path) -> dict[str, Found]:
    """Return the merged ranges and the error cells of each sheet by its name.

    Raises:
        OSError, ValueError, KeyError, struct.error, zipfile.BadZipFile, etree.XMLSyntaxError: damaged.
    """
    with zipfile.ZipFile(path) as archive:
        relations = etree.fromstring(archive.read("xl/_rels/workbook.bin.rels"))
        parts = {item.get("Id", ""): item.get("Target", "") for item in relations}
        found = {}
        for kind, content in _records(archive.read("xl/workbook.bin")):
            if kind == _SHEET:
                identity, end = _text(content, 8)
                name, _ = _text(content, end)
                target = parts.get(identity, "")
                part = target.lstrip("/") if target.startswith("/") else posixpath.join("xl", target)
                if posixpath.basename(posixpath.dirname(part)) == "worksheets":
                    found[name] = _sheet(archive.read(posixpath.normpath(part)))
        return found


def _sheet(content: bytes) -> Found:
    merges: list[Box] = []
    errors: dict[tuple[int, int], str] = {}
    row = 0
    for kind, record in _records(content):
        if kind == _ROW:
            row = struct.unpack_from("<I", record)[0]
        elif kind in (_ERROR, _FORMULA_ERROR):
            column, _, code = struct.unpack_from("<IIB", record)
            errors[row, column] = error_text(code)
        elif kind == _MERGED:
            top, bottom, left, right = struct.unpack_from("<IIII", record)
            merges.append(Box(top, left, bottom + 1, right + 1))
    return merges, errors


def _records(content: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(content):
        kind = content[at]
        at += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (content[at] << 7)
            at += 1
        size = shift = 0
        while True:
            byte = content[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80 or shift > 21:
                break
        yield kind, content[at : at + size]
        at += size


def _text(content: bytes, at: int) -> tuple[str, int]:
    length = struct.unpack_from("<I", content, at)[0]
    end = at + 4 + 2 * length
    return content[at + 4 : end].decode("utf-16-le"), end
