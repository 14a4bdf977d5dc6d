"""What a source is found by: the words of its card and of its kept content, in six weighted fields.

Reads cards, kept tables and kept passages; never the lake. What a word in a field is worth is decided in
`ranking`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lakebook.exploration.words import tokens
from lakebook.sources.card import Column, SourceCard, SourceUnit
from lakebook.sources.profile import table_file, text_file

FIELDS = ("name", "folder", "titles", "columns", "content", "values")
NAME, FOLDER, TITLES, COLUMNS, CONTENT, VALUES = range(len(FIELDS))

CONTENT_LETTERS = 20_000
MOST_VALUES = 20_000
_FIRST_ROWS = 20
_ROWS_LETTERS = 4_000
_VALUE_LETTERS = 200
# What profilers write before a line that they took for a title or a note.
_PLACE = re.compile(r"^(?:line|row)s? [\d,]+(?:-[\d,]+)?(?: \(\w+\))?: ")


@dataclass(frozen=True, slots=True)
class Term:
    """How often a token stands in a field of a unit; `unit` is -1 for what belongs to the whole file."""

    unit: int
    field: int
    token: str
    count: int


def terms_of(card: SourceCard, state: Path) -> tuple[Term, ...]:
    """Return the terms by which a file is found."""
    path = PurePosixPath(card.path)
    found = [
        *_counted(-1, NAME, tokens(path.stem) + tokens(path.suffix)),
        *_counted(-1, FOLDER, tokens("" if path.parent.as_posix() == "." else path.parent.as_posix())),
        *_counted(-1, TITLES, tokens(card.meaning)),
    ]
    for number, unit in enumerate(card.units):
        found += _of_unit(number, card, unit, state)
    return tuple(found)


def _of_unit(number: int, card: SourceCard, unit: SourceUnit, state: Path) -> Iterator[Term]:
    titles, notes = _titles_and_notes(unit)
    words = [token for title in titles for token in tokens(title)]
    yield from _counted(number, TITLES, words)
    columns = [token for column in unit.columns for token in tokens(_column_words(column))]
    yield from _counted(number, COLUMNS, columns)
    content = [token for note in notes for token in tokens(note)]
    if unit.kind == "text":
        content += tokens(passages_text(card, unit, state, CONTENT_LETTERS))
        yield from _counted(number, CONTENT, content)
        return
    content += tokens(" ".join(" ".join(row) for row in first_rows(card, unit, state))[:_ROWS_LETTERS])
    yield from _counted(number, CONTENT, content)
    values: list[str] = []
    for column in unit.columns:
        # a token counts once a column, however many values hold it
        values += {
            token for value in _values(card, unit, column, state) for token in tokens(value[:_VALUE_LETTERS])
        }
    yield from _counted(number, VALUES, values)


def _counted(unit: int, field: int, words: Iterable[str]) -> Iterator[Term]:
    return (Term(unit, field, token, count) for token, count in Counter(words).items())


def _titles_and_notes(unit: SourceUnit) -> tuple[list[str], list[str]]:
    """Lines above a table are its titles; what else was skipped, and attributes, are notes."""
    titles = [unit.unit, unit.meaning, *unit.headings[:50]]
    notes = [value for name, value in unit.attributes]
    for skipped in unit.skipped:
        text = _PLACE.sub("", skipped)
        if text == skipped:
            continue  # a count of lines, not a line
        is_note = len(text) > 200 or "(footer)" in skipped
        (notes if is_note else titles).append(text)
    return titles, notes


def _column_words(column: Column) -> str:
    return f"{column.name} {column.meaning} {column.unit}"


def first_rows(card: SourceCard, unit: SourceUnit, state: Path) -> list[list[str]]:
    """Return the header and the first rows of a kept table as text; nothing if no table is kept."""
    rows = [[column.name for column in unit.columns]]
    file = table_file(state, card, unit)
    if unit.kind != "table" or not file.exists():
        return rows
    with pq.ParquetFile(file) as source:
        batch = next(source.iter_batches(batch_size=_FIRST_ROWS), None)
    if batch is None:
        return rows
    cells = [column.to_pylist() for column in batch.columns]
    rows += [[str(cell) for cell in row if cell is not None] for row in zip(*cells, strict=True)]
    return rows


def passages_text(card: SourceCard, unit: SourceUnit, state: Path, letters: int) -> str:
    """Return the start of a kept text, its passages joined; "" if none is kept."""
    file = text_file(state, card, unit)
    if not file.exists():
        return ""
    parts: list[str] = []
    length = 0
    for heading, text in zip(*_columns(file, ["heading", "text"]), strict=True):
        piece = text if heading in text[:300] else f"{heading}\n{text}"
        parts.append(piece)
        length += len(piece)
        if length >= letters:
            break
    return "\n".join(parts)[:letters]


def _columns(file: Path, names: list[str]) -> list[list[str]]:
    table = pq.read_table(file, columns=names)
    return [[str(cell or "") for cell in table[name].to_pylist()] for name in names]


def _values(card: SourceCard, unit: SourceUnit, column: Column, state: Path) -> list[str]:
    """Return distinct values of a column of words; numbers and dates are not found by their values."""
    if column.type not in ("text", "json"):
        return []
    file = table_file(state, card, unit)
    if column.values_complete or len(column.values) >= column.distinct or not file.exists():
        return [value.value for value in column.values]
    try:
        kept = pq.read_table(file, columns=[column.name])[column.name]
        distinct = pc.unique(kept.cast(pa.string()))
    except (pa.ArrowException, KeyError):
        return [value.value for value in column.values]
    return [value for value in distinct[:MOST_VALUES].to_pylist() if value]
