"""Find the table or the group that a person named, or choose a table when none is named; never guess.

How the members of a group become one table is the matter of `as_table` and `lakebook.operators.group_table`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from lakebook.errors import DatasetNotFound, UsageError
from lakebook.sources.card import SourceCard, SourceGroup, SourceMap, SourceUnit
from lakebook.sources.groups import member
from lakebook.sources.naming import stem

Found = tuple[SourceCard, SourceUnit]

_NAMED = 12


@dataclass(frozen=True, slots=True)
class Dataset:
    """The table under analysis.

    Attributes:
        card, unit: the table; for a group both are made of its members, and the path is the group's id.
        files: the cards of the files that it is read from.
        chosen: why it was taken, "" if it was named.
    """

    card: SourceCard
    unit: SourceUnit
    files: tuple[SourceCard, ...]
    chosen: str = ""

    @property
    def is_group(self) -> bool:
        """Whether it is a group that is read as one table."""
        return self.card not in self.files


def find_group(source_map: SourceMap, name: str) -> SourceGroup | None:
    """Return the group named by its id, its table name, or a glob that fits its members and nothing else.

    None if the name is no group's that can be read as one table; a path or a table of that name comes first.

    Raises:
        UsageError: it is a glob that fits several files, but not the members of a group.
    """
    wanted = _plain(name)
    own = {part.casefold() for card, unit in source_map.tables() for part in (card.path, unit.table)}
    if wanted in own | {card.path.casefold() for card in source_map.cards}:
        return None
    readable = [group for group in source_map.groups if group.table]
    for group in readable:
        if wanted in (group.id.casefold(), group.table.casefold()):
            return group
    names = [tier for table in source_map.tables() for tier in _names(*table)]
    if not _is_glob(wanted) or any(_fits(wanted, tier) for tier in names):
        return None
    fitting = _fitting(source_map, wanted)
    for group in readable:
        if set(group.members) == fitting:
            return group
    if len(fitting) > 1:
        _explain_glob(readable, name, fitting)
    return None


def find_dataset(source_map: SourceMap, name: str) -> Found:
    """Return the table named by path, file name, stem, table name, or `file#sheet`; case plays no part.

    A glob may stand for the one table that it fits.

    Raises:
        DatasetNotFound: nothing has that name; the nearest names are offered.
        UsageError: several tables have it, or the file is there but could not be read.
    """
    wanted = _plain(name)
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
    if _is_glob(wanted) and len(fitting := _fitting(source_map, wanted)) == 1:
        return find_dataset(source_map, fitting.pop())
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
    groups = [group for group in source_map.groups if group.table]
    if groups:
        reason += f", or a group that is read as one table: {', '.join(map(_told, groups[:3]))}"
        reason += f" and {len(groups) - 3} more" if len(groups) > 3 else ""
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


def _plain(name: str) -> str:
    return name.strip().replace("\\", "/").removeprefix("./").casefold()


def _is_glob(name: str) -> bool:
    return bool(set(name) & set("*?["))


def _told(group: SourceGroup) -> str:
    return f"{group.id} ({len(group.members)} members)"


def _fitting(source_map: SourceMap, pattern: str) -> set[str]:
    """Return the members that a glob fits: files whatever they hold, or units if it names units with `#`.

    One that fits nothing is tried without its first folders: it may start above the lake.
    """
    steps = pattern.split("/")
    for start in range(len(steps)):
        found = {
            member(card, unit) if unit else card.path
            for card in source_map.cards
            for unit in (card.units or (None,))
            if _glob(steps[start:], (member(card, unit) if unit and "#" in pattern else card.path).casefold())
        }
        if found:
            return found
    return set()


def _glob(steps: Sequence[str], path: str) -> bool:
    """Fit a path step by step: `*` stays within a folder, `**` stands for any number of folders."""
    if not steps:
        return not path
    first, *rest = steps
    here, _, below = path.partition("/")
    if first == "**":
        return _glob(rest, path) or (bool(path) and _glob(steps, below))
    return bool(path) and fnmatchcase(here, first) and _glob(rest, below)


def _explain_glob(groups: Sequence[SourceGroup], name: str, fitting: set[str]) -> None:
    """Say what keeps the files that a glob fits from being one dataset. Raises UsageError."""
    for group in groups:
        members = set(group.members)
        if not members & fitting:
            continue
        why = dict(group.left_out)
        more = [f"{one}: {why[one]}" if one in why else one for one in sorted(fitting - members)]
        parts = [f"it fits {len(more)} others too ({_few(more)})"] if more else []
        less = sorted(members - fitting)
        parts += [f"it does not fit {len(less)} of them ({_few(less)})"] if less else []
        raise UsageError(
            f"{name!r} does not fit just the {len(members)} members of a group: {'; '.join(parts)}.",
            hint=f"To analyse the group as one table, name it: --dataset {group.id!r}.",
        )
    raise UsageError(
        f"{name!r} fits {len(fitting)} sources, which are not read as one table: {_few(sorted(fitting))}.",
        hint="Name one of them. `lakebook sources DIR` shows the groups that can be read as one table.",
    )


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _explain_group(source_map: SourceMap, name: str, wanted: str) -> None:
    for group in source_map.groups:
        if wanted == group.id.casefold() and not group.table:
            raise UsageError(
                f"{name!r} is a group of {len(group.members)} sources that is not read as one table "
                f"({group.why}).",
                hint=f"Choose a member: {_few(group.members)}.",
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
    for group in source_map.groups:
        for other in (group.id, group.table) if group.table else ():
            known.setdefault(other.casefold(), group.id)
    close = difflib.get_close_matches(PurePosixPath(wanted).name, known, n=8, cutoff=0.5)
    nearest = list(dict.fromkeys(known[other] for other in close))[:3]
    return nearest or [label(table) for table in source_map.tables()[:3]]
