"""Calls over column lineage: which kind of thing is called, and what its arguments are."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.charts import called_chart, show_beside, show_chart, show_grid_call
from lakebook.notebooks.lineage.figures import drawing_method, made_figure, show_figure
from lakebook.notebooks.lineage.foreign import foreign_result, is_drawing, show_foreign
from lakebook.notebooks.lineage.frames import frame_method
from lakebook.notebooks.lineage.functions import builtin
from lakebook.notebooks.lineage.grammar import Encoding, show_drawing
from lakebook.notebooks.lineage.groups import groups_method
from lakebook.notebooks.lineage.library import is_loader, is_understood, library_call, loaded, thing_method
from lakebook.notebooks.lineage.operators import kind_of
from lakebook.notebooks.lineage.parts import items_of, pick_group
from lakebook.notebooks.lineage.plain import dict_method, list_method, text_method
from lakebook.notebooks.lineage.queries import as_loaded, queried, query_text
from lakebook.notebooks.lineage.records import DefaultDict, Records, records_method, records_of, selected
from lakebook.notebooks.lineage.series import by_column_method, series_method
from lakebook.notebooks.lineage.shown import UNKNOWN_OBJECT, Drawing, Shown
from lakebook.notebooks.lineage.state import Blueprint, Bound, Instance, LineageState, Routine
from lakebook.notebooks.lineage.values import (
    CANVAS,
    DATA_DEPENDENT,
    PLAIN,
    ByColumn,
    Canvas,
    Column,
    ColumnNames,
    Frame,
    Grid,
    Groups,
    Items,
    Ref,
    Series,
    Thing,
    Window,
    bases_of,
    combined,
    filters_of,
    keys_of,
    labels_in,
    texts,
)
from lakebook.notebooks.taxonomy import chart_types, is_known_module, names

_PLOT_MODULES = tuple(names("lineage", "plot_modules").exact)
_NOT_PLOTS = names("lineage", "not_plots").exact
_GRID_CALLS = names("lineage", "grid_calls").exact
_BESIDE = names("lineage", "beside_charts").exact
_UNKNOWN_PLOTS = names("lineage", "plots_of_unknown").exact
_FRAME_METHODS = names("lineage", "only_frames").exact
_READS_FUNCTIONS = frozenset(
    {
        "apply",
        "assign",
        "pipe",
        "applymap",
        "transform",
        "map",
        "agg",
        "aggregate",
        "where",
        "mask",
        "filter",
        "loc",
    }
)
_PLOTS_OF_DATA = frozenset({"plot", "hist", "boxplot", "iplot", "hvplot", "figure"})
_OF_MODELS = re.compile(r"fit|predict|transform|score|inverse|update|add|append|partial|train")
_IN_SQL = "sql "  # before the name of a table that is handed to an engine: no variable is called so
_RECORD_READERS = names("lineage", "record_readers").exact
_Data = Frame | Series | Groups | ByColumn


class LineageCalls(LineageState):
    """Reads calls."""

    def call(self, node: ast.Call) -> object:
        """Return the value of a call, and collect what it shows."""
        function = node.func
        if isinstance(function, ast.Attribute):
            receiver = self.value(function.value)
            if receiver is None and function.attr in _FRAME_METHODS:
                receiver = self.adopt(function.value)
            if not isinstance(receiver, Ref):
                return self._method_call(receiver, function, node)
            called: object = Ref(f"{receiver.path}.{function.attr}")
        else:
            called = self.value(function)
            if called is None and isinstance(function, ast.Name) and not self.scope.has(function.id):
                called = Ref(f"__main__.{function.id}")  # of a file that was run or pasted elsewhere
        call = self._arguments(node)
        return self.apply(called, call)

    def apply(self, called: object, call: Call) -> object:
        """Return what calling a value gives."""
        if isinstance(called, Routine):
            return self.enter(called, call)
        if isinstance(called, Bound):
            return self.enter(called.routine, call, called.owner)
        if isinstance(called, Blueprint):
            made = Instance(called)
            if "__init__" in called.methods:
                self.enter(called.methods["__init__"], call, made)
            return made
        if isinstance(called, Ref):
            return self._library(called.path, call)
        if isinstance(called, (Canvas, Drawing)):
            return called
        return combined((called, *call.values()))

    def _arguments(self, node: ast.Call) -> Call:
        positional: list[object] = []
        for item in node.args:
            if isinstance(item, ast.Starred):
                spread = self.value(item.value)
                positional.extend(spread if isinstance(spread, (list, tuple)) else [spread])
            else:
                positional.append(self.value(item))
        keywords: dict[str, object] = {}
        for one in node.keywords:
            value = self.value(one.value)
            if one.arg is not None:
                if value is None and one.arg in ("data", "data_frame"):
                    value = self.adopt(one.value)
                keywords[one.arg] = value
            elif isinstance(value, dict):
                keywords.update({key: item for key, item in value.items() if isinstance(key, str)})
        return Call(positional, keywords)

    def adopt(self, node: ast.expr) -> object:
        """Take a value that is not understood for a table, since it is used as one."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        frame = self.load("")
        self.store(node, frame)
        return frame

    # -- functions of libraries ----------------------------------------------------------------------------

    def _library(self, path: str, call: Call) -> object:
        top, _, rest = path.partition(".")
        if not rest:
            return self._builtin(top, call)
        name = path.rpartition(".")[2]
        if text := query_text(path, call):
            return self._queried(text)
        if is_loader(path):
            return self._loaded(path, call)
        if path in _RECORD_READERS and not call.bases() and not isinstance(call.get("s", 0), str):
            return records_of(self.load(""), by_position=path == "csv.reader")
        made = made_figure(path, name, call)
        if made is not NotImplemented:
            if isinstance(made, Drawing):
                self._show(made.shown)
            return made
        if path.startswith(_PLOT_MODULES):
            return self._plot(path, name, call)
        if name in ("iplot", "plot", "show") and show_figure(self.shown, list(call.positional[:1])):
            return None
        lower = name.lower()
        if lower in _UNKNOWN_PLOTS and not is_known_module(top) and bases_of(list(call.values())):
            self.shown.doubt(UNKNOWN_OBJECT)
            return self._chart(lower, None, call, "matplotlib")
        if not is_known_module(top) and not is_understood(path):
            return self._foreign(path, call)
        return library_call(path, call)

    def _foreign(self, path: str, call: Call) -> object:
        name = path.rpartition(".")[2]
        if is_drawing(path) and show_foreign(self.shown, name, call):
            return CANVAS
        return foreign_result(name, call, self.load)

    def _thing_method(self, thing: Thing, name: str, call: Call) -> object:
        if thing.path and not is_known_module(thing.path.partition(".")[0]) and not _OF_MODELS.match(name):
            held = [thing.frame] if thing.frame is not None else []
            made = self._foreign(f"{thing.path}.{name}", Call([*call.positional, *held], call.keywords))
            if made is not None:
                return made
        return thing_method(thing, name, call)

    def _plot(self, path: str, name: str, call: Call) -> object:
        if name in ("iplot", "plot", "show") and show_figure(self.shown, call.get("", 0)):
            return None
        if name in _BESIDE:
            show_beside(self.shown, call)
            return CANVAS
        library = path.partition(".")[0]
        if library == "squarify":
            name = "squarify_plot"
        if name == "plot" and library in ("matplotlib", "pylab") and not call.positional:
            return CANVAS  # `plt.plot(figsize=...)` draws nothing
        if name in chart_types() and path not in _NOT_PLOTS:
            return self._chart(name, None, call, library)
        if name == "subplots":
            return (CANVAS, CANVAS)
        if path.startswith(("matplotlib.pyplot", "pylab", "matplotlib.pylab")):
            return CANVAS
        return PLAIN if library in ("seaborn", "matplotlib", "plotly", "bokeh") else library_call(path, call)

    def _builtin(self, name: str, call: Call) -> object:
        if name == "display":
            for item in call.positional:
                show_figure(self.shown, item)
            return None
        if name in ("map", "filter", "reduce") and len(call.positional) > 1:
            function, items = call.positional[0], call.positional[1]
            made = [
                self.apply(function, Call([item])) if function is not None else item
                for item in items_of(items)
            ]
            return Items(items_of(items)) if name == "filter" else Items(made)
        return builtin(name, call)

    def _queried(self, text: str) -> Frame:
        """Return what a query gives: of the notebook's tables their columns, of a database a loaded table."""
        are_known: list[bool] = []

        def table(name: str) -> Frame:
            value = self.scope.find(_IN_SQL + name) or self.scope.find(name)
            are_known.append(isinstance(value, Frame))
            return value if isinstance(value, Frame) else self.load("")

        made = queried(text, table)
        return made if any(are_known) else as_loaded(made, self.load(""))

    def _loaded(self, path: str, call: Call) -> object:
        source = call.get("filepath_or_buffer", 0)
        frame = loaded(self.load(source if isinstance(source, str) else ""), path, call)
        return {None: frame} if call.get("sheet_name") is None and "sheet_name" in call.keywords else frame

    # -- charts --------------------------------------------------------------------------------------------

    def _chart(self, name: str, receiver: object, call: Call, library: str) -> object:
        if self.uncertain:
            self.shown.doubt(DATA_DEPENDENT)
        made = show_chart(self.shown, name, receiver, call, library)
        return CANVAS if made is None else made

    def _show(self, shown: Shown) -> None:
        self.shown.merge(shown)
        if self.uncertain and shown.charts:
            self.shown.doubt(DATA_DEPENDENT)

    def _facet_call(self, grid: Grid, name: str, call: Call) -> object:
        function = call.get("func", 0)
        if name not in _GRID_CALLS or function is None:
            return grid
        if isinstance(function, Routine):
            named = [text for item in call.positional[1:] for text in texts(item)]
            series = [Series(grid.frame.column(text), text, {}, grid.frame.filters) for text in named]
            self.shown.show(grid.layout)
            keywords = dict(call.keywords)
            self.enter(
                function, Call([*series, *([grid.frame] if name == "map_dataframe" else [])], keywords)
            )
            return grid
        chart = function.name if isinstance(function, Ref) else ""
        show_grid_call(self.shown, grid, called_chart(chart, Call((), call.keywords)), call)
        return grid

    # -- methods -------------------------------------------------------------------------------------------

    def _method_call(self, receiver: object, function: ast.Attribute, node: ast.Call) -> object:
        name, call = function.attr, self._arguments(node)
        if isinstance(receiver, (Frame, Series, Groups, ByColumn)):
            accessor = isinstance(function.value, ast.Attribute) and function.value.attr in ("plot", "hvplot")
            if accessor or name in _PLOTS_OF_DATA:
                return self._plot_of_data(receiver, name, call)
            result = self._data_method(receiver, name, call)
            if name == "replace" and isinstance(receiver, Series) and call.keywords.get("inplace") is True:
                self.store(function.value, series_method(receiver, name, call.without("inplace")))
            return result
        if text := query_text(name, call):
            return self._queried(text)
        if receiver is None:
            return self._unknown_method(function, call)
        method = _METHODS_OF.get(type(receiver))
        return method(self, receiver, name, call) if method else combined((receiver, *call.values()))

    def _instance_method(self, instance: Instance, name: str, call: Call) -> object:
        method = instance.blueprint.methods.get(name)
        if method is None or name in instance.attributes:
            return self.apply(instance.attributes.get(name), call)
        return self.enter(method, call, instance)

    def _list_method(self, items: list[object], name: str, call: Call) -> object:
        if self.guards and name in ("append", "add"):
            call = self._guarded(call)
        return list_method(items, name, call, uncertain=self.uncertain > 0)

    def _guarded(self, call: Call) -> Call:
        """Return the arguments of an `append` that the tests around it decide on."""
        guard = frozenset().union(*self.guards)
        item = call.get("", 0)
        if not guard or (isinstance(item, str) and item in guard):
            return call
        if bases_of(item):
            return Call([selected(item, guard)], {})
        return Call([Series(Column(guard, kind_of(item)))], {})

    def _plot_of_data(self, receiver: _Data, name: str, call: Call) -> object:
        if name == "plot" and isinstance(receiver, Frame) and receiver.is_map:
            name = "choropleth"
            if not call.positional and "column" not in call.keywords:
                receiver = Frame(filters=receiver.filters)
        if isinstance(receiver, Groups):
            self.grouped |= keys_of(receiver)
            if receiver.selected is None:  # each group is plotted as a table is
                self.shown.show(keys_of(receiver))
                receiver = pick_group(receiver)
        return self._chart(name, receiver, call, "pandas")

    def _canvas_method(self, canvas: Canvas, name: str, call: Call) -> object:
        if name in chart_types() and name not in _NOT_PLOTS:
            return self._chart(name, None, call, "matplotlib")
        if name in _BESIDE:
            show_beside(self.shown, call)
        return canvas

    def _drawing_call(self, drawing: Drawing, name: str, call: Call) -> object:
        result = drawing_method(drawing, name, call)
        if drawing.family != "wordcloud" or name == "to_image":
            self._show(drawing.shown)
        if name in ("show", "display", "save", "draw"):
            show_drawing(self.shown, drawing)
        return result

    def _window_method(self, window: Window, name: str, call: Call) -> object:
        inner = window.inner
        if isinstance(inner, Series):
            return replace(inner, index=dict(inner.index), number=None)
        return inner.copy({key: Column(one.bases, "number") for key, one in inner.numeric().items()})

    def _data_method(self, receiver: _Data, name: str, call: Call) -> object:
        if name in _READS_FUNCTIONS:
            call = self._with_functions_read(receiver, name, call)
        if isinstance(receiver, Frame):
            return self._frame_method(receiver, name, call)
        if isinstance(receiver, Groups):
            self.grouped |= keys_of(receiver)
            return groups_method(receiver, name, call)
        if isinstance(receiver, ByColumn):
            return by_column_method(receiver, name, call)
        return series_method(receiver, name, call)

    def _frame_method(self, frame: Frame, name: str, call: Call) -> object:
        if name == "pipe" and isinstance(call.get("func", 0), (Frame, Series)):
            return call.get("func", 0)
        if self.uncertain and name in ("drop", "pop"):  # it is not known that this is run
            call = Call(
                [*map(_doubted, call.positional[:1]), *call.positional[1:]],
                {
                    key: _doubted(item) if key in ("columns", "labels") else item
                    for key, item in call.keywords.items()
                },
            )
        if name == "rename":
            call = self._with_names_made(frame, call)
        return frame_method(frame, name, call)

    def _with_names_made(self, frame: Frame, call: Call) -> Call:
        """Replace a function that renames columns by the names that it makes, if they can be told."""
        is_first = "columns" not in call.keywords and call.get("axis") in (1, "columns")
        given = call.get("mapper", 0) if is_first else call.keywords.get("columns")
        if not isinstance(given, (Routine, Bound, Ref)) or frame.open:
            return call
        made: dict[object, object] = {}
        for label in frame.columns:
            if isinstance(given, Ref) and given.path.startswith("str.") and isinstance(label, str):
                made[label] = text_method(label, given.path.removeprefix("str."), Call([]))
            else:
                made[label] = self.apply(given, Call([label]))
        if not all(isinstance(name, str) for name in made.values()):
            return call
        return Call([], {**call.without("axis").without("mapper").keywords, "columns": made})

    def _unknown_method(self, function: ast.Attribute, call: Call) -> object:
        """A method of an object that is not understood: of an axis, if it has the name of a chart."""
        name = function.attr
        if name in _UNKNOWN_PLOTS:
            if not bases_of(list(call.values())) and not any(
                isinstance(item, Frame) for item in call.values()
            ):
                self.shown.doubt(UNKNOWN_OBJECT)
            return self._chart(name, None, call, "matplotlib")
        if name in _BESIDE:
            show_beside(self.shown, call)
            return None
        if name == "json" and not call.values():  # of a response: `requests.get(url).json()`
            return Records(self.load(""))
        table, frame = call.get("view_name", 0), call.get("python_object", 1)
        if name == "register" and isinstance(table, str) and isinstance(frame, Frame):
            self.bind(_IN_SQL + table, frame)
            return None
        given = combined(call.values())
        if isinstance(given, Series) and isinstance(function.value, ast.Name):
            self.bind(function.value.id, Thing("", bases_of(given), filters_of(given)))
        return given if isinstance(given, Series) else None

    def _with_functions_read(self, receiver: _Data, name: str, call: Call) -> Call:
        """Replace the notebook's own functions among the arguments by what they make of the receiver."""
        element = pick_group(receiver) if isinstance(receiver, Groups) else receiver

        def read(item: object) -> object:
            if isinstance(item, dict) and name in ("agg", "aggregate"):
                return item
            if not isinstance(item, (Routine, Bound)):
                return item
            rest = call.positional[1:] if item is call.get("func", 0) else ()
            extra = call.keywords.get("args")
            more = list(extra) if isinstance(extra, (list, tuple)) else list(rest)
            made = self.apply(item, Call([element, *more]))
            if name == "pipe" or (isinstance(receiver, Groups) and isinstance(made, Frame)):
                return made
            bases = bases_of(made)
            kind = kind_of(made)
            if not bases:  # a function that is not understood depends on all that it is given
                bases = bases_of(element) if made is None or _is_constant(made) else bases
            return Series(Column(bases, kind), "", {}, filters_of(made))

        return Call(
            [read(item) for item in call.positional], {key: read(one) for key, one in call.keywords.items()}
        )

    def store(self, target: ast.expr, value: object) -> None:
        """Store a value into a target."""
        raise NotImplementedError


def _doubted(labels: object) -> object:
    """Return labels of columns as a list of which nobody knows whether it has them."""
    return Items(labels_in(labels) or [labels], DATA_DEPENDENT) if not bases_of(labels) else labels


def _is_constant(value: object) -> bool:
    return value is PLAIN or isinstance(value, (str, int, float, list, tuple))


_Method = Callable[[LineageCalls, Any, str, Call], object]

_METHODS_OF: dict[type, _Method] = {
    Instance: LineageCalls._instance_method,
    Canvas: LineageCalls._canvas_method,
    Drawing: LineageCalls._drawing_call,
    Grid: LineageCalls._facet_call,
    Window: LineageCalls._window_method,
    list: LineageCalls._list_method,
    Items: LineageCalls._list_method,
    ColumnNames: LineageCalls._list_method,
    Thing: LineageCalls._thing_method,
    dict: lambda self, items, name, call: dict_method(items, name, call),
    DefaultDict: lambda self, items, name, call: dict_method(items, name, call),
    Records: lambda self, records, name, call: records_method(records, name, call),
    Encoding: lambda self, encoding, name, call: encoding,
    str: lambda self, text, name, call: text_method(text, name, call),
}
