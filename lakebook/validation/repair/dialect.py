"""Mending what other databases write otherwise: TOP, names in brackets, functions with another name here.

What belongs here: changes of writing that keep the meaning. A statement is never read whole as of another
database, where double quotes, division or NULLs may mean something else.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from lakebook.validation.knowledge import Knowledge
from lakebook.validation.repair.failure import Failure, Proposal
from lakebook.validation.statement import text

# Functions that sqlglot does not know by DuckDB's grammar, and the database whose they are.
_FOREIGN = {
    "TO_CHAR": "postgres",
    "DATE_FORMAT": "mysql",
    "ISNULL": "tsql",
    "DATEADD": "tsql",
    "FORMAT_DATE": "bigquery",
    "PARSE_DATE": "bigquery",
    "PERCENTILE": "spark",
    "SAFE_DIVIDE": "bigquery",
    "STR_TO_DATE": "mysql",
    "TO_DATE": "postgres",
}
_TOP = re.compile(r"^(\s*select\s+(?:distinct\s+)?)top\s*\(?\s*(\d+)\s*\)?\s+", re.IGNORECASE)
_LIMIT_PAIR = re.compile(r"\blimit\s+(\d+)\s*,\s*(\d+)\s*;?\s*$", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^\[\]\"]+)\]")
_FENCE = re.compile(r"^\s*```\w*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_CLAUSE_FAULTS = ("Parser Error", "Catalog Error", "Binder Error")


def other_writing(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Change what only other databases read: a fence round the text, TOP n, names in brackets."""
    sql, told = failure.sql, []
    if fenced := _FENCE.match(sql):
        sql = fenced[1]
        told.append("the fence is taken off")
    top = _TOP.match(sql)
    if (
        top
        and not re.search(r"\blimit\b", sql, re.IGNORECASE)
        and len(re.findall(r"(?i)\bselect\b", sql)) == 1
    ):
        rest = _TOP.sub(r"\1", sql, count=1).rstrip().rstrip(";")
        sql = f"{rest} LIMIT {top[2]}"
        told.append(f"TOP {top[2]} is LIMIT {top[2]}")
    if pair := _LIMIT_PAIR.search(sql):
        sql = f"{sql[: pair.start()]}LIMIT {pair[2]} OFFSET {pair[1]}"
        told.append(f"LIMIT {pair[1]}, {pair[2]} is LIMIT {pair[2]} OFFSET {pair[1]}")
    known = {table.name.lower() for table in knowledge.tables.values()}
    known |= {column.name.lower() for table in knowledge.tables.values() for column in table.columns}
    named = [name for name in _BRACKETED.findall(sql) if name.lower() in known]
    if named and "[" in sql and _parser_failed(failure):
        sql = _BRACKETED.sub(lambda match: f'"{match[1]}"' if match[1].lower() in known else match[0], sql)
        told.append("brackets round names are quotes")
    return Proposal("dialect", sql, ", ".join(told)) if told else None


def other_functions(failure: Failure, knowledge: Knowledge) -> Proposal | None:
    """Call functions as DuckDB does. One that it could do in part only (a lost format) is left as it is."""
    if not failure.error.startswith(_CLAUSE_FAULTS) and not failure.rejections:
        return None
    statement = failure.parsed()
    if statement.tree is None:
        return None
    before = text(statement.tree)
    try:
        tree = statement.tree.transform(_rewritten)
        sql = _written(tree)
    except (SqlglotError, ValueError):
        return None
    mended = _functions(sql) - _functions(failure.sql)
    lost = _functions(failure.sql) - _functions(sql)
    if not lost or not mended or sql == before == failure.sql:
        return None
    said = f"{', '.join(sorted(lost))} is written with {', '.join(sorted(mended))}"
    return Proposal("dialect", sql, said)


def _rewritten(node: Any) -> Any:
    """Return a call of a function of another database as it is called here; other nodes as they are."""
    name = node.name.upper() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, exp.ToChar):
        name = "TO_CHAR"
    home = _FOREIGN.get(name)
    if home is None:
        return node
    call = node.sql(dialect=home)
    return sqlglot.parse_one(_written(sqlglot.parse_one(call, read=home)), read="duckdb")


def _written(tree: Any) -> str:
    """Return DuckDB's SQL. Raises UnsupportedError for what would be lost."""
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    return str(tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.RAISE))


def _functions(sql: str) -> set[str]:
    bare = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "", sql)
    words = {word.upper() for word in re.findall(r"\b([A-Za-z_]\w*)\s*\(", bare)}
    return (words | ({"CASE"} if re.search(r"(?i)\bcase\b", bare) else set())) - _NO_FUNCTIONS


_NO_FUNCTIONS = frozenset(
    {"IN", "AND", "OR", "NOT", "ON", "AS", "FROM", "WHERE", "SELECT", "OVER", "BY", "VALUES"}
)


def _parser_failed(failure: Failure) -> bool:
    return failure.error.startswith("Parser Error") or any(one.rule == "Q1" for one in failure.rejections)
