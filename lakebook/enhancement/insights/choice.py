"""Which insights of a component's figures are said: every kind is asked, the strongest few are kept.

What belongs here: the order of the kinds, the ranking, the limits. What does not: what a kind says (the
modules
beside this) and what to be careful of (`cautions`). A sentence that only describes is said for want of a
better
one. Paper: NotebookRAG §4.2.4; notes on plays, §6.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.analyst.play import InsightDraft
from lakebook.analyst.table import Table
from lakebook.enhancement.cautions import caution_drafts
from lakebook.enhancement.drawn import drawn_name
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.insights import levels, over_time, together
from lakebook.enhancement.insights.place import Kind, Place, Said, Shown

MOST_INSIGHTS, MOST_AN_AXES = 3, 2
_MOST_SERIES = 4

KINDS: dict[str, Kind] = {
    "trend": over_time.trend,
    "season": over_time.season,
    "shift": over_time.shift,
    "unusual": over_time.unusual,
    "gap": over_time.gap,
    "lines apart": together.lines_apart,
    "difference": levels.difference,
    "concentration": levels.concentration,
    "apart": levels.apart,
    "extremes": levels.extremes,
    "share": levels.share,
    "relation": together.relation,
    "correlations": together.correlations,
    "shape": together.shape,
    "line ends": together.line_ends,
    "course": over_time.course,
}


def shown_name(function: str) -> str:
    """Return the name to which a component's cell binds the facts of what it drew."""
    return "shown_" + function.removeprefix("component_")


def facts_call(function: str, table: Table) -> str:
    """Return the line of code that computes the facts of a component's figures and binds them."""
    structure = table.structure
    units = [structure.coarse_key] if structure.coarse_key else list(structure.entities)
    return f"{shown_name(function)} = shown_facts({drawn_name(function)}, df, {units!r})"


def component_drafts(
    enhanced: EnhancedComponent, table: Table, facts: Sequence[Shown] = ()
) -> tuple[InsightDraft, ...]:
    """Return at most three sentences on what the component's figures show, and what to be careful of.

    Nothing is said where nothing is sure.

    Args:
        enhanced: the component; its cell binds `drawn_…` and `shown_…` (see `drawn_name`, `shown_name`).
        table: the table that it ran on.
        facts: what `shown_facts` gave for its figures; without them only what is plain to see is said.
    """
    if enhanced.status != "ok":
        return ()
    drawn = [axes for axes in enhanced.drawn if axes.series]
    found: list[tuple[float, int, InsightDraft]] = []
    for at in range(len(enhanced.drawn)):
        for place, said in _of_axes(enhanced, table, facts, at):
            draft = place.titled(said.draft) if len(drawn) > 1 else said.draft
            if draft is not None:
                found.append((-said.strength, len(found), draft))
    best = sorted(found)[:MOST_INSIGHTS]
    in_order = [draft for _, _, draft in sorted(best, key=lambda one: one[1])]
    return (*in_order, *caution_drafts(enhanced, table))


def _of_axes(
    enhanced: EnhancedComponent, table: Table, facts: Sequence[Shown], at: int
) -> list[tuple[Place, Said]]:
    """Return the strongest sentences on one axes, at most one of a kind."""
    axes = enhanced.drawn[at]
    names = drawn_name(enhanced.function), shown_name(enhanced.function)
    places = [
        Place(*names, at, number, axes, facts[at] if at < len(facts) else {}, table)
        for number in range(min(len(axes.series), _MOST_SERIES))
    ]
    said: list[tuple[Place, Said]] = []
    for kind in KINDS.values():
        of_kind = [(place, one) for place in places if (one := kind(place)) is not None]
        if of_kind:
            said.append(max(of_kind, key=lambda pair: pair[1].strength))
    better = [pair for pair in said if not pair[1].fallback] or said[:1]
    return sorted(better, key=lambda pair: -pair[1].strength)[:MOST_AN_AXES]
