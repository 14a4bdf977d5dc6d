"""The runtime: it runs operators, has every invocation checked, and keeps the execution records (RADAR §3).

Order of one invocation: measure what the rules need, check, stop if rejected, run, look at the result, check
again, record. What was seen stays in the shared state, so that a Probe serves every later Query. What the
rules say is their business (`lakebook.validation`); how tables are read is the lake's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from lakebook.analyst.claim import Claim
from lakebook.analyst.table import Table
from lakebook.errors import OperatorError
from lakebook.operators import plain
from lakebook.operators.compute import parse_code, run_code, texts
from lakebook.operators.lake import Lake
from lakebook.operators.query import QueryResult, data_input, run_query
from lakebook.operators.record import (
    DataInput,
    ExecutionRecord,
    Finding,
    Observation,
    OperatorName,
)
from lakebook.sandbox.base import Json, Session
from lakebook.sources.as_table import members_of
from lakebook.sources.card import Column, Coverage, SourceCard, SourceGroup, SourceMap, SourceUnit, ValueCount
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Enumeration, Knowledge, KnownTable, knowledge_of
from lakebook.validation.registry import check, verdict
from sql import read

ProbeKind = Literal["distinct", "range", "nulls", "key"]
TableFile = Callable[[SourceCard, SourceUnit], Path]

VALUES_LISTED = 1000  # values that a Probe lists before its enumeration counts as partial


def _now() -> datetime:
    return datetime.now(UTC)


class Runtime:
    """Runs operators over one lake. Use it as a context manager, or close it."""

    def __init__(
        self,
        source_map: SourceMap,
        table_file: TableFile,
        session: Session | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        """Prepare; nothing is read before it is needed.

        Args:
            source_map: the cards of the lake.
            table_file: gives the Parquet file of a unit.
            session: where Compute runs; without one only the other operators work.
            clock: tells the time of the records.
        """
        self.records: list[ExecutionRecord] = []
        self.knowledge: Knowledge = knowledge_of(source_map)
        self._map = source_map
        self._table_file = table_file
        self._session = session
        self._clock = clock
        self._lake: Lake | None = None

    def load(self, unit: SourceUnit | str, *, purpose: str = "") -> ExecutionRecord:
        """Take a unit into use: account for its rows and look for signs of a misread file.

        Args:
            unit: the unit, or the name of its table.
            purpose: what it is loaded for.

        Raises:
            OperatorError: the lake has no such unit.
        """
        started = self._clock()
        card, found = self._find(unit)
        invocation = Invocation("Load", {"path": card.path, "unit": found.unit}, card=card, unit=found)
        result: Json = {
            "rows": found.rows,
            "rows_in_file": found.rows_in_file,
            "rows_rejected": found.rows_rejected,
            "rows_skipped": found.rows_skipped,
            "columns": {column.name: column.type for column in found.columns},
        }
        return self._record(
            "Load",
            purpose,
            invocation.arguments,
            started,
            inputs=(data_input(self._known(found.table), [column.name for column in found.columns]),)
            if found.kind == "table"
            else (),
            output=found.table,
            observations=(Observation("row_account", found.table or card.path, result, found.coverage),),
            findings=check(invocation, self.knowledge, "before"),
            result=result,
        )

    def probe(
        self, table: str, column: str | Sequence[str], kind: ProbeKind = "distinct", *, purpose: str = ""
    ) -> ExecutionRecord:
        """Observe a column over all rows, and remember it for later checks.

        Args:
            table: name of the table.
            column: the column; for `key`, one or several that may identify a row.
            kind: `distinct` lists values, `range` and `nulls` measure them, `key` tests uniqueness.
            purpose: what it is probed for.

        Raises:
            OperatorError: there is no such table or column.
        """
        started = self._clock()
        known = self._known(table)
        names = [self._column(known, name).name for name in ([column] if isinstance(column, str) else column)]
        arguments: dict[str, Json] = {"table": known.name, "columns": list(names), "kind": kind}
        coverage = known.coverage
        if kind == "distinct":
            seen = self._enumerate(known, names[0])
            if not seen.complete and coverage.complete:
                coverage = Coverage(False, f"the {len(seen.values):,} most frequent values")
            result: Json = {
                "values": {value.value: value.rows for value in seen.values},
                "complete": seen.complete,
            }
        else:
            statement = "probe/measure_key" if kind == "key" else "probe/measure_column"
            found = self.lake.fetch(read(statement), {"table": known.name, "columns": list(names)})
            measured = dict(zip(found.columns, map(plain.plain, found.rows[0]), strict=True))
            if kind == "key":
                measured["unique"] = measured["rows"] == measured["combinations"]
            result = dict(measured)
        subject = f"{known.name}.{'+'.join(names)}"
        return self._record(
            "Probe",
            purpose,
            arguments,
            started,
            inputs=(data_input(known, names),),
            observations=(Observation(kind, subject, result, coverage),),
            result=result,
        )

    def query(
        self,
        sql: str,
        inputs: Sequence[str] | None = None,
        *,
        output: str = "",
        confirm_cross: bool = False,
        purpose: str = "",
        seconds: float = 60.0,
    ) -> QueryResult:
        """Check and run one SELECT over the lake.

        Args:
            sql: the statement, in DuckDB's dialect.
            inputs: the tables that it declares to read; None means any.
            output: a name under which later queries can read the result.
            confirm_cross: products without a pairing condition are meant.
            purpose: what it is run for.
            seconds: time limit.
        """
        started = self._clock()
        arguments: dict[str, Json] = {"sql": sql, "confirm_cross": confirm_cross}
        if inputs is not None:
            arguments["inputs"] = list(sorted(inputs))
        ran = run_query(
            self.lake,
            self.knowledge,
            sql,
            arguments,
            inputs=inputs,
            output=output,
            confirm_cross=confirm_cross,
            seconds=seconds,
        )
        record = self._record(
            "Query",
            purpose,
            arguments,
            started,
            inputs=ran.inputs,
            output=output,
            observations=ran.observations,
            findings=ran.findings,
            error=ran.error,
            result=ran.result,
        )
        if ran.found is None:
            return QueryResult(record)
        return QueryResult(record, ran.found.columns, ran.rows, ran.found.more)

    def prepare(self, code: str, *, purpose: str = "prepare") -> ExecutionRecord:
        """Run a cell in the session's own state, where later computations find what it defines.

        Raises:
            OperatorError: the cell failed; nothing can be computed then.
        """
        started = self._clock()
        result = self._require_session().run(code)
        error = f"{result.error.name}: {result.error.message}" if result.error else ""
        record = self._record("Compute", purpose, {"code": code, "kept": True}, started, error=error)
        if result.error:
            raise OperatorError(
                f"the table could not be prepared: {error}", where=purpose, hint="See the record's code."
            )
        return record

    def compute(
        self,
        name: str,
        code: str,
        *,
        table: Table,
        purpose: str = "",
        seconds: float | None = None,
    ) -> dict[str, Json] | None:
        """Run code in a copy of the session's state and return the facts that it binds to `name`.

        A failure is recorded and gives None. The record is the last of `records` either way.
        """
        started = self._clock()
        session = self._require_session()
        arguments: dict[str, Json] = {"name": name, "code": code}
        tree, error = parse_code(code)
        invocation = Invocation("Compute", arguments, table=table, tree=tree)
        findings = check(invocation, self.knowledge, "before")
        facts: Json = None
        if not error and verdict(findings) == "reject":
            error = "rejected before it ran"
        elif not error:
            facts, error = run_code(session, name, code, seconds)
        named = texts(tree)
        source = f"{table.path}#{table.unit}" if table.unit else table.path
        columns = tuple(column.name for column in table.columns if column.name in named)
        self._record(
            "Compute",
            purpose,
            arguments,
            started,
            inputs=(DataInput(source, table.sha256, columns, table.rows, table.rows_in_file),),
            output=name,
            findings=findings,
            error=error,
            result=facts if not error else None,
        )
        return facts if isinstance(facts, dict) and not error else None

    def answer(self, text: str, claims: Sequence[Claim] = (), *, purpose: str = "") -> ExecutionRecord:
        """Submit an answer: accepted if each number in it is claimed and each claim rests on a record."""
        started = self._clock()
        arguments: dict[str, Json] = {"text": text, "claims": [claim.id for claim in claims]}
        invocation = Invocation(
            "Answer", arguments, text=text, claims=tuple(claims), records=tuple(self.records)
        )
        findings = check(invocation, self.knowledge, "before")
        accepted = verdict(findings) != "reject"
        result: Json = (
            {"text": text, "claims": {claim.id: claim.value for claim in claims}} if accepted else None
        )
        return self._record("Answer", purpose, arguments, started, findings=findings, result=result)

    @property
    def lake(self) -> Lake:
        """The tables in DuckDB, opened on first use."""
        if self._lake is None:
            files = {unit.table: self._table_file(card, unit) for card, unit in self._map.tables()}
            self._lake = Lake(
                {name: path for name, path in files.items() if path.is_file()}, groups=self._groups()
            )
        return self._lake

    def _groups(self) -> list[tuple[SourceGroup, dict[str, Path]]]:
        """Return the groups that are read as one table, with the files of their members."""
        found = []
        for group in self._map.groups:
            paths = [self._table_file(card, unit) for card, unit in members_of(group, self._map)]
            if paths and all(path.is_file() for path in paths):
                found.append((group, dict(zip(group.members, paths, strict=True))))
        return found

    def close(self) -> None:
        """Close the lake; the session belongs to whoever opened it."""
        if self._lake is not None:
            self._lake.close()
            self._lake = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _enumerate(self, known: KnownTable, column: str) -> Enumeration:
        """List the values of a column and remember them."""
        parameters: dict[str, Json] = {"table": known.name, "columns": [column], "most": VALUES_LISTED + 1}
        rows = self.lake.fetch(read("probe/list_values"), parameters).rows
        values = tuple(ValueCount(str(value), int(count)) for value, count in rows[:VALUES_LISTED])
        seen = Enumeration(values, len(rows) <= VALUES_LISTED and known.coverage.complete)
        self.knowledge.learn_values(known.name, column, seen)
        return seen

    def _find(self, unit: SourceUnit | str) -> tuple[SourceCard, SourceUnit]:
        for card in self._map.cards:
            for found in card.units:
                if found is unit or found == unit or (isinstance(unit, str) and found.table == unit):
                    return card, found
        name = unit if isinstance(unit, str) else unit.table
        raise OperatorError(f"the lake has no unit {name!r}.", hint="`lakebook sources DIR` lists them.")

    def _known(self, table: str) -> KnownTable:
        known = self.knowledge.table(table)
        if known is None:
            raise OperatorError(f"there is no table {table!r}.", hint="`lakebook sources DIR` lists them.")
        return known

    def _column(self, known: KnownTable, name: str) -> Column:
        column = known.column(name)
        if column is None:
            names = ", ".join(column.name for column in known.columns)
            raise OperatorError(f"{known.name} has no column {name!r}.", hint=f"It has: {names}.")
        return column

    def _require_session(self) -> Session:
        if self._session is None:
            raise OperatorError("there is no sandbox session to compute in.", hint="Open one first.")
        return self._session

    def _record(
        self,
        operator: OperatorName,
        purpose: str,
        arguments: Mapping[str, Json],
        started: datetime,
        *,
        inputs: tuple[DataInput, ...] = (),
        output: str = "",
        observations: tuple[Observation, ...] = (),
        findings: tuple[Finding, ...] = (),
        error: str = "",
        result: Json = None,
    ) -> ExecutionRecord:
        record = ExecutionRecord(
            id=f"r{len(self.records) + 1:03d}",
            operator=operator,
            purpose=purpose,
            arguments=arguments,
            inputs=inputs,
            output=output,
            observations=observations,
            findings=findings,
            verdict=verdict(findings),
            error=error,
            result=result,
            result_sha256=plain.sha256(result) if result is not None else "",
            started=started.isoformat(timespec="milliseconds"),
            seconds=(self._clock() - started).total_seconds(),
        )
        self.records.append(record)
        return record
