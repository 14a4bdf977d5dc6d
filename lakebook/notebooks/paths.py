"""The files that a component reads, as its code names them."""

from __future__ import annotations

import ast

from lakebook.notebooks.clean import parse

_PATH_KEYWORDS = ("filepath_or_buffer", "io", "path", "path_or_buf", "path_or_buffer")


def literal_reads(code: str) -> tuple[str, ...]:
    """Return the path of each `read_csv`, `read_excel` … call, in order; "" for one that is not literal.

    Names bound to literals, sums of them, f-strings and `os.path.join` count as literal.
    """
    texts: dict[str, str] = {}
    found: list[str] = []
    for node in _in_order(parse(code)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = _text(node.value, texts)
            if text is not None:
                texts[node.targets[0].id] = text
        elif isinstance(node, ast.Call) and _reads_file(node.func):
            found.append(_text(_path_argument(node), texts) or "")
    return tuple(dict.fromkeys(found))


def _in_order(tree: ast.AST) -> list[ast.Assign | ast.Call]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Assign, ast.Call))]
    return sorted(nodes, key=lambda node: (node.lineno, isinstance(node, ast.Call), node.col_offset))


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


def _text(node: ast.expr | None, texts: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return texts.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
        left, right = _text(node.left, texts), _text(node.right, texts)
        between = "/" if isinstance(node.op, ast.Div) else ""
        return None if left is None or right is None else f"{left}{between}{right}"
    if isinstance(node, ast.JoinedStr):
        parts = [
            _text(item.value if isinstance(item, ast.FormattedValue) else item, texts) for item in node.values
        ]
        return None if None in parts else "".join(part or "" for part in parts)
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("path.join", "Path")):
        joined = [_text(item, texts) for item in node.args]
        return None if None in joined or not joined else "/".join((part or "").rstrip("/") for part in joined)
    return None
