"""What the documents of a lake say of how its dates are written: day first or month first.

Asked only where no value of a column decides. A statement counts if it speaks of dates and names one order;
it holds for the columns and files that it names, else for all files of its folder and below. Statements
that contradict each other settle nothing. Whatever is settled here is cited on the card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from lakebook.sources.curated import DayOrder
from lakebook.sources.reading import Passage

_DATES = re.compile(r"\b(dates?|dated|datum|fecha|timestamps?|time ?stamps?)\b", re.IGNORECASE)
_MARK = r"[/.\- ]"
_DAY_FIRST = re.compile(
    rf"\bd{{1,2}}{_MARK}m{{1,2}}{_MARK}y{{2,4}}\b|\bdd?mm?yyyy\b|\bday{_MARK}month{_MARK}year\b"
    r"|\bday[- ](?:comes )?first\b|\bday,? (?:then|before) (?:the )?month\b",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\bm{{1,2}}{_MARK}d{{1,2}}{_MARK}y{{2,4}}\b|\bmm?dd?yyyy\b|\bmonth{_MARK}day{_MARK}year\b"
    r"|\bmonth[- ](?:comes )?first\b|\bmonth,? (?:then|before) (?:the )?day\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(not|never|no longer|instead of|rather than|except)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*|])")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a document that says how dates are written.

    Attributes:
        path: the document. position: where the passage stands. quote: the sentence.
    """

    order: DayOrder
    path: str
    position: str
    quote: str

    @property
    def citation(self) -> str:
        """Say where it stands."""
        return f"{self.path}, {self.position}: {self.quote!r}"


def statements(documents: Iterable[tuple[str, Iterable[Passage]]]) -> tuple[Statement, ...]:
    """Find what documents, given as path and passages, say of the order of day and month.

    A sentence that names both orders, or negates one, is left aside: what it means is not certain.
    """
    return tuple(
        Statement(order, path, passage.position, sentence)
        for path, passages in documents
        for passage in passages
        for sentence in map(_plain, _SENTENCE.split(passage.text))
        if (order := _order(sentence, f"{passage.heading} {passage.text}"))
    )


def settle(path: str, column: str, found: Sequence[Statement]) -> Statement | None:
    """Return the statement that settles a column's dates; None if none does or they contradict.

    Statements about this column win over those about this file, and these over those about the folder;
    a statement that names another file of the lake's folder says nothing of this one.
    """
    file = PurePosixPath(path)
    near = [one for one in found if _stands_above(one.path, file)]
    by_column = [one for one in near if _names(one.quote, column)]
    by_file = [one for one in near if _names(one.quote, file.stem) or _names(one.quote, file.name)]
    general = [one for one in near if not _names_a_file(one.quote)]
    for candidates in ([one for one in by_column if one in by_file], by_column, by_file, general):
        if candidates:
            return candidates[0] if len({one.order for one in candidates}) == 1 else None
    return None


def _order(sentence: str, passage: str) -> DayOrder | None:
    day, month = bool(_DAY_FIRST.search(sentence)), bool(_MONTH_FIRST.search(sentence))
    if day == month or _NOT.search(sentence) or not _DATES.search(passage):
        return None
    return "day" if day else "month"


def _plain(sentence: str) -> str:
    return " ".join(sentence.split())[:300]


def _stands_above(document: str, file: PurePosixPath) -> bool:
    folder = PurePosixPath(document).parent
    return folder == PurePosixPath() or folder in file.parents


def _names(quote: str, name: str) -> bool:
    return len(name) > 1 and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", quote, re.IGNORECASE))


def _names_a_file(quote: str) -> bool:
    return bool(re.search(r"\w\.(?:csv|tsv|txt|xlsx?|json|parquet)\b", quote, re.IGNORECASE))
