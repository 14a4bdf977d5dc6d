"""Statements of functions that change nothing: texts, and prints of what is only read.

A function that a slice keeps is kept with its control flow; what leaves no trace but on the screen goes.
Nothing else is taken out of a function, for its effects were read call by call, not by statement.
"""

from __future__ import annotations

import ast
from functools import cache

from lakebook.notebooks.taxonomy import names

_CALLING = frozenset({"apply", "applymap", "map", "pipe", "transform", "agg", "aggregate", "eval", "sample"})


def statements_that_matter(node: ast.stmt) -> frozenset[int]:
    """Return all statements of a definition (by `id`) but the silent ones."""
    found = (one for one in ast.walk(node) if isinstance(one, ast.stmt))
    return frozenset(id(one) for one in found if not _is_silent(one))


def _is_silent(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant):
        return True
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print"):
        return False
    if any(keyword.arg not in ("sep", "end", "flush") for keyword in value.keywords):
        return False
    return all(_only_reads(item) for argument in value.args for item in ast.walk(argument))


def _only_reads(node: ast.AST) -> bool:
    if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)):
        return False
    if not isinstance(node, ast.Call):
        return True
    if isinstance(node.func, ast.Name):
        return node.func.id in names("builtins", "fixed").exact - {"input"}
    return isinstance(node.func, ast.Attribute) and node.func.attr in _reading_methods()


@cache
def _reading_methods() -> frozenset[str]:
    written = names("methods", "writes_file").exact
    return names("methods", "pure").exact - _CALLING - written
