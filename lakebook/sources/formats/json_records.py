"""JSON and JSON Lines: every table in a document becomes a unit named by its JSON pointer.

Small documents are read whole, long ones value by value; a document without tables becomes text. How tables
are found, shaped and made columns of is the work of the other `json_*` modules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.formats.json_columns import Record, clean, key_literal, learn, leaves
from lakebook.sources.formats.json_document import (
    MOST_TABLES,
    Found,
    find_inner,
    find_tables,
    pointer,
    sample,
)
from lakebook.sources.formats.json_lines import (
    LINE_SUFFIXES,
    Lines,
    Sequel,
    are_lines,
    first_values,
    measure,
    values_in,
)
from lakebook.sources.formats.json_shapes import WHOLE_ONLY, Inner, Keyed, Listed, Row, Shape, Stray
from lakebook.sources.formats.json_stream import Damage, Survey, survey, walk
from lakebook.sources.formats.json_text import JsonText, Notes, json_text
from lakebook.sources.peek import HEAD_BYTES, Peek
from lakebook.sources.reading import Account, Budget, Part, Passage, RawTable, Reading, Rejects

# Documents of so many characters are held in memory; longer ones are read value by value.
_WHOLE_UP_TO = 32 * 1024 * 1024
_SAMPLED = 1_000
_INNER_LEVELS = 3
_SUFFIXES = frozenset({".json", ".geojson", ".topojson", *LINE_SUFFIXES})
_LONGEST_PASSAGE = 2_000
_MOST_PASSAGES = 500


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a JSON file before it is read.

    Attributes:
        rows: yields records and strays; every call begins anew. Blank lines are told to its argument.
        opening: statements that bind `records`, given that longer whole numbers, and strays, are there.
        apart: dotted names of lists that are units of their own.
        broken: the place where the text stops being JSON, if it does inside or after this table.
    """

    unit: str
    text: JsonText
    notes: Notes
    rows: Callable[[_Tally], Iterator[Row]]
    opening: Callable[[bool, _Tally], list[str]]
    attributes: tuple[tuple[str, str], ...] = ()
    apart: tuple[str, ...] = ()
    broken: Stray | None = None
    is_lines: bool = False
    is_long: bool = False
    is_first: bool = True


@dataclass(slots=True)
class _Tally:
    """What became of the members that are no records, counted anew in every pass."""

    counting: bool = True
    rejects: Rejects = field(default_factory=Rejects)
    notes: Notes = field(default_factory=Notes)
    blank: int = 0
    bad_lines: int = 0

    def clear(self) -> None:
        """Begin anew."""
        self.rejects, self.notes, self.blank, self.bad_lines = Rejects(), Notes(self.counting), 0, 0

    def aside(self, row: Stray | None) -> None:
        """Count a line that is no value, or a blank one."""
        if row is None:
            self.blank += 1
        else:
            self.bad_lines += 1
            self.reject(row)

    def reject(self, row: Stray) -> None:
        """Count and keep a row that is no record."""
        self.rejects.add(row.position, row.reason, row.text)


