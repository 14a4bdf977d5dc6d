"""What people know of a lake and no program can see, and how it comes onto the cards.

What a person says wins over what was guessed: meanings, units, roles, the order of day and month, and
which files to leave alone. An entry that fits nothing is reported, since a typing error must not go unseen.
The file that it is read from is the business of `curated_file`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal

from lakebook.sources.card import Column, Manifest, Role, SourceCard, SourceMap, SourceUnit

CURATED_FILE = "sources.yml"

DayOrder = Literal["day", "month"]


@dataclass(frozen=True, slots=True)
class SettledOrder:
    """Which of day and month stands first in a column of dates, and who says so, as the card cites it."""

    order: DayOrder
    source: str


# (path, unit, column) -> the order that somebody settled.
DayOrders = Mapping[tuple[str, str, str], SettledOrder]


@dataclass(frozen=True, slots=True)
class CuratedColumn:
    """What a person says of a column; empty where nothing was said."""

    meaning: str = ""
    unit: str = ""
    role: Role | None = None
    dates: DayOrder | None = None


@dataclass(frozen=True, slots=True)
class CuratedSource:
    """What a person says of a file, a unit (`file#unit`), or of all files of a pattern (`archive/*`)."""

    pattern: str
    line: int
    meaning: str = ""
    ignore: str = ""
    dates: DayOrder | None = None
    columns: Mapping[str, CuratedColumn] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Curated:
    """A `sources.yml`: its entries in order of the file; later ones win.

    Attributes:
        where: the file, as shown to people. version: hash of its text; "" if there is no such file.
    """

    where: str = ""
    version: str = ""
    sources: tuple[CuratedSource, ...] = ()

    def ignored(self, path: str) -> str:
        """Return why a file is left alone, "" if it is not."""
        return next((entry.ignore for entry in reversed(self.sources) if _fits(entry, path)), "")

    def of(self, path: str, unit: str = "") -> Iterable[CuratedSource]:
        """Return the entries that speak of a unit, the strongest last."""
        names = (path, f"{path}#{unit}") if unit else (path,)
        return [entry for entry in self.sources if any(_fits(entry, name) for name in names)]

    def day_order(self, path: str, unit: str, column: str) -> DayOrder | None:
        """Return the order of day and month that a person states for a column."""
        said: DayOrder | None = None
        for entry in self.of(path, unit):
            own = entry.columns.get(column)
            said = (own.dates if own else None) or entry.dates or said
        return said


NOTHING = Curated()


def without_ignored(manifest: Manifest, curated: Curated) -> tuple[Manifest, tuple[SourceCard, ...]]:
    """Return the files to read, and a card for each file that a person said to leave alone."""
    ignored = {entry.path: why for entry in manifest.files if (why := curated.ignored(entry.path))}
    cards = tuple(
        SourceCard(
            entry.path,
            "skipped",
            "",
            entry.bytes,
            entry.sha256,
            reason=f"left alone, as {CURATED_FILE} says: {ignored[entry.path]}",
        )
        for entry in manifest.files
        if entry.path in ignored
    )
    kept = tuple(entry for entry in manifest.files if entry.path not in ignored)
    return replace(manifest, files=kept), cards


def curate(source_map: SourceMap, curated: Curated) -> SourceMap:
    """Put what people said on the cards."""
    if not curated.sources:
        return source_map
    return replace(source_map, cards=tuple(_curate_card(card, curated) for card in source_map.cards))


def unused_entries(source_map: SourceMap, curated: Curated) -> tuple[str, ...]:
    """Return a sentence for every entry that fits no file, and every column that no fitting table has."""
    problems = []
    names = [card.path for card in source_map.cards]
    names += [f"{card.path}#{unit.unit}" for card in source_map.cards for unit in card.units if unit.unit]
    for entry in curated.sources:
        place = f"{curated.where}, line {entry.line}"
        if not any(_fits(entry, name) for name in names):
            problems.append(f"{place}: no file fits {entry.pattern!r}{nearest(entry.pattern, names)}")
            continue
        known = {
            column.name
            for card in source_map.cards
            for unit in card.units
            if _fits(entry, card.path) or _fits(entry, f"{card.path}#{unit.unit}")
            for column in unit.columns
        }
        problems += [
            f"{place}: no column {name!r} in {entry.pattern!r}{nearest(name, known)}"
            for name in entry.columns
            if known and name not in known
        ]
    return tuple(problems)


def _fits(entry: CuratedSource, name: str) -> bool:
    return entry.pattern == name or fnmatchcase(name, entry.pattern)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the most similar known name as a question, "" if none is similar."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; is {close[0]!r} meant?" if close else ""


def _curate_card(card: SourceCard, curated: Curated) -> SourceCard:
    units = tuple(_curate_unit(card, unit, curated) for unit in card.units)
    meaning = next(
        (entry.meaning for entry in reversed(list(curated.of(card.path))) if entry.meaning), card.meaning
    )
    return replace(card, units=units, meaning=meaning)


def _curate_unit(card: SourceCard, unit: SourceUnit, curated: Curated) -> SourceUnit:
    entries = list(curated.of(card.path, unit.unit))
    if not entries:
        return unit
    own = [entry for entry in entries if "#" in entry.pattern and entry.meaning]
    columns = tuple(_curate_column(column, entries) for column in unit.columns)
    return replace(unit, columns=columns, meaning=own[-1].meaning if own else unit.meaning)


def _curate_column(column: Column, entries: Iterable[CuratedSource]) -> Column:
    for entry in entries:
        said = entry.columns.get(column.name)
        if said is None:
            continue
        column = replace(
            column,
            meaning=said.meaning or column.meaning,
            unit=said.unit or column.unit,
            role=said.role or column.role,
        )
    return column
