"""Arguments of calls: which are read whole, and which only in the columns that are named literally."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from lakebook.notebooks.slicing.databases import Databases
from lakebook.notebooks.slicing.memory import NOTHING, Objects, own
from lakebook.notebooks.taxonomy import names

_FRAME_ANCHORS = frozenset({"y", "column", "vars", "x_vars"})
_DATA_ANCHORS = frozenset({"x", "y", "vars", "x_vars", "names", "path", "values"})


@dataclass(slots=True)
class Arguments:
    """Evaluated arguments of a call."""

    positional: list[Objects] = field(default_factory=list)
    keywords: dict[str, Objects] = field(default_factory=dict)
    spread: Objects = NOTHING

    def everything(self) -> Objects:
        """Return all objects passed."""
        return frozenset().union(*self.positional, *self.keywords.values(), self.spread)


class ReadsArguments(Databases):
    """Evaluates arguments and does what single arguments mean."""

    def arguments(self, node: ast.Call, *, read: bool = True) -> Arguments:
        """Evaluate the arguments; with `read` everything in them is used. Functions passed are called."""
        evaluate = self.value if read else self.refer
        found = Arguments()
        for argument in node.args:
            objects = evaluate(argument)
            if isinstance(argument, ast.Starred):
                self.force(objects)
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

    def plot_arguments(self, node: ast.Call, receiver: Objects) -> Arguments:
        """Evaluate the arguments of a plot call, reading only the columns that it names, if it does."""
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
        named = any(
            self.keys_of(item) or self._is_series(item) for role, item in given.items() if role in anchors
        )
        named = named or (len(node.args) >= 2 and all(self.keys_of(item) for item in node.args[:2]))
        return tuple(found) if named and (receiver or "data" in given or node.args) else None

    def _is_series(self, node: ast.expr) -> bool:
        """Return True for an argument that brings its own data instead of naming a column."""
        if isinstance(node, ast.Attribute) and node.attr in ("index", "values"):
            return True
        return self.memory.kind(self.refer(node)) == "column"

    def column_arguments(self, node: ast.Call) -> tuple[str, ...]:
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
            keys = self.keys_of(item)
            found.extend(keys.names if keys is not None else ())
        return tuple(found)

    def artists(self, arguments: Arguments) -> Objects:
        """Return the figures and axes among the arguments."""
        return frozenset(o for o in arguments.everything() if self.memory.kinds.get(o) == "artist")

    def streams(self, arguments: Arguments) -> Objects:
        """Return the open files among the arguments."""
        return frozenset(o for o in arguments.everything() if self.memory.kinds.get(o) == "stream")

    def common_keywords(self, node: ast.Call, arguments: Arguments) -> None:
        """Do what `ax=`, `out=` and generators of random numbers mean wherever they stand."""
        axes = arguments.keywords.get("ax", NOTHING)
        if axes:
            self.draw(axes, on_current=False)
        if arguments.keywords.get("out"):
            self.change(arguments.keywords["out"])
        if self.has_generators:
            kinds = self.memory.kinds
            self.change(frozenset(one for one in arguments.everything() if kinds.get(one) == "generator"))

    # -- filled in by the layer above ----------------------------------------------------------------------

    def call_own(self, node: ast.Call, callee: Objects) -> Objects | None:
        """Call a function or class of the notebook; None if the callee is none."""
        raise NotImplementedError

    def call_of_base(self, node: ast.Call, name: str) -> Objects:
        """Call a method by `super()`."""
        raise NotImplementedError

    def call_own_method(self, node: ast.Call, function: ast.Attribute, receiver: Objects) -> Objects | None:
        """Call a method that a class of the notebook defines; None if it defines none."""
        raise NotImplementedError

    def call_back(self, arguments: Arguments, receiver: Objects) -> Objects:
        """Call the notebook's own functions among the arguments, as whoever they are passed to may do."""
        raise NotImplementedError

    def call_method_value(self, one: int, given: Objects) -> None:
        """Call a method that was taken from an object as a value."""
        raise NotImplementedError

    def unknown_call(self, node: ast.Call, arguments: Arguments, callee: Objects) -> Objects:
        """Call something unseen."""
        raise NotImplementedError
