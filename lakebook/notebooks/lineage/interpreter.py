"""Statements over column lineage; expressions and calls are in the modules of that name.

The interpreter follows values that matter for columns: frames, series, groups, literal strings, numbers,
lists and dictionaries. Branches are taken both ways unless the test is decided by known strings.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from lakebook.notebooks.lineage.calls import Returned, Routine
from lakebook.notebooks.lineage.expressions import LineageExpressions
from lakebook.notebooks.lineage.values import (
    NO_BASES,
    Bases,
    Column,
    Frame,
    Series,
    bases_of,
    combined,
    items_of,
    texts,
)

_ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "ix"})
_FRAME_ITSELF = frozenset({"values", "T", "loc", "iloc", "at", "iat", "ix", "style", "plot"})


class Interpreter(LineageExpressions):
    """Runs a component over column lineage."""

    def top_level(self, statement: ast.stmt) -> bool:
        """Run one statement of the notebook; what goes wrong costs that statement only.

        Returns:
            False if it was left before its end, since it took too many steps or nests too deep.
        """
        self.begin()
        try:
            self.run((statement,))
        except Returned:
            return True
        except RecursionError:
            return False
        return not self.exhausted

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Run statements."""
        for statement in body:
            if self.step():
                return
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)

    # -- statements ----------------------------------------------------------------------------------------

    def _expression(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.store(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.store(node.target, self.value(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        current = self.value(_as_load(node.target))
        added = self.value(node.value)
        if isinstance(current, list) and isinstance(added, (list, tuple)):
            current.extend(added)
            return
        self.store(node.target, combined((current, added)) if current is not None else added)

    def store(self, target: ast.expr, value: object) -> None:
        """Store a value into a target."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Starred):
            self.store(target.value, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = list(value) if isinstance(value, (list, tuple)) else []
            for position, item in enumerate(target.elts):
                known = parts[position] if position < len(parts) else None
                self.store(item, known if parts else value if isinstance(value, Series) else None)
        elif isinstance(target, ast.Subscript):
            self._store_item(target, value)
        elif isinstance(target, ast.Attribute):
            self._store_attribute(target, value)

    def _store_item(self, target: ast.Subscript, value: object) -> None:
        base = self.value(target.value)
        if isinstance(base, dict):
            key = self.value(target.slice)
            if isinstance(key, (str, int)):
                base[key] = value
            return
        if not isinstance(base, Frame):
            return
        rows: Bases = NO_BASES
        key_node = target.slice
        partial = isinstance(target.value, ast.Attribute) and target.value.attr in _ACCESSORS
        if partial and isinstance(key_node, ast.Tuple) and len(key_node.elts) == 2:
            rows = bases_of(self.value(key_node.elts[0]))
            key_node = key_node.elts[1]
        for name in texts(self.value(key_node)):
            before = base.column(name) if partial or base.open else base.columns.get(name, Column())
            if isinstance(value, Frame) and name in value.columns:
                base.columns[name] = value.columns[name]
            elif partial:
                base.columns[name] = Column(before.bases | bases_of(value) | rows, before.kind)
            else:
                base.columns[name] = self._stored_column(value, before)

    def _stored_column(self, value: object, before: Column) -> Column:
        if isinstance(value, Series):
            return Column(bases_of(value) or before.bases, value.column.kind)
        if isinstance(value, (int, float)):
            return Column(NO_BASES, "number")
        return (
            Column(bases_of(value))
            if bases_of(value)
            else Column(before.bases if value is None else NO_BASES)
        )

    def _store_attribute(self, target: ast.Attribute, value: object) -> None:
        base = self.value(target.value)
        if isinstance(base, Frame) and target.attr == "columns":
            names = texts(value)
            if len(names) == len(base.columns):
                base.columns = dict(zip(names, base.columns.values(), strict=True))
            elif names:
                base.columns = {name: base.column(name) for name in names}
        elif isinstance(base, Frame) and target.attr == "index" and isinstance(value, Series):
            base.index = {value.name or "index": value.column}
        elif isinstance(base, Frame) and target.attr in base.columns:
            base.columns[target.attr] = self._stored_column(value, base.columns[target.attr])

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                base, key = self.value(target.value), self.value(target.slice)
                if isinstance(base, Frame) and isinstance(key, str):
                    base.columns.pop(key, None)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.modules[alias.asname or top] = alias.name if alias.asname else top

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.modules[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.names[node.name] = Routine(node)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        iterable = self.value(node.iter)
        for item in items_of(iterable):
            self.store(node.target, item)
            self.run(node.body)
            if self.exhausted:
                return

    def _while(self, node: ast.While) -> None:
        self.value(node.test)
        self.run(node.body)

    def _if(self, node: ast.If) -> None:
        decided = self.decide(node.test)
        if decided is not False:
            self.run(node.body)
        if decided is not True:
            self.run(node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            entered = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.store(item.optional_vars, entered)
        self.run(node.body)

    def _try(self, node: ast.Try) -> None:
        for body in (node.body, node.orelse, node.finalbody):
            self.run(body)

    def _return(self, node: ast.Return) -> None:
        raise Returned(self.value(node.value))


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    return (
        ast.Attribute(target.value, target.attr, ast.Load()) if isinstance(target, ast.Attribute) else target
    )


_Handler = Callable[[Any, Any], Any]

_STATEMENTS: dict[type[ast.stmt], _Handler] = {
    ast.Expr: Interpreter._expression,
    ast.Assign: Interpreter._assign,
    ast.AnnAssign: Interpreter._annotated,
    ast.AugAssign: Interpreter._augmented,
    ast.Delete: Interpreter._delete,
    ast.Import: Interpreter._import,
    ast.ImportFrom: Interpreter._import_from,
    ast.FunctionDef: Interpreter._define,
    ast.AsyncFunctionDef: Interpreter._define,
    ast.For: Interpreter._for,
    ast.AsyncFor: Interpreter._for,
    ast.While: Interpreter._while,
    ast.If: Interpreter._if,
    ast.With: Interpreter._with,
    ast.AsyncWith: Interpreter._with,
    ast.Try: Interpreter._try,
    ast.Return: Interpreter._return,
}
