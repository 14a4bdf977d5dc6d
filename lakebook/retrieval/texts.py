"""How well texts fit words, over a handful of texts at hand (BM25), and texts as vectors of our own.

Nothing is learned and nothing is kept: scores depend on the texts given and on nothing else, so that the
order in which notebooks came, or one that is gone again, leaves no trace.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lakebook.correspondence.names import words

_K1, _B = 1.2, 0.75  # Robertson and Zaragoza (2009): the usual values
DIMENSIONS = 1024
_STOP_WORDS = "a an and are as at be by for from in is it of on or that the this to was we with"
_STOP = frozenset(_STOP_WORDS.split())

Vectors = NDArray[np.float64]


def terms(text: str) -> list[str]:
    """Return the words of a text or a piece of code, singular; names are cut ("AveragePrice")."""
    return [_singular(word) for part in text.split() for word in words(part) if word not in _STOP]


def bm25(query: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return the BM25 score of each text for the query, both as terms."""
    counts = [Counter(text) for text in texts]
    total = len(texts)
    average = sum(map(len, texts)) / total if total else 0.0
    scores = [0.0] * total
    for term in dict.fromkeys(query):
        holding = [number for number, count in enumerate(counts) if term in count]
        rarity = math.log(1 + (total - len(holding) + 0.5) / (len(holding) + 0.5))
        for number in holding:
            often = counts[number][term]
            length = 1 - _B + _B * len(texts[number]) / average
            scores[number] += rarity * often * (_K1 + 1) / (often + _K1 * length)
    return scores


def hashed_vectors(texts: Sequence[str]) -> Vectors:
    """Return one vector of length 1 a text, shape (texts, DIMENSIONS): words and pairs of words, hashed.

    The signed feature hashing of Weinberger and others (2009), counts dampened by their root; an empty text
    gives zeros.
    """
    matrix = np.zeros((len(texts), DIMENSIONS))
    for row, text in enumerate(texts):
        found = terms(text)
        pairs = (f"{a} {b}" for a, b in pairwise(found))
        for feature, often in Counter([*found, *pairs]).items():
            place, sign = _place(feature)
            matrix[row, place] += sign * math.sqrt(often)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: Vectors = matrix / np.maximum(norms, 1e-12)
    return unit


def _place(feature: str) -> tuple[int, int]:
    digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return number % DIMENSIONS, 1 if number >> 63 else -1


def _singular(word: str) -> str:
    """Return a word without the ending of the plural."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )
