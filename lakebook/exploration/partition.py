"""Which files are found together: every file of the lake belongs to exactly one retrieval group.

A partition of files on top of the source map's groups. Sheets and tables of one file stand together because
the file does. What is added here serves finding only (files that could not be read, names that share an
affix); what can be read as one table is decided in `sources.groups`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
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
    """Put every file of the lake into one group.

    Families by name and columns come first; a group of the source map joins files that stand alone still,
    so that two families are not made one because each has a file of the same name.
    """
    cards = source_map.cards
    numbers = {card.path: number for number, card in enumerate(cards)}
    apart = {path for group in source_map.groups for path, _ in group.left_out}
    union = _Union(len(cards))
    named: dict[frozenset[int], tuple[str, str]] = {}
    own = [*_by_number(cards, apart), *_by_schema(cards, apart), *_unread_of_a_pattern(cards)]
    for name, files in [*own, *_by_affix(cards, apart)]:
        union.join(files)
        named[frozenset(files)] = name, "pattern"
    alone = _sizes(union, len(cards))
    for group in sorted(source_map.groups, key=lambda group: (-len(group.members), group.id)):
        files = _whole_files(group, numbers)
        if len(files) > 1 and all(alone[union.find(file)] == 1 for file in files):
            union.join(files)
            alone = _sizes(union, len(cards))
        named[frozenset(files)] = group.id, group.kind
    members: dict[int, list[int]] = defaultdict(list)
    for number in range(len(cards)):
        members[union.find(number)].append(number)
    found: dict[str, FileGroup] = {}
    for files in members.values():
        name, kind = _name_of(files, named, cards)
        if name in found:
            name = f"{name} {{like {PurePosixPath(cards[files[0]].path).name}}}"
        found[name] = FileGroup(name, kind, tuple(files))
    return tuple(found.values())


def _sizes(union: _Union, files: int) -> Counter[int]:
    return Counter(union.find(number) for number in range(files))


def _name_of(
    files: Sequence[int], named: dict[frozenset[int], tuple[str, str]], cards: Sequence[SourceCard]
) -> tuple[str, str]:
    """Return the name and kind of a family: its own, else that of its largest part; of one file, its path."""
    if len(files) == 1:
        return cards[files[0]].path, ""
    whole = frozenset(files)
    return (
        named.get(whole)
        or max(
            ((len(part), *name) for part, name in named.items() if part <= whole),
            default=(0, f"{{like {PurePosixPath(cards[files[0]].path).name}}}", "pattern"),
        )[1:]
    )


def _by_number(cards: Sequence[SourceCard], apart: set[str]) -> list[tuple[str, list[int]]]:
    """Files whose paths differ in numbers only, with similar columns, or all without."""
    alike: dict[str, list[int]] = defaultdict(list)
    for number, card in enumerate(cards):
        if card.units and card.path not in apart and re.search(r"\d", card.path):
            alike[re.sub(r"\d+", "{n}", card.path)].append(number)
    found = []
    for pattern, files in alike.items():
        found += [(pattern, similar) for similar in _similar(cards, files, both_without=True)]
    return found


def _by_schema(cards: Sequence[SourceCard], apart: set[str]) -> list[tuple[str, list[int]]]:
    """Tables of one folder and suffix with the same columns; workbooks are no tables."""
    same: dict[tuple[str, str, frozenset[str]], list[int]] = defaultdict(list)
    for number, card in enumerate(cards):
        path = PurePosixPath(card.path)
        if len(card.units) == 1 and card.path not in apart:
            columns = _columns(card)
            if len(columns) > 1:
                same[path.parent.as_posix(), path.suffix.lower(), columns].append(number)
    return [
        (f"{'' if folder == '.' else folder + '/'}{{like {PurePosixPath(cards[files[0]].path).name}}}", files)
        for (folder, _, _), files in same.items()
        if len(files) > 1
    ]


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
    found = []
    for (folder, name, _), files in slots.items():
        if len(files) >= _SEVERAL:
            found += [(folder + name, alike) for alike in _similar(cards, files)]
    return found


def _similar(
    cards: Sequence[SourceCard], files: Sequence[int], *, both_without: bool = False
) -> list[list[int]]:
    """Return the sets of several files whose columns are similar; `both_without` joins those with none."""
    of_schema: dict[frozenset[str], list[int]] = defaultdict(list)
    for number in files:
        of_schema[_columns(cards[number])].append(number)
    kinds = [schema for schema in of_schema if schema or both_without]
    union = _Union(len(kinds))
    if len(kinds) <= _MOST_SCHEMAS:
        for (here, one), (there, other) in combinations(enumerate(kinds), 2):
            if one and other and len(one & other) >= _ALIKE * len(one | other):
                union.join((here, there))
    sets: dict[int, list[int]] = defaultdict(list)
    for place, schema in enumerate(kinds):
        sets[union.find(place)] += of_schema[schema]
    return [sorted(alike) for alike in sets.values() if len(alike) > 1]


def _columns(card: SourceCard) -> frozenset[str]:
    names = (column.original_name or column.name for unit in card.units for column in unit.columns)
    return frozenset(re.sub(r"[\W_]+", "", name.lower()) for name in names) - {""}
