"""What the operators of one runtime share: evidence, scope, tables, artifacts, records (RADAR §3.1).

What belongs here: the state, finding things in it by name, and having an invocation checked against it. What
an operator does with it stands in the operator's module, in which order things happen in `runtime`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lakebook.errors import OperatorError
from lakebook.exploration.selection import Selector
from lakebook.operators.artifacts import KeptArtifact
from lakebook.operators.lake import Lake
from lakebook.operators.record import DataInput, ExecutionRecord, Finding, Observation, Repair
from lakebook.operators.workbench import OpenBench, Workbench
from lakebook.sandbox.base import Json
from lakebook.sources.as_table import members_of
from lakebook.sources.card import Column, SourceCard, SourceGroup, SourceMap, SourceUnit
from lakebook.validation.contract import Contract
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable, knowledge_of
from lakebook.validation.nearest import nearest
from lakebook.validation.question import Question
from lakebook.validation.registry import Rule, Stage, check

TableFile = Callable[[SourceCard, SourceUnit], Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """An invocation as it went, before it is recorded."""

    inputs: tuple[DataInput, ...] = ()
    output: str = ""
    observations: tuple[Observation, ...] = ()
    findings: tuple[Finding, ...] = ()
    repairs: tuple[Repair, ...] = ()
    error: str = ""
    result: Json = None


@dataclass(frozen=True, slots=True)
class Judge:
    """Has invocations checked, each with the question and the contract of the runtime.

    Attributes:
        validation: False switches the rules off (the ablation of the paper); what keeps the lake closed and
            unchanged is checked all the same.
    """

    question: Question | None = None
    contract: Contract | None = None
    validation: bool = True

    def check(
        self,
        invocation: Invocation,
        knowledge: Knowledge,
        stage: Stage,
        wanted: Callable[[Rule], bool] | None = None,
    ) -> tuple[Finding, ...]:
        """Return what the rules (those that are wanted, if that is said) say of an invocation."""
        informed = self.informed(invocation)
        return check(informed, knowledge, stage, limits_only=not self.validation, wanted=wanted)

    def informed(self, invocation: Invocation) -> Invocation:
        """Return the invocation with what was asked and what the answer must be."""
        return replace(invocation, question=self.question, contract=self.contract)


@dataclass
class SharedState:
    """What one runtime knows and keeps.

    Attributes:
        table_file: gives the Parquet file of a unit.
        root: the lake's folder, None if raw files cannot be read. kept: where indexes and passages are kept.
        selector: the model that chooses among what Search found, None for none.
        open_bench: opens where Compute works, None if it cannot.
        knowledge: what was observed. records: what ran, in order.
        scope: sources that Search or Load chose -> id of the record that chose them.
        artifacts: files that computations wrote, as they are kept, by their path.
        whole_rows: all rows of results of which the record shows the first ones, by id.
    """

    source_map: SourceMap
    table_file: TableFile
    judge: Judge = Judge()
    root: Path | None = None
    kept: Path | None = None
    selector: Selector | None = None
    open_bench: OpenBench | None = None
    knowledge: Knowledge = field(init=False)
    records: list[ExecutionRecord] = field(default_factory=list)
    scope: dict[str, str] = field(default_factory=dict)
    artifacts: dict[str, KeptArtifact] = field(default_factory=dict)
    whole_rows: dict[str, Json] = field(default_factory=dict)
    _lake: Lake | None = None
    _bench: Workbench | None = None

    def __post_init__(self) -> None:
        self.knowledge = knowledge_of(self.source_map)

    @property
    def lake(self) -> Lake:
        """The tables in DuckDB, opened on first use."""
        if self._lake is None:
            files = {unit.table: self.table_file(card, unit) for card, unit in self.source_map.tables()}
            self._lake = Lake(
                {name: path for name, path in files.items() if path.is_file()}, groups=self._groups()
            )
        return self._lake

    def _groups(self) -> list[tuple[SourceGroup, dict[str, Path]]]:
        """Return the groups that are read as one table, with the files of their members."""
        found = []
        for group in self.source_map.groups:
            paths = [self.table_file(card, unit) for card, unit in members_of(group, self.source_map)]
            if paths and all(path.is_file() for path in paths):
                found.append((group, dict(zip(group.members, paths, strict=True))))
        return found

    @property
    def bench(self) -> Workbench:
        """Where Compute works, opened on first use. Raises OperatorError if nothing opens it."""
        if self._bench is None:
            if self.open_bench is None:
                raise OperatorError("there is no sandbox to compute in.", hint="Use Query.")
            self._bench = self.open_bench()
        return self._bench

    def close(self) -> None:
        """Close the lake and the workbench."""
        if self._bench is not None:
            self._bench.close()
            self._bench = None
        if self._lake is not None:
            self._lake.close()
            self._lake = None

    def check(self, invocation: Invocation, stage: Stage = "before") -> tuple[Finding, ...]:
        """Return what the rules say of an invocation on what is known."""
        return self.judge.check(invocation, self.knowledge, stage)

    @property
    def next_id(self) -> str:
        """The id of the record to come."""
        return f"r{len(self.records) + 1:03d}"

    def choose(self, sources: Sequence[str]) -> None:
        """Take sources into the scope, by the operation that runs; whoever chose one first is kept."""
        for source in sources:
            self.scope.setdefault(source, self.next_id)

    def forget(self, table: str) -> None:
        """Remove a result that could not be taken as a whole."""
        self.lake.drop(table)
        self.knowledge.tables.pop(table.lower(), None)

    def find(self, unit: SourceUnit | str) -> tuple[SourceCard, SourceUnit]:
        """Return a unit, given itself or the name of its table. Raises OperatorError if there is none."""
        for card in self.source_map.cards:
            for found in card.units:
                if found is unit or found == unit or (isinstance(unit, str) and found.table == unit):
                    return card, found
        name = unit if isinstance(unit, str) else unit.table
        tables = [found.table for _, found in self.source_map.tables()]
        raise OperatorError(f"the lake has no unit {name!r}.", hint=_nearest_of(name, tables))

    def find_source(self, path: str, unit: str = "") -> tuple[SourceCard, SourceUnit | None]:
        """Return the card of a file, and its unit: the named one, or the only one.

        Raises:
            OperatorError: there is no such file or unit; the hint names the nearest.
        """
        if not unit and "#" in path and self.source_map.card(path) is None:
            path, _, unit = path.partition("#")
        card = self.source_map.card(path)
        if card is None:
            paths = [card.path for card in self.source_map.cards]
            raise OperatorError(f"the lake has no file {path!r}.", hint=_nearest_of(path, paths))
        found = next((one for one in card.units if one.unit == unit), None)
        if found is None and unit:
            names = [one.unit for one in card.units]
            raise OperatorError(f"{path} has no unit {unit!r}.", hint=_nearest_of(unit, names))
        return card, found or (card.units[0] if len(card.units) == 1 else None)

    def known(self, table: str) -> KnownTable:
        """Return what is known of a table. Raises OperatorError if there is none of that name."""
        known = self.knowledge.table(table)
        if known is None:
            names = [one.name for one in self.knowledge.tables.values()]
            raise OperatorError(f"there is no table {table!r}.", hint=_nearest_of(table, names))
        return known

    def column(self, known: KnownTable, name: str) -> Column:
        """Return a column of a table. Raises OperatorError if it has none of that name."""
        column = known.column(name)
        if column is None:
            names = [column.name for column in known.columns]
            near = nearest(name, names, 1)
            hint = f"Nearest: {near[0]}. " if near else ""
            raise OperatorError(
                f"{known.name} has no column {name!r}.", hint=f"{hint}It has: {', '.join(names)}."
            )
        return column


def _nearest_of(name: str, known: Sequence[str]) -> str:
    near = nearest(name, known)
    return f"Nearest: {', '.join(near)}." if near else "`lakebook sources DIR` lists them."


def data_input(table: KnownTable, columns: Sequence[str]) -> DataInput:
    """Return the record's entry for a table and some of its columns."""
    return DataInput(table.source, table.sha256, tuple(columns), table.rows, table.rows_in_source)
