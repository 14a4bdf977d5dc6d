"""A question as rules and the offline analyst read it: the words that demand something of the operations.

What belongs here: the reading of words. Which columns they mean is bound elsewhere; whether operations meet
the demands is for the rules (`rules.question`). A word is a demand only in forms that leave no doubt; what is
not recognised demands nothing (RADAR §6: scope and selection is where checks on data alone gain least).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

DemandKind = Literal[
    "average", "median", "total", "count", "distinct", "share", "percent", "correlation", "deviation",
    "variance", "quantile", "mode", "highest", "lowest", "top", "bottom", "group", "over_time", "between",
    "year", "excluding", "above", "at_least", "below", "at_most", "change", "growth_rate", "rounded",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Demand:
    """What one expression of a question asks of the operations.

    Attributes:
        kind: what is asked. `words`: as they stand in the question, from letter `position` on.
        of: the word that it is about, where one stands beside it ("region" of "per region").
        numbers: those that belong to it: the n of top n, bounds, the year, digits after the point.
    """

    kind: DemandKind
    words: str
    position: int
    of: str = ""
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question in its own words, and what they demand, in their order."""

    text: str
    demands: tuple[Demand, ...] = ()

    def demanded(self, *kinds: DemandKind) -> tuple[Demand, ...]:
        """Return the demands of these kinds."""
        return tuple(demand for demand in self.demands if demand.kind in kinds)


NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20,
}  # fmt: skip
SCALES = {
    "hundred": 1e2, "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9,
}  # fmt: skip

_COUNTED = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
_FIGURE = r"[-−]?[$€£]?\d+(?:,\d{3})*(?:\.\d+)?"
_SCALE = rf"(?:\s?(?:{'|'.join(SCALES)})\b)?"
NUMBER = rf"{_FIGURE}{_SCALE}"
_YEAR = r"(?:19|20)\d\d"
_HIGH = r"highest|largest|greatest|biggest|maximum|max"
_LOW = r"lowest|smallest|fewest|minimum|min|cheapest"

_NOT_PLACES = r"(?! (?:decimal|digit|percent|%|years?|months?|days?|weeks?))"
_NO_STATISTIC = r"(?!(?:total|average|mean|avg|median|number|sum|count|using|means|itself|far|how)\b)"

# Each pattern gives one kind of demand. `of` is the word it is about; `n`, `n2` … are its numbers.
_PATTERNS: tuple[tuple[DemandKind, str], ...] = (
    ("average", r"averages?|(?<!does )(?<!this )(?<!that )(?<!it )(?<!they )(?<!to )mean|avg"),
    ("median", r"medians?"),
    ("total", r"total|sum|altogether|combined"),
    ("distinct", r"(?:how many|number of|count(?: of)?)(?: the)? (?:distinct|unique|different) (?P<of>\w+)"),
    ("distinct", r"(?:distinct|unique) (?P<of>\w+)"),
    ("count", r"how many (?P<of>\w+)|number of (?P<of2>\w+)|count of (?P<of3>\w+)"),
    ("share", r"(?:what |which )?(?:share|percentage|percent|proportion|fraction|%)(?= of)"),
    ("percent", r"percent(?:age|ages)?|in %|as a %|%"),
    ("correlation", r"correlat\w+"),
    ("deviation", r"standard deviations?|std\.?(?: ?dev)?|stdev"),
    ("variance", r"variance"),
    (
        "quantile",
        r"(?P<n>\d+)(?:st|nd|rd|th)? percentiles?|percentiles?|quartiles?|quantiles?|interquartile range|iqr",
    ),
    ("mode", r"most (?:common|frequent(?:ly)?|often|popular) (?P<of>\w+)|modal|mode"),
    ("top", rf"(?:top|first|{_HIGH}|best) (?P<n>{_COUNTED})\b{_NOT_PLACES}"),
    ("bottom", rf"(?:bottom|last|{_LOW}|worst) (?P<n>{_COUNTED})\b{_NOT_PLACES}"),
    ("highest", rf"{_HIGH}|most(?! (?:common|frequent\w*|often|popular|of|likely|recent|significant))"),
    ("lowest", rf"{_LOW}|(?<!at )least(?! (?:squares|common|frequent\w*))"),
    (
        "group",
        r"(?:per|by each|for each|for every|in each|in every|of each|within each|grouped by|group by|"
        r"broken down by|across each) (?:of the |the )?(?:different |unique |individual )?(?P<of>[a-z_]\w*)",
    ),
    (
        "group",
        rf"(?<!ed )(?<!en )(?<!order )(?<!sort )(?<!rank )by (?:the )?{_NO_STATISTIC}(?P<of>[a-z_]\w*)",
    ),
    (
        "over_time",
        r"over (?:the )?(?:time|years)|(?:by|per|each|every) (?:year|quarter|month|week|day)|"
        r"monthly|yearly|annually|weekly|trends?",
    ),
    ("between", rf"between (?:the years? )?(?P<n>{_YEAR}) and (?P<n2>{_YEAR})"),
    ("between", rf"from (?P<n>{_YEAR}) (?:to|until|through) (?P<n2>{_YEAR})"),
    ("between", rf"between (?P<n>{NUMBER}) and (?P<n2>{NUMBER})"),
    ("year", rf"(?P<n>{_YEAR})"),
    (
        "excluding",
        r"(?:excluding|exclude|except(?: for)?|other than|not including|apart from|leaving out) "
        r"(?:the |all |any |rows with |those with )*(?P<of>\w+)",
    ),
    ("above", rf"(?:(?:more|greater|higher|larger) than|over|above|exceed(?:s|ing)?) (?P<n>{NUMBER})"),
    ("at_least", rf"(?:at least|(?:no|not) less than|minimum of) (?P<n>{NUMBER})|(?P<n2>{NUMBER}) or more"),
    ("below", rf"(?:(?:less|fewer|lower|smaller) than|under|below) (?P<n>{NUMBER})"),
    (
        "at_most",
        rf"(?:at most|(?:no|not) more than|maximum of|up to) (?P<n>{NUMBER})|"
        rf"(?P<n2>{NUMBER}) or (?:less|fewer)",
    ),
    ("growth_rate", r"growth rates?|(?:percentage|percent|%) (?:change|growth|increase|decrease)"),
    ("growth_rate", r"year[- ]over[- ]year|yoy"),
    ("change", r"chang(?:e|ed|es)|growth|grow|grew|grown|increas(?:e|ed)|decreas(?:e|ed)|difference"),
    ("rounded", rf"(?P<n>{_COUNTED}) (?:decimal(?: place| point)?s?|digits? after)"),
)
_COMPILED = tuple((kind, re.compile(rf"(?<![\w.])(?:{pattern})(?!\w)")) for kind, pattern in _PATTERNS)

