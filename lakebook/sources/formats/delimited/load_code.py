"""Write the statements that read a delimited text in pandas: `pd.read_csv` where it reads the same rows.

Where it would not (rejected rows, a footer, comments between the rows, cells cut by blanks), the statements
use Python's `csv` and keep exactly the rows that were loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakebook.sources.encoding import Encoding
from lakebook.sources.formats.delimited.dialect import Dialect
from lakebook.sources.formats.delimited.rows import LONG_CELL, RowReader
from lakebook.sources.load_code import call, data_file, literal, literals
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Typing, unique_names

_PACKED = {"gz": "gzip", "bz2": "bz2"}
# So many comment lines are left out by their numbers, more by how they begin.
_LISTED = 20
_INFERRED = (".gz", ".bz2", ".zip", ".xz", ".zst")


@dataclass(frozen=True, slots=True)
class DelimitedOpening:
    """The statements that bind `df` to the rows of a delimited text, all columns text but the plain ones."""

    file: Peek
    encoding: Encoding
    dialect: Dialect
    reader: RowReader

    def statements(self, typings: Mapping[str, Typing]) -> tuple[list[str], bool]:
        """Return the statements, and True if pandas itself types the plain columns."""
        if self._is_regular():
            return [self._read_csv(typings)], True
        return self._read_records(list(typings)), False

    def _is_regular(self) -> bool:
        """Pandas by itself would read the same rows."""
        found, dialect, style = self.reader.findings, self.dialect, self.dialect.style
        odd = found.rejects.count or found.footer or found.hollow or found.headers_count or found.sloppy_count
        one_byte = len(style.delimiter) == 1 and style.delimiter.isascii() and not style.is_blank_separated
        unlike = found.has_whitespace_line or found.has_nul or found.above_is_quoted or dialect.irregular
        return one_byte and not (odd or unlike or style.spans or self._comments_below())

    def _comments_below(self) -> int:
        return sum(number > self.dialect.above for number in self.reader.findings.comments)

    def _read_csv(self, typings: Mapping[str, Typing]) -> str:
        dialect, style = self.dialect, self.dialect.style
        arguments = [data_file(self.file.relative)]
        if style.delimiter != ",":
            arguments.append(f"sep={literal(style.delimiter)}")
        if not style.quote:
            arguments.append("quoting=3")  # csv.QUOTE_NONE
        elif style.quote != '"':
            arguments.append(f"quotechar={literal(style.quote)}")
        if style.escape:
            arguments += [f"escapechar={literal(style.escape)}", "doublequote=False"]
        if style.skip_blanks:
            arguments.append("skipinitialspace=True")
        arguments += self._opened()
        if dialect.above:
            arguments.append(f"skiprows={dialect.above}")
        if not dialect.header_lines:
            arguments += ["header=None", f"names={literals(typings)}"]
        elif unique_names(dialect.names) != dialect.names and any(
            name and name != new for name, new in zip(dialect.names, typings, strict=True)
        ):
            arguments += ["header=0", f"names={literals(typings)}"]
        if self.reader.findings.stopped:
            arguments.append(f"nrows={self.reader.findings.rows}")
        texts = [name for name, typing in typings.items() if typing.as_text]
        if texts:
            arguments.append(_dtypes(texts))
        arguments += ["keep_default_na=False", 'na_values=[""]']
        return "df = " + call("pd.read_csv", arguments)

    def _opened(self) -> list[str]:
        arguments = [] if self.encoding.name == "utf-8" else [f"encoding={literal(self.encoding.name)}"]
        if self.encoding.is_damaged:
            arguments.append('encoding_errors="replace"')
        suffix = self.file.path.suffix.lower()
        inferred = suffix.lstrip(".") if suffix in _INFERRED else ""
        if self.file.compression and inferred != self.file.compression:
            name = _PACKED.get(self.file.compression, self.file.compression)
            arguments.append(f"compression={literal(name)}")
        elif not self.file.compression and inferred:
            arguments.append("compression=None")
        return arguments

    def _read_records(self, names: list[str]) -> list[str]:
        """Cut the lines with `csv` and keep the rows that were loaded."""
        dialect, found = self.dialect, self.reader.findings
        imports, opened = self._open_text()
        if not dialect.style.spans:
            imports.insert(0, "import csv")
        limit = ["csv.field_size_limit(10**9)"] if found.longest >= LONG_CELL else []
        keep = [f"len(row) == {dialect.width}", "any(row)"]
        header = []
        if found.headers_count:
            header = [f"header = {literals(dialect.names)}"]
            keep.append("row != header")
        rows = [f"rows = [row for row in {self._cut()} if {' and '.join(keep)}]"]
        if found.stopped:
            rows.append(f"rows = rows[:{found.rows}]")
        return [
            *imports,
            *([""] if imports else []),
            *limit,
            f"with {opened} as file:\n    lines = {self._lines()}",
            *header,
            *rows,
            "df = " + call("pd.DataFrame", ["rows", f"columns={literals(names)}", 'dtype="str"']),
            'df = df.replace("", None)',
        ]

    def _open_text(self) -> tuple[list[str], str]:
        """Return imports, and the expression that opens the text."""
        path, compression = data_file(self.file.relative), self.file.compression
        options = f'encoding={literal(self.encoding.name)}, newline=""'
        if self.encoding.is_damaged:
            options += ', errors="replace"'
        if compression in _PACKED:
            module = _PACKED[compression]
            return [f"import {module}"], f'{module}.open({path}, "rt", {options})'
        if compression == "zip":
            member = f"zipfile.ZipFile({path}).open({literal(self.file.member)})"
            return ["import io", "import zipfile"], f"io.TextIOWrapper({member}, {options})"
        return [], f"open({path}, {options})"

    def _lines(self) -> str:
        """Return the expression for the lines to cut: below the header, without what is no row."""
        found, mark = self.reader.findings, self.dialect.comment
        start = self.dialect.above + self.dialect.header_lines
        out = set(found.unread)
        comments = [number for number in found.comments if number > start]
        is_marked = len(comments) > _LISTED and not found.has_marked_row
        if not is_marked:
            out.update(comments)
        line = _prepared(self.dialect)
        keep = [f'not line.lstrip(" \\t").startswith({literal(mark)})'] if is_marked else []
        if not out:
            tail = f"list(file)[{start}:]" if start else "file"
            if line == "line" and not keep:
                return tail if start else "list(file)"
            return f"[{line} for line in {tail}{''.join(f' if {test}' for test in keep)}]"
        keep = [f"number > {start}", f"number not in {{{', '.join(map(str, sorted(out)))}}}", *keep]
        return f"[{line} for number, line in enumerate(file, 1) if {' and '.join(keep)}]"

    def _cut(self) -> str:
        style = self.dialect.style
        if style.spans:
            cells = ", ".join(
                f"line[{start}:{'' if end is None else end}].strip()" for start, end in style.spans
            )
            return f"([{cells}] for line in lines)"
        options = []
        for name, value in style.options().items():
            if name == "quoting":
                options.append("quoting=csv.QUOTE_NONE")
            elif (name, value) not in (("delimiter", ","), ("quotechar", '"')):
                options.append(f"{name}={literal(value) if isinstance(value, str) else value}")
        return f"csv.reader({', '.join(['lines', *options])})"


def _prepared(dialect: Dialect) -> str:
    """Return the expression that makes a line fit for `csv`, as `Style.prepare` does."""
    style = dialect.style
    if style.spans:
        return 'line.rstrip("\\r\\n")'
    if style.is_blank_separated:
        return 'line.replace("\\t", " ").strip() + "\\n"'
    if len(style.delimiter) > 1:
        return f"line.replace({literal(style.delimiter)}, {literal(str(style.options()['delimiter']))})"
    return "line"


def _dtypes(names: list[str]) -> str:
    pairs = [f'{literal(name)}: "str"' for name in names]
    line = f"dtype={{{', '.join(pairs)}}}"
    if len(line) <= 90:
        return line
    return "dtype={\n" + "".join(f"        {pair},\n" for pair in pairs) + "    }"
