"""Category values in old code that the new data spells otherwise ("TotalUS", now "Total U.S.").

A literal is rewritten only if the data does not have it and has exactly one value with the same letters; that
keeps the meaning. Values that are truly gone are left alone: the figure then shows nothing and is dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from lakebook.analyst.table import Table
from lakebook.correspondence.names import letters
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.script import Script, method

_SELECTING = frozenset({"isin", "get_group", "xs", "eq", "ne", "replace", "map", "reindex"})
_SHORTEST = 3


def respell(script: Script, table: Table) -> tuple[Script, list[Repair]]:
    """Rewrite literals that select by a category's value, where only the spelling changed."""
    spelled = spellings(table)
    if not spelled:
        return script, []
    return script.edited(_Respeller(spelled).visit, "respelled_value")


def spellings(table: Table) -> dict[str, str]:
    """Return letters -> value, for text values that no other value and no column shares its letters with."""
    found: dict[str, set[str]] = {}
    for column in table.columns:
        if column.dtype == "text":
            for level, _ in column.levels:
                found.setdefault(letters(level), set()).add(level)
    names = {letters(column.name) for column in table.columns}
    return {
        flat: next(iter(values))
        for flat, values in found.items()
        if len(values) == 1 and len(flat) >= _SHORTEST and flat not in names
    }


class _Respeller(ast.NodeTransformer):
    """Visits the places where a literal selects: comparisons, subscripts, lists, arguments of `isin`."""

    def __init__(self, spelled: Mapping[str, str]) -> None:
        self.spelled = spelled

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.left = self._new(node.left)
        node.comparators = [self._new(item) for item in node.comparators]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        node.slice = self._new(node.slice)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        node.value = self._new(node.value)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._new(node.iter)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if method(node) in _SELECTING:
            node.args = [self._new(item) for item in node.args]
        return node

    def _new(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            node.elts = [self._new(item) for item in node.elts]
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return node
        value = self.spelled.get(letters(node.value))
        return ast.Constant(value) if value is not None and value != node.value else node
