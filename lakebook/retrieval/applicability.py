"""Whether an old component can be asked of the new table: every column that it needs must be there.

A notebook is matched as a whole, since its columns are those of one old table, and a notebook whose table has
little in common with the new one is not trusted for the few names that happen to agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.notebooks.component import Corpus
from lakebook.retrieval.correspondence import correspond
from lakebook.retrieval.entry import Entry, by_notebook, entry_of, known_columns
from lakebook.retrieval.result import Correspondence, LeftOut, RetrievedComponent

# Names such as year, type or region agree between tables that have nothing to do with each other.
_SHARE = 0.4
_SHARE_WHOLE_FRAME = 0.5


@dataclass(frozen=True, slots=True)
class NotebookMatch:
    """How the old columns of one notebook fit the table: old name -> correspondence, and of how many."""

    pairs: Mapping[str, Correspondence]
    columns: int

    @property
    def share(self) -> float:
        """Return the share of the notebook's columns that the table has; an unsure match counts for less."""
        sure = sum(2 * pair.probability - 1 for pair in self.pairs.values())
        return sure / self.columns if self.columns else 0.0


@dataclass(frozen=True, slots=True)
class Fit:
    """A component that the table can answer: its correspondences, and the new columns that it shows."""

    entry: Entry
    pairs: tuple[Correspondence, ...]
    shown: frozenset[str]

    @property
    def certainty(self) -> float:
        """Return how sure it is that the component asks of the new table what it asked of the old."""
        return min((pair.probability for pair in self.pairs), default=0.9) * self.entry.confidence


def match_notebooks(notebooks: Mapping[str, Sequence[OldColumn]], table: Table) -> dict[str, NotebookMatch]:
    """Match every notebook's columns to the table; notebooks with the same columns are matched once."""
    known: dict[tuple[OldColumn, ...], NotebookMatch] = {}
    for columns in map(tuple, notebooks.values()):
        if columns not in known:
            pairs = {pair.old: pair for pair in correspond(columns, table)}
            known[columns] = NotebookMatch(pairs, len(columns))
    return {notebook: known[tuple(columns)] for notebook, columns in notebooks.items()}


def fit(entry: Entry, match: NotebookMatch) -> Fit | LeftOut:
    """Say whether the table has every column that the component needs, or why it is left out."""
    if not entry.chart_types:
        return LeftOut(entry.id, "draws no chart")
    if absent := [name for name in entry.modules if not _is_installed(name)]:
        return LeftOut(entry.id, f"imports what is not installed: {', '.join(absent)}")
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


@cache
def _is_installed(module: str) -> bool:
    """Tell whether the code's imports can be had; the sandbox runs on the same libraries as we do."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def applicable(corpus: Corpus, table: Table) -> tuple[tuple[RetrievedComponent, ...], tuple[LeftOut, ...]]:
    """Return every component that the table can answer, without a query, and those it cannot."""
    groups = by_notebook(corpus.components)
    known = known_columns(corpus, groups)
    matches = match_notebooks(known, table)
    taken: list[RetrievedComponent] = []
    left_out: list[LeftOut] = []
    for notebook, group in groups.items():
        names = [column.name for column in known[notebook]]
        for component in group:
            outcome = fit(entry_of(component, names), matches[notebook])
            if isinstance(outcome, LeftOut):
                left_out.append(outcome)
                continue
            taken.append(
                RetrievedComponent(
                    query="",
                    component=component.id,
                    rank=len(taken) + 1,
                    match="exact",
                    score=round(outcome.certainty, 3),
                    columns=outcome.pairs,
                    why="every column that it needs has a counterpart",
                )
            )
    return tuple(taken), tuple(left_out)
