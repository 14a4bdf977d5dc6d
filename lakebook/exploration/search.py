"""Search a lake for what a question needs: groups in order, their members, evidence, and what was left out.

Groups are the unit of finding (RADAR §2.2): a hundred files of one pattern take one place, and their members
are chosen within it, by date where the question names one. A model, if there is one, chooses among the
candidates; see `selection`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lakebook.exploration.evidence import Evidence, gather, sought_of
from lakebook.exploration.fields import CONTENT_LETTERS, MOST_VALUES
from lakebook.exploration.index import SourceIndex
from lakebook.exploration.kept import open_index
from lakebook.exploration.partition import FileGroup
from lakebook.exploration.pool import candidate_pool, matched_words
from lakebook.exploration.ranking import (
    Question,
    Ranking,
    rank,
    rank_view,
    read_question,
    score_entries,
    worth_of,
)
from lakebook.exploration.selection import Candidate, Selector
from lakebook.progress import Progress, silent
from lakebook.sources.card import SourceCard, SourceMap, SourceUnit
from lakebook.sources.groups import member

EVIDENCE_GROUPS = 3
EVIDENCE_MEMBERS = 3
_NAMED = 5
_REASON = 100


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """A group (or a source alone) that may hold the answer.

    Attributes:
        members: all members. matched: those that the question hit, members chosen by date first, then best
            first. selected: members whose dates fit the question's, where members differ in date.
        score: 1 for the best group, falling. why: the words that matched, by view, and what else speaks for
            it.
        chosen: evidence was gathered from it.
    """

    id: str
    members: tuple[str, ...]
    matched: tuple[str, ...]
    score: float
    why: str
    selected: tuple[str, ...] = ()
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, the evidence for it, and what was left out.

    Attributes:
        notes: how it was found: by whom groups were chosen, and what did not work.
    """

    groups: tuple[FoundGroup, ...]
    evidence: tuple[Evidence, ...]
    omitted: tuple[str, ...]
    notes: tuple[str, ...] = ()


def search_lake(
    source_map: SourceMap,
    state: Path,
    question: str,
    limit: int = 10,
    *,
    index: SourceIndex | None = None,
    view: str = "",
    selector: Selector | None = None,
    progress: Progress = silent,
) -> SearchResult:
    """Return the groups of a lake that fit a question, with evidence from the chosen ones.

    Args:
        source_map: the cards of the lake.
        state: where tables, passages and the index are kept.
        question: in plain words.
        limit: how many groups at most.
        index: the lake's index, where the caller has it already.
        view: one of `ranking.VIEWS` to search in that one alone, "" for all of them together.
        selector: the model that reorders and chooses, None for none.
        progress: told of files that are read into the index.
    """
    index = index or open_index(source_map, state, progress)
    asked = read_question(index, question)
    ranking = rank_view(index, asked, view) if view else rank(index, asked)
    notes: list[str] = []
    if selector is not None:
        described = [_candidate(source_map, group, ()) for group in index.groups]
        ranking = selector.reorder(question, described, ranking, notes)
    if selector is None or view:
        pool = tuple(group for group, _ in ranking.groups[:limit])
    else:
        pool = candidate_pool(index, asked, ranking, limit)
    finder = _Finder(source_map, index, asked, ranking)
    found = {group: finder.describe(group) for group in pool}
    chosen = _choose(question, found, source_map, index.groups, selector, notes)
    order = [*chosen, *(group for group in pool if group not in chosen)]
    sought = sought_of(question, worth_of(index, asked))
    evidence = []
    for group in chosen:
        for name, card, unit in finder.units(found[group]):
            evidence += gather(name, card, unit, state, sought)
    sought.connection.close()
    shown = tuple(replace(found[group], chosen=group in chosen) for group in order)
    omitted = (*_omitted(source_map, index, asked, ranking, shown), *finder.omitted, *sought.omitted)
    return SearchResult(shown, tuple(evidence), omitted, tuple(notes))


def _choose(
    question: str,
    found: dict[int, FoundGroup],
    source_map: SourceMap,
    groups: Sequence[FileGroup],
    selector: Selector | None,
    notes: list[str],
) -> list[int]:
    """Return the groups from which evidence is gathered: those the model chose, else the first ones."""
    first = list(found)[:EVIDENCE_GROUPS]
    if selector is None:
        notes.append("No model is set: groups are in the order of their words, and the first give evidence.")
        return first
    ids = {group.id: number for number, group in found.items()}
    candidates = [_candidate(source_map, groups[number], group.matched) for number, group in found.items()]
    picked = selector.choose(question, candidates, notes)
    return [ids[name] for name in picked] if picked else first