# A longer expression speaks for the shorter one inside it: the mode of "most common", the year of "between".
_INSIDE: dict[DemandKind, tuple[DemandKind, ...]] = {
    "between": ("between", "year", "above", "below"),
    "top": ("highest", "count"),
    "bottom": ("lowest", "count"),
    "mode": ("highest",),
    "distinct": ("count", "distinct"),
    "growth_rate": ("change", "percent"),
    "share": ("percent",),
    "at_least": ("lowest", "below"),
    "at_most": ("highest", "above"),
    "quantile": ("percent",),
    "above": ("year", "highest"),
    "below": ("year", "lowest"),
}


def read_question(text: str) -> Question:
    """Read what the words of a question demand. Text in quotes is a name, and demands nothing."""
    plain = _without_quoted(text).casefold()
    found = sorted(_found(plain), key=lambda demand: (demand.position, -len(demand.words)))
    kept: list[Demand] = []
    for demand in found:
        if not any(_speaks_for(other, demand) for other in found):
            kept.append(demand)
    return Question(text, tuple(dict.fromkeys(kept)))


def figure(text: str) -> float:
    """Return the number that digits, a number word, or digits with a scale ("1.5 million") stand for.

    Raises:
        ValueError: it is none of these.
    """
    low = text.strip().casefold()
    if low in NUMBER_WORDS:
        return float(NUMBER_WORDS[low])
    match = re.fullmatch(rf"({_FIGURE})\s?({'|'.join(SCALES)})?", low)
    if match is None:
        raise ValueError(f"{text!r} is no number")
    digits = re.sub(r"[,$€£]", "", match[1]).replace("−", "-")
    return float(digits) * SCALES.get(match[2] or "", 1.0)


def _without_quoted(text: str) -> str:
    """Blank out what stands in quotes, so that positions stay; an apostrophe opens nothing."""
    quoted = r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^'\n]*'(?!\w)|(?<!\w)‘[^’\n]*’(?!\w)"
    return re.sub(quoted, lambda match: " " * len(match[0]), text)


def _found(text: str) -> Iterator[Demand]:
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            numbers = [groups[name] for name in ("n", "n2", "n3", "n4") if groups.get(name)]
            of = next((groups[name] for name in ("of", "of2", "of3") if groups.get(name)), "")
            yield Demand(kind, match[0], match.start(), of, tuple(map(figure, numbers)))


def _speaks_for(longer: Demand, shorter: Demand) -> bool:
    """Say whether a demand stands inside another one that means more."""
    inside = (
        longer.position <= shorter.position
        and shorter.position + len(shorter.words) <= longer.position + len(longer.words)
        and longer is not shorter
    )
    same = longer.kind == shorter.kind and longer.words == shorter.words
    return inside and not same and shorter.kind in _INSIDE.get(longer.kind, ())


def numbers_of(demands: Sequence[Demand]) -> tuple[float, ...]:
    """Return the numbers that belong to any of the demands."""
    return tuple(dict.fromkeys(number for demand in demands for number in demand.numbers))
