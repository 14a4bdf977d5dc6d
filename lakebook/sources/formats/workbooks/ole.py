"""The old container of .xls files: is it sound, and which of its cells hold errors.

A chain of sectors that runs in a circle makes the cell reader fill the memory until the process dies, so
every chain is followed here first. Error cells are read from the records, since the cell reader gives
blank cells for them. Values are not read here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from lakebook.errors import SourceError

_END = 0xFFFFFFFE
_MOST_SECTORS = 0xFFFFFFF0
_HEADER_FAT = 109
_BOOKS = ("Workbook", "Book")
_ERRORS = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!",
    0x2A: "#N/A",
}  # fmt: skip
_FORMULA, _BOOLERR, _BOUNDSHEET, _BOF, _EOF = 0x0006, 0x0205, 0x0085, 0x0809, 0x000A


def error_text(code: int) -> str:
    """Return how a spreadsheet shows an error."""
    return _ERRORS.get(code, "#ERROR")


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    start: int
    size: int


class Ole:
    """A container whose chains of sectors were all followed to their ends."""

    def __init__(self, path: Path) -> None:
        """Read the container.

        Raises:
            SourceError: it is damaged.
        """
        self._data = path.read_bytes()
        try:
            self._read_tables()
        except (struct.error, IndexError, ValueError) as error:
            reason = str(error) if isinstance(error, ValueError) else "a table of it is cut off"
            raise SourceError(f"the workbook is damaged ({reason}).", where=path.name) from error

    def errors(self) -> list[dict[tuple[int, int], str]]:
        """Return the error cells of each sheet, in the order of the sheets; empty if they cannot be read."""
        book = next((entry for entry in self._entries if entry.name in _BOOKS), None)
        if book is None:
            return []
        try:
            return _sheet_errors(self._stream(book))
        except (struct.error, IndexError, ValueError):
            return []

    # --- container ------------------------------------------------------------------------------------------

    def _read_tables(self) -> None:
        shift, mini_shift = struct.unpack_from("<HH", self._data, 30)
        if not 7 <= shift <= 16 or mini_shift >= shift:
            raise ValueError("its sectors have no size")
        self._size, self._mini_size = 1 << shift, 1 << mini_shift
        fat_count, directory = struct.unpack_from("<I", self._data, 44)[0], self._u32(48)
        self._small, mini_start, difat = self._u32(56), self._u32(60), self._u32(68)
        numbers = list(struct.unpack_from(f"<{_HEADER_FAT}I", self._data, 76))
        seen: set[int] = set()
        while difat < _MOST_SECTORS:
            if difat in seen:
                raise ValueError("a chain of sectors runs in a circle")
            seen.add(difat)
            *more, difat = self._words(difat)
            numbers += more
        fat: list[int] = []
        for number in [number for number in numbers if number < _MOST_SECTORS][:fat_count]:
            fat += self._words(number)
        self._fat = fat
        folder = b"".join(map(self._sector, self._chain(directory, fat)))
        entries = [self._entry(folder[at : at + 128]) for at in range(0, len(folder) - 127, 128)]
        self._entries = [entry for entry in entries if entry is not None]
        self._mini_fat = [word for number in self._chain(mini_start, fat) for word in self._words(number)]
        root = self._entries[0]
        self._mini_stream = b"".join(map(self._sector, self._chain(root.start, fat)))
        for entry in self._entries[1:]:
            is_small = entry.size < self._small
            chain = self._chain(entry.start, self._mini_fat if is_small else self._fat)
            if entry.name in _BOOKS and not is_small:
                self._sector(max(chain, default=0))

    def _u32(self, offset: int) -> int:
        return int(struct.unpack_from("<I", self._data, offset)[0])

    def _sector(self, number: int) -> bytes:
        start = (number + 1) * self._size
        if start >= len(self._data):
            raise ValueError("a sector beyond the end of the file")
        return self._data[start : start + self._size]

    def _words(self, number: int) -> tuple[int, ...]:
        sector = self._sector(number).ljust(self._size, b"\xff")
        return struct.unpack(f"<{self._size // 4}I", sector)

    def _chain(self, start: int, table: list[int]) -> list[int]:
        """Follow a chain; its end, or a sector that the table does not have, ends it."""
        chain: list[int] = []
        while start < len(table):
            chain.append(start)
            if len(chain) > len(table):
                raise ValueError("a chain of sectors runs in a circle")
            start = table[start]
        return chain

    def _entry(self, raw: bytes) -> _Entry | None:
        length, kind = struct.unpack_from("<HB", raw, 64)
        if kind not in (1, 2, 5):
            return None
        name = raw[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
        start, size = struct.unpack_from("<II", raw, 116)
        # storages have no content; some writers leave anything in their fields
        return _Entry(name, start if kind != 1 else _END, size if kind != 1 else 0)

    def _stream(self, entry: _Entry) -> bytes:
        if entry.size >= self._small:
            return b"".join(map(self._sector, self._chain(entry.start, self._fat)))[: entry.size]
        size = self._mini_size
        chain = self._chain(entry.start, self._mini_fat)
        return b"".join(self._mini_stream[at * size : (at + 1) * size] for at in chain)[: entry.size]


def _sheet_errors(stream: bytes) -> list[dict[tuple[int, int], str]]:
    offsets = []
    for kind, at, _ in _records(stream, 0):
        if kind == _BOUNDSHEET:
            offsets.append(struct.unpack_from("<I", stream, at)[0])
    return [_errors_from(stream, offset) for offset in offsets]


def _errors_from(stream: bytes, offset: int) -> dict[tuple[int, int], str]:
    found: dict[tuple[int, int], str] = {}
    for kind, at, size in _records(stream, offset):
        if kind == _FORMULA and size >= 14:
            row, column, _, result, _, code, _, mark = struct.unpack_from("<HHHBBB3sH", stream, at)
            if mark == 0xFFFF and result == 2:
                found[row, column] = error_text(code)
        elif kind == _BOOLERR and size >= 8:
            row, column, _, code, is_error = struct.unpack_from("<HHHBB", stream, at)
            if is_error:
                found[row, column] = error_text(code)
    return found


def _records(stream: bytes, offset: int) -> list[tuple[int, int, int]]:
    """Return the records of a part of the stream as (kind, where the content begins, length)."""
    found = []
    depth = 0
    while offset + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, offset)
        depth += (kind == _BOF) - (kind == _EOF)
        if kind in (_FORMULA, _BOOLERR, _BOUNDSHEET):
            found.append((kind, offset + 4, size))
        offset += 4 + size
        if depth <= 0:
            break
    return found
