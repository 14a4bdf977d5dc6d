"""Delimited text: every record of the file is loaded, rejected with its line, or skipped with a reason.

Python's `csv` does the splitting, since it says for every record on which line it stands; pandas splits
regular files the same way, and the load code of irregular ones uses `csv` again, so both give equal rows.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakebook.errors import SourceError
from lakebook.sources.dialect import Dialect, find_dialect, find_encoding, sample_lines
from lakebook.sources.load_code import call, data_file, literal, literals
from lakebook.sources.peek import Peek
from lakebook.sources.reading import (
    KEPT_REJECTS,
    Budget,
    Part,
    RawColumn,
    RawTable,
    Reading,
    Rejects,
    Typing,
    name_warnings,
    unique_names,
)

_CHUNK = 20_000
_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv", ".txt", ".dat", ".data", ".asc", ""})
_LONG_FIELD = 131_072


class Delimited:
    """Reads delimited text of any delimiter, encoding and compression that is recognised."""

    format = "csv"

    def can_read(self, file: Peek) -> bool:
        """Return True for text that is a table, or whose name says so."""
        if file.magic != "text" or file.suffix not in _SUFFIXES:
            return False
        encoding, _ = find_encoding(file)
        return find_dialect(sample_lines(file, encoding), file.suffix) is not None

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one table of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the table."""
        file = part.file
        encoding, guess = find_encoding(file)
        dialect = find_dialect(sample_lines(file, encoding), file.suffix)
        if dialect is None:
            raise SourceError("no rows of equal length were found.", where=file.relative)
        csv.field_size_limit(sys.maxsize)
        rows = _read(file, encoding, dialect)
        warnings = list(name_warnings(unique_names(dialect.names), dialect.names))
        warnings += [guess] if guess else []
        if dialect.header < 0:
            warnings.append("there is no header: the columns are named column_1, column_2 …")
        if dialect.irregular:
            warnings.append("the header has one field less, or an empty one more, than the rows")
        if dialect.width == 1 and _may_be_more(rows.columns()[0]):
            warnings.append(
                "one column only, though its values hold several numbers: is the separator a blank?"
            )
        names = unique_names(dialect.names)
        columns = tuple(
            RawColumn(name, original, values)
            for name, original, values in zip(names, dialect.names, rows.columns(), strict=True)
        )
        return Reading(
            kind="table",
            table=RawTable(
                columns,
                rows=len(rows.lines),
                opening=_Opening(file, encoding, dialect, rows).statements,
                place=lambda index: f"line {rows.lines[index]:,}",
                is_text=True,
                decimal_comma_likely=dialect.delimiter == ";",
            ),
            rows_in_file=len(rows.lines) + rows.rejects.count + rows.skipped_rows,
            rows_rejected=rows.rejects.count,
            rows_skipped=rows.skipped_rows,
            rejected=tuple(rows.rejects.kept),
            skipped=tuple(rows.skipped()),
            warnings=tuple(warnings),
            encoding=encoding,
        )


@dataclass(frozen=True, slots=True)
class _Odd:
    """A record with too few or too many fields: its lines and the reason."""

    line: int
    last: int
    reason: str


@dataclass(slots=True)
class _Rows:
    """All records of a file, sorted into loaded, rejected and skipped."""

    width: int
    chunks: list[pa.RecordBatch] = field(default_factory=list)
    lines: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    rejects: Rejects = field(default_factory=Rejects)
    banner: list[tuple[int, str]] = field(default_factory=list)
    footer: list[tuple[int, str]] = field(default_factory=list)
    empty_lines: int = 0
    hollow: int = 0
    blank_text: int = 0
    multiline_banner: bool = False
    longest: int = 0
    is_unclosed: bool = False
    is_lax: bool = False
    odd: list[_Odd] = field(default_factory=list)

    def add(self, records: list[list[str]]) -> None:
        """Keep loaded rows."""
        if self.width == 1:  # pandas takes a line of blanks for no row at all
            self.blank_text += sum(1 for record in records if not record[0].strip())
        columns = [pa.array(column, pa.string()) for column in zip(*records, strict=True)]
        widest = (pc.max(pc.utf8_length(column)).as_py() or 0 for column in columns)
        self.longest = max(self.longest, *widest)
        self.chunks.append(pa.RecordBatch.from_arrays(columns, [str(index) for index in range(self.width)]))

    def above(self, is_banner: bool, start: int, end: int) -> None:
        """Set aside what stands above the header; pandas counts its lines, so it must not span several."""
        if is_banner:
            self.banner.append((start, ""))
            self.multiline_banner = self.multiline_banner or end > start

    def sort_out(self, record: list[str], start: int, end: int) -> None:
        """Set aside a record that does not fit: blank, or rejected with its reason."""
        if not record:
            self.empty_lines += 1
        elif not any(cell.strip() for cell in record):
            is_hollow = len(record) == self.width
            self.hollow += is_hollow
            self.empty_lines += not is_hollow
            self.blank_text += not is_hollow
        else:
            reason = f"{len(record)} fields where the header has {self.width}"
            if end > start:
                reason += f"; a quotation mark that opens here runs on over {end - start + 1:,} lines"
            self.odd.append(_Odd(start, end, reason))

    @property
    def skipped_rows(self) -> int:
        return len(self.banner) + len(self.footer) + self.empty_lines + self.hollow

    @property
    def is_regular(self) -> bool:
        """Pandas by itself would read the same rows."""
        odd = self.rejects.count or self.footer or self.hollow or self.blank_text
        return not (odd or self.multiline_banner or self.is_lax) and self.longest < _LONG_FIELD

    def skipped(self) -> Iterator[str]:
        for kind, rows in (("banner", self.banner), ("footer", self.footer)):
            for line, text in rows[:20]:
                yield f"line {line:,} ({kind}): {text.strip()[:200]}"
        if self.empty_lines or self.hollow:
            yield f"{self.empty_lines + self.hollow:,} blank rows"

    def columns(self) -> list[pa.ChunkedArray]:
        if not self.chunks:
            return [pa.chunked_array([], pa.string()) for _ in range(self.width)]
        table = pa.Table.from_batches(self.chunks)
        return list(table.columns)


