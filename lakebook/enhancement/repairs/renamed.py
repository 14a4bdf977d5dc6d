"""Plain renames: modules, names, attributes, keywords and positional arguments listed in `renamed.toml`.

What does not belong here: whatever changed its meaning or its shape on the way; that is code of its own in
the modules beside this one.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from lakebook.enhancement.repairs.modules import Modules
from lakebook.enhancement.repairs.rule import RepairRule, Scene, expression
from lakebook.enhancement.script import Edit, Script, method

_GUARDED = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"})
_NO_ATTRIBUTE = re.compile(r"AttributeError: '(\w+)' object has no attribute '(\w+)'")


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of the calls with these last names. `new` is "" if it is gone; `values`: text -> text."""

    calls: frozenset[str]
    old: str
    new: str
    values: Mapping[str, str] | None


@cache
def tables() -> dict[str, Any]:
    """Return the tables as they stand in the file."""
    text = (resources.files(__package__) / "renamed.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def keywords() -> tuple[Keyword, ...]:
    """Return the rows on keywords."""
    return tuple(
        Keyword(frozenset(row["calls"]), row["old"], row["new"], row.get("values"))
        for row in tables()["keywords"]
    )


class _Names(ast.NodeTransformer):
    """Rewrites imports and reads of modules and names; what the author guards by `try` is left alone."""

    def __init__(self, script: Script) -> None:
        self.modules = Modules.of(script)
        self.inlined = dict(_inlined(script))
        self.needed: list[str] = []

    def edit(self, statement: ast.stmt) -> ast.AST | list[ast.stmt] | None:
        self.needed = []
        made = self.visit(statement)
        if isinstance(made, list) or not self.needed:
            return made  # type: ignore[no-any-return]
        return [*(ast.Import([ast.alias(name)]) for name in dict.fromkeys(self.needed)), made]

    def visit_Try(self, node: ast.Try) -> ast.AST:
        for handler in node.handlers:
            caught = ast.walk(handler.type) if handler.type else ()
            if handler.type is None or any(isinstance(n, ast.Name) and n.id in _GUARDED for n in caught):
                return node
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            new = _renamed(alias.name)
            if new and (alias.asname or new.split(".")[0] == alias.name.split(".")[0]):
                alias.name = new
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.ImportFrom] | None:
        if node.level or not node.module:
            return node
        moved: dict[str, list[ast.alias]] = {}
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            module, name = _imported(_renamed(full) or full)
            if module == "builtins":
                continue
            local = alias.asname or alias.name
            moved.setdefault(module, []).append(
                ast.alias(name, None if name == local or local in self.inlined else local)
            )
        if ast.dump(node) == ast.dump(ast.ImportFrom(node.module, moved.get(node.module, []), 0)):
            return node
        made = [ast.ImportFrom(module, names, 0) for module, names in moved.items()]
        return made if len(made) > 1 else next(iter(made), None)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self.inlined:
            return expression(self.inlined[node.id])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        full = self.modules.full(node)
        new = tables()["names"].get(full) or tables()["modules"].get(full) if full else None
        if not new:
            return self.generic_visit(node)
        written, needed = self.modules.written(new)
        self.needed += [needed] if needed else []
        return written


def _imported(full: str) -> tuple[str, str]:
    """Return the module and the name in it that have to be imported for a full name (of a class's method)."""
    parts = full.split(".")
    last = next((n for n, part in enumerate(parts[:-1]) if n and part[0].isupper()), len(parts) - 1)
    return ".".join(parts[:last]), parts[last]


def _inlined(script: Script) -> Iterator[tuple[str, str]]:
    """Tell what to write for names that cannot be imported any more: builtins, and methods of classes."""
    for node in script.nodes():
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                new = _renamed(f"{node.module}.{alias.name}")
                module, name = _imported(new) if new else ("", "")
                if module == "builtins" or (new and new != f"{module}.{name}"):
                    yield alias.asname or alias.name, new[len(module) + 1 :]


def _renamed(full: str) -> str:
    """Return the new full name of a name, or of the module that it begins with; "" if there is none."""
    if new := tables()["names"].get(full):
        return str(new)
    parts = full.split(".")
    for length in range(len(parts), 0, -1):
        if new := tables()["modules"].get(".".join(parts[:length])):
            return ".".join([new, *parts[length:]])
    return ""


