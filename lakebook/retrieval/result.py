"""The nouns of retrieval: EDA queries, column correspondences, retrieved components (NotebookRAG §4.2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class EdaQuery:
    """One question that the intent breaks into: an analytical goal and the columns it is about.

    Attributes:
        why: what of the intent or the table it comes from, in words.
    """

    id: str
    goal: str
    columns: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Correspondence:
    """An old column name matched to a column of the new table, one to one.

    Attributes:
        probability: 0 to 1, that the two mean the same.
        reason: what it rests on, in words a reader can check ("same words, other case").
    """

    old: str
    new: str
    probability: float
    reason: str


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The table that a file of old code has become, for a component that reads more than one.

    Attributes:
        source: the old file, as `lakebook.notebooks.sources` names it. table: `Table.source` of the new one.
        columns: the correspondences of the columns that are asked of it.
    """

    source: str
    table: str
    columns: tuple[Correspondence, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RetrievedComponent:
    """A component taken for a query, with the columns it will be given and why it was taken.

    Attributes:
        rank: from 1, within the query.
        match: `exact` (uses just the query's columns), `partial` (most of them), `text` (at most half of
            them, but its words fit the goal); `general` (nearest as a text, columns were not looked at).
        score: 0 to 1, comparable within one query.
        columns: the correspondences of every column that the component names, kept even if the name is
            the same in both tables.
        unmatched: columns that the component names and the new table does not have.
        also_in: "notebook#cell" of near-duplicates that were folded into this one.
        sources: the counterparts of its files, where it reads more than one; `columns` are then those of the
            table under analysis.
    """

    query: str
    component: str
    rank: int
    match: Literal["exact", "partial", "text", "general"]
    score: float
    columns: tuple[Correspondence, ...]
    unmatched: tuple[str, ...] = ()
    why: str = ""
    also_in: tuple[str, ...] = ()
    sources: tuple[Counterpart, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A component that was considered and not taken, with the reason in words."""

    component: str
    reason: str
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """Prose of an old notebook about the same table that bears on a query.

    Attributes:
        notebook, cell: where it stands. `score`: 0 to 1, comparable within one query.
        why: the words and columns by which it was found.
    """

    query: str
    notebook: str
    cell: int
    text: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a search took, in order of query and rank, and what it left out."""

    taken: tuple[RetrievedComponent, ...]
    left_out: tuple[LeftOut, ...] = ()
    passages: tuple[Passage, ...] = ()
