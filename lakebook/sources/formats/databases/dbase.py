"""dBase tables (.dbf), also the attributes of a shapefile: fixed-width records with declared fields."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakebook.errors import SourceError
from lakebook.sources.load_code import data_file, literal, literals
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, RawColumn, RawTable, Reading, name_warnings, unique_names

MOST_BYTES = 1 << 30

_READABLE = frozenset("CNFLD")
_CODE_PAGES = {
    0x01: "cp437", 0x02: "cp850", 0x03: "cp1252", 0x57: "cp1252", 0x58: "cp1252", 0x59: "cp1252",
    0x64: "cp852", 0x65: "cp866", 0x66: "cp865", 0x4D: "cp936", 0x4E: "cp949", 0x4F: "cp950", 0x13: "cp932",
    0xC8: "cp1250", 0xC9: "cp1251", 0xCA: "cp1254", 0xCB: "cp1253",
}  # fmt: skip
# What load code does with the text of a field of these kinds, so that it equals `_texts`.
_CONVERSIONS = {
    "L": 'df[name].str.upper().map({"T": "True", "Y": "True", "F": "False", "N": "False"}).astype("str")',
    "NF": 'df[name].mask(df[name].str.fullmatch(r"\\*+", na=False))',
    "D": 'df[name].replace("00000000", None).str.replace('
    'r"^([0-9]{4})([0-9]{2})([0-9]{2})$", r"\\1-\\2-\\3", regex=True)',
}


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Header:
    rows: int
    size: int
    width: int
    fields: tuple[_Field, ...]
    encoding: str
    guess: str = ""


class Dbase:
    """Reads dBase tables."""

    format = "dbase"

    def can_read(self, file: Peek) -> bool:
        """Return True if the content starts as dBase tables do."""
        return file.magic == self.format

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one table of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the table: all values as text, of which the types are then decided as for delimited text."""
        file = part.file
        if file.size > MOST_BYTES:
            raise SourceError(
                f"a dBase table of more than {MOST_BYTES >> 30} GB is not read.", where=file.relative
            )
        content = file.path.read_bytes()
        try:
            header = _header(file, content)
        except (struct.error, UnicodeDecodeError, IndexError) as error:
            raise SourceError(f"its header is damaged ({error}).", where=file.relative) from error
        fields = [field for field in header.fields if field.kind in _READABLE]
        whole = min(header.rows, max(0, len(content) - header.size) // header.width)
        starts = [header.size + index * header.width for index in range(whole)]
        kept = [start for start in starts if content[start : start + 1] != b"*"]
        names = unique_names([field.name for field in fields])
        columns = tuple(
            RawColumn(name, field.name, pa.array(_texts(content, kept, field, header.encoding), pa.string()))
            for name, field in zip(names, fields, strict=True)
        )
        gone = header.rows - len(kept)
        notes = [f"field {f.name!r}: of type {f.kind}, left out" for f in header.fields if f not in fields]
        notes += [f"{whole - len(kept):,} rows are marked as deleted"] if whole > len(kept) else []
        notes += (
            [f"{header.rows - whole:,} rows are missing: the file is cut off"] if header.rows > whole else []
        )
        return Reading(
            kind="table",
            table=RawTable(
                columns,
                rows=len(kept),
                opening=lambda _: (_statements(file, header, fields, names), False),
                place=lambda index: f"record {(kept[index] - header.size) // header.width + 1:,}",
                is_text=True,
            ),
            rows_in_file=header.rows,
            rows_skipped=gone,
            skipped=tuple(notes),
            left_out=f"the last {header.rows - whole:,} rows are missing" if header.rows > whole else "",
            warnings=(
                *name_warnings(names, [f.name for f in fields]),
                *([header.guess] if header.guess else []),
            ),
            encoding=header.encoding,
        )


def _header(file: Peek, content: bytes) -> _Header:
    rows, size, width = struct.unpack_from("<IHH", content, 4)
    fields = []
    declared = []
    at = 32
    while at + 32 <= size and content[at] != 0x0D:
        declared.append(struct.unpack_from("<11sc4xBB", content, at))
        at += 32
    # some programs put the high byte of a long text's width where others have its decimals
    is_plain = 1 + sum(length for _, _, length, _ in declared) == width
    start = 1
    for raw, kind, length, decimals in declared:
        long = length if is_plain or kind != b"C" else length + (decimals << 8)
        name = raw.partition(b"\0")[0].decode("utf-8", "replace").strip()
        fields.append(_Field(name, kind.decode("latin-1"), start, start + long))
        start += long
    if not fields or width < 2:
        raise SourceError("it declares no field.", where=file.relative)
    encoding, guess = _encoding(content, size)
    return _Header(rows, size, width, tuple(fields), encoding, guess)


def _encoding(content: bytes, size: int) -> tuple[str, str]:
    """Return the encoding: what the header says, else what fits.

    A .cpg file beside it is not asked: a card depends on the content of its own file only.
    """
    declared = _CODE_PAGES.get(content[29])
    if declared:
        return declared, ""
    try:
        content[size:].decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252", "it names no encoding; read as cp1252 (Western European), which is a guess"
    return "utf-8", ""


def _texts(content: bytes, starts: Sequence[int], field: _Field, encoding: str) -> list[str | None]:
    texts = (
        content[at + field.start : at + field.end].decode(encoding, "replace").strip("\0 ") for at in starts
    )
    if field.kind == "L":
        return [{"T": "True", "Y": "True", "F": "False", "N": "False"}.get(text.upper()) for text in texts]
    if field.kind in "NF":  # a number that does not fit is written as stars
        return [None if not text or set(text) == {"*"} else text for text in texts]
    if field.kind == "D":
        return [_day(text) for text in texts]
    return [text or None for text in texts]


def _day(text: str) -> str | None:
    if len(text) != 8 or not text.isdigit():
        return text or None
    return None if text == "00000000" else f"{text[:4]}-{text[4:6]}-{text[6:]}"


def _statements(file: Peek, header: _Header, fields: Sequence[_Field], names: Sequence[str]) -> list[str]:
    spans = ", ".join(f"({field.start}, {field.end})" for field in fields)
    size, width = header.size, header.width
    statements = [
        f"content = ({data_file(file.relative)}).read_bytes()",
        f"ends = range({size}, {size + header.rows * width}, {width})",
        f"records = [content[at : at + {width}] for at in ends]",
        f'records = [row for row in records if len(row) == {width} and row[:1] != b"*"]',
        f"spans = [{spans}]",
        f'rows = [[row[a:b].decode({literal(header.encoding)}, "replace").strip("\\0 ") for a, b in spans]'
        " for row in records]",
        f'df = pd.DataFrame(rows, columns={literals(names)}, dtype="str").replace("", None)',
    ]
    for kind, expression in _CONVERSIONS.items():
        named = [name for name, field in zip(names, fields, strict=True) if field.kind in kind]
        if named:
            statements.append(f"for name in {literals(named)}:\n    df[name] = {expression}")
    return statements
