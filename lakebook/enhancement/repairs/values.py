"""Category values in old code that the new data spell otherwise, name otherwise, or do not have.

A literal is touched only if its column does not have it. Same letters: respelled, which keeps the meaning.
The same value by another word or code: rewritten, and marked. One of a list that is gone: left out of the
list, and marked. A single value that is gone is left alone: there is nothing to show, and `reasons` says why.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lakebook.analyst.table import Table, TableColumn
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.queries import in_query
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.repairs.spelled import (
    Literal_,
    Meant,
    folded,
    holds,
    nearest,
    other_spelling,
    same_letters,
)
from lakebook.enhancement.repairs.view import Place, View, axis_column, places
from lakebook.enhancement.script import Script, Statement, keyword, method

Choice = Callable[[Literal_, TableColumn], Meant | None]
_SHORTEST = 3
_ORDERS = frozenset({"order", "hue_order", "col_order", "row_order"})
_COMPARED = frozenset({"isin", "eq", "ne"})
_BY_LABEL = frozenset({"get_group", "xs", "reindex"})
_RECODED = frozenset({"map", "replace"})
_WRITTEN = re.compile("label|tick|legend|title|colou?r|name", re.IGNORECASE)
_FORMS = frozenset({"lower", "upper", "title", "capitalize", "casefold", "swapcase", "slice", "get", "split"})
_LOOKED_AT = _COMPARED | _BY_LABEL | _RECODED | {"query", "contains"}
_OPTIONS = frozenset({"palette", "categories"})


def values_named_otherwise(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Respell, rename or leave out the literals that their column does not have (three kinds of repair)."""
    view = View.of(adapted, table)
    spelled = _spellings(view)
    kept: list[Statement] = []
    repairs: list[Repair] = []
    for statement, place in zip(adapted.script.statements, places(adapted.script, view), strict=True):
        script = Script((statement,))
        if _selects(statement.node, place):
            for kind, choose in _STEPS:
                edit = _Values(place, choose, spelled if choose is same_letters else {})
                script, made = script.edited(edit.visit, kind, changes_meaning=choose is not same_letters)
                repairs += [replace(one, evidence="; ".join(dict.fromkeys(edit.notes))) for one in made]
        kept += script.statements
    return adapted.repaired(Script(tuple(kept)), repairs) if repairs else None


def _nothing(literal: Literal_, column: TableColumn) -> Meant | None:
    return None


# Only the last step may leave something out: by then, what means a value of the column has its name.
_STEPS: tuple[tuple[str, Choice], ...] = (
    ("respelled_value", same_letters),
    ("other_value", other_spelling),
    ("value_left_out", _nothing),
)


def _selects(statement: ast.stmt, place: Place) -> bool:
    """Return True if there is anything in a statement that an edit of literals may look at."""
    return any(_may_select(node, place) for node in ast.walk(statement))


def _may_select(node: ast.AST, place: Place) -> bool:
    if isinstance(node, ast.Subscript):
        key = node.slice
        return isinstance(key, ast.List | ast.Tuple) or (
            isinstance(key, ast.Constant) and key.value not in place.view.columns
        )
    if isinstance(node, ast.Call):
        options = {option.arg for option in node.keywords}
        return method(node) in _LOOKED_AT or bool(options & (_ORDERS | _OPTIONS))
    if isinstance(node, ast.Assign | ast.For):
        held = node.value if isinstance(node, ast.Assign) else node.iter
        return isinstance(held, ast.Constant | ast.List | ast.Tuple | ast.Set)
    return isinstance(node, ast.Compare)


def _spellings(view: View) -> dict[str, str]:
    """Return letters -> value, for text values that no other value and no column shares its letters with."""
    found: dict[str, set[str]] = {}
    for column in view.columns.values():
        if column.dtype == "text":
            for level, _ in column.levels:
                found.setdefault(folded(level), set()).add(level)
    names = {folded(name) for name in view.columns} | {folded(c.name) for c in view.columns.values()}
    return {
        flat: next(iter(values))
        for flat, values in found.items()
        if len(values) == 1 and len(flat) >= _SHORTEST and flat not in names
    }


