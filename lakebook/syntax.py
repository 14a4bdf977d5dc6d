"""Python text as a syntax tree, the one way in which every part of the project gets one.

What belongs here: only the parsing. CPython 3.11 counts the depth of trees in one place for all threads, so a
parse fails with a SystemError if another thread parses meanwhile (cpython issue 106905). Ours take turns; a
library's cannot be kept from it, so what failed that way is parsed again.
"""

from __future__ import annotations

import ast
import threading

_TRIES = 5
_turn = threading.RLock()  # a finalizer that parses may run inside of a parse


def parse_python(code: str) -> ast.Module:
    """Return the tree of statements. Raises what `ast.parse` does."""
    tree = _parsed(code, "exec")
    assert isinstance(tree, ast.Module)  # noqa: S101 - what the mode gives
    return tree


def parse_expression(code: str) -> ast.expr:
    """Return the tree of one expression. Raises what `ast.parse` does."""
    tree = _parsed(code, "eval")
    assert isinstance(tree, ast.Expression)  # noqa: S101 - what the mode gives
    return tree.body


def _parsed(code: str, mode: str) -> ast.AST:
    for _ in range(_TRIES - 1):
        try:
            with _turn:
                return compile(code, "<unknown>", mode, ast.PyCF_ONLY_AST, dont_inherit=True)
        except SystemError:
            continue
    with _turn:
        return compile(code, "<unknown>", mode, ast.PyCF_ONLY_AST, dont_inherit=True)
