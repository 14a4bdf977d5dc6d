"""How texts become search tokens: names, values, passages and questions are cut in the same way.

What belongs here: splitting, plurals, months, and the words that say nothing of a subject. What a token is
worth is decided in `ranking`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
# Scripts that are written without blanks between words; pairs of characters stand for words there.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]+")

_LONGEST = 60  # what is longer is code or a sequence, which nobody asks for by name

MONTHS = (
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
)
_MONTH_FORMS = {form: month for month in MONTHS for form in (month, month[:3])} | {"sept": "september"}

_GRAMMAR = """
    a about above across after all also among an and any are as at based be been before below between both
    but by can could did do does during each either else for from had has have her here his how i if in into
    is it its many me more most much my no not of on one only or other our out over per so some such than
    that the their them then there these they this those through to under until up us was we were what when
    where which while who whom whose why will with within without would you your yes whether should
"""
_ASKING = """
    according amount answer average calculate compute count determine different estimate explanation false
    final find first follow following format give given last least less list name names need needed number
    please provide report result results round rounded same show tell total true use used using value
    values find please respond
"""
# Words by which a question says how its answer is to be written; sources are not described by them.
_FORM = """
    assume assuming decimal decimals digit digits exclude excluding inclusive integer nearest percent
    percentage place places question significant
"""
STOP = frozenset((_GRAMMAR + _ASKING).split())
STOP_IN_QUESTIONS = STOP | frozenset(_FORM.split())


def split_words(text: str) -> Iterator[str]:
    """Cut a text into folded words as they stand there: camelCase apart, accents off, nothing dropped."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    for match in _WORD.finditer(_CAMEL.sub(" ", text)):
        word = match[0].casefold()
        if word.isascii() or not _UNSPACED.search(word):
            yield word
        else:
            yield from _pairs(word)


def tokens(text: str, *, question: bool = False) -> list[str]:
    """Return the search tokens of a text; those of a question lose the words about the form of the answer."""
    stop = STOP_IN_QUESTIONS if question else STOP
    words = (word for word in split_words(text) if word not in stop and len(word) <= _LONGEST)
    return [token for word in words for token in forms(word)]


@lru_cache(maxsize=200_000)
def forms(word: str) -> tuple[str, ...]:
    """Return the tokens of one word: itself normalised, and its letters and digits apart ("wu334")."""
    parts = _PARTS.findall(word)
    if len(parts) < 2:
        return (normal(word),)
    apart = [normal(part) for part in parts if (len(part) > 1 or part.isdigit()) and part not in STOP]
    return (normal(word), *apart)


def normal(word: str) -> str:
    """Return the form under which a word is found: months in full, plurals as singulars."""
    return _MONTH_FORMS.get(word) or singular(word)


def singular(word: str) -> str:
    """Strip a plural ending; "prices" and "price" meet, "gas" and "class" stay."""
    if len(word) <= 3 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _pairs(word: str) -> Iterator[str]:
    start = 0
    for match in _UNSPACED.finditer(word):
        if match.start() > start:
            yield word[start : match.start()]
        run = match[0]
        yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))
        start = match.end()
    if start < len(word):
        yield word[start:]
