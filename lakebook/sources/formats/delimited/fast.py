"""Cut a block of regular lines with Arrow: only where the outcome is surely what Python's `csv` gives.

Whatever is not surely so (a stray quotation mark, a row of another width, a blank line, a comment, NUL) is
left to the exact way of `records`: this module then says None. Nothing is rejected or skipped here but rows
without any value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from lakebook.sources.formats.delimited.dialect import Dialect
from lakebook.sources.formats.delimited.records import SWALLOWED_LINES, SWALLOWED_WIDTH, has_swallowed_rows

# Below this `csv` is as quick, and there is nothing to gain.
WORTHWHILE = 512
_LF, _CR = 10, 13


@dataclass(frozen=True, slots=True)
class Cut:
    """A block, cut into rows.

    Attributes:
        used: bytes of the block that were cut; the rest begins with a record.
        lines: number of lines in them. starts: on which of them (from 0) each row begins, None if row n
            begins on line n.
        hollow: rows without any value, left out of `rows`. longest: bytes of the longest cell.
    """

    rows: pa.RecordBatch
    used: int
    lines: int
    starts: npt.NDArray[np.int64] | None
    hollow: int
    longest: int


def cut_block(block: bytes, dialect: Dialect, *, is_last: bool) -> Cut | None:
    """Cut a block that begins with a record, None if that is a matter for the exact way.

    Args:
        block: UTF-8; ends with a line end unless it is the last.
        dialect: how it is written.
        is_last: the text ends with this block.
    """
    style = dialect.style
    if len(block) < WORTHWHILE or not style.is_plain or b"\x00" in block or _has_comment(block, dialect):
        return None
    quote = style.quote.encode()
    has_quotes = bool(quote) and quote in block
    used = _last_record_end(block, style.delimiter.encode(), quote, is_last) if has_quotes else len(block)
    if not used:
        return None
    part = block if used == len(block) else block[:used]
    columns = _split(part, dialect, has_quotes)
    return _settle(columns, part, dialect, has_quotes) if columns is not None else None


def _has_comment(block: bytes, dialect: Dialect) -> bool:
    mark = dialect.comment.encode()
    return bool(mark) and mark in block


def _last_record_end(block: bytes, delimiter: bytes, quote: bytes, is_last: bool) -> int:
    """Return where the last record ends, 0 if a quotation mark stands where it should not."""
    text = np.frombuffer(block, np.uint8)
    marks = np.flatnonzero(text == quote[0])
    # A doubled mark is a closing one and, right behind it, an opening one.
    is_bound = np.zeros(256, bool)
    is_bound[[delimiter[0], _LF, _CR, quote[0]]] = True
    opens_well = is_bound[text[marks[0::2] - 1]]
    if marks[0] == 0:
        opens_well[0] = True
    closing = marks[1::2]
    closes_well = is_bound[text[np.minimum(closing + 1, len(text) - 1)]]
    if len(closing) and closing[-1] == len(text) - 1:
        closes_well[-1] = is_last
    if not (opens_well.all() and closes_well.all()):
        return 0
    if len(marks) % 2 == 0:
        return len(block)
    return 0 if is_last else _line_end_outside(block, marks)


def _line_end_outside(block: bytes, marks: npt.NDArray[np.int64]) -> int:
    """Return the end of the last line that ends outside quotes."""
    end = int(marks[-1])
    while end > 0:
        end = max(block.rfind(b"\n", 0, end), block.rfind(b"\r", 0, end))
        if end >= 0 and np.searchsorted(marks, end) % 2 == 0:
            return end + 1
    return 0


def _split(part: bytes, dialect: Dialect, has_quotes: bool) -> list[pa.Array] | None:
    names = [str(number) for number in range(dialect.width)]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(part),
            read_options=arrow_csv.ReadOptions(
                use_threads=False, block_size=len(part) + 1, column_names=names
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.style.quote if has_quotes else False,
                newlines_in_values=has_quotes,
            ),
            convert_options=arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowInvalid:
        return None
    return [
        column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in table.columns
    ]


def _settle(columns: list[pa.Array], part: bytes, dialect: Dialect, has_quotes: bool) -> Cut | None:
    """Account for every line of the block; whatever is not a row or part of one is for the exact way."""
    rows = len(columns[0])
    lines = _count_lines(part)
    starts = None
    if lines != rows:
        breaks = _line_breaks(columns) if has_quotes else None
        if breaks is None or lines != rows + int(breaks.sum()) or _has_swallowed(part, breaks, dialect):
            return None
        starts = np.concatenate([[0], np.cumsum(breaks[:-1] + 1)]).astype(np.int64)
    if _repeats_header(columns, dialect) or (dialect.width == 1 and _has_blank_text(columns[0])):
        return None
    batch = pa.RecordBatch.from_arrays(columns, [str(number) for number in range(dialect.width)])
    longest = max(pc.max(pc.binary_length(column)).as_py() or 0 for column in columns)
    hollow = _hollow(columns)
    if not hollow.any():
        return Cut(batch, len(part), lines, starts, 0, longest)
    kept = ~hollow
    starts = (np.arange(rows, dtype=np.int64) if starts is None else starts)[kept]
    return Cut(batch.filter(pa.array(kept)), len(part), lines, starts, int(hollow.sum()), longest)


def _count_lines(part: bytes) -> int:
    lines = int(np.count_nonzero(np.frombuffer(part, np.uint8) == _LF))
    if b"\r" in part:
        lines += part.count(b"\r") - part.count(b"\r\n")
    return lines + (part[-1] not in (_LF, _CR))


def _line_breaks(columns: list[pa.Array]) -> npt.NDArray[np.int64]:
    """Return how many line ends stand inside the cells of each row."""
    total = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        total += pc.count_substring_regex(column, r"\r\n|\r|\n").to_numpy(zero_copy_only=False)
    return total


def _has_swallowed(part: bytes, breaks: npt.NDArray[np.int64], dialect: Dialect) -> bool:
    """Some cell holds lines that are rows themselves: the work of a stray quotation mark."""
    tall = np.flatnonzero(breaks >= SWALLOWED_LINES - 1)
    if not len(tall) or dialect.width < SWALLOWED_WIDTH:
        return False
    lines = part.splitlines()
    begins = np.cumsum(breaks + 1) - breaks - 1
    for row in tall:
        first, count = int(begins[row]), int(breaks[row])
        inner = [line.decode() for line in lines[first + 1 : first + count]]
        if has_swallowed_rows(inner, dialect.style, dialect.width):
            return True
    return False


def _repeats_header(columns: list[pa.Array], dialect: Dialect) -> bool:
    if not dialect.header_lines or dialect.irregular or dialect.width < 2:
        return False
    same = pc.equal(columns[0], dialect.names[0])
    for column, name in zip(columns[1:], dialect.names[1:], strict=True):
        if not pc.any(same, min_count=0).as_py():
            return False
        same = pc.and_(same, pc.equal(column, name))
    return bool(pc.any(same, min_count=0).as_py())


def _has_blank_text(column: pa.Array) -> bool:
    """A line of blanks is a row of one column, but not for everybody."""
    blank = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(column)), 0)
    return bool(pc.any(pc.and_(blank, pc.greater(pc.binary_length(column), 0)), min_count=0).as_py())


def _hollow(columns: list[pa.Array]) -> npt.NDArray[np.bool_]:
    """Return which rows have no value at all."""
    hollow = np.ones(len(columns[0]), bool)
    for column in columns:
        hollow &= pc.equal(pc.binary_length(column), 0).to_numpy(zero_copy_only=False)
        if not hollow.any():
            break
    return hollow