def _may_be_more(column: pa.ChunkedArray) -> bool:
    """Several numbers with blanks between them in most of the first cells."""
    sample = column.slice(0, 200)
    found = pc.sum(pc.match_substring_regex(sample, r"[\d.]\s+[-+]?[\d.]")).as_py() or 0
    return len(sample) > 0 and found > 0.8 * len(sample)


def _read(file: Peek, encoding: str, dialect: Dialect) -> _Rows:
    """Read all records: strictly, to notice a quotation mark that is never closed, else as they come."""
    try:
        rows = _read_records(file, encoding, dialect, strict=True)
    except csv.Error:
        rows = _read_records(file, encoding, dialect, strict=False)
        rows.is_lax = True
    _fetch_texts(rows, file, encoding)
    _find_footer(rows, int(rows.lines[-1]) if len(rows.lines) else 0)
    return rows


def _read_records(file: Peek, encoding: str, dialect: Dialect, *, strict: bool) -> _Rows:
    rows = _Rows(dialect.width)
    first = dialect.header
    starts: list[int] = []
    pending: list[list[str]] = []
    end = 0
    with _opened(file, encoding) as stream:
        reader = csv.reader(stream, delimiter=dialect.delimiter, strict=strict)
        try:
            for number, record in enumerate(reader):
                start, end = end + 1, reader.line_num
                if number <= first:
                    rows.above(number < first, start, end)
                elif len(record) == dialect.width and any(record):
                    pending.append(record)
                    starts.append(start)
                    if len(pending) >= _CHUNK:
                        rows.add(pending)
                        pending.clear()
                elif first < 0 and not starts:
                    rows.above(True, start, end)
                else:
                    rows.sort_out(record, start, end)
        except csv.Error as error:
            if "unexpected end of data" not in str(error):
                raise
            rows.odd.append(
                _Odd(end + 1, reader.line_num, "a quotation mark that opens here is never closed")
            )
            rows.is_unclosed = True
        except (OSError, EOFError) as error:
            raise SourceError(f"the content breaks off after line {end:,} ({error}).") from error
    if pending:
        rows.add(pending)
    rows.lines = np.array(starts, dtype=np.int64)
    return rows


