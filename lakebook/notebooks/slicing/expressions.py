"""Expressions, except calls: what they point to and what reading them uses.

The rule that keeps slices small is that referring is not reading. `df["a"]` refers to one column; only what
is done with the reference decides whether one column or the whole frame is wanted. The rule that keeps them
sound is that anything not understood is read whole.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lakebook.notebooks.slicing.effects import AXES_3D, Effects, Scope
from lakebook.notebooks.slicing.memory import NOTHING, Objects, own
from lakebook.notebooks.taxonomy import names

_ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "ix"})
_NAMED_SLOTS = frozenset({"instance", "class", "module", "frame", "column", "artist"})
_BOUND_MUTATORS = frozenset({"append", "extend", "add", "update", "insert", "appendleft", "put", "write"})
_COPYING_INDEX = (ast.Compare, ast.List, ast.ListComp, ast.BoolOp)
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class Keys:
    """Literal keys of a subscript: one of `names` if `single`, else all of them."""

    names: tuple[str, ...]
    single: bool


class Expressions(Effects):
    """Reads expressions."""

    def refer(self, node: ast.expr | None) -> Objects:
        """Return what an expression points to, without reading what is in it."""
        if node is None:
            return NOTHING
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            found: Objects = handler(self, node)
            return found
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return NOTHING

    # -- literal keys and module paths ---------------------------------------------------------------------

    def keys_of(self, node: ast.expr | None) -> Keys | None:
        """Return the strings that an expression is known to be, or None."""
        if isinstance(node, ast.Constant):
            return Keys((node.value,), single=True) if isinstance(node.value, str) else None
        if isinstance(node, (ast.List, ast.Tuple)):
            texts = [item.value for item in node.elts if isinstance(item, ast.Constant)]
            strings = tuple(text for text in texts if isinstance(text, str))
            return Keys(strings, single=False) if strings and len(strings) == len(node.elts) else None
        if isinstance(node, ast.Name):
            return self._keys_of_objects(self.look_up(node.id))
        return None

    def _keys_of_objects(self, objects: Objects) -> Keys | None:
        if not objects:
            return None
        strings: list[str] = []
        for one in objects:
            known = self.memory.strings.get(one)
            if known is None:
                return None
            strings.extend(known)
        return Keys(tuple(dict.fromkeys(strings)), single=self.memory.kind(objects) == "text")

    def look_up(self, name: str) -> Objects:
        """Return what a name points to, using nothing."""
        scope = self.scope
        while scope is not None:
            if name in scope.names:
                return scope.values.get(name, NOTHING)
            scope = scope.around
        return self.globals.get(name, NOTHING)

    def module_path(self, node: ast.expr) -> str:
        """Return the full dotted path of `plt.figure` and the like, "" if the root is no module."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        for one in self.look_up(node.id):
            path = self.modules.get(one)
            if path is not None:
                return ".".join([path, *reversed(parts)])
        return self._starred_path(node.id) if not parts else ""

    def is_style(self, node: ast.expr) -> bool:
        """Return True for `plt.rcParams` and other places where the style of plots is kept."""
        path = self.module_path(node)
        stores = names("functions", "style_stores").exact
        return bool(path) and any(path.startswith(store) for store in stores)

    def _starred_path(self, name: str) -> str:
        """Guess the origin of a name that only a star import can have brought."""
        if not self.starred or self.look_up(name):
            return ""
        pyplot = names("modules", "pyplot").exact
        plotting = names("methods", "plots").exact | names("functions", "new_figure").exact
        plotting |= names("functions", "end_figure").exact | {"title", "xlabel", "ylabel", "legend", "grid"}
        if any(module in pyplot for module in self.starred) and (name in plotting or name == "rcParams"):
            return f"matplotlib.pyplot.{name}"
        return ""

    # -- names, attributes, subscripts ---------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Objects:
        return self.read_name(node.id)

    def _attribute(self, node: ast.Attribute) -> Objects:
        base = self.refer(node.value)
        if node.attr == "__dict__":
            return self.memory.view(base)
        if base and node.attr in _BOUND_MUTATORS and self.memory.kind(base) not in _NAMED_SLOTS:
            return self._bound_method(node.attr, base)
        found: set[int] = set()
        for one in base:
            found |= self._attribute_of(one, node.attr)
        return frozenset(found)

    def _bound_method(self, name: str, base: Objects) -> Objects:
        """Return a method as a value (`add = items.append`): calling it changes what it was taken from."""
        made = self.fresh("method")
        self.memory.viewed[min(made)] = base
        self.memory.labels[min(made)] = name
        return made

    def _attribute_of(self, one: int, attribute: str) -> Objects:
        memory = self.memory
        kind = memory.kinds.get(one, "")
        if kind == "module":
            return self.module_attribute(one, attribute, is_last=True)
        if kind == "column":
            return frozenset((one,))
        if kind in ("frame", "empty frame"):
            if attribute in names("frame", "same").exact:
                return frozenset((one,))
            if attribute in names("frame", "whole").exact:
                self.consume(frozenset((one,)))
                return memory.view(frozenset((one,)))
        elif kind == "instance":
            return self.instance_attribute(one, attribute)
        elif one not in memory.slots or attribute not in memory.slots[one]:
            return frozenset((one,)) if kind == "artist" else memory.view(frozenset((one,)))
        found = memory.select(frozenset((one,)), attribute)
        self.uses |= own(found)
        return found | memory.elements_of_slots(found)

    def module_attribute(self, one: int, attribute: str, *, is_last: bool) -> Objects:
        """Return what was stored in a module, or a submodule that was imported apart.

        Some packages load their submodules only when something below imports them (`is_last` is False where
        the attribute must be a module): whatever did is then needed, even under another name.
        """
        memory = self.memory
        stored = memory.known(frozenset((one,)), attribute)
        if stored:
            self.uses |= own(stored)
            return stored | memory.elements_of_slots(stored)
        path = self.modules[one]
        inside = memory.slots.get(one, {})
        if is_last:
            inside = {name: slot for name, slot in inside.items() if f"{path}.{name}" in self.loaded}
        elif path.partition(".")[0] not in names("modules", "bare").exact:
            return NOTHING
        self.uses |= own(inside.values())
        return NOTHING

    def instance_attribute(self, one: int, attribute: str) -> Objects:
        """Return an attribute of an instance of a class of the notebook; layers above know its methods."""
        found = self.memory.select(frozenset((one,)), attribute)
        self.uses |= own(found)
        return found | self.memory.elements_of_slots(found)

    def _subscript(self, node: ast.Subscript) -> Objects:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and is_first(node.slice):
            self.read_rows(self.refer(node.value.value))
            return NOTHING
        base = self.refer(node.value)
        if self.is_style(node.value):
            self.uses |= self.style_bits()
        accessor = is_accessor(node.value)
        index = node.slice
        if accessor and isinstance(index, ast.Tuple) and len(index.elts) == 2:
            self.value(index.elts[0])
            return self._pick(base, index.elts[1], node.slice)
        if accessor:
            self.value(index)
            return self.memory.copy(base, self.transfers)
        return self._pick(base, index, index)

    def _pick(self, base: Objects, key_node: ast.expr, index: ast.expr) -> Objects:
        """Return what stands under a key: a column, a copy of some columns, an element, or a view."""
        memory = self.memory
        keys = self.keys_of(key_node)
        self.value(key_node)
        if not base:
            return NOTHING
        kind = memory.kind(base)
        if kind == "namespace":
            return self.read_names(keys.names if keys is not None else None)
        if kind == "instance":
            self.force(base)
        if keys is not None and not keys.single and kind != "dict":
            for key in keys.names:
                self.uses |= own(memory.select(base, key))
            return memory.copy(base, self.transfers, only=keys.names)
        if keys is not None:
            found: Objects = NOTHING
            for key in keys.names:
                found |= memory.select(base, key)
            self.uses |= own(found)
            for one in base:
                self.uses |= own(memory.viewed.get(one, ()))
            held = memory.elements_of_slots(found)
            self.uses |= own(held)
            return found | held | frozenset().union(*(memory.contents.get(one, NOTHING) for one in base))
        if isinstance(key_node, ast.Slice):
            return memory.view(base)
        if copies(index) or kind == "frame":
            return memory.copy(base, self.transfers)
        held = memory.elements(base)
        self.uses |= own(held)
        return held | memory.view(base)

    # -- containers ----------------------------------------------------------------------------------------

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Objects:
        held: Objects = NOTHING
        for item in node.elts:
            held |= self.refer(item)
        made = self.fresh("set" if isinstance(node, ast.Set) else "list", held)
        keys = None if isinstance(node, ast.Set) else self.keys_of(node)
        if keys is not None:
            self.memory.strings[min(made)] = keys.names
        return made

    def _dict(self, node: ast.Dict) -> Objects:
        made = self.fresh("dict")
        held: Objects = NOTHING
        for key, item in zip(node.keys, node.values, strict=True):
            self.value(key)
            stored = self.refer(item)
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                slot = self.memory.slot(min(made), key.value)
                self.memory.hold(slot, stored)
                self.weak |= 1 << slot
            else:
                held |= stored
        self.put_into(made, held)
        return made

    def _generator(self, node: ast.GeneratorExp) -> Objects:
        """Make a generator: all but its first iterable is evaluated when it is read."""
        first = self.iterables(node.generators[0].iter, node.generators[0].target)
        made = self.fresh("stream", frozenset().union(*first))
        scope = self.scope

        def run() -> None:
            outer, self.scope = self.scope, scope
            held = self.memory.elements(self._comprehension(node, first))
            self.scope = outer
            self.put_into(made, held)

        self.defer(made, run, once=True)
        return made

    def _comprehension(self, node: _Comprehension, first: list[Objects] | None = None) -> Objects:
        bound: set[str] = set()
        for generator in node.generators:
            bound |= stored_names(generator.target)
        self.scope = Scope(frozenset(bound), self.scope, self.depth + 1)
        self.depth += 1
        for generator in node.generators:
            known = first if generator is node.generators[0] else None
            self.iterate(generator.target, known or self.iterables(generator.iter, generator.target))
            for test in generator.ifs:
                self.value(test)
        if isinstance(node, ast.DictComp):
            self.value(node.key)
            held = self.refer(node.value)
        else:
            held = self.refer(node.elt)
        self.consume(held)
        self.depth -= 1
        self.scope = self.scope.around
        kinds: dict[type[ast.expr], str] = {ast.DictComp: "dict", ast.SetComp: "set", ast.ListComp: "list"}
        return self.fresh(kinds.get(type(node), ""), held)

    def iterables(self, node: ast.expr, target: ast.expr) -> list[Objects]:
        """Evaluate what a loop runs over: one for each part of its target under `zip` and `enumerate`."""
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords and parts:
            if node.func.id == "zip" and len(node.args) == len(parts):
                return [self.refer(item) for item in node.args]
            if node.func.id == "enumerate" and len(parts) == 2 and len(node.args) == 1:
                return [self.fresh("scalar"), self.refer(node.args[0])]
        return [self.refer(node)]

    def iterate(self, target: ast.expr, iterables: list[Objects]) -> None:
        """Bind a loop target to the elements of what is iterated over."""
        if len(iterables) > 1 and isinstance(target, ast.Tuple):
            for part, iterable in zip(target.elts, iterables, strict=True):
                self._bind_element(part, iterable)
        else:
            self._bind_element(target, iterables[0])

    def _bind_element(self, target: ast.expr, iterable: Objects) -> None:
        self.consume(iterable)
        keys = self._keys_of_objects(iterable)
        if keys is not None and not keys.single and isinstance(target, ast.Name):
            item = self.make(target.id, "text")
            self.memory.strings[item] = keys.names
            self.assign(target, frozenset((item,)))
            return
        held = self.memory.elements(iterable)
        self.assign(target, held | self.memory.view(iterable))

    # -- the rest ------------------------------------------------------------------------------------------

    def _conditional(self, node: ast.IfExp) -> Objects:
        self.value(node.test)
        return self.refer(node.body) | self.refer(node.orelse)

    def _either(self, node: ast.BoolOp) -> Objects:
        found: Objects = NOTHING
        for item in node.values:
            found |= self.value(item)
        return found

    def _binary(self, node: ast.BinOp) -> Objects:
        left, right = self.value(node.left), self.value(node.right)
        memory = self.memory
        if isinstance(node.op, ast.Add) and "list" in (memory.kind(left), memory.kind(right)):
            return self.fresh("list", memory.elements(left) | memory.elements(right))
        return NOTHING

    def _yield(self, node: ast.Yield) -> Objects:
        self.yielded(self.refer(node.value))
        return NOTHING

    def _yield_from(self, node: ast.YieldFrom) -> Objects:
        found = self.value(node.value)
        self.yielded(self.memory.elements(found) | self.memory.view(found))
        return NOTHING

    def _walrus(self, node: ast.NamedExpr) -> Objects:
        found = self.refer(node.value)
        self.assign(node.target, found)
        return found

    def _inner(self, node: ast.Starred | ast.Await) -> Objects:
        return self.refer(node.value)

    def _constant(self, node: ast.Constant) -> Objects:
        if node.value == "3d":
            self.uses |= self.memory.resource(AXES_3D)
        return NOTHING

    # -- filled in by the layers above ---------------------------------------------------------------------

    def call(self, node: ast.Call) -> Objects:
        """Do what a call does and return what it points to."""
        raise NotImplementedError

    def define_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Objects:
        """Make a function object."""
        raise NotImplementedError

    def yielded(self, objects: Objects) -> None:
        """Hand something out of a generator function."""
        raise NotImplementedError

    def read_names(self, keys: tuple[str, ...] | None) -> Objects:
        """Read variables of the notebook by their names, all of them if the names are not known."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Objects) -> None:
        """Store into a target."""
        raise NotImplementedError


def is_accessor(node: ast.expr) -> bool:
    """Return True for `df.loc` and its kin."""
    return isinstance(node, ast.Attribute) and node.attr in _ACCESSORS


def is_first(index: ast.expr) -> bool:
    """Return True for the literal index 0."""
    return isinstance(index, ast.Constant) and index.value == 0


def may_be_new(label: ast.expr) -> bool:
    """Return True for a label that a store may add a row for: a text, or one counted on from the last row."""
    if isinstance(label, ast.Constant):
        return isinstance(label.value, str)
    if isinstance(label, ast.BinOp):
        return isinstance(label.op, (ast.Add, ast.Sub))
    return isinstance(label, ast.Call) or (isinstance(label, ast.Subscript) and is_first(label.slice))


def copies(index: ast.expr) -> bool:
    """Return True for an index that selects into a copy: a mask or a list of positions."""
    if isinstance(index, ast.BinOp):
        return isinstance(index.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
    if isinstance(index, ast.UnaryOp):
        return isinstance(index.op, ast.Invert)
    return isinstance(index, _COPYING_INDEX)


def stored_names(node: ast.AST) -> set[str]:
    """Return the names that a target stores into."""
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


_HANDLERS: dict[type[ast.expr], Callable[[Any, Any], Objects]] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._generator,
    ast.IfExp: Expressions._conditional,
    ast.BoolOp: Expressions._either,
    ast.BinOp: Expressions._binary,
    ast.NamedExpr: Expressions._walrus,
    ast.Starred: Expressions._inner,
    ast.Await: Expressions._inner,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield_from,
    ast.Constant: Expressions._constant,
    ast.Lambda: lambda self, node: self.define_function(node),
    ast.Call: lambda self, node: self.call(node),
}
