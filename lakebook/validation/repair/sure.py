"""Which known name was meant for certain: nothing here guesses.

A name is sure if it differs in writing only (letter case, blanks, `_`, `-`), in an s at the end of a word, or
in one letter of one long word. Names that differ in a digit, in their first letter or in a short word are
others: `q1`, `pos_x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lakebook.validation.nearest import fold, same_but_for_writing

_SHORTEST = 5


def sure_name(written: str, known: Iterable[str]) -> str | None:
    """Return the one known name that `written` must mean, None if there is none or more than one."""
    names = list(dict.fromkeys(known))
    same = same_but_for_writing(written, names)
    if same:
        return same[0] if len(same) == 1 else None
    near = [name for name in names if _one_letter_off(fold(written), fold(name))]
    return near[0] if len(near) == 1 else None


def _one_letter_off(one: str, other: str) -> bool:
    """Say whether two folded names differ in one word: by an s, or by one of five letters or more."""
    words, others = one.split(), other.split()
    differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(words) != len(others) or len(differing) != 1:
        return False
    first, second = differing[0]
    if f"{first}s" == second or f"{second}s" == first:
        return True
    if min(len(first), len(second)) < _SHORTEST or first[0] != second[0]:
        return False
    return re.sub(r"\D", "", first) == re.sub(r"\D", "", second) and _distance_is_one(first, second)


def _distance_is_one(one: str, other: str) -> bool:
    """Say whether one letter was left out, added, changed, or swapped with the next."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    start = next((n for n, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]), None)
    if start is None:
        return True  # one letter more at the end
    if len(shorter) < len(longer):
        return shorter[start:] == longer[start + 1 :]
    swapped = one[start : start + 2] == other[start : start + 2][::-1]
    return one[start + 1 :] == other[start + 1 :] or (swapped and one[start + 2 :] == other[start + 2 :])
