"""The refiner: a text about a figure, sentence by sentence, verified, corrected or withheld.

Each sentence is cut into clauses; every number, name and direction word of each is bound to what the figure
computes. A wrong one is replaced; one that cannot be bound withholds its clause, and the sentence with it
unless
the rest stands by itself. The words around the facts must be the figure's own or say nothing by themselves,
so that
no cause, advice or foreign subject passes. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lakebook.analyst.claim import InsightVerdict
from lakebook.analyst.play import ClaimDraft
from lakebook.enhancement.refinement import vocabulary as words
from lakebook.enhancement.refinement.clause import Clause, Unbound
from lakebook.enhancement.refinement.rules import RULES
from lakebook.enhancement.refinement.scene import Scene
from lakebook.enhancement.refinement.stated import clauses, marks_of, sentences


@dataclass(frozen=True, slots=True)
class Refined:
    """One sentence after refinement: as it was, the verdict and why, and its template with claims."""

    original: str
    verdict: InsightVerdict
    reason: str = ""
    template: str = ""
    claims: tuple[ClaimDraft, ...] = ()


def refine(text: str, scenes: Sequence[Scene]) -> tuple[Refined, ...]:
    """Refine every sentence of a text about a figure with these axes."""
    return tuple(refine_sentence(sentence, scenes) for sentence in sentences(text))


def refine_sentence(sentence: str, scenes: Sequence[Scene]) -> Refined:
    """Refine one sentence: by the axes in which it holds, else by the only one that can correct it."""
    found = [_in_scene(sentence, scene) for scene in scenes]
    for wanted in ("verified", "corrected"):
        usable = [one for one in found if one.verdict == wanted]
        if wanted == "corrected" and len({one.template for one in usable}) > 1:
            return Refined(sentence, "withheld", "it could be about several of the axes drawn")
        if usable:
            return usable[0]
    return (
        found[0]
        if len(found) == 1
        else Refined(sentence, "withheld", found[0].reason if found else "no figure was read")
    )


def _in_scene(sentence: str, scene: Scene) -> Refined:
    if re.search(r"[{}]", sentence):
        return Refined(sentence, "withheld", "it has braces")
    if sentence.rstrip().endswith("?"):
        return Refined(sentence, "withheld", "it asks")
    kept: list[str] = []
    claims: list[ClaimDraft] = []
    changed: list[str] = []
    left_out = ""
    for text, joint in clauses(sentence):
        try:
            template, made, wrong = bind(text, scene, len(claims))
        except Unbound as reason:
            if not kept:
                return Refined(sentence, "withheld", str(reason))
            left_out = left_out or str(reason)
            continue
        if left_out:
            return Refined(sentence, "withheld", left_out)
        kept.append(joint + template)
        claims += made
        changed += wrong
    template = "".join(kept).rstrip()
    if left_out:
        template = re.sub(r"[\s,;:]+$", "", template)
        template += "" if template.endswith((".", "!")) else "."
        changed.append(f"a part was left out: {left_out}")
    verdict: InsightVerdict = "corrected" if changed else "verified"
    return Refined(sentence, verdict, "; ".join(dict.fromkeys(changed)), template, tuple(claims))


def bind(text: str, scene: Scene, claims_before: int = 0) -> tuple[str, list[ClaimDraft], list[str]]:
    """Bind one clause; returns its template, its claims, and what was changed.

    Raises:
        Unbound: something in it cannot be computed from the figure.
    """
    marks = marks_of(text, scene.names, scene.vocabulary)
    for mark in marks:
        if mark.text.casefold() in words.DENIALS or mark.text.casefold().endswith(("n't", "n’t")):
            raise Unbound("it denies something")
    for mark in marks:
        if mark.kind == "unknown":
            raise Unbound(f"“{mark.text}” is nothing that the figure shows")
    clause = Clause(text, marks, scene, claims_before)
    for rule in RULES:
        if rule(clause):
            return clause.finished()
    raise Unbound("it states nothing that the figure can compute")
