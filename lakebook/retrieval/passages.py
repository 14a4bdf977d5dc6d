"""Prose of old notebooks that bears on a query: hybrid search by words, columns, and vectors if any.

Only notebooks about the same table are searched. A passage is found by words of the goal and by the old names
of the query's columns; an embedding model, where one is set, ranks once more, and both rankings count equally
(reciprocal rank fusion, Cormack and others 2009). Paper: NotebookRAG §4.2.3 and §4.3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lakebook.correspondence.names import words
from lakebook.notebooks.component import MarkdownChunk
from lakebook.retrieval.applicability import NotebookMatch
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.result import EdaQuery, Passage
from lakebook.retrieval.texts import Vectors, bm25, terms

Embed = Callable[[Sequence[str]], Vectors | None]
"""Gives one vector of length 1 a text; None if they cannot be had."""

MOST_PASSAGES = 3
_RELATED = 0.4  # share of its columns that a notebook has in common with the table, as for components
_FUSED = 60  # Cormack's constant
_POOL = 12  # passages a query whose vectors are asked for: vectors cost calls
_FEWEST_WORDS = 4  # a heading of three words says nothing that its cell does not


@dataclass(frozen=True, slots=True)
class _Found:
    """A passage while it is ranked: the words of the goal in it, the query's columns that it names."""

    chunk: MarkdownChunk
    score: float
    hits: tuple[str, ...]
    columns: tuple[str, ...]


def find_passages(
    index: ComponentIndex,
    queries: Sequence[EdaQuery],
    matches: Mapping[str, NotebookMatch],
    k: int = MOST_PASSAGES,
    embed: Embed | None = None,
) -> tuple[Passage, ...]:
    """Return at most k passages for each query, in order of query and score; one serves one query."""
    related = {name: match for name, match in matches.items() if match.share >= _RELATED}
    chunks = [one for one in index.prose(related) if len(one.text.split()) >= _FEWEST_WORDS]
    chunks = list({one.text: one for one in reversed(chunks)}.values())[::-1]
    texts = [terms(one.text) for one in chunks]
    pools = {query.id: _pool(query, chunks, texts, related) for query in queries}
    if embed is not None:
        pools = _by_vectors(queries, pools, embed)
    taken: set[str] = set()
    passages = []
    for query in queries:
        mine = [one for one in pools[query.id] if one.chunk.id not in taken][:k]
        taken.update(one.chunk.id for one in mine)
        best = max((one.score for one in mine), default=1.0)
        passages += [_passage(query, one, best) for one in mine]
    return tuple(passages)


def _pool(
    query: EdaQuery,
    chunks: Sequence[MarkdownChunk],
    texts: Sequence[Sequence[str]],
    related: Mapping[str, NotebookMatch],
) -> list[_Found]:
    """Return the passages that share words with the goal or name a column of the query, best first."""
    goal = terms(query.goal)
    scores = bm25(goal, texts)
    best = max(scores, default=0.0) or 1.0
    found = []
    for chunk, text, score in zip(chunks, texts, scores, strict=True):
        named = _columns_named(query, set(text), related[chunk.notebook])
        rated = 0.5 * score / best + 0.5 * len(named) / max(1, len(query.columns))
        hits = tuple(dict.fromkeys(word for word in goal if word in text))
        if named or len(hits) > 1:
            found.append(_Found(chunk, round(rated, 4), hits, named))
    return sorted(found, key=_place)[:_POOL]


def _columns_named(query: EdaQuery, text: set[str], match: NotebookMatch) -> tuple[str, ...]:
    """Return the query's columns of whose old name at least half of the words stand in the text."""
    named = []
    for old, pair in match.pairs.items():
        said = {term for word in words(old) for term in terms(word)}
        if pair.new in query.columns and said and 2 * len(said & text) >= len(said):
            named.append(pair.new)
    return tuple(sorted(set(named)))


def _by_vectors(
    queries: Sequence[EdaQuery], pools: Mapping[str, list[_Found]], embed: Embed
) -> dict[str, list[_Found]]:
    """Fuse the order by words with the order by vectors; if there are no vectors, the first stands."""
    texts = list(dict.fromkeys(one.chunk.text for pool in pools.values() for one in pool))
    vectors = embed([*(query.goal for query in queries), *texts]) if texts else None
    if vectors is None:
        return dict(pools)
    row = {text: number for number, text in enumerate(texts, len(queries))}
    fused = {}
    for number, query in enumerate(queries):
        pool = pools[query.id]
        near = np.array([float(vectors[number] @ vectors[row[one.chunk.text]]) for one in pool])
        order = {int(at): rank for rank, at in enumerate(np.argsort(-near, kind="stable"))}
        again = [
            _Found(one.chunk, 1 / (_FUSED + rank) + 1 / (_FUSED + order[rank]), one.hits, one.columns)
            for rank, one in enumerate(pool)
        ]
        fused[query.id] = sorted(again, key=_place)
    return fused


def _place(one: _Found) -> tuple[float, str, int, str]:
    return -one.score, one.chunk.notebook, one.chunk.cell, one.chunk.id


def _passage(query: EdaQuery, found: _Found, best: float) -> Passage:
    reasons = [f"names {', '.join(found.columns)}"] if found.columns else []
    reasons += [f"has words of the goal ({', '.join(found.hits)})"] if found.hits else []
    chunk = found.chunk
    score = round(found.score / best, 3) if best else 0.0
    return Passage(query.id, chunk.notebook, chunk.cell, chunk.text, score, " and ".join(reasons))
