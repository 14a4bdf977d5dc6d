"""Calls: who is called, and what is done when nobody knows."""

from __future__ import annotations

import ast

from lakebook.notebooks import taxonomy
from lakebook.notebooks.slicing.arguments import Arguments
from lakebook.notebooks.slicing.memory import NOTHING, Objects
from lakebook.notebooks.slicing.methods import MethodCalls
from lakebook.notebooks.taxonomy import names


class Calls(MethodCalls):
    """Reads calls."""

    def call(self, node: ast.Call) -> Objects:
        """Do what a call does and return what it points to."""
        function = node.func
        path = self.module_path(function)
        if path:
            stored = self.touch_module(function)
            replaced = self.call_own(node, stored) if stored else None
            return replaced if replaced is not None else self.library_call(node, path)
        if isinstance(function, ast.Attribute):
            if _is_super(function.value):
                return self.call_of_base(node, function.attr)
            receiver = self.refer(function.value)
            if not receiver and self._is_builtin(function.value) and function.attr in taxonomy.any_mutators():
                self.change(self.refer(node.args[0]) if node.args else NOTHING)  # `list.append(items, 1)`
            own_method = self.call_own_method(node, function, receiver)
            if own_method is not None:
                return own_method
            return self.method_call(node, function.attr, receiver)
        callee = self.refer(function)
        own_call = self.call_own(node, callee)
        if own_call is not None:
            return own_call
        if isinstance(function, ast.Name) and not callee:
            is_length = function.id == "len" and len(node.args) == 1
            return self._length(node.args[0]) if is_length else self._builtin_call(node, function.id)
        return self.unknown_call(node, self.arguments(node), callee)

    def _is_builtin(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in names("builtins", "contain").exact

    def touch_module(self, node: ast.expr) -> Objects:
        """Use the module at the root of a dotted path; return what was stored under the path, if anything."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return NOTHING
        found = self.read_name(node.id)
        slots = self.memory.slots
        for at, part in enumerate(reversed(parts), 1):
            modules = [one for one in found if one in self.modules and slots.get(one)]
            found = NOTHING
            for one in modules:
                found |= self.module_attribute(one, part, is_last=at == len(parts))
        return found if parts else NOTHING

    def _length(self, node: ast.expr) -> Objects:
        self.read_rows(self.refer(node))
        return self.fresh("scalar")

    def _builtin_call(self, node: ast.Call, name: str) -> Objects:
        if name in names("builtins", "unseen").exact:
            for argument in node.args:
                self.value(argument)
            return self.run_text(node, name)
        if name == "open":
            self.arguments(node)
            return self.open_file(node)
        if name in ("globals", "locals") or (name == "vars" and not node.args):
            return self.all_names()
        lazy = name in names("builtins", "lazy").exact
        arguments = self.arguments(node, read=not lazy)
        if name == "vars":
            return self.memory.view(arguments.everything())
        if lazy:
            return self._lazy_builtin(arguments)
        if name == "print":
            self.change(arguments.keywords.get("file", NOTHING))
        if name in names("builtins", "mutate_first").exact and arguments.positional:
            return self._change_first(node, arguments)
        called = self.call_back(arguments, NOTHING)
        if name in names("builtins", "contain").exact:
            kind = name if name in ("list", "dict", "set") else ""
            held = arguments.everything() | self.memory.elements(arguments.everything()) | called
            return self.fresh(kind, held)
        if name in names("builtins", "fixed").exact:
            return self.fresh("scalar")
        if name in names("builtins", "pure").exact:
            return NOTHING
        return self.unknown_call(node, arguments, NOTHING)

    def _change_first(self, node: ast.Call, arguments: Arguments) -> Objects:
        """Do what `next`, `setattr` and `delattr` do to their first argument."""
        receiver = arguments.positional[0]
        self._change_module(node.args[0])
        if len(arguments.positional) == 3:
            keys = self.keys_of(node.args[1])
            known = self.memory.slots
            slots = (
                keys.names if keys is not None else {key for one in receiver for key in known.get(one, ())}
            )
            for key in slots:
                self.store(receiver, (key,), arguments.positional[2], whole=keys is not None)
            self.put_into(receiver, arguments.positional[2])
        self.change(receiver)
        return self.memory.elements(receiver) | self.memory.view(receiver)

    def _lazy_builtin(self, arguments: Arguments) -> Objects:
        """Make the iterator that `map`, `zip` and their kin return; it reads and calls when it is read."""
        given = arguments.everything()
        made = self.fresh("stream", given | self.memory.elements(given))

        def run() -> None:
            self.consume(given)
            self.put_into(made, self.memory.elements(given) | self.call_back(arguments, NOTHING))

        self.defer(made, run, once=True)
        return made

    def _change_module(self, node: ast.expr) -> None:
        path = self.module_path(node)
        if path:
            self.patch(path)

    def unknown_call(self, node: ast.Call, arguments: Arguments, callee: Objects) -> Objects:
        """Call something unseen: if its result is thrown away it was called to change something."""
        self.consume(callee)
        self.call_back(arguments, NOTHING)
        for one in callee:
            if self.memory.kinds.get(one) == "method":
                self.call_method_value(one, arguments.everything())
        inner = self.memory.elements(callee)
        if any(one in self.routines for one in inner):  # `partial` and other wrappers
            self.call_back(Arguments([*arguments.positional, inner], arguments.keywords), NOTHING)
        if id(node) in self.thrown_away:
            self.change(arguments.everything())
        return self.fresh("", arguments.everything() | callee)

    def call_method_value(self, one: int, given: Objects) -> None:
        """Call a method that was taken from an object as a value."""
        receiver = self.memory.viewed.get(one, NOTHING)
        self.change(receiver)
        self.put_into(receiver, given)


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
