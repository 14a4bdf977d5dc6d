"""Rules on the statement as a whole: it reads, it is one SELECT, and it reads only the lake."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule

_READERS = ("read_", "parquet_", "sqlite_", "iceberg_", "delta_", "arrow_scan", "pandas_scan", "glob")


@rule(
    "Q1",
    operator="Query",
    detects="text that is no statement, or more than one",
    evidence="the engine's parser",
    action="reject",
    reference="RADAR §3.1 (typed arguments)",
)
def one_statement(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject anything but exactly one statement."""
    kinds = invocation.statement_types
    if not kinds:
        reason = invocation.refusal or "it is empty"
        yield Finding(
            "Q1", "reject", f"The text is not a SQL statement: {reason}", hint="Correct the syntax."
        )
    elif len(kinds) > 1:
        yield Finding(
            "Q1",
            "reject",
            f"There are {len(kinds)} statements; one is expected.",
            hint="Send them one by one.",
        )


@rule(
    "Q2",
    operator="Query",
    detects="a statement that is not a SELECT: the lake is read-only",
    evidence="the engine's parser",
    action="reject",
    reference="design §5, rule 4",
)
def only_select(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject statements that change something or run commands."""
    kinds = invocation.statement_types
    if len(kinds) == 1 and kinds[0] != "SELECT":
        yield Finding(
            "Q2",
            "reject",
            f"A {kinds[0]} statement was given; only SELECT runs, since the lake is never changed.",
            hint="Write a SELECT; SELECT … PIVOT is written as conditional aggregates.",
        )


@rule(
    "Q3",
    operator="Query",
    detects="a function that reads files past the source map",
    evidence="the parsed statement",
    action="reject",
    reference="design §5, rules 1 and 4",
)
def no_file_functions(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject read_csv and its like: what they read has no card, no hash and no row account."""
    statement = invocation.statement
    if statement is None or statement.tree is None:
        return
    for node in statement.tree.find_all(exp.Func):
        name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()
        if name.startswith(_READERS):
            yield Finding(
                "Q3",
                "reject",
                f"{name}() reads a file directly; queries read the tables of the lake only.",
                hint="Name the table; `lakebook sources DIR` lists them.",
            )


@rule(
    "Q4",
    operator="Query",
    detects="a statement that the engine cannot bind, when no other rule names the cause",
    evidence="the engine's own message, before anything ran",
    action="reject",
    reference="RADAR §3.3",
)
def engine_binds(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Pass on the engine's refusal."""
    if invocation.refusal and len(invocation.statement_types) == 1:
        yield Finding("Q4", "reject", f"The engine refuses the statement: {invocation.refusal}")
