"""The Compute operator: run code in a forked session and take out the facts that it binds."""

from __future__ import annotations

import ast

from lakebook.errors import SandboxError, SandboxUnavailable
from lakebook.sandbox.base import Json, Session


def parse_code(code: str) -> tuple[ast.Module | None, str]:
    """Return the tree of code, or why there is none."""
    try:
        return ast.parse(code), ""
    except SyntaxError as error:
        return None, f"SyntaxError: {error.msg} (line {error.lineno})"


def texts(tree: ast.Module | None) -> set[str]:
    """Return the string constants and attribute names of code: among them are the columns that it uses."""
    nodes = list(ast.walk(tree)) if tree is not None else []
    constants = {
        node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return constants | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def run_code(session: Session, name: str, code: str, seconds: float | None) -> tuple[Json, str]:
    """Run code in a forked state; return the facts, or what went wrong."""
    try:
        cells, values = session.run_forked([code], evaluate=[name], seconds=seconds)
    except SandboxUnavailable:
        raise
    except SandboxError as error:
        return None, str(error)
    failed = next((cell.error for cell in cells if cell.error), None)
    if failed is not None:
        return None, f"{failed.name}: {failed.message}"
    if not values or values[0].error:
        return None, values[0].error if values else f"the code defines no {name}"
    if not isinstance(values[0].value, dict):
        return None, f"{name} is not a dictionary of facts"
    return values[0].value, ""