class JsonRecords:
    """Reads a JSON document (each table in it is a unit) or one JSON value a line."""

    format = "json"

    def can_read(self, file: Peek) -> bool:
        """Return True for text that is JSON, by its name or by its first bytes."""
        if file.magic != "text" or file.suffix in (".ipynb", ".md"):
            return False
        if file.suffix in _SUFFIXES:
            return True
        return file.suffix in ("", ".txt", ".data", ".log") and _begins_as_json(file)

    def units(self, file: Peek) -> Iterator[Part]:
        """Find the tables of the file."""
        text = json_text(file)
        head = _head(text)
        if are_lines(head, named=file.suffix in LINE_SUFFIXES, whole=len(file.head) < HEAD_BYTES):
            parts = _line_parts(text, head)
        else:
            parts = _document_parts(text)
        try:
            yield from parts
        except RecursionError as error:
            raise SourceError("nested too deeply to be read.", where=file.relative) from error

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read one table, or the text that the document is."""
        if isinstance(part.content, Reading):
            return part.content
        table: _Table = part.content
        try:
            return _read(table, budget)
        except RecursionError as error:
            raise SourceError("nested too deeply to be read.", where=part.file.relative) from error


def _head(text: JsonText) -> str:
    return text.file.head.decode(text.encoding, errors="replace").removeprefix("\ufeff")


def _begins_as_json(file: Peek) -> bool:
    if file.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return False
    text = JsonText(file, "utf-8", "replace")
    head, whole = _head(text), len(file.head) < HEAD_BYTES
    if are_lines(head, named=False, whole=whole):
        return True
    found = survey(iter([head]), Notes(), _SAMPLED)
    return found.damage is None or (found.damage.cut_off and (not whole or bool(found.document)))


# --- lines and values that follow each other -------------------------------------------------------------


def _line_parts(text: JsonText, head: str) -> Iterator[Part]:
    lines = Lines(text)
    first = values_in(head)
    found = next(iter(find_tables(first)), None)
    if found is None or found.path:
        raise SourceError("the lines hold no records.", where=text.file.relative)
    yield from _sequence_parts(lines, found.shape, is_lines=True)


def _sequel_parts(text: JsonText) -> Iterator[Part]:
    count, end, damage = measure(text)
    sequel = Sequel(text if damage is None else replace(text, end=end))
    first = first_values(sequel.members(Notes(), lambda _: None), 200) if count > 1 else []
    found = next(iter(find_tables(first)), None)
    if found is None or found.path:
        problem = f"something follows the JSON document ({damage})" if damage else "the values are no records"
        raise SourceError(f"{problem}.", where=text.file.relative)
    yield from _sequence_parts(sequel, found.shape, broken=_broken(damage))


def _sequence_parts(
    source: Lines | Sequel, shape: Shape, *, is_lines: bool = False, broken: Stray | None = None
) -> Iterator[Part]:
    def rows(tally: _Tally) -> Iterator[Row]:
        return shape.rows(source.members(tally.notes, tally.aside))

    def opening(exact: bool, tally: _Tally) -> list[str]:
        document = source.statements(exact=exact, asides=tally.bad_lines > 0)
        return _joined(document, shape, tally)

    is_long = _is_long(source.text)
    table = _Table("", source.text, Notes(), rows, opening, broken=broken, is_lines=is_lines, is_long=is_long)
    yield from _with_inner(table, shape)


# --- documents -------------------------------------------------------------------------------------------


def _document_parts(text: JsonText) -> Iterator[Part]:
    notes = Notes()
    document, found = _whole(text, notes)
    damage = None
    if found is not None:
        if found.damage is None and found.more:
            yield from _sequel_parts(text)
            return
        damage, document = found.damage, found.document
        if damage is not None:
            text = replace(text, end=found.end, closing=found.closing)
    tables = [] if document is None else list(islice(find_tables(document), MOST_TABLES + 1))
    sampled = found is not None and found.sampled
    if sampled:
        tables = [table for table in tables if not isinstance(table.shape, WHOLE_ONLY)]
    if damage is not None and not tables:
        raise SourceError(f"not JSON: {damage}.", where=text.file.relative)
    if not tables and sampled:
        raise SourceError("a long document without a table of a known shape.", where=text.file.relative)
    is_first = True
    for number, table in enumerate(tables[:MOST_TABLES], start=1):
        broken = _broken(damage) if number == len(tables[:MOST_TABLES]) else None
        for part in _table_parts(text, notes, None if sampled else document, table, broken):
            yield replace(part, content=replace(part.content, is_first=is_first))
            is_first = False
    if is_first:
        yield Part(text.file, content=_as_text(document, text, notes))
    if len(tables) > MOST_TABLES:
        note = f"only the first {MOST_TABLES} tables of the document were read"
        yield Part(text.file, content=Reading(problem=note))


def _whole(text: JsonText, notes: Notes) -> tuple[Any, Survey | None]:
    """Return the document; where it is long, or no JSON, what a walk through it found."""
    content = "".join(_up_to(text.chunks(), _WHOLE_UP_TO))
    if len(content) >= _WHOLE_UP_TO:
        return None, survey(text.chunks(), notes, _SAMPLED)
    try:
        document = notes.decoder().decode(content)
    except json.JSONDecodeError:
        notes.clear()
        return None, survey(text.chunks(), notes, None)
    except RecursionError as error:
        raise SourceError("nested too deeply to be read.", where=text.file.relative) from error
    return notes.whole(document, content, 0, len(content)), None


def _up_to(chunks: Iterator[str], most: int) -> Iterator[str]:
    total = 0
    for chunk in chunks:
        yield chunk
        total += len(chunk)
        if total >= most:
            return


def _broken(damage: Damage | None) -> Stray | None:
    if damage is None:
        return None
    return Stray(damage.line, f"not JSON from here on: {damage}; what follows was not read", "")


def _table_parts(
    text: JsonText, notes: Notes, document: Any, found: Found, broken: Stray | None
) -> Iterator[Part]:
    """Return a table of a document, in memory or (no document given) read from the text each time."""

    def rows(_: _Tally) -> Iterator[Row]:
        if document is None:
            return found.shape.rows(walk(text, found.path, Notes(counting=False)))
        holder = document
        for key in found.path:
            holder = holder[key]
        return found.shape.rows(holder.items() if isinstance(holder, dict) else enumerate(holder))

    def opening(exact: bool, tally: _Tally) -> list[str]:
        keys = "".join(f"[{key_literal(key)}]" for key in found.path)
        tally.notes.lone_surrogates |= notes.lone_surrogates
        return _joined(text.statements(exact=exact), found.shape, tally, keys)

    table = _Table(
        found.unit, text, notes, rows, opening, found.attributes, broken=broken, is_long=document is None
    )
    yield from _with_inner(table, found.shape)


def _joined(document: list[str], shape: Shape, tally: _Tally, keys: str = "") -> list[str]:
    """Join the statements that bind `document` and `records`, as short as they can be."""
    strays = tally.rejects.count > tally.bad_lines
    document = list(document)
    if tally.notes.lone_surrogates:
        document.append(
            "document = json.loads(\n"
            "    json.dumps(document, ensure_ascii=False)\n"
            '    .encode("utf-16", "surrogatepass")\n'
            '    .decode("utf-16", "replace")\n)'
        )
        document += [f"document = document{keys}"] if keys else []
    else:
        document[-1] += keys
    if isinstance(shape, Listed) and not strays:
        return [statement.replace("document", "records") for statement in document]
    return [*document, *shape.statements(strays=strays)]


def _with_inner(table: _Table, shape: Shape, level: int = 0) -> Iterator[Part]:
    """Return the table, unless its records are empty, and the lists of records inside its records."""
    records = sample(row for row in table.rows(_Tally()) if type(row) is dict)
    inner = []
    if isinstance(shape, (Listed, Keyed, Inner)) and level < _INNER_LEVELS:
        inner = find_inner(records)
    apart = tuple(one.path for one in inner)
    if any(path not in apart for record in records for _, path in leaves(record)):
        names = tuple(".".join(path) for path in apart)
        yield Part(table.text.file, table.unit, replace(table, apart=names))
    for one in inner:
        yield from _with_inner(_inside(table, one), one, level + 1)


def _inside(outer: _Table, shape: Inner) -> _Table:
    def rows(tally: _Tally) -> Iterator[Row]:
        records = (row for row in outer.rows(_Tally()) if type(row) is dict)
        return shape.rows(enumerate(records))

    def opening(exact: bool, tally: _Tally) -> list[str]:
        above = _Tally()
        for row in outer.rows(above):
            if isinstance(row, Stray):
                above.reject(row)
        above.notes.lone_surrogates |= tally.notes.lone_surrogates
        return [*outer.opening(exact, above), *shape.statements(strays=tally.rejects.count > 0)]

    return replace(
        outer,
        unit=f"{outer.unit}/*{pointer(shape.path)}",
        rows=rows,
        opening=opening,
        attributes=(("parent", f"{outer.unit or '/'}, whose rows {shape.row_column} counts from 1"),),
        broken=None,
        is_lines=False,
        is_first=False,
    )


# --- reading ---------------------------------------------------------------------------------------------


def _read(table: _Table, budget: Budget) -> Reading:
    tally = _Tally()
    counted = _Pass(table, tally, budget.rows)
    columns = learn(counted.records, table.apart)
    columns = replace(columns, records=_Pass(table, _Tally(counting=False), budget.rows).records)
    if table.broken is not None:
        tally.reject(table.broken)
    encoding, warnings = table.text.encoding, []
    if table.text.warning:
        warnings.append(table.text.warning)
    warnings += columns.warnings
    if table.is_first:
        warnings += [*table.notes.warnings(), *tally.notes.warnings()]
    noun = "line" if table.is_lines and not tally.rejects.count and not tally.blank else "record"
    raw = RawTable(
        columns.headers() if table.is_long else columns.raw(),
        rows=columns.rows,
        opening=lambda _: ([*table.opening(columns.exact, tally), *columns.statements()], True),
        place=lambda index: f"{noun} {index + 1:,}",
        blocks=columns.batches if table.is_long else None,
    )
    reading = Reading(
        unit=table.unit,
        kind="table",
        table=raw,
        attributes=(*table.attributes, *columns.lists),
        left_out=counted.left_out,
        rows_in_file=columns.rows + tally.rejects.count + tally.blank,
        rows_rejected=tally.rejects.count,
        rows_skipped=tally.blank,
        rejected=tuple(tally.rejects.kept),
        skipped=(f"{tally.blank:,} blank rows",) if tally.blank else (),
        warnings=tuple(warnings),
        encoding=encoding,
    )
    if not table.is_long:
        return reading
    account = Account(
        reading.table.rows if reading.table else 0,
        reading.rows_in_file,
        reading.rows_rejected,
        reading.rows_skipped,
        reading.rejected,
        reading.skipped,
    )
    return replace(reading, account=lambda: account)


@dataclass(slots=True)
class _Pass:
    """Passes over the records of a table within a budget; strays are counted anew in each."""

    table: _Table
    tally: _Tally
    most: int | None
    left_out: str = ""

    def records(self) -> Iterator[Record]:
        """Yield the records."""
        self.tally.clear()
        count = 0
        for row in self.table.rows(self.tally):
            if isinstance(row, Stray):
                self.tally.reject(row)
                continue
            count += 1
            if self.most is not None and count > self.most:
                self.left_out = f"only the first {self.most:,} rows were read"
                return
            yield row


def _as_text(document: Any, text: JsonText, notes: Notes) -> Reading:
    """Return a document without tables as text: a passage or more for every key of the outermost object."""
    members = document.items() if isinstance(document, dict) else [("", document)]
    passages = list(
        islice(chain.from_iterable(_passages(key, value) for key, value in members), _MOST_PASSAGES)
    )
    warnings = [text.warning] if text.warning else []
    if document in ([], {}):
        warnings.append("there is nothing in the document")
    return Reading(
        text_length=sum(len(passage.text) for passage in passages),
        headings=tuple(clean(key) for key, _ in members if key)[:200],
        passages=tuple(passages),
        left_out=f"only the first {_MOST_PASSAGES} passages are kept"
        if len(passages) == _MOST_PASSAGES
        else "",
        warnings=(*warnings, *notes.warnings()),
        encoding=text.encoding,
    )


def _passages(key: str, value: Any) -> Iterator[Passage]:
    """Write a member as text; a long one is cut between lines."""
    written = (
        json.dumps(value, ensure_ascii=False, indent=1) if isinstance(value, (dict, list)) else str(value)
    )
    part: list[str] = []
    size = 0
    for line in clean(written).splitlines():
        for piece in (line[at : at + _LONGEST_PASSAGE] for at in range(0, len(line) or 1, _LONGEST_PASSAGE)):
            if part and size + len(piece) > _LONGEST_PASSAGE:
                yield Passage(pointer((key,)) if key else "/", clean(key), "\n".join(part))
                part, size = [], 0
            part.append(piece)
            size += len(piece) + 1
    yield Passage(pointer((key,)) if key else "/", clean(key), "\n".join(part))


def _is_long(text: JsonText) -> bool:
    packed = 8 if text.file.compression else 1
    return packed * text.file.size > _WHOLE_UP_TO
