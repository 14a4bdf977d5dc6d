"""The retrieval index of a lake: postings by token, with lengths and frequencies counted over groups.

An entry is a file or one of its units. What is kept of a posting is the frequency normalised by the length
of its field (BM25F, Robertson & Zaragoza 2009); what a field weighs is decided in `ranking`, so that a
change of weights needs no new index. How an index is stored is in `kept`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lakebook.exploration.companions import Documents, find_documents
from lakebook.exploration.fields import COLUMNS, CONTENT, FIELDS, FOLDER, NAME, TITLES, VALUES, Term
from lakebook.exploration.partition import FileGroup, partition
from lakebook.exploration.periods import Period, period_of_path, period_of_text, years_of_units
from lakebook.exploration.words import STOP
from lakebook.sources.card import SourceMap
from lakebook.sources.groups import member

# How much the length of a field counts (b of BM25F), in the order of FIELDS.
_LENGTH = np.array([0.3, 0.3, 0.3, 0.6, 0.7, 0.7])
_LONG_NAME = 7
_SHORTEST_PART = 3
_COMMON = 3
_MOST_DOCUMENTED = 600


@dataclass(frozen=True, slots=True)
class Entry:
    """What a posting points to: a file (unit -1) or one of several units of a file."""

    name: str
    file: int
    unit: int


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What ranking needs of a file besides its words.

    Attributes:
        entries: numbers of its entries; more than one if the file has several units.
        period: what its path (or the head of its text) names. years: those its columns cover.
    """

    path: str
    group: int
    entries: tuple[int, ...]
    period: Period | None
    years: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Postings:
    """Postings of all tokens, sorted by token: those of `vocabulary[i]` stand from `starts[i]` on."""

    vocabulary: dict[str, int]
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    fields: NDArray[np.int8]
    weights: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Arrays:
    """What ranking computes with, derived from entries, files and groups.

    Attributes:
        file_of: of each entry. group_of: of each file.
        named: first and last day that a file's path names, 0 for none. covered: those, else of its columns.
        tells_apart: whether the members of a file's group name different periods.
    """

    file_of: NDArray[np.int32]
    group_of: NDArray[np.int32]
    named: NDArray[np.int64]
    covered: NDArray[np.int64]
    tells_apart: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SourceIndex:
    """All that retrieval needs of a lake, without its cards."""

    entries: tuple[Entry, ...]
    files: tuple[FileFacts, ...]
    groups: tuple[FileGroup, ...]
    documents: tuple[Documents, ...]
    long_names: tuple[str, ...]
    postings: Postings
    arrays: Arrays = field(repr=False)


def build_index(
    source_map: SourceMap, terms: Sequence[Sequence[Term]], heads: Mapping[int, str]
) -> SourceIndex:
    """Make the index of a lake.

    Args:
        source_map: its cards and groups.
        terms: the terms of each card, in order.
        heads: the first letters of texts, by number of card; a date may stand there.
    """
    groups = partition(source_map)
    documents = find_documents(source_map.cards)
    entries = _entries(source_map)
    counts = _counts(entries, terms)
    long_names = _split_glued(counts, entries)
    _tell_documented(counts, entries, documents, terms)
    files = _facts(source_map, groups, entries, heads)
    arrays = arrays_of(entries, files, groups)
    postings = _postings(counts, arrays, len(groups))
    return SourceIndex(entries, files, groups, documents, long_names, postings, arrays)


def arrays_of(entries: Sequence[Entry], files: Sequence[FileFacts], groups: Sequence[FileGroup]) -> Arrays:
    """Derive the arrays that ranking computes with."""
    named = np.array([facts.period or (0, 0) for facts in files], dtype=np.int64).reshape(-1, 2)
    spans = [(f.years[0] * 10_000 + 101, f.years[-1] * 10_000 + 1231) if f.years else (0, 0) for f in files]
    of_columns = np.array(spans, dtype=np.int64).reshape(-1, 2)
    several = [len({files[file].period for file in group.files}) > 1 for group in groups]
    group_of = np.array([facts.group for facts in files], dtype=np.int32)
    return Arrays(
        file_of=np.array([entry.file for entry in entries], dtype=np.int32),
        group_of=group_of,
        named=named,
        covered=np.where(named[:, :1] > 0, named, of_columns),
        tells_apart=np.array(several, dtype=np.bool_)[group_of],
    )


def _entries(source_map: SourceMap) -> tuple[Entry, ...]:
    found = []
    for number, card in enumerate(source_map.cards):
        found.append(Entry(card.path, number, -1))
        if len(card.units) > 1:
            found += [Entry(member(card, unit), number, place) for place, unit in enumerate(card.units)]
    return tuple(found)


_Counts = list[dict[tuple[int, str], float]]


def _counts(entries: Sequence[Entry], terms: Sequence[Sequence[Term]]) -> _Counts:
    """Return (field, token) -> frequency for every entry; the only unit of a file is the file."""
    places = {(entry.file, entry.unit): number for number, entry in enumerate(entries)}
    counts: _Counts = [defaultdict(float) for _ in entries]
    for file, found in enumerate(terms):
        whole = places[file, -1]
        for term in found:
            counts[places.get((file, term.unit), whole)][term.field, term.token] += term.count
    return counts


