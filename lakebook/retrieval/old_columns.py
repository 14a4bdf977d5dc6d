"""What the code of old notebooks tells of a table that is gone: its columns, their types, values it names.

Used is what is written in the code (comparisons, `isin`, `.dt`, `.str`, `to_datetime`) and what the saved
outputs of the notebook show. Which new column an old one became is decided in `correspondence`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from lakebook.correspondence.evidence import OldColumn, OldKind
from lakebook.notebooks.component import Component, Notebook, ShownColumn
from lakebook.syntax import parse_python

_Known = TypeVar("_Known")

_NUMERIC = frozenset({"mean", "std", "median", "cumsum", "pct_change", "rolling", "round", "corr"})
_DATES = frozenset({"to_datetime", "to_period"})


def named_columns(component: Component) -> tuple[str, ...]:
    """Return every old column that the component needs, each once: shown, filter and key columns."""
    return tuple(dict.fromkeys((*component.columns, *component.filter_columns, *component.key_columns)))


def mentioned_names(code: str) -> frozenset[str]:
    """Return every string and attribute name in the code: what might name a column without being needed."""
    try:
        tree = parse_python(code)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
    return frozenset(found)


def old_columns(components: Iterable[Component], shown: Iterable[ShownColumn] = ()) -> tuple[OldColumn, ...]:
    """Gather the old columns of components of one notebook, with what is known of them, sorted by name.

    Args:
        components: their code tells types and values.
        shown: what the saved outputs of the notebook tell; of a column the first that tells a thing counts.
    """
    kinds: dict[str, Counter[OldKind]] = {}
    values: dict[str, set[str]] = {}
    read: set[str] = set()
    for component in components:
        names = named_columns(component)
        for name in names:
            kinds.setdefault(name, Counter())
            values.setdefault(name, set())
        if component.code in read:
            continue
        read.add(component.code)
        for name, kind, value in _hints(component.code, frozenset(names)):
            if kind:
                kinds[name][kind] += 1
            if value:
                values[name].add(value)
    by_name: dict[str, list[ShownColumn]] = {}
    for one in shown:
        by_name.setdefault(one.name, []).append(one)
    return tuple(
        OldColumn(
            name,
            _kind(kinds[name]) or _first([one.kind for one in by_name.get(name, ())], None),
            tuple(sorted(values[name])[:20]),
            _first([one.values for one in by_name.get(name, ())], ()),
            _first([one.quartiles for one in by_name.get(name, ())], ()),
        )
        for name in sorted(kinds)
    )


def shown_columns(notebook: Notebook) -> tuple[ShownColumn, ...]:
    """Return all that the saved outputs of a notebook tell of columns, in order."""
    return tuple(one for cell in notebook.cells for one in cell.evidence)


def _first(found: Iterable[_Known], nothing: _Known) -> _Known:
    return next((one for one in found if one), nothing)


def _kind(votes: Counter[OldKind]) -> OldKind | None:
    """Return the type that the code agrees on; a date wins over the text that it was read as."""
    if votes["datetime"]:
        return "datetime"
    return next(iter(votes)) if len(votes) == 1 else None


def _hints(code: str, names: frozenset[str]) -> Iterator[tuple[str, OldKind | None, str]]:
    """Yield (column, type, value) for each place where the code treats a column in a telling way."""
    try:
        tree = parse_python(code)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            yield from _compared(node, names)
        elif isinstance(node, ast.Attribute) and (name := _column(node.value, names)):
            if node.attr in ("dt", "str"):
                yield name, "datetime" if node.attr == "dt" else "text", ""
            elif node.attr in _NUMERIC:
                yield name, "number", ""
        elif isinstance(node, ast.Call):
            yield from _called(node, names)


def _column(node: ast.expr, names: frozenset[str]) -> str:
    """Return the column that `frame["name"]` or `frame.name` reads, "" if it is no such thing."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = node.slice.value
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        name = node.attr
    else:
        return ""
    return name if isinstance(name, str) and name in names else ""


def _compared(node: ast.Compare, names: frozenset[str]) -> Iterator[tuple[str, OldKind | None, str]]:
    name = _column(node.left, names)
    if not name:
        return
    for other in node.comparators:
        if isinstance(other, ast.Constant) and isinstance(other.value, str):
            date = bool(other.value[:4].isdigit() and other.value[4:5] in ("-", "/"))
            yield (name, None, "") if date else (name, "text", other.value)
        elif isinstance(other, ast.Constant) and isinstance(other.value, int | float):
            yield name, "number", ""


def _called(node: ast.Call, names: frozenset[str]) -> Iterator[tuple[str, OldKind | None, str]]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if called in _DATES and node.args and (name := _column(node.args[0], names)):
        yield name, "datetime", ""
    if called == "isin" and isinstance(node.func, ast.Attribute) and node.args:
        name = _column(node.func.value, names)
        items = node.args[0]
        if name and isinstance(items, ast.List | ast.Tuple | ast.Set):
            for item in items.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield name, "text", item.value
