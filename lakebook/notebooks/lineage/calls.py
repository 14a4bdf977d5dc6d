"""Calls over column lineage: loading, plotting, pandas functions and methods, the notebook's functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lakebook.notebooks.lineage.charts import Shown, show_chart
from lakebook.notebooks.lineage.frames import Call, frame_method, groups_method, series_method
from lakebook.notebooks.lineage.plain import (
    built_frame,
    concatenated,
    dict_method,
    list_method,
    text_method,
)
from lakebook.notebooks.lineage.values import (
    NO_BASES,
    Column,
    ColumnNames,
    Facets,
    Frame,
    Groups,
    Series,
    bases_of,
    combined,
    filters_of,
    items_of,
    keys_of,
    texts,
)
from lakebook.notebooks.schema import ColumnKind
from lakebook.notebooks.taxonomy import chart_types, names

_STEP_LIMIT = 10_000  # of one statement of the notebook: some hundredths of a second
_STEP_LIMIT_OF_ALL = 500_000
_NESTING_LIMIT = 4
_PLOT_MODULES = tuple(names("lineage", "plot_modules").exact)
_LOADERS = names("lineage", "loaders").exact
_TRACES = names("lineage", "traces").exact
_GRIDS = names("lineage", "grids").exact
_GRID_CALLS = names("lineage", "grid_calls").exact
_RANGE_LIMIT = 40


@dataclass(frozen=True, slots=True)
class Routine:
    """A function of the notebook."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Returned(Exception):
    """Carries a returned value out of a function body."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


class LineageCalls:
    """State of the interpretation, and calls."""

    def __init__(self, load: Callable[[], Frame]) -> None:
        self.load = load
        self.names: dict[str, object] = {}
        self.modules: dict[str, str] = {}
        self.shown = Shown()
        self.watching = True
        self.grouped: set[str] = set()
        self.exhausted = False
        self.steps = 0
        self.last_step = 0
        self.nesting = 0

    def begin(self) -> None:
        """Start a new statement of the notebook."""
        self.grouped = set()
        self.exhausted = False
        self.last_step = min(self.steps + _STEP_LIMIT, _STEP_LIMIT_OF_ALL)

    def step(self) -> bool:
        """Count a step; return True when there have been too many."""
        self.steps += 1
        if self.steps > self.last_step:
            self.exhausted = True
        return self.exhausted

    # -- the call ------------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> object:
        """Return the value of a call, and collect what it shows."""
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        path = self._module_path(function)
        receiver = self.value(function.value) if isinstance(function, ast.Attribute) and not path else None
        if isinstance(function, ast.Name) and isinstance(self.names.get(name), Routine):
            return self._enter(self.names[name], self._arguments(node))
        call = self._arguments(node)
        if isinstance(receiver, Facets):
            return self._facet_call(receiver, name, node, call)
        if self._is_chart(function, name, path, receiver):
            return self._chart(name, receiver, call)
        if receiver is not None:
            return self._method(receiver, name, node, call)
        if isinstance(function, ast.Attribute) and not path:
            return self._unknown_method(function.value, call)
        if path:
            return self._library(path, name, node, call)
        if isinstance(function, ast.Name):
            return self._builtin(name, call)
        return combined(call.values())

    def _arguments(self, node: ast.Call) -> Call:
        positional = [self.value(item.value if isinstance(item, ast.Starred) else item) for item in node.args]
        keywords: dict[str, object] = {}
        for item in node.keywords:
            value = self.value(item.value)
            if item.arg is not None:
                keywords[item.arg] = value
            elif isinstance(value, dict):
                keywords.update({key: one for key, one in value.items() if isinstance(key, str)})
        return Call(positional, keywords)

    def _module_path(self, function: ast.expr) -> str:
        parts: list[str] = []
        while isinstance(function, ast.Attribute):
            parts.append(function.attr)
            function = function.value
        if not isinstance(function, ast.Name) or function.id in self.names:
            return ""
        module = self.modules.get(function.id)
        return "" if module is None else ".".join([module, *reversed(parts)])

    # -- charts --------------------------------------------------------------------------------------------

    def _is_chart(self, function: ast.expr, name: str, path: str, receiver: object) -> bool:
        if path:
            return name in chart_types() and path.startswith(_PLOT_MODULES)
        if isinstance(receiver, (Frame, Series, Groups)):
            below = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Attribute)
            accessor = below and getattr(function.value, "attr", "") == "plot"  # type: ignore[attr-defined]
            return accessor or name in ("plot", "hist", "boxplot", "iplot")
        known = name in chart_types() and name not in ("matrix", "draw", "generate")
        return known and receiver is None and isinstance(function, ast.Attribute)

    def _chart(self, name: str, receiver: object, call: Call) -> object:
        collected = self.shown if self.watching else Shown()
        if name in ("iplot", "plot") and any(_is_trace(item) for item in call.positional):
            for item in call.positional:
                self._show_traces(item)
            return None
        frame = show_chart(collected, name, receiver, call)
        if name in _TRACES:
            return {"type": name, **{key: item for key, item in call.keywords.items() if bases_of(item)}}
        if name in _GRIDS:
            return Facets(frame if frame is not None else Frame())
        return None

    def _show_traces(self, value: object) -> None:
        """Show a plotly figure that was put together from dictionaries."""
        if not self.watching:
            return
        if isinstance(value, dict):
            kind = value.get("type")
            if isinstance(kind, str):
                self.shown.chart(kind if kind in chart_types() else kind.capitalize())
            for item in value.values():
                self._show_traces(item)
        elif isinstance(value, list):
            for item in value:
                self._show_traces(item)
        else:
            self.shown.add(value)

    def _facet_call(self, facets: Facets, name: str, node: ast.Call, call: Call) -> object:
        if not self.watching:
            return facets
        if name in _GRID_CALLS and node.args:
            self.shown.chart(ast.unparse(node.args[0]).rpartition(".")[2])
            self._show_names(facets.frame, [text for item in call.positional[1:] for text in texts(item)])
        elif name.startswith("mark_"):
            self.shown.chart(name)
        elif name == "encode":
            wanted = [text for item in call.values() for text in texts(item)]
            self._show_names(
                facets.frame, [text.partition(":")[0].rpartition("(")[2].rstrip(")") for text in wanted]
            )
        return facets

    def _show_names(self, frame: Frame, wanted: Sequence[str]) -> None:
        for text in wanted:
            self.shown.columns.update(dict.fromkeys(sorted(frame.column(text).bases)))

    # -- methods and functions -----------------------------------------------------------------------------

    def _method(self, receiver: object, name: str, node: ast.Call, call: Call) -> object:
        if isinstance(receiver, Frame):
            if name in ("apply", "assign", "pipe", "applymap", "transform"):
                call = self._with_functions_read(receiver, name, call)
            if name == "pipe" and node.args and isinstance(call.get("func", 0), (Frame, Series)):
                return call.get("func", 0)
            return frame_method(receiver, name, call)
        if isinstance(receiver, Groups):
            self.grouped |= keys_of(receiver)
            return groups_method(receiver, name, call)
        if isinstance(receiver, Series):
            return series_method(receiver, name, self._with_functions_read(receiver, name, call))
        if isinstance(receiver, list):
            return list_method(receiver, name, call)
        if isinstance(receiver, dict):
            return dict_method(receiver, name, call)
        if isinstance(receiver, str):
            return text_method(receiver, name, call)
        return combined((receiver, *call.values()))

    def _unknown_method(self, owner: ast.expr, call: Call) -> object:
        """What an unknown object is given, it may hold: a counter, a fitted model."""
        given = combined(call.values())
        if given is not None and isinstance(owner, ast.Name) and owner.id in self.names:
            self.names[owner.id] = given
        return given

    def _with_functions_read(self, receiver: object, name: str, call: Call) -> Call:
        """Replace the notebook's own functions among the arguments by what they make of the receiver."""

        def read(item: object) -> object:
            if not isinstance(item, Routine):
                return item
            made = self._enter(item, Call([receiver]))
            if isinstance(made, Frame) and name == "pipe":
                return made
            bases = bases_of(made) if made is not receiver else NO_BASES
            return Series(Column(bases, _literal_kind(item.node))) if bases or name != "pipe" else None

        return Call(
            [read(item) for item in call.positional], {key: read(one) for key, one in call.keywords.items()}
        )

    def _library(self, path: str, name: str, node: ast.Call, call: Call) -> object:
        if name in _LOADERS or path == "seaborn.load_dataset":
            return self._loaded(call)
        if path in (
            "plotly.offline.iplot",
            "plotly.offline.plot",
            "plotly.graph_objs.Figure",
            "plotly.graph_objects.Figure",
        ):
            traces = [*call.positional, *call.keywords.values()]
            if name != "Figure":
                for item in traces:
                    self._show_traces(item)
            return traces
        if path.startswith("pandas."):
            return self._pandas(name, call)
        if name in ("array", "asarray", "fit_transform", "unique") and call.positional:
            return call.positional[0]
        return combined(call.values())

    def _loaded(self, call: Call) -> Frame:
        frame = self.load()
        given = texts(call.get("names"))
        if given:
            frame = Frame({name: frame.column(name) for name in given})
        chosen = texts(call.get("usecols"))
        if chosen:
            frame = frame.copy({name: frame.column(name) for name in chosen}, is_open=False)
        key = call.get("index_col")
        if isinstance(key, int) and not isinstance(key, bool) and not frame.open:
            key = list(frame.columns)[key] if key < len(frame.columns) else None
        if isinstance(key, str):
            frame.index = {key: frame.column(key)}
            frame.columns.pop(key, None)
        for name in texts(call.get("parse_dates")):
            if name in frame.columns:
                frame.columns[name] = Column(frame.columns[name].bases, "datetime")
        return frame

    def _pandas(self, name: str, call: Call) -> object:
        first = call.get("data", 0)
        if name == "DataFrame":
            return built_frame(first, call)
        if name == "concat":
            return concatenated(list(items_of(call.get("objs", 0))))
        if name == "crosstab":
            bases = frozenset().union(*(bases_of(item) for item in call.values()))
            filters = frozenset().union(*(filters_of(item) for item in call.values()))
            index = {
                item.name or "row": item.column for item in call.positional[:1] if isinstance(item, Series)
            }
            return Frame({"count": Column(bases, "number")}, index, filters)
        if name == "Grouper":
            return call.get("key")
        if name in ("merge", "pivot_table", "pivot", "melt") and isinstance(first, Frame):
            return frame_method(first, name, Call(list(call.positional)[1:], call.keywords))
        if name in ("to_datetime", "to_numeric", "cut", "qcut") and isinstance(first, Series):
            kind = {"to_datetime": "datetime", "to_numeric": "number"}.get(name, "text")
            return Series(Column(first.column.bases, kind), first.name, dict(first.index), first.filters)  # type: ignore[arg-type]
        if isinstance(first, (Frame, Series)):
            return first
        return combined(call.values())

    def _builtin(self, name: str, call: Call) -> object:
        first = call.get("", 0)
        if name in ("list", "tuple", "set", "sorted", "reversed"):
            return (
                ColumnNames(first.columns) if isinstance(first, Frame) else first if call.positional else []
            )
        if name == "zip":
            columns = [list(items_of(item)) for item in call.positional]
            lengths = [
                len(one)
                for one, item in zip(columns, call.positional, strict=True)
                if isinstance(item, (list, Frame))
            ]
            size = min(lengths) if lengths else 1
            return [
                [one[at] if at < len(one) else one[0] if one else None for one in columns]
                for at in range(size)
            ]
        if name == "enumerate":
            return [[position, item] for position, item in enumerate(items_of(first))]
        if name == "range":
            numbers = [item for item in call.positional if isinstance(item, int)]
            known = numbers and len(numbers) == len(call.positional) and 0 not in numbers[2:]
            return list(range(*numbers))[:_RANGE_LIMIT] if known else [None]
        if name == "len":
            return len(first) if isinstance(first, list) else None
        if name == "str":
            return str(first) if isinstance(first, (str, int)) else None
        return None if name in ("print", "display", "type") else combined(call.values())

    def _enter(self, routine: object, call: Call) -> object:
        """Read the body of a function with its parameters bound."""
        if not isinstance(routine, Routine) or self.nesting >= _NESTING_LIMIT:
            return None
        parameters = routine.node.args
        in_order = [item.arg for item in (*parameters.posonlyargs, *parameters.args)]
        outer = self.names
        self.names = dict(outer)
        self.nesting += 1
        for name, default in zip(
            in_order[len(in_order) - len(parameters.defaults) :], parameters.defaults, strict=True
        ):
            self.names[name] = self.value(default)
        self.names.update(zip(in_order, call.positional, strict=False))
        self.names.update(call.keywords)
        result: object = None
        try:
            if isinstance(routine.node, ast.Lambda):
                result = self.value(routine.node.body)
            else:
                self.run(routine.node.body)
        except Returned as returned:
            result = returned.value
        finally:
            self.names = outer
            self.nesting -= 1
        return result

    def series_attribute(self, series: Series, name: str) -> object:
        """Return `s.values`, `s.dt.year` and the like."""
        return series_method(series, name, Call())

    def walrus(self, node: ast.NamedExpr) -> object:
        """Bind and return."""
        value = self.value(node.value)
        self.names[node.target.id] = value
        return value

    # -- filled in by the layer above ----------------------------------------------------------------------

    def value(self, node: ast.expr | None) -> object:
        """Return the value of an expression."""
        raise NotImplementedError

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Run statements."""
        raise NotImplementedError


def _is_trace(value: object) -> bool:
    if isinstance(value, dict):
        return "type" in value or "data" in value
    return isinstance(value, list) and any(_is_trace(item) for item in value)


def _literal_kind(node: ast.AST) -> ColumnKind:
    body = node.body if isinstance(node, ast.Lambda) else None
    return "text" if isinstance(body, ast.Call) and ast.unparse(body.func) == "str" else "unknown"
