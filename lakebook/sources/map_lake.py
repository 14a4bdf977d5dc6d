"""From the files of a lake to its source map, with what people and documents say of them.

Profiles every file, settles dates that no value decides (notes, settings, then documents of the lake), and
puts the curated notes on the cards. How a file is read is the business of `profile`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from lakebook.progress import Progress, silent
from lakebook.sources.card import Column, Manifest, SourceCard, SourceMap, SourceUnit
from lakebook.sources.conventions import Statement, settle, statements
from lakebook.sources.curated import (
    CURATED_FILE,
    NOTHING,
    Curated,
    DayOrder,
    DayOrders,
    SettledOrder,
    curate,
    without_ignored,
)
from lakebook.sources.profile import CardListener, Settling, profile_lake, text_file
from lakebook.sources.reading import Passage


def map_lake(
    root: Path,
    manifest: Manifest,
    state: Path,
    *,
    curated: Curated = NOTHING,
    day_order: DayOrder | None = None,
    progress: Progress = silent,
    on_card: CardListener | None = None,
) -> SourceMap:
    """Return the source map of a lake.

    Args:
        root: the folder that the manifest describes.
        manifest: its files.
        state: where cards, tables and texts are kept.
        curated: what people wrote of the sources.
        day_order: how ambiguous dates are read where no note speaks of them.
        progress: told of every file.
        on_card: told of every card once it is there, and of a large file's first rows before.
    """
    kept, ignored = without_ignored(manifest, curated)
    settle = Settling(
        f"{curated.version} {day_order}", lambda cards: settled_orders(cards, state, curated, day_order)
    )
    found = profile_lake(root, kept, state, progress, settle=settle, on_card=on_card)
    cards = sorted((*found.cards, *ignored), key=lambda card: card.path)
    return curate(_with_contradictions(replace(found, cards=tuple(cards)), curated), curated)


def settled_orders(
    source_map: SourceMap, state: Path, curated: Curated, day_order: DayOrder | None
) -> DayOrders:
    """Return the order of day and month, and who says so, for each ambiguous column that somebody settles."""
    ambiguous = [
        (card, unit, column)
        for card, unit in source_map.tables()
        for column in unit.columns
        if column.ambiguous_dates
    ]
    if not ambiguous:
        return {}
    said = () if day_order else statements(_documents(source_map, state))
    orders: dict[tuple[str, str, str], SettledOrder] = {}
    for card, unit, column in ambiguous:
        settled = _settle(card, unit, column, curated, day_order, said)
        if settled is not None:
            orders[card.path, unit.unit, column.name] = settled
    return orders


def _settle(
    card: SourceCard,
    unit: SourceUnit,
    column: Column,
    curated: Curated,
    day_order: DayOrder | None,
    said: Sequence[Statement],
) -> SettledOrder | None:
    noted = curated.day_order(card.path, unit.unit, column.name)
    if noted:
        return SettledOrder(noted, CURATED_FILE)
    if day_order:
        return SettledOrder(day_order, "the setting day_order")
    statement = settle(card.path, column.name, said)
    return SettledOrder(statement.order, statement.citation) if statement else None


def _documents(source_map: SourceMap, state: Path) -> Iterator[tuple[str, list[Passage]]]:
    for card in source_map.cards:
        for unit in card.units:
            stored = text_file(state, card, unit)
            if unit.kind == "text" and stored.exists():
                rows = pq.read_table(stored).to_pylist()
                yield card.path, [Passage(row["position"], row["heading"], row["text"]) for row in rows]


def _with_contradictions(source_map: SourceMap, curated: Curated) -> SourceMap:
    """Warn where the notes state an order of day and month that the values rule out."""
    if not curated.sources:
        return source_map
    cards = []
    for card in source_map.cards:
        units = tuple(_contradicted(card, unit, curated) for unit in card.units)
        cards.append(replace(card, units=units))
    return replace(source_map, cards=tuple(cards))


def _contradicted(card: SourceCard, unit: SourceUnit, curated: Curated) -> SourceUnit:
    columns = []
    for column in unit.columns:
        noted = curated.day_order(card.path, unit.unit, column.name)
        read = {"%d": "day", "%m": "month"}.get(column.date_format[:2])
        if noted and read and noted != read:
            warning = f"{CURATED_FILE} says {noted} first, but its values can only be read {read} first"
            column = replace(column, warnings=(*column.warnings, warning))
        columns.append(column)
    return replace(unit, columns=tuple(columns))
