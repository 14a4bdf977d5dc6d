"""Which value of a column a literal of old code means, when the new data spell it otherwise.

A value is named only where exactly one of the column can be meant; what could be two is none. Where code
holds such literals, and what is done about them, is in `values`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from lakebook.analyst.table import TableColumn
from lakebook.correspondence.names import spelling, words

Literal_ = str | int | float | bool
_SHORTEST = 3  # letters below which only a code is looked for
_LIKE = 0.85  # likeness of spelling from which a longer word is taken for the same
_LONG = 6
_SIGNS = re.compile(r"\d+|[+<>=%]")  # where these differ, it is another value
_MOST_LEVELS = 200  # a column with more has values that are alike by chance


@dataclass(frozen=True, slots=True)
class Meant:
    """The value that a literal stands for, and on what ground. `same`: only case and punctuation differ."""

    value: Literal_
    reason: str
    same: bool = False


@cache
def folded(text: str) -> str:
    """Return a text without case, accents, blanks and punctuation; signs that make another number stay."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.sub(r"(?!(?<=\d)[-.,/:]\d)[^\w+<>=%]|_", "", plain.casefold())


def levels_of(column: TableColumn) -> tuple[Literal_, ...]:
    """Return the values of a column as code would compare with them, () for numbers and dates in general."""
    if column.dtype == "text":
        return tuple(level for level, _ in column.levels)
    if column.dtype == "boolean":
        return (False, True)
    if column.dtype == "integer" and column.levels_complete:
        return tuple(int(level) for level, _ in column.levels if re.fullmatch(r"-?\d+", level))
    return ()


def holds(column: TableColumn, literal: Literal_) -> bool | None:
    """Return whether a column has this value, None if that is not known."""
    levels = levels_of(column)
    if any(_equal(level, literal) for level in levels):
        return True
    complete = column.levels_complete or column.dtype == "boolean"
    return False if complete and levels else None


def same_letters(literal: Literal_, column: TableColumn) -> Meant | None:
    """Return the value with the same letters: only case, blanks, accents or punctuation changed."""
    if not isinstance(literal, str) or column.dtype != "text" or holds(column, literal):
        return None
    wanted = folded(literal)
    found = [level for level in levels_of(column) if isinstance(level, str) and folded(level) == wanted]
    if len(found) != 1 or not wanted:
        return None
    return Meant(found[0], f"{column.name} has {found[0]!r}, the same letters", same=True)


def other_spelling(literal: Literal_, column: TableColumn) -> Meant | None:
    """Return the value that a literal names by another word, code, inflection or spelling."""
    levels = levels_of(column)
    if holds(column, literal) is not False or not 2 <= len(levels) <= _MOST_LEVELS:
        return None
    for look in (_same_meaning, _plural, _longer_by_a_common_word, _initial, _alike):
        found = {level: None for level in look(literal, levels)}
        if len(found) == 1:
            level = next(iter(found))
            return Meant(level, f"{column.name} has {level!r}: {_GROUNDS[look]}")
        if found:
            return None
    return None


def level_meant(literal: Literal_, column: TableColumn) -> Literal_ | None:
    """Return the value of a column that a literal is or means, None if there is none."""
    if holds(column, literal):
        return literal
    meant = same_letters(literal, column) or other_spelling(literal, column)
    return meant.value if meant else None


def numbers_of(column: TableColumn) -> dict[str, int]:
    """Return the number that each value of a text column stands for ("yes": 1), {} if one has none."""
    if column.dtype != "text" or not column.levels_complete or len(column.levels) < 2:
        return {}
    groups = _groups()
    by_group = {
        number: int(spelled) for spelled, held in groups.items() if spelled.isdigit() for number in held
    }
    found: dict[str, int] = {}
    for level, _ in column.levels:
        numbers = {by_group[group] for group in groups.get(folded(level), frozenset()) if group in by_group}
        if len(numbers) != 1:
            return {}
        found[level] = next(iter(numbers))
    return found if len(set(found.values())) == len(found) else {}


