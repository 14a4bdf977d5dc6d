"""Statements: assignments, imports, definitions. The top layer of the forward pass."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from lakebook.notebooks import taxonomy
from lakebook.notebooks.slicing.control import Control, paired
from lakebook.notebooks.slicing.effects import AXES_3D, OWN_MODULES, RANDOM, STAR, STYLE
from lakebook.notebooks.slicing.expressions import is_accessor, may_be_new
from lakebook.notebooks.slicing.frames import drops_columns
from lakebook.notebooks.slicing.memory import NOTHING, Objects, own
from lakebook.notebooks.taxonomy import names

_DRAWING = ("matplotlib.", "pylab", "seaborn.", "plotly.", "bokeh.", "altair.")


class Statements(Control):
    """Executes statements abstractly."""

    def run(self, body: Iterable[ast.stmt]) -> None:
        """Execute statements."""
        for statement in body:
            self.steps += 1
            handler = _HANDLERS.get(type(statement))
            if handler is None:
                continue
            if self.part is None or self.calling:
                handler(self, statement)
            else:
                self.record(statement, handler)

    # -- assignment ----------------------------------------------------------------------------------------

    def _expression(self, node: ast.Expr) -> None:
        self.thrown_away.add(id(node.value))
        self.value(node.value)

    def _assign(self, node: ast.Assign) -> None:
        value = node.value
        pairs = paired(node.targets[0], value)
        if len(pairs) > 1 and len(node.targets) == 1:
            evaluated = [self.stored(item) for _, item in pairs]
            for (one, _), objects in zip(pairs, evaluated, strict=True):
                self.assign(one, objects)
            return
        if self._drops_from_itself(node):
            return
        objects = self.stored(value)
        if not objects and len(node.targets) > 1:
            objects = self.fresh()
        for one in node.targets:
            self.assign(one, objects)

    def _drops_from_itself(self, node: ast.Assign) -> bool:
        """Do `df = df.drop("a", axis=1)` as if in place, where nothing else refers to the frame.

        So a slice that wants no such column can do without the statement.
        """
        target, call = node.targets[0], node.value
        if self.scope is not None or len(node.targets) > 1 or not isinstance(target, ast.Name):
            return False
        if not (
            isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "drop"
        ):
            return False
        frame = call.func.value
        if not (isinstance(frame, ast.Name) and frame.id == target.id and drops_columns(call)):
            return False
        objects = self.globals.get(target.id, NOTHING)
        if not self.column_arguments(call) or not self._is_alone(target.id, objects):
            return False
        self.drop_columns(call, self.read_name(target.id))
        return True

    def _is_alone(self, name: str, objects: Objects) -> bool:
        """Return True if a name points to one frame that nothing else points to or shares memory with."""
        memory = self.memory
        if len(objects) != 1 or memory.kind(objects) != "frame" or objects & memory.many:
            return False
        held = [other for known, other in self.globals.items() if known != name]
        return all(
            objects.isdisjoint(one) for one in (*held, *memory.contents.values(), *memory.viewed.values())
        )

    def stored(self, node: ast.expr) -> Objects:
        """Evaluate what will be stored; a literal string is remembered as a possible column name."""
        if isinstance(node, ast.Constant):
            made = self.fresh("text" if isinstance(node.value, str) else "scalar")
            if isinstance(node.value, str):
                self.memory.strings[min(made)] = (node.value,)
            return made
        return self.refer(node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.stored(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        value = self.value(node.value)
        if isinstance(node.target, ast.Name):
            objects = self.read_name(node.target.id)
            if self.memory.kind(objects) in _FIXED:
                self.consume(objects)
                is_plain = isinstance(node.value, ast.Constant) or self.memory.kind(value) in _FIXED
                self.bind(node.target.id, self.fresh("scalar" if is_plain else ""))
                return
            self.change(objects)
            self.put_into(objects, value)
            self.depth += 1
            self.bind(node.target.id, objects or self.fresh())
            self.depth -= 1
            return
        self.value(ast.copy_location(_as_load(node.target), node.target))
        self.assign(node.target, NOTHING)

    def assign(self, target: ast.expr, value: Objects) -> None:
        """Store into a target."""
        if isinstance(target, ast.Name):
            self.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        elif isinstance(target, ast.Attribute):
            self._store_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            self._store_item(target, value)

    def _unpack(self, targets: list[ast.expr], value: Objects) -> None:
        self.uses |= own(value)
        self.force(value)
        if self.memory.kind(value) == "artist":
            parts = value
        else:
            held = self.memory.elements(value)
            parts = held if held and self.memory.kind(value) == "list" else held | self.memory.view(value)
        for one in targets:
            self.assign(one, parts)

    def _store_item(self, target: ast.Subscript, value: Objects) -> None:
        if self.is_style(target.value):
            self.touch_module(target.value)
            self.consume(value)
            self.store_style(target)
            return
        base = self.refer(target.value)
        self._patch_root(target.value)
        index = target.slice
        accessor = is_accessor(target.value)
        if accessor and isinstance(index, ast.Tuple) and len(index.elts) == 2:
            self.value(index.elts[0])
            keys = self.keys_of(index.elts[1])
            self.value(index.elts[1])
            if self.memory.kind(base) == "frame" and may_be_new(index.elts[0]):
                self.weak |= self.memory.reach(base)
        else:
            self.value(index)
            keys = None if accessor else self.keys_of(index)
        if self.memory.kind(base) == "namespace":
            self.store_names(keys.names if keys is not None else None, value)
            return
        self._read_stored(base, value)
        if keys is None:
            self.change(base)
            self.put_into(base, value)
        else:
            self.store(base, keys.names, value, whole=not accessor)

    def _store_attribute(self, target: ast.Attribute, value: Objects) -> None:
        path = self.module_path(target)
        if path and (path in names("functions", "display") or self.is_style(target)):
            self.touch_module(target)
            self.consume(value)
            self.weak |= self.memory.resource(self.style_of(path)) if self.is_style(target) else 0
            return
        self._patch_root(target)
        base = self.refer(target.value)
        kind = self.memory.kind(base)
        if kind == "instance" and self.set_property(base, target.attr, value):
            return
        self._read_stored(base, value)
        if kind == "frame" and target.attr == "index":  # every column is seen through it, none changes
            self.uses |= own(base)
            self.weak |= own(base) | own(self.memory.select(base, "index"))
            return
        whole = kind == "artist" or (kind in ("frame", "column") and target.attr in _WHOLE_STORES)
        if whole:
            self.change(base)
        else:
            self.store(base, (target.attr,), value)

    def _patch_root(self, node: ast.expr) -> None:
        """Storing into what a module hands out changes the module (`os.environ`, `getcontext()`)."""
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            inner = node.func if isinstance(node, ast.Call) else node.value
            path = self.module_path(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else ""
            if path and not path.startswith(_DRAWING):
                self.patch(path)
                return
            node = inner

    def _read_stored(self, base: Objects, value: Objects) -> None:
        """Storing into a frame copies the values; elsewhere it only keeps a reference."""
        if not base or self.memory.kind(base) in ("frame", "column", "empty frame", "artist"):
            self.consume(value)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.imported.pop(target.id, None)
                self.uses |= self.memory.resource(target.id) if self.scope is None else 0
            elif isinstance(target, ast.Subscript):
                base = self.refer(target.value)
                self._patch_root(target.value)
                keys = self.keys_of(target.slice)
                self.value(target.slice)
                if keys is None:
                    self.change(base)
                else:
                    self.store(base, keys.names, NOTHING, whole=False)
            elif isinstance(target, ast.Attribute):
                self.change(self.refer(target.value))

    # -- imports and definitions ---------------------------------------------------------------------------

    def _import(self, node: ast.Import) -> None:
        self.is_repeated = True
        for alias in node.names:
            self._note_module(alias.name)
            if alias.asname:
                self._load(alias.name, sure=False)
                self._bind_module(alias.asname, alias.name)
                continue
            self._load(alias.name, sure=self.depth == 0)
            top = alias.name.partition(".")[0]
            if top == alias.name or self._module(top) != self.globals.get(top):
                self._bind_module(top, top)

    def _import_from(self, node: ast.ImportFrom) -> None:
        self.is_repeated = all(alias.name != "*" for alias in node.names)
        module = "." * node.level + (node.module or "")
        self._note_module(module)
        self._load(module, sure=False)
        for alias in node.names:
            if alias.name == "*":
                self.starred.append(module)
                self.shadowed.update(
                    n for n, found in self.globals.items() if not found & self.modules.keys()
                )
                self.weak |= self.memory.resource(STAR)
                if module not in names("modules", "star_known").exact:
                    self.doubts.append(f"`from {module} import *` may define any name")
            else:
                self._bind_module(alias.asname or alias.name, f"{module}.{alias.name}")

    def _bind_module(self, name: str, path: str) -> None:
        """Bind what is imported; note if the name surely was the same module before."""
        module = self._module(path)
        if not self.imported.get(name) == module == self.look_up(name):
            self.is_repeated = False
        self.bind(name, module)
        if self.depth == 0:
            self.imported[name] = module

    def _load(self, path: str, *, sure: bool) -> None:
        """Load the submodules on a path, each of which becomes an attribute of the one above.

        Args:
            path: dotted path of a module.
            sure: a slice that wants a submodule keeps this statement, so that later imports load nothing new.
        """
        words = path.split(".")
        for size in range(1, len(words)):
            inner = ".".join(words[: size + 1])
            if inner in self.loaded:
                continue
            slot = self.memory.slot(min(self._module(".".join(words[:size]))), words[size])
            self.memory.hold(slot, self._module(inner))
            self.weak |= 1 << slot
            self.is_repeated = False
            if sure:
                self.loaded.add(inner)

    def _module(self, path: str) -> Objects:
        made = self.module_objects.get(path)
        if made is None:
            made = self.module_objects[path] = self.memory.allocate(path, "module")
            self.modules[made] = path
        return frozenset((made,))

    def _note_module(self, path: str) -> None:
        words = path.split(".")
        prefixes = {".".join(words[: size + 1]) for size in range(len(words))}
        if any(prefix in _AXES_3D for prefix in prefixes):
            self.weak |= self.memory.resource(AXES_3D)
        if prefixes & names("modules", "side_effect").exact:
            self.weak |= self.memory.resource(STYLE)
        if not taxonomy.is_known_module(path):
            self.uses |= self.patches.get("sys", 0)
            self.patches.setdefault(words[0], self.memory.resource(OWN_MODULES))
            self.patch(words[0])  # it may do anything to the others
            self.doubts.append(f"module `{path}` is not known and may be the author's own")

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name, self.define_function(node))

    def _class(self, node: ast.ClassDef) -> None:
        self.bind(node.name, self.define_class(node))

    def _return(self, node: ast.Return) -> None:
        objects = self.stored(node.value) if node.value is not None else NOTHING
        if self.returned:
            self.returned[-1] |= objects

    # -- the rest ------------------------------------------------------------------------------------------

    def _assert(self, node: ast.Assert) -> None:
        self.value(node.test)
        self.value(node.msg)

    def _raise(self, node: ast.Raise) -> None:
        self.value(node.exc)

    def forget_random(self) -> int:
        """Return the mask that removes the random state where nothing is ever seeded."""
        return -1 if self.seeded else ~self.memory.resource(RANDOM)


_AXES_3D = ("mpl_toolkits.mplot3d", "mpl_toolkits")
_FIXED = ("scalar", "text")
_WHOLE_STORES = frozenset({"columns", "index", "name", "values", "attrs", "T"})


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    return target


_HANDLERS: dict[type[ast.stmt], Callable[[Any, Any], None]] = {
    ast.Expr: Statements._expression,
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.Delete: Statements._delete,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import_from,
    ast.FunctionDef: Statements._define,
    ast.AsyncFunctionDef: Statements._define,
    ast.ClassDef: Statements._class,
    ast.Return: Statements._return,
    ast.For: Statements.run_for,
    ast.AsyncFor: Statements.run_for,
    ast.While: Statements.run_while,
    ast.If: Statements.run_if,
    ast.Try: Statements.run_try,
    ast.TryStar: Statements.run_try,
    ast.With: Statements.run_with,
    ast.AsyncWith: Statements.run_with,
    ast.Match: Statements.run_match,
    ast.Assert: Statements._assert,
    ast.Raise: Statements._raise,
    ast.Break: Statements.run_jump,
    ast.Continue: Statements.run_jump,
}
