"""Cut lines of delimited text into records, exactly: which lines each one fills, and what is wrong with it.

Python's `csv` does the splitting, strictly. Where that fails, because a quotation mark is stray or never
closed, only the line on which the record begins is given up, and the next one is read afresh. What a record
means (row, blank, comment, remark) is decided by the caller.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

# A quoted cell may hold so many characters; past some strays the rest of a file is read with less patience.
_PATIENCE = 16 << 20
_LESS_PATIENCE = 1 << 18
_STRAYS = 20
_MULTI = "\x1f"
# A record of so many lines, in a table of so many columns, is looked at for rows that it may have swallowed.
SWALLOWED_LINES = 4
SWALLOWED_WIDTH = 3
_SWALLOWED = 0.8
_SWALLOWED_ROWS = "rows inside a cell"

csv.field_size_limit(2 * _PATIENCE)


@dataclass(frozen=True, slots=True)
class Style:
    """How lines are cut into cells.

    Attributes:
        delimiter: one character, several, or " " for any number of blanks and tabs.
        quote: the quotation mark, "" if marks are characters like any other.
        escape: the character that takes the meaning from the next one, "" if there is none.
        skip_blanks: blanks after a delimiter do not belong to the cell.
        spans: for columns of fixed width, where each begins and ends; the last end is None.
    """

    delimiter: str
    quote: str = '"'
    escape: str = ""
    skip_blanks: bool = False
    spans: tuple[tuple[int, int | None], ...] = ()

    @property
    def is_blank_separated(self) -> bool:
        """Any number of blanks and tabs stands between two cells."""
        return self.delimiter == " "

    @property
    def is_plain(self) -> bool:
        """One ASCII character between cells, quotation marks doubled inside quotes."""
        one = len(self.delimiter) == 1 and self.delimiter.isascii() and not self.is_blank_separated
        return one and not (self.escape or self.skip_blanks or self.spans)

    def options(self) -> dict[str, Any]:
        """Return the arguments of `csv.reader`."""
        found: dict[str, Any] = {"delimiter": _MULTI if len(self.delimiter) > 1 else self.delimiter}
        if self.quote:
            found["quotechar"] = self.quote
        else:
            found["quoting"] = csv.QUOTE_NONE
        if self.escape:
            found |= {"escapechar": self.escape, "doublequote": False}
        if self.skip_blanks or self.is_blank_separated:
            found["skipinitialspace"] = True
        return found

    def prepare(self, line: str) -> str:
        """Return the line as `csv` must see it."""
        if len(self.delimiter) > 1:
            return line.replace(self.delimiter, _MULTI)
        if self.is_blank_separated:
            return line.replace("\t", " ").strip() + "\n"
        return line

    def split(self, line: str) -> list[str]:
        """Cut one line for itself, however its quotation marks stand."""
        if self.spans:
            return cut(line, self.spans)
        return next(csv.reader([self.prepare(line)], **self.options()), [])


@dataclass(frozen=True, slots=True)
class Record:
    """Cells with the lines they fill.

    Attributes:
        cells: None if the record cannot be read, `problem` says why then.
        text: the lines as they stand.
        is_sloppy: text follows a closing quotation mark, which was read as part of the cell.
        is_ahead: lines behind it were taken already and come as records next.
    """

    line: int
    last: int
    cells: list[str] | None
    text: list[str]
    problem: str = ""
    is_sloppy: bool = False
    is_ahead: bool = False


class _Unclosed(Exception):
    """A quoted cell grew beyond all patience."""


def cut(line: str, spans: Iterable[tuple[int, int | None]]) -> list[str]:
    """Cut a line at fixed places."""
    text = line.rstrip("\r\n")
    return [text[start:end].strip() for start, end in spans]


def is_comment(line: str, mark: str) -> bool:
    """Return True if the line begins with the mark."""
    return bool(mark) and line.lstrip(" \t").startswith(mark)


def read_records(
    lines: Iterator[str],
    style: Style,
    *,
    first: int = 1,
    width: int = 0,
    is_comment: Callable[[str], bool] | None = None,
) -> Iterator[Record]:
    """Yield the records of some lines; at a record's end no line beyond it has been taken.

    Args:
        lines: with their line ends.
        style: how to cut them.
        first: number of the first line.
        width: cells of a row, to notice rows swallowed by a stray quotation mark (0: not known).
        is_comment: lines to hand over uncut, as records without cells or problem.
    """
    if style.spans:
        yield from _fixed(lines, style, first, is_comment)
        return
    yield from _Cutter(lines, style, first, width, is_comment).records()


def _fixed(
    lines: Iterator[str], style: Style, first: int, is_comment: Callable[[str], bool] | None
) -> Iterator[Record]:
    gutters = [(end, start) for (_, end), (start, _) in zip(style.spans, style.spans[1:], strict=False)]
    for number, line in enumerate(lines, start=first):
        if is_comment and is_comment(line):
            yield Record(number, number, None, [line])
        elif not line.strip():
            yield Record(number, number, [], [line])
        elif any(line[start:end].strip() for start, end in gutters) or line.lstrip(" ") != line.lstrip():
            yield Record(number, number, None, [line], "text stands between the columns")
        else:
            yield Record(number, number, cut(line, style.spans), [line])


class _Cutter:
    """Feeds lines to `csv` and takes them back where it cannot make a record of them."""

    def __init__(
        self,
        lines: Iterator[str],
        style: Style,
        first: int,
        width: int,
        is_comment: Callable[[str], bool] | None,
    ) -> None:
        self._lines = lines
        self._style = style
        self._width = width
        self._is_comment = is_comment
        self._again: deque[str] = deque()
        self._held: list[str] = []
        self._comments: list[str] = []
        self._number = first - 1
        self._strays = 0

    def records(self) -> Iterator[Record]:
        reader = self._reader()
        while True:
            self._held = []
            try:
                cells = next(reader)
            except StopIteration:
                yield from self._pop_comments()
                return
            except (csv.Error, _Unclosed) as error:
                yield from self._pop_comments()
                if not self._held:
                    return
                yield self._give_up(str(error))
                reader = self._reader()
                continue
            if self._comments:
                yield from self._pop_comments()
            if self._has_swallowed_rows():
                yield self._give_up(_SWALLOWED_ROWS)
                reader = self._reader()
                continue
            first = self._number - len(self._held) + 1
            yield Record(first, self._number, cells, self._held, is_ahead=bool(self._again))

    def _has_swallowed_rows(self) -> bool:
        if len(self._held) < SWALLOWED_LINES or self._width < SWALLOWED_WIDTH:
            return False
        return has_swallowed_rows(self._held[1:-1], self._style, self._width)

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(self._feed(), strict=True, **self._style.options())

    def _feed(self) -> Iterator[str]:
        size = 0
        as_it_is = len(self._style.delimiter) == 1 and not self._style.is_blank_separated
        while True:
            line = self._again.popleft() if self._again else next(self._lines, None)
            if line is None:
                return
            self._number += 1
            if not self._held:
                size = 0
                if self._is_comment and self._is_comment(line):
                    self._comments.append(line)
                    continue
            self._held.append(line)
            size += len(line)
            if size > (_PATIENCE if self._strays < _STRAYS else _LESS_PATIENCE) and len(self._held) > 1:
                raise _Unclosed
            yield line if as_it_is else self._style.prepare(line)

    def _pop_comments(self) -> Iterator[Record]:
        start = self._number - len(self._held) - len(self._comments) + 1
        for offset, line in enumerate(self._comments):
            yield Record(start + offset, start + offset, None, [line], is_ahead=bool(self._held))
        self._comments = []

    def _give_up(self, error: str) -> Record:
        """Make a record of the first line held, and have the others read again."""
        first, *others = self._held
        self._again.extendleft(reversed(others))
        self._number -= len(others)
        self._strays += 1
        number = self._number
        cells = self._style.split(first.rstrip("\r\n") + "\n")
        is_closed = bool(cells) and not cells[-1].endswith("\n") and error != _SWALLOWED_ROWS
        problem = "" if is_closed else _problem(error)
        return Record(
            number,
            number,
            None if problem else cells,
            [first],
            problem,
            is_sloppy=is_closed,
            is_ahead=bool(self._again),
        )


def _problem(error: str) -> str:
    if "field larger" in error:
        return f"a cell of more than {2 * _PATIENCE:,} characters"
    where = "never closed" if "unexpected end" in error or not error else "not closed where its cell ends"
    return f"a quotation mark that opens here is {where}"


def has_swallowed_rows(inner: list[str], style: Style, width: int) -> bool:
    """Lines inside a record that are all rows themselves tell of a stray quotation mark.

    Args:
        inner: the lines between the first and the last one of the record.
        style: how rows are cut.
        width: cells of a row.
    """
    rows = sum(len(style.split(line)) == width for line in inner)
    return rows >= _SWALLOWED * len(inner)


def physical_lines(text: str) -> list[str]:
    r"""Cut text after `\n`, `\r\n` and `\r`, and nowhere else (`str.splitlines` knows more line ends)."""
    if "\r" not in text:
        return re.findall(r"[^\n]*\n|[^\n]+", text)
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)
