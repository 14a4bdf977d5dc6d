"""Which old components answer which query: columns first, text second (NotebookRAG §4.2.3).

For each query the components that show just its columns come first, then those that cover most of them; only
if there are none, those that share some and whose words fit the goal. One is kept for each combination of
columns and chart types; near-duplicates in other notebooks are named in it. A component serves one query, the
one that it fits best, unless nothing else fits. Whether it can be run on the table at all is decided in
`applicability`, so a corpus with nothing relevant gives an empty result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from lakebook.analyst.table import Table
from lakebook.progress import Progress, silent
from lakebook.retrieval.applicability import Fit, NotebookMatch, fit, match_notebooks
from lakebook.retrieval.entry import Entry, searchable_terms
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.lake import Lake
from lakebook.retrieval.passages import Embed, find_passages
from lakebook.retrieval.result import EdaQuery, LeftOut, Retrieval, RetrievedComponent
from lakebook.retrieval.texts import bm25, terms

Match = Literal["exact", "partial", "text"]

MOST_PER_QUERY = 5
_ORDER: tuple[Match, ...] = ("exact", "partial", "text")
_MOST = 0.5  # a partial match covers more than this share of the query's columns
_NEAR = 0.6  # share of common words from which two codes are the same component, copied
_UNSURE = 0.4  # certainty below which a component stands behind all others: names in it are undefined
_TEXT_FLOOR = 0.5  # share of the best text score that a text match needs


@dataclass(frozen=True, slots=True)
class _Family:
    """A component that the table can answer, with its near-duplicates in other places."""

    fit: Fit
    also_in: tuple[str, ...]
    text: tuple[str, ...]

    @property
    def key(self) -> tuple[frozenset[str], frozenset[str]]:
        """Columns and chart types: of these a query gets one."""
        return self.fit.shown, frozenset(self.fit.entry.chart_types)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A component that answers a query; `precision` is the share of what it shows that is wanted."""

    family: _Family
    match: Match
    score: float
    precision: float

    def place(self) -> tuple[bool, int, float, int, str, int, str]:
        """Return where it stands among the hits of its query; no two stand at the same place."""
        entry, unsure = self.family.fit.entry, self.family.fit.certainty < _UNSURE
        return (
            unsure,
            _ORDER.index(self.match),
            -self.score,
            entry.statements,
            entry.notebook,
            entry.cell,
            entry.id,
        )


def retrieve(
    index: ComponentIndex,
    queries: Sequence[EdaQuery],
    table: Table,
    k: int = MOST_PER_QUERY,
    progress: Progress = silent,
) -> tuple[RetrievedComponent, ...]:
    """Return at most k components for each query, in order of query and rank."""
    return search(index, queries, table, k, progress).taken


def search(
    index: ComponentIndex,
    queries: Sequence[EdaQuery],
    table: Table,
    k: int = MOST_PER_QUERY,
    progress: Progress = silent,
    embed: Embed | None = None,
    lake: Lake | None = None,
) -> Retrieval:
    """Do what `retrieve` does; say also what was left out, and which prose bears on the queries.

    Args:
        index: of the corpus.
        queries: what is asked.
        table: of what.
        k: most components a query.
        progress: told of every query.
        embed: gives vectors of texts, for the prose; None if no embedding model is set.
        lake: the other tables, for components that read more than one.
    """
    names = [column.name for column in table.columns]
    matches = match_notebooks(index.notebooks_like(names), table)
    left_out: dict[str, LeftOut] = {}
    fits = _fitting(index, queries, matches, (table, lake or Lake()), left_out)
    families = _families(fits, left_out)
    hits = {}
    for number, query in enumerate(queries):
        progress("retrieve components", number, len(queries), query.goal)
        hits[query.id] = _one_each(_hits(query, families, frozenset(names)), left_out)
    progress("retrieve components", len(queries), len(queries), "")
    shared = _shared_out(queries, hits, k)
    taken = tuple(
        _retrieved(query, rank, hit)
        for query in queries
        for rank, hit in enumerate(sorted(shared[query.id], key=_Hit.place), 1)
    )
    used = {item.component for item in taken}
    rest = sorted(
        (one for one in left_out.values() if one.component not in used), key=lambda one: one.component
    )
    return Retrieval(taken, tuple(rest), find_passages(index, queries, matches, embed=embed))


def _fitting(
    index: ComponentIndex,
    queries: Sequence[EdaQuery],
    matches: Mapping[str, NotebookMatch],
    data: tuple[Table, Lake],
    left_out: dict[str, LeftOut],
) -> list[Fit]:
    """Return the components that show something which a query is about, and that the table can answer."""
    wanted = {name for query in queries for name in query.columns}
    pairs = {
        notebook: [old for old, pair in match.pairs.items() if pair.new in wanted]
        for notebook, match in matches.items()
    }
    old_names = {old for names in pairs.values() for old in names}
    found = []
    for entry in index.entries([name for name, olds in pairs.items() if olds], old_names):
        outcome = fit(entry, matches[entry.notebook], *data)
        if isinstance(outcome, LeftOut):
            left_out[entry.id] = outcome
        elif outcome.shown & wanted:
            found.append(outcome)
    return found


