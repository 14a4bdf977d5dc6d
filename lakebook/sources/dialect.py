"""Find out how a delimited text is written: encoding, delimiter, quote, banner, header.

Decided from the first 256 KB, except the encoding, which is checked against the whole content. Whatever is
decided here is checked again by the reader, which counts every row that does not fit.
"""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import charset_normalizer

from lakebook.sources.peek import Peek

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_RECORDS = 2_000
_MOST = 0.6
_TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_DATA_CELL = re.compile(r"\s*(?:[+-]?[$€£]?\d[\d.,:/ T+-]*%?Z?|)\s*")
# Encodings for which one byte pattern is clearly that language; Western text is taken as cp1252.
_DISTINCT = frozenset(
    {
        "big5",
        "gb18030",
        "gbk",
        "gb2312",
        "shift_jis",
        "cp932",
        "euc_jp",
        "euc_kr",
        "cp949",
        "cp1251",
        "koi8_r",
        "cp1253",
        "cp1255",
        "cp1256",
    }
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited text is written.

    Attributes:
        width: number of fields of a row. header: index of the header record, -1 if there is none.
        names: the header's names, "" where there is none, as many as `width`.
        irregular: the header has one field less, or an empty one more, than the rows.
    """

    delimiter: str
    width: int
    header: int
    names: tuple[str, ...]
    irregular: bool = False


def find_encoding(file: Peek) -> tuple[str, str]:
    """Return the encoding and, if it is a guess, a warning that says so."""
    head = file.head
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig", ""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", ""
    if b"\x00" in head[:4096]:
        little = head[1:4096:2].count(0) >= head[0:4096:2].count(0)
        return ("utf-16-le" if little else "utf-16-be"), "UTF-16 without a byte-order mark"
    strange = _first_strange_bytes(file)
    if strange is None:
        return "utf-8", ""
    return _guess(strange)


def _first_strange_bytes(file: Peek) -> bytes | None:
    """Return bytes around the first place that is not UTF-8, None if all of the content is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with file.open() as stream:
        while chunk := stream.read(1 << 20):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                start = max(0, error.start - 2_000)
                return chunk[start : start + 64_000]
    return None if not decoder.getstate()[0] else decoder.getstate()[0]


def _guess(sample: bytes) -> tuple[str, str]:
    best = charset_normalizer.from_bytes(sample).best()
    if best is not None and best.encoding in _DISTINCT:
        return best.encoding, f"not UTF-8; the bytes fit {best.encoding}, which is a guess"
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1", "not UTF-8; read as latin-1, which is a guess"
    return "cp1252", "not UTF-8; read as cp1252 (Western European), which is a guess"


def sample_lines(file: Peek, encoding: str) -> list[str]:
    """Return the complete lines at the start of the content."""
    text = file.head.decode(encoding, errors="replace").removeprefix("\ufeff")
    lines = text.splitlines(keepends=True)
    return lines[:-1] if len(file.head) >= 1 << 18 and len(lines) > 1 else lines


def find_dialect(lines: Sequence[str], suffix: str) -> Dialect | None:
    """Return the dialect of a delimited text, None if the lines are no table.

    Args:
        lines: lines from the start of the content.
        suffix: of the file's name; only a name that says "table" makes one of a single column.
    """
    scored = []
    for rank, delimiter in enumerate(_DELIMITERS):
        records = _records(lines, delimiter)
        width, share = _modal_width(records)
        if width >= 2 and share >= _MOST:
            scored.append((round(share, 1), width, -rank, delimiter, records))
    if scored:
        _share, width, _rank, delimiter, records = max(scored, key=lambda item: item[:3])
        if suffix in _TABLE_SUFFIXES or _is_surely_table(records, width, delimiter):
            return _with_header(records, width, delimiter)
    if suffix in _TABLE_SUFFIXES:
        records = _records(lines, ",")
        width, _share = _modal_width(records)
        return _with_header(records, width, ",") if width else None
    return None


def _is_surely_table(records: Sequence[Sequence[str]], width: int, delimiter: str) -> bool:
    """Prose has commas too: without a telling name, ask for many equal rows of short cells."""
    fitting = [record for record in records if len(record) == width]
    if len(fitting) < 2 or (width == 2 and delimiter != "\t"):
        return False
    cells = [cell for record in fitting for cell in record]
    if delimiter == "," and sum(len(cell.split()) <= 1 for cell in cells) < 0.5 * len(cells):
        return False
    long_cells = sum(len(cell.split()) > 8 for cell in cells)
    return len(fitting) >= 0.9 * len(records) and long_cells < 0.2 * len(cells)


def _records(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    records = []
    try:
        for record in csv.reader(lines, delimiter=delimiter):
            records.append(record)
            if len(records) >= _SAMPLE_RECORDS:
                break
    except csv.Error:
        return records
    return records


def _modal_width(records: Sequence[Sequence[str]]) -> tuple[int, float]:
    widths = Counter(len(record) for record in records if record)
    if not widths:
        return 0, 0.0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    return width, count / sum(widths.values())


def _with_header(records: Sequence[Sequence[str]], width: int, delimiter: str) -> Dialect:
    first = next((index for index, record in enumerate(records) if _can_be_header(record, width)), None)
    if first is None:
        first = next(index for index, record in enumerate(records) if len(record) == width)
    data = [record for record in records[first + 1 :] if len(record) == width]
    odd = _odd_header(records, first, width)
    if odd is not None:
        return Dialect(delimiter, width, first - 1, odd, irregular=True)
    if not _is_header(records[first], data):
        return Dialect(delimiter, width, -1, tuple(f"column_{n}" for n in range(1, width + 1)))
    return Dialect(delimiter, width, first, tuple(records[first]))


def _can_be_header(record: Sequence[str], width: int) -> bool:
    """A title in a spreadsheet export fills one cell of many; a header fills most."""
    filled = sum(1 for cell in record if cell.strip())
    return len(record) == width and filled >= max(1, min(2, width), 0.5 * width)


def _odd_header(records: Sequence[Sequence[str]], first: int, width: int) -> tuple[str, ...] | None:
    """Return the names of a header with one field too few or, the last one empty, one too many."""
    if first == 0 or width < 3 or not any(_DATA_CELL.fullmatch(cell) for cell in records[first]):
        return None
    above = list(records[first - 1])
    if len(above) == width + 1 and not above[-1].strip():
        above.pop()
    elif len(above) != width - 1:
        return None
    if not all(cell.strip() and not _DATA_CELL.fullmatch(cell) for cell in above):
        return None
    if len(above) == width:
        return tuple(above)
    return (*above, "") if _ends_empty(records[first:], width) else ("", *above)


def _ends_empty(records: Sequence[Sequence[str]], width: int) -> bool:
    return all(not record[-1].strip() for record in records if len(record) == width)


def _is_header(first: Sequence[str], data: Sequence[Sequence[str]]) -> bool:
    """A header is text above numbers; a first row that looks like all others is data."""
    if not data:
        return not all(map(_DATA_CELL.fullmatch, first))
    tells_header = tells_data = 0
    for index, cell in enumerate(first):
        below = [record[index] for record in data[:200] if record[index].strip()]
        if not below or not cell.strip():
            continue
        numeric = sum(1 for text in below if _DATA_CELL.fullmatch(text)) >= 0.8 * len(below)
        if numeric and not _DATA_CELL.fullmatch(cell):
            tells_header += 1
        elif numeric or cell in below:
            tells_data += 1
    if tells_header or tells_data == 0:
        return True
    numbers = [cell for cell in first if _DATA_CELL.fullmatch(cell) and cell.strip()]
    if numbers:
        return len(numbers) < len(first) and _are_years(numbers)
    return len(set(first)) == len(first) and tells_data < len(first) / 2


def _are_years(cells: Sequence[str]) -> bool:
    """Years in rising order are labels of columns, not values."""
    years = [int(cell) for cell in cells if re.fullmatch(r"\s*(1[89]|20|21)\d\d\s*", cell)]
    return len(years) == len(cells) > 1 and all(one < two for one, two in itertools.pairwise(years))
