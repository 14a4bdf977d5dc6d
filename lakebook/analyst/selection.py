"""What is published: error control over all tests, the final score, and the sections that stay.

What belongs here: choosing among computed findings. Nothing is computed on data here. Paper: NotebookRAG
§4.3; notes on plays, §4 and §6.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from scipy.stats import false_discovery_control

from lakebook.analyst.claim import Insight
from lakebook.analyst.coverage import asked_for, directness, place_of
from lakebook.analyst.intent import Intent
from lakebook.analyst.plan import Finding, Findings
from lakebook.analyst.play import FindingDraft, FindingVerdict

LEVEL = 0.05
FEWEST, MOST = 8, 13
OPENING = ("S01", "S02")


@dataclass(frozen=True, slots=True)
class Computed:
    """A finding with the draft that it was made from: the draft knows the tests and the sizes of effects."""

    finding: Finding
    draft: FindingDraft


def adjusted(tests: Sequence[float]) -> list[float]:
    """Adjust p-values for all tests of the notebook (Benjamini and Yekutieli: any dependence is allowed)."""
    if not tests:
        return []
    bounded = np.clip(np.nan_to_num(np.asarray(tests, dtype=float), nan=1.0), 0.0, 1.0)
    return [float(p) for p in false_discovery_control(bounded, method="by")]


def select(
    computed: Sequence[Computed], intent: Intent, relevance: Mapping[str, float] | None = None
) -> Findings:
    """Decide verdicts under error control, score, and keep 8 to 12 sections; the order stays as planned.

    Args:
        computed: every step that was computed, in the order of the plan.
        intent: what was asked; a negative finding is published only if the question asked for it.
        relevance: the plan's score of each step by its id, 0.5 where it is not given.
    """
    flat = [test.p for item in computed for test in item.draft.tests]
    passed = adjusted(flat)
    judged: list[Finding] = []
    place = 0
    kept_tests: dict[str, int] = {}
    for item in computed:
        own = passed[place : place + len(item.draft.tests)]
        place += len(item.draft.tests)
        verdict = _verdict(item.draft, own)
        if verdict == "not_supported" and item.draft.verdict == "supported" and _asked(item.finding, intent):
            # Its title says yes: as an answer to what was asked it is a hint, and never a "no".
            verdict = "suggestive"
        kept_tests[item.finding.step] = sum(p < LEVEL for p in own)
        weight = (relevance or {}).get(item.finding.step, 0.5)
        score = _score(item.draft, own, weight, verdict)
        if verdict == "not_supported" and _asked(item.finding, intent):
            # That something is not so can be the answer, and is then worth a section of its own.
            score = round(0.15 * weight, 6)
        title = item.finding.title
        said = led_by_title(title, item.finding.columns, item.finding.insights)
        if verdict == "suggestive" and item.draft.verdict == "supported":
            said = (*said, _hint(item.finding.step))
            title = perhaps(title)
        answers = directness(item.finding.play, item.finding.columns, intent)
        judged.append(
            replace(
                item.finding,
                title=title,
                verdict=verdict,
                score=score,
                tests=len(own),
                insights=said,
                answers=answers,
            )
        )
    always = {item.finding.step for item in computed if item.draft.always or item.finding.play in OPENING}
    published = _publish(judged, always, intent)
    tests_kept = sum(kept_tests[f.step] for f in published if f.published)
    return Findings(tuple(published), tests_run=len(flat), tests_kept=tests_kept)


def _hint(step: str) -> Insight:
    text = "This holds alone, but not once all tests of this notebook are counted together: a hint, no proof."
    return Insight(f"{step}-hint", step, text, text, (), "verified", caution=True)


def perhaps(title: str) -> str:
    """Return the title as that of a hint."""
    return f"Perhaps: {title[:1].lower()}{title[1:]}" if title[1:2].islower() else f"Perhaps: {title}"


def led_by_title(title: str, columns: Sequence[str], insights: Sequence[Insight]) -> tuple[Insight, ...]:
    """Put the sentence first that speaks of what the title names, if another one stands before it.

    Told by the columns in the title and by the names that the sentences claim: a title that names Tables is
    not explained by a sentence on Copiers.
    """
    spoken = [i for i in insights if not i.caution and i.verdict != "withheld"]
    names = {_plain(claim.shown) for i in spoken for claim in i.claims if claim.kind == "label"}
    names = {name for name in names | {_plain(c) for c in columns} if name and _within(name, title)}
    told = [sum(_within(name, insight.text) for name in names) for insight in spoken]
    if not told or told[0] == max(told):
        return tuple(insights)
    first = spoken[told.index(max(told))]
    return (first, *(insight for insight in insights if insight is not first))


def _within(name: str, text: str) -> bool:
    return f" {name} " in f" {_plain(text)} "


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _verdict(draft: FindingDraft, adjusted_p: Sequence[float]) -> FindingVerdict:
    """A finding stands only if its effect passed its floor and one of its tests survives the control."""
    if draft.verdict != "supported" or not adjusted_p or min(adjusted_p) < LEVEL:
        return draft.verdict
    return "suggestive" if draft.effect >= 0.5 else "not_supported"


def _score(draft: FindingDraft, adjusted_p: Sequence[float], relevance: float, verdict: str) -> float:
    test = 1.0
    if adjusted_p:
        lowest = min(adjusted_p)
        test = 1.0 if lowest < 0.001 else 0.8 if lowest < 0.01 else 0.6 if lowest < LEVEL else 0.2
    effect = max(0.05, min(1.0, draft.effect))
    sure = {"supported": 1.0, "suggestive": 0.6}.get(verdict, 0.2)
    impact = 0.3 + 0.7 * max(0.0, min(1.0, draft.impact))
    return round(relevance * effect * min(test, draft.reliability) * impact * sure, 6)


def _publish(findings: Sequence[Finding], always: set[str], intent: Intent) -> list[Finding]:
    chosen: list[Finding] = []
    reasons: dict[str, str] = {}
    open_ones: list[Finding] = []
    for finding in findings:
        reason = _bar(finding, intent)
        if reason:
            reasons[finding.step] = reason
        elif finding.step in always:
            chosen.append(finding)
        else:
            open_ones.append(finding)
    # What the question asks for comes before what scores well, and a "no" only where there is no "yes".
    for finding in sorted(open_ones, key=lambda f: (f.verdict == "not_supported", -f.score, f.play, f.key)):
        if not _asked(finding, intent) or len(chosen) >= MOST:
            continue
        answered = {place_of(f.play, f.columns, intent) for f in chosen if _asked(f, intent)}
        place = place_of(finding.play, finding.columns, intent)
        if finding.verdict == "not_supported" and place in answered:
            reasons[finding.step] = "the data do not support it, and another section answers this"
        else:
            chosen.append(finding)
    open_ones = [f for f in open_ones if f not in chosen and f.step not in reasons]
    while open_ones and len(chosen) < MOST:
        best = max(open_ones, key=lambda f: (_worth(f, chosen), f.play, f.key))
        open_ones.remove(best)
        if _worth(best, chosen) < 0.03 and len(chosen) >= FEWEST:
            reasons[best.step] = "it adds little to the sections shown"
        else:
            chosen.append(best)
    steps = {finding.step for finding in chosen}
    out = []
    for finding in findings:
        shown = finding.step in steps
        reason = "" if shown else reasons.get(finding.step, "other sections say more for the question")
        out.append(replace(finding, published=shown, reason=reason))
    return out


def _bar(finding: Finding, intent: Intent) -> str:
    """Return why a finding may not be shown, "" if it may."""
    texts = [insight for insight in finding.insights if insight.verdict != "withheld"]
    if finding.verdict not in get_args(FindingVerdict) or finding.verdict == "not_applicable":
        return "it does not apply to this table"
    if not texts:
        return "nothing was found" if not finding.insights else "no sentence of it could be verified"
    if finding.verdict == "not_supported" and not _asked(finding, intent):
        return "the data do not support it"
    return ""


def _asked(finding: Finding, intent: Intent) -> bool:
    return asked_for(finding.play, finding.columns, intent)


def _worth(finding: Finding, chosen: Sequence[Finding]) -> float:
    overlap = max((_alike(finding, other) for other in chosen), default=0.0)
    return finding.score * (1 - overlap)


def _alike(one: Finding, other: Finding) -> float:
    own, theirs = set(one.columns), set(other.columns)
    common = len(own & theirs) / len(own | theirs) if own | theirs else 0.0
    same_play = one.play == other.play
    return 0.3 * common + 0.2 * (one.play[:1] == other.play[:1]) * common + 0.3 * same_play
