"""Calls: of methods, of functions of pandas and its kin, of functions of the code itself."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import replace

from lakebook.validation.code.expressions import Expressions, constant
from lakebook.validation.code.facts import Called
from lakebook.validation.code.frame_methods import of_frame
from lakebook.validation.code.group_methods import of_groups
from lakebook.validation.code.joining import joined, stacked
from lakebook.validation.code.method import Call, stored_field
from lakebook.validation.code.querying import read_query
from lakebook.validation.code.series_methods import of_series
from lakebook.validation.code.tables import read_frame, table_of_path
from lakebook.validation.code.values import (
    Accessor,
    Condition,
    Constant,
    Field,
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
    literal,
    names,
    new_labels,
)

_READERS = frozenset({"pandas.read_csv", "pandas.read_table", "pandas.read_parquet", "pandas.read_json"})
_PATHS = frozenset({"os.path.join", "pathlib.Path", "Path", "pathlib.PurePath"})
_DEEPEST = 4
_FOLDS = {"lower": str.lower, "upper": str.upper, "strip": str.strip, "title": str.title,
          "capitalize": str.capitalize, "lstrip": str.lstrip, "rstrip": str.rstrip}  # fmt: skip


class Calls(Expressions):
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
            return _of_accessor(call, owner)
        if isinstance(owner, (Listed, Mapped)):
            return self._of_container(call, owner)
        if isinstance(owner, Constant) and isinstance(owner.value, str):
            return _of_text(call, owner.value)
        if isinstance(owner, Learner):
            return self._of_learner(call)
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
            mask = of_series(call)
            assert isinstance(mask, Series)
            return replace(mask, conditions=(Condition(call.node, owner.field, owner.name, "notna", ()),))
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
        mask = of_series(call)
        assert isinstance(mask, Series)
        found = constant(call.given(0, "values"))
        if not isinstance(found, list):
            return mask
        condition = Condition(call.node, owner.field, owner.name, "isin", tuple(found))
        self.note(condition)
        return replace(mask, conditions=(condition,))

    def note(self, condition: Condition) -> None:
        """Note a comparison with literals."""
        from lakebook.validation.code.facts import Compared

        self.facts.seen.append(Compared(condition))

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
        name = call.name
        if name in _READERS:
            return self._read(call)
        if name in ("pandas.DataFrame", "pandas.Series"):
            return _made(call)
        if name == "pandas.concat":
            return _concatenated(call)
        if name == "pandas.merge":
            left, right = call.given(0, "left"), call.given(1, "right")
            if isinstance(left, Frame) and isinstance(right, Frame):
                return joined(replace(call, args=call.args[1:]), left, right)
            return None
        if name in ("pandas.to_numeric", "pandas.to_datetime", "pandas.to_timedelta"):
            return _converted(call)
        if name in _PATHS:
            parts = [constant(part) for part in call.args]
            known = [part for part in parts if isinstance(part, str)]
            return Constant("/".join(known)) if known and parts[-1] == known[-1] else None
        if name == "range":
            bounds = [one for one in map(constant, call.args) if isinstance(one, int)]
            if bounds and len(bounds) == len(call.args):
                listed = list(range(*bounds))[:100]
                return Listed([Constant(one) for one in listed], whole=len(listed) < 100)
        if name in ("list", "tuple", "sorted", "set", "str") and len(call.args) == 1:
            return call.args[0] if isinstance(call.args[0], (Listed, Constant)) else None
        if name == "enumerate" and call.args and isinstance(call.args[0], Listed):
            return Listed([Listed([None, one]) for one in call.args[0].items], call.args[0].whole)
        if name.startswith("sklearn.") or name.rpartition(".")[2][:1].isupper():
            if name.endswith("train_test_split"):
                return _split(call)
            return (
                Learner(name, call.said(99, "random_state"))
                if name.rpartition(".")[2][:1].isupper()
                else None
            )
        if name.endswith("train_test_split"):
            return _split(call)
        if name.startswith("numpy.") and call.args and isinstance(call.args[0], Series):
            if name.rpartition(".")[2] in ("where", "select"):
                return Series(Field(of=call.args[0].field.of), call.args[0].rows)
            if name.rpartition(".")[2] in ("log", "log1p", "sqrt", "abs", "exp", "round"):
                return Series(call.args[0].field.changed("number"), call.args[0].rows)
        return None

    def _read(self, call: Call) -> Value:
        path = constant(call.given(0, "filepath_or_buffer"))
        table = table_of_path(path, self.knowledge) if isinstance(path, str) else None
        options = set(call.named) - {"filepath_or_buffer"}
        if call.name != "pandas.read_csv" or len(call.args) > 1:
            options.add("another reader")
        if table is None:
            frame = Frame(rows=Rows(new_labels()), label=str(path or "a file"))
        else:
            frame = read_frame(table, options, self.knowledge)
        if used := names(call.given(99, "usecols")):
            for name in used:
                self.column(call.node, frame, name, "usecols")
            frame = frame.copy(used)
        if call.said(99, "nrows"):
            rows = call.constant(99, "nrows")
            part = Taken(f"nrows={rows}", rows if isinstance(rows, int) else None, of=frame.rows.count)
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

    # -- learning ------------------------------------------------------------------------------------------

    def _of_learner(self, call: Call) -> Value:
        return call.receiver if call.name == "fit" else None


def _made(call: Call) -> Value:
    """Return the frame that a constructor makes of a dictionary, a list of records or another frame."""
    given = call.given(0, "data")
    if call.name == "pandas.Series":
        return Series(rows=Rows(new_labels()))
    if isinstance(given, Frame):
        return given.copy()
    columns = names(call.given(2, "columns"))
    if isinstance(given, Mapped):
        fields = {str(name): stored_field(str(name), None) for name in given.items}
        return Frame(fields, given.whole, Rows(new_labels()))
    if columns is not None:
        return Frame({name: Field(of=frozenset((name,))) for name in columns}, True, Rows(new_labels()))
    return Frame(rows=Rows(new_labels()))


def _concatenated(call: Call) -> Value:
    given = call.given(0, "objs")
    items = given.items if isinstance(given, Listed) else []
    frames = [item for item in items if isinstance(item, Frame)]
    side_by_side = call.constant(1, "axis", 0) in (1, "columns")
    if not frames:
        return None if side_by_side else Frame(rows=Rows(new_labels()))
    if side_by_side or not isinstance(given, Listed) or len(frames) < len(items) or not given.whole:
        return Frame(rows=Rows(new_labels(), tables=frames[0].rows.tables))
    return stacked(frames)


def _converted(call: Call) -> Value:
    given = call.given(0, "arg")
    if not isinstance(given, Series):
        return None
    kind = "number" if call.name.endswith("numeric") else "time"
    lossy = call.constant(1, "errors", "raise") == "coerce"
    field = given.field.changed("number" if kind == "number" else "time")
    field = replace(field, nulls=None if lossy else given.field.nulls)
    return Series(field, given.rows, given.name)


def _split(call: Call) -> Value:
    parts: list[Value] = []
    for given in call.args:
        if isinstance(given, Frame):
            parts += [given.fewer(), given.fewer()]
        elif isinstance(given, Series):
            part = Series(given.field.fewer(), given.rows.fewer(), given.name)
            parts += [part, part]
        else:
            parts += [None, None]
    return Listed(parts)


def _of_accessor(call: Call, owner: Accessor) -> Value:
    series = owner.owner
    if not isinstance(series, Series) or owner.name not in ("str", "dt"):
        return None
    if owner.name == "str" and call.name in _FOLDS and not call.args:
        values = series.field.values
        fold = _FOLDS[call.name]
        folded = tuple(dict.fromkeys(fold(value) for value in values)) if values is not None else None
        field = replace(series.field, origin=None, values=folded)
        return Series(field, series.rows, series.name)
    if owner.name == "str" and call.name in ("contains", "startswith", "endswith", "match", "fullmatch"):
        return Series(Field(kind="boolean", of=series.field.of), series.rows)
    return Series(series.field.changed("text" if owner.name == "str" else ""), series.rows, series.name)


def _of_text(call: Call, text: str) -> Value:
    if call.name in ("lower", "upper", "strip", "title") and not call.args:
        return Constant(getattr(text, call.name)())
    if call.name == "split":
        return Listed([Constant(part) for part in text.split(call.constant(0, "sep"))])
    if call.name == "format":
        try:
            given = [literal(part) for part in call.args]
            return Constant(text.format(*given, **{key: literal(one) for key, one in call.named.items()}))
        except (ValueError, LookupError):
            return None
    return None
