"""Whether a notebook still tells the truth: its claims, recomputed and compared at printed precision.

Two values agree if they print the same, so that a reader's number is what is checked, not its seventeenth
digit (design rule 3, notes on claims). What does not belong here: running the cells (`execute`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode

from lakebook.analyst.claim import Claim
from lakebook.analyst.render import ClaimFails, render_claim
from lakebook.report.markup import escape_inline
from lakebook.sandbox.base import Evaluation, Json
from lakebook.storage import hash_file

# Sums differ in their last bits between machines; no printed number is that precise.
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class PublishedClaim:
    """A claim as it stands in a notebook.

    Attributes:
        text: the sentence that it stands in. `cell`: id of the Markdown cell.
        shown_in_cell: False if somebody changed the cell so that the claim's words are no longer in it.
    """

    claim: Claim
    text: str
    cell: str
    section: str = ""
    shown_in_cell: bool = True


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """One claim after it was recomputed.

    Attributes:
        claim: its id. `text`: the sentence. `stated`, `recomputed`: as printed.
        reason: why it does not hold, "" if it does.
    """

    claim: str
    text: str
    stated: str
    recomputed: str
    holds: bool
    reason: str = ""
    expression: str = ""


def published_claims(notebook: NotebookNode) -> tuple[PublishedClaim, ...]:
    """Return the claims that a notebook carries, in the order of its cells; none for a foreign notebook."""
    names = {field.name for field in fields(Claim)}
    found = []
    for cell in notebook.cells:
        own = cell.metadata.get("lakebook", {})
        for entry in own.get("claims", ()) if isinstance(own, dict) else ():
            known = {key: value for key, value in entry.items() if key in names}
            known |= {key: tuple(known[key]) for key in ("columns",) if key in known}
            known = {"name": "", "value": None, "shown": "", "kind": "number"} | known
            claim = Claim(**known)
            found.append(
                PublishedClaim(
                    claim,
                    text=str(entry.get("text", "")),
                    cell=cell.get("id", ""),
                    section=str(own.get("section", "")),
                    shown_in_cell=escape_inline(claim.shown).casefold() in cell.source.casefold(),
                )
            )
    return tuple(found)


def compare(claim: Claim, evaluation: Evaluation, text: str = "") -> ClaimCheck:
    """Compare what a claim states with what its expression gives now."""
    stated, recomputed, reason = claim.shown, "", ""
    if evaluation.error:
        reason = f"the expression failed: {evaluation.error}"
    elif claim.kind in ("direction", "absence") or isinstance(claim.value, bool):
        recomputed, reason = _compare_predicate(claim, evaluation.value)
    else:
        recomputed, reason = _compare_value(claim, evaluation.value)
    return ClaimCheck(claim.id, text, stated, recomputed, not reason, reason, claim.expression)


def _compare_predicate(claim: Claim, value: Json) -> tuple[str, str]:
    expected = (
        claim.value if isinstance(claim.value, bool) and claim.kind not in ("direction", "absence") else True
    )
    if value is expected:
        return claim.shown, ""
    return f"not {claim.shown!r}", f"the test for {claim.shown!r} gives {value!r}"


def _compare_value(claim: Claim, value: Json) -> tuple[str, str]:
    try:
        now = render_claim(value, claim.format)
    except ClaimFails as fault:
        return "" if value is None else repr(value), f"the value cannot be shown: {fault.message}"
    try:
        then = render_claim(claim.value, claim.format)
    except ClaimFails as fault:
        return now, f"the stated value cannot be shown: {fault.message}"
    if now != then and not _nearly_equal(value, claim.value):
        return now, f"{then} was stated, {now} was recomputed"
    if claim.format and not _holds_number(claim.shown, then):
        return now, f"the text shows {claim.shown}, the checked value is {then}"
    return claim.shown, ""


def _holds_number(shown: str, number: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", shown) is not None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _nearly_equal(one: Json, other: Json) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_nearly_equal(a, b) for a, b in zip(one, other, strict=True))
    if _is_number(one) and _is_number(other):
        return math.isclose(cast(float, one), cast(float, other), rel_tol=_SAME)
    return one == other


def check_claims(
    claims: Iterable[PublishedClaim], evaluations: Iterable[Evaluation]
) -> tuple[ClaimCheck, ...]:
    """Compare every published claim; one whose words were edited away does not hold either."""
    checks = []
    for published, evaluation in zip(claims, evaluations, strict=True):
        check = compare(published.claim, evaluation, published.text)
        if check.holds and not published.shown_in_cell:
            reason = f"the text of cell {published.cell} no longer says {published.claim.shown!r}"
            check = ClaimCheck(
                check.claim, check.text, check.stated, check.recomputed, False, reason, check.expression
            )
        checks.append(check)
    return tuple(checks)


def unreached(claims: Iterable[PublishedClaim], why: str) -> tuple[ClaimCheck, ...]:
    """Return a failed check for each claim that could not be recomputed."""
    return tuple(
        ClaimCheck(item.claim.id, item.text, item.claim.shown, "", False, why, item.claim.expression)
        for item in claims
    )


def changed_sources(notebook: NotebookNode, data_dir: Path) -> tuple[str, ...]:
    """Return the files that the notebook was made from and that are now different or gone."""
    own: dict[str, Any] = notebook.metadata.get("lakebook", {})
    changed = []
    for source in own.get("sources", ()):
        path, expected = data_dir / source.get("path", ""), source.get("sha256", "")
        if not path.is_file():
            changed.append(f"{source.get('path', '')} (not there)")
        elif expected and hash_file(path) != expected:
            changed.append(str(source.get("path", "")))
    return tuple(changed)
