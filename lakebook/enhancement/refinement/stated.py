"""What a text states: sentences, their clauses, and in each the numbers, names and checkable words, in order.

What belongs here: reading, without any knowledge of what is true. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lakebook.enhancement.refinement import vocabulary as words

_END = re.compile(r"(?<=[.!?])[\"”')\]]*\s+(?=[A-Z0-9“\"'*_-])|\n+\s*(?:[-*•]|\d+[.)])\s+|\n\s*\n")
_HEADED = re.compile(
    r"^(?:conclusion|insight|observation|note|finding|result|answer|inference|interpretation)s?\s*\d*\s*[:–-]+\s*",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|approx|no|st|u\.s|dr|mr)\.$", re.IGNORECASE)
_CLAUSE = re.compile(
    r";\s+|,?\s+(?=(?:while|whereas|but)\s)"
    r"|,\s+and\s+(?=(?:the\s+)?\w+[^,;]*\s(?:is|are|has|was|were)\s)"
    # What is made of a statement comes behind it, and the statement stands without.
    r"|,\s+(?=(?:suggesting|indicating|implying|meaning|making|reflecting|highlighting|which)\s)"
)
_NUMBER = re.compile(
    r"""
    (?P<sign>(?<![\w.])[-−+])? (?:(?P<currency>[$€£])\s?)? (?<![\w.])
    (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?) (?:[eE](?P<power>[+-]?\d{1,2})(?!\w))?
    (?:\s?(?P<scale>k|K|M|B|thousand|million|billion|bn|mn)\b)?
    \s?(?P<unit>%|percent\b|per\ cent\b|percentage\ points\b|x\b|times\b)?
    """,
    re.VERBOSE,
)
_HEDGE = re.compile(rf"({'|'.join(sorted(words.HEDGES, key=len, reverse=True))})\.?\s*$", re.IGNORECASE)
_UNITS = {"%": "%", "percent": "%", "per cent": "%", "x": "x", "times": "x"}
_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
}
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
Kind = Literal["number", "name", "word", "silent", "unknown"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of a clause: where it stands, what it is.

    Attributes:
        text: as written. `kind`: number, name (of something in the figure), word (one that can be checked),
        silent
            (says nothing by itself) or unknown.
        value: of a number, in plain units (percent as a share). `unit`: "%", "x" or "". `decimals`: as
        printed.
        scale: 1000 for k. `hedge`: about, nearly, over, under or "".
        start, end: in the clause; the hedge is part of a number.
    """

    text: str
    kind: Kind
    start: int
    end: int
    value: float = 0.0
    unit: str = ""
    decimals: int = 0
    scale: float = 1.0
    hedge: str = ""
    currency: str = ""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without Markdown's marks."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|`([^`]*)`|<[^>]+>", lambda m: m[1] or m[2] or "", text)
    plain = re.sub(r"(?m)^\s{0,3}(#{1,6}.*|>+|[-*+]\s+|\d+[.)]\s+)", "", plain)
    plain = re.sub(r"(\*\*|__|\*|(?<!\w)_|_(?!\w))", "", plain)
    parts: list[str] = []
    for piece in _END.split(plain):
        piece = _HEADED.sub("", " ".join(piece.split()))
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += f" {piece}"
        elif piece:
            parts.append(piece)
    return parts


def clauses(sentence: str) -> list[tuple[str, str]]:
    """Cut a sentence where one statement ends and the next begins: (clause, what joined it to the last)."""
    found, start, joint = [], 0, ""
    for match in _CLAUSE.finditer(sentence):
        found.append((sentence[start : match.start()], joint))
        joint, start = match.group(0), match.end()
    return [*found, (sentence[start:], joint)]


def marks_of(clause: str, names: Iterable[str], vocabulary: frozenset[str]) -> list[Mark]:
    """Return the pieces of a clause in order, every word in one of them.

    Args:
        clause: the text.
        names: names in the figure, which are found as they are, whatever their case; longest first wins.
        vocabulary: stems of words that the figure itself uses for what it shows.
    """
    taken: list[Mark] = []

    def free(start: int, end: int) -> bool:
        return all(end <= mark.start or start >= mark.end for mark in taken)

    for name in sorted({name for name in names if name.strip()}, key=lambda name: (-len(name), name)):
        for match in re.finditer(
            rf"(?<![\w.]){re.escape(name)}(?!\w|[.,]\d)(?:['’]s)?", clause, re.IGNORECASE
        ):
            plain = name.casefold() in words.SILENT | words.CHECKED or len(name) == 1
            if free(*match.span()) and (not plain or match.group(0)[: len(name)] == name):
                taken.append(Mark(name, "name", *match.span()))
    for match in _NUMBER.finditer(clause):
        start, end = match.start(), match.start() + len(match.group(0).rstrip())
        if free(start, end):
            taken.append(_number(clause, match, start, end))
    for match in _WORD.finditer(clause):
        if free(*match.span()):
            taken.append(_word(match, vocabulary))
    return sorted(taken, key=lambda mark: mark.start)


def _number(clause: str, match: re.Match[str], start: int, end: int) -> Mark:
    digits = match["digits"].replace(",", "")
    scale = _SCALES[match["scale"].casefold()] if match["scale"] else 1.0
    unit = _UNITS.get(match["unit"] or "", match["unit"] or "")
    power = int(match["power"] or 0)
    value = float(digits) * 10.0**power * scale * (0.01 if unit == "%" else 1.0)
    if match["sign"] and match["sign"] in "-−":
        value = -value
    hedge = ""
    if before := _HEDGE.search(clause[:start]):
        hedge, start = words.HEDGES[before[1].casefold()], before.start()
    decimals = len(digits.partition(".")[2]) - power
    return Mark(
        clause[start:end], "number", start, end, value, unit, decimals, scale, hedge, match["currency"] or ""
    )


def _word(match: re.Match[str], vocabulary: frozenset[str]) -> Mark:
    word = match.group(0).casefold()
    if word in words.CHECKED or word in words.FRACTIONS or word in words.FACTORS or word in ("majority",):
        kind: Kind = "word"
    elif word in words.COUNTS:
        return Mark(match.group(0), "number", *match.span(), value=float(words.COUNTS[word]), hedge="word")
    elif all(part in words.SILENT or words.stem(part) in vocabulary for part in word.split("-")):
        kind = "silent"
    else:
        kind = "unknown"
    return Mark(match.group(0), kind, *match.span())
