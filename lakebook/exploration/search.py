"""Search a lake for what a question needs: groups from three views, interleaved, with evidence (RADAR §2.2).

The views are ranked apart and taken in turn, so that a file whose name says nothing still surfaces by its
columns. A group is listed where its first member stands; its other members come with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lakebook.exploration.bm25 import tokens
from lakebook.exploration.evidence import Evidence, gather
from lakebook.exploration.views import VIEWS, Views, build_views
from lakebook.sources.card import SourceGroup, SourceMap

_EVIDENCE_GROUPS = 3
_EVIDENCE_MEMBERS = 3


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """A group (or a source alone) that may hold the answer.

    Attributes:
        members: all members. matched: those that the question hit, best first.
        score: 1 for the best of a view, falling; why: the words that matched, by view.
    """

    id: str
    members: tuple[str, ...]
    matched: tuple[str, ...]
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, the evidence for it, and what was left out."""

    groups: tuple[FoundGroup, ...]
    evidence: tuple[Evidence, ...]
    omitted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Hit:
    entry: int
    view: int
    score: float


def search_lake(
    source_map: SourceMap, root: Path, question: str, k: int = 10, *, state: Path | None = None
) -> SearchResult:
    """Return the groups of a lake that fit a question.

    Args:
        source_map: the cards of the lake.
        root: its folder.
        question: in plain words.
        k: how many groups at most.
        state: where loaded tables are kept; without it no rows are shown as evidence.
    """
    views = build_views(source_map, root)
    query = tokens(question)
    homes = _homes(source_map.groups)
    found = _collect(views, query, homes)
    groups = [_describe(views, query, group, hits, homes) for group, hits in found.items()]
    shown = groups[:k]
    entries = {entry.name: entry for entry in views.entries}
    evidence = [
        piece
        for group in shown[:_EVIDENCE_GROUPS]
        for name in group.matched[:_EVIDENCE_MEMBERS]
        for piece in gather(entries[name], root, state, query)
    ]
    return SearchResult(tuple(shown), tuple(evidence), _omitted(source_map, views, groups, k, query))


def _homes(groups: Sequence[SourceGroup]) -> dict[str, SourceGroup]:
    """Return for each member the group that it is listed under: patterns first, then sheets and tables."""
    order = {"pattern": 0, "workbook": 1, "database": 1, "compatible": 2}
    homes: dict[str, SourceGroup] = {}
    for group in sorted(groups, key=lambda group: order[group.kind]):
        for name in group.members:
            homes.setdefault(name, group)
    return homes


def _collect(views: Views, query: Sequence[str], homes: dict[str, SourceGroup]) -> dict[str, list[_Hit]]:
    """Interleave the views; in each round the view that is surest of its candidate goes first."""
    rankings = []
    for view, index in enumerate(views.indexes):
        ranked = index.rank(query)
        best = ranked[0][1] if ranked else 1.0
        rankings.append([_Hit(entry, view, score / best) for entry, score in ranked])
    found: dict[str, list[_Hit]] = {}
    for turn in range(max(map(len, rankings), default=0)):
        row = [ranking[turn] for ranking in rankings if turn < len(ranking)]
        for hit in sorted(row, key=lambda hit: -_coverage(views, query, hit)):
            name = views.entries[hit.entry].name
            home = homes.get(name) or homes.get(views.entries[hit.entry].card.path)
            found.setdefault(home.id if home else name, []).append(hit)
    return found


def _coverage(views: Views, query: Sequence[str], hit: _Hit) -> float:
    """Return how many of the question's words the view found in the source."""
    return len(views.indexes[hit.view].matched(hit.entry, query)) + 0.1 * hit.score


def _describe(
    views: Views, query: Sequence[str], group: str, hits: Sequence[_Hit], homes: dict[str, SourceGroup]
) -> FoundGroup:
    best = max(hits, key=lambda hit: hit.score)
    matched = tuple(dict.fromkeys(views.entries[hit.entry].name for hit in hits))
    home = homes.get(matched[0]) or homes.get(views.entries[hits[0].entry].card.path)
    reasons = []
    for view, name in enumerate(VIEWS):
        words = {
            word for hit in hits if hit.view == view for word in views.indexes[view].matched(hit.entry, query)
        }
        if words:
            reasons.append(f"{name}: {', '.join(sorted(words))}")
    members = home.members if home else matched
    return FoundGroup(group, members, matched, round(best.score, 4), "; ".join(reasons))


def _omitted(
    source_map: SourceMap, views: Views, groups: Sequence[FoundGroup], k: int, query: Sequence[str]
) -> tuple[str, ...]:
    omitted = list(views.unread)
    if not query:
        omitted.append("the question holds no word to search for")
    if len(groups) > k:
        omitted.append(
            f"{len(groups) - k:,} more groups matched: {', '.join(group.id for group in groups[k : k + 5])}"
        )
    unmatched = len(views.entries) - sum(len(group.matched) for group in groups)
    if unmatched:
        omitted.append(f"{unmatched:,} sources hold none of the words")
    unread = [card.path for card in source_map.cards if card.status == "failed"]
    if unread:
        omitted.append(f"{len(unread):,} files could not be read: {', '.join(unread[:5])}")
    return tuple(omitted)