class _Finder:
    """Describes groups of one ranking and finds the units to read evidence from."""

    def __init__(
        self, source_map: SourceMap, index: SourceIndex, question: Question, ranking: Ranking
    ) -> None:
        self._map, self._index, self._question, self._ranking = source_map, index, question, ranking
        self._scores = dict(ranking.files)
        self._of_entries = score_entries(index, question)
        self._groups = dict(ranking.groups)
        self._entries = {entry.name: entry for entry in index.entries}
        self.omitted: list[str] = []

    def describe(self, number: int) -> FoundGroup:
        """Return the group as it is shown."""
        group, index = self._index.groups[number], self._index
        files = [file for file in group.files if file in self._scores]
        chosen = self._ranking.selected
        files.sort(key=lambda file: (file not in chosen, -self._scores[file], file))
        selected = tuple(index.files[file].path for file in files if file in chosen)
        if len(group.files) == 1:
            members = self._units_of(group.files[0])
            matched = self._best_units(group.files[0]) if files else ()
        else:
            members = tuple(index.files[file].path for file in group.files)
            matched = tuple(index.files[file].path for file in files)
        best = next(iter(self._groups.values()), 1.0) or 1.0
        score = round(self._groups.get(number, 0.0) / best, 4)
        return FoundGroup(group.id, members, matched, score, self._why(number, len(selected)), selected)

    def _units_of(self, file: int) -> tuple[str, ...]:
        card = self._map.cards[file]
        return tuple(member(card, unit) for unit in card.units) if len(card.units) > 1 else (card.path,)

    def _best_units(self, file: int) -> tuple[str, ...]:
        """Units by their own words; all of them where only the file's name matched."""
        entries = self._index.files[file].entries
        if len(entries) == 1:
            return (self._index.files[file].path,)
        units = [entry for entry in entries[1:] if self._of_entries[entry] > 0] or list(entries[1:])
        units.sort(key=lambda entry: (-self._of_entries[entry], entry))
        return tuple(self._index.entries[entry].name for entry in units)

    def _why(self, number: int, selected: int) -> str:
        group, index = self._index.groups[number], self._index
        words = matched_words(index, self._question, number)
        reasons = [f"{view}: {', '.join(found)}" for view, found in words.items() if found]
        if selected:
            reasons.append(f"dates: {selected:,} of {len(group.files):,} members fit the question's")
        links = [link for link in index.documents if link.described in group.files]
        for document in dict.fromkeys(link.document for link in links):
            why = next(link.why for link in links if link.document == document)
            reasons.append(f"documented by {index.files[document].path} ({why})")
        return "; ".join(reasons)

    def units(self, found: FoundGroup) -> list[tuple[str, SourceCard, SourceUnit]]:
        """Return the units to read evidence from: of the first members, the best unit of each."""
        units = []
        fitting = found.selected or found.matched or found.members
        for name in fitting[:EVIDENCE_MEMBERS]:
            entry = self._entries[name]
            if entry.unit < 0:
                entry = self._entries[self._best_units(entry.file)[0]]
            card = self._map.cards[entry.file]
            if card.units:
                units.append((entry.name, card, card.units[max(entry.unit, 0)]))
            else:
                self.omitted.append(f"{name}: was not read ({card.reason or card.status})")
        left = fitting[EVIDENCE_MEMBERS:]
        if left:
            more = ", ".join(left[:_NAMED]) + (" …" if len(left) > _NAMED else "")
            self.omitted.append(f"{found.id}: no evidence was read from {len(left):,} more members: {more}")
        outside = len(found.members) - len(found.selected)
        if found.selected and outside:
            self.omitted.append(f"{found.id}: {outside:,} members whose dates do not fit the question's")
        return units


def _candidate(source_map: SourceMap, group: FileGroup, first: Sequence[str]) -> Candidate:
    """Return a group as a model may see it; `first` are the members that fit best."""
    units = source_map.cards[group.files[0]].units
    members = tuple(first) or tuple(source_map.cards[file].path for file in group.files[:_NAMED])
    columns = tuple(dict.fromkeys((column.name, column.type) for unit in units for column in unit.columns))
    count = len(group.files) if len(group.files) > 1 else max(len(units), 1)
    return Candidate(group.id, members, count, sum(unit.rows for unit in units), columns)


def _omitted(
    source_map: SourceMap,
    index: SourceIndex,
    question: Question,
    ranking: Ranking,
    shown: Sequence[FoundGroup],
) -> list[str]:
    omitted = []
    if not question.tokens:
        omitted.append("the question holds no word to search for")
    ids = {group.id for group in shown}
    more = [index.groups[number].id for number, _ in ranking.groups if index.groups[number].id not in ids]
    if more:
        named = f"{', '.join(more[:_NAMED])}{' …' if len(more) > _NAMED else ''}"
        omitted.append(f"{len(more):,} more group{'s'[: len(more) > 1]} matched: {named}")
    # Of a file that was not read nobody knows what it holds; it is named below.
    found = {file for file, _ in ranking.files}
    unmatched = sum(
        card.status in ("ok", "partial") and file not in found for file, card in enumerate(source_map.cards)
    )
    if unmatched:
        omitted.append(
            f"{unmatched:,} file{' holds' if unmatched == 1 else 's hold'} none of the words in what is "
            f"indexed ({MOST_VALUES:,} values a column, {CONTENT_LETTERS:,} letters a text)"
        )
    unread: dict[str, list[SourceCard]] = defaultdict(list)
    for card in source_map.cards:
        if card.status != "ok":
            unread[card.status].append(card)
    said = {
        "failed": "not read for a fault, and found by path only",
        "skipped": "of a kind that is not read, and found by path only",
        "partial": "read in part",
    }
    for status, text in said.items():
        cards = unread[status]
        if cards:
            names = ", ".join(f"{card.path} ({_short(card.reason)})" for card in cards[:_NAMED])
            omitted.append(f"{len(cards):,} {text}: {names}{' …' if len(cards) > _NAMED else ''}")
    return omitted


def _short(reason: str) -> str:
    return reason if len(reason) <= _REASON else f"{reason[: _REASON - 1].rstrip()}…"
