"""What a question needs: the plays that must be tried for its target and for each column that it names.

What belongs here: the needs of each kind of intent, and how to tell that a play on some columns meets one.
What does not: scores, and what else is worth a section (`planner`). Paper: NotebookRAG §4.3.1; notes on
plays, §4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.table import Table

Plays = tuple[str, ...]

# The plays that an intent cannot do without, in the order in which they answer it.
CORE: Mapping[IntentKind, Plays] = {
    "forecast": ("T01", "T02", "T04", "T05", "T06", "T08", "T07", "G07", "R05"),
    "classify": ("R06", "U02", "R07", "R01", "G08", "S13", "R04", "G10"),
    "regress": ("R06", "U01", "R01", "G01", "G10", "R05", "R04", "U04", "G06"),
    "compare": ("G02", "T09", "G03", "G01", "G10", "G04", "G06", "G09", "U03"),
    "describe": ("U02", "S11", "G02", "T01", "U01", "T09", "U03", "G09", "R01", "G08"),
    "anomaly": ("S08", "S14", "T06", "U04", "G03", "T05"),
    "segment": ("U03", "G01", "U01", "R04", "G02"),
}
# What is tried for the target; of several plays in one need, the first that applies.
_FOR_TARGET: Mapping[IntentKind, tuple[Plays, ...]] = {
    "forecast": (("T01",), ("T02",), ("T04",), ("T05",), ("T06",), ("T08",), ("T07",)),
    "classify": (("R06",), ("R07",), ("R01",)),
    "regress": (("R01",), ("R06", "U01"), ("G10",), ("R07",)),
    "compare": (("U01",),),
    "describe": (("U01", "U02", "R06"),),
    "anomaly": (("T06",), ("U04",)),
    "segment": (("U01",), ("U03",)),
}
# A second purpose ("…, and why?") asks for less than a question of its own would.
_FOR_SECOND: Mapping[IntentKind, tuple[Plays, ...]] = {
    "forecast": (("T01",), ("T02",)),
    "regress": (("G10",), ("R01",), ("G06",)),
    "classify": (("R07",),),
    "anomaly": (("T06", "U04"),),
}
# What is tried for each dimension that the sentence names, beside the target.
_FOR_DIMENSION: Mapping[IntentKind, tuple[Plays, ...]] = {
    "compare": (("G02", "G01", "U02", "S11", "G09"), ("G03", "G01", "G04")),
    "describe": (("U02", "S11", "G02", "G01", "U03", "G08"),),
}
_BY_DIMENSION: tuple[Plays, ...] = (("G01", "G02", "G03", "G08", "U02", "S11", "G06"),)
_OVER_TIME: tuple[Plays, ...] = (("T01", "T09"),)
_OF_SEASON: tuple[Plays, ...] = (("T02",),)
_TIME_WORDS = re.compile(
    r"\bwhen\b|over (?:the )?(?:time|years)|through (?:the )?(?:time|years)|\btrends?\b|"
    r"\bevol\w+|\bseason\w*|\bdevelop(?:ed|s|ment)\b|\bchang\w+"
)
_SEASON_WORDS = re.compile(r"\bwhen\b|\bseason\w*|\bmonths?\b|\bweekdays?\b|\bdays? of the\b|\bhours?\b")
_OF_GROUPS = ("G", "U02", "U03", "S11")


# A cause is looked for where the question has not looked: in one group more than it names.
_FURTHER: Plays = ("G02", "G01")
_COMPARISONS: Plays = ("G01", "G02", "G03", "G04")


@dataclass(frozen=True, slots=True)
class Need:
    """Something that the question asks for: any of these plays, on all of `columns` and none of `without`."""

    plays: Plays
    columns: frozenset[str]
    without: frozenset[str] = frozenset()

    def met_by(self, play: str, columns: Sequence[str]) -> bool:
        """Tell whether a play on these columns meets the need."""
        own = set(columns)
        return play in self.plays and self.columns <= own and not self.without & own


def needs(intent: Intent, table: Table) -> Iterator[Need]:
    """List what the question asks for: of the target, of each dimension named, and over time."""
    target = {intent.target} - {""}
    dimensions = named_dimensions(intent, table)
    if target:
        for plays in _FOR_TARGET[intent.kind]:
            yield Need(plays, frozenset(target))
    for name in dimensions:
        for plays in _FOR_DIMENSION.get(intent.kind, _BY_DIMENSION):
            yield Need(plays, frozenset({name} | target))
    if asks_when(intent):
        for plays in _over_time(intent):
            yield Need(plays, frozenset(target))
    if intent.kind == "compare" and "regress" in intent.others and dimensions:
        yield Need(_FURTHER, frozenset(target), frozenset(dimensions))
    for other in intent.others:
        for plays in _FOR_SECOND.get(other, ()):
            yield Need(plays, frozenset(target))


def named_dimensions(intent: Intent, table: Table) -> tuple[str, ...]:
    """Return the categories that the sentence names, in its order."""
    groups = {c.name for c in table.having("dim", "geo", "boolean", "list", "dim_high", "code")}
    return tuple(name for name in intent.columns if name in groups and name != intent.target)


def asks_when(intent: Intent) -> bool:
    """Tell whether the sentence asks for the course of something over time."""
    return intent.kind == "forecast" or bool(_TIME_WORDS.search(intent.text.casefold()))


def _over_time(intent: Intent) -> tuple[Plays, ...]:
    return _OVER_TIME + (_OF_SEASON if _SEASON_WORDS.search(intent.text.casefold()) else ())


def directness(play: str, columns: Sequence[str], intent: Intent) -> int:
    """Say how directly a play answers: 2 by a group that is named, 1 by what else is asked for, 0 not."""
    if not asked_for(play, columns, intent):
        further = play in _FURTHER and "regress" in intent.others and intent.target in columns
        return int(further)
    return 2 if play in _COMPARISONS and set(columns) & (set(intent.columns) - {intent.target}) else 1


def asked_for(play: str, columns: Sequence[str], intent: Intent) -> bool:
    """Tell whether the question asks for this even if the answer is no.

    A comparison is asked for if its group is named, anything else if it is a core play on the target. A
    question without a target asks for all that describes the table.
    """
    own, named = set(columns), set(intent.columns)
    plays = {play for plays in _FOR_TARGET[intent.kind] for play in plays}
    plays |= set() if intent.target else set(CORE[intent.kind][:4])
    plays |= {play for other in intent.others for need in _FOR_SECOND.get(other, ()) for play in need}
    plays |= {play for need in _over_time(intent) for play in need} if asks_when(intent) else set()
    if play.startswith(_OF_GROUPS) and intent.target:
        in_question = play in plays | set(_BY_DIMENSION[0])
        return in_question and bool(own & (named - {intent.target})) and intent.target in (own | {""})
    if play not in plays:
        return False
    return intent.target in own or not intent.target


def place_of(play: str, columns: Sequence[str], intent: Intent) -> tuple[str, ...]:
    """Return the part of the question that a play on these columns answers: one answer to each is enough.

    Of a group there are two: what it adds up to, and what is typical of it.
    """
    if play.startswith(_OF_GROUPS):
        what = "whole" if play in ("G02", "U02", "U03", "S11") else "within" if play == "G06" else "typical"
        return (what, *sorted(set(columns) & (set(intent.columns) - {intent.target})))
    return {"T04": ("trend",), "T05": ("trend",), "T09": ("T01",)}.get(play, (play,))