@dataclass
class _Values(ast.NodeTransformer):
    """Visits the places where a literal selects: comparisons, lookups, lists, recodings, orders.

    Attributes:
        spelled: letters -> value, for places whose column is not known.
        notes: what was done, and on what ground.
    """

    place: Place
    choose: Choice
    spelled: Mapping[str, str]
    notes: list[str] = field(default_factory=list)

    @property
    def leave_out(self) -> bool:
        """Return True if this is the step that leaves values out."""
        return self.choose is _nothing

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        sides = (node.left, *node.comparators)
        column = next((name for side in sides if (name := self._column(side))), "")
        if not column and any(_is_changed_text(side) or _names_a_column(side) for side in sides):
            return node
        node.left = self._new(node.left, column)
        node.comparators = [self._new(item, column) for item in node.comparators]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        key = node.slice
        is_loc = isinstance(node.value, ast.Attribute) and node.value.attr == "loc"
        if isinstance(key, ast.Constant) and not isinstance(key.value, str) and not is_loc:
            return node  # a place in a list, as often as not
        indexed = self.place.view.index_of(node.value, self.place.indexed)
        if isinstance(key, ast.Tuple) and key.elts:
            key.elts[0] = self._new(key.elts[0], indexed)
        else:
            node.slice = self._new(key, indexed)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        name = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        if name and not _WRITTEN.search(name):
            node.value = self._new(node.value, self.place.listed.get(name, ""))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        node.iter = self._new(node.iter, self.place.listed.get(name, ""))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        made = method(node)
        on = node.func.value if isinstance(node.func, ast.Attribute) else None
        if made == "query" and node.args and isinstance(node.args[0], ast.Constant):
            node.args[0] = in_query(node.args[0], self.visit)
        elif on is not None and made in _COMPARED:
            column = self._column(on)
            if column or not (_is_changed_text(on) or _names_a_column(on)):
                node.args = [self._new(item, column) for item in node.args]
        elif on is not None and made in _BY_LABEL:
            indexed = self.place.view.index_of(on, self.place.indexed)
            node.args = [self._new(item, indexed) for item in node.args]
        elif on is not None and made in _RECODED and not self.leave_out:
            self._recode(node, on)
        elif on is not None and made == "contains" and node.args and not self.leave_out:
            node.args[0] = self._pattern(node.args[0], on)
        for option in node.keywords:
            if option.arg in _ORDERS and (column := axis_column(node, option.arg, self.place.view)):
                option.value = self._new(option.value, column)
            elif option.arg == "palette" and isinstance(option.value, ast.Dict):
                self._keys(option.value, axis_column(node, "palette", self.place.view))
            elif option.arg == "categories" and node.args:
                option.value = self._new(option.value, self._column(node.args[0]))
        return node

    def _column(self, node: ast.expr) -> str:
        return self.place.view.column_of(node, self.place.bound)

    def _recode(self, node: ast.Call, on: ast.expr) -> None:
        column = self._column(on)
        first = node.args[0] if node.args else keyword(node, "to_replace")
        if isinstance(first, ast.Dict):
            if column:
                self._keys(first, column)
            for key, value in zip(first.keys, first.values, strict=True):  # replace({"column": {…}})
                name = key.value if isinstance(key, ast.Constant) else None
                if isinstance(value, ast.Dict) and isinstance(name, str) and name in self.place.view.columns:
                    self._keys(value, name)
        elif column and method(node) == "replace" and node.args:
            node.args[0] = self._new(node.args[0], column)

    def _keys(self, node: ast.Dict, column: str) -> None:
        node.keys = [self._new(key, column) if key is not None else None for key in node.keys]

    def _pattern(self, node: ast.expr, on: ast.expr) -> ast.expr:
        """Respell what is looked for inside the values, if only the case is another."""
        text = on.value if isinstance(on, ast.Attribute) and on.attr == "str" else on
        name = self._column(text)
        wanted = node.value if isinstance(node, ast.Constant) else None
        if not name or not isinstance(wanted, str) or not re.fullmatch(r"[\w ]{3,}", wanted):
            return node
        column = self.place.view.columns[name]
        if column.dtype != "text" or not column.levels_complete or any(wanted in v for v, _ in column.levels):
            return node
        found = {
            level[at : at + len(wanted)]
            for level, _ in column.levels
            if (at := level.casefold().find(wanted.casefold())) >= 0
        }
        if len(found) != 1 or self.choose is not same_letters:
            return node
        self.notes.append(f"values of {column.name} hold {next(iter(found))!r}")
        return ast.Constant(next(iter(found)))

    def _new(self, node: ast.expr, name: str) -> ast.expr:
        """Return a literal, or a list of them, as the column has it."""
        column = self.place.view.columns.get(name)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            node.elts = [self._new(item, name) for item in node.elts]
            if column is not None and self.leave_out:
                node.elts = self._kept(node.elts, column)
            return node
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str | int | float | bool):
            return node
        if column is None:
            return self._spelled(node)
        meant = self.choose(node.value, column)
        if meant is None or (meant.value == node.value and type(meant.value) is type(node.value)):
            return node
        self.notes.append(f"{node.value!r} is not there, but {meant.reason}")
        return ast.Constant(meant.value)

    def _spelled(self, node: ast.Constant) -> ast.expr:
        value = self.spelled.get(folded(node.value)) if isinstance(node.value, str) else None
        if value is None or value == node.value:
            return node
        self.notes.append(f"{node.value!r} is not there, but {value!r} is, the same letters")
        return ast.Constant(value)

    def _kept(self, items: list[ast.expr], column: TableColumn) -> list[ast.expr]:
        gone = [
            item
            for item in items
            if isinstance(item, ast.Constant)
            and isinstance(item.value, str | int | float)
            and _never(column, item.value)
        ]
        if not gone or len(gone) == len(items):
            return items
        listed = ", ".join(ast.unparse(item) for item in gone)
        self.notes.append(f"{column.name} has no {listed}")
        return [item for item in items if item not in gone]


