"""Find sources that belong together: sheets, tables of a database, files of one pattern, equal tables.

A group is a statement about names and columns, shown with its reason; nothing is merged here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath

from lakebook.sources.card import GroupKind, SourceCard, SourceGroup, SourceUnit

_DIGITS = re.compile(r"\d+")
_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d{2}(?:[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?)?(?!\d)"
)
_PACKED = re.compile(r"\.(gz|bz2|zip)$", re.IGNORECASE)
_ALIKE = 0.5


def member(card: SourceCard, unit: SourceUnit) -> str:
    """Return the name of a unit as a group member: the path, with `#unit` if the file has several."""
    return card.path if len(card.units) == 1 else f"{card.path}#{unit.unit}"


def find_groups(cards: Sequence[SourceCard]) -> tuple[SourceGroup, ...]:
    """Return the groups that the cards form, sorted by id."""
    groups = [*_inside_files(cards), *_patterns(cards)]
    grouped = {name for group in groups if group.kind == "pattern" for name in group.members}
    groups += _compatible(cards, grouped)
    return tuple(sorted(groups, key=lambda group: group.id))


def _inside_files(cards: Sequence[SourceCard]) -> list[SourceGroup]:
    kinds: dict[str, tuple[GroupKind, str]] = {
        "workbook": ("workbook", "sheets of one workbook"),
        "sqlite": ("database", "tables of one database"),
        "json": ("database", "lists of one JSON document"),
    }
    groups = []
    for card in cards:
        tables = [unit for unit in card.units if unit.kind == "table"]
        if card.format in kinds and len(tables) > 1:
            kind, why = kinds[card.format]
            groups.append(SourceGroup(card.path, kind, tuple(member(card, unit) for unit in tables), why))
    return groups


def _patterns(cards: Sequence[SourceCard]) -> list[SourceGroup]:
    """Files whose paths differ in numbers only: dates suffice, other numbers need similar columns."""
    dated: dict[str, list[SourceCard]] = defaultdict(list)
    numbered: dict[str, list[SourceCard]] = defaultdict(list)
    for card in cards:
        if not card.units:
            continue
        path = _PACKED.sub("", card.path)
        if _DATE.search(path):
            dated[_DATE.sub("{date}", path)].append(card)
        elif _DIGITS.search(path):
            numbered[_DIGITS.sub("{n}", path)].append(card)
    groups = []
    for pattern, members in dated.items():
        if len(members) > 1:
            groups.append(_group(pattern, members, "paths that differ in the date only"))
    for pattern, members in numbered.items():
        alike = [card for card in members if _similar(_columns(members[0]), _columns(card))]
        if len(alike) > 1:
            groups.append(_group(pattern, alike, "paths that differ in a number only, with similar columns"))
    return groups


def _group(pattern: str, cards: Sequence[SourceCard], why: str) -> SourceGroup:
    schemas = {_columns(card) for card in cards}
    detail = "" if len(schemas) == 1 else f"; {len(schemas)} different sets of columns"
    return SourceGroup(pattern, "pattern", tuple(card.path for card in cards), why + detail)


def _compatible(cards: Sequence[SourceCard], grouped: set[str]) -> list[SourceGroup]:
    """Tables of one folder with the same columns."""
    same: dict[tuple[str, frozenset[str]], list[str]] = defaultdict(list)
    for card in cards:
        folder = PurePosixPath(card.path).parent.as_posix()
        for unit in card.units:
            names = _names(unit)
            if unit.kind == "table" and len(names) > 1 and card.path not in grouped:
                same[folder, names].append(member(card, unit))
    return [
        SourceGroup(
            f"{'' if folder == '.' else folder + '/'}{{like {PurePosixPath(members[0]).name}}}",
            "compatible",
            tuple(members),
            "tables of one folder with the same columns",
        )
        for (folder, _), members in same.items()
        if len(members) > 1
    ]


def _columns(card: SourceCard) -> frozenset[str]:
    return frozenset().union(*(_names(unit) for unit in card.units))


def _names(unit: SourceUnit) -> frozenset[str]:
    return frozenset(re.sub(r"[^a-z0-9]+", "", column.name.lower()) for column in unit.columns)


def _similar(one: frozenset[str], other: frozenset[str]) -> bool:
    return one == other or (bool(one | other) and len(one & other) >= _ALIKE * len(one | other))