def _families(fits: Iterable[Fit], left_out: dict[str, LeftOut]) -> list[_Family]:
    """Fold near-duplicates into the surest and shortest of them."""

    def place(one: Fit) -> tuple[float, int, str, int, str]:
        return -one.certainty, one.entry.statements, one.entry.notebook, one.entry.cell, one.entry.id

    first: dict[tuple[frozenset[str], frozenset[str]], list[tuple[Fit, list[Entry]]]] = {}
    for one in sorted(fits, key=place):
        group = first.setdefault((one.shown, frozenset(one.entry.chart_types)), [])
        original = next((known for known in group if _same_code(one.entry, known[0].entry)), None)
        if original is None:
            group.append((one, []))
        else:
            original[1].append(one.entry)
            reason = f"a near-duplicate of {original[0].entry.id}"
            left_out[one.entry.id] = LeftOut(one.entry.id, reason)
    return [
        _Family(one, tuple(dict.fromkeys(e.place for e in copies)), searchable_terms(one.entry))
        for group in first.values()
        for one, copies in group
    ]


def _same_code(a: Entry, b: Entry) -> bool:
    left, right = set(a.words), set(b.words)
    return bool(left | right) and len(left & right) / len(left | right) >= _NEAR


def _hits(query: EdaQuery, families: Sequence[_Family], known: frozenset[str]) -> list[_Hit]:
    """Return what answers the query, best first."""
    wanted = frozenset(query.columns) & known
    near = [one for one in families if one.fit.shown & wanted]
    scores = bm25(terms(query.goal), [one.text for one in near])
    best = max(scores, default=0.0) or 1.0
    rated = (_judge(one, wanted, score / best) for one, score in zip(near, scores, strict=True))
    hits = sorted((hit for hit in rated if hit is not None), key=_Hit.place)
    return [hit for hit in hits if hit.match != "text"] or hits


def _judge(family: _Family, wanted: frozenset[str], text: float) -> _Hit | None:
    """Rate a component for a query; None if it covers too little of it."""
    shown, certainty = family.fit.shown, family.fit.certainty
    common = shown & wanted
    coverage, precision = len(common) / len(wanted), len(common) / len(shown)
    if coverage > _MOST:
        match: Match = "exact" if coverage == precision == 1.0 else "partial"
        rated = (0.6 * coverage + 0.3 * precision + 0.1 * text) * certainty
        return _Hit(family, match, round(rated, 4), precision)
    if text >= _TEXT_FLOOR:
        return _Hit(family, "text", round(0.3 * text * certainty, 4), precision)
    return None


def _one_each(hits: Iterable[_Hit], left_out: dict[str, LeftOut]) -> list[_Hit]:
    """Keep the best of each (columns, chart types)."""
    kept: dict[tuple[frozenset[str], frozenset[str]], _Hit] = {}
    for hit in hits:
        first = kept.setdefault(hit.family.key, hit)
        if first is not hit:
            same = first.family.fit.entry.id
            reason = f"shows the same columns in the same kind of chart as {same}"
            one = hit.family.fit.entry.id
            left_out.setdefault(one, LeftOut(one, reason))
    return list(kept.values())


def _shared_out(
    queries: Sequence[EdaQuery], hits: Mapping[str, Sequence[_Hit]], k: int
) -> dict[str, list[_Hit]]:
    """Give each component to one query: exact matches first, then partial ones, then those by text.

    A query for which that leaves nothing gets what others have too, but nothing that mostly shows other
    things: a chart of all columns would stand under every query.
    """
    shared: dict[str, list[_Hit]] = {query.id: [] for query in queries}
    used: set[str] = set()
    for match in _ORDER:
        for query in queries:
            mine = shared[query.id]
            for hit in hits[query.id]:
                name = hit.family.fit.entry.id
                if hit.match == match and len(mine) < k and name not in used:
                    mine.append(hit)
                    used.add(name)
    again = {name: [hit for hit in found if hit.precision >= _MOST] for name, found in hits.items()}
    return {name: mine or again[name][:k] for name, mine in shared.items()}


def _retrieved(query: EdaQuery, rank: int, hit: _Hit) -> RetrievedComponent:
    return RetrievedComponent(
        query=query.id,
        component=hit.family.fit.entry.id,
        rank=rank,
        match=hit.match,
        score=hit.score,
        columns=hit.family.fit.pairs,
        why=_why(hit, frozenset(query.columns)),
        also_in=hit.family.also_in,
        sources=hit.family.fit.sources,
    )


def _why(hit: _Hit, wanted: frozenset[str]) -> str:
    """Say in words why the component was taken."""
    entry, shown = hit.family.fit.entry, hit.family.fit.shown
    text = f"{' and '.join(entry.chart_types)} chart of "
    if hit.match == "exact":
        text += f"just the query's columns: {_listed(shown)}"
    else:
        extra, missing = shown - wanted, wanted - shown
        text += _listed(shown & wanted)
        text += f", with {_listed(extra)} besides" if extra else ""
        text += f", without {_listed(missing)}" if missing else ""
    if hit.match == "text":
        text += f"; its words fit the goal{f' ({entry.heading})' if entry.heading else ''}"
    pairs = hit.family.fit.pairs
    renamed = [f"{pair.old} → {pair.new} ({pair.reason})" for pair in pairs if pair.old != pair.new]
    return f"{text}; read {'; '.join(renamed)}" if renamed else text


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
