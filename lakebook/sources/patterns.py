"""Which paths follow one pattern: dates, numbers, names and folders that vary, Hive partitions.

A pattern is a statement about paths, and where the varying part says little, about columns too. Whether the
members can be read as one table is decided in `schemas`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from lakebook.correspondence.profile import ColumnProfile, profiles_of_unit
from lakebook.sources.card import SourceCard, SourceUnit
from lakebook.sources.telling import named, telling

_YEAR = r"(?:19|20)\d{2}"
_DATE = (
    rf"(?<!\d){_YEAR}(?:[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?|[-_. ]?[Qq][1-4])?(?!\d)"
)
_QUARTER = r"(?<![A-Za-z0-9])[Qq][1-4](?![A-Za-z0-9])"
_MONTH = (
    r"(?<![A-Za-z])(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![A-Za-z])"
)
_VARYING = re.compile(
    rf"(?P<date>{_DATE})|(?P<quarter>{_QUARTER})|(?P<month>{_MONTH})|(?P<n>\d+)", re.IGNORECASE
)
_PARTITION = re.compile(r"([A-Za-z_]\w*)=([^/]*)/")
_HEX = re.compile(r"[0-9a-f]{8,}(?:-[0-9a-f]{4,})*", re.IGNORECASE)
_PACKED = re.compile(r"\.(gz|bz2|xz|zst|zip)$", re.IGNORECASE)
_DATA = re.compile(
    r"\.(csv|tsv|txt|tab|dat|parquet|pq|feather|arrow|orc|jsonl|ndjson|json)(?=$|#)", re.IGNORECASE
)
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,7}$")
_VALUES = {"{date}": _DATE, "{quarter}": _QUARTER, "{month}": _MONTH, "{n}": r"\d+"}
_GIVEN = frozenset({"table", "page", "sheet", "data", "file", "part", "text"})  # words that tell nothing
_ALIKE = 0.5  # share of common columns from which two tables are taken for parts of one
_LEAST_NAMED = 3  # names prove less than numbers: two files may differ in a word by chance


@dataclass(frozen=True)
class Item:
    """A unit that can be a member: its name, and its columns without case and punctuation."""

    name: str
    card: SourceCard
    unit: SourceUnit
    columns: frozenset[str]

    @property
    def is_table(self) -> bool:
        """Return True if it has rows and columns."""
        return self.unit.kind == "table"

    @cached_property
    def profiles(self) -> tuple[ColumnProfile, ...]:
        """What its card holds of the values of its columns, in their order; made once, where it is needed."""
        return profiles_of_unit(self.unit)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Items whose names follow one pattern, with what tells each from the others.

    Attributes:
        key: names the parts that vary, "" if they have no names. why: what the group rests on.
    """

    id: str
    items: tuple[Item, ...]
    values: tuple[str, ...]
    why: str
    key: str = ""


def find_patterns(items: Sequence[Item]) -> list[Pattern]:
    """Return the patterns that the items follow; each item is in at most one."""
    found: list[Pattern] = []
    for search in (_partitions, _dates_and_numbers, _named_files, _named_folders):
        taken = {item.name for pattern in found for item in pattern.items}
        found += search([item for item in items if item.name not in taken])
    return found


def alike(items: Sequence[Item]) -> list[Item]:
    """Return those whose columns are similar to the most common set of columns among them."""
    counts = Counter(item.columns for item in items)
    usual = min(counts, key=lambda names: (-counts[names], -len(names), sorted(names)))
    return [item for item in items if _similar(usual, item.columns)]


def _of_one_kind(items: Sequence[Item]) -> list[Item]:
    """Return those with the most common set of columns."""
    usual = Counter(item.columns for item in items).most_common(1)[0][0]
    return [item for item in items if item.columns == usual]


