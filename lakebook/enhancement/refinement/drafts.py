"""Drafts of what others said of a component's figures: the old notebook beside the cell, or a model.

What belongs here: which sentences are kept, and under which verdict. What does not: the refinement itself.
Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakebook.analyst.claim import Original
from lakebook.analyst.play import InsightDraft
from lakebook.enhancement.drawn import drawn_name
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.insights.choice import shown_name
from lakebook.enhancement.insights.place import Shown
from lakebook.enhancement.refinement import vocabulary as words
from lakebook.enhancement.refinement.refine import Refined, refine
from lakebook.enhancement.refinement.scene import Scene, scene_of

MOST_SAID, MOST_WITHHELD = 4, 2


def scenes_of(enhanced: EnhancedComponent, facts: Sequence[Shown], also: Sequence[str]) -> list[Scene]:
    """Return what each axes of a component can compute; `also` are further names of what they show."""
    drawn, shown = drawn_name(enhanced.function), shown_name(enhanced.function)
    return [
        scene_of(
            axes,
            f"{drawn}[{at}]",
            f"{shown}[{at}]",
            facts[at] if at < len(facts) else {},
            (*enhanced.columns, *also),
        )
        for at, axes in enumerate(enhanced.drawn)
        if axes.series
    ]


def said_drafts(
    enhanced: EnhancedComponent,
    facts: Sequence[Shown],
    texts: Sequence[tuple[str, str]],
    also: Sequence[str] = (),
) -> tuple[InsightDraft, ...]:
    """Return drafts of what others said of a component's figures, what stands first, what is withheld last.

    Args:
        enhanced: the component, which ran.
        facts: what `shown_facts` gave for its figures.
        texts: (what was said, by whom).
        also: further names for what the figures show, such as the old columns.
    """
    scenes = scenes_of(enhanced, facts, also)
    stand: list[InsightDraft] = []
    withheld: list[InsightDraft] = []
    for text, by in texts:
        for refined in refine(text, scenes):
            original = Original(refined.original, by, refined.verdict, refined.reason)
            if refined.verdict != "withheld":
                stand.append(InsightDraft(refined.template, refined.claims, original=original))
            elif _states(refined, scenes):
                withheld.append(InsightDraft("", (), original=original))
    return (*stand[:MOST_SAID], *withheld[:MOST_WITHHELD])


def _states(refined: Refined, scenes: Sequence[Scene]) -> bool:
    """Tell whether a sentence states something of the figure: talk about the work is no loss."""
    found = {word.casefold() for word in re.findall(r"[^\W\d_]+", refined.original)}
    stems = {words.stem(word) for word in found}
    names = {name.casefold() for scene in scenes for name in scene.names}
    about = any(stems & scene.vocabulary for scene in scenes) or bool(found & names)
    return about and bool(re.search(r"\d", refined.original) or found & words.CHECKED)