class _Idle(ast.NodeTransformer):
    """Drops statements that only set what no longer exists."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and method(call) in tables()["idle"]["calls"]:
            return ast.Pass()
        return node


def _idle(statement: ast.stmt) -> ast.AST | None:
    made = _Idle().visit(statement)
    return None if isinstance(made, ast.Pass) and not isinstance(statement, ast.Pass) else made


class _Attributes(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self.old = old
        self.new = new

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == self.old:
            node.attr = self.new
        return node


def _attributes(scene: Scene) -> Edit:
    found = _NO_ATTRIBUTE.search(str(scene.fault))
    for row in tables()["attributes"]:
        if found and found[1] in row["of"] and found[2] in row["names"]:
            return _Attributes(found[2], row["names"][found[2]]).visit
    return _nothing


def _nothing(statement: ast.stmt) -> ast.AST:
    return statement


class _Keywords(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = method(node)
        for row in keywords():
            if name in row.calls:
                node.keywords = [kept for item in node.keywords if (kept := _changed(item, row, node))]
        return node


def _changed(item: ast.keyword, row: Keyword, call: ast.Call) -> ast.keyword | None:
    if item.arg != row.old or (row.new != row.old and any(k.arg == row.new for k in call.keywords)):
        return item
    if row.values is None:
        return ast.keyword(row.new, item.value) if row.new else None
    value = row.values.get(ast.unparse(item.value))
    if value is None:
        return item
    return ast.keyword(row.new, expression(value)) if row.new else None


class _Positional(ast.NodeTransformer):
    """Names the arguments that were once taken by position."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        order = self._order(node)
        if not order or any(isinstance(arg, ast.Starred) for arg in node.args):
            return node
        kept = order.index("*")
        names = [name for name in order if name != "*"]
        extra = list(zip(names[kept:], node.args[kept:], strict=False))
        if not extra or len(node.args) > len(names) or {n for n, _ in extra} & {k.arg for k in node.keywords}:
            return node
        node.args = node.args[:kept]
        node.keywords = [*(ast.keyword(name, value) for name, value in extra), *node.keywords]
        return node

    def _order(self, node: ast.Call) -> Sequence[str]:
        function = node.func
        if not isinstance(function, ast.Attribute):
            return ()
        of_text = isinstance(function.value, ast.Attribute) and function.value.attr == "str"
        order = tables()["positional_str" if of_text else "positional"].get(function.attr, ())
        return order if isinstance(order, list) else ()


def _traces() -> str:
    """Return a pattern for statements that may hold an old name: imports, `.name`, some names alone."""
    attributes = {full.rpartition(".")[2] for table in ("modules", "names") for full in tables()[table]}
    alone = {
        full.rpartition(".")[2]
        for full, new in tables()["names"].items()
        if new.startswith("builtins.") or any(part[0].isupper() for part in new.split(".")[1:-1])
    } - {"float", "int", "object", "str", "complex"}
    return rf"\bimport\b|\.(?:{'|'.join(sorted(attributes))})\b|\b(?:{'|'.join(sorted(alone))})\b"


RULES = (
    RepairRule(
        "renamed_name",
        "a module, function or constant has another name now",
        plan=lambda scene: _Names(scene.script).edit,
        only=_traces(),
    ),
    RepairRule(
        "idle_setting",
        "a call that only set what no longer exists",
        _idle,
        only="|".join(tables()["idle"]["calls"]),
    ),
    RepairRule(
        "renamed_attribute",
        "a method or attribute has another name now",
        fault=_NO_ATTRIBUTE.pattern,
        plan=_attributes,
    ),
    RepairRule(
        "renamed_keyword",
        "a keyword has another name or value now, or is gone",
        _Keywords().visit,
        r"^(TypeError|ValueError|AttributeError|KeyError|InvalidParameterError)\b",
    ),
    RepairRule(
        "positional_argument",
        "an argument is taken by keyword only now",
        _Positional().visit,
        r"TypeError: .*(positional argument|multiple values for argument)",
        reach="fault first",
    ),
)
