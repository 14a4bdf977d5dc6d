"""Columns and rows taken out of frames, by name, mask, place or label."""

from __future__ import annotations

import ast
from dataclasses import replace

from lakebook.validation.code.expressions import Expressions
from lakebook.validation.code.facts import Filtered, Selected
from lakebook.validation.code.values import (
    Accessor,
    Constant,
    Field,
    Frame,
    Grouped,
    Listed,
    Mapped,
    Ref,
    RowOf,
    Scalar,
    Series,
    Taken,
    Value,
    names,
)

_ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "str", "dt", "columns", "index", "cat"})


class Selections(Expressions):
    """Evaluates attributes and subscripts."""

    def _attribute(self, node: ast.Attribute) -> Value:
        owner = self.see(node.value)
        name = node.attr
        if isinstance(owner, Ref):
            return Ref(f"{owner.path}.{name}")
        if isinstance(owner, Frame) and name in owner.fields:
            return self.column(node, owner, name)
        if isinstance(owner, (Frame, Series)) and name in _ACCESSORS:
            return Accessor(owner, name)
        if isinstance(owner, Series) and name == "values":
            return replace(owner, rows=replace(owner.rows, labels=0), frame=None)
        if isinstance(owner, RowOf) and name in owner.frame.fields:
            return Scalar(of=owner.frame.fields[name])
        if isinstance(owner, Grouped) and name in owner.frame.fields:
            return replace(owner, series=self.column(node, owner.frame, name))
        return None

    def _subscript(self, node: ast.Subscript) -> Value:
        owner, key = self.see(node.value), self.see(node.slice)
        if isinstance(owner, Frame):
            return self.selected(node, owner, key)
        if isinstance(owner, RowOf):
            if isinstance(key, Constant) and isinstance(key.value, str):
                found = self.column(node, owner.frame, key.value)
                return Scalar(of=found.field)
            return None
        if isinstance(owner, Grouped):
            return self._of_groups(node, owner, key)
        if isinstance(owner, Series):
            return self._of_series(node, owner, key)
        if isinstance(owner, Accessor):
            return self._located(node, owner, key)
        if isinstance(owner, Mapped) and isinstance(key, Constant):
            return owner.items.get(key.value)
        if isinstance(owner, Listed) and isinstance(key, Constant) and isinstance(key.value, int):
            return owner.items[key.value] if -len(owner.items) <= key.value < len(owner.items) else None
        return None

    def _slice(self, node: ast.Slice) -> Value:
        parts = [self.see(part) for part in (node.lower, node.upper, node.step)]
        found = [part.value if isinstance(part, Constant) else None for part in parts]
        known = all(isinstance(part, Constant) or part is None for part in parts)
        return Constant(slice(*found)) if known else Constant(slice(None, None, "unknown"))

    def column(self, node: ast.AST, frame: Frame, name: str, within: str = "") -> Series:
        """Return a column of a frame; one that is not known is noted, and taken to exist from then on."""
        found = frame.find(name)
        if found is None:
            known = (*frame.fields, *frame.index) if frame.whole else ()
            if not self.guards:
                self.facts.seen.append(Selected(node, frame, name, known, within, name in frame.lost))
            found = frame.fields[name] = Field(of=frozenset((name,)))
        if found.origin is not None:
            self.facts.asked.add((found.origin.table.name, found.origin.column.name))
        return Series(found, frame.rows, name, frame)

    def selected(self, node: ast.AST, frame: Frame, key: Value) -> Value:
        """Return `frame[key]`: a column, several, or the rows that a mask leaves."""
        if isinstance(key, Constant) and isinstance(key.value, str):
            return self.column(node, frame, key.value)
        if isinstance(key, Constant) and isinstance(key.value, slice):
            return taken(frame, key.value, ast.unparse(node) if isinstance(node, ast.expr) else "slice")
        if isinstance(key, Listed) and (listed := names(key)) is not None:
            for name in listed:
                self.column(node, frame, name)
            return frame.copy(listed)
        if isinstance(key, Series) and key.field.kind == "boolean":
            return self.filtered(node, frame, key)
        return frame.fewer().opened() if isinstance(key, Series) else None

    def filtered(self, node: ast.AST, frame: Frame, mask: Series) -> Frame:
        """Return the rows of a frame that a mask leaves."""
        made = frame.fewer()
        for condition in mask.conditions:
            here = made.fields.get(condition.name)
            if here is not None and condition.operator in ("==", "isin", ">", "<", ">=", "<=", "notna"):
                made.fields[condition.name] = replace(here, nulls=0)
        self.facts.seen.append(Filtered(node, frame, mask.conditions, made))
        return made

    def _of_groups(self, node: ast.Subscript, owner: Grouped, key: Value) -> Value:
        listed = names(key)
        if listed is None:
            return None
        for name in listed:
            self.column(node, owner.frame, name)
        if isinstance(key, Constant):
            return replace(owner, series=self.column(node, owner.frame, listed[0]))
        return replace(owner, columns=listed)

    def _of_series(self, node: ast.Subscript, owner: Series, key: Value) -> Value:
        if isinstance(key, Series) and key.field.kind == "boolean":
            return Series(owner.field.fewer(), owner.rows.fewer(), owner.name)
        if isinstance(key, Constant) and isinstance(key.value, slice):
            return _taken_series(owner, key.value, ast.unparse(node))
        return Scalar(of=owner.field)

    def _located(self, node: ast.Subscript, owner: Accessor, key: Value) -> Value:
        """Return what `.loc[...]` and `.iloc[...]` pick; parts of texts and dates are not followed."""
        if owner.name not in ("loc", "iloc"):
            return None
        rows, columns = key, None
        if isinstance(key, Listed) and isinstance(node.slice, ast.Tuple) and len(key.items) == 2:
            rows, columns = key.items
        found = self._rows_at(node, owner, rows)
        if columns is None or owner.name == "iloc":
            return found if columns is None else None
        if found is None or isinstance(found, RowOf):  # the columns are named all the same
            self._named_part(node, owner.owner, columns)
            return None
        return self._named_part(node, found, columns)

    def _rows_at(self, node: ast.Subscript, owner: Accessor, rows: Value) -> Value:
        data = owner.owner
        if isinstance(rows, Series):
            if isinstance(data, Frame):
                return self.filtered(node, data, rows)
            return Series(data.field.fewer(), data.rows.fewer(), data.name)
        if isinstance(rows, Constant) and isinstance(rows.value, slice):
            if rows.value == slice(None):
                return data
            if owner.name == "iloc":
                how = ast.unparse(node)
                return (
                    taken(data, rows.value, how)
                    if isinstance(data, Frame)
                    else _taken_series(data, rows.value, how)
                )
            return data.fewer() if isinstance(data, Frame) else None
        if isinstance(data, Series):
            return Scalar(of=data.field)
        return (
            RowOf(data)
            if isinstance(rows, (Constant, Scalar))
            else data.fewer()
            if rows is not None
            else None
        )

    def _named_part(self, node: ast.AST, found: Value, columns: Value) -> Value:
        listed = names(columns) if isinstance(found, Frame) else None
        if listed is None or not isinstance(found, Frame):
            return None
        for name in listed:
            self.column(node, found, name)
        return self.column(node, found, listed[0]) if isinstance(columns, Constant) else found.copy(listed)


def taken(frame: Frame, rows: slice, how: str) -> Frame:
    """Return the rows at given places: a part of the rows that nobody looked at."""
    made = frame.fewer()
    bound = rows.stop if isinstance(rows.stop, int) and rows.step in (None, 1) else None
    count = frame.rows.count
    trims = bound is not None and count is not None and bound * 2 > count  # footers are cut off so
    if rows.start in (None, 0) and bound is not None and bound > 0 and not trims:
        made.rows = replace(made.rows, taken=frame.rows.taken or Taken(how, bound, of=count), count=bound)
    return made


def _taken_series(series: Series, rows: slice, how: str) -> Series:
    part = taken(Frame({"": series.field}, True, series.rows), rows, how)
    return Series(part.fields[""], part.rows, series.name)