def nearest(literal: Literal_, column: TableColumn) -> str:
    """Return the value whose spelling is nearest, for a message; "" if none is near."""
    levels = [str(level) for level in levels_of(column)]
    ranked = sorted(levels, key=lambda level: (-spelling(folded(str(literal)), folded(level)), level))
    return ranked[0] if ranked and spelling(folded(str(literal)), folded(ranked[0])) > 0.4 else ""


def _equal(level: Literal_, literal: Literal_) -> bool:
    if isinstance(level, str) or isinstance(literal, str):
        return isinstance(level, str) and isinstance(literal, str) and level == literal
    return level == literal


@cache
def _groups() -> dict[str, frozenset[int]]:
    text = (resources.files("lakebook.enhancement.repairs") / "words" / "same_values.txt").read_text("utf-8")
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(line for line in text.splitlines() if line and not line.startswith("#")):
        for spelled in line.split(";"):
            groups.setdefault(folded(spelled), set()).add(number)
    return {spelled: frozenset(numbers) for spelled, numbers in groups.items()}


def _key(value: Literal_) -> str:
    return folded(str(value)) if not isinstance(value, bool) else ("true" if value else "false")


def _same_meaning(literal: Literal_, levels: Collection[Literal_]) -> Iterable[Literal_]:
    """Values of the literal's group, if most values of the column are in groups of the same list."""
    groups = _groups()
    mine = groups.get(_key(literal), frozenset())
    if isinstance(literal, str) and not literal.strip().isdigit():
        return [level for level in levels if mine & groups.get(_key(level), frozenset())]
    numbered = {number for spelled, numbers in groups.items() if spelled.isdigit() for number in numbers}
    if not all(groups.get(_key(level), frozenset()) & numbered for level in levels):
        return []  # a number names a value only among values that all have a number
    return [level for level in levels if mine & groups[_key(level)]]


def _plural(literal: Literal_, levels: Collection[Literal_]) -> Iterable[Literal_]:
    mine = _singulars(folded(str(literal)))
    return [level for level in levels if isinstance(level, str) and mine & _singulars(folded(level))]


def _singulars(text: str) -> frozenset[str]:
    """Return a word and what it may be the plural of."""
    found = {text}
    if text.endswith("s") and not text.endswith("ss") and len(text) > _SHORTEST:
        found |= {text[:-1], f"{text[:-3]}y" if text.endswith("ies") else text[:-1]}
    return frozenset(found)


def _longer_by_a_common_word(literal: Literal_, levels: Collection[Literal_]) -> Iterable[Literal_]:
    """`setosa` among `Iris-setosa`, `Iris-virginica`: what is more stands with other values too."""
    mine = set(words(str(literal)))
    texts = {level: set(words(level)) for level in levels if isinstance(level, str)}
    return [
        level
        for level, have in texts.items()
        if mine
        and mine < have
        and all(sum(word in other for other in texts.values()) > 1 for word in have - mine)
    ]


def _initial(literal: Literal_, levels: Collection[Literal_]) -> Iterable[Literal_]:
    """A code of one letter for a word, or a word for such codes."""
    wanted = str(literal).strip().casefold()
    texts = [level for level in levels if isinstance(level, str)]
    if len(wanted) == 1 and wanted.isalpha() and all(len(level) > 1 for level in texts):
        return [level for level in texts if level.casefold().startswith(wanted)]
    if len(wanted) > 2 and texts and all(len(level) == 1 for level in texts):
        return [level for level in texts if level.casefold() == wanted[0]]
    return []


def _alike(literal: Literal_, levels: Collection[Literal_]) -> Iterable[Literal_]:
    wanted = folded(str(literal))
    if len(wanted) < _LONG:
        return []
    digits = _SIGNS.findall(wanted)
    return [
        level
        for level in levels
        if isinstance(level, str)
        and _SIGNS.findall(folded(level)) == digits
        and spelling(wanted, folded(level)) >= _LIKE
    ]


_GROUNDS: dict[Callable[[Literal_, Collection[Literal_]], Iterable[Literal_]], str] = {
    _same_meaning: "another word or code for the same",
    _plural: "singular and plural",
    _longer_by_a_common_word: "it differs by a word that its other values have too",
    _initial: "its values go by one letter",
    _alike: "spelled almost the same",
}
