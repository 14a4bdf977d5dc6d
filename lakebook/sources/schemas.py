"""How the columns of a group's members fit together: the same, renamed, missing, extra, or not safely joined.

Members with the same columns need no comparison; for others the columns are matched, names and values of the
cards both speaking. A column that might be another one, but not surely, stays a column of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakebook.correspondence.match import APPLIED, match
from lakebook.correspondence.names import letters, words
from lakebook.correspondence.profile import ColumnProfile
from lakebook.correspondence.values import compare_values
from lakebook.sources.card import Column, ColumnPair, ColumnType, MemberSchema
from lakebook.sources.patterns import Item
from lakebook.sources.telling import named

_FITS = 0.5  # share of the smaller table's columns that must have a partner
_UNSURE = 0.499  # what is left to a person
_SHARING = 0.6  # share of the smaller table's columns that share words, before tables are compared
_FEWEST = 2  # columns with a partner, where a table has more than one
MOST_SCHEMAS = 25  # sets of columns of one group that are compared by more than their names: time
_COMPARED = 4  # sets of columns that a further one is compared with
_LEVEL = 5.0  # how far a middle value is from the usual one before a change of unit is looked for


@dataclass(frozen=True, slots=True)
class Fitted:
    """Members that can be read as one table: its columns, how each member has them, who does not fit."""

    items: tuple[Item, ...]
    columns: tuple[str, ...]
    schemas: tuple[MemberSchema, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Joined:
    """One set of columns and where they go: column -> column of the group; others are refused.

    Attributes:
        item: a member that has these columns.
        problem: why it cannot be joined at all, "" if it can.
    """

    item: Item
    to: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[ColumnPair, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    problem: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(column.name for column in self.item.unit.columns)


@dataclass(slots=True)
class _Table:
    """The columns of the group while sets of columns are joined to it, and the sets that were joined.

    Attributes:
        versions: their names say that the members are versions of one table.
        columns: name without case -> name.
    """

    versions: bool
    columns: dict[str, str] = field(default_factory=dict)
    joined: list[_Joined] = field(default_factory=list)


def fit(items: Sequence[Item], values: Sequence[str], *, versions: bool = True) -> Fitted:
    """Say how the members' columns fit together. The order in which members are given plays no part.

    Args:
        items: tables that may belong together.
        values: what tells each from the others.
        versions: their names say that they are versions of one table, whose columns keep their order.
    """
    told = dict(zip((item.name for item in items), values, strict=True))
    by_schema: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.name):
        by_schema[tuple(column.name for column in item.unit.columns)].append(item)
    order = _order(by_schema)
    table = _Table(versions)
    joined = _join_all(table, {names: by_schema[names][-1] for names in order})
    kept = [
        (item, joined[names]) for names in order for item in by_schema[names] if not joined[names].problem
    ]
    kept.sort(key=lambda pair: pair[0].name)
    left_out = [
        (item.name, joined[names].problem)
        for names in order
        for item in by_schema[names]
        if joined[names].problem
    ]
    usual = _usual(kept)
    kept = [(item, _without_jumps(item, mapping, usual)) for item, mapping in kept]
    types = _types(kept)
    columns = tuple(table.columns.values())
    holders = Counter(target for _, mapping in kept for target in mapping.to.values())
    schemas = tuple(
        _schema(item, mapping, columns, types, holders, told[item.name]) for item, mapping in kept
    )
    note = (
        f"only {MOST_SCHEMAS} sets of columns were compared by more than names"
        if len(order) > MOST_SCHEMAS
        else ""
    )
    return Fitted(tuple(item for item, _ in kept), columns, schemas, tuple(sorted(left_out)), note)


def _order(by_schema: Mapping[tuple[str, ...], Sequence[Item]]) -> list[tuple[str, ...]]:
    """Return the schemas, the one that sets the group's names first: the most common, then the latest."""
    latest = {names: max(item.name for item in items) for names, items in by_schema.items()}
    by_name = sorted(by_schema, key=lambda names: latest[names], reverse=True)
    return sorted(by_name, key=lambda names: -len(by_schema[names]))


