"""From drafts to sentences: computed values are put into templates, and what does not hold is withheld.

What belongs here: the printing of claims and nothing else; it is the only door through which a number enters
a text (design rule 3). Paper: NotebookRAG §4.2.4 (insights that code verifies).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.play import ClaimDraft, InsightDraft
from lakebook.errors import AnalystError
from lakebook.sandbox.base import Json

_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")


class ClaimFails(AnalystError):
    """A claim cannot be shown: its value is missing, cannot be printed, or its predicate is false."""


def render_claim(value: Json, spec: str) -> str:
    """Print a value as the claim's format says.

    Raises:
        ClaimFails: if the value is missing, not finite, or of a kind that the format cannot print.
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        raise ClaimFails("the value is missing")
    if not spec:
        text = str(value).strip()
        if not text:
            raise ClaimFails("the value is empty")
        return text
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ClaimFails(f"{value!r} is not a number")
    number = value
    if spec.endswith("d"):
        if isinstance(value, float) and not value.is_integer():
            raise ClaimFails(f"{value!r} is not a whole number")
        number = int(value)
    shown = format(number, spec)
    # "-0.00" says that something is negative, which nobody can see.
    return shown.replace("-", "", 1) if shown.startswith("-") and not shown.strip("-0.,%") else shown


def shown_as(draft: ClaimDraft, value: Json) -> str:
    """Return what the reader sees of a claim.

    Raises:
        ClaimFails: if the claim does not hold or cannot be printed.
    """
    if draft.kind in ("direction", "absence"):
        if value is not True:
            raise ClaimFails(f"“{draft.shown or draft.name}” does not hold")
        return draft.shown
    return render_claim(value, draft.format)


def render_insight(
    draft: InsightDraft,
    values: Mapping[str, Json],
    *,
    first: int = 1,
    record: str = "",
    columns: tuple[str, ...] = (),
    rows: int = 0,
) -> tuple[str, tuple[Claim, ...]]:
    """Put the values into the template.

    Args:
        draft: the sentence with its claims.
        values: what the expressions of the claims gave, by name.
        first: number of the first claim; the next ones count on ("c001", "c002").
        record: id of the execution record.
        columns: what was computed on.
        rows: how many rows that are.

    Raises:
        ClaimFails: if any claim does not hold, or the template has a place that no claim fills.
    """
    claims = []
    for place, claim in enumerate(draft.claims):
        if claim.name not in values:
            raise ClaimFails(f"the claim {claim.name!r} was not computed")
        value = values[claim.name]
        claims.append(
            Claim(
                id=f"c{first + place:03d}",
                name=claim.name,
                kind=claim.kind,
                expression=claim.expression,
                value=value,
                shown=shown_as(claim, value),
                format=claim.format,
                record=record,
                columns=columns,
                rows=rows,
            )
        )
    shown = {claim.name: claim.shown for claim in claims}
    unfilled = [name for name in _PLACE.findall(draft.template) if name not in shown]
    if unfilled:
        raise ClaimFails(f"no claim fills {unfilled[0]!r}")
    text = _PLACE.sub(lambda match: shown[match.group(1)], draft.template)
    # A sentence may open with a column's name, which keeps its case; a word of ours gets a capital.
    opening = _PLACE.match(draft.template)
    own_word = (
        bool(opening)
        and claims
        and draft.template.startswith(
            tuple(f"{{{claim.name}}}" for claim in claims if claim.kind in ("direction", "absence"))
        )
    )
    return (text[:1].upper() + text[1:] if own_word else text), tuple(claims)


def insight_from_draft(
    draft: InsightDraft,
    values: Mapping[str, Json],
    *,
    id: str,  # noqa: A002  the field's name
    step: str,
    first: int = 1,
    record: str = "",
    columns: tuple[str, ...] = (),
    rows: int = 0,
) -> Insight:
    """Make an insight of a draft: verified with its claims, or withheld with the reason and no text.

    What somebody else said keeps the verdict of its refinement, if its claims hold.
    """
    said = draft.original
    if said is not None and said.verdict == "withheld":
        return Insight(id, step, "", "", (), "withheld", said.reason, original=said)
    try:
        text, claims = render_insight(draft, values, first=first, record=record, columns=columns, rows=rows)
    except ClaimFails as fault:
        return Insight(id, step, draft.template, "", (), "withheld", fault.message, draft.caution, said)
    verdict, reason = (said.verdict, said.reason) if said is not None else ("verified", "")
    return Insight(id, step, draft.template, text, claims, verdict, reason, draft.caution, said)
