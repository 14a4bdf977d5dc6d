"""Which old components answer which query: columns first, text second (NotebookRAG §4.2.3).

For each query the components that show just its columns come first, then those that cover most of them, then
those whose text fits the goal. One is kept for each combination of columns and chart types; near-duplicates
in other notebooks are named in it. Whether a component can be run on the table at all is decided in
`applicability`, so a corpus with nothing relevant gives an empty result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lakebook.analyst.table import Table
from lakebook.notebooks.component import Component
from lakebook.progress import Progress, silent
from lakebook.retrieval.applicability import Fit, NotebookMatch, fit, match_notebooks
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.result import EdaQuery, LeftOut, Retrieval, RetrievedComponent

Match = Literal["exact", "partial", "text"]

_ORDER: dict[Match, int] = {"exact": 0, "partial": 1, "text": 2}
_MOST = 0.5  # a partial match covers more than this share of the query's columns
_NEAR = 0.6  # share of common words from which two codes are the same component, copied
_TEXT_FLOOR = 0.5  # share of the best text score that a text match needs


@dataclass(slots=True)
class _Hit:
    """A component that answers a query, while it is ranked."""

    fit: Fit
    match: Match
    score: float
    text: float
    also_in: list[str] = field(default_factory=list)

    def key(self) -> tuple[int, float, int, str, int, str]:
        component = self.fit.component
        size = component.statements_kept
        return _ORDER[self.match], -self.score, size, component.notebook, component.cell, component.id


def retrieve(
    index: ComponentIndex,
    queries: Sequence[EdaQuery],
    table: Table,
    k: int = 5,
    progress: Progress = silent,
) -> tuple[RetrievedComponent, ...]:
    """Return at most k components for each query, in order of query and rank."""
    return search(index, queries, table, k, progress).taken


def search(
    index: ComponentIndex,
    queries: Sequence[EdaQuery],
    table: Table,
    k: int = 5,
    progress: Progress = silent,
) -> Retrieval:
    """Do what `retrieve` does, and say also which components were considered and left out, and why."""
    matches = match_notebooks(index.notebooks(), table)
    taken: list[RetrievedComponent] = []
    left_out: dict[str, LeftOut] = {}
    for number, query in enumerate(queries):
        progress("retrieve components", number, len(queries), query.goal)
        hits = _candidates(index, query, table, matches, k, left_out)
        for rank, hit in enumerate(_distinct(hits, left_out)[:k], 1):
            taken.append(_retrieved(query, rank, hit, frozenset(query.columns)))
    progress("retrieve components", len(queries), len(queries), "")
    used = {item.component for item in taken}
    rest = sorted(
        (item for item in left_out.values() if item.component not in used), key=lambda i: i.component
    )
    return Retrieval(tuple(taken), tuple(rest))


def _candidates(
    index: ComponentIndex,
    query: EdaQuery,
    table: Table,
    matches: Mapping[str, NotebookMatch],
    k: int,
    left_out: dict[str, LeftOut],
) -> list[_Hit]:
    """Collect what shares a column with the query, and what its goal's words find."""
    known = {column.name for column in table.columns}
    wanted = frozenset(query.columns) & known
    old_names = {old for match in matches.values() for old, pair in match.pairs.items() if pair.new in wanted}
    text_hits = index.search_text(query.goal, 4 * k)
    best = max((hit.score for hit in text_hits), default=0.0) or 1.0
    text = {hit.component.id: hit.score / best for hit in text_hits}
    found = {component.id: component for component in index.components_using(old_names)}
    found |= {hit.component.id: hit.component for hit in text_hits}
    hits = []
    for component in found.values():
        outcome = fit(component, matches[component.notebook])
        if isinstance(outcome, LeftOut):
            left_out.setdefault(component.id, outcome)
        elif hit := _judge(outcome, wanted, text.get(component.id, 0.0)):
            hits.append(hit)
    return sorted(hits, key=_Hit.key)


def _judge(outcome: Fit, wanted: frozenset[str], text: float) -> _Hit | None:
    """Rate a component for the query; None if neither its columns nor its text answer it."""
    common = outcome.shown & wanted
    coverage = len(common) / len(wanted) if wanted else 0.0
    precision = len(common) / len(outcome.shown) if outcome.shown else 0.0
    if coverage > _MOST:
        match: Match = "exact" if coverage == precision == 1.0 else "partial"
        score = (0.6 * coverage + 0.3 * precision + 0.1 * text) * outcome.certainty
        return _Hit(outcome, match, round(score, 4), text)
    if text >= _TEXT_FLOOR:
        return _Hit(outcome, "text", round(0.3 * text * outcome.certainty, 4), text)
    return None


def _distinct(hits: Iterable[_Hit], left_out: dict[str, LeftOut]) -> list[_Hit]:
    """Keep the best of each (columns, chart types); its copies elsewhere are named in it."""
    kept: dict[tuple[frozenset[str], frozenset[str]], _Hit] = {}
    for hit in hits:
        component = hit.fit.component
        first = kept.setdefault((hit.fit.shown, frozenset(component.chart_types)), hit)
        if first is hit:
            continue
        place = f"{component.notebook}#{component.cell}"
        if _same_code(component, first.fit.component):
            first.also_in.append(place)
            reason = f"a near-duplicate of {first.fit.component.id}"
        else:
            reason = f"shows the same columns in the same kind of chart as {first.fit.component.id}"
        left_out.setdefault(component.id, LeftOut(component.id, reason))
    return list(kept.values())


def _same_code(a: Component, b: Component) -> bool:
    left, right = _vocabulary(a), _vocabulary(b)
    return bool(left | right) and len(left & right) / len(left | right) >= _NEAR


def _vocabulary(component: Component) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", component.target_code))


def _retrieved(query: EdaQuery, rank: int, hit: _Hit, wanted: frozenset[str]) -> RetrievedComponent:
    component = hit.fit.component
    return RetrievedComponent(
        query=query.id,
        component=component.id,
        rank=rank,
        match=hit.match,
        score=hit.score,
        columns=hit.fit.pairs,
        why=_why(hit, wanted),
        also_in=tuple(hit.also_in),
    )


def _why(hit: _Hit, wanted: frozenset[str]) -> str:
    """Say in words why the component was taken."""
    component, shown = hit.fit.component, hit.fit.shown
    chart = " and ".join(component.chart_types)
    if hit.match == "exact":
        text = f"{chart} chart of just the query's columns: {_listed(shown)}"
    elif hit.match == "partial":
        text = f"{chart} chart of {_listed(shown & wanted)}"
        extra, missing = shown - wanted, wanted - shown
        text += f", with {_listed(extra)} besides" if extra else ""
        text += f", without {_listed(missing)}" if missing else ""
    else:
        about = f" ({component.heading})" if component.heading else ""
        text = f"{chart} chart whose text fits the goal{about}"
    renamed = [f"{pair.old} → {pair.new} ({pair.reason})" for pair in hit.fit.pairs if pair.old != pair.new]
    return f"{text}; read {'; '.join(renamed)}" if renamed else text


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
