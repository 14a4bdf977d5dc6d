"""Which files are found together: every file of the lake belongs to exactly one retrieval group.

A partition of files on top of the source map's groups. Sheets and tables of one file stand together because
the file does. What is added here serves finding only (files that could not be read, names that share an
affix); what can be read as one table is decided in `sources.groups`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import PurePosixPath

from lakebook.sources.card import SourceCard, SourceGroup, SourceMap

_ALIKE = 0.5
_AFFIX = 2
_SEVERAL = 3
_MOST_SCHEMAS = 200


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that are found together.

    Attributes:
        files: numbers of cards in the source map, in its order. kind: of the source group that it is.
    """

    id: str
    kind: str
    files: tuple[int, ...]


class _Union:
    """Disjoint sets of numbers."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, one: int) -> int:
        """Return the number that stands for the set."""
        while self._parent[one] != one:
            self._parent[one] = self._parent[self._parent[one]]
            one = self._parent[one]
        return one

    def join(self, numbers: Iterable[int]) -> None:
        """Make one set of all sets that hold one of the numbers."""
        first, *rest = numbers
        for number in rest:
            low, high = sorted((self.find(first), self.find(number)))
            self._parent[high] = low


def partition(source_map: SourceMap) -> tuple[FileGroup, ...]:
    """Put every file of the lake into one group."""
    cards = source_map.cards
    numbers = {card.path: number for number, card in enumerate(cards)}
    apart = {path for group in source_map.groups for path, _ in group.left_out}
    union = _Union(len(cards))
    joined: list[tuple[str, str, list[int]]] = []
    for group in source_map.groups:
        files = _whole_files(group, numbers)
        if len(files) > 1:
            union.join(files)
            joined.append((group.id, group.kind, files))
    for name, files in [*_unread_of_a_pattern(cards), *_by_affix(cards, apart)]:
        union.join(files)
        joined.append((name, "pattern", files))
    members: dict[int, list[int]] = defaultdict(list)
    for number in range(len(cards)):
        members[union.find(number)].append(number)
    names: dict[int, tuple[int, str, str]] = {}
    for name, kind, files in joined:
        root = union.find(files[0])
        if len(files) > names.get(root, (0, "", ""))[0]:  # of equal ones the source map's own name stays
            names[root] = (len(files), name, kind)
    found: dict[str, FileGroup] = {}
    for root, group_files in members.items():
        _, name, kind = names.get(root, (0, cards[root].path, ""))
        if name in found:
            name = f"{name} {{like {PurePosixPath(cards[root].path).name}}}"
        found[name] = FileGroup(name, kind, tuple(group_files))
    return tuple(found.values())


def _whole_files(group: SourceGroup, numbers: dict[str, int]) -> list[int]:
    """Return the files of a group; sheets that are alike in several workbooks join none of them."""
    if group.kind not in ("pattern", "compatible"):
        return []
    files = [numbers[name] for name in group.members if name in numbers]
    return files if len(files) == len(group.members) else []


def _unread_of_a_pattern(cards: Sequence[SourceCard]) -> list[tuple[str, list[int]]]:
    """Files that gave no unit and whose paths differ in numbers only; damaged ones only if several."""
    alike: dict[str, list[int]] = defaultdict(list)
    for number, card in enumerate(cards):
        if not card.units and re.search(r"\d", card.path):
            alike[re.sub(r"\d+", "{n}", card.path)].append(number)
    return [
        (pattern, files)
        for pattern, files in alike.items()
        if len(files) >= (2 if all(cards[number].status == "skipped" for number in files) else _SEVERAL)
    ]


def _by_affix(cards: Sequence[SourceCard], apart: set[str]) -> list[tuple[str, list[int]]]:
    """Files of one folder and suffix whose names share the first or last words, with similar columns.

    Names that share their first words must be equally long; else what stands first may be a publisher.
    """
    slots: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for number, card in enumerate(cards):
        path = PurePosixPath(card.path)
        words = [word for word in re.split(r"[_\-\s]+", path.stem) if word]
        if not card.units or card.path in apart:
            continue
        folder = "" if path.parent.as_posix() == "." else f"{path.parent.as_posix()}/"
        for cut in range(_AFFIX, min(len(words), 5)):
            slots[folder, f"{'_'.join(words[:cut])}*{path.suffix}", len(words)].append(number)
            slots[folder, f"*{'_'.join(words[-cut:])}{path.suffix}", 0].append(number)
    schemas: dict[int, frozenset[str]] = {}
    found = []
    for (folder, name, _), files in slots.items():
        if len(files) < _SEVERAL:
            continue
        for number in files:
            schemas.setdefault(number, _columns(cards[number]))
        union = _Union(len(files))
        kinds = {schemas[number]: place for place, number in reversed(list(enumerate(files)))}
        for place, number in enumerate(files):
            union.join((kinds[schemas[number]], place))
        pairs = combinations(kinds.items(), 2) if len(kinds) <= _MOST_SCHEMAS else ()
        for (one, here), (other, there) in pairs:
            if one and other and len(one & other) >= _ALIKE * len(one | other):
                union.join((here, there))
        sets: dict[int, list[int]] = defaultdict(list)
        for place, number in enumerate(files):
            if schemas[number]:
                sets[union.find(place)].append(number)
        found += [(folder + name, alike) for alike in sets.values() if len(alike) > 1]
    return found


def _columns(card: SourceCard) -> frozenset[str]:
    names = (column.original_name or column.name for unit in card.units for column in unit.columns)
    return frozenset(re.sub(r"[\W_]+", "", name.lower()) for name in names) - {""}
