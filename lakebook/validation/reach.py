"""What a statement reaches by name, in the engine's own reading: tables, functions in FROM, other functions.

The engine's parse tree is the authority here, since what keeps the lake closed must hold for every statement
that the engine would run, also for one that our own parser does not understand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Reach:
    """Names that a statement uses, as they are written.

    Attributes:
        tables: (schema, name) of what stands in FROM, without the statement's own WITH parts.
        table_functions: functions in FROM. `functions`: all others.
    """

    tables: tuple[tuple[str, str], ...] = ()
    table_functions: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()


def reach_of(serialized: str) -> Reach | None:
    """Return what a statement reaches by the engine's parse tree (JSON); None if there is none."""
    document = orjson.loads(serialized)
    if not isinstance(document, dict) or document.get("error"):
        return None
    tables: dict[tuple[str, str], None] = {}
    sources: dict[str, None] = {}
    functions: dict[str, None] = {}
    own: set[str] = set()
    for node in _nodes(document):
        kind = node.get("type")
        if kind == "BASE_TABLE":
            place = f"{node.get('catalog_name', '')}.{node.get('schema_name', '')}".strip(".")
            tables[place, str(node.get("table_name", ""))] = None
        elif kind == "TABLE_FUNCTION":
            sources[str(node["function"].get("function_name", "")).lower()] = None
        elif node.get("class") == "FUNCTION":
            functions[str(node.get("function_name", "")).lower()] = None
        parts = node.get("cte_map")
        if isinstance(parts, dict):
            own |= {str(part["key"]).lower() for part in parts.get("map", ())}
    found = tuple((place, name) for place, name in tables if place or name.lower() not in own)
    return Reach(found, tuple(sources), tuple(name for name in functions if name not in sources))


def _nodes(document: Any) -> Iterator[dict[str, Any]]:
    waiting = [document]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def reach_of_tree(tree: Any) -> Reach:
    """Return what a statement reaches by our own parser, where the engine's reading is not at hand."""
    own = {part.alias_or_name.lower() for part in tree.find_all(exp.CTE)}
    tables = {
        (f"{table.catalog}.{table.db}".strip("."), table.name): None
        for table in tree.find_all(exp.Table)
        if table.name and (table.db or table.name.lower() not in own)
    }
    names = {
        (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower(): None
        for node in tree.find_all(exp.Func)
    }
    sources = {
        (table.this.name if isinstance(table.this, exp.Anonymous) else table.this.sql_name()).lower()
        for table in tree.find_all(exp.Table)
        if isinstance(table.this, exp.Func)
    }
    return Reach(tuple(tables), tuple(sorted(sources)), tuple(name for name in names if name not in sources))
