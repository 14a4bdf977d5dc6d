"""A small BM25: texts become tokens, tokens become a ranked list. Knows nothing of sources.

Scores follow Robertson & Zaragoza (2009) with the customary k1 = 1.5 and b = 0.75.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_K1 = 1.5
_B = 0.75
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "did",
        "do",
        "does",
        "for",
        "from",
        "has",
        "have",
        "how",
        "in",
        "is",
        "it",
        "its",
        "me",
        "of",
        "on",
        "or",
        "show",
        "that",
        "the",
        "their",
        "there",
        "these",
        "this",
        "to",
        "was",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "with",
        "many",
        "much",
        "over",
    ]
)
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH_FORMS = {short: month for month in _MONTHS for short in (month, month[:3])}


def tokens(text: str) -> list[str]:
    """Split a text into search tokens: camelCase and digits apart, plural stripped, stop words dropped."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    found = []
    for word in re.findall(r"[^\W_]+", spaced.lower()):
        if word in _STOP:
            continue
        found.append(_MONTH_FORMS.get(word) or singular(word))
        parts = re.findall(r"[^\W\d]+|\d+", word)
        if len(parts) > 1:
            found += [singular(part) for part in parts if len(part) > 1]
    return found


def singular(word: str) -> str:
    """Strip a plural ending; "prices" and "price" meet, "gas" and "class" stay."""
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") else word


@dataclass(slots=True)
class Bm25:
    """An index over documents that are known by their number."""

    lengths: list[int] = field(default_factory=list)
    postings: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, documents: Iterable[Iterable[str]]) -> Bm25:
        """Index documents given as tokens."""
        index = cls()
        for number, document in enumerate(documents):
            counts = Counter(document)
            index.lengths.append(sum(counts.values()))
            for token, count in counts.items():
                index.postings[token].append((number, count))
        return index

    def rank(self, query: Sequence[str]) -> list[tuple[int, float]]:
        """Return (document, score), best first, documents without any of the tokens left out."""
        scores: dict[int, float] = defaultdict(float)
        total = len(self.lengths)
        average = (sum(self.lengths) / total if total else 0.0) or 1.0
        for token, weight in Counter(query).items():
            posted = self.postings.get(token, [])
            idf = math.log(1 + (total - len(posted) + 0.5) / (len(posted) + 0.5))
            for number, count in posted:
                norm = 1 - _B + _B * self.lengths[number] / average
                scores[number] += math.sqrt(weight) * idf * count * (_K1 + 1) / (count + _K1 * norm)
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

    def matched(self, number: int, query: Sequence[str]) -> list[str]:
        """Return the tokens of the query that the document holds."""
        return [
            token
            for token in dict.fromkeys(query)
            if any(n == number for n, _ in self.postings.get(token, []))
        ]
