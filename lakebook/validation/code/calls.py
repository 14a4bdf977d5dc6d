"""Calls: of methods, of functions of pandas and its kin, of functions of the code itself."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import replace

from lakebook.validation.code.expressions import constant
from lakebook.validation.code.facts import Called, Compared
from lakebook.validation.code.frame_methods import of_frame
from lakebook.validation.code.functions import FUNCTIONS, of_accessor, of_numpy, of_text, split_rows
from lakebook.validation.code.group_methods import of_groups
from lakebook.validation.code.method import Call, stored_field
from lakebook.validation.code.querying import read_query
from lakebook.validation.code.selections import Selections
from lakebook.validation.code.series_methods import mask_of, of_series
from lakebook.validation.code.tables import read_frame, table_of_path
from lakebook.validation.code.values import (
    Accessor,
    Condition,
    Constant,
    Frame,
    Grouped,
    Learner,
    Listed,
    Mapped,
    Ref,
    Routine,
    Rows,
    Series,
    Taken,
    Value,
    names,
    new_labels,
)

_READERS = frozenset(
    {"pandas.read_csv", "pandas.read_table", "pandas.read_parquet", "pandas.read_json", "pandas.read_excel"}
)
_DEEPEST = 4  # calls of own functions inside one another


class Calls(Selections):
    """Evaluates calls."""

    def _call(self, node: ast.Call) -> Value:
        function = node.func
        owner: Value = None
        if isinstance(function, ast.Attribute):
            owner = self.see(function.value)
        called = owner if isinstance(owner, Ref) else None
        target = self.lookup(function.id) if isinstance(function, ast.Name) else None
        args = [self.see(item.value if isinstance(item, ast.Starred) else item) for item in node.args]
        named = {word.arg: self.see(word.value) for word in node.keywords if word.arg}
        name = function.attr if isinstance(function, ast.Attribute) else ""
        if called is not None:
            name = f"{called.path}.{name}"
            owner = None
        elif isinstance(target, Ref):
            name = target.path
        elif isinstance(function, ast.Name):
            name = function.id
        call = Call(node, name, owner, tuple(args), named, self)
        place = len(self.facts.seen)
        result = self._result(call, target)
        fact = Called(node, name, owner, call.args, named, result, self.maybe)
        self.facts.seen.insert(place, fact)  # what it does is told after what it is
        return result

    def _result(self, call: Call, target: Value) -> Value:
        owner = call.receiver
        if isinstance(target, Routine):
            return self.invoke(target, list(call.args), call.named)
        if isinstance(owner, (Frame, Series, Grouped)):
            return self._of_data(call)
        if isinstance(owner, Accessor):
            return of_accessor(call, owner)
        if isinstance(owner, (Listed, Mapped)):
            return self._of_container(call, owner)
        if isinstance(owner, Constant) and isinstance(owner.value, str):
            return of_text(call, owner.value)
        if isinstance(owner, Learner):
            return owner if call.name == "fit" else None
        if "." in call.name or isinstance(target, Ref):
            return self._of_module(call)
        if isinstance(call.node.func, ast.Name) and not hasattr(builtins, call.name):
            for value in (*call.args, *call.named.values()):
                if isinstance(value, Frame):
                    value.spoil()  # a function that is not there may do anything to it
        return None

    # -- data ----------------------------------------------------------------------------------------------

    def _of_data(self, call: Call) -> Value:
        owner = call.receiver
        if isinstance(owner, Frame) and call.name == "query":
            return read_query(call, owner)
        if isinstance(owner, Frame) and call.name in ("insert", "update", "pop", "eval"):
            return self._in_place(call, owner)
        if isinstance(owner, Series) and call.name == "isin":
            return self._isin(call, owner)
        if isinstance(owner, Series) and call.name in ("notna", "notnull"):
            return mask_of(owner, (Condition(call.node, owner.field, owner.name, "notna", ()),))
        found = (
            of_frame(call)
            if isinstance(owner, Frame)
            else of_series(call)
            if isinstance(owner, Series)
            else of_groups(call)
        )
        if call.constant(99, "inplace", False) is True:
            if isinstance(owner, Frame):
                self._put_back(owner, found)
            return Constant(None)
        return found

    def _put_back(self, owner: Frame, found: Value) -> None:
        """Change a frame in place."""
        if not isinstance(found, Frame):
            owner.spoil()
            return
        if self.maybe:
            owner.whole = owner.whole and found.whole
            for name, one in found.fields.items():
                if owner.fields.get(name) != one:
                    owner.fields[name] = one.changed() if name in owner.fields else one
            owner.rows = replace(found.rows, taken=owner.rows.taken)
            return
        owner.fields, owner.whole, owner.rows, owner.index = (
            found.fields,
            found.whole,
            found.rows,
            found.index,
        )

    def _in_place(self, call: Call, owner: Frame) -> Value:
        name = call.constant(1 if call.name == "insert" else 0, "column")
        if call.name == "insert" and isinstance(name, str):
            owner.fields[name] = stored_field(name, call.given(2, "value"))
        elif call.name == "pop" and isinstance(name, str):
            found = self.column(call.node, owner, name)
            if not self.maybe:
                owner.fields.pop(name, None)
            return Series(found.field, found.rows, name)
        elif call.name == "update":
            owner.spoil()
        return None

    def _isin(self, call: Call, owner: Series) -> Series:
        found = constant(call.given(0, "values"))
        if not isinstance(found, list):
            return mask_of(owner)
        condition = Condition(call.node, owner.field, owner.name, "isin", tuple(found))
        self.facts.seen.append(Compared(condition))
        return mask_of(owner, (condition,))

    def _of_container(self, call: Call, owner: Listed | Mapped) -> Value:
        if isinstance(owner, Listed) and call.name in ("append", "add", "insert"):
            if self.guards:
                owner.whole = False
            owner.items.append(call.args[-1] if call.args else None)
        elif (
            isinstance(owner, Listed)
            and call.name == "extend"
            and isinstance(given := call.given(0, "x"), Listed)
        ):
            owner.items.extend(given.items)
        elif call.name in ("extend", "remove", "pop", "clear", "update", "setdefault"):
            owner.whole = False
        elif isinstance(owner, Mapped) and call.name == "items" and owner.whole:
            return Listed([Listed([Constant(key), value]) for key, value in owner.items.items()])
        elif isinstance(owner, Mapped) and call.name == "keys" and owner.whole:
            return Listed([Constant(key) for key in owner.items])
        elif isinstance(owner, Mapped) and call.name == "get":
            return owner.items.get(call.constant(0, "key"))
        return None

    # -- functions -----------------------------------------------------------------------------------------

    def invoke(
        self, routine: Routine, arguments: Sequence[Value], named: dict[str, Value] | None = None
    ) -> Value:
        """Run a function of the code on values; recursion and deep nesting are not followed."""
        if self.depth >= _DEEPEST:
            return None
        parameters = routine.node.args
        own = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
        scope: dict[str, Value] = dict.fromkeys((*own, *(one.arg for one in parameters.kwonlyargs)))
        for name, default in zip(reversed(own), reversed(parameters.defaults), strict=False):
            scope[name] = self.see(default)
        scope.update(zip(own, arguments, strict=False))
        scope.update({name: value for name, value in (named or {}).items() if name in scope})
        self.variables.append(scope)
        self.depth += 1
        guards, self.guards = self.guards, self.guards
        try:
            if isinstance(routine.node, ast.Lambda):
                return self.see(routine.node.body)
            return self.run_body(routine.node.body)
        finally:
            self.guards = guards
            self.depth -= 1
            self.variables.pop()

    def run_body(self, body: list[ast.stmt]) -> Value:
        """Run the statements of a function; return what it hands out."""
        raise NotImplementedError

    def _of_module(self, call: Call) -> Value:
        last = call.name.rpartition(".")[2]
        if call.name in _READERS:
            return self._read(call)
        if call.name in FUNCTIONS:
            return FUNCTIONS[call.name](call)
        if last == "train_test_split":
            return split_rows(call)
        if last[:1].isupper():
            return Learner(call.name, call.said(99, "random_state"))
        if call.name.startswith("numpy.") and call.args and isinstance(call.args[0], Series):
            return of_numpy(call, last, call.args[0])
        return None

    def _read(self, call: Call) -> Value:
        path = constant(call.given(0, "filepath_or_buffer"))
        sheet = call.constant(1, "sheet_name") if call.name == "pandas.read_excel" else None
        if call.name == "pandas.read_excel" and call.said(1, "sheet_name") and not isinstance(sheet, str):
            return None  # a dictionary of frames, or a sheet that is not named
        table = table_of_path(path, sheet, self.knowledge) if isinstance(path, str) else None
        options = {
            name: constant(value, ...)
            for name, value in call.named.items()
            if name not in ("filepath_or_buffer", "io", "sheet_name")
        }
        if len(call.args) > (1 if sheet is None else 2):
            options["given by place"] = len(call.args)
        if table is None:
            frame = Frame(rows=Rows(new_labels()), label=str(path or "a file"))
        else:
            frame = read_frame(table, call.name, options, self.knowledge)
        if used := names(call.given(99, "usecols")):
            for name in used:
                self.column(call.node, frame, name, "usecols")
            frame = frame.copy(used)
        if call.said(99, "nrows"):
            rows = call.constant(99, "nrows")
            part = Taken(
                f"nrows={rows}", rows if isinstance(rows, int) else None, of=frame.rows.count, loaded=True
            )
            frame.rows = replace(frame.rows, taken=part, narrowed=True, count=None)
        index = call.constant(99, "index_col")
        if isinstance(index, str) or (isinstance(index, int) and not isinstance(index, bool)):
            listed = list(frame.fields)
            name = index if isinstance(index, str) else listed[index] if index < len(listed) else ""
            if name in frame.fields:
                frame.index = {name: frame.fields.pop(name)}
        elif call.said(99, "index_col"):
            frame.whole = False
        for name in names(call.given(99, "parse_dates")) or ():
            if name in frame.fields:
                frame.fields[name] = frame.fields[name].changed("time")
        return frame