def _join_all(table: _Table, schemas: Mapping[tuple[str, ...], Item]) -> dict[tuple[str, ...], _Joined]:
    """Join one set of columns after the other: next always the one that is most like one already joined."""
    left = list(schemas)
    compared = len(left) <= MOST_SCHEMAS
    result: dict[tuple[str, ...], _Joined] = {}
    while left:
        names = left[0]
        others: list[_Joined] = []
        if compared and table.joined:
            likest = [max(_share(schemas[one].columns, j.item.columns) for j in table.joined) for one in left]
            names = left[likest.index(max(likest))]
            others = _likest(table.joined, schemas[names].columns)
        left.remove(names)
        joined = _join(table, schemas[names], others)
        result[names] = joined
        if not joined.problem:
            table.joined.append(joined)
    return result


def _likest(joined: Sequence[_Joined], columns: frozenset[str]) -> list[_Joined]:
    """Return what a set of columns is compared with: the first set, and those most like it."""
    first, *rest = joined
    return [first, *sorted(rest, key=lambda one: -_share(columns, one.item.columns))[: _COMPARED - 1]]


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _join(table: _Table, item: Item, others: Sequence[_Joined]) -> _Joined:
    """Map one set of columns to the group's, and add the columns that are new."""
    plain = _Joined(item)
    folded = Counter(name.casefold() for name in plain.names)
    twins = sorted(name for name, count in folded.items() if count > 1)
    if twins:
        return replace(plain, problem=f"has columns whose names differ in case alone: {', '.join(twins)}")
    if table.joined and not named(item.columns) and item.columns != table.joined[0].item.columns:
        return replace(plain, problem="has no names of columns, and not the number of columns of the group")
    mapped = _map(table, plain, others)
    fewer = min(len(plain.names), len(table.columns))
    if len(mapped.to) < max(min(_FEWEST, fewer), _FITS * fewer):
        noun = "column has" if len(mapped.to) == 1 else "columns have"
        return replace(
            plain, problem=f"{len(mapped.to)} of its {len(plain.names)} {noun} a partner in the group"
        )
    own = {name: name for name in plain.names if name not in mapped.to}
    table.columns |= {name.casefold(): name for name in own}
    return replace(mapped, to={**mapped.to, **own})


def _map(table: _Table, new: _Joined, others: Sequence[_Joined]) -> _Joined:
    """Map by equal names first; what is left is matched with sets of columns that were joined before."""
    known = table.columns
    to = {name: known[name.casefold()] for name in new.names if name.casefold() in known}
    pairs = [
        ColumnPair(name, other, 0.99, "same name apart from case")
        for name, other in to.items()
        if name != other
    ]
    refused: dict[str, str] = {}
    proposed = [] if len(to) == len(new.names) else _proposed(new, others, table.versions)
    for pair, scale in sorted(proposed, key=lambda one: (-one[0].score, one[0].name, one[0].group_name)):
        target = pair.group_name
        if pair.name in to or target in to.values():
            continue
        if pair.score < APPLIED:
            refused.setdefault(pair.name, f"perhaps {target!r} ({pair.score:.2f}: {pair.reason})")
        elif scale:
            refused.setdefault(pair.name, f"like {target!r}, but its values are {scale}")
        else:
            to[pair.name] = target
            pairs.append(pair)
    return replace(
        new,
        to=to,
        pairs=tuple(sorted(pairs, key=lambda pair: pair.name)),
        refused=tuple(sorted((name, seen) for name, seen in refused.items() if name not in to)),
    )


def _proposed(new: _Joined, others: Sequence[_Joined], versions: bool) -> list[tuple[ColumnPair, str]]:
    """Return likely pairs with the change of scale seen; a chain is as sure as its links together.

    The place of a column speaks for versions of a table only; tables in one file are none.
    """
    found = []
    for other in others:
        before = {pair.name: pair.score for pair in other.pairs}
        matching = match(other.item.profiles, new.item.profiles)
        for pair in (*matching.pairs, *matching.asked):
            if pair.old not in other.to:
                continue
            target = other.to[pair.old]
            through = f" as {pair.old!r} of {other.item.name}" if pair.old != target else ""
            score = round(pair.probability * before.get(pair.old, 1.0), 3)
            if pair.placed and (not versions or new.item.card.path == other.item.card.path):
                score = min(score, _UNSURE)
            found.append((ColumnPair(pair.new, target, score, pair.reason + through), pair.scale))
    return found


