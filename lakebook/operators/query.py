"""The Query operator: check a SELECT, run it, look at the result (RADAR §3.1-3.3).

Order: the statement as written, then what is measured for the rules, then the run, then the result. What the
engine cannot bind fails before anything of it runs, and is a rejection too. What was seen goes into the
shared state. Records are written by the runtime.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from lakebook.errors import LakebookError, OperatorError
from lakebook.operators import plain
from lakebook.operators.lake import Lake, Refused, Rows
from lakebook.operators.measure.budget import budget_for
from lakebook.operators.measure.keys import learn_matches
from lakebook.operators.measure.observed import observations
from lakebook.operators.measure.outcome import look_at
from lakebook.operators.measure.predicates import count_predicates
from lakebook.operators.measure.presence import learn_presences
from lakebook.operators.measure.scopes import measure_scopes
from lakebook.operators.record import DataInput, ExecutionRecord, Finding
from lakebook.operators.state import Judge, Ran, data_input
from lakebook.sandbox.base import Json
from lakebook.sources.card import Column
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable, restricted
from lakebook.validation.registry import Rule, asked, verdict
from lakebook.validation.sampling import cut_of_result
from lakebook.validation.statement import Resolver, Statement, owned, parse
from sql import read

ROWS_RECORDED = 200  # rows of a result that its record shows; the hash covers all of them
ROWS_FETCHED = 100_000
MEASURE_SECONDS = 10.0
# What the engine would refuse, so that nothing can be measured of it.
_UNBOUND = frozenset({"Q1", "Q2", "Q3", "Q4", "B1", "B2", "B3"})


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a Query gave: nothing but its record if it was rejected or failed."""

    record: ExecutionRecord
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Json, ...], ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RanQuery(Ran):
    """A query as it went; its rows besides, if it ran."""

    found: Rows | None = None
    rows: tuple[tuple[Json, ...], ...] = ()


def run_query(
    lake: Lake,
    knowledge: Knowledge,
    judge: Judge,
    sql: str,
    arguments: Mapping[str, Json],
    *,
    inputs: Sequence[str] | None = None,
    output: str = "",
    confirm_cross: bool = False,
    seconds: float = 60.0,
) -> RanQuery:
    """Check and run one SELECT; see `Runtime.query`. Adds what it sees to `knowledge`."""
    sight = knowledge if inputs is None else restricted(knowledge, inputs)
    invocation = judge.informed(_examine(lake, sql, arguments, confirm_cross))
    findings, invocation = _check_before(lake, judge, invocation, sight)
    read_by = _read_by(invocation.statement, sight)
    if verdict(findings) == "reject":
        return RanQuery(inputs=read_by, output=output, findings=findings)
    statement = invocation.statement or Statement(sql)
    try:
        found = lake.fetch(sql, most=ROWS_FETCHED, seconds=seconds)
        if output:
            _keep(lake, knowledge, output, statement, found, seconds)
    except Refused as error:
        findings = judge.check(replace(invocation, refusal=error.message), sight, "before")
        unsaid = "" if verdict(findings) == "reject" else error.message
        return RanQuery(inputs=read_by, output=output, findings=findings, error=unsaid)
    except LakebookError as error:
        return RanQuery(inputs=read_by, output=output, findings=findings, error=error.message)
    outcome = look_at(lake, statement, found, sight, MEASURE_SECONDS)
    after = judge.check(replace(invocation, outcome=outcome), sight, "after")
    rows = tuple(tuple(plain.plain(value) for value in row) for row in found.rows)
    return RanQuery(
        inputs=read_by,
        output=output,
        findings=(*findings, *after),
        observations=observations(invocation, sight, found),
        result=_result(found, rows),
        found=found,
        rows=rows,
    )


def _result(found: Rows, rows: Sequence[tuple[Json, ...]]) -> Json:
    """Return the result as a record holds it: the first rows, and the hash of all."""
    every: list[Json] = [list(row) for row in rows]
    return {
        "columns": list(found.columns),
        "types": list(found.types),
        "rows": every[:ROWS_RECORDED],
        "row_count": len(every),
        "rows_sha256": plain.sha256(every),
        "more": found.more,
    }


def _examine(lake: Lake, sql: str, arguments: Mapping[str, Json], confirm_cross: bool) -> Invocation:
    """Read a statement, without running or measuring anything."""
    try:
        kinds = lake.statement_types(sql)
    except OperatorError as error:
        return Invocation("Query", arguments, statement_types=(), refusal=error.message)
    if kinds != ("SELECT",):  # what does not run needs no further checks
        return Invocation("Query", arguments, statement_types=kinds)
    return Invocation("Query", arguments, parse(sql), reach=lake.reach(sql), confirm_cross=confirm_cross)


