"""What a reader must know of a group that is read as one table, in sentences: whence its columns come.

Everything was decided when the group was found (`schemas`) and when its members were read; here it is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lakebook.sources.as_table import Found, sources
from lakebook.sources.card import Column, MemberSchema, SourceGroup, SourceUnit

_NAMED = 4
_MOST_EXTRAS = 20


def group_notes(group: SourceGroup, found: Sequence[Found]) -> tuple[str, ...]:
    """Say what is read together, who is left out, and how the members' columns differ from the table's."""
    return (
        f"{len(group.members)} members are read as one table ({group.why}); "
        f"{group.member_column!r} says which of them a row comes from",
        *(f"{path} follows the same pattern, but is left out: {reason}" for path, reason in group.left_out),
        *_renamed(group.schemas),
        *_retyped(group.schemas),
        *_refused(group),
        *_missing(group.schemas),
        *gathered((name, warning) for name, unit in _units(group, found) for warning in unit.warnings),
    )


def skipped_notes(group: SourceGroup, found: Sequence[Found]) -> tuple[str, ...]:
    """Say which rows of which members were skipped, and why."""
    return gathered((name, reason) for name, unit in _units(group, found) for reason in unit.skipped)


def with_notes(column: Column, group: SourceGroup, found: Sequence[Found]) -> Column:
    """Return a column of the group with what the members' columns say: warnings, units, dates in doubt."""
    parts: list[tuple[str, Column]] = []
    for (_, unit), schema in zip(found, group.schemas, strict=True):
        source = sources(group, schema).get(column.name)
        part = unit.column(source) if source is not None else None
        if part is not None and part.type != "empty":
            parts.append((schema.member, part))
    by_unit: dict[str, list[str]] = defaultdict(list)
    for name, part in parts:
        by_unit[part.unit].append(name)
    stated = tuple(dict.fromkeys(unit for _, part in parts for unit in (part.units or (part.unit,)) if unit))
    warnings = gathered((name, warning) for name, part in parts for warning in part.warnings)
    if len(by_unit) > 1:
        each = "; ".join(f"{unit or 'none stated'} in {named(names)}" for unit, names in by_unit.items())
        warnings = (*warnings, f"its members differ in the unit: {each}")
    return replace(
        column,
        unit=(next(iter(by_unit), "") or column.unit) if len(by_unit) <= 1 else "",
        units=stated or column.units,
        ambiguous_dates=any(part.ambiguous_dates for _, part in parts),
        warnings=tuple(dict.fromkeys((*warnings, *column.warnings))),
    )


def gathered(said: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return each thing that was said once, with the names of whom it was said of."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, text in said:
        names[text].append(name)
    return tuple(f"{named(whom)}: {text}" for text, whom in names.items())


def named(names: Sequence[str]) -> str:
    """Return a list of names in words, long ones cut with the number of those left out."""
    shown = list(names) if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _units(group: SourceGroup, found: Sequence[Found]) -> Iterator[tuple[str, SourceUnit]]:
    for name, (_, unit) in zip(group.members, found, strict=True):
        yield name, unit


def _renamed(schemas: Sequence[MemberSchema]) -> Iterator[str]:
    """Name each renaming once, with its least certain score."""
    pairs: dict[tuple[str, str], list[tuple[float, str, str]]] = defaultdict(list)
    for schema in schemas:
        for pair in schema.renamed:
            pairs[pair.group_name, pair.name].append((pair.score, pair.reason, schema.member))
    for (target, name), seen in sorted(pairs.items()):
        score, reason, _ = min(seen)
        yield f"{named([one[2] for one in seen])}: {name!r} is read as {target!r} ({score:.3f}: {reason})"


def _retyped(schemas: Sequence[MemberSchema]) -> Iterator[str]:
    said = [
        (schema.member, f"{name!r} is of type {here} there, and of type {kind} in the table")
        for schema in schemas
        for name, kind, here in schema.retyped
    ]
    yield from gathered(sorted(said, key=lambda one: one[1]))


def _refused(group: SourceGroup) -> Iterator[str]:
    said = []
    for schema in group.schemas:
        taken = {source for source in sources(group, schema).values() if source is not None}
        for name, seen in schema.refused:
            what = "stays a column of its own" if name in taken else "is left out"
            said.append((schema.member, f"{name!r} {what}, as its partner is not certain: {seen}"))
    yield from gathered(sorted(said, key=lambda one: one[1]))


def _missing(schemas: Sequence[MemberSchema]) -> Iterator[str]:
    """Say which columns have no values in which members, columns that lack alike together."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for schema in schemas:
        for name in schema.missing:
            lacking[name].append(schema.member)
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, members in lacking.items():
        alike[tuple(members)].append(repr(name))
    for whom, names in alike.items():
        verb = "is missing, so it has" if len(names) == 1 else "are missing, so they have"
        shown = names[:_MOST_EXTRAS]
        shown += [f"{len(names) - len(shown)} more"] if len(names) > len(shown) else []
        listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
        yield f"{named(whom)}: {listed} {verb} no values there"
