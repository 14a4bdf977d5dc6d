"""Candidates and reasons: groups that each of RADAR's three views would offer, and the words that matched."""

from __future__ import annotations

from itertools import chain, zip_longest

import numpy as np

from lakebook.exploration.fields import FIELDS
from lakebook.exploration.index import SourceIndex
from lakebook.exploration.ranking import VIEWS, Question, Ranking, rank_view

# The list over all fields ranks best; the views' own candidates follow behind it.
SURE = 5


def candidate_pool(index: SourceIndex, question: Question, ranking: Ranking, limit: int) -> tuple[int, ...]:
    """Return at most `limit` groups: the first of the list, then list and views in turn, each group once."""
    ranked = [group for group, _ in ranking.groups]
    if len(ranked) <= SURE or limit <= SURE:
        return tuple(ranked[:limit])
    views = [[group for group, _ in rank_view(index, question, view).groups[:limit]] for view in VIEWS]
    in_turn = chain.from_iterable(zip_longest(ranked[SURE:], *views))
    pool = dict.fromkeys(chain(ranked[:SURE], (group for group in in_turn if group is not None)))
    return tuple(pool)[:limit]


def matched_words(index: SourceIndex, question: Question, group: int) -> dict[str, list[str]]:
    """Return for each view the words of the question that the group holds there."""
    postings = index.postings
    views = {view: [] for view in VIEWS}  # type: dict[str, list[str]]
    for token in question.tokens:
        number = postings.vocabulary.get(token)
        if number is None:
            continue
        span = slice(postings.starts[number], postings.starts[number + 1])
        homes = index.arrays.group_of[index.arrays.file_of[postings.entries[span]]]
        fields = np.bincount(postings.fields[span][homes == group], minlength=len(FIELDS))
        for view, places in VIEWS.items():
            if fields[list(places)].any():
                views[view].append(token)
    return views
