"""Calls: who is called, and what is done when nobody knows."""

from __future__ import annotations

import ast

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
            self.touch_root(function)
            return self.library_call(node, path)
        if isinstance(function, ast.Attribute):
            receiver = self.refer(function.value)
            own_method = self.call_own_method(node, function, receiver)
            if own_method is not None:
                return own_method
            return self.method_call(node, function.attr, receiver)
        callee = self.refer(function)
        own_call = self.call_own(node, callee)
        if own_call is not None:
            return own_call
        if isinstance(function, ast.Name) and not callee:
            return self._builtin_call(node, function.id)
        return self.unknown_call(node, self.arguments(node), callee)

    def touch_root(self, node: ast.expr) -> None:
        """Use the name at the root of a dotted path."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if isinstance(node, ast.Name):
            self.read_name(node.id)

    def _builtin_call(self, node: ast.Call, name: str) -> Objects:
        if name in names("builtins", "unseen").exact:
            self.run_text(node, name)
        if name == "open":
            self.read_file(node)
            if len(node.args) > 1 or any(keyword.arg == "mode" for keyword in node.keywords):
                self.write_file(node)
        arguments = self.arguments(node)
        if name in names("builtins", "mutate_first").exact and arguments.positional:
            self.change(arguments.positional[0])
            return self.memory.view(arguments.positional[0])
        self.call_back(arguments, NOTHING)
        if name in names("builtins", "contain").exact:
            kind = name if name in ("list", "dict", "set") else ""
            return self.fresh(kind, arguments.everything() | self.memory.elements(arguments.everything()))
        if name in names("builtins", "fixed").exact:
            return self.fresh("scalar")
        if name in names("builtins", "pure").exact:
            return NOTHING
        if name == "open":
            return self.fresh("stream")
        return self.unknown_call(node, arguments, NOTHING)

    def unknown_call(self, node: ast.Call, arguments: Arguments, callee: Objects) -> Objects:
        """Call something unseen: if its result is thrown away it was called to change something."""
        self.consume(callee)
        self.call_back(arguments, NOTHING)
        if id(node) in self.thrown_away:
            self.change(arguments.everything())
        return self.fresh("", arguments.everything() | callee)

    def run_text(self, node: ast.Call, name: str) -> None:
        """Execute code held in a string; what is not a literal cannot be seen."""
        self.doubts.append(f"`{name}` runs code that cannot be seen")