def _check_before(
    lake: Lake, judge: Judge, invocation: Invocation, knowledge: Knowledge
) -> tuple[tuple[Finding, ...], Invocation]:
    """Check that a statement can be measured, then, with what is measured, all the rest."""
    findings = judge.check(invocation, knowledge, "before", _comes_first)
    if not judge.validation:
        return findings, invocation  # nothing needs to be measured, and the engine speaks when it runs
    statement = invocation.statement
    unbound = any(finding.action == "reject" and finding.rule in _UNBOUND for finding in findings)
    if not unbound and statement is not None:
        rejected = verdict(findings) == "reject"
        if statement.tree is None:
            message = f"The statement was not analysed: {statement.problem}"
            return (*findings, Finding("Q4", "not_checked", message)), invocation
        learn_presences(lake, statement, knowledge, MEASURE_SECONDS)
        count_predicates(lake, asked(invocation, knowledge), knowledge, MEASURE_SECONDS)
        if not rejected:
            budget = budget_for(statement, knowledge)
            learn_matches(lake, statement, knowledge, budget)
            invocation = replace(invocation, measured=measure_scopes(lake, statement, knowledge, budget))
    rest = judge.check(invocation, knowledge, "before", lambda one: not _comes_first(one))
    return (*findings, *rest), invocation


def _comes_first(one: Rule) -> bool:
    """Say whether a rule looks at the statement alone, and at whether it can be measured at all."""
    return one.family in ("statement", "binding", "joins") or one.id in _UNBOUND


def _keep(
    lake: Lake, knowledge: Knowledge, output: str, statement: Statement, found: Rows, seconds: float
) -> None:
    """Make a result a table for later queries; what is known of its columns is measured."""
    if knowledge.table(output) is not None:
        raise OperatorError(f"there is a table {output!r} already.", hint="Choose another name.")
    lake.keep(output, statement.sql, seconds=seconds)
    cut = cut_of_result(statement, len(found.rows), Resolver(knowledge))
    try:
        learn_result(lake, knowledge, output, found, cut=cut)
    except LakebookError:
        lake.drop(output)
        raise


def learn_result(lake: Lake, knowledge: Knowledge, output: str, found: Rows, *, cut: str = "") -> None:
    """Learn a result as a table: what its columns hold is measured over all rows.

    Args:
        lake: where the result is kept.
        knowledge: what learns of it.
        output: its name.
        found: its columns and types.
        cut: which arbitrary choice of rows it holds, "" for none.
    """
    columns, rows = [], 0
    for name, engine in zip(found.columns, found.types, strict=True):
        parameters: dict[str, Json] = {"table": output, "columns": [name]}
        measured = lake.fetch(read("probe/measure_column"), parameters).rows[0]
        rows = int(measured[0])
        low, high = (None if value is None else str(value) for value in measured[3:5])
        columns.append(
            Column(name, name, _column_type(engine), "text", measured[1], measured[2], min=low, max=high)
        )
    knowledge.learn_table(
        KnownTable(output, tuple(columns), rows, f"result {output}", rows_in_source=rows, cut=cut)
    )


def _read_by(statement: Statement | None, knowledge: Knowledge) -> tuple[DataInput, ...]:
    """Return the tables that a statement reads, with the columns that it names."""
    if statement is None or statement.tree is None:
        return ()
    resolver = Resolver(knowledge)
    used: dict[str, set[str]] = {}
    for scope in statement.scopes:
        for table in filter(None, map(resolver.table, scope.sources.values())):
            used.setdefault(table.name, set())
    for scope in statement.selects():
        for origin in (resolver.origin(scope, node) for node in owned(scope, exp.Column)):
            if origin is not None:
                used.setdefault(origin.table, set()).add(origin.column)
    found = []
    for name, columns in sorted(used.items()):
        known = knowledge.table(name)
        if known is not None:
            found.append(data_input(known, sorted(columns)))
    return tuple(found)


def _column_type(engine: str) -> Any:
    """Return our name for an engine type."""
    name = engine.upper()
    if name.endswith("[]") or name.startswith(("STRUCT", "MAP")):
        return "json"
    if "INT" in name and not name.startswith("INTERVAL"):
        return "integer"
    if name.startswith(("DOUBLE", "FLOAT", "REAL", "DECIMAL")):
        return "number"
    if name.startswith("TIMESTAMP"):
        return "datetime"
    return {"DATE": "date", "BOOLEAN": "boolean"}.get(name, "text")
