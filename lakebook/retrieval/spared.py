"""What a component can do without: modules that it imports and never uses, columns that only stand in a list.

The run drops the former and `enhancement.repairs.columns` leaves out the latter, so neither is a reason to
refuse it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from lakebook.notebooks.component import Component
from lakebook.syntax import parse_python

# Their lists say what the figure is made of; without one of them it is another figure.
_KEYS = frozenset({"groupby", "pivot_table", "pivot", "merge", "set_index", "crosstab", "join"})


def used_modules(component: Component) -> tuple[str, ...]:
    """Return the modules of a component, without those of which its code uses no name."""
    tree = _parsed(component.code)
    if tree is None:
        return component.modules
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used: set[str] = set()
    idle: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            of = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                is_read = alias.name == "*" or (alias.asname or alias.name).split(".")[0] in read
                (used if is_read else idle).add((of or alias.name).split(".")[0])
    return tuple(name for name in component.modules if name in used or name not in idle)


def spared_columns(code: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that the code never writes, or writes only in lists of several texts.

    The first are shown because the whole table is; of the second the others can be shown without them.
    """
    tree = _parsed(code)
    if tree is None:
        return ()
    finder = _Listed()
    finder.visit(tree)
    return tuple(name for name in names if name not in finder.alone)


class _Listed(ast.NodeVisitor):
    """Collects every text and attribute that is not an item of a list of several texts."""

    def __init__(self) -> None:
        self.alone: set[str] = set()
        self._keys = 0

    def visit_Call(self, node: ast.Call) -> None:
        is_key = isinstance(node.func, ast.Attribute) and node.func.attr in _KEYS
        self._keys += is_key
        self.generic_visit(node)
        self._keys -= is_key

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.alone.add(node.attr)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        # Names given to columns by their place are no list that one may be left out of.
        by_place = any(isinstance(one, ast.Attribute) and one.attr == "columns" for one in node.targets)
        self._keys += by_place
        self.generic_visit(node)
        self._keys -= by_place

    def visit_List(self, node: ast.List) -> None:
        texts = [item for item in node.elts if _is_text(item)]
        for item in node.elts:
            if self._keys or len(texts) < 2 or not _is_text(item):
                self.visit(item)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.alone.add(node.value)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _parsed(code: str) -> ast.Module | None:
    try:
        return parse_python(code)
    except (SyntaxError, ValueError, RecursionError):
        return None
