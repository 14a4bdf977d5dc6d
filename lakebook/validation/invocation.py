"""What a rule is shown of one invocation: its arguments, its parsed code, and what was measured for it.

The runtime measures before and after the operation runs and puts the numbers here; rules only read them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from lakebook.analyst.claim import Claim
from lakebook.analyst.table import Table
from lakebook.operators.record import ExecutionRecord, OperatorName
from lakebook.sandbox.base import Json
from lakebook.sources.card import SourceCard, SourceUnit
from lakebook.validation.contract import Contract
from lakebook.validation.knowledge import KnownTable
from lakebook.validation.question import Question
from lakebook.validation.reach import Reach
from lakebook.validation.statement import Statement


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often rows of one source stand in a join: `standing` rows come from `different` ones."""

    alias: str
    standing: int
    different: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What was counted over FROM, JOIN and WHERE of one SELECT, before grouping.

    Attributes:
        scope: position of the SELECT among the statement's scopes. `rows`: rows that reach the grouping.
        repeats: for each source of a join. `present`: counted argument -> rows in which it is not null.
        zeros: denominator -> rows in which it is zero. `distinct`: columns -> different combinations.
        odd: what may be odd of a group -> groups in which it is. `groups`: how many there are, with the
        rows of the smallest and of the largest; None if that was not asked for.
        problem: why nothing could be counted, "" if it was. `of`: what was counted in place of the query's
        own rows, "" if these were.
    """

    scope: int
    rows: int = 0
    repeats: tuple[Repeats, ...] = ()
    present: Mapping[str, int] = field(default_factory=dict)
    zeros: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""
    distinct: Mapping[str, int] = field(default_factory=dict)
    odd: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[int, int, int] | None = None
    of: str = ""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A condition of a query with an empty result: the rows after it, and the rows it alone leaves."""

    condition: str
    rows_after: int
    rows_alone: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a query gave.

    Attributes:
        only_nulls: every value of every row is null. `not_finite`: column -> values that are inf or NaN.
        narrowings: for an empty result, how each condition narrowed the rows; `rows_before` had none yet.
        keys: for a join without rows, what its conditions compare -> some values of it.
        cut: whether LIMIT without ORDER BY left rows out; None if not measured.
        ranges: column of numbers -> its smallest and largest finite value.
        ties_left_out: rows past LIMIT with the same sort key as the last row shown; None if not measured.
    """

    columns: tuple[str, ...]
    rows: int
    only_nulls: bool = False
    not_finite: Mapping[str, int] = field(default_factory=dict)
    rows_before: int | None = None
    narrowings: tuple[Narrowing, ...] = ()
    ties_left_out: int | None = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    cut: bool | None = None
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArtifactSeen:
    """A file that belongs to an answer, as it was found.

    Attributes:
        kept: a computation wrote it, and it is kept. `problem`: why it cannot be read, "" if it can.
        tables: of what is read as a table: its columns and rows; a file may hold several.
        unsorted: keys by which it was to be sorted, if its rows do not stand in their order.
    """

    path: str
    kept: bool = True
    problem: str = ""
    size: int = 0
    tables: tuple[tuple[tuple[str, ...], int], ...] = ()
    unsorted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """One invocation as rules see it. Only the fields of its operator are set.

    Attributes:
        statement_types: kinds of the statements as the engine reads them (Query).
        reach: what the statement uses by name in the engine's reading, None if that is not known (Query).
        refusal: the engine's own message if it cannot bind the statement (Query).
        confirm_cross: the caller means cross products (Query).
        tree: the parsed code (Compute). `frames`: variable -> the table that it is bound to (Compute).
        question: what is to be answered, if that is known; `contract`: what the answer was declared to be.
        text, value, claims, records: the answer and what it may rest on.
        references: ids of the records that an answer names; None if it rests on claims instead.
        results: id -> whole result, where a record shows a part of it. `partial`: those cut even so.
        artifacts: the files of an answer.
    """

    operator: OperatorName
    arguments: Mapping[str, Json] = field(default_factory=dict)
    statement: Statement | None = None
    statement_types: tuple[str, ...] = ("SELECT",)
    reach: Reach | None = None
    refusal: str = ""
    confirm_cross: bool = False
    measured: tuple[Measured, ...] = ()
    outcome: Outcome | None = None
    card: SourceCard | None = None
    unit: SourceUnit | None = None
    table: Table | None = None
    tree: ast.Module | None = None
    frames: Mapping[str, KnownTable] = field(default_factory=dict)
    question: Question | None = None
    contract: Contract | None = None
    text: str = ""
    value: Json = None
    claims: tuple[Claim, ...] = ()
    records: tuple[ExecutionRecord, ...] = ()
    references: tuple[str, ...] | None = None
    results: Mapping[str, Json] = field(default_factory=dict)
    partial: frozenset[str] = frozenset()
    artifacts: tuple[ArtifactSeen, ...] = ()

    @property
    def parsed(self) -> Statement | None:
        """The statement, if it could be taken apart."""
        return self.statement if self.statement is not None and self.statement.tree is not None else None
