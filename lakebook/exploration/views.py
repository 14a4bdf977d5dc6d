"""The three retrieval views of a lake: paths and names; columns and values; text content.

One document a source unit and view. A view that says nothing of a unit holds an empty document for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lakebook.errors import SourceError
from lakebook.exploration.bm25 import Bm25, tokens
from lakebook.sources.card import Column, SourceCard, SourceMap, SourceUnit
from lakebook.sources.formats.document import read_text
from lakebook.sources.groups import member
from lakebook.sources.peek import peek

VIEWS = ("paths and names", "columns and values", "content")
_VALUES_A_COLUMN = 200
_CONTENT_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A unit in the index: its name as a group member, and where it comes from."""

    name: str
    card: SourceCard
    unit: SourceUnit | None


@dataclass(frozen=True, slots=True)
class Views:
    """The indexes of the three views over the same entries."""

    entries: tuple[Entry, ...]
    indexes: tuple[Bm25, ...]
    unread: tuple[str, ...]


def build_views(source_map: SourceMap, root: Path) -> Views:
    """Index a lake. Files without units (not read) can still be found by their path."""
    entries = []
    for card in source_map.cards:
        units: tuple[SourceUnit | None, ...] = card.units or (None,)
        for unit in units:
            name = card.path if unit is None else member(card, unit)
            entries.append(Entry(name, card, unit))
    names = Bm25.of(_name_tokens(entry) for entry in entries)
    columns = Bm25.of(_column_tokens(entry) for entry in entries)
    unread: list[str] = []
    content = Bm25.of(_content_tokens(entry, root, unread) for entry in entries)
    return Views(tuple(entries), (names, columns, content), tuple(unread))


def read_document(root: Path, card: SourceCard) -> str:
    """Return the text of a document of the lake. Raises OSError or SourceError if it is gone or damaged."""
    return read_text(peek(root / card.path, card.path), card.encoding or "utf-8")


def _name_tokens(entry: Entry) -> list[str]:
    path = PurePosixPath(entry.card.path)
    found = tokens(path.name.partition(".")[0]) * 2 + tokens(path.parent.as_posix()) + tokens(path.suffix)
    if entry.unit is not None:
        found += tokens(entry.unit.unit) * 2 + [
            word for title in entry.unit.headings[:20] for word in tokens(title)
        ]
    return found


def _column_tokens(entry: Entry) -> list[str]:
    if entry.unit is None:
        return []
    found: list[str] = []
    for column in entry.unit.columns:
        found += tokens(column.name) * 3 + _value_tokens(column)
    return found


def _value_tokens(column: Column) -> list[str]:
    """Each token counts once a column; numbers and dates give their years only."""
    if column.type in ("date", "datetime"):
        ends = [int(end[:4]) for end in (column.min, column.max) if end]
        return [str(year) for year in range(min(ends), max(ends) + 1)][:200] if ends else []
    if column.type == "integer" and column.role == "time":
        return sorted({value.value for value in column.values})
    if column.type not in ("text", "boolean"):
        return []
    shown = column.values[:_VALUES_A_COLUMN]
    return sorted({token for value in shown for token in tokens(value.value[:200])})


def _content_tokens(entry: Entry, root: Path, unread: list[str]) -> list[str]:
    if entry.unit is None or entry.unit.kind != "text":
        notes = entry.unit.skipped if entry.unit is not None else ()
        return [token for note in notes for token in tokens(note)]
    try:
        return tokens(read_document(root, entry.card)[:_CONTENT_CHARACTERS])
    except (OSError, SourceError) as error:
        unread.append(f"{entry.card.path}: could not be read again ({error})")
        return []
