"""Statements: the code is followed once from top to bottom, branches one after the other, loops once.

What a branch or loop does may not happen, or often: a name bound in one stands for what holds either way,
and a column stored in one is there for all that is known. Loops over literals run for each item.
"""

from __future__ import annotations

import ast
import contextlib
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lakebook.syntax import parse_expression
from lakebook.validation.code.calls import Calls
from lakebook.validation.code.facts import Facts, Stored
from lakebook.validation.code.method import stored_field
from lakebook.validation.code.tables import bound_frame
from lakebook.validation.code.values import (
    Accessor,
    Constant,
    Field,
    Frame,
    Grouped,
    Listed,
    Mapped,
    Ref,
    Routine,
    Series,
    Value,
    either,
    names,
)
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable

_MOST_ITEMS = 40


class _Left(Exception):
    """`return`: the rest of a function is not run."""


class Interpreter(Calls):
    """Follows statements."""

    def __init__(self, knowledge: Knowledge, frames: Mapping[str, KnownTable]) -> None:
        super().__init__(knowledge)
        for name, table in frames.items():
            self.variables[0][name] = bound_frame(table, knowledge)
        self.bound: dict[str, ast.AST] = {}
        self.returned: list[Value] = []
        self.invoked: set[int] = set()

    def follow(self, tree: ast.Module) -> Facts:
        """Return the facts of a whole code."""
        self._run(tree.body)
        for value in list(self.variables[0].values()):
            if isinstance(value, Routine) and id(value.node) not in self.invoked:
                self.guards += 1
                self.invoke(value, [])
                self.guards -= 1
        self.facts.unused = {
            name: node
            for name, node in self.bound.items()
            if name not in self.read and not name.startswith("_")
        }
        return self.facts

    def invoke(self, routine: Routine, arguments: Any, named: dict[str, Value] | None = None) -> Value:
        """Run a function, once for each place that calls it."""
        self.invoked.add(id(routine.node))
        return super().invoke(routine, arguments, named)

    def run_body(self, body: list[ast.stmt]) -> Value:
        """Run the body of a function and return what it hands out."""
        outer, self.returned = self.returned, []
        with contextlib.suppress(_Left):
            self._run(body)
        found, self.returned = self.returned, outer
        result = found[0] if found else None
        for value in found[1:]:
            result = either(result, value)
        return result

    def _run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)

    # -- plain statements ----------------------------------------------------------------------------------

    def _expression(self, node: ast.Expr) -> None:
        self.see(node.value)

    def _return(self, node: ast.Return) -> None:
        self.returned.append(self.see(node.value))
        if not self.maybe:
            raise _Left

    def _import(self, node: ast.Import) -> None:
        for one in node.names:
            top = one.name.partition(".")[0]
            self.variables[-1][one.asname or top] = Ref(one.name if one.asname else top)

    def _import_from(self, node: ast.ImportFrom) -> None:
        for one in node.names:
            self.variables[-1][one.asname or one.name] = Ref(f"{node.module or ''}.{one.name}")

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.variables[-1][node.name] = Routine(node)

    def _define_class(self, node: ast.ClassDef) -> None:
        self.variables[-1][node.name] = None

    def _assign(self, node: ast.Assign) -> None:
        value = self.see(node.value)
        for target in node.targets:
            self._store(target, value, node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._store(node.target, self.see(node.value), node)

    def _augmented(self, node: ast.AugAssign) -> None:
        operation = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
        self._store(node.target, self.see(operation), node)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                owner, key = self.see(target.value), self.see(target.slice)
                if isinstance(owner, Frame) and isinstance(key, Constant) and not self.maybe:
                    owner.fields.pop(str(key.value), None)

    # -- stores --------------------------------------------------------------------------------------------

    def _store(self, target: ast.expr, value: Value, node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            made = isinstance(node, ast.Assign) and isinstance(node.value, (ast.Call, ast.Subscript))
            whole = isinstance(node, ast.Assign) and target in node.targets  # not one name of several
            if len(self.variables) == 1 and isinstance(value, Frame) and made and whole:
                self.bound[target.id] = node
            self.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = (
                value.items if isinstance(value, Listed) and len(value.items) == len(target.elts) else None
            )
            for place, part in enumerate(target.elts):
                self._store(part, items[place] if items else None, node)
        elif isinstance(target, ast.Subscript):
            self._store_part(target, value)
        elif isinstance(target, ast.Attribute):
            self._store_attribute(target, value)

    def _store_part(self, target: ast.Subscript, value: Value) -> None:
        owner, key = self.see(target.value), self.see(target.slice)
        if isinstance(owner, Frame):
            self._store_columns(target, owner, key, value)
        elif isinstance(owner, Accessor) and isinstance(owner.owner, Frame):
            columns = key.items[1] if isinstance(key, Listed) and len(key.items) == 2 else None
            for name in names(columns) or tuple(owner.owner.fields):
                before = owner.owner.fields.get(name, Field(of=frozenset((name,))))
                kind = before.kind if not isinstance(value, Constant) else ""
                owner.owner.fields[name] = before.changed(kind)
            if columns is None or names(columns) is None:
                owner.owner.whole = owner.owner.whole and isinstance(columns, Constant)
        elif isinstance(owner, Mapped):
            if isinstance(key, Constant) and not self.maybe:
                owner.items[key.value] = value
            else:
                owner.whole = False
        elif isinstance(owner, Listed):
            owner.whole = False

    def _store_columns(self, target: ast.Subscript, owner: Frame, key: Value, value: Value) -> None:
        listed = names(key)
        if listed is None:
            if isinstance(key, Series):  # rows where a mask holds get a value
                owner.fields = {name: one.changed() for name, one in owner.fields.items()}
            else:
                owner.spoil()
            return
        for name in listed:
            self.facts.seen.append(Stored(target, owner, name, value))
            made = stored_field(name, value)
            if self.maybe and name in owner.fields and owner.fields[name] != made:
                made = replace(made.changed(), nulls=None)
            owner.fields[name] = made

    def _store_attribute(self, target: ast.Attribute, value: Value) -> None:
        owner = self.see(target.value)
        if not isinstance(owner, Frame):
            return
        if target.attr == "columns":
            listed = names(value)
            if listed is not None and owner.whole and len(listed) == len(owner.fields) and not self.maybe:
                owner.fields = dict(zip(listed, owner.fields.values(), strict=True))
            else:
                owner.fields, owner.whole = {}, False
        elif target.attr in owner.fields:
            self._store_columns(
                ast.Subscript(target.value, ast.Constant(target.attr)), owner, Constant(target.attr), value
            )

    # -- control -------------------------------------------------------------------------------------------

    def _if(self, node: ast.If) -> None:
        self.see(node.test)
        self._guarded(node.body, node.orelse)

    def _guarded(self, *bodies: list[ast.stmt]) -> None:
        self.guards += 1
        for body in bodies:
            self._run(body)
        self.guards -= 1

    def _try(self, node: ast.Try) -> None:
        self._guarded(node.body, *(handler.body for handler in node.handlers), node.orelse)
        self._run(node.finalbody)

    def _with(self, node: ast.With) -> None:
        for item in node.items:
            value = self.see(item.context_expr)
            if item.optional_vars is not None:
                self.unpack(item.optional_vars, value)
        self._run(node.body)

    def _for(self, node: ast.For) -> None:
        over = self.see(node.iter)
        if isinstance(over, Listed) and over.whole and 0 < len(over.items) <= _MOST_ITEMS:
            for item in over.items:
                self._bind_item(node.target, item)
                self._run(node.body)
        else:
            self.loops += 1
            item = over.frame.copy() if isinstance(over, Grouped) else None
            if isinstance(over, Listed) and over.items:
                item = over.items[0]
            self._bind_item(node.target, item)
            self._run(node.body)
            self.loops -= 1
        self._guarded(node.orelse)

    def _bind_item(self, target: ast.expr, item: Value) -> None:
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(item, Listed):
            for part, value in zip(target.elts, item.items, strict=False):
                self.unpack(part, value)
        else:
            self.unpack(target, item)

    def _while(self, node: ast.While) -> None:
        self.see(node.test)
        self.loops += 1
        self._run(node.body)
        self.loops -= 1

    def _assert(self, node: ast.Assert) -> None:
        self.see(node.test)

    def _match(self, node: ast.Match) -> None:
        self.see(node.subject)
        self._guarded(*(case.body for case in node.cases))


def _loaded(target: ast.expr) -> ast.expr:
    """Return a target as an expression that reads it."""
    copied: ast.expr = parse_expression(ast.unparse(target))
    return copied


_STATEMENTS: dict[type[ast.stmt], Callable[[Any, Any], None]] = {
    ast.Expr: Interpreter._expression, ast.Return: Interpreter._return, ast.Import: Interpreter._import,
    ast.ImportFrom: Interpreter._import_from, ast.FunctionDef: Interpreter._define,
    ast.AsyncFunctionDef: Interpreter._define, ast.ClassDef: Interpreter._define_class,
    ast.Assign: Interpreter._assign, ast.AnnAssign: Interpreter._annotated,
    ast.AugAssign: Interpreter._augmented, ast.Delete: Interpreter._delete, ast.If: Interpreter._if,
    ast.Try: Interpreter._try, ast.With: Interpreter._with, ast.For: Interpreter._for,
    ast.While: Interpreter._while, ast.Assert: Interpreter._assert, ast.Match: Interpreter._match,
}  # fmt: skip

_known: weakref.WeakKeyDictionary[ast.Module, tuple[object, object, Facts]] = weakref.WeakKeyDictionary()


def followed(invocation: Invocation, knowledge: Knowledge) -> Facts:
    """Return the facts of the code of an invocation; all rules on it share one pass."""
    tree = invocation.tree
    if tree is None:
        return Facts()
    kept = _known.get(tree)
    if kept is not None and kept[0] is invocation.frames and kept[1] is knowledge:
        return kept[2]
    facts = Interpreter(knowledge, invocation.frames).follow(tree)
    _known[tree] = (invocation.frames, knowledge, facts)
    return facts
