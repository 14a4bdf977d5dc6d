"""Rules on the statement as a whole: it reads, it is one SELECT, and it reads only the lake."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.reach import Reach, reach_of_tree
from lakebook.validation.registry import rule

_READERS = (
    "read_", "parquet_", "sqlite_", "postgres_", "mysql_", "iceberg_", "delta_", "ducklake_", "st_read",
    "arrow_scan", "pandas_scan", "python_", "sniff_", "load_aws_", "open_", "http_",
)  # fmt: skip
_FILES = frozenset({"glob", "which_secret"})
# Functions in FROM that make rows of their arguments alone.
_GENERATORS = frozenset(
    {"range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree", "values"}
)
_INNER = frozenset(
    {"current_setting", "getenv", "write_log", "nextval", "currval", "current_query", "getvariable", "query"}
)
_MAIN = frozenset({"", "main", "memory", "memory.main"})
_SCHEMAS = frozenset({"information_schema", "pg_catalog", "system", "temp"})
_CATALOG = ("duckdb_", "sqlite_", "pragma_", "pg_")
_PATH = re.compile(r"[/\\*?]|://|\.\w+$")


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
    if kinds == ("MULTI",):
        yield Finding(
            "Q2",
            "reject",
            "A PIVOT that lists no values is run as several statements, which are not looked into here.",
            hint="List them, as PIVOT … ON column IN ('a', 'b') USING …, or write conditional aggregates.",
        )
    elif len(kinds) == 1 and kinds[0] != "SELECT":
        yield Finding(
            "Q2",
            "reject",
            f"A {kinds[0]} statement was given; only SELECT runs, since the lake is never changed.",
            hint="Write a SELECT.",
        )


@rule(
    "Q3",
    operator="Query",
    detects="a function or table that reads past the source map: files, settings, the engine's own catalog",
    evidence="the engine's parse tree",
    action="reject",
    reference="design §5, rules 1 and 4",
)
def only_the_lake(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject read_csv and its like: what they read has no card, no hash and no row account."""
    statement, reach = invocation.statement, invocation.reach
    if statement is None:
        return
    if reach is None and statement.tree is None:
        yield _refused("It cannot be told what the statement reads.", "Write it in a plainer form.")
        return
    reach = reach or reach_of_tree(statement.tree)
    yield from _functions(reach)
    for place, name in reach.tables:
        if place.lower() in _MAIN and knowledge.table(name) is not None:
            continue
        if _PATH.search(name):
            yield _refused(f"{name!r} is a file; queries read the tables of the lake only.")
        elif place.lower().split(".")[-1] in _SCHEMAS or name.lower().startswith(_CATALOG):
            yield _refused(f"{place + '.' if place else ''}{name} is the engine's own catalog, not the lake.")


def _functions(reach: Reach) -> Iterator[Finding]:
    for name in (*reach.table_functions, *reach.functions):
        in_from = name in reach.table_functions
        if name.startswith(_READERS) or (in_from and name in _FILES):
            yield _refused(f"{name}() reads a file directly; queries read the tables of the lake only.")
        elif name in _INNER or (in_from and name not in _GENERATORS):
            yield _refused(f"{name}() does not read the tables of the lake.", "Name a table instead.")


def _refused(message: str, hint: str = "Name the table; `lakebook sources DIR` lists them.") -> Finding:
    return Finding("Q3", "reject", message, hint=hint)


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
