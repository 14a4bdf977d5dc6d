"""Which texts and attributes of a component are labels of columns, which are not, and which may be either.

A label is told by where a text stands (a subscript of a frame, `x=` of a chart) or by where it flows: the
component is interpreted over column lineage, and a text that a table is asked for is a label, through any
variable, list, loop or function. A text that data are compared with is a value, one that is drawn is free
text. Whatever is neither stays in doubt. What is renamed then is decided in `renaming`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lakebook.enhancement.calls import calls
from lakebook.enhancement.script import dotted, method
from lakebook.notebooks.lineage.asked import Asked
from lakebook.notebooks.lineage.interpreter import Interpreter
from lakebook.notebooks.lineage.values import (
    ByColumn,
    Column,
    ColumnNames,
    Frame,
    Grid,
    Groups,
    Label,
    Ref,
    Series,
)

Place = tuple[int, int, int, int]
Verdict = Literal["label", "value", "text", "unsure"]
_TABLES = (Frame, Groups, ByColumn, Grid)


def place_of(node: ast.expr | ast.keyword) -> Place:
    """Return where a node stands in its code."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


@dataclass(slots=True)
class Occurrences:
    """Every mention of some names in a component: the node, and what it is."""

    texts: list[tuple[ast.Constant, Verdict]] = field(default_factory=list)
    attributes: list[tuple[ast.Attribute, Verdict]] = field(default_factory=list)
    keywords: list[tuple[ast.keyword, Verdict]] = field(default_factory=list)

    def of(self, name: str) -> Iterator[tuple[Place, Verdict]]:
        """Yield place and verdict of every mention of a name."""
        yield from ((place_of(node), verdict) for node, verdict in self.texts if node.value == name)
        yield from ((place_of(node), verdict) for node, verdict in self.attributes if node.attr == name)
        yield from ((place_of(node), verdict) for node, verdict in self.keywords if node.arg == name)


