"""Delimited text: every line of the file is loaded, rejected with its number, or skipped with a reason.

What encoding and dialect it has is decided by `encoding` and `dialect`, the rows are read by
`delimited_rows`, the load code is written by `delimited_code`; this is the profiler that joins them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from lakebook.errors import SourceError
from lakebook.sources.encoding import Encoding, detect
from lakebook.sources.formats.delimited.dialect import (
    TABLE_SUFFIXES,
    Dialect,
    find_dialect,
    sample_lines,
    why_none,
)
from lakebook.sources.formats.delimited.load_code import DelimitedOpening
from lakebook.sources.formats.delimited.rows import RowReader
from lakebook.sources.peek import Peek
from lakebook.sources.reading import (
    Budget,
    Part,
    RawColumn,
    RawTable,
    Reading,
    name_warnings,
    unique_names,
)

_SUFFIXES = TABLE_SUFFIXES | {
    "",
    *(".txt", ".dat", ".data", ".asc", ".prn", ".fwf", ".tbl", ".ssv", ".dlm", ".xls", ".xlsx"),
    *(".test", ".train", ".item", ".user", ".base"),
}
# Texts up to this size are read once and kept; longer ones are read again by whoever needs them.
KEPT_BYTES = 32 << 20
_NUMBERS = re.compile(r"[\d.]\s+[-+]?[\d.]")
_TWICE_ENCODED = re.compile("[A-Za-z]*(?:Ã[\x80-\xbf]|Â[°£©®´]|â€[™œ\x9d“”¦˜])[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class _Look:
    """What the first look at a text has shown."""

    encoding: Encoding
    lines: tuple[str, ...]
    dialect: Dialect | None


class Delimited:
    """Reads delimited text of any delimiter, encoding and compression that is recognised."""

    format = "csv"

    def __init__(self) -> None:
        self._last: tuple[Peek, _Look] | None = None

    def can_read(self, file: Peek) -> bool:
        """Return True for text that is a table, or whose name says so."""
        if file.magic != "text" or file.suffix not in _SUFFIXES:
            return False
        # A name that says "table" is taken at its word, so that the card can say why there is none.
        return file.suffix in TABLE_SUFFIXES or self._look(file).dialect is not None

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one table of the file."""
        yield Part(file, content=self._look(file))

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the table."""
        look = part.content if isinstance(part.content, _Look) else self._look(part.file)
        if look.dialect is None:
            raise SourceError(f"no table was found in it: {why_none(look.lines)}.", where=part.file.relative)
        if look.dialect.cut:
            raise SourceError(
                f"its sums in {look.dialect.cut!r} hold commas outside of quotes, which cut every row.",
                where=part.file.relative,
                hint="Write it again with quotes, another delimiter, or no thousands separators.",
            )
        return _read(part.file, look, look.dialect, budget)

    def _look(self, file: Peek) -> _Look:
        """Look at the file; the last answer is kept, since `can_read` is followed by `units`."""
        last = self._last
        if last is not None and last[0] is file:
            return last[1]
        encoding = detect(file)
        lines = sample_lines(file, encoding.name)
        look = _Look(encoding, tuple(lines), find_dialect(lines, file.suffix))
        self._last = (file, look)
        return look


def _read(file: Peek, look: _Look, dialect: Dialect, budget: Budget) -> Reading:
    reader = RowReader(file, look.encoding, dialect, budget.rows)
    is_long = budget.rows is None and not file.compression and file.size > KEPT_BYTES
    kept = None if is_long else _keep(reader)
    names = unique_names(dialect.names)
    columns = tuple(
        RawColumn(
            name, original, kept.column(index) if kept is not None else pa.chunked_array([], pa.string())
        )
        for index, (name, original) in enumerate(zip(names, dialect.names, strict=True))
    )
    warnings = [*name_warnings(names, dialect.names), *_warnings(look, dialect)]
    table = RawTable(
        columns,
        rows=kept.num_rows if kept is not None else 0,
        opening=DelimitedOpening(file, look.encoding, dialect, reader).statements,
        place=reader.place,
        is_text=True,
        decimal_comma_likely=dialect.delimiter == ";",
        blocks=reader.batches if kept is None else None,
    )
    reading = Reading(
        kind="table",
        table=table,
        warnings=tuple(warnings),
        encoding=look.encoding.name,
        left_out=_left_out(file, look, budget) if kept is None or reader.findings.stopped else "",
    )
    if kept is None:
        return replace(reading, account=lambda: reader.findings.account())
    account = reader.findings.account()
    return replace(
        reading,
        rows_in_file=account.rows_in_file,
        rows_rejected=account.rows_rejected,
        rows_skipped=account.rows_skipped,
        rejected=account.rejected,
        skipped=account.skipped,
        warnings=(*warnings, *account.warnings),
    )


def _keep(reader: RowReader) -> pa.Table | None:
    """Return all rows, None if they are too many to keep."""
    batches = []
    size = 0
    for batch in reader.batches():
        batches.append(batch)
        size += batch.nbytes
        if size > KEPT_BYTES:
            return None
    return pa.Table.from_batches(batches, reader.schema)


def _warnings(look: _Look, dialect: Dialect) -> Iterator[str]:
    if look.encoding.warning:
        yield look.encoding.warning
    if not dialect.header_lines:
        yield "there is no header: the columns are named column_1, column_2 …"
    if dialect.irregular:
        which = "first" if dialect.names and not dialect.names[0] else "last"
        yield (
            "the header has one field less, or an empty one more, than the rows: "
            f"the {which} column is taken for the one without a name"
        )
    yield from dialect.notes
    if dialect.width == 1 and _may_be_more(look.lines):
        yield "one column only, though its values hold several numbers: is the separator a blank?"
    text = "".join(look.lines)
    if "\ufffd" in text and not look.encoding.is_damaged:
        yield "some letters were lost before: the text holds \ufffd"
    if ("Ã" in text or "Â" in text or "â" in text) and (twice := _TWICE_ENCODED.search(text)):
        yield f"some text looks as if it was encoded twice, for instance {twice[0]!r}"


def _left_out(file: Peek, look: _Look, budget: Budget) -> str:
    """Say about how much a budget leaves out, "" if it may be nothing."""
    if budget.rows is None:
        return ""
    sample = sum(len(line.encode(look.encoding.name, "replace")) for line in look.lines)
    about = len(look.lines) * file.size / sample if sample else 0
    if file.compression or about <= budget.rows:
        return f"all rows after the first {budget.rows:,}"
    share = min(99, int(100 * (1 - budget.rows / about)))
    return f"all rows after the first {budget.rows:,}, about {share} % of the file"


def _may_be_more(lines: Sequence[str]) -> bool:
    """Several numbers with blanks between them in most of the first lines."""
    filled = [line for line in lines[1:200] if line.strip()]
    return len(filled) > 0 and sum(bool(_NUMBERS.search(line)) for line in filled) > 0.8 * len(filled)
