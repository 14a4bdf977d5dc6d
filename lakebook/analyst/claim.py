"""Claims and insights: every number that reaches a reader, with the code that computes it (design rule 3).

A claim's expression is plain Python over names that the notebook's own cells define. `verify` evaluates
it anew and compares at the *printed* precision: two values agree if they print the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lakebook.sandbox.base import Json

ClaimKind = Literal["number", "direction", "comparison", "rank", "absence", "label"]
InsightVerdict = Literal["verified", "corrected", "withheld"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One number, name or direction word in a sentence.

    Attributes:
        id: unique in the notebook, "c001" …
        name: the placeholder in the insight's template, `{name}`.
        expression: recomputes `value` in the notebook's namespace after the section's code ran.
        value: what the expression gave when the insight was made.
        format: a Python format spec (",.2f", ".1%", ",d") for numbers; "" prints text as it is. For a
            `direction` or `absence` claim the expression is a predicate that must be True, and `shown`
            is the word that it allows.
        shown: what the reader sees.
        record: id of the execution record whose result holds the value.
        columns, rows: what it was computed from.
    """

    id: str
    name: str
    kind: ClaimKind
    expression: str
    value: Json
    shown: str
    format: str = ""
    record: str = ""
    columns: tuple[str, ...] = ()
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Original:
    """What somebody said before code checked it, and what came of that.

    Attributes:
        text: the sentence as it was. `by`: who said it: an old notebook with its cell, or a model.
        verdict, reason: of the refinement; the reason names what was wrong, or what cannot be checked.
    """

    text: str
    by: str
    verdict: InsightVerdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Insight:
    """A sentence or two for the reader, and the claims that carry it.

    Attributes:
        template: text with `{name}` placeholders; `text`: with every claim's `shown` put in.
        verdict: `verified` (all claims hold), `corrected` (a number was replaced by the recomputed one),
            `withheld` (not published; `reason` says why).
        caution: True if it limits or qualifies, and is shown as a caution beside the finding.
        original: the sentence of somebody else that this is after refinement, None for one of our own.
    """

    id: str
    step: str
    template: str
    text: str
    claims: tuple[Claim, ...]
    verdict: InsightVerdict
    reason: str = ""
    caution: bool = False
    original: Original | None = None
