"""Statements over column lineage; expressions and calls are in the modules of that name.

The interpreter follows values that matter for columns: frames, series, groups, literal strings, numbers,
lists and dictionaries. Branches are taken both ways unless the test is decided by known values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from lakebook.notebooks.lineage.access import column_from
from lakebook.notebooks.lineage.bounds import LONGEST_LIST, bounded
from lakebook.notebooks.lineage.expressions import LineageExpressions
from lakebook.notebooks.lineage.glyphs import store_tooltips
from lakebook.notebooks.lineage.grammar import show_drawing
from lakebook.notebooks.lineage.operators import is_of_data, kind_of, operated, truth
from lakebook.notebooks.lineage.parts import items_of
from lakebook.notebooks.lineage.records import as_key, held_under, selected
from lakebook.notebooks.lineage.shown import Drawing
from lakebook.notebooks.lineage.state import Blueprint, Instance, Returned, Routine
from lakebook.notebooks.lineage.values import (
    CANVAS,
    DATA_DEPENDENT,
    MOST_ITEMS,
    NO_BASES,
    Canvas,
    Column,
    Frame,
    Guess,
    Items,
    Plain,
    Ref,
    Series,
    Thing,
    bases_of,
    combined,
    doubt_of,
    labels_in,
)

_NOT_FOLLOWED = (RecursionError, TypeError, ValueError, LookupError, AttributeError)
_ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "ix"})


class _Skipped(Exception):
    """`break` and `continue`: the rest of the body of a loop is not run."""


class Interpreter(LineageExpressions):
    """Runs the statements of a notebook over column lineage."""

    def top_level(self, statement: ast.stmt) -> bool:
        """Run one statement of the notebook; what goes wrong costs that statement only.

        Returns:
            False if it was left before its end: it took too many steps, nests too deep, or does with a value
            what that value does not stand.
        """
        self.begin()
        try:
            self.run((statement,))
        except (Returned, _Skipped):
            return True
        except _NOT_FOLLOWED:
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
        value = self.value(node.value)
        if isinstance(value, Drawing) and value.family != "wordcloud" and self.nesting == 0:
            show_drawing(self.shown, value)  # as the last value of a cell it is displayed

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
        if isinstance(current, Items) and isinstance(added, (list, tuple)):
            current[:] = [*current, *added][:LONGEST_LIST]
            return
        self.store(
            node.target, operated(type(node.op).__name__, current, added) if current is not None else added
        )

    def store(self, target: ast.expr, value: object) -> None:
        """Store a value into a target."""
        if isinstance(target, ast.Name):
            self.bind(target.id, value)
        elif isinstance(target, ast.Starred):
            self.store(target.value, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Subscript):
            self._store_item(target, value)
        elif isinstance(target, ast.Attribute):
            self._store_attribute(target, value)

    def _unpack(self, targets: list[ast.expr], value: object) -> None:
        if isinstance(value, Frame) and value.is_foreign:
            value = [CANVAS if _is_canvas_name(target) else value.copy() for target in targets]
        if isinstance(value, Frame):  # the items of an array, or of a row
            value = Series(Column(bases_of(value)), filters=value.filters)
        if not isinstance(value, (list, tuple)):
            each = value if isinstance(value, (Series, Canvas, Thing, Plain)) else None
            for target in targets:
                self.store(target, each)
            return
        parts = list(value)
        if len(parts) < len(targets) and len(parts) == 1 and isinstance(parts[0], tuple):
            parts = [
                parts[0][at] if at < len(parts[0]) else None for at in range(len(targets))
            ]  # zip(*pairs)
        for position, item in enumerate(targets):
            self.store(item, parts[position] if position < len(parts) else None)

    def _store_item(self, target: ast.Subscript, value: object) -> None:
        base = self.value(target.value)
        if isinstance(base, (dict, Thing, Series)):
            self._store_under(base, self.value(target.slice), value)
            return
        if base is None and isinstance(target.value, ast.Name) and isinstance(self.value(target.slice), str):
            base = self.adopt(target.value)
        if not isinstance(base, Frame):
            return
        rows = NO_BASES
        key_node = target.slice
        partial = isinstance(target.value, ast.Attribute) and target.value.attr in _ACCESSORS
        if partial and isinstance(key_node, ast.Tuple) and len(key_node.elts) == 2:
            chosen = key_node.elts[0]
            if not isinstance(chosen, ast.Slice):
                rows = bases_of(self.value(chosen))
            elif chosen.lower is None and chosen.upper is None:
                partial = False  # `df.loc[:, c] = ...` is `df[c] = ...`
            key_node = key_node.elts[1]
        elif partial:
            _store_row(base, value)
            return
        key = self.value(key_node)
        if isinstance(key, int) and _is_by_position(target.value) and not base.open:
            key = dict(enumerate(base.columns)).get(key)
        for name in (
            labels_in(key) if isinstance(key, list) else (key,) if isinstance(key, (str, tuple)) else ()
        ):
            label = name if isinstance(name, str) else tuple(map(str, name))
            before = base.column(label) if partial else base.columns.get(label, Column())
            if isinstance(value, Frame) and label in value.columns:
                base.columns[label] = value.columns[label]
            elif partial:
                # a repair of some rows of a column of the file leaves it what it is
                own = before.bases == frozenset((label,)) if isinstance(label, str) else False
                added = NO_BASES if own else bases_of(value) | rows
                base.columns[label] = Column(before.bases | added, before.kind)
            else:
                base.columns[label] = _stored_column(value, before)

    def _store_under(self, base: dict[object, object] | Thing | Series, key: object, value: object) -> None:
        if isinstance(base, dict):
            place = as_key(key, len(base))
            guard = NO_BASES.union(*self.guards)
            base[place] = bounded(selected(held_under(place, value), guard) if guard else value)
        elif isinstance(base, Thing):  # a counter
            base.held |= bases_of(key) | bases_of(value)

    def _store_attribute(self, target: ast.Attribute, value: object) -> None:
        base = self.value(target.value)
        if isinstance(base, Instance):
            base.attributes[target.attr] = value
        elif isinstance(base, Frame) and target.attr == "columns":
            _name_columns(base, value)
        elif isinstance(base, Frame) and target.attr == "index" and isinstance(value, Series):
            base.index = {value.name or "index": value.column}
        elif isinstance(base, Frame) and (target.attr in base.columns or base.open):
            base.columns[target.attr] = _stored_column(value, base.columns.get(target.attr, Column()))
        elif isinstance(base, Drawing) and target.attr == "tooltips":
            store_tooltips(base, value)
        elif isinstance(base, Series) and target.attr == "name" and isinstance(value, str):
            base.name = value

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                base, key = self.value(target.value), self.value(target.slice)
                if isinstance(base, Frame) and self.uncertain:
                    base.doubt = base.doubt or DATA_DEPENDENT
                elif isinstance(base, Frame) and isinstance(key, str):
                    base.columns.pop(key, None)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.bind(alias.asname or top, Ref(alias.name if alias.asname else top))

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(node.module or "")
            else:
                self.bind(alias.asname or alias.name, Ref(f"{node.module or ''}.{alias.name}"))

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name, Routine(node, self.scope))

    def _class(self, node: ast.ClassDef) -> None:
        methods = {
            one.name: Routine(one, self.scope) for one in node.body if isinstance(one, ast.FunctionDef)
        }
        self.bind(node.name, Blueprint(methods))

    def _global(self, node: ast.Global) -> None:
        self.scope.shared.update(node.names)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        iterable = self.value(node.iter)
        doubtful = bool(doubt_of(iterable)) and not isinstance(iterable, (Series, Frame))
        self.uncertain += doubtful
        if doubtful and not iterable:
            self.shown.doubt(DATA_DEPENDENT)
        for item in items_of(iterable):
            self.store(node.target, item)
            if self._skipped(node.body) or self.exhausted:
                break
        self.uncertain -= doubtful
        self.run(node.orelse)

    def _skipped(self, body: list[ast.stmt]) -> bool:
        """Run the body of a loop once; return whether it surely ends the loop."""
        try:
            self.run(body)
        except _Skipped as skipped:
            return bool(skipped.args[0])
        return False

    def _while(self, node: ast.While) -> None:
        for _ in range(MOST_ITEMS):
            decided = self.decide(node.test)
            if decided is False or self._skipped(node.body) or decided is None or self.exhausted:
                return

    def _break(self, node: ast.Break) -> None:
        raise _Skipped(True)

    def _continue(self, node: ast.Continue) -> None:
        raise _Skipped(False)

    def _if(self, node: ast.If) -> None:
        test = self.value(node.test)
        decided = truth(test)
        if decided is not None:
            self.uncertain += isinstance(test, Guess)
            self.run(node.body if decided else node.orelse)
            self.uncertain -= isinstance(test, Guess)
            return
        self.uncertain += is_of_data(test)
        self.guards.append(bases_of(test) if isinstance(test, Series) else NO_BASES)
        try:
            results = [self._branch(body, test) for body in (node.body, node.orelse)]
        finally:
            self.guards.pop()
            self.uncertain -= is_of_data(test)
        if all(results):
            raise Returned(self.returns[-1].pop() if self.returns else None)

    def _branch(self, body: list[ast.stmt], test: object) -> bool:
        """Run a branch that may be taken; return whether it returns from the function.

        What it returns depends on the test, and is remembered, since the other branch may be taken.
        """
        try:
            self.run(body)
        except _Skipped:
            pass
        except Returned as returned:
            if self.returns:
                value = returned.value
                if isinstance(test, Series) and not isinstance(value, (Frame, dict, list, tuple)):
                    value = combined((test, value), kind_of(value))
                self.returns[-1].append(value)
            return True
        return False

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            entered = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.store(item.optional_vars, entered)
        self.run(node.body)

    def _try(self, node: ast.Try) -> None:
        for body in (node.body, node.orelse, node.finalbody):
            self.run(body)

    def _match(self, node: ast.Match) -> None:
        self.value(node.subject)
        for case in node.cases:
            self.run(case.body)

    def _return(self, node: ast.Return) -> None:
        raise Returned(self.value(node.value))


def _is_by_position(owner: ast.expr) -> bool:
    return isinstance(owner, ast.Attribute) and owner.attr == "iloc"


def _store_row(frame: Frame, value: object) -> None:
    """Add a row to a table, as `df.loc[len(df)] = [...]` does."""
    if isinstance(value, (list, tuple)) and len(value) == len(frame.columns):
        for name, item in zip(list(frame.columns), value, strict=True):
            frame.columns[name] = Column(frame.columns[name].bases | bases_of(item), frame.columns[name].kind)


def _stored_column(value: object, before: Column) -> Column:
    if value is None:
        return Column(before.bases)  # what is not understood is taken for a repair of what was there
    return column_from(value)


def _name_columns(frame: Frame, value: object) -> None:
    """Give the columns of a frame new names, as `df.columns = [...]` does."""
    names = [one for one in value if isinstance(one, (str, tuple))] if isinstance(value, list) else []
    frame.is_renamed = frame.is_renamed or (frame.open and bool(doubt_of(value)))
    if not names:
        return
    labels = [name if isinstance(name, str) else tuple(map(str, name)) for name in names]
    if frame.open and not doubt_of(value):  # what a file's columns are called is not known: so they are now
        frame.columns = {name: frame.columns.get(name) or Column(frozenset((str(name),))) for name in labels}
        frame.open = False
    elif len(labels) == len(frame.columns):
        frame.columns = dict(zip(labels, frame.columns.values(), strict=True))
    elif frame.expanded:
        everything = Column(frame.bases())
        frame.columns = dict.fromkeys(labels, everything)
    else:
        frame.columns = {name: frame.column(name) for name in labels}


def _is_canvas_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id.startswith(("ax", "fig"))


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
    ast.ClassDef: Interpreter._class,
    ast.Global: Interpreter._global,
    ast.For: Interpreter._for,
    ast.AsyncFor: Interpreter._for,
    ast.While: Interpreter._while,
    ast.Break: Interpreter._break,
    ast.Continue: Interpreter._continue,
    ast.If: Interpreter._if,
    ast.With: Interpreter._with,
    ast.AsyncWith: Interpreter._with,
    ast.Try: Interpreter._try,
    ast.Match: Interpreter._match,
    ast.Return: Interpreter._return,
}
