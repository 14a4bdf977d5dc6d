"""Find sources that belong together: sheets, tables of a database, files of one pattern, equal tables.

A group is a statement about names and columns, shown with its reason. Where the members' columns fit, it also
says how to read them as one table; nothing is merged here. Patterns of paths are found in `patterns`, and how
columns fit together in `schemas`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from lakebook.sources.card import GroupKind, SourceCard, SourceGroup, SourceUnit
from lakebook.sources.naming import name_groups, stem
from lakebook.sources.patterns import Item, Pattern, find_patterns, folder, follows
from lakebook.sources.schemas import Fitted, column_letters, fit, may_fit
from lakebook.sources.telling import telling

GROUPS_VERSION = "2"  # a kept map with groups by other rules is made again, from the kept cards
MEMBER_COLUMN = "source_member"
_INSIDE: dict[str, tuple[GroupKind, str]] = {
    "workbook": ("workbook", "sheets of one workbook"),
    "sqlite": ("database", "tables of one database"),
    "duckdb": ("database", "tables of one database"),
    "json": ("database", "lists of one JSON document"),
    "zip": ("archive", "members of one archive"),
    "tar": ("archive", "members of one archive"),
}
_OVERLAP = "their dates overlap, so that together they may hold a row twice"
_ROWS_OF_A_COPY = 5  # a few equal rows are no proof
_TELLING = 2  # columns that say what a table is about, which tables share where no name links them
_DRIFTED = 0.7  # share of the smaller table's columns that must have a partner, where only columns speak
_FEWEST_DRIFTED = 3  # columns with a partner, at least
_MOST_COMPARED = 30  # sets of columns in a folder up to which each is compared with others


def member(card: SourceCard, unit: SourceUnit) -> str:
    """Return the name of a unit as a group member: the path, with `#unit` if the file has several."""
    return card.path if len(card.units) == 1 else f"{card.path}#{unit.unit}"


def find_groups(cards: Sequence[SourceCard]) -> tuple[SourceGroup, ...]:
    """Return the groups that the cards form, sorted by id; the order of the cards plays no part.

    A group that can be read as one table gets a name that no table of the lake has.
    """
    ordered = sorted(cards, key=lambda card: card.path)
    items = [_item(card, unit) for card in ordered for unit in card.units]
    unread = [card for card in ordered if card.status == "failed"]
    patterns = [_with_unread(_of_pattern(pattern), unread) for pattern in find_patterns(items)]
    grouped = {name for group in patterns for name in (*group.members, *(name for name, _ in group.left_out))}
    alone = [item for item in items if item.is_table and item.name not in grouped]
    groups = [*_inside_files(ordered), *patterns, *_compatible(alone)]
    named = name_groups(groups, {unit.table for card in cards for unit in card.units if unit.table})
    return tuple(sorted(named, key=lambda group: (group.id, group.kind)))


def _item(card: SourceCard, unit: SourceUnit) -> Item:
    return Item(member(card, unit), card, unit, column_letters(column.name for column in unit.columns))


def _inside_files(cards: Sequence[SourceCard]) -> list[SourceGroup]:
    groups = []
    for card in cards:
        tables = [unit for unit in card.units if unit.kind == "table"]
        if card.format in _INSIDE and len(tables) > 1:
            kind, why = _INSIDE[card.format]
            groups.append(SourceGroup(card.path, kind, tuple(member(card, unit) for unit in tables), why))
    return groups


def _with_unread(group: SourceGroup, unread: Sequence[SourceCard]) -> SourceGroup:
    """List the files that follow the pattern but could not be read: the group is not whole."""
    missing = [
        (card.path, f"could not be read: {card.reason}") for card in unread if follows(card.path, group.id)
    ]
    return replace(group, left_out=tuple(sorted((*group.left_out, *missing)))) if missing else group


def _of_pattern(pattern: Pattern) -> SourceGroup:
    """Return the group of a pattern, readable as one table if at least two members fit."""
    members = tuple(item.name for item in pattern.items)
    plain = SourceGroup(pattern.id, "pattern", members, pattern.why)
    if not all(item.is_table for item in pattern.items):
        return plain
    fitted = fit(pattern.items, pattern.values)
    if len(fitted.items) < 2:
        differ = "their columns have too little in common to be read as one table"
        return SourceGroup(pattern.id, "pattern", members, f"{pattern.why}; {differ}")
    copies = _copies(fitted.items)
    if len(copies) == len(fitted.items) - 1:
        alike = "all hold the same values, so that they are copies and not read as one table"
        return SourceGroup(pattern.id, "pattern", members, f"{pattern.why}; {alike}")
    overlap = _OVERLAP if "date" in pattern.why and _times_overlap(fitted) else ""
    why = "; ".join(filter(None, (pattern.why, overlap, _said(copies))))
    return _readable(pattern.id, "pattern", why, fitted, pattern.key)


def _copies(items: Sequence[Item]) -> list[tuple[str, str]]:
    """Return the members that look the same as an earlier one in all that their cards say of the values."""
    seen: dict[object, list[Item]] = defaultdict(list)
    found = []
    for item in items:
        alike = seen[_at_a_glance(item.unit)]
        first = next((other for other in alike if _same_values(item.unit, other.unit)), None)
        if first is None:
            alike.append(item)
        else:
            found.append((item.name, first.name))
    return found


def _at_a_glance(unit: SourceUnit) -> object:
    """Return what equal members share, so that not every member is compared with every other."""
    return unit.rows, tuple((column.name, column.distinct, column.min, column.max) for column in unit.columns)


def _same_values(one: SourceUnit, other: SourceUnit) -> bool:
    known = any(column.values or column.quantiles for column in one.columns)
    return known and one.rows == other.rows >= _ROWS_OF_A_COPY and one.columns == other.columns


def _said(copies: Sequence[tuple[str, str]]) -> str:
    if not copies:
        return ""
    more = f" (and {len(copies) - 1} more such members)" if len(copies) > 1 else ""
    return f"{copies[0][0]} holds the same values as {copies[0][1]}{more}, so that rows stand twice"


def _times_overlap(fitted: Fitted) -> bool:
    """Return True if members cover the same time: they may be versions of one table, not its parts."""
    spans: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item, schema in zip(fitted.items, fitted.schemas, strict=True):
        renamed = {pair.name: pair.group_name for pair in schema.renamed}
        for column in item.unit.columns:
            if column.type in ("date", "datetime") and column.min and column.max:
                spans[renamed.get(column.name, column.name)].append((column.min, column.max))
    return any(
        later[0] < earlier[1]
        for column in spans.values()
        for earlier, later in pairwise(sorted(column))
        if len(column) == len(fitted.items)
    )


def _readable(name: str, kind: GroupKind, why: str, fitted: Fitted, key: str = "") -> SourceGroup:
    schemas = len({tuple(column.name for column in item.unit.columns) for item in fitted.items})
    details = [why, f"{schemas} different sets of columns" if schemas > 1 else "", fitted.note]
    return SourceGroup(
        id=name,
        kind=kind,
        members=tuple(item.name for item in fitted.items),
        why="; ".join(detail for detail in details if detail),
        table=name,  # replaced by `name_groups`
        member_column=_free(key or MEMBER_COLUMN, fitted.columns),
        columns=fitted.columns,
        schemas=fitted.schemas,
        left_out=fitted.left_out,
    )


def _free(name: str, columns: Sequence[str]) -> str:
    """Return a name for the member column that no column has, in whatever case."""
    taken = {column.casefold() for column in columns}
    for candidate in (name, MEMBER_COLUMN, *(f"{MEMBER_COLUMN}_{n}" for n in range(2, len(columns) + 3))):
        if candidate.casefold() not in taken:
            return candidate
    return MEMBER_COLUMN


def _compatible(items: Sequence[Item]) -> list[SourceGroup]:
    """Tables of one folder with the same columns, or with columns that are the same under other names."""
    folders: dict[str, dict[frozenset[str], list[Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if len(telling(item.columns)) >= _TELLING:
            folders[folder(item.name)][item.columns].append(item)
    found = []
    for place, by_columns in sorted(folders.items()):
        for members in _clusters(list(by_columns.values())):
            same = len({item.columns for item in members}) == 1
            fitted = fit(members, [_told(item) for item in members], versions=False)
            copies = _copies(fitted.items)
            if len(fitted.items) - len(copies) < 2:
                continue
            why = "tables of one folder with " + ("the same columns" if same else "columns that correspond")
            many = len(by_columns) > _MOST_COMPARED
            unlike = (
                f"the {len(by_columns)} different sets of columns in the folder were not compared"
                if many
                else ""
            )
            why = "; ".join(filter(None, (why, unlike, _said(copies))))
            first = re.split("[#/]", members[0].name)[-1]
            name = f"{place + '/' if place else ''}{{like {first}}}"
            found.append(_readable(name, "compatible", why, fitted))
    return found


def _clusters(sets: list[list[Item]]) -> list[list[Item]]:
    """Join sets of tables whose columns correspond, the largest set first; keep those of two or more."""
    left = sorted(sets, key=lambda items: (-len(items), items[0].name))
    if len(left) > _MOST_COMPARED:
        return [items for items in left if len(items) > 1]
    clusters = []
    while left:
        cluster, *left = left
        rest = []
        for items in left:
            if not _share_a_file(cluster, items) and _correspond(cluster[0], items[0]):
                cluster = [*cluster, *items]
            else:
                rest.append(items)
        left = rest
        if len(cluster) > 1:
            clusters.append(sorted(cluster, key=lambda item: item.name))
    return clusters


def _share_a_file(some: Sequence[Item], others: Sequence[Item]) -> bool:
    """Return True if tables of one file are among both: with other columns they are meant as other things."""
    return not {item.card.path for item in some}.isdisjoint(item.card.path for item in others)


def _correspond(one: Item, other: Item) -> bool:
    """Return True if nearly all columns of the smaller table have a partner in the other."""
    fewer = min(len(one.unit.columns), len(other.unit.columns))
    if fewer < _FEWEST_DRIFTED or not may_fit(one, other):
        return False
    fitted = fit([one, other], ["", ""], versions=False)
    if len(fitted.items) < 2:
        return False
    own = {name for schema in fitted.schemas for name in (*schema.missing, *schema.extra)}
    joined = [name for name in fitted.columns if name not in own]
    enough = len(joined) >= max(_FEWEST_DRIFTED, _DRIFTED * fewer)
    return enough and len(telling(column_letters(joined))) >= _TELLING


def _told(item: Item) -> str:
    """Return what tells a table from its neighbours where no pattern does: its name."""
    unit = item.unit.unit if "#" in item.name else ""
    return f"{stem(item.card.path)}#{unit}" if unit else stem(item.card.path)
