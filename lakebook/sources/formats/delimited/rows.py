"""Read all rows of a delimited text, block by block, and account for every line of it.

Each block is cut by Arrow where that is surely exact, else record by record. Memory is bounded by a block,
whatever the length of the text. Which dialect it has was decided before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakebook.errors import SourceError
from lakebook.sources.card import RejectedRow
from lakebook.sources.encoding import Encoding
from lakebook.sources.formats.delimited.dialect import Dialect
from lakebook.sources.formats.delimited.fast import cut_block
from lakebook.sources.formats.delimited.feed import Feed, utf8_blocks
from lakebook.sources.formats.delimited.records import Record, is_comment, read_records
from lakebook.sources.peek import Peek
from lakebook.sources.reading import KEPT_REJECTS, Account, Rejects

BLOCK = 4 << 20
_FLUSH = 20_000
_SHOWN = 20
# Blanks, and the mark with which old systems end a text.
_NOTHING = " \t\x0b\x0c\x1a\xa0"
_TAIL = 50
_MANY_REJECTED = 0.1
# `csv` refuses longer cells unless told otherwise.
LONG_CELL = 131_072


@dataclass(slots=True)
class Findings:
    """What became of the lines of a text: counted to the end, kept where there is room.

    Attributes:
        lines: number of the last line read. longest: characters of the longest cell that was cut exactly.
        sloppy: rows with text after a closing quotation mark.
        has_whitespace_line: a line of blanks only, which pandas takes for none where it is one cell.
        has_marked_row: a row has a line that begins like a comment.
    """

    rows: int = 0
    lines: int = 0
    rejects: Rejects = field(default_factory=Rejects)
    banner: list[tuple[int, str]] = field(default_factory=list)
    footer: list[tuple[int, str]] = field(default_factory=list)
    comments: list[int] = field(default_factory=list)
    has_marked_row: bool = False
    headers: list[int] = field(default_factory=list)
    headers_count: int = 0
    blank: int = 0
    hollow: int = 0
    sloppy: list[int] = field(default_factory=list)
    sloppy_count: int = 0
    longest: int = 0
    has_whitespace_line: bool = False
    has_nul: bool = False
    above_is_quoted: bool = False
    remark: str = ""
    unread: list[int] = field(default_factory=list)
    stopped: bool = False

    @property
    def skipped(self) -> int:
        """Rows that are no data, left out on purpose."""
        above = len(self.banner) + len(self.footer)
        return above + len(self.comments) + self.headers_count + self.blank + self.hollow

    def account(self) -> Account:
        """Return the account of all rows."""
        return Account(
            rows=self.rows,
            rows_in_file=self.rows + self.rejects.count + self.skipped,
            rows_rejected=self.rejects.count,
            rows_skipped=self.skipped,
            rejected=tuple(self.rejects.kept),
            skipped=tuple(self._notes()),
            warnings=tuple(self._warnings()),
        )

    def _notes(self) -> Iterator[str]:
        for kind, rows in (("banner", self.banner), ("footer", self.footer)):
            for line, text in rows[:_SHOWN]:
                yield f"line {line:,} ({kind}): {text.strip()[:200]}"
        if self.comments:
            yield f"{_count(len(self.comments), 'comment line')} ({_lines(self.comments)})"
        if self.headers_count:
            yield f"the header again, {self.headers_count:,} times ({_lines(self.headers)})"
        if self.blank or self.hollow:
            yield f"{self.blank + self.hollow:,} blank rows"

    def _warnings(self) -> Iterator[str]:
        share = self.rejects.count / max(1, self.rows + self.rejects.count)
        if share > _MANY_REJECTED:
            yield f"{share:.0%} of the rows do not fit the columns: is this one table, cut in the right way?"
        if self.sloppy_count:
            where = _lines(self.sloppy)
            yield f"{_count(self.sloppy_count, 'row')} with text after a closing quotation mark ({where})"
        if self.remark:
            yield f"the last row looks like a remark and not like data: {self.remark[:100]!r}"
        if self.has_nul:
            yield "there are NUL characters in the text"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _lines(numbers: list[int]) -> str:
    shown = ", ".join(f"{number:,}" for number in numbers[:_SHOWN])
    return f"line{'' if len(numbers) == 1 else 's'} {shown}{' …' if len(numbers) > _SHOWN else ''}"


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Where some loaded rows stand: row `first` + n begins on line `line` + n, or on `line` + starts[n]."""

    first: int
    line: int
    starts: npt.NDArray[np.int64] | None


