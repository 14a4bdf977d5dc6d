"""The Compute operator: run code in a forked session, and take out what it was to give (RADAR §3.1).

Over the table of an analysis it gives facts in the session's prepared state; over tables of the lake it is
given them as frames, and gives tables, facts and files. How those cross is in `crossing`.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from lakebook.analyst.table import Table
from lakebook.errors import LakebookError, OperatorError, SandboxError, SandboxUnavailable
from lakebook.operators import crossing, plain
from lakebook.operators.arguments import Compute
from lakebook.operators.artifacts import keep_artifacts, put_back, seen_files
from lakebook.operators.query import learn_result
from lakebook.operators.record import DataInput, Observation
from lakebook.operators.state import Ran, SharedState, data_input
from lakebook.operators.workbench import Workbench
from lakebook.sandbox.base import Json, Session
from lakebook.sources.card import Coverage
from lakebook.syntax import parse_python
from lakebook.validation.invocation import Invocation
from lakebook.validation.registry import verdict
from sql import read

PRINTED_LETTERS = 8_000
ROWS_SHOWN = 50
TAKE_SECONDS = 60.0
REJECTED = "rejected before it ran"


def parse_code(code: str) -> tuple[ast.Module | None, str]:
    """Return the tree of code, or why there is none."""
    try:
        return parse_python(code), ""
    except SyntaxError as error:
        return None, f"SyntaxError: {error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError) as error:
        return None, f"the code cannot be parsed: {error}"


def texts(tree: ast.Module | None) -> set[str]:
    """Return the string constants and attribute names of code: among them are the columns that it uses."""
    nodes = list(ast.walk(tree)) if tree is not None else []
    constants = {
        node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return constants | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def compute_facts(
    state: SharedState, session: Session, name: str, code: str, table: Table, seconds: float | None
) -> Ran:
    """Run code on the table of an analysis; the result is the dictionary that it binds to `name`."""
    tree, error = parse_code(code)
    findings = state.check(Invocation("Compute", {"name": name, "code": code}, table=table, tree=tree))
    facts: Json = None
    if not error and verdict(findings) == "reject":
        error = REJECTED
    elif not error:
        facts, error = run_code(session, name, code, seconds)
    named = texts(tree)
    source = f"{table.path}#{table.unit}" if table.unit else table.path
    columns = tuple(column.name for column in table.columns if column.name in named)
    return Ran(
        inputs=(DataInput(source, table.sha256, columns, table.rows, table.rows_in_file),),
        output=name,
        findings=findings,
        error=error,
        result=facts if not error else None,
    )


def run_code(session: Session, name: str, code: str, seconds: float | None) -> tuple[Json, str]:
    """Run code in a forked state; return the facts, or what went wrong."""
    try:
        cells, values = session.run_forked([code], evaluate=[name], seconds=seconds)
    except SandboxUnavailable:
        raise
    except SandboxError as error:
        return None, str(error)
    failed = next((cell.error for cell in cells if cell.error), None)
    if failed is not None:
        return None, f"{failed.name}: {failed.message}"
    if not values or values[0].error:
        return None, values[0].error if values else f"the code defines no {name}"
    if not isinstance(values[0].value, dict):
        return None, f"{name} is not a dictionary of facts"
    return values[0].value, ""


def compute_tables(state: SharedState, bench: Workbench, operation: Compute, seconds: float | None) -> Ran:
    """Run code on tables of the lake; frames that it gives become tables.

    Raises:
        OperatorError: an input is no table, or an output has the name of one.
        SandboxError: the sandbox failed.
    """
    tables = [state.known(name) for name in operation.inputs]
    known = {table.name: table for table in tables}
    for name in operation.outputs:
        if state.knowledge.table(name) is not None:
            raise OperatorError(f"there is a table {name!r} already.", hint="Choose another name.")
    tree, error = parse_code(operation.code)
    named = texts(tree)
    ran = Ran(
        inputs=tuple(
            data_input(table, [column.name for column in table.columns if column.name in named])
            for table in tables
        ),
        output=", ".join(operation.outputs),
    )
    invocation = Invocation("Compute", operation.arguments, tree=tree, frames=known)
    ran = replace(ran, findings=state.check(invocation))
    if error or verdict(ran.findings) == "reject":
        return replace(ran, error=error or REJECTED)
    crossing.bind(bench, state.lake, list(known))
    with bench.session.copied():
        before = seen_files(bench)
        came = crossing.run(bench, operation.code, list(known), operation.outputs, seconds)
        files, problem = keep_artifacts(state.artifacts, bench, before, operation.artifacts, state.next_id)
        ran = replace(ran, observations=_printed(came.printed), error=came.error or problem)
        if not ran.error:
            ran = _with_results(state, bench, ran, came, files)
        crossing.drop_waiting(bench, came.tables)
    put_back(state.artifacts, bench, state.next_id)
    return ran


def _with_results(
    state: SharedState, bench: Workbench, ran: Ran, came: crossing.Came, files: list[Json]
) -> Ran:
    """Take what came back; if one table cannot be taken, none is."""
    tables: dict[str, Json] = {}
    observations = list(ran.observations)
    for name in came.tables:
        try:
            crossing.take_table(bench, state.lake, name, seconds=TAKE_SECONDS)
            tables[name] = _learn(state, name)
        except LakebookError as failed:
            for taken in (*tables, name):
                state.forget(taken)
            return replace(ran, error=str(failed))
        observations.append(Observation("result_rows", name, state.known(name).rows))
    result: dict[str, Json] = {"facts": plain.plain(dict(came.facts)), "tables": tables, "artifacts": files}
    if came.printed:
        result["printed"] = came.printed[:PRINTED_LETTERS]
    return replace(ran, observations=tuple(observations), result=result)


def _learn(state: SharedState, name: str) -> Json:
    """Learn a table that came back; return its first rows."""
    parameters: dict[str, Json] = {"table": name, "most": ROWS_SHOWN}
    found = state.lake.fetch(read("probe/first_rows"), parameters)
    learn_result(state.lake, state.knowledge, name, found)
    rows: list[Json] = [[plain.plain(value) for value in row] for row in found.rows]
    count = state.known(name).rows
    return {"columns": list(found.columns), "types": list(found.types), "rows": rows, "row_count": count}


def _printed(text: str) -> tuple[Observation, ...]:
    if not text:
        return ()
    whole = Coverage(
        len(text) <= PRINTED_LETTERS, "" if len(text) <= PRINTED_LETTERS else "the first letters"
    )
    return (Observation("printed", "output", text[:PRINTED_LETTERS], whole),)
