"""Whether an old component can be asked of the new table: every column that it needs must be there.

A notebook is matched as a whole, and one whose table has little in common with the new one is not trusted for
the few names that happen to agree. What a repair leaves out or replaces refuses nothing (see `spared`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec

from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.match import APPLIED
from lakebook.notebooks.component import Component, Corpus
from lakebook.retrieval.correspondence import correspond
from lakebook.retrieval.counterparts import NoCounterpart, counterparts, likeness
from lakebook.retrieval.entry import Entry, by_notebook, entries_of, known_columns
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
_REPLACED = frozenset({"cufflinks"})  # a repair of each component writes what is installed in its place
_NEAR = 0.1  # probability from which a column is named as the nearest


@dataclass(frozen=True, slots=True)
class NotebookMatch:
    """How the old columns of one notebook fit the table: old name -> correspondence, and of how many.

    `known` is what is known of the old columns; `near` are correspondences too unsure to be used.
    """

    pairs: Mapping[str, Correspondence]
    columns: int
    known: Mapping[str, OldColumn] = field(default_factory=dict)
    near: Mapping[str, Correspondence] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """Return the share of the notebook's columns that the table has; an unsure match counts for less."""
        return self.share_of(self.pairs, self.columns)

    def share_of(self, names: Iterable[str], of: int) -> float:
        """Return the share of some columns that the table has; `of` is how many there are."""
        sure = sum(2 * self.pairs[name].probability - 1 for name in names if name in self.pairs)
        return sure / of if of else 0.0


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
            found = correspond(columns, table, cut=_NEAR)
            pairs = {pair.old: pair for pair in found if pair.probability >= APPLIED}
            near = {pair.old: pair for pair in found if pair.old not in pairs}
            by_name = {column.name: column for column in columns}
            known[columns] = NotebookMatch(pairs, len(columns), by_name, near)
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
    if absent := [name for name in entry.modules if not _can_be_had(name)]:
        return LeftOut(entry.id, f"imports what is not installed: {', '.join(absent)}")
    if entry.sources:
        return _fit_of_several(entry, match, table, lake)
    gone = tuple(n for n in entry.needed if n not in match.pairs and not _is_dummy(n, table))
    found = [name for name in entry.needed if name in match.pairs]
    if gone and (set(gone) - set(entry.spared) or len(found) < 2 or len(gone) > len(found)):
        listed = ", ".join(_with_nearest(name, match) for name in gone)
        return LeftOut(entry.id, f"needs columns that the table does not have: {listed}", gone)
    if reason := _about_another(entry, match, table, _SHARE if found and not gone else _SHARE_WHOLE_FRAME):
        return LeftOut(entry.id, reason)
    named = dict.fromkeys((*found, *(name for name in entry.mentioned if name in match.pairs)))
    pairs = tuple(match.pairs[name] for name in named)
    return Fit(entry, pairs, frozenset(match.pairs[name].new for name in entry.shown if name in match.pairs))


def _about_another(entry: Entry, match: NotebookMatch, table: Table, least: float) -> str:
    """Say that the old table was another one, "" if it was not.

    What the notebook uses of the file that the component reads decides, if more than one name of it is there;
    a notebook may read several tables.
    """
    names = tuple(entry.of_file if sum(n in match.pairs for n in entry.of_file) >= 2 else match.known)
    names = tuple(name for name in names if name in match.pairs or not _is_dummy(name, table))
    paired = sum(name in match.pairs for name in names)
    if match.share_of(names, len(names)) >= least and (entry.needed or paired >= 2):
        return ""
    return f"its notebook is about another table: {paired} of its {len(names)} columns have a counterpart"


def _is_dummy(name: str, table: Table) -> bool:
    """Return True for a column that `get_dummies` makes: a column of the table and one of its values."""
    return any(
        name.startswith(f"{column.name}_") and name == f"{column.name}_{level}"
        for column in table.columns
        for level, _ in column.levels
    )


def _with_nearest(name: str, match: NotebookMatch) -> str:
    near = match.near.get(name)
    return f"{name} (nearest: {near.new}, {near.probability:.2f})" if near else name


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
def _can_be_had(module: str) -> bool:
    """Tell whether the code's imports can be had; the sandbox runs on the same libraries as we do."""
    if module in _FETCHING | _REPLACED:
        return True
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
            notebook: list(zip(group, entries_of(group, names[notebook]), strict=True))
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
