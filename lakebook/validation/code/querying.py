"""`df.query("…")`: the text read as the comparison of columns that it is."""

from __future__ import annotations

import ast

from lakebook.syntax import parse_expression
from lakebook.validation.code.facts import Compared
from lakebook.validation.code.method import Call
from lakebook.validation.code.values import Condition, Frame, Series, Value, literal


def read_query(call: Call, frame: Frame) -> Value:
    """Return the rows that a literal query leaves; its columns and comparisons are noted."""
    text = call.constant(0, "expr")
    runs = call.runs
    if not isinstance(text, str):
        return frame.fewer()
    try:
        tree = parse_expression(text.strip())
    except SyntaxError:
        return frame.fewer()  # back-quoted names, `@` variables
    conditions = []
    for part in _parts(tree):
        found = _condition(call, frame, part)
        if found is not None:
            conditions.append(found)
            runs.facts.seen.append(Compared(found))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not _is_called(node, tree) and node.id not in frame.index:
            runs.column(call.node, frame, node.id, "query")
    mask = Series(rows=frame.rows, conditions=tuple(conditions))
    return runs.filtered(call.node, frame, mask)


def _parts(tree: ast.expr) -> list[ast.expr]:
    """Return the conditions that must all hold."""
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [part for item in tree.values for part in _parts(item)]
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitAnd):
        return [*_parts(tree.left), *_parts(tree.right)]
    return [tree]


def _condition(call: Call, frame: Frame, node: ast.expr) -> Condition | None:
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Name)):
        return None
    name, field = node.left.id, frame.find(node.left.id)
    runs = call.runs
    try:
        found = literal(runs.see(node.comparators[0]))
    except ValueError:
        return None
    if field is None:
        return None
    listed = tuple(found) if isinstance(found, list) else (found,)
    if isinstance(node.ops[0], ast.Eq):
        operator = "isin" if isinstance(found, list) else "=="
    elif isinstance(node.ops[0], ast.In):
        operator = "isin"
    else:
        return None
    return Condition(call.node, field, name, operator, listed)


def _is_called(name: ast.Name, tree: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) and node.func is name for node in ast.walk(tree))