def _split_glued(counts: _Counts, entries: Sequence[Entry]) -> tuple[str, ...]:
    """Split rare long words of names into two words of the lake (`worldcities`); return the long words."""
    lexicon: Counter[str] = Counter()
    by_file: dict[int, set[str]] = defaultdict(set)
    for entry, found in zip(entries, counts, strict=True):
        for place, token in found:
            if place in (TITLES, COLUMNS, CONTENT) and len(token) >= _SHORTEST_PART and token.isalpha():
                by_file[entry.file].add(token)
    for words in by_file.values():
        lexicon.update(words)
    long_names: set[str] = set()
    for found in counts:
        for place, token in list(found):
            if place not in (NAME, FOLDER) or len(token) < _LONG_NAME or not token.isalpha():
                continue
            if place == NAME:
                long_names.add(token)
            if lexicon[token] < _COMMON:
                for part in parts_of(token, lexicon):
                    found[place, part] += 1
    return tuple(sorted(long_names))


def parts_of(word: str, lexicon: Container[str]) -> tuple[str, ...]:
    """Return the two known words that a word is glued from, as equal in length as can be, or ()."""
    best: tuple[int, tuple[str, ...]] = (0, ())
    for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        parts = word[:cut], word[cut:]
        known = all(part in lexicon and part not in STOP for part in parts)
        if known and min(map(len, parts)) > best[0]:
            best = min(map(len, parts)), parts
    return best[1]


def _tell_documented(
    counts: _Counts,
    entries: Sequence[Entry],
    documents: Sequence[Documents],
    terms: Sequence[Sequence[Term]],
) -> None:
    """Give the words of a document to the columns of what it describes."""
    whole = {entry.file: number for number, entry in enumerate(entries) if entry.unit == -1}
    told: dict[int, Counter[str]] = {}
    for link in documents:
        if link.document not in told:
            words: Counter[str] = Counter()
            for term in terms[link.document]:
                if term.field in (CONTENT, VALUES):
                    words[term.token] += term.count
            told[link.document] = Counter(dict(words.most_common(_MOST_DOCUMENTED)))
        found = counts[whole[link.described]]
        for token, count in told[link.document].items():
            found[COLUMNS, token] += count


def _facts(
    source_map: SourceMap, groups: Sequence[FileGroup], entries: Sequence[Entry], heads: Mapping[int, str]
) -> tuple[FileFacts, ...]:
    home = {file: number for number, group in enumerate(groups) for file in group.files}
    places: dict[int, list[int]] = defaultdict(list)
    for number, entry in enumerate(entries):
        places[entry.file].append(number)
    found = []
    for number, card in enumerate(source_map.cards):
        period = period_of_path(card.path)
        if period is None and len(groups[home[number]].files) > 1:
            period = period_of_text(heads.get(number, ""))
        years = years_of_units(card.units)
        found.append(FileFacts(card.path, home[number], tuple(places[number]), period, years))
    return tuple(found)


def _postings(counts: _Counts, arrays: Arrays, groups: int) -> Postings:
    tokens: list[str] = []
    entries: list[int] = []
    fields: list[int] = []
    numbers: list[float] = []
    for entry, found in enumerate(counts):
        for (place, token), count in found.items():
            tokens.append(token)
            entries.append(entry)
            fields.append(place)
            numbers.append(count)
    entry_array = np.array(entries, dtype=np.int32)
    field_array = np.array(fields, dtype=np.int8)
    frequency = np.array(numbers, dtype=np.float64)
    weights = frequency / _norms(arrays.file_of[entry_array], field_array, frequency, arrays.group_of, groups)
    words = sorted(set(tokens))
    vocabulary = {word: number for number, word in enumerate(words)}
    coded = np.array([vocabulary[token] for token in tokens], dtype=np.int64)
    order = np.lexsort((field_array, entry_array, coded))
    starts = np.searchsorted(coded[order], np.arange(len(words) + 1))
    return Postings(
        vocabulary, starts, entry_array[order], field_array[order], weights[order].astype(np.float32)
    )


def _norms(
    files: NDArray[np.int32],
    fields: NDArray[np.int8],
    frequency: NDArray[np.float64],
    group_of: NDArray[np.int32],
    groups: int,
) -> NDArray[np.float64]:
    """Return 1 - b + b * length / average of each posting's field; the average is that of group averages."""
    lengths = np.zeros((len(group_of), len(FIELDS)))
    np.add.at(lengths, (files, fields), frequency)
    of_group = np.zeros((groups, len(FIELDS)))
    np.add.at(of_group, group_of, lengths)
    of_group /= np.bincount(group_of, minlength=groups)[:, None]
    filled = np.maximum((of_group > 0).sum(axis=0), 1)
    average = np.maximum(of_group.sum(axis=0) / filled, 1e-9)
    norms: NDArray[np.float64] = 1 - _LENGTH + _LENGTH * lengths / average
    return norms[files, fields]


def glued(words: Sequence[str]) -> list[str]:
    """Return neighbouring words written as one ("world cities" -> "worldcities")."""
    return [a + b for a, b in pairwise(words) if len(a + b) >= _LONG_NAME - 1]


def is_long(word: str) -> bool:
    """Return True for a word that may be glued from two."""
    return len(word) >= _LONG_NAME and re.fullmatch(r"[^\W\d_]+", word) is not None
