"""Which file documents which: a list of another file's columns, or a text named like a file beside it.

A link is a statement with its reason. The words of the document count as words of the columns it describes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from lakebook.sources.card import Column, SourceCard

_FEWEST_COLUMNS = 5
_LONGEST_LIST = 2_000
_SHARE_OF_COLUMNS = 0.5
_SHARE_OF_LIST = 0.3
_SHORTEST_STEM = 5


@dataclass(frozen=True, slots=True)
class Documents:
    """File number `document` describes file number `described`, and what says so."""

    document: int
    described: int
    why: str


def find_documents(cards: Sequence[SourceCard]) -> tuple[Documents, ...]:
    """Return which files document others, at most one document for a file: the one that covers most."""
    best: dict[int, tuple[float, Documents]] = {}
    for share, link in [*_by_columns(cards), *_by_stem(cards)]:
        if link.described not in best or share > best[link.described][0]:
            best[link.described] = (share, link)
    return tuple(best[number][1] for number in sorted(best))


def _by_columns(cards: Sequence[SourceCard]) -> Iterator[tuple[float, Documents]]:
    """A column of one file lists the columns of another: a data dictionary."""
    schemas, where = _schemas(cards)
    for number, column in _lists(cards):
        top = _top(cards[number])
        listed = {value.value.strip().lower() for value in column.values}
        shared = Counter(names for value in listed for names in where.get((top, value), ()))
        for names, count in shared.items():
            share = count / len(names)
            if share < _SHARE_OF_COLUMNS or count < _SHARE_OF_LIST * len(listed):
                continue
            why = f"column {column.name} lists {count} of its {len(names)} columns"
            for described in schemas[top, names]:
                if described != number:
                    yield share, Documents(number, described, why)


_Names = frozenset[str]


def _schemas(
    cards: Sequence[SourceCard],
) -> tuple[dict[tuple[str, _Names], list[int]], dict[tuple[str, str], list[_Names]]]:
    """Return which files have a set of columns, and in which sets a column stands, by top folder."""
    schemas: dict[tuple[str, _Names], list[int]] = defaultdict(list)
    for number, card in enumerate(cards):
        columns = (column for unit in card.units for column in unit.columns)
        names = frozenset((column.original_name or column.name).strip().lower() for column in columns)
        if len(names) >= _FEWEST_COLUMNS:
            schemas[_top(card), names].append(number)
    where: dict[tuple[str, str], list[_Names]] = defaultdict(list)
    for top, names in schemas:
        for name in names:
            where[top, name].append(names)
    return schemas, where


def _lists(cards: Sequence[SourceCard]) -> Iterator[tuple[int, Column]]:
    for number, card in enumerate(cards):
        for unit in card.units:
            for column in unit.columns:
                if column.type == "text" and _FEWEST_COLUMNS <= len(column.values) <= _LONGEST_LIST:
                    yield number, column


def _by_stem(cards: Sequence[SourceCard]) -> Iterator[tuple[float, Documents]]:
    """A text whose name begins the names of tables beside it: `omni2.text` and `omni2_2024.dat`."""
    beside: dict[str, list[int]] = defaultdict(list)
    for number, card in enumerate(cards):
        beside[PurePosixPath(card.path).parent.as_posix()].append(number)
    for files in beside.values():
        names = sorted((PurePosixPath(cards[number].path).name.lower(), number) for number in files)
        for number in files:
            card = cards[number]
            stem = PurePosixPath(card.path).stem.lower()
            if len(stem) < _SHORTEST_STEM or not any(unit.kind == "text" for unit in card.units):
                continue
            for name, described in names[bisect_left(names, (stem, -1)) :]:
                if not name.startswith(stem):
                    break
                is_other = PurePosixPath(name).suffix != PurePosixPath(card.path).suffix.lower()
                if is_other and not name[len(stem) : len(stem) + 1].isalpha():
                    yield 0.5, Documents(number, described, f"its name begins with {stem}")


def _top(card: SourceCard) -> str:
    parts = PurePosixPath(card.path).parts
    return parts[0] if len(parts) > 1 else ""
