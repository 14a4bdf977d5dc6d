"""What the user wants to know: the sentence of intent, read into a kind, a target and columns.

Only the type lives here; `read_intent` is in `intent_reader`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

IntentKind = Literal["forecast", "classify", "regress", "compare", "describe", "anomaly", "segment"]


@dataclass(frozen=True, slots=True)
class Intent:
    """The intent as understood.

    Attributes:
        text: as given. `kind`: the main purpose; `others`: further purposes found in the sentence.
        target: the column that is to be forecast, explained or compared, "" if none could be named.
        columns: columns that the words of the sentence name, in order of mention.
        words: how each was read ("forecast" -> forecast, "prices" -> average_price), for the reader.
        assumptions: what was assumed where the sentence leaves it open.
    """

    text: str
    kind: IntentKind
    others: tuple[IntentKind, ...] = ()
    target: str = ""
    columns: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
