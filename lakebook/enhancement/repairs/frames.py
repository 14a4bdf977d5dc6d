"""What the names and expressions of a script are, as far as its syntax tells: a frame, a column, a mapping.

What belongs here: questions that several rules ask before they dare to edit. An answer of None or False means
that the syntax does not tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lakebook.enhancement.calls import calls
from lakebook.enhancement.script import Script, dotted, method

# Only frames have these (a dictionary, a list and an array do not).
_OF_FRAMES = frozenset(
    {
        "loc", "iloc", "ix", "columns", "dtypes", "groupby", "head", "tail", "describe", "info",
        "isnull",
        "isna", "dropna", "fillna", "drop_duplicates", "sort_values", "merge", "corr", "set_index",
        "reset_index",
        "pivot_table", "select_dtypes", "value_counts", "nunique", "iterrows", "rename", "drop", "to_csv",
    }
)  # fmt: skip
_MAKES_FRAMES = frozenset({"DataFrame", "merge", "concat", "lake"})
_ACCESSORS = frozenset({"str", "dt", "cat", "plot"})
_KEEPS_NAME = frozenset(
    {
        "dropna", "fillna", "astype", "replace", "map", "apply", "round", "copy", "explode", "head", "tail",
        "sort_values", "sort_index", "split", "strip", "lower", "upper", "title", "get", "clip", "where",
        "mask", "isin", "extract", "infer_objects", "sample",
    }
)  # fmt: skip


def assigned(script: Script, name: str) -> Iterator[ast.expr]:
    """Return what is assigned to a name anywhere in the script."""
    for node in script.nodes():
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in node.targets
        ):
            yield node.value


def frames(script: Script) -> frozenset[str]:
    """Return the names that hold a frame: read or made as one, or used as only frames are."""
    found: set[str] = set()
    for node in script.nodes():
        if isinstance(node, ast.Attribute) and node.attr in _OF_FRAMES and isinstance(node.value, ast.Name):
            found.add(node.value.id)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _makes(node.value):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in script.nodes():
        if isinstance(node, ast.For) and isinstance(node.iter, ast.List | ast.Tuple):
            items = {item.id for item in node.iter.elts if isinstance(item, ast.Name)}
            if items & found and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return frozenset(found)


def _makes(call: ast.Call) -> bool:
    if method(call) == "copy" and isinstance(call.func, ast.Attribute):
        return dotted(call.func.value).startswith("lake")
    return method(call) in _MAKES_FRAMES or method(call) in calls("reads_table")


def is_one_key(script: Script, key: ast.expr) -> bool:
    """Return True if a key is surely one column's name: a text, or a name that a loop or a call binds."""
    if not isinstance(key, ast.Name):
        return isinstance(key, ast.Constant | ast.JoinedStr)
    values = list(assigned(script, key.id))
    if values:
        return all(isinstance(value, ast.Constant) for value in values)
    return any(
        (isinstance(node, ast.arg) and node.arg == key.id)
        or (
            isinstance(node, ast.For | ast.comprehension)
            and any(isinstance(n, ast.Name) and n.id == key.id for n in ast.walk(node.target))
        )
        for node in script.nodes()
    )


def column_of(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return the frame and the key of `df["a"]`, `df[name]`, `df.a` and `df.loc[:, "a"]`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value, ast.Constant(node.attr)
    if not isinstance(node, ast.Subscript):
        return None
    key = node.slice
    if isinstance(node.value, ast.Name) and _is_one_key(key):
        return node.value, key
    located = isinstance(node.value, ast.Attribute) and node.value.attr == "loc"
    if located and isinstance(key, ast.Tuple) and len(key.elts) == 2 and _is_whole(key.elts[0]):
        frame = node.value.value if isinstance(node.value, ast.Attribute) else node.value
        return (frame, key.elts[1]) if _is_one_key(key.elts[1]) else None
    return None


def _is_one_key(key: ast.expr) -> bool:
    constant = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return constant or isinstance(key, ast.Name | ast.JoinedStr)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None


def is_series(node: ast.expr) -> bool:
    """Return True if an expression is surely one column, or an array, and no frame."""
    if isinstance(node, ast.Subscript):
        one = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        return one or (
            isinstance(node.value, ast.Attribute) and node.value.attr in {"loc", "iloc"} and _one(node)
        )
    if isinstance(node, ast.Attribute):
        return node.attr in {"values", "index"} or (
            isinstance(node.value, ast.Name) and node.attr not in {"T", *_OF_FRAMES}
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        accessor = isinstance(node.func.value, ast.Attribute) and node.func.value.attr in _ACCESSORS
        return accessor or (node.func.attr in _KEEPS_NAME and is_series(node.func.value))
    return False


def _one(node: ast.Subscript) -> bool:
    key = node.slice
    return isinstance(key, ast.Tuple) and len(key.elts) == 2 and isinstance(key.elts[1], ast.Constant)


def series_name(node: ast.expr) -> ast.expr | None:
    """Return the name that a column keeps through a chain of calls: `"a"` of `df["a"].dropna()[mask]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return series_name(node.func.value) if node.func.attr in _KEEPS_NAME else None
    if isinstance(node, ast.Attribute):
        if node.attr in _ACCESSORS:
            return series_name(node.value)
        return ast.Constant(node.attr) if isinstance(node.value, ast.Name | ast.Subscript) else None
    if isinstance(node, ast.Subscript):
        if _is_one_key(node.slice) and not (
            isinstance(node.value, ast.Attribute) and node.value.attr == "str"
        ):
            return node.slice
        return series_name(node.value)
    return None
