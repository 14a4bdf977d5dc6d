"""Whether an old component can be asked of the new table: every column that it needs must be there.

A notebook is matched as a whole, since its columns are those of one old table, and a notebook whose table has
little in common with the new one is not trusted for the few names that happen to agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec

from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.notebooks.component import Component, Corpus
from lakebook.retrieval.correspondence import correspond
from lakebook.retrieval.counterparts import NoCounterpart, counterparts, likeness
from lakebook.retrieval.entry import Entry, by_notebook, entry_of, known_columns
from lakebook.retrieval.lake import Lake
from lakebook.retrieval.result import Correspondence, Counterpart, LeftOut, RetrievedComponent
from lakebook.sources.naming import stem

# Names such as year, type or region agree between tables that have nothing to do with each other.
_SHARE = 0.4
_SHARE_WHOLE_FRAME = 0.5
_NEAREST = 5  # tables that a notebook is compared with, those that share most names
_CALLED = 0.3  # weight of the file's name where several tables have the columns
# They only bring the old data to the author's machine; loading it anew takes their place.
_FETCHING = frozenset({"google", "kaggle", "kagglehub", "opendatasets", "wget", "gdown"})


@dataclass(frozen=True, slots=True)
class NotebookMatch:
    """How the old columns of one notebook fit the table: old name -> correspondence, and of how many.

    `known` is what is known of the old columns.
    """

    pairs: Mapping[str, Correspondence]
    columns: int
    known: Mapping[str, OldColumn] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Return the share of the notebook's columns that the table has; an unsure match counts for less."""
        sure = sum(2 * pair.probability - 1 for pair in self.pairs.values())
        return sure / self.columns if self.columns else 0.0


@dataclass(frozen=True, slots=True)
class Fit:
    """A component that the table can answer: its correspondences, and the new columns that it shows.

    `sources` are the counterparts of its files, where it reads more than one.
    """

    entry: Entry
    pairs: tuple[Correspondence, ...]
    shown: frozenset[str]
    sources: tuple[Counterpart, ...] = ()

    @property
    def certainty(self) -> float:
        """Return how sure it is that the component asks of the new table what it asked of the old."""
        others = (pair for source in self.sources for pair in source.columns)
        return min((pair.probability for pair in (*self.pairs, *others)), default=0.9) * self.entry.confidence


def match_notebooks(notebooks: Mapping[str, Sequence[OldColumn]], table: Table) -> dict[str, NotebookMatch]:
    """Match every notebook's columns to the table; notebooks with the same columns are matched once."""
    known: dict[tuple[OldColumn, ...], NotebookMatch] = {}
    for columns in map(tuple, notebooks.values()):
        if columns not in known:
            pairs = {pair.old: pair for pair in correspond(columns, table)}
            by_name = {column.name: column for column in columns}
            known[columns] = NotebookMatch(pairs, len(columns), by_name)
    return {notebook: known[tuple(columns)] for notebook, columns in notebooks.items()}


def fit(entry: Entry, match: NotebookMatch, table: Table, lake: Lake) -> Fit | LeftOut:
    """Say whether the table has every column that the component needs, or why it is left out.

    Args:
        entry: the component.
        match: how the columns of its notebook fit the table.
        table: the table under analysis.
        lake: all tables, of which a component may read others as well.
    """
    if not entry.chart_types:
        return LeftOut(entry.id, "draws no chart")
    if absent := [name for name in entry.modules if name not in _FETCHING and not _is_installed(name)]:
        return LeftOut(entry.id, f"imports what is not installed: {', '.join(absent)}")
    if entry.sources:
        return _fit_of_several(entry, match, table, lake)
    unmatched = tuple(name for name in entry.needed if name not in match.pairs)
    if unmatched:
        listed = ", ".join(unmatched)
        return LeftOut(entry.id, f"needs columns that the table does not have: {listed}", unmatched)
    least = _SHARE if entry.needed else _SHARE_WHOLE_FRAME
    if match.share < least or (not entry.needed and len(match.pairs) < 2):
        reason = (
            "its notebook is about another table: "
            f"{len(match.pairs)} of its {match.columns} columns have a counterpart"
        )
        return LeftOut(entry.id, reason)
    named = dict.fromkeys((*entry.needed, *(name for name in entry.mentioned if name in match.pairs)))
    pairs = tuple(match.pairs[name] for name in named)
    return Fit(entry, pairs, frozenset(match.pairs[name].new for name in entry.shown))