def _opened(file: Peek, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(file.open(), encoding=encoding, newline="", errors="replace")


def _fetch_texts(rows: _Rows, file: Peek, encoding: str) -> None:
    """Read the lines of the rows that were set aside: they are few, so the first pass need not keep lines."""
    spans = [(line, line) for line, _ in rows.banner] + [
        (row.line, row.last) for row in rows.odd[:KEPT_REJECTS]
    ]
    if not spans:
        return
    wanted = {number for start, end in spans for number in range(start, min(end, start + 100) + 1)}
    texts: dict[int, str] = {}
    with _opened(file, encoding) as stream:
        for number, line in enumerate(stream, start=1):
            if number in wanted:
                texts[number] = line
            if len(texts) == len(wanted):
                break
    rows.banner = [(line, texts[line]) for line, _ in rows.banner]
    for row in rows.odd:
        text = "".join(texts.get(number, "") for number in range(row.line, row.last + 1))
        swallowed = row.last - row.line + 1 if rows.is_unclosed and row is rows.odd[-1] else 1
        rows.rejects.add(row.line, row.reason, text.rstrip("\r\n"), rows=swallowed)


def _find_footer(rows: _Rows, last: int) -> None:
    """Short lines of words after the last row are a footer, not damaged rows."""
    kept = rows.rejects.kept
    while (
        kept
        and rows.rejects.count == len(kept)
        and kept[-1].line > last
        and _is_remark(kept[-1].text, rows.width)
    ):
        row = kept.pop()
        rows.rejects.count -= 1
        rows.footer.insert(0, (row.line, row.text))


def _is_remark(text: str, width: int) -> bool:
    cells = [cell for record in csv.reader([text]) for cell in record if cell.strip()]
    words = text.split()
    return len(cells) <= max(1, width // 3) and len(words) >= 2 and any(word.isalpha() for word in words)


@dataclass(frozen=True, slots=True)
class _Opening:
    """The statements that read the file in pandas."""

    file: Peek
    encoding: str
    dialect: Dialect
    rows: _Rows

    def statements(self, typings: Mapping[str, Typing]) -> tuple[list[str], bool]:
        """Return the statements, and True if pandas itself types the plain columns."""
        if self.rows.is_regular and not self.dialect.irregular:
            return [self._read_csv(typings)], True
        return self._read_records(list(typings)), False

    def _read_csv(self, typings: Mapping[str, Typing]) -> str:
        dialect = self.dialect
        arguments = [data_file(self.file.relative)]
        if dialect.delimiter != ",":
            arguments.append(f"sep={literal(dialect.delimiter)}")
        if self.encoding != "utf-8":
            arguments.append(f"encoding={literal(self.encoding)}")
        if self.file.compression and self._inferred() != self.file.compression:
            name = {"gz": "gzip"}.get(self.file.compression, self.file.compression)
            arguments.append(f"compression={literal(name)}")
        elif not self.file.compression and self._inferred():
            arguments.append("compression=None")
        banner = sum(1 for _ in self.rows.banner)
        if banner:
            arguments.append(f"skiprows={banner}")
        if dialect.header < 0:
            arguments += ["header=None", f"names={literals(typings)}"]
        elif unique_names(dialect.names) != dialect.names and any(
            name and name != new for name, new in zip(dialect.names, typings, strict=True)
        ):
            arguments += ["header=0", f"names={literals(typings)}"]
        texts = [name for name, typing in typings.items() if typing.as_text]
        if texts:
            arguments.append(_dtypes(texts))
        arguments += ["keep_default_na=False", 'na_values=[""]']
        return "df = " + call("pd.read_csv", arguments)

    def _inferred(self) -> str:
        suffix = self.file.path.suffix.lower()
        return suffix.lstrip(".") if suffix in (".gz", ".bz2", ".zip", ".xz", ".zst") else ""

    def _read_records(self, names: list[str]) -> list[str]:
        """Read with `csv` and keep the rows that have as many fields as the header."""
        dialect, compression = self.dialect, self.file.compression
        imports = ["import csv"]
        options = f'encoding={literal(self.encoding)}, newline=""'
        opened = f"open({data_file(self.file.relative)}, {options})"
        if compression in ("gz", "bz2"):
            module = {"gz": "gzip", "bz2": "bz2"}[compression]
            imports.append(f"import {module}")
            opened = f'{module}.open({data_file(self.file.relative)}, "rt", {options})'
        elif compression == "zip":
            imports += ["import io", "import zipfile"]
            member = f"zipfile.ZipFile({data_file(self.file.relative)}).open({literal(self.file.member)})"
            opened = f"io.TextIOWrapper({member}, {options})"
        delimiter = "" if dialect.delimiter == "," else f", delimiter={literal(dialect.delimiter)}"
        keep = f"len(row) == {dialect.width} and any(row)"
        start = dialect.header + 1 if dialect.header >= 0 else len(self.rows.banner)
        body = f"records[{start}:]" if start else "records"
        limit = ["csv.field_size_limit(10**9)"] if self.rows.longest >= _LONG_FIELD else []
        return [
            *imports,
            "",
            *limit,
            f"with {opened} as file:\n    records = list(csv.reader(file{delimiter}))",
            f"rows = [row for row in {body} if {keep}]",
            *(
                [f"rows = rows[:{len(self.rows.lines)}]  # a quotation mark after that is never closed"]
                if self.rows.is_unclosed
                else []
            ),
            "df = " + call("pd.DataFrame", ["rows", f"columns={literals(names)}", 'dtype="str"']),
            'df = df.replace("", None)',
        ]


def _dtypes(names: list[str]) -> str:
    pairs = [f'{literal(name)}: "str"' for name in names]
    line = f"dtype={{{', '.join(pairs)}}}"
    if len(line) <= 90:
        return line
    return "dtype={\n" + "".join(f"        {pair},\n" for pair in pairs) + "    }"
