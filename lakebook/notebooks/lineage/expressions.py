"""Expressions over column lineage."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

from lakebook.notebooks.lineage.access import frame_attribute, pick, row_filters
from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.bounds import as_text, bounded
from lakebook.notebooks.lineage.calls import LineageCalls
from lakebook.notebooks.lineage.grammar import Encoding, joined
from lakebook.notebooks.lineage.groups import grouped_labels
from lakebook.notebooks.lineage.kinds import holds_kind
from lakebook.notebooks.lineage.library import thing_attribute
from lakebook.notebooks.lineage.operators import (
    compared,
    compared_facts,
    is_of_data,
    kind_of,
    operated,
    truth,
)
from lakebook.notebooks.lineage.parts import items_of
from lakebook.notebooks.lineage.records import DefaultDict, Records, as_key, part_of_records, selected
from lakebook.notebooks.lineage.series import by_column_attribute, masked_facts, series_attribute
from lakebook.notebooks.lineage.shown import Drawing
from lakebook.notebooks.lineage.state import Bound, Instance, Routine
from lakebook.notebooks.lineage.values import (
    DATA_DEPENDENT,
    NO_BASES,
    Bases,
    ByColumn,
    Canvas,
    Column,
    ColumnNames,
    Dtype,
    Frame,
    Groups,
    Guess,
    Items,
    Ref,
    Series,
    Thing,
    bases_of,
    combined,
    doubt_of,
    labels_in,
    number_of,
    selected_by,
)
from lakebook.notebooks.taxonomy import names

_ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "ix"})
_FRAME_WORDS = names("lineage", "only_frames").exact
_LOOKS_LIKE_FRAME = names("lineage", "frame_names").exact


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
        return self.find(node.id)

    def _text(self, node: ast.JoinedStr) -> object:
        parts: list[str] = []
        held: list[object] = []
        for item in node.values:
            part = self.value(item.value if isinstance(item, ast.FormattedValue) else item)
            held.append(part)
            text = as_text(part)
            if text is not None:
                parts.append(text)
        return as_text("".join(parts)) if len(parts) == len(held) else combined(held, "text")

    def _list(self, node: ast.List | ast.Set) -> object:
        return Items(self._elements(node.elts))

    def _tuple(self, node: ast.Tuple) -> object:
        return tuple(self._elements(node.elts))

    def _elements(self, nodes: list[ast.expr]) -> list[object]:
        found: list[object] = []
        for item in nodes:
            value = self.value(item.value if isinstance(item, ast.Starred) else item)
            if isinstance(item, ast.Starred):
                found.extend(items_of(value))
            else:
                found.append(bounded(value))
        return found

    def _dict(self, node: ast.Dict) -> object:
        found: dict[object, object] = {}
        for position, (key, item) in enumerate(zip(node.keys, node.values, strict=True)):
            value = self.value(item)
            if key is None:
                if isinstance(value, Frame):  # of a row
                    found.update({name: pick(value, name) for name in value.columns})
                found.update(value if isinstance(value, dict) else {})
                continue
            found[as_key(self.value(key), position)] = bounded(value)
        return found

    def _either(self, node: ast.IfExp) -> object:
        decided = self.decide(node.test)
        if decided is not None:
            return self.value(node.body if decided else node.orelse)
        test = self.value(node.test)
        first, second = self.value(node.body), self.value(node.orelse)
        if isinstance(test, Series):  # a row is told apart by it: `"a" if row.x > 3 else "b"`
            return combined((test, first, second), kind_of(first))
        return first if first is not None else second

    def _operation(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, Encoding) or isinstance(right, Encoding):
            return Encoding(
                tuple(text for one in (left, right) if isinstance(one, Encoding) for text in one.fields)
            )
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Drawing) and not isinstance(other, (Series, Frame)):
                return joined(one, other)
        return operated(type(node.op).__name__, left, right)

    def _negation(self, node: ast.UnaryOp) -> object:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            if isinstance(value, Guess):
                return Guess(not value.likely)
            return not value if isinstance(value, (bool, int, str, list)) else value
        if isinstance(node.op, ast.Invert) and isinstance(value, list):
            return Items(not item if isinstance(item, bool) else item for item in value)
        if isinstance(value, Series) and isinstance(node.op, ast.Invert) and value.tells_nulls:
            return replace(value, cleans=not value.cleans)
        if isinstance(value, ByColumn) and isinstance(node.op, ast.Invert):
            return compared_facts(value, lambda fact: not fact if isinstance(fact, bool) else None)
        return -value if isinstance(node.op, ast.USub) and isinstance(value, (int, float)) else value

    def _all_of(self, node: ast.BoolOp) -> object:
        values = [self.value(item) for item in node.values]
        stop = isinstance(node.op, ast.Or)
        outcomes = [truth(value) for value in values]
        sure = [
            outcome for value, outcome in zip(values, outcomes, strict=True) if not isinstance(value, Guess)
        ]
        if stop in sure:
            return stop
        if None not in outcomes:
            result = stop if stop in outcomes else not stop
            return result if len(sure) == len(outcomes) else Guess(result)
        return next((value for value in values if is_of_data(value)), None)

    def _comparison(self, node: ast.Compare) -> object:
        left = self.value(node.left)
        others = [self.value(item) for item in node.comparators]
        if len(node.ops) != 1:
            return combined((left, *others), "number")
        name, right = type(node.ops[0]).__name__, others[0]
        if isinstance(left, Encoding) or isinstance(right, Encoding):
            return left if isinstance(left, Encoding) else right
        if isinstance(right, Dtype) and not isinstance(left, Dtype):
            left, right = right, left
        if isinstance(left, Dtype):
            return _compared_type(left, name, right)
        if isinstance(left, ByColumn):
            return compared_facts(
                left,
                lambda fact: (
                    _known(_compared_type(fact, name, right))
                    if isinstance(fact, Dtype)
                    else compared(name, fact, right)
                ),
            )
        if name in ("Is", "IsNot"):
            return None
        if isinstance(left, Series) and left.tells_nulls and right is False and name in ("Eq", "Is"):
            return replace(left, cleans=not left.cleans)
        outcome = compared(name, left, right)
        if outcome is None:
            outcome = _likely(left, name, right)
        return outcome if outcome is not None else combined((left, right), "number")

    def decide(self, test: ast.expr) -> bool | None:
        """Return the outcome of a test, None if it is not known."""
        return truth(self.value(test))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> object:
        found = Items()
        with self.inner(self.scope):
            self._generate(node.generators, lambda: found.append(self.value(node.elt)), found)
        return found

    def _dict_comprehension(self, node: ast.DictComp) -> object:
        found: dict[object, object] = {}

        def add() -> None:
            found[as_key(self.value(node.key), len(found))] = self.value(node.value)

        with self.inner(self.scope):
            self._generate(node.generators, add, Items())
        return found

    def _generate(self, generators: list[ast.comprehension], add: Callable[[], None], found: Items) -> None:
        if not generators:
            add()
            return
        first = generators[0]
        iterable = self.value(first.iter)
        found.doubt = found.doubt or doubt_of(iterable)
        for item in items_of(iterable):
            self.store(first.target, item)
            tests = [self.value(test) for test in first.ifs]
            if any(is_of_data(value) for value in tests):
                found.doubt = DATA_DEPENDENT
            if any(truth(value) is False for value in tests):
                continue
            before = len(found)
            self._generate(generators[1:], add, found)
            tested = bases_of([value for value in tests if isinstance(value, Series)])
            if tested:
                found[before:] = [selected(one, tested) for one in found[before:]]

    def _lambda(self, node: ast.Lambda) -> object:
        return Routine(node, self.scope)

    def _attribute(self, node: ast.Attribute) -> object:
        base = self.value(node.value)
        name = node.attr
        if base is None and name in _FRAME_WORDS:
            base = self.adopt(node.value)
        if isinstance(base, Ref):
            return Encoding((name,)) if base.name == "datum" else Ref(f"{base.path}.{name}")
        if isinstance(base, Frame):
            return frame_attribute(base, name)
        if isinstance(base, Series):
            return series_attribute(base, name)
        if isinstance(base, Instance):
            method = base.blueprint.methods.get(name)
            return base.attributes.get(name) if method is None else Bound(method, base)
        if isinstance(base, Groups):
            known = name in base.frame.columns or (base.frame.open and name not in _FRAME_WORDS)
            return grouped_labels(base, name) if known else base
        if isinstance(base, ByColumn):
            return by_column_attribute(base, name)
        if isinstance(base, Thing):
            return thing_attribute(base, name)
        if isinstance(base, Dtype):
            return base
        if isinstance(base, dict):
            return base.get(name)
        return base if isinstance(base, (list, Canvas, Drawing)) else None

    def _subscript(self, node: ast.Subscript) -> object:
        base = self.value(node.value)
        accessor = node.value.attr if isinstance(node.value, ast.Attribute) else ""
        if isinstance(base, Frame) and (accessor in _ACCESSORS or _is_array_index(node.slice)):
            return self._located(base, accessor if accessor in _ACCESSORS else "iloc", node.slice)
        if isinstance(node.slice, ast.Slice):
            return self._sliced(base, node.slice)
        key = self.value(node.slice)
        if (
            base is None
            and isinstance(key, str)
            and isinstance(node.value, (ast.Name, ast.Attribute))
            and _is_frame_name(node.value.id if isinstance(node.value, ast.Name) else node.value.attr)
        ):
            base = self.adopt(node.value)
        if isinstance(base, Frame):
            return self._taken(base, key, node)
        if isinstance(base, Groups):
            return grouped_labels(base, key)
        if isinstance(base, ByColumn):
            return masked_facts(base, key)
        if isinstance(base, Series):
            return Series(
                base.column,
                base.name,
                dict(base.index),
                base.filters | selected_by(key),
                doubt=base.doubt,
            )
        if isinstance(base, dict):
            return _under_key(base, key)
        if isinstance(base, (list, tuple)):
            return _element(base, key)
        if isinstance(base, Records):
            return part_of_records(base, key)
        if isinstance(base, Thing):
            return thing_attribute(base, "")
        return base if isinstance(base, (Canvas, Drawing)) else None

    def _taken(self, base: Frame, key: object, node: ast.Subscript) -> object:
        if isinstance(key, Routine):
            key = self.enter(key, Call([base]))
        taken = pick(base, key)
        if isinstance(taken, Frame) and isinstance(node.value, ast.Subscript):
            taken.counted |= base.counted  # `len(df[a][b])` counts by both
        return taken

    def _located(self, base: Frame, accessor: str, index: ast.expr) -> object:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        rows = None if isinstance(parts[0], ast.Slice) else self.value(parts[0])
        if isinstance(rows, Routine):
            rows = self.enter(rows, Call([base]))
        if base.rows is not None and labels_in(rows):
            kept = {name: one for name, one in base.rows.items() if name in labels_in(rows)}
            base = base.copy()
            base.rows = kept
            base.expanded = {
                prefix: Column(frozenset().union(*(one.bases for one in kept.values())), "number")
                for prefix in base.expanded
            }
        if isinstance(rows, Series) and base.flipped is not None:
            rows = None
        chosen = base.copy(filters=row_filters(base, rows) | self._labelled_rows(base, accessor, parts[0]))
        chosen.rows = base.rows
        if len(parts) < 2:
            return chosen
        labels = list(base.columns)
        if isinstance(parts[1], ast.Slice):
            return self._column_range(chosen, labels, parts[1])
        key = self.value(parts[1])
        if (
            isinstance(key, list)
            and key
            and len(key) == len(labels)
            and all(isinstance(one, bool) for one in key)
        ):
            kept = {name: chosen.columns[name] for name, is_kept in zip(labels, key, strict=True) if is_kept}
            return chosen.copy(kept)
        if isinstance(key, Series) and not key.is_item:  # a truth for each column that the data decide
            chosen.doubt = chosen.doubt or DATA_DEPENDENT
            return chosen
        if accessor == "iloc":
            if isinstance(key, int):
                if base.open or base.expanded:
                    return Series(
                        Column(base.bases()), "", dict(base.index), base.filters, doubt=DATA_DEPENDENT
                    )
                return pick(chosen, labels[key]) if -len(labels) <= key < len(labels) else None
            positions = key if isinstance(key, list) else []
            key = Items(
                labels[at] for at in positions if isinstance(at, int) and -len(labels) <= at < len(labels)
            )
        return pick(chosen, key)

    def _labelled_rows(self, base: Frame, accessor: str, rows: ast.expr) -> Bases:
        """Return the index level that selects rows by name: `df.set_index("city").loc["Rome"]`."""
        if accessor not in ("loc", "at", "ix") or base.rows is not None or not base.index:
            return NO_BASES
        bounds = [rows.lower, rows.upper] if isinstance(rows, ast.Slice) else [rows]
        named = any(isinstance(item, str) for bound in bounds for item in _listed(self.value(bound)))
        return next(iter(base.index.values())).bases if named else NO_BASES

    def _column_range(self, chosen: Frame, labels: list[Any], index: ast.Slice) -> object:
        lower, upper = self.value(index.lower), self.value(index.upper)
        if lower is None and upper is None and index.step is None:
            return chosen
        first = labels.index(lower) if isinstance(lower, str) and lower in labels else lower
        last = labels.index(upper) + 1 if isinstance(upper, str) and upper in labels else upper
        if _is_bound(first) and _is_bound(last) and not chosen.open:
            return chosen.copy({name: chosen.columns[name] for name in labels[first:last]}, is_open=False)
        chosen.doubt = DATA_DEPENDENT
        return chosen

    def _sliced(self, base: object, index: ast.Slice) -> object:
        if isinstance(base, ByColumn):
            return (
                ByColumn(base.columns, {}, base.filters, DATA_DEPENDENT)
                if index.lower or index.upper
                else base
            )
        if not isinstance(base, (list, str, tuple)):
            return base
        lower, upper, step = self.value(index.lower), self.value(index.upper), self.value(index.step)
        if not _is_bound(lower) or not _is_bound(upper) or not _is_bound(step) or step == 0:
            return base
        cut = base[lower:upper:step]
        if isinstance(base, ColumnNames):
            return ColumnNames(cut, base.doubt)
        return Items(cut, doubt_of(base)) if isinstance(base, Items) else cut

    def _walrus(self, node: ast.NamedExpr) -> object:
        value = self.value(node.value)
        self.bind(node.target.id, value)
        return value


def _known(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _compared_type(left: Dtype, name: str, right: object) -> object:
    """Return whether a column has the type that it is compared with, or the type if that is not known."""
    held = holds_kind(left.column, right)
    if held is None:
        return left
    return held == (name in ("Eq", "In", "Is"))


def _likely(left: object, name: str, right: object) -> Guess | None:
    """Guess how a number of different values compares: many numbers, few texts."""
    bound = number_of(right)
    if not isinstance(left, Series) or not left.is_distinct or bound is None or left.column.kind == "unknown":
        return None
    distinct = 10.0 if left.column.kind == "text" else 1000.0
    outcome = compared(name, distinct if bound > 1 or left.column.kind != "text" else 0.0, bound)
    return Guess(outcome) if isinstance(outcome, bool) else None


def _element(base: list[object] | tuple[object, ...], key: object) -> object:
    if isinstance(key, int) and -len(base) <= key < len(base):
        return base[key]
    if isinstance(base, ColumnNames):
        if isinstance(key, list) and all(isinstance(at, int) for at in key):
            return ColumnNames(
                (base[at] for at in key if isinstance(at, int) and -len(base) <= at < len(base)), base.doubt
            )
        if isinstance(key, list) and len(key) == len(base):
            return ColumnNames(
                (name for name, kept in zip(base, key, strict=True) if kept is not False), base.doubt
            )
        if isinstance(key, ByColumn):
            kept = [name for name in base if key.facts.get(name) is not False]  # type: ignore[call-overload]
            known = all(isinstance(key.facts.get(name), bool) for name in kept)  # type: ignore[call-overload]
            return ColumnNames(kept, key.doubt or ("" if known else DATA_DEPENDENT))
        return ColumnNames(base, DATA_DEPENDENT)
    return base[0] if base else None


def _under_key(base: dict[object, object], key: object) -> object:
    found = base.get(as_key(key, -1), base.get(None))
    if found is None and isinstance(base, DefaultDict):
        return base.lacking(as_key(key, -1))
    return found if found is not None or isinstance(key, (str, int)) else next(iter(base.values()), None)


def _is_array_index(index: ast.expr) -> bool:
    return isinstance(index, ast.Tuple) and any(isinstance(item, ast.Slice) for item in index.elts)


def _is_frame_name(name: str) -> bool:
    words = name.lower().split("_")
    return name.startswith("df") or any(word.rstrip("0123456789") in _LOOKS_LIKE_FRAME for word in words)


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_bound(value: object) -> TypeGuard[int | None]:
    return value is None or isinstance(value, int)


_Handler = Callable[[Any, Any], Any]

_EXPRESSIONS: dict[type[ast.expr], _Handler] = {
    ast.Constant: lambda self, node: node.value,
    ast.Name: LineageExpressions._name,
    ast.JoinedStr: LineageExpressions._text,
    ast.List: LineageExpressions._list,
    ast.Tuple: LineageExpressions._tuple,
    ast.Set: LineageExpressions._list,
    ast.Dict: LineageExpressions._dict,
    ast.IfExp: LineageExpressions._either,
    ast.BinOp: LineageExpressions._operation,
    ast.UnaryOp: LineageExpressions._negation,
    ast.BoolOp: LineageExpressions._all_of,
    ast.Compare: LineageExpressions._comparison,
    ast.ListComp: LineageExpressions._comprehension,
    ast.SetComp: LineageExpressions._comprehension,
    ast.GeneratorExp: LineageExpressions._comprehension,
    ast.DictComp: LineageExpressions._dict_comprehension,
    ast.Lambda: LineageExpressions._lambda,
    ast.Attribute: LineageExpressions._attribute,
    ast.Subscript: LineageExpressions._subscript,
    ast.Call: LineageExpressions.call,
    ast.NamedExpr: LineageExpressions._walrus,
}
