"""Query strings (`df.query("region == 'Albany'")`) opened, edited as code, and closed again."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from lakebook.syntax import parse_expression

_QUOTED = re.compile(r"`([^`]+)`")
_VARIABLE = re.compile(r"@(\w+)")
_FRAME = "_query_"


def in_query(node: ast.Constant, visit: Callable[[Any], Any]) -> ast.Constant:
    """Return a query string with its expression edited; one that cannot be read stays as it is.

    Names in backticks and variables are carried through. A column stands as `frame["name"]` for the edit.
    """
    text = node.value if isinstance(node.value, str) else ""
    names: list[str] = []

    def keep(match: re.Match[str]) -> str:
        names.append(match[0])
        return f"name_{len(names) - 1}_"

    try:
        tree = parse_expression(_VARIABLE.sub(keep, _QUOTED.sub(keep, text)).strip())
    except (SyntaxError, ValueError):
        return node
    before = ast.dump(tree)
    closed = _Close(names).visit(visit(_Open(names).visit(tree)))
    if ast.dump(closed) == before:
        return node
    written = ast.unparse(ast.fix_missing_locations(closed))
    for place, name in enumerate(names):
        written = written.replace(f"name_{place}_", name)
    return ast.Constant(written) if written != text else node


class _Open(ast.NodeTransformer):
    """Writes names as columns of a frame."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        kept = re.fullmatch(r"name_(\d+)_", node.id)
        name = self.names[int(kept[1])].strip("`") if kept else node.id
        if name.startswith("@"):
            return node
        return ast.Subscript(ast.Name(_FRAME, ast.Load()), ast.Constant(name), ast.Load())


class _Close(ast.NodeTransformer):
    """Writes columns as names again."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.value, ast.Name) or node.value.id != _FRAME:
            return self.generic_visit(node)
        name = node.slice.value if isinstance(node.slice, ast.Constant) else ""
        if not isinstance(name, str):
            return node
        quoted = f"`{name}`"
        return ast.Name(f"name_{self.names.index(quoted)}_" if quoted in self.names else name, ast.Load())
