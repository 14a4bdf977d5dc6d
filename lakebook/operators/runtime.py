"""The runtime: it runs operators, has every invocation checked, and keeps the execution records (RADAR §3).

Order of one invocation: measure what the rules need, check, stop if rejected, run, look at the result, check
again, record. What was seen stays in the shared state, so that a Probe serves every later Query. `run` and
`run_batch` take typed operations and never raise for what is wrong with one: its record says so. What each
operator does stands in its module; what the rules say is their business (`lakebook.validation`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from lakebook.analyst.claim import Claim
from lakebook.analyst.table import Table
from lakebook.errors import LakebookError, OperatorError
from lakebook.exploration.selection import Selector
from lakebook.operators import plain
from lakebook.operators.answer import answer_claims, claim_arguments
from lakebook.operators.arguments import Batch, Operation, ProbeKind, Query
from lakebook.operators.artifacts import KeptArtifact
from lakebook.operators.batch import gives, lacks
from lakebook.operators.compute import compute_facts
from lakebook.operators.lake import Lake
from lakebook.operators.load import load, load_arguments
from lakebook.operators.perform import perform
from lakebook.operators.probe import probe
from lakebook.operators.query import ROWS_RECORDED, QueryResult, RanQuery, run_query
from lakebook.operators.record import ExecutionRecord, OperatorName
from lakebook.operators.state import Judge, Ran, SharedState, TableFile
from lakebook.operators.workbench import OpenBench
from lakebook.sandbox.base import Json, Session
from lakebook.sources.card import SourceMap, SourceUnit
from lakebook.validation.contract import Contract
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.question import Question
from lakebook.validation.registry import verdict
from lakebook.validation.repair import Repairing, repaired

QUERY_SECONDS = 60.0


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
        *,
        question: Question | None = None,
        contract: Contract | None = None,
        validation: bool = True,
        root: Path | None = None,
        kept: Path | None = None,
        bench: OpenBench | None = None,
        selector: Selector | None = None,
        repairing: Repairing | None = None,
    ) -> None:
        """Prepare; nothing is read or started before it is needed.

        Args:
            source_map: the cards of the lake.
            table_file: gives the Parquet file of a unit.
            session: where facts of a prepared table are computed; without one that does not work.
            clock: tells the time of the records.
            question: what is to be answered, for rules that compare it with the operations.
            contract: what the answer was declared to be.
            validation: False runs the operations without the rules, and the records say so.
            root: the lake's folder, for Read of raw lines.
            kept: where the lake's index and passages are kept, for Search and Read.
            bench: opens where Compute works over tables of the lake (`workbench.bench_opener`).
            selector: the model that chooses among what Search found, None for none.
            repairing: mends statements that fail, within its bounds; None leaves them as they are. Without
                validation nothing is mended either (the ablation of the paper).
        """
        self._repairing = repairing if validation else None
        self.state = SharedState(
            source_map,
            table_file,
            Judge(question, contract, validation),
            root=root,
            kept=kept,
            selector=selector,
            open_bench=bench,
        )
        self._session = session
        self._clock = clock

    @property
    def records(self) -> list[ExecutionRecord]:
        """What ran, in order."""
        return self.state.records

    @property
    def knowledge(self) -> Knowledge:
        """What was observed."""
        return self.state.knowledge

    @property
    def lake(self) -> Lake:
        """The tables in DuckDB, opened on first use."""
        return self.state.lake

    @property
    def scope(self) -> Mapping[str, str]:
        """The sources that Search or Load chose, each with the record that chose it."""
        return self.state.scope

    @property
    def artifacts(self) -> Mapping[str, KeptArtifact]:
        """The files that computations wrote, by their path."""
        return self.state.artifacts

    def run(self, operation: Operation, *, seconds: float | None = None) -> ExecutionRecord:
        """Run one operation. What is wrong with it stands in its record as `error` or as findings.

        Args:
            operation: from `arguments.read_operation`, or made as an object.
            seconds: time limit of a Query or Compute.
        """
        started = self._clock()
        arguments = operation.arguments
        try:
            if isinstance(operation, Query):
                return self._query(operation, started, seconds or QUERY_SECONDS).record
            arguments, ran = perform(self.state, operation, seconds)
        except LakebookError as error:
            ran = Ran(error=str(error))
        return self._record(operation.operator, operation.purpose, arguments, started, ran)

    def run_batch(self, batch: Batch | Sequence[Operation]) -> tuple[ExecutionRecord, ...]:
        """Run operations in order. One that fails stops only those that need what it was to give."""
        lost: dict[str, str] = {}
        made = []
        for operation in batch.operations if isinstance(batch, Batch) else batch:
            reason = lacks(operation, lost)
            if reason:
                ran, now = Ran(error=f"not run: {reason}."), self._clock()
                record = self._record(operation.operator, operation.purpose, operation.arguments, now, ran)
            else:
                record = self.run(operation)
            how = "was rejected" if record.verdict == "reject" else "did not run" if reason else "failed"
            for name in gives(operation):
                if record.error or record.verdict == "reject":
                    lost[name] = f"{record.id}, which was to give it, {how}"
                else:
                    lost.pop(name, None)
            made.append(record)
        return tuple(made)

    def load(self, unit: SourceUnit | str, *, purpose: str = "") -> ExecutionRecord:
        """Take a unit into use: account for its rows and look for signs of a misread file.

        Args:
            unit: the unit, or the name of its table.
            purpose: what it is loaded for.

        Raises:
            OperatorError: the lake has no such unit.
        """
        started = self._clock()
        card, found = self.state.find(unit)
        ran = load(self.state, card, found)
        return self._record("Load", purpose, load_arguments(card, found), started, ran)

    def probe(
        self, table: str, column: str | Sequence[str], kind: ProbeKind = "distinct", *, purpose: str = ""
    ) -> ExecutionRecord:
        """Observe a column over all rows, and remember it for later checks.

        Args:
            table: name of the table.
            column: the column; for `key`, one or several that may identify a row.
            kind: as of `arguments.Probe`, save `match`.
            purpose: what it is probed for.

        Raises:
            OperatorError: there is no such table or column.
        """
        started = self._clock()
        known = self.state.known(table)
        columns = [column] if isinstance(column, str) else column
        names = [self.state.column(known, name).name for name in columns]
        arguments: dict[str, Json] = {"table": known.name, "columns": list(names), "kind": kind}
        return self._record("Probe", purpose, arguments, started, probe(self.state, known, names, kind))

    def query(
        self,
        sql: str,
        inputs: Sequence[str] | None = None,
        *,
        output: str = "",
        confirm_cross: bool = False,
        purpose: str = "",
        seconds: float = QUERY_SECONDS,
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
        operation = Query.model_construct(
            sql=sql,
            inputs=None if inputs is None else tuple(inputs),
            output=output,
            confirm_cross=confirm_cross,
            purpose=purpose,
        )
        return self._query(operation, self._clock(), seconds)

    def _query(self, operation: Query, started: datetime, seconds: float) -> QueryResult:
        arguments: dict[str, Json] = {"sql": operation.sql, "confirm_cross": operation.confirm_cross}
        if operation.inputs is not None:
            arguments["inputs"] = list(sorted(operation.inputs))

        def run(sql: str) -> RanQuery:
            return run_query(
                self.lake,
                self.knowledge,
                self.state.judge,
                sql,
                arguments | {"sql": sql},
                inputs=operation.inputs,
                output=operation.output,
                confirm_cross=operation.confirm_cross,
                seconds=seconds,
            )

        ran = run(operation.sql)
        if self._repairing is not None:
            mended = repaired(operation.sql, ran, run, self.knowledge, self._repairing.ask)
            arguments["sql"] = mended.sql
            told = (mended.finding,) if mended.finding else ()
            ran = replace(mended.outcome, repairs=mended.repairs, findings=(*mended.outcome.findings, *told))
        record = self._record("Query", operation.purpose, arguments, started, ran)
        if ran.found is None:
            return QueryResult(record)
        if len(ran.rows) > ROWS_RECORDED:
            self.state.whole_rows[record.id] = [list(row) for row in ran.rows]
        return QueryResult(record, ran.found.columns, ran.rows, ran.found.more)

    def prepare(self, code: str, *, purpose: str = "prepare") -> ExecutionRecord:
        """Run a cell in the session's own state, where later computations find what it defines.

        Raises:
            OperatorError: the cell failed; nothing can be computed then.
        """
        started = self._clock()
        result = self._require_session().run(code)
        error = f"{result.error.name}: {result.error.message}" if result.error else ""
        record = self._record("Compute", purpose, {"code": code, "kept": True}, started, Ran(error=error))
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
        ran = compute_facts(self.state, self._require_session(), name, code, table, seconds)
        self._record("Compute", purpose, {"name": name, "code": code}, started, ran)
        return ran.result if isinstance(ran.result, dict) else None

    def answer(self, text: str, claims: Sequence[Claim] = (), *, purpose: str = "") -> ExecutionRecord:
        """Submit an answer: accepted if each number in it is claimed and each claim rests on a record."""
        started = self._clock()
        ran = answer_claims(self.state, text, claims)
        return self._record("Answer", purpose, claim_arguments(text, claims), started, ran)

    def close(self) -> None:
        """Close the lake and the workbench; the session belongs to whoever opened it."""
        self.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        ran: Ran,
    ) -> ExecutionRecord:
        said = verdict(ran.findings)
        validated = self.state.judge.validation
        record = ExecutionRecord(
            id=self.state.next_id,
            operator=operator,
            purpose=purpose,
            arguments=arguments,
            inputs=ran.inputs,
            output=ran.output,
            observations=ran.observations,
            findings=ran.findings,
            verdict="not_checked" if said == "pass" and not validated else said,
            repairs=ran.repairs,
            error=ran.error,
            result=ran.result,
            result_sha256=plain.sha256(ran.result) if ran.result is not None else "",
            validated=validated,
            started=started.isoformat(timespec="milliseconds"),
            seconds=(self._clock() - started).total_seconds(),
        )
        self.records.append(record)
        return record
