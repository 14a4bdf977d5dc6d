"""Names that stand in texts: code that is run from strings, queries of frames, the dictionary of all names.

What a text says is known where it is a literal, or a variable that holds one. Other texts may read and
change anything: the slice then keeps what it must to be right, and says so in its confidence.
"""

from __future__ import annotations

import ast
import re

from lakebook.notebooks.clean import parse
from lakebook.notebooks.slicing.effects import STAR
from lakebook.notebooks.slicing.expressions import Expressions
from lakebook.notebooks.slicing.memory import NOTHING, Objects

_GIVE_VALUES = frozenset({"eval", "compile", "__import__"})  # are seldom run for what they change
AFTER_AT = re.compile(r"@\s*([A-Za-z_]\w*)")
_WORD = re.compile(r"(?<![\w.@'\"`])[A-Za-z_]\w*")


class Texts(Expressions):
    """Reads names in texts."""

    def __init__(self) -> None:
        super().__init__()
        self.namespace: Objects = NOTHING

    def known_texts(self, node: ast.expr | None) -> tuple[str, ...]:
        """Return the texts that an expression may be, those parts of it that are known; () if none is."""
        if node is None:
            return ()
        keys = self.keys_of(node)
        if keys is not None:
            return keys.names
        if isinstance(node, (ast.JoinedStr, ast.BinOp)):
            parts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
            return ("{}".join(part for part in parts if isinstance(part, str)),)
        return ()

    # -- code in strings -----------------------------------------------------------------------------------

    def run_text(self, node: ast.Call, name: str) -> Objects:
        """Execute or evaluate code held in a string."""
        argument = node.args[0] if node.args else None
        keys = self.keys_of(argument)
        if name not in ("exec", "eval") or keys is None:
            self.doubts.append(f"`{name}` runs code that cannot be seen")
            if name not in _GIVE_VALUES:
                self._touch_everything()
            return NOTHING
        found: Objects = NOTHING
        part, self.part = self.part, None
        for text in keys.names:
            try:
                body = parse(text.strip()).body
            except SyntaxError:
                self.doubts.append(f"`{name}` runs text that is no Python")
                continue
            if name == "exec":
                self.run(body)
            elif len(body) == 1 and isinstance(body[0], ast.Expr):
                found |= self.value(body[0].value)
        self.part = part
        return found

    def _touch_everything(self) -> None:
        """Read and change all variables, as code that cannot be seen may do; it may define any name."""
        objects = self.read_names(None)
        self.change(objects)
        for name in self.globals:
            self.weak |= self.memory.resource(name)
        self.starred.append("")
        self.weak |= self.memory.resource(STAR)

    # -- the dictionary of all names -----------------------------------------------------------------------

    def all_names(self) -> Objects:
        """Return what `globals()` returns."""
        if not self.namespace:
            one = self.memory.allocate("", "namespace")
            self.namespace = frozenset((one,))
            self.defer(self.namespace, lambda: self.read_names(None))
        return self.namespace

    def read_names(self, keys: tuple[str, ...] | None) -> Objects:
        """Read variables of the notebook by their names, all of them if the names are not known."""
        found: Objects = NOTHING
        for name in self.globals if keys is None else keys:
            found |= self.read_name(name)
        if keys is None:
            self.consume(found - self.namespace)
        return found - self.namespace

    def store_names(self, keys: tuple[str, ...] | None, value: Objects) -> None:
        """Store variables of the notebook by their names."""
        if keys is None:
            self.starred.append("")
            self.weak |= self.memory.resource(STAR)
            self.doubts.append("a name is defined that is only known when it runs")
            return
        self.depth += len(keys) > 1
        for name in keys:
            self.bind(name, value)
        self.depth -= len(keys) > 1

    # -- queries of frames ---------------------------------------------------------------------------------

    def read_query(self, node: ast.expr | None) -> None:
        """Read the variables that stand after `@` in a query of a frame."""
        texts = self.known_texts(node)
        if node is not None and not texts:
            self.doubts.append("a query of a frame has a text that cannot be seen")
        for text in texts:
            for name in AFTER_AT.findall(text):
                self.consume(self.read_name(name))

    def read_formula(self, node: ast.expr | None) -> None:
        """Read the variables that stand in an expression for `pandas.eval`."""
        for text in self.known_texts(node):
            for name in _WORD.findall(text):
                if self.look_up(name):
                    self.consume(self.read_name(name))
