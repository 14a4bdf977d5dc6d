"""Which operations of a batch need what others of it give: a failed one stops only those (RADAR §3.1)."""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lakebook.operators.arguments import Answer, Compute, Inspect, Operation, Probe, Query

_FILE = "file "


def gives(operation: Operation) -> frozenset[str]:
    """Return the names of results and files that later operations may use."""
    match operation:
        case Query(output=name) if name:
            return frozenset({name.lower()})
        case Compute(outputs=names, artifacts=paths):
            return frozenset({*(name.lower() for name in names), *(_FILE + path for path in paths)})
    return frozenset()


def needs(operation: Operation) -> frozenset[str]:
    """Return the names of tables, results and files that an operation uses."""
    match operation:
        case Query(inputs=names) if names is not None:
            return frozenset(name.lower() for name in names)
        case Query(sql=sql):
            return _tables(sql)
        case Compute(inputs=names):
            return frozenset(name.lower() for name in names)
        case Inspect(table=name):
            return frozenset({name.lower()})
        case Probe(table=name, other_table=other):
            return frozenset({name.lower(), other.lower()} - {""})
        case Answer(references=names, artifacts=paths):
            return frozenset({*(name.lower() for name in names), *(_FILE + path for path in paths)})
    return frozenset()


def lacks(operation: Operation, lost: Mapping[str, str]) -> str:
    """Return why an operation cannot run, "" if it can. `lost`: what was to be given -> why it was not."""
    missing = sorted(needs(operation) & lost.keys())
    return "; ".join(f"it needs {name.removeprefix(_FILE)}, but {lost[name]}" for name in missing)


def _tables(sql: str) -> frozenset[str]:
    try:
        trees = sqlglot.parse(sql, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return frozenset()  # its own checks say so
    found = [table for tree in trees if tree is not None for table in tree.find_all(exp.Table)]
    return frozenset(table.name.lower() for table in found)
