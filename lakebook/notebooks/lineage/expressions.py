"""Expressions over column lineage."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

from lakebook.notebooks.lineage.calls import LineageCalls, Routine
from lakebook.notebooks.lineage.values import (
    Column,
    ColumnNames,
    Frame,
    Groups,
    Series,
    bases_of,
    combined,
    items_of,
    pick,
    texts,
    union,
)

_ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "ix"})
_FRAME_ITSELF = frozenset({"values", "T", "loc", "iloc", "at", "iat", "ix", "style", "plot"})


class LineageExpressions(LineageCalls):
    """Reads expressions."""

    def value(self, node: ast.expr | None) -> object:
        """Return the value of an expression, None if nothing is known of it."""
        if node is None or self.step():
            return None
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            return handler(self, node)
        return combined(
            self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
        )

    def _name(self, node: ast.Name) -> object:
        return self.names.get(node.id)

    def _text(self, node: ast.JoinedStr) -> object:
        parts: list[str] = []
        for item in node.values:
            part = self.value(item.value if isinstance(item, ast.FormattedValue) else item)
            if not isinstance(part, (str, int, float)):
                return None
            parts.append(str(part))
        return "".join(parts)

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> object:
        found: list[object] = []
        for item in node.elts:
            value = self.value(item.value if isinstance(item, ast.Starred) else item)
            if isinstance(item, ast.Starred) and isinstance(value, list):
                found.extend(value)
            else:
                found.append(value)
        return found

    def _dict(self, node: ast.Dict) -> object:
        found: dict[object, object] = {}
        for position, (key, item) in enumerate(zip(node.keys, node.values, strict=True)):
            name = self.value(key)
            found[name if isinstance(name, (str, int)) else position] = self.value(item)
        return found

    def _either(self, node: ast.IfExp) -> object:
        first, second = self.value(node.body), self.value(node.orelse)
        decided = self.decide(node.test)
        if decided is not None:
            return first if decided else second
        return first if first is not None else second

    def _operation(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Add):
            if isinstance(left, str) and isinstance(right, str):
                return left + right
            if isinstance(left, list) and isinstance(right, list):
                return [*left, *right]
        if isinstance(left, str) and isinstance(node.op, ast.Mod) and isinstance(right, (str, int, float)):
            return left % right if left.count("%") == 1 else None
        if isinstance(left, Frame) and not isinstance(right, Frame):
            return left.copy()
        arithmetic = isinstance(node.op, (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod))
        return combined((left, right), "number" if arithmetic else "unknown")

    def _negation(self, node: ast.UnaryOp) -> object:
        value = self.value(node.operand)
        return -value if isinstance(node.op, ast.USub) and isinstance(value, (int, float)) else value

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> object:
        outer = dict(self.names)
        found: list[object] = []
        self._generate(node.generators, node.elt, found)
        self.names = outer
        return found

    def _generate(self, generators: list[ast.comprehension], element: ast.expr, found: list[object]) -> None:
        if not generators:
            found.append(self.value(element))
            return
        first = generators[0]
        for item in items_of(self.value(first.iter)):
            self.store(first.target, item)
            if all(self.decide(test) is not False for test in first.ifs):
                self._generate(generators[1:], element, found)

    def _lambda(self, node: ast.Lambda) -> object:
        return Routine(node)

    def _attribute(self, node: ast.Attribute) -> object:
        base = self.value(node.value)
        name = node.attr
        if isinstance(base, Frame):
            return self._frame_attribute(base, name)
        if isinstance(base, Groups):
            known = name in base.frame.columns or base.frame.open
            return replace(base, selected=(name,), single=True) if known else base
        if isinstance(base, Series) and name == "index":
            return Series(Column(union(base.index.values())), next(iter(base.index), ""), {}, base.filters)
        if isinstance(base, Series) and name == "dtype":
            return base
        if isinstance(base, Series):
            return self.series_attribute(base, name)
        return base if isinstance(base, list) else None

    def _frame_attribute(self, base: Frame, name: str) -> object:
        if name in base.columns:
            return pick(base, name)
        if name == "columns":
            return ColumnNames(base.columns)
        if name == "index":
            return Series(Column(union(base.index.values())), next(iter(base.index), ""), {}, base.filters)
        if name in _FRAME_ITSELF:
            return base
        if name in ("shape", "dtypes", "size", "ndim"):
            return None
        return pick(base, name) if base.open else base

    def _subscript(self, node: ast.Subscript) -> object:
        base = self.value(node.value)
        accessor = node.value.attr if isinstance(node.value, ast.Attribute) else ""
        if accessor in _ACCESSORS and isinstance(base, Frame):
            return self._located(base, accessor, node.slice)
        if isinstance(node.slice, ast.Slice):
            return self._sliced(base, node.slice)
        key = self.value(node.slice)
        if isinstance(base, Frame):
            return pick(base, key)
        if isinstance(base, Groups):
            chosen = texts(key)
            return replace(base, selected=chosen, single=isinstance(key, str)) if chosen else base
        if isinstance(base, Series):
            return Series(base.column, base.name, dict(base.index), base.filters | bases_of(key))
        if isinstance(base, dict):
            return base.get(key) if isinstance(key, (str, int)) else None
        if isinstance(base, (list, tuple)):
            if isinstance(key, int) and -len(base) <= key < len(base):
                return base[key]
            return base[0] if base and not isinstance(base, ColumnNames) else None
        return None

    def _located(self, base: Frame, accessor: str, index: ast.expr) -> object:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        rows = None if isinstance(parts[0], ast.Slice) else self.value(parts[0])
        chosen = base.copy(filters=bases_of(rows))
        if len(parts) < 2:
            return chosen
        labels = list(base.columns)
        if isinstance(parts[1], ast.Slice):
            lower, upper = self.value(parts[1].lower), self.value(parts[1].upper)
            first = labels.index(lower) if isinstance(lower, str) and lower in labels else lower
            last = labels.index(upper) + 1 if isinstance(upper, str) and upper in labels else upper
            if (first is None or isinstance(first, int)) and (last is None or isinstance(last, int)):
                return chosen.copy({name: base.columns[name] for name in labels[first:last]})
            return chosen
        key = self.value(parts[1])
        if accessor == "iloc":
            if isinstance(key, int):
                return pick(chosen, labels[key]) if -len(labels) <= key < len(labels) else None
            positions = key if isinstance(key, list) else []
            key = [labels[at] for at in positions if isinstance(at, int) and -len(labels) <= at < len(labels)]
        return pick(chosen, key)

    def _sliced(self, base: object, index: ast.Slice) -> object:
        if not isinstance(base, (list, str)):
            return base
        lower, upper = self.value(index.lower), self.value(index.upper)
        if index.step is not None or not _is_bound(lower) or not _is_bound(upper):
            return base
        cut = base[lower:upper]
        return ColumnNames(cut) if isinstance(base, ColumnNames) else cut

    def store(self, target: ast.expr, value: object) -> None:
        """Store a value into a target."""
        raise NotImplementedError

    # -- tests that known strings decide -------------------------------------------------------------------

    def decide(self, test: ast.expr) -> bool | None:
        """Return the outcome of a test, None if it is not known."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.decide(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            outcomes = [self.decide(item) for item in test.values]
            stop = not isinstance(test.op, ast.And)
            if stop in outcomes:
                return stop
            return None if None in outcomes else not stop
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            self.value(test)
            return None
        left, right = self.value(test.left), self.value(test.comparators[0])
        operator = test.ops[0]
        if "dtype" in ast.unparse(test.left):
            return self._decide_kind(left, operator, ast.unparse(test.comparators[0]))
        if not isinstance(left, (str, int)):
            return None
        if isinstance(right, (list, str)) and isinstance(operator, (ast.In, ast.NotIn)):
            known = isinstance(left, str) and not (isinstance(right, list) and None in right)
            return ((left in right) == isinstance(operator, ast.In)) if known else None
        if isinstance(right, (str, int)) and isinstance(operator, (ast.Eq, ast.NotEq)):
            return (left == right) == isinstance(operator, ast.Eq)
        return None

    def _decide_kind(self, value: object, operator: ast.cmpop, wanted: str) -> bool | None:
        kind = value.column.kind if isinstance(value, Series) else "unknown"
        if kind == "unknown":
            return None
        wants_text = any(word in wanted for word in ("object", "'O'", "str", "category"))
        holds = (kind == "text") if wants_text else (kind == "number")
        return holds == isinstance(operator, (ast.Eq, ast.In, ast.Is))


def _is_bound(value: object) -> TypeGuard[int | None]:
    return value is None or isinstance(value, int)


_Handler = Callable[[Any, Any], Any]

_EXPRESSIONS: dict[type[ast.expr], _Handler] = {
    ast.Constant: lambda self, node: node.value,
    ast.Name: LineageExpressions._name,
    ast.JoinedStr: LineageExpressions._text,
    ast.List: LineageExpressions._list,
    ast.Tuple: LineageExpressions._list,
    ast.Set: LineageExpressions._list,
    ast.Dict: LineageExpressions._dict,
    ast.IfExp: LineageExpressions._either,
    ast.BinOp: LineageExpressions._operation,
    ast.UnaryOp: LineageExpressions._negation,
    ast.ListComp: LineageExpressions._comprehension,
    ast.SetComp: LineageExpressions._comprehension,
    ast.GeneratorExp: LineageExpressions._comprehension,
    ast.Lambda: LineageExpressions._lambda,
    ast.Attribute: LineageExpressions._attribute,
    ast.Subscript: LineageExpressions._subscript,
    ast.Call: lambda self, node: self.call(node),
    ast.NamedExpr: lambda self, node: self.walrus(node),
}
