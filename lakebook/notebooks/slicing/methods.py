"""Calls of methods by the kind of their receiver; what each name does is in `taxonomy.toml`."""

from __future__ import annotations

import ast

from lakebook.notebooks import taxonomy
from lakebook.notebooks.slicing.frames import FRAMES, FrameCalls, changes_in_place
from lakebook.notebooks.slicing.memory import NOTHING, Objects, own
from lakebook.notebooks.taxonomy import names

_PATCHED_CLASSES = ("pandas", "matplotlib", "numpy", "seaborn", "plotly")
_CONTAINERS = ("list", "dict", "set", "deque")


class MethodCalls(FrameCalls):
    """Calls methods."""

    def method_call(self, node: ast.Call, name: str, receiver: Objects) -> Objects:
        """Call a method of an object that no class of the notebook defines."""
        kind = self.memory.kind(receiver)
        for path, bit in self.patches.items():
            self.uses |= bit if path in _PATCHED_CLASSES else 0
        if kind == "connection":
            done = self.connection_method(node, name, receiver)
            if done is not None:
                return done
        if kind == "namespace":
            return self._namespace_method(node, name)
        if name in names("methods", "queries").exact:
            self.read_query(node.args[0] if node.args else _given(node, "expr"))
        self.use_path_method(node, name, receiver)
        if self._is_plot(node, name, kind):
            return self._plot_method(node, receiver, kind)
        if kind == "artist":
            return self._artist_method(node, name, receiver)
        if kind in FRAMES or (not kind and changes_in_place(node, name)):
            return self.frame_method(node, name, receiver, kind)
        if kind in _CONTAINERS and name in names("methods", "rearranges").exact:
            return self._container_method(node, name, receiver)
        if kind == "model" and name in names("methods", "fits").exact and self._is_single(receiver):
            self._fit(node, receiver)
            return receiver if name == "fit" and id(node) not in self.thrown_away else NOTHING
        return self._plain_method(node, name, receiver, kind)

    def _is_single(self, receiver: Objects) -> bool:
        """Return False for a model that holds others, which it fits."""
        return not any(self.memory.contents.get(one) for one in receiver)

    def _container_method(self, node: ast.Call, name: str, receiver: Objects) -> Objects:
        """Put something into a container or take it out; the elements themselves stay as they are."""
        memory = self.memory
        arguments = self.arguments(node)
        self.rearrange(receiver)
        if name in names("methods", "keeps_arguments").exact:
            self.put_into(receiver, arguments.everything() | memory.elements(arguments.everything()))
        return memory.elements(receiver)

    def _plain_method(self, node: ast.Call, name: str, receiver: Objects, kind: str) -> Objects:
        memory = self.memory
        self.consume(receiver)
        arguments = self.arguments(node)
        self.common_keywords(node, arguments)
        self.call_back(arguments, receiver)
        self.method_resources(node, name, arguments)
        if kind == "generator" or name in taxonomy.mutators(kind):
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

    def _fit(self, node: ast.Call, receiver: Objects) -> None:
        """Fit a model: what it learned before is forgotten, its settings are not."""
        arguments = self.arguments(node)
        self.common_keywords(node, arguments)
        self.uses |= own(receiver)
        learned = frozenset(self.memory.slot(one, "fitted") for one in receiver)
        if len(receiver) == 1 and self.depth == 0 and not receiver & self.memory.many:
            self.kill |= own(learned)
        else:
            self.uses |= own(learned)
        self.weak |= own(learned)

    def _namespace_method(self, node: ast.Call, name: str) -> Objects:
        """Call a method of `globals()`."""
        arguments = self.arguments(node)
        if name == "update":
            for one in arguments.everything():
                for key, slot in self.memory.slots.get(one, {}).items():
                    self.store_names((key,), self.memory.contents.get(slot, NOTHING))
            self.store_names(None, NOTHING)
            return NOTHING
        keys = self.keys_of(node.args[0]) if node.args else None
        return self.read_names(keys.names if keys is not None else None)

    def _is_plot(self, node: ast.Call, name: str, kind: str) -> bool:
        if kind in ("list", "dict", "set", "text", "stream", "instance", "artist"):
            return False
        below_plot = (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Attribute)
            and node.func.value.attr == "plot"
        )
        return below_plot or name in names("methods", "plot_calls").exact

    def _plot_method(self, node: ast.Call, receiver: Objects, kind: str) -> Objects:
        arguments = self.plot_arguments(node, receiver)
        axes = arguments.keywords.get("ax", NOTHING)
        if axes:
            self.draw(axes, on_current=False)
            return axes
        self.draw(NOTHING if kind in FRAMES else receiver)
        return self.current_figure()

    def _artist_method(self, node: ast.Call, name: str, receiver: Objects) -> Objects:
        arguments = self.arguments(node)
        if name in names("methods", "saves_picture").exact:
            self.write_picture(self.path_argument(node))
            self.change(self.streams(arguments))
        self.call_back(arguments, receiver)
        if name in names("methods", "artist_reads").exact:
            self.consume(receiver)
            return receiver
        self.draw(receiver, on_current=False)
        self.put_into(receiver, self.artists(arguments))
        return receiver


def _given(node: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