def _fit_of_several(entry: Entry, match: NotebookMatch, table: Table, lake: Lake) -> Fit | LeftOut:
    """Do what `fit` does for a component that reads more than one file."""
    try:
        found = counterparts(entry.sources, entry.needed, table, lake, match.known)
    except NoCounterpart as reason:
        return LeftOut(entry.id, str(reason), reason.unmatched)
    own = {table.source, *lake.members(table.source)}
    pairs = {pair.old: pair for one in found if one.table in own for pair in one.columns}
    if table.source != next((one.table for one in found if one.table in own), ""):
        names = tuple(match.known.get(name, OldColumn(name)) for name in pairs)
        pairs = {pair.old: pair for pair in lake.correspond(names, table)}
    shown = frozenset(pairs[name].new for name in entry.shown if name in pairs)
    return Fit(entry, tuple(pairs.values()), shown, found)


@cache
def _is_installed(module: str) -> bool:
    """Tell whether the code's imports can be had; the sandbox runs on the same libraries as we do."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def applicable(
    corpus: Corpus, table: Table, lake: Lake | None = None
) -> tuple[tuple[RetrievedComponent, ...], tuple[LeftOut, ...]]:
    """Return every component that the table can answer, without a query, and those it cannot."""
    taken: list[RetrievedComponent] = []
    left_out: list[LeftOut] = []
    for _, _, outcome in _outcomes(_Asked.of(corpus), table, lake or Lake()):
        if isinstance(outcome, LeftOut):
            left_out.append(outcome)
        else:
            taken.append(_retrieved(outcome, len(taken) + 1))
    return tuple(taken), tuple(left_out)


def applicable_to_each(
    corpus: Corpus, lake: Lake
) -> tuple[dict[str, tuple[RetrievedComponent, ...]], tuple[LeftOut, ...]]:
    """Find for every component the table of the lake that answers it best.

    Returns:
        by `Table.source` the components that it answers, and the components that no table answers.
    """
    best: dict[str, tuple[tuple[float, float, bool, str], Fit, str]] = {}
    refused: dict[str, tuple[tuple[float, str], LeftOut]] = {}
    asked = _Asked.of(corpus)
    wanted: dict[str, list[str]] = {}
    for notebook, columns in asked.known.items():
        for entry in lake.nearest([column.name for column in columns], "", _NEAREST):
            wanted.setdefault(entry.source, []).append(notebook)
    for source, notebooks in sorted(wanted.items()):
        entry = lake.entry(source)
        for component, match, outcome in _outcomes(asked, lake.table(source), lake, notebooks):
            if isinstance(outcome, LeftOut):
                place = (-match.share, entry.source)
                if component.id not in refused or place < refused[component.id][0]:
                    refused[component.id] = (place, outcome)
                continue
            called = likeness(stem(component.reads[0]), entry.stem) if component.reads else 0.0
            share = 0.0 if outcome.sources else match.share
            rank = (-(share + _CALLED * called), -outcome.certainty, entry.group is not None, entry.source)
            if component.id not in best or rank < best[component.id][0]:
                best[component.id] = (rank, outcome, entry.source)
    tables: dict[str, list[RetrievedComponent]] = {}
    for component in corpus.components:
        if component.id in best:
            _, fit_, source = best[component.id]
            group = tables.setdefault(source, [])
            group.append(_retrieved(fit_, len(group) + 1))
    left = tuple(refused[c.id][1] for c in corpus.components if c.id in refused and c.id not in best)
    return {source: tuple(taken) for source, taken in sorted(tables.items())}, left


def _outcomes(
    corpus: _Asked, table: Table, lake: Lake, notebooks: Iterable[str] | None = None
) -> Iterator[tuple[Component, NotebookMatch, Fit | LeftOut]]:
    chosen = corpus.known if notebooks is None else {name: corpus.known[name] for name in notebooks}
    matches = match_notebooks(chosen, table)
    for notebook in chosen:
        for component, entry in corpus.entries[notebook]:
            match = matches[notebook]
            yield component, match, fit(entry, match, table, lake)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A corpus as it is asked for: what is known of each notebook's columns, and its components' entries."""

    known: Mapping[str, tuple[OldColumn, ...]]
    entries: Mapping[str, Sequence[tuple[Component, Entry]]]

    @classmethod
    def of(cls, corpus: Corpus) -> _Asked:
        groups = by_notebook(corpus.components)
        known = known_columns(corpus, groups)
        names = {notebook: [column.name for column in columns] for notebook, columns in known.items()}
        entries = {
            notebook: [(component, entry_of(component, names[notebook])) for component in group]
            for notebook, group in groups.items()
        }
        return cls(known, entries)


def _retrieved(found: Fit, rank: int) -> RetrievedComponent:
    return RetrievedComponent(
        query="",
        component=found.entry.id,
        rank=rank,
        match="exact",
        score=round(found.certainty, 3),
        columns=found.pairs,
        why="every column that it needs has a counterpart",
        sources=found.sources,
    )
