"""Give every table of a lake the name by which a query reads it: a plain SQL identifier, unique, stable."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from lakebook.sources.card import SourceCard, SourceGroup

_LONGEST = 60
_PACKED = re.compile(r"\.(gz|bz2|zip)$", re.IGNORECASE)
_RESERVED = frozenset(
    [
        "all",
        "and",
        "any",
        "as",
        "asc",
        "between",
        "by",
        "case",
        "cast",
        "check",
        "column",
        "create",
        "cross",
        "desc",
        "distinct",
        "else",
        "end",
        "except",
        "exists",
        "false",
        "for",
        "from",
        "full",
        "group",
        "having",
        "in",
        "inner",
        "intersect",
        "into",
        "is",
        "join",
        "left",
        "like",
        "limit",
        "not",
        "null",
        "offset",
        "on",
        "or",
        "order",
        "outer",
        "primary",
        "references",
        "right",
        "select",
        "set",
        "table",
        "then",
        "to",
        "true",
        "union",
        "unique",
        "user",
        "using",
        "values",
        "when",
        "where",
        "with",
        "window",
    ]
)


def stem(path: str) -> str:
    """Return a file's name without folder and suffixes: "a" of "x/a.csv.gz"."""
    return PurePosixPath(_PACKED.sub("", path)).stem


def identifier(text: str) -> str:
    """Return a valid SQL identifier that still looks like the text."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:_LONGEST].rstrip("_")
    if not name or name[0].isdigit() or name in _RESERVED:
        name = f"t_{name}".rstrip("_")
    return name


def name_tables(cards: Sequence[SourceCard]) -> tuple[SourceCard, ...]:
    """Return the cards with a table name in every table unit.

    The shortest name that is unique in the lake wins: stem, then stem and unit, then with the folder; so
    adding a file somewhere else does not rename the tables of a lake, unless it has the same name.
    """
    taken: set[str] = set()
    named = {}
    for level in range(3):
        open_units = [key for key in _tables(cards) if key not in named]
        wanted = {key: identifier(_label(*key, level)) for key in open_units}
        counts = Counter(wanted.values())
        for key in open_units:
            if counts[wanted[key]] == 1 and wanted[key] not in taken:
                named[key] = wanted[key]
        taken = set(named.values())
    for key in _tables(cards):
        if key not in named:
            named[key] = _numbered(identifier(_label(*key, 2)), taken)
            taken.add(named[key])
    return tuple(
        replace(
            card,
            units=tuple(replace(unit, table=named.get((card.path, unit.unit), "")) for unit in card.units),
        )
        for card in cards
    )


def name_groups(groups: Sequence[SourceGroup], taken: Iterable[str]) -> list[SourceGroup]:
    """Return the groups with a table name for each that can be read as one table, unique in the lake.

    The name is what the members' names have in common ("sales" of `sales_{date}.csv`), else their folder's.
    """
    used = set(taken)
    named = []
    for group in sorted(groups, key=lambda group: (group.id, group.kind)):
        if not group.table:
            named.append(group)
            continue
        name = next((name for name in _group_names(group.id) if name not in used), "")
        name = name or _numbered(next(iter(_group_names(group.id))), used)
        used.add(name)
        named.append(replace(group, table=name))
    return named


def _group_names(group: str) -> Iterator[str]:
    """Return ever longer names: the fixed part of the file's name, with its folders, and all of something."""
    like = re.search(r"\{like ([^}]*)\}", group)
    path, _, unit = group.partition("#")
    parts = [re.sub(r"(?:\w+=)?\{[^}]*\}", " ", part) for part in (*path.split("/")[:-1], stem(path), unit)]
    fixed = [part for part in parts if re.search(r"[^\W\d_]", part)]
    if "={" in path and len(fixed) > 1:
        fixed.remove(parts[-2])  # what the files of a partition are called says nothing ("part-0")
    for label in (fixed[-1:], fixed[-2:], fixed):
        if label:
            yield identifier("_".join(label))
    example = [stem(like[1])] if like else ["files"]
    yield identifier("_".join(["all", *(fixed[-1:] or example)]))
    yield identifier("_".join(["all", *fixed, *example]))


def _tables(cards: Iterable[SourceCard]) -> list[tuple[str, str]]:
    return [(card.path, unit.unit) for card in cards for unit in card.units if unit.kind == "table"]


def _label(path: str, unit: str, level: int) -> str:
    """Return ever longer labels: stem (with the unit, where there is one), with folder, with suffix."""
    label = f"{stem(path)}_{unit}" if unit else stem(path)
    if level >= 1 or not re.search(r"[^\W\d_]", label):  # "2015" says nothing without its folder
        label = f"{PurePosixPath(path).parent.as_posix()}_{label}".removeprefix("._")
    if level >= 2:
        label = f"{label}_{PurePosixPath(path).name.partition('.')[2]}"
    return label


def _numbered(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
