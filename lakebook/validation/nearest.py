"""Which known name or value somebody probably meant: equal after folding, then contained, then similar.

Used for hints only: a near name never replaces what was written.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable


def fold(text: str) -> str:
    """Return the text without differences that seldom matter: letter case, width, blanks, `_` and `-`."""
    plain = unicodedata.normalize("NFKC", text).casefold().strip()
    return re.sub(r"[\s_\-]+", " ", plain)


def same_but_for_writing(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known texts that equal `text` after folding."""
    wanted = fold(text)
    return tuple(name for name in known if fold(name) == wanted)


def nearest(text: str, known: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """Return up to `most` known texts that are close to `text`, closest first."""
    names = list(dict.fromkeys(known))
    wanted = fold(text)
    folded = {name: fold(name) for name in names}

    def closeness(name: str) -> float:
        if folded[name] == wanted:
            return 2.0
        ratio = difflib.SequenceMatcher(None, wanted, folded[name]).ratio()
        shorter, longer = sorted((wanted, folded[name]), key=len)
        contained = len(shorter) >= 3 and re.search(rf"\b{re.escape(shorter)}\b", longer) is not None
        return ratio + 0.5 if contained else ratio

    ranked = sorted(((closeness(name), name) for name in names), key=lambda pair: (-pair[0], pair[1]))
    return tuple(name for score, name in ranked[:most] if score >= 0.6)
