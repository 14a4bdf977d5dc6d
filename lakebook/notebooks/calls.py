"""Calls: of library functions by their full path, and of methods by the kind of the receiver.

What each name does is in `taxonomy.toml`. Calls of the notebook's own functions are in `functions`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from lakebook.notebooks import taxonomy
from lakebook.notebooks.effects import FILES, RANDOM, STYLE
from lakebook.notebooks.expressions import Expressions, Keys
from lakebook.notebooks.memory import NOTHING, Objects, own
from lakebook.notebooks.taxonomy import names

_PYPLOT = ("matplotlib.pyplot", "pylab", "matplotlib.pylab")
_FRAMES = ("frame", "empty frame", "column")


@dataclass(slots=True)
class Arguments:
    """Evaluated arguments of a call."""

    positional: list[Objects] = field(default_factory=list)
    keywords: dict[str, Objects] = field(default_factory=dict)
    spread: Objects = NOTHING

    def everything(self) -> Objects:
        """Return all objects passed."""
        return frozenset().union(*self.positional, *self.keywords.values(), self.spread)


class Calls(Expressions):
    """Reads calls."""

    def call(self, node: ast.Call) -> Objects:
        """Do what a call does and return what it points to."""
        function = node.func
        path = self.module_path(function)
        if path:
            self.touch_root(function)
            return self._library_call(node, path)
        if isinstance(function, ast.Attribute):
            receiver = self.refer(function.value)
            own_method = self.call_own_method(node, function, receiver)
            if own_method is not None:
                return own_method
            return self._method_call(node, function.attr, receiver)
        callee = self.refer(function)
        own_call = self.call_own(node, callee)
        if own_call is not None:
            return own_call
        if isinstance(function, ast.Name) and not callee:
            return self._builtin_call(node, function.id)
        return self._unknown_call(node, self.arguments(node), callee)

    def touch_root(self, node: ast.expr) -> None:
        """Use the name at the root of a dotted path."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if isinstance(node, ast.Name):
            self.read_name(node.id)

    # -- arguments -----------------------------------------------------------------------------------------

    def arguments(self, node: ast.Call, *, read: bool = True) -> Arguments:
        """Evaluate the arguments; with `read` everything in them is used. Functions passed are called."""
        evaluate = self.value if read else self.refer
        found = Arguments()
        for argument in node.args:
            objects = evaluate(argument)
            if isinstance(argument, ast.Starred):
                found.spread |= self.memory.elements(objects) | objects
            else:
                found.positional.append(objects)
        for keyword in node.keywords:
            objects = evaluate(keyword.value)
            if keyword.arg is None:
                found.spread |= self.memory.elements(objects) | objects
            else:
                found.keywords[keyword.arg] = objects
        return found

    def _plot_arguments(self, node: ast.Call, receiver: Objects) -> Arguments:
        """Evaluate the arguments of a plot call, reading only the columns that it names, where it names them."""
        keys = self._named_columns(node, receiver)
        if keys is None:
            self.consume(receiver)
            return self.arguments(node)
        frame = receiver
        found = Arguments()
        for keyword in node.keywords:
            if keyword.arg in ("data", "data_frame"):
                frame = found.keywords[keyword.arg] = self.refer(keyword.value)
            elif keyword.arg is not None:
                found.keywords[keyword.arg] = self.value(keyword.value)
            else:
                self.value(keyword.value)
        for argument in node.args:
            objects = self.refer(argument)
            is_frame = not receiver and self.memory.kind(objects) == "frame"
            frame = objects if is_frame else frame
            if not is_frame:
                self.consume(objects)
            found.positional.append(objects)
        for key in keys:
            self.uses |= own(self.memory.select(frame, key))
        return found

    def _named_columns(self, node: ast.Call, receiver: Objects) -> tuple[str, ...] | None:
        """Return the columns that a plot call names if it reads no others, else None."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if None in given or (receiver and self.memory.kind(receiver) != "frame"):
            return None
        if name in names("columns", "whole_frame").exact and not {"vars", "x_vars"} & given.keys():
            return None
        roles = names("columns", "roles").exact
        found: list[str] = []
        for role, item in given.items():
            keys = self.keys_of(item) if role in roles else None
            found.extend(keys.names if keys is not None else ())
        anchors = (
            {"y", "column", "vars", "x_vars"}
            if receiver
            else {"x", "y", "vars", "x_vars", "names", "path", "values"}
        )
        for argument in node.args:
            keys = self.keys_of(argument)
            found.extend(keys.names if keys is not None else ())
        named = any(self.keys_of(item) for role, item in given.items() if role in anchors)
        named = named or (len(node.args) >= 2 and all(self.keys_of(item) for item in node.args[:2]))
        return tuple(found) if named and (receiver or "data" in given or node.args) else None

    # -- library functions ---------------------------------------------------------------------------------

    def _library_call(self, node: ast.Call, path: str) -> Objects:
        name = path.rpartition(".")[2]
        if path in names("functions", "style") or path.startswith("seaborn.set_"):
            self.arguments(node)
            self.weak |= self.memory.resource(STYLE)
            return NOTHING
        if path in names("functions", "display"):
            return self.arguments(node).everything() & NOTHING
        if path in names("functions", "seed") or name in ("manual_seed", "set_random_seed"):
            return self._seed(node)
        if path.startswith(_PYPLOT):
            return self._pyplot_call(node, name, path)
        if path.startswith("seaborn.") and name not in names("functions", "seaborn_no_plot").exact:
            return self._figure_call(node, name)
        if path in names("functions", "draws_current_figure") and path not in names("functions", "no_plot"):
            return self._figure_call(node, name)
        if path in names("functions", "draws_own_figure"):
            return self._own_figure_call(node, name, path)
        return self._plain_library_call(node, name, path)

    def _seed(self, node: ast.Call) -> Objects:
        self.arguments(node)
        self.seeded = True
        if self.depth == 0:
            self.kill |= self.memory.resource(RANDOM)
        self.weak |= self.memory.resource(RANDOM)
        return NOTHING

    def _pyplot_call(self, node: ast.Call, name: str, path: str) -> Objects:
        if name in names("functions", "pyplot_no_plot").exact or ".cm." in path:
            self.arguments(node)
            return NOTHING
        if name in names("functions", "writes_file").exact or name == "savefig":
            self._write_file(node)
        arguments = self._plot_arguments(node, NOTHING)
        if name in names("functions", "new_figure").exact:
            self.draws = True
            self.uses |= self.style_bits()
            return self.new_figure()
        self.draw(self._artists(arguments))
        figure = self.current_figure()
        if name in names("functions", "end_figure").exact:
            self.figures = NOTHING
        return figure

    def _figure_call(self, node: ast.Call, name: str) -> Objects:
        """Draw on the axes passed, or on the current figure, or on a new one of its own."""
        arguments = self._plot_arguments(node, NOTHING)
        axes = arguments.keywords.get("ax", NOTHING)
        if axes:
            self.draw(axes, on_current=False)
            return axes
        if name in names("functions", "figure_level").exact:
            self.draw()
            return self.new_figure()
        self.draw()
        return self.current_figure()

    def _own_figure_call(self, node: ast.Call, name: str, path: str) -> Objects:
        arguments = self._plot_arguments(node, NOTHING)
        if path in names("functions", "no_plot"):
            self.uses |= self.style_bits()
        else:
            self.draw(on_current=False)
        self.change(frozenset(o for o in self._artists(arguments) if name not in ("iplot", "plot", "show")))
        return self.fresh("artist", self._artists(arguments))

    def _plain_library_call(self, node: ast.Call, name: str, path: str) -> Objects:
        if path in names("functions", "writes_file"):
            self._write_file(node)
        if path in names("functions", "reads_file"):
            self.uses |= self._file_bits(node)
        arguments = self.arguments(node)
        self._common_keywords(node, arguments)
        if path in names("functions", "random") or (
            name in names("functions", "random_unless_state").exact
            and "random_state" not in arguments.keywords
        ):
            self.randomize()
        if path in names("functions", "mutate_first") and arguments.positional:
            self.change(arguments.positional[0])
        self.call_back(arguments, NOTHING)
        if path in names("functions", "view"):
            return self.memory.view(arguments.everything())
        if path in names("functions", "contain"):
            return self.fresh("deque" if name == "deque" else "", arguments.everything())
        if path.startswith("pandas."):
            empty = name == "DataFrame" and not node.args and "data" not in arguments.keywords
            return self.fresh("empty frame" if empty else "frame")
        if not taxonomy.is_known_module(path):
            return self._unknown_call(node, arguments, NOTHING)
        return self.fresh("model" if path.startswith("sklearn.") else "")

    def _write_file(self, node: ast.Call) -> None:
        if self.depth == 0:
            self.weak |= self._file_bits(node)
        else:
            self.weak |= self.memory.resource(FILES) | self._file_bits(node)

    def _file_bits(self, node: ast.Call) -> int:
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                return self.memory.resource(f"{FILES} {argument.value}") | self.memory.resource(FILES)
        return self.memory.resource(FILES) | self.memory.resources(FILES + " ")

    def _artists(self, arguments: Arguments) -> Objects:
        return frozenset(o for o in arguments.everything() if self.memory.kinds.get(o) == "artist")

    def _common_keywords(self, node: ast.Call, arguments: Arguments) -> None:
        axes = arguments.keywords.get("ax", NOTHING)
        if axes:
            self.draw(axes, on_current=False)
        if arguments.keywords.get("out"):
            self.change(arguments.keywords["out"])

    # -- builtins and unknown functions --------------------------------------------------------------------

    def _builtin_call(self, node: ast.Call, name: str) -> Objects:
        if name in names("builtins", "unseen").exact:
            self.run_text(node, name)
        if name == "open" or name == "display":
            self.uses |= self._file_bits(node) if name == "open" else 0
            if name == "open" and len(node.args) > 1:
                self._write_file(node)
        arguments = self.arguments(node)
        if name in names("builtins", "mutate_first").exact and arguments.positional:
            self.change(arguments.positional[0])
            return self.memory.view(arguments.positional[0])
        self.call_back(arguments, NOTHING)
        if name in names("builtins", "contain").exact:
            kind = name if name in ("list", "dict", "set") else ""
            return self.fresh(kind, arguments.everything() | self.memory.elements(arguments.everything()))
        if name in names("builtins", "pure").exact:
            return NOTHING
        if name == "open":
            return self.fresh("stream")
        return self._unknown_call(node, arguments, NOTHING)

    def _unknown_call(self, node: ast.Call, arguments: Arguments, callee: Objects) -> Objects:
        """Call something unseen: if its result is thrown away it was called to change something."""
        self.consume(callee)
        self.call_back(arguments, NOTHING)
        if id(node) in self.thrown_away:
            self.change(arguments.everything())
        return self.fresh("", arguments.everything() | callee)

    def run_text(self, node: ast.Call, name: str) -> None:
        """Execute code held in a string; what is not a literal cannot be seen."""
        self.doubts.append(f"`{name}` runs code that cannot be seen")

    # -- methods -------------------------------------------------------------------------------------------

    def _method_call(self, node: ast.Call, name: str, receiver: Objects) -> Objects:
        memory = self.memory
        kind = memory.kind(receiver)
        if self._is_plot(node, name, kind):
            return self._plot_method(node, receiver, kind)
        if kind == "artist":
            return self._artist_method(node, name, receiver)
        if kind in _FRAMES or (not kind and _changes_in_place(node)):
            return self._frame_method(node, name, receiver, kind)
        self.consume(receiver)
        arguments = self.arguments(node)
        self._common_keywords(node, arguments)
        self.call_back(arguments, receiver)
        self._method_resources(node, name, arguments)
        if name in taxonomy.mutators(kind):
            self.change(receiver)
            if name in names("methods", "keeps_arguments").exact:
                self.put_into(receiver, arguments.everything())
            fluent = name in names("methods", "fluent").exact or kind in ("", "dict", "list", "deque")
            return (receiver | memory.elements(receiver)) if fluent else NOTHING
        if not receiver or name in names("methods", "pure").exact - names("methods", "view").exact:
            return memory.view(receiver) if name in names("methods", "lazy").exact else NOTHING
        if id(node) in self.thrown_away or name.startswith(("set_", "add_")):
            self.change(receiver)
            self.put_into(receiver, arguments.everything())
        held = memory.elements(receiver)
        return held | memory.view(receiver)

    def _method_resources(self, node: ast.Call, name: str, arguments: Arguments) -> None:
        if name in names("methods", "writes_file").exact:
            self._write_file(node)
        if name in names("methods", "needs_arguments_changed").exact:
            self.change(arguments.everything())
        if (
            name in names("functions", "random_unless_state").exact
            and "random_state" not in arguments.keywords
        ):
            self.randomize()

    def _is_plot(self, node: ast.Call, name: str, kind: str) -> bool:
        if kind in ("list", "dict", "set", "text", "stream", "instance", "artist"):
            return False
        below_plot = (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Attribute)
            and node.func.value.attr == "plot"
        )
        return below_plot or name in ("plot", "hist", "boxplot", "iplot", "hvplot", "plot_bokeh")

    def _plot_method(self, node: ast.Call, receiver: Objects, kind: str) -> Objects:
        arguments = self._plot_arguments(node, receiver)
        axes = arguments.keywords.get("ax", NOTHING)
        if axes:
            self.draw(axes, on_current=False)
            return axes
        self.draw(NOTHING if kind in _FRAMES else receiver)
        return self.current_figure()

    def _artist_method(self, node: ast.Call, name: str, receiver: Objects) -> Objects:
        arguments = self.arguments(node)
        if name in names("methods", "writes_file").exact:
            self._write_file(node)
        self.call_back(arguments, receiver)
        if name in names("methods", "artist_reads").exact:
            self.consume(receiver)
            return receiver
        self.draw(receiver, on_current=False)
        self.put_into(receiver, self._artists(arguments))
        return receiver

    def _frame_method(self, node: ast.Call, name: str, receiver: Objects, kind: str) -> Objects:
        memory = self.memory
        keys = self._column_arguments(node)
        named = frozenset().union(*(memory.select(receiver, key) for key in keys)) if keys else NOTHING
        self.uses |= own(named) | own(receiver)
        columnwise = name in names("methods", "columnwise").exact and (
            name not in names("methods", "row_by_row").exact or bool(keys)
        )
        lazy = name in names("methods", "lazy").exact
        changes = _changes_in_place(node) or name in taxonomy.mutators(kind or "frame")
        if changes or not (columnwise or lazy or self._reads_only(node, name, keys)):
            self.consume(receiver)
        arguments = self.arguments(node)
        self._common_keywords(node, arguments)
        self.call_back(arguments, receiver)
        self._method_resources(node, name, arguments)
        if changes:
            if name == "drop" and keys and len(node.args) + len(node.keywords) <= 3:
                self.weak |= own(named)
            else:
                self.change(receiver)
            return self.fresh() if name == "pop" else NOTHING
        if lazy:
            return receiver
        if kind == "frame" and columnwise:
            return memory.copy(receiver, self.transfers, renamed=_renames(node) if name == "rename" else None)
        if name in names("methods", "view").exact and name not in ("get",):
            return memory.view(receiver)
        if id(node) in self.thrown_away and name not in names("methods", "pure").exact:
            self.change(receiver)
        return self.fresh("frame" if kind in ("frame", "empty frame") else "column")

    def _column_arguments(self, node: ast.Call) -> tuple[str, ...]:
        """Return the columns that a frame method names literally."""
        found: list[str] = []
        roles = names("frame", "column_arguments").exact
        items: list[ast.expr] = [*node.args]
        items += [keyword.value for keyword in node.keywords if keyword.arg in roles]
        for item in items:
            if isinstance(item, ast.Dict):
                found += [
                    key.value
                    for key in item.keys
                    if isinstance(key, ast.Constant) and isinstance(key.value, str)
                ]
                continue
            keys: Keys | None = self.keys_of(item)
            found.extend(keys.names if keys is not None else ())
        return tuple(found)

    def _reads_only(self, node: ast.Call, name: str, keys: tuple[str, ...]) -> bool:
        """Return True if a method reads no other columns than those it names."""
        if name in ("pivot_table", "pivot"):
            return {"index", "values"} <= {keyword.arg for keyword in node.keywords} and bool(keys)
        return False

    # -- filled in by the layer above ----------------------------------------------------------------------

    def call_own(self, node: ast.Call, callee: Objects) -> Objects | None:
        """Call a function or class of the notebook; None if the callee is none."""
        raise NotImplementedError

    def call_own_method(self, node: ast.Call, function: ast.Attribute, receiver: Objects) -> Objects | None:
        """Call a method that a class of the notebook defines; None if it defines none."""
        raise NotImplementedError

    def call_back(self, arguments: Arguments, receiver: Objects) -> Objects:
        """Call the notebook's own functions among the arguments, as whoever they are passed to may do."""
        raise NotImplementedError


def _changes_in_place(node: ast.Call) -> bool:
    return any(
        keyword.arg == "inplace" and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
        for keyword in node.keywords
    )


def _renames(node: ast.Call) -> dict[str, str] | None:
    """Return new name -> old name for a literal `rename(columns={...})`."""
    for keyword in node.keywords:
        if keyword.arg == "columns" and isinstance(keyword.value, ast.Dict):
            return {
                new.value: old.value
                for old, new in zip(keyword.value.keys, keyword.value.values, strict=True)
                if isinstance(old, ast.Constant) and isinstance(new, ast.Constant)
            }
    return None
