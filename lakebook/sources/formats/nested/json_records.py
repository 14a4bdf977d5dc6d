"""JSON and JSON Lines: every table in a document becomes a unit named by its JSON pointer.

Small documents are read whole, long ones value by value; a document without tables becomes text. How tables
are found, shaped and made columns of is the work of the other `json_*` modules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.formats.nested.json_columns import clean, key_literal
from lakebook.sources.formats.nested.json_document import MOST_TABLES, Found, find_tables, pointer
from lakebook.sources.formats.nested.json_lines import (
    LINE_SUFFIXES,
    Lines,
    Sequel,
    are_lines,
    first_values,
    measure,
    values_in,
)
from lakebook.sources.formats.nested.json_shapes import WHOLE_ONLY, Keyed, Listed, Row, Shape, Stray
from lakebook.sources.formats.nested.json_stream import Damage, Survey, survey, walk
from lakebook.sources.formats.nested.json_text import JsonText, Notes, json_text
from lakebook.sources.formats.nested.record_tables import RecordTable, Tally, read_table, with_inner
from lakebook.sources.peek import HEAD_BYTES, Peek
from lakebook.sources.reading import Budget, Part, Passage, Reading

# Documents of so many characters are held in memory; longer ones are read value by value.
_WHOLE_UP_TO = 32 * 1024 * 1024
_SAMPLED = 1_000
# Shapes whose records may hold lists of records.
_NESTED = (Listed, Keyed)
_SUFFIXES = frozenset({".json", ".geojson", ".topojson", *LINE_SUFFIXES})
_LONGEST_PASSAGE = 2_000
_MOST_PASSAGES = 500


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
        table: RecordTable = part.content
        try:
            return read_table(table, budget)
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
    def rows(tally: Tally) -> Iterator[Row]:
        return shape.rows(source.members(tally.notes, tally.aside))

    def opening(exact: bool, tally: Tally) -> list[str]:
        document = source.statements(exact=exact, asides=tally.bad_lines > 0)
        return _joined(document, shape, tally)

    is_long = _is_long(source.text)
    table = RecordTable(
        "",
        source.text.file,
        rows,
        opening,
        encoding=source.text.encoding,
        warnings=(source.text.warning,) if source.text.warning else (),
        broken=broken,
        is_lines=is_lines,
        is_long=is_long,
    )
    yield from with_inner(table, nested=isinstance(shape, _NESTED))


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
    is_first = True
    for number, table in enumerate(tables[:MOST_TABLES], start=1):
        broken = _broken(damage) if number == len(tables[:MOST_TABLES]) else None
        for part in _table_parts(text, notes, None if sampled else document, table, broken):
            yield replace(part, content=replace(part.content, is_first=is_first))
            is_first = False
    if is_first and damage is not None:
        raise SourceError(f"not JSON: {damage}.", where=text.file.relative)
    if is_first and sampled:
        raise SourceError("a long document without a table of a known shape.", where=text.file.relative)
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

    def rows(_: Tally) -> Iterator[Row]:
        if document is None:
            return found.shape.rows(walk(text, found.path, Notes(counting=False)))
        holder = document
        for key in found.path:
            holder = holder[key]
        return found.shape.rows(holder.items() if isinstance(holder, dict) else enumerate(holder))

    def opening(exact: bool, tally: Tally) -> list[str]:
        keys = "".join(f"[{key_literal(key)}]" for key in found.path)
        tally.notes.lone_surrogates |= notes.lone_surrogates
        return _joined(text.statements(exact=exact), found.shape, tally, keys)

    table = RecordTable(
        found.unit,
        text.file,
        rows,
        opening,
        encoding=text.encoding,
        warnings=(text.warning,) if text.warning else (),
        notes=notes,
        attributes=found.attributes,
        broken=broken,
        is_long=document is None,
    )
    yield from with_inner(table, nested=isinstance(found.shape, _NESTED))


def _joined(document: list[str], shape: Shape, tally: Tally, keys: str = "") -> list[str]:
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


# --- text ------------------------------------------------------------------------------------------------


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
