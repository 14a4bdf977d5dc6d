"""Rank files and groups for a question: BM25F over weighted fields with statistics over groups, and dates.

One list over all fields ranks best; the three views of RADAR §2.2 (names; columns and values; content) say
why, and fill the pool that a model chooses from. The reasons for each number are in
docs/decisions/0008-source-retrieval.md.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lakebook.exploration.fields import COLUMNS, CONTENT, FOLDER, NAME, TITLES, VALUES
from lakebook.exploration.index import SourceIndex, glued, is_long, parts_of
from lakebook.exploration.periods import Period, periods_of_question
from lakebook.exploration.words import STOP_IN_QUESTIONS, normal, singular, split_words, tokens

VIEWS = {
    "paths and names": (NAME, FOLDER, TITLES),
    "columns and values": (COLUMNS, VALUES),
    "content": (CONTENT,),
}


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much. Set on half of the benchmark's tasks (see the decision).

    Attributes:
        fields: of name, folder, titles, columns, content, values. k1: how fast repetition saturates.
        inside_name: what a word is worth that was found inside a glued name.
        in_period, out_of_period: factors of members whose dates fit or miss the question's.
        inside: what a fitting member gains besides, by the share of its own time that was asked for.
        covers: factor of a file apart whose dates or years fit. crowd: what a listed member costs the next.
    """

    fields: tuple[float, ...] = (4.0, 1.0, 2.0, 2.0, 0.3, 0.15)
    k1: float = 2.0
    inside_name: float = 1.0
    in_period: float = 1.5
    out_of_period: float = 0.7
    inside: float = 0.3
    covers: float = 1.2
    crowd: float = 0.1


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the index sees it: weighted tokens, and the periods that it names."""

    tokens: Mapping[str, float]
    periods: tuple[Period, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Files and groups in order, with their scores (0 where nothing matched are left out).

    Attributes:
        files: (file, score). groups: (group, score of its best file).
        selected: files that were chosen within their group since their dates fit the question.
    """

    files: tuple[tuple[int, float], ...]
    groups: tuple[tuple[int, float], ...]
    selected: frozenset[int]


def read_question(index: SourceIndex, text: str, weights: Weights = WEIGHTS) -> Question:
    """Turn a question into weighted tokens of this lake: words, words written as one, words inside names."""
    counts = Counter(tokens(text, question=True))
    found = {token: float(np.sqrt(count)) for token, count in counts.items()}
    known = index.postings.vocabulary
    words = list(split_words(text))
    for whole in glued(words):
        if normal(whole) in known:
            found.setdefault(normal(whole), 1.0)
    for word in dict.fromkeys(words):
        if is_long(word) and normal(word) not in known:
            for part in parts_of(normal(word), known):
                found.setdefault(part, 0.7)
        if len(word) >= 4 and word.isalpha() and word not in STOP_IN_QUESTIONS:
            for name in index.long_names:
                if _stands_in(word, name):
                    found[name] = max(found.get(name, 0.0), weights.inside_name)
    return Question(found, periods_of_question(text))


def _stands_in(word: str, name: str) -> bool:
    """Return True if a name of several words glued together begins or ends with the word."""
    for form in {word, singular(word)}:
        if len(form) >= 4 and len(name) >= len(form) + 3 and (name.startswith(form) or name.endswith(form)):
            return True
    return False


def rank(index: SourceIndex, question: Question, weights: Weights = WEIGHTS) -> Ranking:
    """Rank the files and groups of a lake by all fields together."""
    scores = _scores(index, question, np.array(weights.fields), weights, index.arrays.file_of)
    selected = _weigh_dates(index, question, scores, weights)
    groups = _best_of_groups(index, scores)
    return Ranking(_list_files(index, scores, selected, weights), groups, selected)


def rank_view(index: SourceIndex, question: Question, view: str, weights: Weights = WEIGHTS) -> Ranking:
    """Rank by the fields of one view alone."""
    fields = np.zeros(len(weights.fields))
    fields[list(VIEWS[view])] = np.array(weights.fields)[list(VIEWS[view])]
    scores = _scores(index, question, fields, weights, index.arrays.file_of)
    selected = _weigh_dates(index, question, scores, weights)
    return Ranking(_list_files(index, scores, selected, weights), _best_of_groups(index, scores), selected)


def score_entries(index: SourceIndex, question: Question, weights: Weights = WEIGHTS) -> NDArray[np.float64]:
    """Score files and their units, each by its own words; dates play no part."""
    alone = np.arange(len(index.entries), dtype=np.int32)
    return _scores(index, question, np.array(weights.fields), weights, alone)


def worth_of(index: SourceIndex, question: Question) -> dict[str, float]:
    """Return what each word of the question is worth as evidence: its weight times its rarity in the lake."""
    return {
        token: worth * _rarity(len(index.groups), _holding(index, span))
        for token, worth, span in _spans(index, question)
    }


