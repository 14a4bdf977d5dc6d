"""Find the table that a person named, or choose one when none is named; never guess between two."""

from __future__ import annotations

import difflib
from pathlib import PurePosixPath

from lakebook.errors import DatasetNotFound, UsageError
from lakebook.sources.card import SourceCard, SourceMap, SourceUnit
from lakebook.sources.naming import stem

Found = tuple[SourceCard, SourceUnit]


def find_dataset(source_map: SourceMap, name: str) -> Found:
    """Return the table named by path, file name, stem, table name, or `file#sheet`; case plays no part.

    Raises:
        DatasetNotFound: nothing has that name; the nearest names are offered.
        UsageError: several tables have it, or the file is there but could not be read.
    """
    wanted = name.strip().replace("\\", "/").removeprefix("./").casefold()
    tables = source_map.tables()
    for tier in range(len(_names(*tables[0])) if tables else 0):
        found = [table for table in tables if _fits(wanted, _names(*table)[tier])]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"{name!r} names {len(found)} tables.",
                hint=f"Choose one: {', '.join(map(label, found[:12]))}.",
            )
    _explain_group(source_map, name, wanted)
    _explain_unread(source_map, name, wanted)
    raise DatasetNotFound(name, _nearest(source_map, wanted))


def choose_dataset(source_map: SourceMap) -> tuple[SourceCard, SourceUnit, str]:
    """Return the main table of a lake and why it was taken: the only one, or the one with most rows.

    Raises:
        UsageError: the lake holds no table with rows.
    """
    tables = [table for table in source_map.tables() if table[1].rows]
    if not tables:
        raise UsageError(
            "the lake holds no table with rows.",
            hint="Run `lakebook sources DIR` to see why each file was not read.",
        )
    if len(tables) == 1:
        return (*tables[0], "the only table of the lake")
    card, unit = min(tables, key=lambda table: (-table[1].rows, -len(table[1].columns), table[0].path))
    reason = f"the table with most rows ({unit.rows:,}) of {len(tables)}; name another with --dataset"
    return card, unit, reason


def label(table: Found) -> str:
    """Return the shortest name that always finds this table again."""
    card, unit = table
    return f"{card.path}#{unit.unit}" if unit.unit else card.path


def _names(card: SourceCard, unit: SourceUnit) -> tuple[tuple[str, ...], ...]:
    """Return the names of a table in tiers: an earlier tier wins over a later one."""
    file = PurePosixPath(card.path).name
    qualified = [f"{part}#{unit.unit}" for part in (card.path, file, stem(card.path))] if unit.unit else []
    return (
        (card.path, *qualified[:1]),
        (unit.table, *qualified[1:]),
        (file,),
        (stem(card.path), *([unit.unit] if unit.unit else [])),
    )


def _fits(wanted: str, names: tuple[str, ...]) -> bool:
    folded = [name.casefold() for name in names]
    return wanted in folded or any("/" in wanted and wanted.endswith(f"/{name}") for name in folded)


def _explain_group(source_map: SourceMap, name: str, wanted: str) -> None:
    for group in source_map.groups:
        if wanted in (group.id.casefold(), group.table.casefold()):
            query = f"; all of them together can be queried as {group.table}" if group.table else ""
            raise UsageError(
                f"{name!r} is a group of {len(group.members)} sources; an analysis is of one table.",
                hint=f"Choose a member: {', '.join(group.members[:12])}{query}.",
            )


def _explain_unread(source_map: SourceMap, name: str, wanted: str) -> None:
    for card in source_map.cards:
        names = (card.path, PurePosixPath(card.path).name, stem(card.path))
        if card.status in ("failed", "skipped") and _fits(wanted, names):
            raise UsageError(f"{name!r} is there but cannot be used: {card.reason}.", where=card.path)


def _nearest(source_map: SourceMap, wanted: str) -> list[str]:
    known: dict[str, str] = {}
    for card, unit in source_map.tables():
        for tier in _names(card, unit):
            for other in tier:
                known.setdefault(other.casefold(), label((card, unit)))
    close = difflib.get_close_matches(PurePosixPath(wanted).name, known, n=8, cutoff=0.5)
    nearest = list(dict.fromkeys(known[other] for other in close))[:3]
    return nearest or [label(table) for table in source_map.tables()[:3]]
