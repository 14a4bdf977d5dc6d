"""Code without what it says of the data: its comments, and its texts and numbers where they may be values.

What is left are names of variables, functions and columns, and words that libraries are told what to do by.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from lakebook.notebooks.clean import parse
from lakebook.notebooks.taxonomy import chart_types, names

_HIDDEN = "…"
_LARGEST_NUMBER = 20


def bare_code(code: str, columns: Collection[str]) -> str:
    """Return code with its comments left out, and its texts and numbers hidden.

    Args:
        code: plain Python.
        columns: texts that stay, since they name columns.
    """
    kept = frozenset(columns) | chart_types().keys() | names("lineage", "words_of_libraries").exact
    tree = _Hiding(kept).visit(ast.Module(list(parse(code).body), []))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Hiding(ast.NodeTransformer):
    def __init__(self, kept: frozenset[str]) -> None:
        self._kept = kept

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = node.value
        if isinstance(value, bytes) or (isinstance(value, str) and value not in self._kept):
            return ast.Constant(_HIDDEN)
        if isinstance(value, complex) or (isinstance(value, (int, float)) and abs(value) > _LARGEST_NUMBER):
            return ast.Constant(0)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts = [one for one in node.values if isinstance(one, ast.FormattedValue)]
        return ast.JoinedStr([self.generic_visit(one) for one in parts])  # type: ignore[misc]