def _similar(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return True if most names are shared; names that readers made up must be the same to the last."""
    return one == other or all(_share_most(pick(one), pick(other)) for pick in (frozenset, named))


def _share_most(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one | other) and len(one & other) >= _ALIKE * len(one | other)


def _partitions(items: Sequence[Item]) -> list[Pattern]:
    """Hive partitions: folders `key=value`; what their files are called plays no part beyond numbers."""
    buckets: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if _PARTITION.search(item.name):
            shape = _PARTITION.sub(r"\1={\1}/", _without_suffix(item.name))
            folder, _, file = shape.rpartition("/")
            buckets[f"{folder}/{re.sub(r'[0-9]+', '{n}', _HEX.sub('{n}', file))}"].append(item)
    found = []
    for shape, members in buckets.items():
        keys = [key for key, _ in _PARTITION.findall(members[0].name)]
        parts = [tuple(value for _, value in _PARTITION.findall(item.name)) for item in members]
        places = [place for place in range(len(keys)) if len({part[place] for part in parts}) > 1]
        if not places:
            continue
        values = tuple("/".join(part[place] for place in places) for part in parts)
        name = "_".join(keys[place] for place in places)
        found.append(
            Pattern(shape + _suffix(members), tuple(members), values, "partitions of one source", name)
        )
    return found


def _dates_and_numbers(items: Sequence[Item]) -> list[Pattern]:
    """Paths that differ in dates, quarters, months or numbers; numbers need similar columns."""
    buckets: dict[tuple[str, bool], list[Item]] = defaultdict(list)
    for item in items:
        shape = _VARYING.sub(lambda match: f"{{{match.lastgroup}}}", _without_suffix(item.name))
        if shape != _without_suffix(item.name):
            buckets[shape, item.is_table].append(item)
    for shape, is_table in list(buckets):  # "part_1999" among part_1 … part_3000 is no year
        plain = shape.replace("{date}", "{n}")
        if plain != shape and len(buckets.get((plain, is_table), ())) > len(buckets[shape, is_table]):
            buckets[plain, is_table] += buckets.pop((shape, is_table))
    return [found for members in buckets.values() if len(members) > 1 for found in _timed(members)]


def _timed(members: Sequence[Item]) -> list[Pattern]:
    """Split members of one shape, if need be, by what varies."""
    parts = [_parts(item) for item in members]
    places = [place for place in range(len(parts[0])) if len({part[place][1] for part in parts}) > 1]
    kinds = {"n" if any(part[place][0] == "n" for part in parts) else "date" for place in places}
    if kinds == {"n"}:
        close = alike(members)
        if len({item.card.path for item in close}) == 1 and all(
            i.is_table and not named(i.columns) for i in close
        ):
            return []  # numbered parts of one file whose columns have no names: nothing links them
        return _pattern(close, places, "a number") if len(close) > 1 else []
    if "n" in kinds and len(alike(members)) == len(members):
        return _pattern(members, places, "dates and numbers")
    if "n" in kinds:
        apart: dict[str, list[Item]] = defaultdict(list)
        for item, part in zip(members, parts, strict=True):
            apart["\0".join(text for kind, text in part if kind == "n")].append(item)
        return [found for group in apart.values() if len(group) > 1 for found in _timed(group)]
    return _pattern(members, places, "the date") if places else []


def _parts(item: Item) -> list[tuple[str, str]]:
    """Return the varying parts of a name: what each is, and its text."""
    return [(str(found.lastgroup), found[0]) for found in _VARYING.finditer(_without_suffix(item.name))]


def _pattern(members: Sequence[Item], places: Sequence[int], what: str) -> list[Pattern]:
    """Return the pattern of members, or one a suffix where a value comes twice."""
    values = tuple("-".join(_parts(item)[place][1] for place in places) for item in members)
    if len(set(values)) < len(values):  # one month as CSV and as Parquet: two versions, not two parts
        return _by_suffix(members, places, what)
    shape = _without_suffix(members[0].name)
    found = list(_VARYING.finditer(shape))
    for place in reversed(places):
        start, end = found[place].span()
        is_number = any(_parts(item)[place][0] == "n" for item in members)
        shape = f"{shape[:start]}{{{'n' if is_number else found[place].lastgroup}}}{shape[end:]}"
    detail = ", with similar columns" if "number" in what else ""
    why = f"paths that differ in {what} only{detail}"
    return [Pattern(_with_suffix(shape, members), tuple(members), values, why)]


def _by_suffix(members: Sequence[Item], places: Sequence[int], what: str) -> list[Pattern]:
    """Keep files of different suffixes apart."""
    apart: dict[str, list[Item]] = defaultdict(list)
    for item in members:
        apart[_suffix([item])].append(item)
    if len(apart) == 1:
        return []
    return [found for group in apart.values() if len(group) > 1 for found in _pattern(group, places, what)]


def _named_files(items: Sequence[Item]) -> list[Pattern]:
    """Files of one folder, or units of one file, whose names differ in some words (`sales_north`)."""

    def shapes(item: Item) -> Iterable[str]:
        file, mark, unit = _bare(item.name).partition("#")
        place, slash, stem = file.rpartition("/")
        yield from (f"{place}{slash}{shape}{mark}{unit}" for shape in _varied(stem))
        yield from (f"{file}{mark}{shape}" for shape in _varied(unit))

    return _by_shapes(items, shapes, _LEAST_NAMED, "names that differ in a word only")


def _varied(name: str) -> Iterable[str]:
    """Leave out some words in a row; what stays must hold a word that somebody chose."""
    words = re.findall(r"[^_\-.\s]+|[_\-.\s]+", name)
    for start in range(0, len(words), 2):
        for end in {start + 1, len(words)} if start else {1, *range(1, len(words), 2)}:
            rest = [re.sub(r"[^a-z]", "", word.lower()) for word in (*words[:start], *words[end:])]
            if sum(len(word) for word in rest if word not in _GIVEN) >= 3:
                yield f"{''.join(words[:start])}{{name}}{''.join(words[end:])}"


def _named_folders(items: Sequence[Item]) -> list[Pattern]:
    """Files of one name in folders that differ in one step (`north/sales.csv`, `south/sales.csv`)."""

    def shapes(item: Item) -> Iterable[str]:
        file, mark, unit = _bare(item.name).partition("#")
        steps = file.split("/")
        for place in range(len(steps) - 1):
            yield "/".join([*steps[:place], "{name}", *steps[place + 1 :]]) + mark + unit

    return _by_shapes(items, shapes, 2, "files of one name in sister folders")


def _by_shapes(
    items: Sequence[Item], shapes: Callable[[Item], Iterable[str]], least: int, why: str
) -> list[Pattern]:
    """Take the largest groups first; two members must have the same columns, more of them similar ones.

    Names prove little by themselves: the columns must say something of what the tables are about.
    """
    buckets: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.is_table and len(item.columns) > 1 and telling(item.columns):
            for shape in dict.fromkeys(shapes(item)):
                buckets[_with_extension(shape, item.name)].append(item)
    found: list[Pattern] = []
    taken: set[str] = set()
    for shape, every in sorted(buckets.items(), key=lambda pair: (-len(pair[1]), -len(pair[0]), pair[0])):
        if len(every) < least:
            break
        members = [item for item in every if item.name not in taken]
        close = alike(members) if members else []
        if len({item.card.path for item in close}) == 1:  # its parts are other things, unless quite alike
            close = _of_one_kind(close)
        same = len({item.columns for item in close}) == 1
        values = [_between(item.name, shape) for item in close]
        if len(close) < least or (len(close) < _LEAST_NAMED and not same) or len(set(values)) < len(values):
            continue
        taken.update(item.name for item in close)
        text = f"{why}, with {'the same' if same else 'similar'} columns"
        found.append(Pattern(shape, tuple(close), tuple(values), text))
    return found


def _between(name: str, shape: str) -> str:
    """Return what stands in a name at the place that varies in the shape."""
    before, _, after = shape.partition("{name}")
    plain = _PACKED.sub("", name) if "#" not in name else name
    return plain[len(before) : len(plain) - len(after)]


def _without_suffix(name: str) -> str:
    """Return the name without the suffixes that say how a table is written."""
    return _DATA.sub("", _PACKED.sub("", name))


def _bare(name: str) -> str:
    """Return the name without any suffix of the file: two kinds of file share no word by being of a kind."""
    file, mark, unit = name.partition("#")
    plain = _without_suffix(file)
    if plain == _PACKED.sub("", file):
        plain = _EXTENSION.sub("", plain)
    return plain + mark + _DATA.sub("", unit)


def _suffix(items: Sequence[Item]) -> str:
    """Return the suffix that the items share (packing left aside), ".*" if they have several."""
    found = {(match[0].lower() if (match := _DATA.search(_PACKED.sub("", i.name))) else "") for i in items}
    return next(iter(found)) if len(found) == 1 else ".*"


def _with_suffix(shape: str, items: Sequence[Item]) -> str:
    """Put the suffix back where it was: after the name of a unit that has one, else before it."""
    file, mark, unit = shape.partition("#")
    if mark and all(_DATA.search(item.name.partition("#")[2]) for item in items):
        return shape + _suffix(items)
    return f"{file}{_suffix(items)}{mark}{unit}"


def _with_extension(shape: str, name: str) -> str:
    """Put back what `_bare` took away, packing left aside: one table in two formats is not two parts."""
    (file, mark, unit), (old_file, _, old_unit) = shape.partition("#"), name.partition("#")
    bare_file, _, bare_unit = _bare(name).partition("#")
    whole = old_file if mark else _PACKED.sub("", old_file)
    return f"{file}{whole[len(bare_file) :]}{mark}{unit}{old_unit[len(bare_unit) :]}"


def follows(path: str, pattern: str) -> bool:
    """Return True if a path follows the pattern with this id; units inside files play no part."""
    file = pattern.partition("#")[0]
    parts = re.split(r"(\{\w+\})", file)
    shape = "".join(
        _VALUES.get(part, "[^/]+") if place % 2 else _escaped(part) for place, part in enumerate(parts)
    )
    return re.fullmatch(rf"{shape}(?:\.(?:gz|bz2|xz|zst|zip))?", path, re.IGNORECASE) is not None


def _escaped(part: str) -> str:
    return re.escape(part[:-2]) + r"\.\w+" if part.endswith(".*") else re.escape(part)


def folder(name: str) -> str:
    """Return the folder of a member, "" for the lake's own."""
    parent = PurePosixPath(name.partition("#")[0]).parent.as_posix()
    return "" if parent == "." else parent
