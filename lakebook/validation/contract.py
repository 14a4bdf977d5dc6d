"""The answer contract: what an answer was declared to be, before anybody knew it (RADAR §3.2).

What belongs here: the declaration. Whether an answer keeps it is for the rules (`rules.answer`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

AnswerType = Literal["number", "integer", "text", "boolean", "date", "list", "table", "file"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that an answer must come with.

    Attributes:
        path: relative to the workspace. `columns`: those it must have, in this order; () asks for none.
        sorted_by: columns by which its rows must be ordered, "-name" for descending.
        rows: how many it must have; None asks for at least one.
    """

    path: str
    columns: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Contract:
    """What an answer must be.

    Attributes:
        type: of the value; None leaves it open. `decimals`: digits after the point that it is rounded to.
        unit: what a number is counted in ("%", "USD", "km"), "" if it has none or nothing is asked.
        length: entries of a list, or rows of a table. `choices`: the only values that it may have.
        pattern: regular expression that its text must match whole.
    """

    type: AnswerType | None = None
    decimals: int | None = None
    unit: str = ""
    length: int | None = None
    choices: Sequence[str] = ()
    pattern: str = ""
    artifacts: tuple[Artifact, ...] = ()
