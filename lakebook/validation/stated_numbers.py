"""Numbers stated in a text, and whether a recorded value gives them when it is rounded as they are.

A number counts as stated only if it tells something of the data: list markers, ordinals, dates and times,
"top 5", "to 2 decimals", "95 % confidence" and the like are passed over. What was recorded is a list of plain
values. Signs are not compared, since words carry them ("fell by 3 %").
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from lakebook.sandbox.base import Json

_THIN = " \u00a0\u202f\u2009'’"  # what stands between thousands besides comma and point
_BODY = (
    rf"(?:\d{{1,3}}(?:,\d{{3}}(?!\d))+(?:\.\d+)?|\d{{1,3}}(?:[{_THIN}]\d{{3}}(?!\d))+(?:[.,]\d+)?|"
    rf"\d{{1,3}}(?:\.\d{{3}}(?!\d))+,\d+"
    r"|\d+(?:[.,]\d+)?|\.\d+)(?:[eE][-+]?\d{1,2}(?!\d))?"
)
_NUMBER = re.compile(
    rf"(?<![\w.])(?<!\d,)(?P<body>{_BODY})(?![.,]?\d)"
    r"(?:\s*[x×]\s*10\s*\^?\s*(?P<power>[-−]?\d{1,2}))?"
    r"(?P<percent>\s?(?:%|percent\b|per\s?cent\b|pct\b|percentage points?\b|pp\b))?"
    r"(?:[\s-]?(?P<scale>thousand|million|billion|trillion|mn|bn|tn|mio|mrd|[kKMB])\b)?"
)
_SCALES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9,
    "mrd": 1e9, "billion": 1e9, "tn": 1e12, "trillion": 1e12,
}  # fmt: skip
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|some|circa|ca\.)|[~≈])\s*[$€£]?\s*$", re.IGNORECASE
)
_BOUND = re.compile(
    r"(?:\b(?:nearly|almost|over|under|above|below|(?:more|less|fewer) than|at least|at most|up to)|[<>≥≤])"
    r"\s*[$€£]?\s*$",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
# What is no number told of the data. Each is blanked before numbers are looked for.
_NO_NUMBER = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\b\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[-+]\d{2}:?\d{2})?\b",
        r"\b\d{1,4}([/.])\d{1,2}\1\d{2,4}\b",
        rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?",
        rf"\b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?\b",
        rf"\b{_MONTH},?\s\d{{4}}\b",
        r"\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]\.?m\b",
        r"\b\d+(?:st|nd|rd|th)\b|\b(?:19|20)\d0s\b",
        r"^[ \t]*(?:[-*•]\s*)?\(?\d{1,3}[.)](?=\s)",
        r"(?:#|\bno\.|\bstep|\bfigure|\bfig\.|\btable|\bsection)\s?\d{1,3}\b",
        r"\b(?:top|bottom|first|last|best|worst|largest|smallest|highest|lowest)[\s-]\d{1,4}\b",
        r"\b\d{1,2}(?=[\s-]*(?:decimals?\b|decimal\s(?:places?|digits?)|digits?\b|places\b|significant|d\.?p\.?\b))",
        r"\brounded to (?:the nearest )?\d+(?:\.\d+)?\b",
        r"\b\d{2}(?:\.\d)?\s?%(?=[\s-]*(?:confidence|ci\b|credible|prediction|interval|significance|level))",
        r"\b(?:p|alpha|α)\s?[<=>≤]\s?0?\.\d+\b|\b[15]0?\s?%\s(?:significance\s)?level",
        r"\bper\s10*(?:,000)*\b",
        r"\b\d{1,3}-(?:second|minute|hour|day|week|month|quarter|year)s?\b",
        r"\bv\d+(?:\.\d+)*\b|\b\d{1,2}\.\d{1,2}\.\d{1,2}\b",
        r"\br\d{3,}\b",
    )
)


@dataclass(frozen=True, slots=True)
class Stated:
    """One number of a text.

    Attributes:
        text: as it is written. `readings`: what it may mean: (value, one unit of its last digit).
        percent: it is told as a percentage. `scale`: 1e6 for "million", 1 for none.
        bound: it is said to be passed or not reached ("over", "nearly"), not to be rounded.
    """

    text: str
    readings: tuple[tuple[float, float], ...]
    percent: bool = False
    scale: float = 1.0
    bound: bool = False


class Recorded:
    """Values that were recorded, each with where; signs left out."""

    def __init__(self, values: Iterable[tuple[float, str]]) -> None:
        self._values = sorted((abs(value), place) for value, place in values)

    @cached_property
    def _numbers(self) -> list[float]:
        return [value for value, _ in self._values]

    def holds(self, stated: Stated) -> str | None:
        """Return where a value stands that gives the number when it is rounded, None if there is none."""
        for value, unit in _targets(stated):
            slack = (unit if stated.bound else unit / 2) * (1 + 1e-9) + 1e-9 * abs(value)
            place = bisect.bisect_left(self._numbers, abs(value) - slack)
            if place < len(self._values) and self._values[place][0] <= abs(value) + slack:
                return self._values[place][1]
        return None

    def nearest(self, stated: Stated) -> tuple[float, str] | None:
        """Return the recorded value that is closest to the number, and where it stands."""
        value = abs(stated.readings[0][0] * stated.scale)
        place = bisect.bisect_left(self._numbers, value)
        around = self._values[max(place - 1, 0) : place + 1]
        return min(around, key=lambda one: abs(one[0] - value), default=None)


def _targets(stated: Stated) -> Iterator[tuple[float, float]]:
    """Give what a recorded value may be: as stated, as a fraction, or counted in thousands."""
    for value, unit in stated.readings:
        yield value * stated.scale, unit * stated.scale
        if stated.percent:
            yield value / 100, unit / 100
        counted_in = stated.scale
        while counted_in > 1:
            counted_in /= 1e3
            yield value * counted_in, unit * counted_in


def stated_numbers(text: str) -> tuple[Stated, ...]:
    """Return the numbers of a text that tell something of the data, each once."""
    rest = text
    for pattern in _NO_NUMBER:
        rest = pattern.sub(" ", rest)
    found: dict[str, Stated] = {}
    for match in _NUMBER.finditer(rest):
        one = _stated(match, rest)
        found.setdefault(one.text, one)
    return tuple(found.values())


def _stated(match: re.Match[str], text: str) -> Stated:
    before = text[max(0, match.start() - 20) : match.start()]
    bound = _BOUND.search(before) is not None
    readings = _readings(match["body"], bound or _ABOUT.search(before) is not None)
    if match["power"]:
        power = 10.0 ** int(match["power"].replace("−", "-"))
        readings = tuple((value * power, unit * power) for value, unit in readings)
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1.0
    return Stated(match.group().strip(), readings, match["percent"] is not None, scale, bound)


def _readings(body: str, about: bool) -> tuple[tuple[float, float], ...]:
    """Return what a numeral may mean: a comma may part thousands or begin the decimals, as may a point."""
    mantissa, _, exponent = body.lower().partition("e")
    plain = re.sub(rf"[{_THIN}]", "", mantissa)
    texts = []
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+", plain):
        texts.append(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+", plain):
        texts.append(plain.replace(".", "").replace(",", "."))
    power = 10.0 ** int(exponent or 0)
    made = []
    for text in texts:
        decimals = min(len(text.partition(".")[2]), 300)
        zeros = min(len(text) - len(text.rstrip("0")), 300) if about and not decimals else 0
        made.append((float(text) * power, 10.0 ** (zeros - decimals) * power))
    return tuple(made)


def of_value(value: float, decimals: int | None, percent: bool) -> Stated:
    """Return a number that is given as one, rounded to so many digits (None: to those that it has)."""
    text = repr(value)
    shown = len(text.partition(".")[2]) if "e" not in text and value != int(value) else 0
    if "e" in text:
        return Stated(text, ((value, abs(value) * 1e-6),), percent)
    return Stated(text, ((float(value), 10.0 ** -(shown if decimals is None else decimals)),), percent)


def numbers_of(value: Json) -> Iterator[float]:
    """Give every number in a result: values, numbers in texts and keys, and how long its parts are."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, str):
        yield from numbers_in(value)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from numbers_in(key)
            if isinstance(item, (list, dict)):
                yield float(len(item))
            yield from numbers_of(item)


_ANY = re.compile(_BODY)
_DIGIT = re.compile(r"\d")


def numbers_in(text: str) -> Iterator[float]:
    """Give every number that a text may hold, read in every way; for what counts as recorded."""
    if _DIGIT.search(text) is None:
        return
    for match in _ANY.finditer(text):
        for value, _ in _readings(match.group(), about=False):
            yield value
    for digits in re.findall(r"\d+", text):
        yield float(digits[:300])