def _spans(index: SourceIndex, question: Question) -> Iterator[tuple[str, float, slice]]:
    """Return each token that the lake knows, its weight, and where its postings stand."""
    postings = index.postings
    for token, worth in question.tokens.items():
        number = postings.vocabulary.get(token)
        if number is not None:
            yield token, worth, slice(int(postings.starts[number]), int(postings.starts[number + 1]))


def _holding(index: SourceIndex, span: slice) -> int:
    """Return how many groups hold a token."""
    files = index.arrays.file_of[index.postings.entries[span]]
    return len(np.unique(index.arrays.group_of[files]))


def _rarity(groups: int, holding: int) -> float:
    return math.log1p((groups - holding + 0.5) / (holding + 0.5))


def _scores(
    index: SourceIndex,
    question: Question,
    fields: NDArray[np.float64],
    weights: Weights,
    target: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Sum up what the tokens are worth; `target` says for every entry what its postings count for."""
    postings = index.postings
    scores = np.zeros(int(target.max(initial=-1)) + 1)
    for _, worth, span in _spans(index, question):
        values = postings.weights[span] * fields[postings.fields[span]]
        amounts = np.bincount(target[postings.entries[span]], weights=values, minlength=len(scores))
        rarity = _rarity(len(index.groups), _holding(index, span))
        scores += worth * rarity * amounts * (weights.k1 + 1) / (amounts + weights.k1)
    return scores


def _weigh_dates(
    index: SourceIndex, question: Question, scores: NDArray[np.float64], weights: Weights
) -> frozenset[int]:
    """Raise what covers the question's dates, lower members that cover others; return the members chosen."""
    if not question.periods:
        return frozenset()
    arrays = index.arrays
    member = arrays.tells_apart & (arrays.named[:, 0] > 0)
    fits = member & _overlaps(arrays.named, question.periods)
    covers = ~arrays.tells_apart & _overlaps(arrays.covered, question.periods)
    gain = weights.in_period * (1 + weights.inside * _share(arrays.named, question.periods))
    scores *= np.where(fits, gain, np.where(member, weights.out_of_period, 1.0))
    scores *= np.where(covers, weights.covers, 1.0)
    return frozenset(np.flatnonzero(fits).tolist())


def _overlaps(spans: NDArray[np.int64], periods: Sequence[Period]) -> NDArray[np.bool_]:
    """Return which spans share a day with one of the periods; a span of zeros is none."""
    found = np.zeros(len(spans), dtype=np.bool_)
    for first, last in periods:
        found |= (spans[:, 0] <= last) & (spans[:, 1] >= first)
    return found


def _share(spans: NDArray[np.int64], periods: Sequence[Period]) -> NDArray[np.float64]:
    """Return which share of each span the periods cover, at most 1."""
    first, last = _day_numbers(spans[:, 0]), _day_numbers(spans[:, 1])
    covered = np.zeros(len(spans))
    for start, end in periods:
        low, high = (_day_numbers(np.array(day)) for day in (start, end))
        covered += np.maximum(np.minimum(last, high) - np.maximum(first, low) + 1, 0)
    share: NDArray[np.float64] = np.minimum(covered / (last - first + 1), 1.0)
    return share


def _day_numbers(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count days in years of twelve months of 31: exact enough for a share, and no date can be invalid."""
    numbers: NDArray[np.int64] = (days // 10_000 * 12 + days // 100 % 100) * 31 + days % 100
    return numbers


def _best_of_groups(index: SourceIndex, scores: NDArray[np.float64]) -> tuple[tuple[int, float], ...]:
    best = np.zeros(len(index.groups))
    np.maximum.at(best, index.arrays.group_of, scores)
    first = [group.files[0] for group in index.groups]
    order = sorted(np.flatnonzero(best).tolist(), key=lambda group: (-best[group], first[group]))
    return tuple((group, float(best[group])) for group in order)


def _list_files(
    index: SourceIndex, scores: NDArray[np.float64], selected: frozenset[int], weights: Weights
) -> tuple[tuple[int, float], ...]:
    """List files so that a group does not crowd out others: each further member of it has to beat more."""
    members: dict[int, list[int]] = defaultdict(list)
    hits = np.flatnonzero(scores)
    for file in hits[np.lexsort((hits, -scores[hits]))].tolist():
        members[int(index.arrays.group_of[file])].append(file)
    heap = [(-float(scores[files[0]]), files[0], group, 0) for group, files in members.items()]
    heapq.heapify(heap)
    listed = []
    while heap:
        _, file, group, place = heapq.heappop(heap)
        listed.append((file, float(scores[file])))
        place += 1
        if place < len(members[group]):
            following = members[group][place]
            cost = 1.0 if following in selected else 1 + weights.crowd * place
            heapq.heappush(heap, (-float(scores[following]) / cost, following, group, place))
    return tuple(listed)