def _names_a_column(node: ast.expr) -> bool:
    """Return True for `df["made"]` and `df.made`; if it is no column of the view, the code has made it."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


def _is_changed_text(node: ast.expr) -> bool:
    """Return True for text that was put in another form, such as small letters."""
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return bool(attributes & _FORMS)


def _never(column: TableColumn, literal: Literal_) -> bool:
    """Return True if a text column certainly has no such value; years and numbers are not its business."""
    return column.dtype == "text" and isinstance(literal, str) and holds(column, literal) is False


def gone_values(adapted: Adapted, table: Table) -> Iterator[str]:
    """Say which single values the code selects by that the new data do not have, and the nearest ones."""
    view = View.of(adapted, table)
    for statement, place in zip(adapted.script.statements, places(adapted.script, view), strict=True):
        for node in ast.walk(statement.node):
            if not isinstance(node, ast.Compare) or not all(isinstance(o, ast.Eq | ast.In) for o in node.ops):
                continue
            column = place.view.columns.get(place.view.column_of(node.left, place.bound))
            for other in node.comparators:
                literal = other.value if isinstance(other, ast.Constant) else None
                if column is None or not isinstance(literal, str) or holds(column, literal) is not False:
                    continue
                near = nearest(literal, column)
                yield f"`{column.name}` has no {literal!r}" + (f"; nearest: {near!r}" if near else "")


FIXES = (
    TableFix("other_value", "values are named otherwise in the new data, or gone", values_named_otherwise),
)
