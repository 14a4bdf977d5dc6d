"""How alike two column names are, from their letters and words alone.

Names are cut into words, words are compared (equal, synonym, inflection, abbreviation, spelling), and the
best pairing of words gives a similarity from 0 to 1 with its reason. Words that exclude each other (min and
max, small and large) pull it down. Which columns belong together is decided in `match`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
_ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third"}
_SIZES = frozenset({"large", "small"})
_ENDINGS = frozenset({"s", "es", "d", "ed", "ing"})
_SPELLED = 0.6  # likeness of spelling below which two words are strangers
_ROUNDING = 1e-9
_HIT = 0.45  # below this two words are strangers
_OPPOSED = 0.35
_CEILING = 0.97  # what is not the same name is never as sure as what is
SAME_LETTERS = 0.99
_REMEMBERED = 1 << 17  # pairs of names or words whose comparison is kept: tables of a folder share many


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two names are, and why.

    Attributes:
        doubt: why similar names may still mean two things: one is a rate of the other, they are opposites, or
            one is plain and could be any of several (`temp` beside `low_temp` and `high_temp`).
    """

    score: float
    reason: str
    doubt: str = ""


@cache
def words(name: str) -> tuple[str, ...]:
    """Cut a column name into lower-case words ("AveragePrice" -> average, price)."""
    text = unicodedata.normalize("NFKC", name).strip().strip("'\"")
    noted = re.sub(r"\[[^\]]*\]", " ", text)
    text = noted if re.search(r"[^\W\d_]", noted) else text
    text = text.replace("%", " percent ").replace("#", " number ")
    text = re.sub(r"\b[Xx](?=\d)", "", text)
    text = re.sub(
        r"\b(1st|2nd|3rd)(?=[A-Z_ .\-]|$)",
        lambda m: f" {_ORDINALS[m[0].lower()]} ",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    text = re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", text)
    parts = [part for part in re.split(r"[\W_]+", text.lower()) if part]
    joined: list[str] = []
    for part in parts:
        if joined and joined[-1] in {"x", "extra"} and part in _SIZES:
            joined[-1] = f"x{part}"
        else:
            joined.append(part)
    return tuple(joined)


@cache
def letters(name: str) -> str:
    """Return the name without case and punctuation."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).lower())


def _lines(name: str) -> list[str]:
    text = (resources.files("lakebook.correspondence") / "words" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def _synonym_groups() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(_lines("synonyms.txt")):
        for word in line.split():
            groups.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


@cache
def _opposites() -> tuple[tuple[frozenset[str], ...], ...]:
    return tuple(
        tuple(frozenset(pole.split()) for pole in line.split("|")) for line in _lines("opposites.txt")
    )


@cache
def _light(kind: str) -> frozenset[str]:
    lines = (line.split() for line in _lines("light.txt"))
    return frozenset(word for first, *rest in lines if first == kind for word in rest)


def synonyms(a: str, b: str) -> bool:
    """Return True if both words stand in one synonym group."""
    groups = _synonym_groups()
    return bool(groups.get(a, frozenset()) & groups.get(b, frozenset()))


@lru_cache(_REMEMBERED)
def spelling(a: str, b: str) -> float:
    """Return 1 - edit distance / longer length."""
    if not a or not b:
        return 0.0
    return 1 - _edits(a, b) / max(len(a), len(b))


def _edits(a: str, b: str) -> int:
    """Return the edit distance: a whole column of the usual table at once, one bit a row (Myers 1999).

    Neighbouring cells of a column differ by at most one, so two sets of bits hold it: where it rises and
    where it falls. Names of columns can be whole questions; letter by letter they cost most of a mapping.
    """
    places: dict[str, int] = {}
    for row, letter in enumerate(a):
        places[letter] = places.get(letter, 0) | 1 << row
    every, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    rises, falls, distance = every, 0, len(a)
    for letter in b:
        same = places.get(letter, 0)
        diagonal = (((same & rises) + rises) ^ rises) | same | falls
        right_rises = falls | (every & ~(diagonal | rises))
        right_falls = rises & diagonal
        distance += bool(right_rises & last) - bool(right_falls & last)
        right_rises = right_rises << 1 | 1
        rises = every & (right_falls << 1 | ~(diagonal | right_rises))
        falls = right_rises & diagonal & every
    return distance


def _within(short: str, long: str) -> bool:
    rest = iter(long)
    return all(letter in rest for letter in short)


def _skeleton(word: str) -> str:
    return word[:1] + re.sub("[aeiouy]", "", word[1:])


def _abbreviates(short: str, long: str) -> float:
    """Return how well the shorter word stands for the longer one."""
    if len(short) >= 2 and long.startswith(short):
        return 0.62 if len(short) == 2 else 0.72 + 0.22 * min(1.0, (len(short) - 1) / 4)
    if len(short) >= 4 and long.endswith(short):
        return 0.72
    if len(short) < 2 or short[0] != long[0]:
        return 0.0
    if len(_skeleton(short)) >= 3 and _skeleton(short) == _skeleton(long):
        return 0.85
    if _within(short, long):
        return 0.60 + 0.25 * len(short) / len(long) if len(short) >= 3 else 0.5
    return 0.0


@lru_cache(_REMEMBERED)
def word_likeness(a: str, b: str) -> float:
    """Compare two words, 0 to 1. Digits are only like the same digits."""
    if a == b:
        return 1.0
    if a.isdigit() or b.isdigit():
        return 0.0
    if synonyms(a, b):
        return 0.92
    short, long = (a, b) if (len(a), a) < (len(b), b) else (b, a)
    if long.startswith(short) and long[len(short) :] in _ENDINGS:
        return 0.97
    if score := _abbreviates(short, long):
        return score
    if len(long) - len(short) > (1 - _SPELLED) * len(long) + _ROUNDING:
        return 0.0
    same = spelling(short, long)
    if len(short) >= 4 and same >= 0.75:
        return 0.6 + 0.28 * (same - 0.75) / 0.25
    return 0.55 * same if same >= _SPELLED else 0.0


def word_likenesses(left: Sequence[str], right: Sequence[str]) -> Matrix:
    """Compare all words of one side with all of the other; strangers are told apart by a glance."""
    likeness = np.zeros((len(left), len(right)))
    for i, j in np.argwhere(_may_be_alike(left, right)).tolist():
        likeness[i, j] = word_likeness(left[i], right[j])
    return likeness


def _may_be_alike(left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
    """Return False for words that have no likeness for sure.

    Words that begin otherwise and are no synonyms are alike by their end or by their spelling alone; then
    either all letters of one are in the other, or few edits are needed, each for one letter of both at most.
    """
    ours, theirs = _bits(left)[:, None], _bits(right)[None, :]
    only_left, only_right = np.bitwise_count(ours & ~theirs), np.bitwise_count(theirs & ~ours)
    edits = (1 - _SPELLED) * np.maximum.outer(*([len(word) for word in side] for side in (left, right)))
    spelled = np.maximum(only_left, only_right) <= edits + _ROUNDING
    ends = np.minimum(only_left, only_right) == 0
    begins = np.array([word[0] for word in left])[:, None] == np.array([word[0] for word in right])[None, :]
    known = _synonym_groups()
    listed = np.logical_and.outer([word in known for word in left], [word in known for word in right])
    result: NDArray[np.bool_] = begins | listed | ends | spelled
    return result


def _bits(words: Sequence[str]) -> NDArray[np.uint64]:
    """Return the letters of words as sets of bits; two that share a bit only make words look nearer."""
    found = [sum({1 << (ord(letter) & 63) for letter in word}) for word in words]
    return np.array(found, dtype=np.uint64)


@cache
def _poles(tokens: tuple[str, ...]) -> dict[int, frozenset[int]]:
    """Return which poles of which opposition the words stand at."""
    found = frozenset(tokens)
    at = {
        number: frozenset(place for place, pole in enumerate(poles) if pole & found)
        for number, poles in enumerate(_opposites())
    }
    return {number: places for number, places in at.items() if places}


def opposed(a: str, b: str) -> bool:
    """Return True if the names stand at different poles of an opposition (min_temp, max_temp)."""
    left, right = _poles(words(a)), _poles(words(b))
    return any(not left[number] & right[number] for number in left.keys() & right.keys())


def siblings(names: Sequence[str]) -> dict[str, frozenset[int]]:
    """Return, for each name, the oppositions in which another name differs from it in the pole alone.

    `low_temp` and `high_temp` are siblings: a plain `temp` may not be mapped to either.
    """
    residue: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for name in names:
        for number in _poles(words(name)):
            poles: frozenset[str] = frozenset().union(*_opposites()[number])
            rest = tuple(word for word in words(name) if word not in poles)
            if rest:
                residue.setdefault((number, rest), []).append(name)
    found: dict[str, set[int]] = {}
    for (number, _), group in residue.items():
        if len(group) > 1:
            for name in group:
                found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


class NameComparer:
    """Compares the names of two schemas; a word that stands in many of their names counts for less."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._frequency: Counter[str] = Counter()
        for names in (old, new):
            for name in names:
                for word in set(words(name)):
                    self._frequency[word] += 1 / max(1, len(names))  # type: ignore[assignment]
        self._siblings = siblings(old) | siblings(new)
        self._old, self._new = _places(old), _places(new)
        self._likeness = word_likenesses(list(self._old), list(self._new))

    def compare(self, old: str, new: str) -> Likeness:
        """Return how alike the two names are, 0 to 1, with the reason."""
        if old == new:
            return Likeness(1.0, "same name")
        flat_old, flat_new = letters(old), letters(new)
        if flat_old and flat_old == flat_new:
            return Likeness(SAME_LETTERS, "same name apart from case and punctuation")
        left, right = words(old), words(new)
        if not left or not right:
            return Likeness(0.0, "")
        score, reason = self._by_words(left, right)
        spelled, why = _by_letters(flat_old, flat_new, left, right)
        if spelled > score:
            score, reason = spelled, why
        factor, doubt = self._doubt(old, new)
        return Likeness(min(_CEILING, score * factor), reason, doubt)

    def _weight(self, word: str) -> float:
        weight = 1 / (1 + 4 * self._frequency[word])
        if word in _light("filler"):
            weight *= 0.25
        if word in _light("unit"):
            weight *= 0.35
        return weight * 1.2 if word.isdigit() else weight

    def _by_words(self, left: tuple[str, ...], right: tuple[str, ...]) -> tuple[float, str]:
        """Pair the words at best; combine the share of weight that found a partner on both sides."""
        hits = self._hits(left, right)
        if not hits:
            return 0.0, ""
        of_left = [self._weight(word) for word in left]
        of_right = [self._weight(word) for word in right]
        got_left = sum(likeness * of_left[i] for i, _, likeness in hits)
        got_right = sum(likeness * of_right[j] for _, j, likeness in hits)
        both = (got_left + got_right) / (sum(of_left) + sum(of_right))
        contained = max(got_left / sum(of_left), got_right / sum(of_right))
        pairs = [(left[i], right[j]) for i, j, _ in hits if left[i] != right[j]]
        reason = "shared words" if not pairs else ", ".join(f"{a} ~ {b}" for a, b in pairs)
        return max(both, 0.55 * both + 0.4 * contained), reason

    def _hits(self, left: tuple[str, ...], right: tuple[str, ...]) -> list[tuple[int, int, float]]:
        """Return the best pairing of words, as places on both sides with their likeness."""
        rows, columns = [self._old[word] for word in left], [self._new[word] for word in right]
        likeness = self._likeness[np.ix_(rows, columns)]
        if likeness.max() < _HIT:
            return []
        from scipy.optimize import linear_sum_assignment

        pairs = zip(*(side.tolist() for side in linear_sum_assignment(-likeness)), strict=True)
        return [(i, j, float(likeness[i, j])) for i, j in pairs if likeness[i, j] >= _HIT]

    def _doubt(self, old: str, new: str) -> tuple[float, str]:
        """Return the factor below 1 for what speaks against a pair of similar names, and what that is."""
        left, right = frozenset(words(old)), frozenset(words(new))
        factor, doubt = 1.0, ""
        digits = {word for word in left if word.isdigit()}, {word for word in right if word.isdigit()}
        if all(digits) and digits[0] != digits[1]:
            factor *= 0.45
        if bool(left & _light("rate")) != bool(right & _light("rate")):
            factor *= 0.6
            doubt = "one is a rate, the other is not"
        several = self._is_one_of_several(old, new) or self._is_one_of_several(new, old)
        if opposed(old, new) or several:
            factor *= _OPPOSED
            doubt = (
                "several columns differ from it in one word alone" if several else "the names are opposites"
            )
        return factor, doubt

    def _is_one_of_several(self, plain: str, poled: str) -> bool:
        return bool(self._siblings.get(poled, frozenset()) - _poles(words(plain)).keys())


def _places(names: Iterable[str]) -> dict[str, int]:
    """Return the words of the names, each with its place among them."""
    return {word: n for n, word in enumerate(dict.fromkeys(word for name in names for word in words(name)))}


@lru_cache(_REMEMBERED)
def _by_letters(old: str, new: str, left: tuple[str, ...], right: tuple[str, ...]) -> tuple[float, str]:
    """Return the best of the likenesses of the names as strings of letters."""
    return max(_of_letters(old, new, left, right), key=lambda found: found[0])


def _of_letters(
    old: str, new: str, left: tuple[str, ...], right: tuple[str, ...]
) -> Iterable[tuple[float, str]]:
    """Compare the letters: spelling, abbreviation of the whole, initials, synonyms."""
    same = spelling(old, new) if min(len(old), len(new)) >= 2 else 0.0
    yield (0.9 if same > 0.6 else 0.6) * same, "similar spelling"
    short, long = sorted((old, new), key=lambda name: (len(name), name))
    if len(short) >= 3 and short[0] == long[0] and _within(short, long):
        yield 0.45 + 0.4 * len(short) / len(long), "abbreviation"
    if len(short) >= 4 and short in long:
        yield 0.5 + 0.4 * len(short) / len(long), "one name contains the other"
    for tokens, flat in ((left, new), (right, old)):
        if len(tokens) >= 2 and "".join(word[0] for word in tokens) == flat:
            yield 0.55 + 0.1 * min(3, len(flat) - 1), "initials"
        shortened = "".join(word[0] for word in tokens[:-1]) + tokens[-1]
        if len(tokens) >= 2 and len(tokens[-1]) >= 3 and shortened == flat:
            yield 0.85, "initials and last word"
    if synonyms(old, new):
        yield 0.93, f"synonyms: {old} ~ {new}"
