"""The files that a component reads, as its code names them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

_LONGEST_PATH, _DEEPEST_PATH = 10_000, 40
_PATH_KEYWORDS = ("filepath_or_buffer", "io", "path", "path_or_buf", "path_or_buffer")


def literal_reads(statements: Sequence[ast.stmt]) -> tuple[str, ...]:
    """Return the path of each `read_csv`, `read_excel` … call, in order; "" for one that is not literal.

    Names bound to literals, sums of them, f-strings and `os.path.join` count as literal.
    """
    texts: dict[str, str] = {}
    found: list[str] = []
    for node in _in_order(statements):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = _text(node.value, texts)
            if text is not None and len(text) <= _LONGEST_PATH:
                texts[node.targets[0].id] = text
            else:
                texts.pop(node.targets[0].id, None)
        elif isinstance(node, ast.Call) and _reads_file(node.func):
            found.append(_text(_path_argument(node), texts) or "")
    return tuple(dict.fromkeys(found))


def may_name_file(statement: ast.stmt, text: str) -> bool:
    """Return False for a statement that surely neither reads a file nor binds a name to a path."""
    if "read_" in text:
        return True
    if not isinstance(statement, ast.Assign):
        return False
    literal = isinstance(statement.value, (ast.Constant, ast.JoinedStr, ast.BinOp))
    return literal or "join(" in text or "Path(" in text


def imported_modules(statements: Sequence[ast.stmt]) -> tuple[str, ...]:
    """Return the top-level modules that statements import, sorted."""
    found: set[str] = set()
    for node in (node for statement in statements for node in _walk(statement)):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return tuple(sorted(found))


def _in_order(statements: Sequence[ast.stmt]) -> Iterator[ast.Assign | ast.Call]:
    for statement in statements:
        nodes = [node for node in _walk(statement) if isinstance(node, (ast.Assign, ast.Call))]
        yield from sorted(
            nodes, key=lambda node: (node.lineno, isinstance(node, ast.Assign), node.col_offset)
        )


@lru_cache(maxsize=4096)
def _walk(statement: ast.stmt) -> tuple[ast.AST, ...]:
    """Return the nodes that matter here; the components of a notebook share most of their statements."""
    wanted = (ast.Import, ast.ImportFrom, ast.Assign, ast.Call)
    return tuple(node for node in ast.walk(statement) if isinstance(node, wanted))


def _reads_file(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name.startswith("read_") and name not in (
        "read_sql",
        "read_sql_query",
        "read_html",
        "read_clipboard",
    )


def _path_argument(node: ast.Call) -> ast.expr | None:
    if node.args:
        return node.args[0]
    return next((item.value for item in node.keywords if item.arg in _PATH_KEYWORDS), None)


def _text(node: ast.expr | None, texts: dict[str, str], depth: int = _DEEPEST_PATH) -> str | None:
    def part(inner: ast.expr | None) -> str | None:
        return _text(inner, texts, depth - 1) if depth else None

    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return texts.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
        left, right = part(node.left), part(node.right)
        between = "/" if isinstance(node.op, ast.Div) else ""
        return None if left is None or right is None else f"{left}{between}{right}"
    if isinstance(node, ast.JoinedStr):
        parts = [part(item.value if isinstance(item, ast.FormattedValue) else item) for item in node.values]
        return None if None in parts else "".join(one or "" for one in parts)
    if isinstance(node, ast.Call) and _joins_paths(node.func):
        joined = [part(item) for item in node.args]
        return None if None in joined or not joined else "/".join((one or "").rstrip("/") for one in joined)
    return None


def _joins_paths(function: ast.expr) -> bool:
    """Return True for `os.path.join`, `path.join` and `Path`."""
    if isinstance(function, ast.Name):
        return function.id == "Path"
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value
    inside = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return function.attr == "Path" or (function.attr == "join" and inside == "path")