def _usual(kept: Sequence[tuple[Item, _Joined]]) -> dict[str, tuple[float, Item, Column]]:
    """Return for each column of numbers its usual middle value, with the member that has it."""
    seen: dict[str, list[tuple[float, str, Item, Column]]] = defaultdict(list)
    for item, joined in kept:
        for column in item.unit.columns:
            middle = _middle(column)
            if middle and column.name in joined.to:
                seen[joined.to[column.name]].append((middle, item.name, item, column))
    found = {}
    for name, middles in seen.items():
        middle, _, item, column = sorted(middles, key=lambda one: one[:2])[(len(middles) - 1) // 2]
        found[name] = middle, item, column
    return found


def _middle(column: Column) -> float:
    """Return the median of a column of numbers, 0 if it is none."""
    if column.type not in ("integer", "number"):
        return 0.0
    return next((float(quantile.value) for quantile in column.quantiles if quantile.share == 0.5), 0.0)


def _without_jumps(item: Item, joined: _Joined, usual: Mapping[str, tuple[float, Item, Column]]) -> _Joined:
    """Take out the columns whose numbers are the usual ones in another unit: joined they would lie."""
    jumps = []
    for column in item.unit.columns:
        target = joined.to.get(column.name, "")
        middle, other, like = usual.get(target, (0.0, item, column))
        ratio = _middle(column) / middle if middle else 1.0
        if ratio <= 0 or 1 / _LEVEL <= ratio <= _LEVEL:
            continue
        old, new = _profile(other, like.name), _profile(item, column.name)
        if scale := compare_values(old, new).scale:
            jumps.append((column.name, f"its values are {scale} of {target!r} in {other.name}"))
    if not jumps:
        return joined
    out = {name for name, _ in jumps}
    return replace(
        joined,
        to={name: target for name, target in joined.to.items() if name not in out},
        pairs=tuple(pair for pair in joined.pairs if pair.name not in out),
        refused=tuple(sorted((*joined.refused, *jumps))),
    )


def _profile(item: Item, name: str) -> ColumnProfile:
    return next(profile for profile in item.profiles if profile.name == name)


def _types(kept: Iterable[tuple[Item, _Joined]]) -> dict[str, ColumnType]:
    """Return the type that each column of the group gets: one that holds what every member has."""
    seen: dict[str, set[ColumnType]] = defaultdict(set)
    for item, mapping in kept:
        for column in item.unit.columns:
            if (target := mapping.to.get(column.name)) is not None:
                seen[target].add(column.type)
    return {name: common_type(types) for name, types in seen.items()}


def common_type(types: Iterable[ColumnType]) -> ColumnType:
    """Return the type that can hold all of these: whole numbers become numbers, and text wins over others."""
    kinds = set(types) - {"empty"}
    if len(kinds) <= 1:
        return next(iter(kinds), "empty")
    if kinds == {"integer", "number"}:
        return "number"
    return "datetime" if kinds == {"date", "datetime"} else "text"


def _schema(
    item: Item,
    mapping: _Joined,
    columns: Sequence[str],
    types: Mapping[str, ColumnType],
    holders: Mapping[str, int],
    value: str,
) -> MemberSchema:
    has = set(mapping.to.values())
    return MemberSchema(
        member=item.name,
        value=value,
        renamed=mapping.pairs,
        missing=tuple(name for name in columns if name not in has),
        extra=tuple(name for name, target in mapping.to.items() if holders[target] == 1),
        refused=mapping.refused,
        retyped=tuple(
            (column.name, types[mapping.to[column.name]], column.type)
            for column in item.unit.columns
            if column.name in mapping.to and column.type not in ("empty", types[mapping.to[column.name]])
        ),
    )


def may_fit(one: Item, other: Item) -> bool:
    """Return True if enough columns share words with one of the other to be worth a comparison."""
    small, large = sorted((_telling_words(one), _telling_words(other)), key=len)
    if not small or len(large) > 2 * len(small):
        return False
    places: dict[str, list[int]] = defaultdict(list)
    for place, told in enumerate(large):
        for word in told:
            places[word].append(place)
    return sum(_has_like(told, large, places) for told in small) >= _SHARING * len(small)


def _telling_words(item: Item) -> list[frozenset[str]]:
    names = (words(column.name) for column in item.unit.columns if named(column_letters([column.name])))
    return [frozenset(word for word in told if len(word) >= 3) for told in names]


def _has_like(
    told: frozenset[str], others: Sequence[frozenset[str]], places: Mapping[str, list[int]]
) -> bool:
    """Return True if a column of the others has half of the words, of the shorter name."""
    shared = Counter(place for word in told for place in places.get(word, ()))
    return any(2 * count >= min(len(told), len(others[place])) for place, count in shared.items())


def column_letters(names: Iterable[str]) -> frozenset[str]:
    """Return names of columns without case and punctuation, for comparison."""
    return frozenset(letters(name) or name for name in names)