class RowReader:
    """Reads a text from its start, as often as asked.

    Attributes:
        findings: of the last reading, complete once its batches were taken to the end.
    """

    def __init__(self, file: Peek, encoding: Encoding, dialect: Dialect, most: int | None = None) -> None:
        self._file = file
        self._encoding = encoding
        self._dialect = dialect
        self._most = most
        self._names = [str(number) for number in range(dialect.width)]
        self.schema = pa.schema([(name, pa.string()) for name in self._names])
        self.findings = Findings()
        self._stretches: list[_Stretch] = []
        self._tail: deque[tuple[RejectedRow, bool]] = deque(maxlen=_TAIL)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows, all columns text.

        Raises:
            SourceError: the content breaks off, or has lines without end.
        """
        self.findings = Findings()
        self._stretches = []
        self._tail.clear()
        last: pa.RecordBatch | None = None
        for batch in self._loaded():
            room = None if self._most is None else self._most - self.findings.rows
            if room is not None and batch.num_rows >= room:
                self.findings.rows += room
                self.findings.stopped = True
                yield batch.slice(0, room)
                break
            self.findings.rows += batch.num_rows
            yield batch
            last = batch.slice(batch.num_rows - 1)
        if not self.findings.stopped:
            self._find_footer()
            self.findings.remark = self._remark(last)

    def place(self, index: int) -> str:
        """Say on which line a loaded row begins."""
        for stretch in reversed(self._stretches):
            if stretch.first <= index:
                offset = index - stretch.first
                below = offset if stretch.starts is None else int(stretch.starts[offset])
                return f"line {stretch.line + below:,}"
        return f"row {index + 1:,}"

    def _loaded(self) -> Iterator[pa.RecordBatch]:
        size = BLOCK if self._most is None else BLOCK // 16
        feed = Feed(utf8_blocks(self._file, self._encoding, size))
        self._read_above(feed)
        try:
            while feed.fill():
                cut = cut_block(feed.block, self._dialect, is_last=feed.is_last)
                if cut is None:
                    yield from self._read_exactly(feed)
                    continue
                feed.use(cut.used)
                if cut.rows.num_rows:
                    self._stretches.append(_Stretch(self.findings.rows, self.findings.lines + 1, cut.starts))
                    self._tail.clear()
                    self.findings.longest = max(self.findings.longest, cut.longest)
                self.findings.lines += cut.lines
                self.findings.hollow += cut.hollow
                if cut.rows.num_rows:
                    yield cut.rows
        except (OSError, EOFError) as error:
            where = f"line {self.findings.lines:,}"
            raise SourceError(f"the content breaks off after {where} ({error}).") from error

    def _read_above(self, feed: Feed) -> None:
        """Set aside the lines above the header, and the header."""
        dialect, found = self._dialect, self.findings
        lines = feed.take(dialect.above + dialect.header_lines)
        found.lines = len(lines)
        for number, line in enumerate(lines[: dialect.above], start=1):
            found.above_is_quoted |= bool(dialect.style.quote) and dialect.style.quote in line
            if is_comment(line, dialect.comment):
                self._comment(number)
            else:
                found.banner.append((number, line))

    def _read_exactly(self, feed: Feed) -> Iterator[pa.RecordBatch]:
        """Read record by record up to where a record and a block end together."""
        found, dialect = self.findings, self._dialect
        is_comment = dialect.is_comment if dialect.comment else None
        pending: list[list[str]] = []
        starts: list[int] = []
        records = read_records(
            feed.lines(), dialect.style, first=found.lines + 1, width=dialect.width, is_comment=is_comment
        )
        for record in records:
            found.lines = record.last
            if self._is_row(record):
                pending.append(record.cells or [])
                starts.append(record.line)
                if len(pending) >= _FLUSH:
                    yield self._flush(pending, starts)
                    pending, starts = [], []
            if feed.is_used_up and not record.is_ahead:
                break
        found.has_nul |= feed.has_nul
        if pending:
            yield self._flush(pending, starts)

    def _flush(self, pending: list[list[str]], starts: list[int]) -> pa.RecordBatch:
        columns = [pa.array(column, pa.string()) for column in zip(*pending, strict=True)]
        self._stretches.append(_Stretch(self.findings.rows, 0, np.array(starts, np.int64)))
        return pa.RecordBatch.from_arrays(columns, self._names)

    def _is_row(self, record: Record) -> bool:
        """Decide what the record is; anything but a row to load is accounted for here."""
        found, cells = self.findings, record.cells
        if cells is None:
            if record.problem:
                self._reject(record, record.problem)
            else:
                self._comment(record.line)
        elif not cells:
            found.blank += 1
        elif len(cells) == self._dialect.width:
            return self._is_data(record, cells)
        elif not any(cell.strip(_NOTHING) for cell in cells):
            found.blank += 1
            found.has_whitespace_line = True
        else:
            reason = f"{_count(len(cells), 'field')} where the header has {self._dialect.width}"
            if record.last > record.line:
                lines = record.last - record.line + 1
                reason += f"; a quotation mark that opens here runs on over {lines:,} lines"
            self._reject(record, reason)
        return False

    def _is_data(self, record: Record, cells: list[str]) -> bool:
        found, dialect = self.findings, self._dialect
        if not any(cells):
            found.hollow += 1
            return False
        is_named = dialect.header_lines and dialect.width > 1 and not dialect.irregular
        if is_named and cells[0] == dialect.names[0] and tuple(cells) == dialect.names:
            found.headers_count += 1
            if len(found.headers) < KEPT_REJECTS:
                found.headers.append(record.line)
            return False
        self._tail.clear()
        if dialect.comment:
            found.has_marked_row |= any(is_comment(line, dialect.comment) for line in record.text)
        if record.is_sloppy:
            found.sloppy_count += 1
            if len(found.sloppy) < KEPT_REJECTS:
                found.sloppy.append(record.line)
        found.longest = max(found.longest, max(map(len, cells)))
        if dialect.width == 1 and not cells[0].strip():
            found.has_whitespace_line = True
        return True

    def _reject(self, record: Record, reason: str) -> None:
        text = "".join(record.text[:100]).rstrip("\r\n")
        rejects = self.findings.rejects
        rejects.add(record.line, reason, text)
        if record.cells is None:
            self.findings.unread.append(record.line)
        is_kept = len(rejects.kept) == rejects.count
        self._tail.append((RejectedRow(record.line, reason, text), is_kept))

    def _comment(self, line: int) -> None:
        self.findings.comments.append(line)

    def _find_footer(self) -> None:
        """Short lines of words after the last row are a footer, not damaged rows."""
        found = self.findings
        while self._tail and self._is_remark(self._tail[-1][0].text):
            row, is_kept = self._tail.pop()
            found.rejects.count -= 1
            if is_kept:
                found.rejects.kept.pop()
            found.footer.insert(0, (row.line, row.text))

    def _remark(self, last: pa.RecordBatch | None) -> str:
        """Return the text of the last row if it is one cell of words and nothing else."""
        if last is None or self._dialect.width < 3 or self.findings.rows < 2:
            return ""
        first, *others = [column[0].as_py() for column in last.columns]
        words = first.split()
        is_text = (len(words) > 2 or ":" in first) and any(word.strip(":.,;()").isalpha() for word in words)
        return first if is_text and not any(others) else ""

    def _is_remark(self, text: str) -> bool:
        cells = [cell for cell in self._dialect.style.split(text) if cell.strip()]
        words = text.split()
        few = len(cells) <= max(1, self._dialect.width // 3)
        return few and len(words) >= 2 and any(word.strip(":.,;()").isalpha() for word in words)
