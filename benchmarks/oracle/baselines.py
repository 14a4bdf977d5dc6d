"""Two simpler ways of slicing, as rivals: what a slicer does that knows names only.

`names only`: a statement is needed if it stores a name that is read later, as notebooks that recompute by
names see it. `every call mutates`: besides, each method call and each store into a part changes its object,
as slicers without knowledge of libraries must take it. Both keep top-level statements whole.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from lakebook.notebooks.clean import parse

NAMES_ONLY, EVERY_CALL = "names only", "every call mutates"


def upstream(cells: Sequence[tuple[int, str]], target: int, way: str) -> list[tuple[int, str]]:
    """Return what a target cell needs of the cells before it, as (cell, code) pairs.

    Args:
        cells: all cells of the program as (cell, code), in order.
        target: the cell that draws.
        way: `NAMES_ONLY` or `EVERY_CALL`.
    """
    mutating = way == EVERY_CALL
    wanted: set[str] = set()
    kept: list[tuple[int, str]] = []
    reached = False
    for cell, code in reversed(cells):
        reached = reached or cell == target
        if not reached:
            continue
        needed: list[str] = []
        for node in reversed(parse(code).body):
            read, stored, changed = _names(node, mutating=mutating)
            if cell != target and not (stored | changed) & wanted:
                continue
            needed.append(ast.unparse(node))
            if cell == target or isinstance(node, (ast.Assign, ast.Import, ast.ImportFrom, ast.FunctionDef)):
                wanted -= stored
            wanted |= read
        if needed and cell != target:
            kept.append((cell, "\n".join(reversed(needed))))
    return kept[::-1]


def _names(node: ast.AST, *, mutating: bool) -> tuple[set[str], set[str], set[str]]:
    """Return the names that a statement reads, stores, and (if methods count as mutators) changes."""
    read, stored, changed = set[str](), set[str](), set[str]()
    for item in ast.walk(node):
        if isinstance(item, ast.Name):
            (read if isinstance(item.ctx, ast.Load) else stored).add(item.id)
        elif isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            stored.add(item.name)
        elif isinstance(item, (ast.Import, ast.ImportFrom)):
            stored.update((alias.asname or alias.name).partition(".")[0] for alias in item.names)
        elif isinstance(item, ast.AugAssign) and isinstance(item.target, ast.Name):
            read.add(item.target.id)
        is_store = isinstance(item, (ast.Subscript, ast.Attribute)) and isinstance(item.ctx, ast.Store)
        is_method = isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute)
        if mutating and (is_store or is_method):
            changed |= _root(item)
    return read, stored, changed


def _root(node: ast.AST) -> set[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()
