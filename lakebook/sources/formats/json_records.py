"""JSON and JSON Lines: lists of records become tables, nested objects become columns with dotted names."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from lakebook.errors import SourceError
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.objects import object_column
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, RawColumn, RawTable, Reading, Rejects

_LIMIT = 512 * 1024 * 1024
_OPENERS = {"": "open", "gz": "gzip.open", "bz2": "bz2.open"}
# Longer whole numbers are read as text, before pandas can turn them into floats.
_PARSE_INT = "parse_int=lambda digits: int(digits) if len(digits) < 16 else digits"


class JsonRecords:
    """Reads a JSON document (each list of records in it is a unit) or one JSON record a line."""

    format = "json"

    def can_read(self, file: Peek) -> bool:
        """Return True for text that starts as a JSON object or list does."""
        if file.magic != "text" or file.compression == "zip" or file.suffix in (".ipynb", ".md"):
            return False
        start = file.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        named = file.suffix in (".json", ".jsonl", ".ndjson", ".geojson", ".jsonlines")
        return named or (start in (b"{", b"[") and file.suffix in ("", ".txt", ".data"))

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the lists of records of the document."""
        for reading in self._read(file):
            yield Part(file, reading.unit, reading)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Return one list of records as a table."""
        reading: Reading = part.content
        return reading

    def _read(self, file: Peek) -> Iterator[Reading]:
        with file.open() as stream:
            content = stream.read(_LIMIT + 1)
        if len(content) > _LIMIT:
            raise SourceError(f"JSON of more than {_LIMIT >> 20} MB is not read.", where=file.relative)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SourceError(
                f"not UTF-8 ({error.reason} at byte {error.start:,}).", where=file.relative
            ) from error
        try:
            document = json.loads(text, parse_int=_parse_int)
        except json.JSONDecodeError as error:
            yield _lines(file, text, error)
            return
        except RecursionError as error:
            raise SourceError("nested too deeply to be read.", where=file.relative) from error
        yield from _document(file, document, len(text))


def _parse_int(digits: str) -> int | str:
    return int(digits) if len(digits) < 16 else digits


def _document(file: Peek, document: Any, length: int) -> Iterator[Reading]:
    pointers = list(_record_lists(document))
    if not pointers:
        keys = tuple(str(key) for key in document)[:50] if isinstance(document, dict) else ()
        yield Reading(text_length=length, headings=keys, encoding="utf-8")
    for path in pointers:
        items = document
        for key in path:
            items = items[key]
        unit = "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in path)
        rejects = Rejects()
        records = []
        for position, item in enumerate(items):
            if isinstance(item, dict):
                records.append(item)
            else:
                rejects.add(position + 1, "not a record", json.dumps(item))
        yield _table(file, unit, records, rejects, _load_document(file, path, rejects.count > 0))


def _record_lists(document: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Find lists that are mostly records, down to two levels of objects."""
    if isinstance(document, list):
        records = sum(isinstance(item, dict) for item in document)
        if records and records >= 0.5 * len(document):
            yield path
    elif isinstance(document, dict) and len(path) < 2:
        for key, value in document.items():
            yield from _record_lists(value, (*path, key))


def _lines(file: Peek, text: str, cause: json.JSONDecodeError) -> Reading:
    """Read one record a line; lines that are no record are rejected."""
    records = []
    rejects = Rejects()
    blank = 0
    for number, line in enumerate(io.StringIO(text), start=1):
        if not line.strip():
            blank += 1
            continue
        try:
            item = json.loads(line, parse_int=_parse_int)
        except json.JSONDecodeError as error:
            rejects.add(number, f"not JSON: {error.msg}", line.rstrip("\n"))
            continue
        if isinstance(item, dict):
            records.append(item)
        else:
            rejects.add(number, "not a record", line.rstrip("\n"))
    if len(records) <= rejects.count:
        raise SourceError(
            f"neither JSON nor a record a line: {cause.msg}, line {cause.lineno:,}, column {cause.colno:,}.",
            where=file.relative,
        ) from cause
    return _table(file, "", records, rejects, _load_lines(file, rejects.count > 0), blank)


def _table(
    file: Peek,
    unit: str,
    records: Sequence[dict[str, Any]],
    rejects: Rejects,
    opening: list[str],
    blank: int = 0,
) -> Reading:
    frame = pd.json_normalize(list(records))
    columns = tuple(_column(str(name), frame[name]) for name in frame.columns)
    late = _late_keys(columns, len(records))
    statements = [*opening, "df = pd.json_normalize(records)"]
    return Reading(
        unit=unit,
        kind="table",
        table=RawTable(
            columns,
            rows=len(records),
            opening=lambda _: (statements, True),
            place=lambda i: f"record {i + 1:,}",
        ),
        rows_in_file=len(records) + rejects.count + blank,
        rows_rejected=rejects.count,
        rows_skipped=blank,
        skipped=(f"{blank:,} blank rows",) if blank else (),
        rejected=tuple(rejects.kept),
        warnings=late,
        encoding="utf-8",
    )


def _column(name: str, series: pd.Series[Any]) -> RawColumn:
    missing = series.isna() & series.map(lambda value: not isinstance(value, (list, dict)))
    values = [None if gone else value for gone, value in zip(missing, series.tolist(), strict=True)]
    return object_column(name, name, values)


def _late_keys(columns: Sequence[RawColumn], rows: int) -> tuple[str, ...]:
    """Say which keys are missing in most records, with their fill rate."""
    rare = [(column.name, rows - column.values.null_count) for column in columns]
    shown = [f"{name} ({filled:,} of {rows:,})" for name, filled in rare if filled < 0.5 * rows]
    return (f"keys that most records lack: {', '.join(shown[:20])}",) if shown else ()


def _opened(file: Peek) -> tuple[list[str], str]:
    opener = _OPENERS[file.compression]
    imports = ["import json"] + ([f"import {opener.split('.')[0]}"] if "." in opener else [])
    mode = '"rt", ' if file.compression else ""
    return imports, f'with {opener}({data_file(file.relative)}, {mode}encoding="utf-8-sig") as file:'


def _load_document(file: Peek, path: Sequence[str], has_rejects: bool) -> list[str]:
    imports, opened = _opened(file)
    keys = "".join(f"[{literal(key)}]" for key in path)
    statements = [*imports, "", f"{opened}\n    records = json.load(file, {_PARSE_INT}){keys}"]
    if has_rejects:
        statements.append("records = [record for record in records if isinstance(record, dict)]")
    return statements


def _load_lines(file: Peek, has_rejects: bool) -> list[str]:
    imports, opened = _opened(file)
    if not has_rejects:
        parse = f"json.loads(line, {_PARSE_INT})"
        return [*imports, "", f"{opened}\n    records = [{parse} for line in file if line.strip()]"]
    return [
        *imports,
        "",
        "records = []",
        f"{opened}\n"
        "    for line in file:\n"
        "        try:\n"
        f"            records.append(json.loads(line, {_PARSE_INT}))\n"
        "        except ValueError:\n"
        "            continue  # not JSON: counted as rejected",
        "records = [record for record in records if isinstance(record, dict)]",
    ]