def occurrences(
    body: Sequence[ast.stmt], frames: Mapping[str, Sequence[str]], names: frozenset[str]
) -> Occurrences:
    """Return every mention of the names in the code.

    Args:
        body: the component, each node at a place of its own.
        frames: variable -> columns, of the frames that are there before it.
        names: of columns.
    """
    tracer = _Tracer(frames)
    for statement in body:
        tracer.top_level(statement)
    parents = {
        id(child): node for one in body for node in ast.walk(one) for child in ast.iter_child_nodes(node)
    }
    judge = _Judge(tracer, parents)
    found = Occurrences()
    for node in (node for one in body for node in ast.walk(one)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names:
            found.texts.append((node, judge.text(node)))
        elif isinstance(node, ast.Attribute) and node.attr in names:
            found.attributes.append((node, judge.attribute(node)))
        elif isinstance(node, ast.keyword) and node.arg in names:
            found.keywords.append((node, judge.keyword(node)))
    return found


class _Mark(str):
    """A text of the code that knows where it stands."""

    __slots__ = ("place",)
    place: Place


class _Asked(Asked):
    """Notes the places of texts that name a column of a table."""

    def __init__(self, places: set[Place]) -> None:
        super().__init__()
        self.places = places

    def take(self, name: str, column: Column | None, *, is_alone: bool) -> None:
        if isinstance(name, _Mark):
            self.places.add(name.place)


class _Tracer(Interpreter):
    """Follows texts from where they stand to where a table is asked for them."""

    def __init__(self, frames: Mapping[str, Sequence[str]]) -> None:
        super().__init__(lambda path: Frame(open=True, asked=(self.asked,)))
        self.labels: set[Place] = set()
        self.asked = _Asked(self.labels)
        self.kinds: dict[Place, set[type[object]]] = {}
        for variable, columns in frames.items():
            known: dict[Label, Column] = {name: Column(frozenset((name,))) for name in columns}
            self.bind(variable, Frame(known, is_loaded=True, asked=(self.asked,)))

    def value(self, node: ast.expr | None) -> object:
        result = super().value(node)
        if node is None:
            return result
        if isinstance(node, ast.Constant) and isinstance(result, str):
            mark = _Mark(result)
            mark.place = place_of(node)
            return mark
        self.kinds.setdefault(place_of(node), set()).add(type(result))
        return result

    def is_any(self, node: ast.expr, *kinds: type[object]) -> bool:
        """Return True if the expression was nothing else than one of these."""
        seen = self.kinds.get(place_of(node), set())
        return bool(seen) and all(issubclass(one, kinds) for one in seen)


class _Judge:
    """Says of one mention what it is."""

    def __init__(self, tracer: _Tracer, parents: Mapping[int, ast.AST]) -> None:
        self.tracer, self.parents = tracer, parents

    def text(self, node: ast.Constant) -> Verdict:
        """Judge a text."""
        verdict = self._by_place(node)
        if verdict != "unsure":
            return verdict
        return "label" if place_of(node) in self.tracer.labels else "unsure"

    def attribute(self, node: ast.Attribute) -> Verdict:
        """Judge an attribute: of a table it is a column, unless it is a method of tables."""
        import pandas as pd

        if hasattr(pd.DataFrame, node.attr):
            return "value"
        if self.tracer.is_any(node.value, Frame, Groups):
            return "label"
        seen = self.tracer.kinds.get(place_of(node.value), set())
        return "value" if seen and not seen & {type(None), Series, *_TABLES} else "unsure"

    def keyword(self, node: ast.keyword) -> Verdict:
        """Judge the name of a keyword: `assign(price=...)` makes a column."""
        call = self.parents.get(id(node))
        if not isinstance(call, ast.Call):
            return "unsure"
        if method(call) in ("assign", "agg", "aggregate"):
            return "label"
        return "unsure" if dotted(call.func) == "dict" else "value"

    def _by_place(self, node: ast.expr) -> Verdict:
        """Judge by where a text stands, lists and keys of dictionaries around it seen through."""
        inner: ast.AST = node
        parent = self.parents.get(id(node))
        as_value = False
        while isinstance(parent, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Starred):
            if isinstance(parent, ast.Dict) and inner in parent.values:
                as_value = True
            inner, parent = parent, self.parents.get(id(parent))
        if isinstance(parent, ast.Subscript) and inner is parent.slice:
            return self._subscript(parent)
        if isinstance(parent, ast.Compare):
            return self._comparison(parent, inner)
        if isinstance(parent, ast.keyword):
            call = self.parents.get(id(parent))
            return self._keyword_value(parent, call, as_value) if isinstance(call, ast.Call) else "unsure"
        if isinstance(parent, ast.Call) and inner is not parent.func:
            return self._argument(parent, inner, as_value)
        if isinstance(parent, ast.FormattedValue | ast.JoinedStr):
            return "text" if self._is_free(parent) else "unsure"
        return "unsure"

    def _subscript(self, node: ast.Subscript) -> Verdict:
        base = node.value
        if isinstance(base, ast.Attribute) and base.attr in ("loc", "at", "ix"):
            return self._located(node, base)
        if self.tracer.is_any(base, *_TABLES):
            return "label"
        return "unsure"

    def _located(self, node: ast.Subscript, base: ast.Attribute) -> Verdict:
        return (
            "label"
            if isinstance(node.slice, ast.Tuple) and self.tracer.is_any(base.value, Frame)
            else "unsure"
        )

    def _comparison(self, node: ast.Compare, inner: ast.AST) -> Verdict:
        others = [one for one in (node.left, *node.comparators) if one is not inner]
        if all(self.tracer.is_any(one, Series) for one in others):
            return "value"
        if all(self.tracer.is_any(one, ColumnNames, Frame) for one in others):
            return "label"
        return "unsure"

    def _keyword_value(self, keyword: ast.keyword, call: ast.Call, as_value: bool) -> Verdict:
        name, of = keyword.arg or "", method(call)
        if not name and of in ("assign", "agg", "aggregate") and not as_value:
            return "label"
        if name in calls("free_keywords"):
            return "text"
        if of in ("rename", "rename_axis") and name in ("columns", "mapper", "index"):
            return "label" if name == "columns" else "unsure"
        if as_value:
            return "unsure"
        if name in calls("label_keywords") and of not in calls("no_label_calls"):
            return "label"
        return "unsure"

    def _argument(self, call: ast.Call, inner: ast.AST, as_value: bool) -> Verdict:
        of = method(call)
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if of in calls("free_text"):
            return "text"
        if owner is not None and self.tracer.is_any(owner, Series):
            return "value" if of in calls("value_methods") else "unsure"
        if owner is not None and of in calls("label_methods") and self.tracer.is_any(owner, *_TABLES):
            return "unsure" if as_value else "label"
        if owner is not None and self.tracer.is_any(owner, Ref) and dotted(owner) in ("sns", "seaborn", "px"):
            return "label"
        return "unsure"

    def _is_free(self, node: ast.AST) -> bool:
        """Return True if a text ends in what is drawn or printed as words."""
        parent = self.parents.get(id(node))
        while isinstance(parent, ast.JoinedStr | ast.FormattedValue | ast.BinOp):
            node, parent = parent, self.parents.get(id(parent))
        if isinstance(parent, ast.keyword):
            return parent.arg in calls("free_keywords")
        return isinstance(parent, ast.Call) and method(parent) in calls("free_text")
