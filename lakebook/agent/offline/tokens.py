"""Words, numbers, dates and quoted names of a question, and when two words are the same.

What belongs here: cutting text up, the same way for questions, names of columns and values of cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from lakebook.validation.question import NUMBER_WORDS, SCALES, figure

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PIECES = re.compile(
    r"""(?P<quoted>"[^"]+"|“[^”]+”|`[^`]+`|(?<!\w)'[^']+'(?!\w)|(?<!\w)‘[^’]+’(?!\w))"""
    r"|(?P<date>\b(?:19|20)\d\d-\d\d-\d\d\b)"
    rf"|(?P<number>(?<![\w.])[-−]?[$€£]?\d+(?:,\d{{3}})*(?:\.\d+)?(?:\s?(?:{'|'.join(SCALES)})\b)?(?![\w-]))"
    r"|(?P<sign>>=|<=|≥|≤|!=|<>|[><=%])"
    r"|(?P<word>[^\W_]+(?:['’]s\b)?)"
)
_ROUNDING = re.compile(
    r"[,.;(]?\s*(?:and\s+)?(?:please\s+)?round(?:ed|ing)?(?:\s+off)?(?:\s+(?:it|your|the|this))?"
    r"(?:\s+(?:final\s+)?(?:answers?|results?|values?|numbers?))?\s+to\s+"
    rf"(?P<digits>\d|{'|'.join(NUMBER_WORDS)})\s+decimals?(?:\s+(?:places?|points?|digits?))?\)?\.?",
    re.IGNORECASE,
)
# Shorter and longer ways of writing one word in names of columns.
_LONG_FORMS = {
    "accel": "acceleration", "alt": "altitude", "amt": "amount", "arr": "arrival", "avg": "average",
    "cat": "category", "cnt": "count", "cyl": "cylinder", "dep": "departure", "dept": "department",
    "dest": "destination", "disp": "displacement", "displ": "displacement", "hp": "horsepower",
    "hrs": "hour", "humid": "humidity", "lat": "latitude", "lon": "longitude", "lng": "longitude",
    "mean": "average", "max": "maximum", "min": "minimum", "mfr": "manufacturer", "mins": "minute",
    "num": "number", "pct": "percent", "perc": "percent", "percentage": "percent", "pop": "population",
    "precip": "precipitation", "prcp": "precipitation", "qty": "quantity", "temp": "temperature",
    "visib": "visibility", "wt": "weight", "yr": "year", "yrs": "year", "film": "movie", "gender": "sex",
    "nation": "country",
}  # fmt: skip
_IRREGULAR = {
    "ids": "id",
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "geese": "goose",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a question.

    Attributes:
        text: as written, without quotes. `low`: the same in lower case.
        kind: `word`, `number`, `date` (ISO), `quoted` (a name or value) or `sign` (> < = %).
        number: the value of a number.
    """

    text: str
    low: str
    kind: str
    number: float | None = None

    @property
    def is_year(self) -> bool:
        """Whether it can be a calendar year."""
        return bool(re.fullmatch(r"(?:1[5-9]|20)\d\d", self.text))


def tokens(text: str) -> tuple[Token, ...]:
    """Cut a question into its pieces; punctuation between words is left out."""
    found = []
    for match in _PIECES.finditer(text):
        kind = str(match.lastgroup)
        piece = match[0]
        if kind == "quoted":
            piece = piece[1:-1].strip()
        elif kind == "word":
            piece = re.sub(r"['’]s$", "", piece)
        number = figure(piece) if kind == "number" else None
        found.append(Token(piece, piece.casefold(), kind, number))
    return tuple(found)


def without_rounding(text: str) -> tuple[str, int | None]:
    """Return a question without its wish for rounding, and the digits after the point that it wants."""
    match = _ROUNDING.search(text)
    if match is None:
        return text, None
    digits = match["digits"].casefold()
    number = NUMBER_WORDS[digits] if digits in NUMBER_WORDS else int(digits)
    return f"{text[: match.start()]} {text[match.end() :]}".strip(), number


@cache
def name_words(name: str) -> tuple[str, ...]:
    """Cut a name or value into words in lower case ("AveragePrice" -> average, price)."""
    spaced = _CAMEL.sub(" ", name)
    spaced = spaced.replace("%", " percent ").replace("#", " number ")
    return tuple(word.casefold() for word in re.findall(r"[^\W_]+", spaced))


@cache
def value_words(value: str) -> tuple[str, ...]:
    """Cut a cell's value into words; capitals inside a word do not cut it."""
    return tuple(word.casefold() for word in re.findall(r"[^\W_]+", value))


@cache
def forms(word: str) -> frozenset[str]:
    """Return the forms that a word may stand for: itself, its singular, its long form."""
    found = {word, _IRREGULAR.get(word, word)}
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.add(word[:-1])
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
        if word.endswith(("ses", "xes", "zes", "ches", "shes")):
            found.add(word[:-2])
    return frozenset(_LONG_FORMS.get(form, form) for form in found)


def same(one: str, other: str) -> bool:
    """Say whether two words are the same, number and usual abbreviations aside."""
    return bool(forms(one) & forms(other))


def same_words(ones: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Say whether two names are the same word by word."""
    return len(ones) == len(others) and all(map(same, ones, others))
