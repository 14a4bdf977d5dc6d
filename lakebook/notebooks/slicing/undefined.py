"""May a notebook use a name before it is defined? Told from the syntax alone, without the forward pass.

The choice of the order of cells asks nothing else (`order`), and for most notebooks the answer is a plain no:
whatever is read, even in a function that may never be called, was bound at the top level above. What the
syntax does not settle counts as a yes, which the forward pass then confirms or not.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lakebook.notebooks.clean import parse
from lakebook.notebooks.slicing.effects import BUILTINS
from lakebook.notebooks.slicing.expressions import stored_names
from lakebook.notebooks.slicing.scopes import local_names
from lakebook.notebooks.slicing.texts import AFTER_AT
from lakebook.notebooks.taxonomy import names

_Local = frozenset[str]
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Binding = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.AsyncFor
_DICTIONARIES = frozenset({"globals", "locals", "vars"})  # of names, which stand in texts


class _Unsettled(Exception):
    """A name is read that nothing above surely binds."""


class _AllBound(Exception):
    """Any name may come from a star import above."""


def may_use_undefined(codes: Sequence[str]) -> bool:
    """Return False if no name is used before it is defined; True if one is, or if the syntax does not tell.

    Args:
        codes: the cells in the order in which they run; they must parse.
    """
    reading = _Reading()
    try:
        for code in codes:
            reading.all(parse(code).body)
    except _AllBound:
        return False
    except (_Unsettled, RecursionError):
        return True
    return False


class _Reading:
    """Reads syntax in the order in which it runs; `local` are the names of functions around, bound or not."""

    def __init__(self) -> None:
        self.bound = set(BUILTINS) - names("builtins", "unseen").exact - _DICTIONARIES
        self.depth = 0  # functions and classes around: what they bind is not bound at the top level

    def all(self, nodes: Iterable[ast.AST | None], local: _Local = frozenset()) -> None:
        """Read nodes one after the other."""
        for node in nodes:
            if node is not None:
                self.one(node, local)

    def one(self, node: ast.AST, local: _Local) -> None:
        """Read a node: what it reads must be bound, what it binds is bound from there on."""
        reader = _READERS.get(type(node))
        if reader is not None:
            reader(self, node, local)
        else:
            self.all(ast.iter_child_nodes(node), local)

    def _name(self, node: ast.Name, local: _Local) -> None:
        if isinstance(node.ctx, ast.Load):
            self._need((node.id,), local)
        elif isinstance(node.ctx, ast.Store):
            self._bind(node.id, local)

    def _constant(self, node: ast.Constant, local: _Local) -> None:
        if isinstance(node.value, str) and "@" in node.value:  # a query names variables so
            self._need(AFTER_AT.findall(node.value), local)

    def _walrus(self, node: ast.NamedExpr, local: _Local) -> None:
        self.one(node.value, local)  # whether it is evaluated, and so binds, is not looked at

    def _capture(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar, local: _Local) -> None:
        self._bind(node.name, local)
        self.all(ast.iter_child_nodes(node), local)

    def _mapping(self, node: ast.MatchMapping, local: _Local) -> None:
        self._bind(node.rest, local)
        self.all(ast.iter_child_nodes(node), local)

    def _need(self, needed: Iterable[str], local: _Local) -> None:
        for name in needed:
            if name not in self.bound and name not in local:
                raise _Unsettled

    def _bind(self, name: str | None, local: _Local) -> None:
        if name is not None and not self.depth and name not in local:
            self.bound.add(name)

    def _binding(self, node: _Binding, local: _Local) -> None:
        """Read a statement whose value is evaluated before its target is bound."""
        if isinstance(node, (ast.For, ast.AsyncFor)):
            self.all((node.iter, node.target, *node.body, *node.orelse), local)
        elif isinstance(node, ast.Assign):
            self.all((node.value, *node.targets), local)
        elif isinstance(node, ast.AnnAssign):
            self.all((node.value, node.target) if node.value is not None else (), local)
        else:
            self.one(node.value, local)
            self._need((node.target.id,) if isinstance(node.target, ast.Name) else (), local)
            self.one(node.target, local)

    def _comprehension(self, node: _Comprehension, local: _Local) -> None:
        first = node.generators[0]
        self.one(first.iter, local)
        inside = local.union(*(stored_names(one.target) for one in node.generators))
        for generator in node.generators:
            self.all((None if generator is first else generator.iter, *generator.ifs), inside)
        self.all((node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,), inside)

    def _function(self, node: _Function, local: _Local) -> None:
        """Read a function; its body is read where it stands, though it can only run later."""
        self.all((*node.args.defaults, *node.args.kw_defaults), local)
        if not isinstance(node, ast.Lambda):
            self.all(node.decorator_list, local)
            if not node.decorator_list:  # a decorator may call the function before it has its name
                self._bind(node.name, local)
        self.depth += 1
        self.all([node.body] if isinstance(node, ast.Lambda) else node.body, local | local_names(node))
        self.depth -= 1
        if not isinstance(node, ast.Lambda):
            self._bind(node.name, local)

    def _class(self, node: ast.ClassDef, local: _Local) -> None:
        """Read a class; names that its body binds and reads itself count as not settled."""
        self.all((*node.decorator_list, *node.bases, *node.keywords), local)
        if all(_runs_nothing(statement) for statement in node.body):
            self._bind(node.name, local)
        self.depth += 1
        self.all(node.body, local)
        self.depth -= 1
        self._bind(node.name, local)

    def _import(self, node: ast.Import | ast.ImportFrom, local: _Local) -> None:
        for alias in node.names:
            if alias.name == "*":
                raise _AllBound
            self._bind(alias.asname or alias.name.partition(".")[0], local)


def _runs_nothing(statement: ast.stmt) -> bool:
    """Return True for a statement of a class that cannot call a method before the class has its name."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return not statement.decorator_list and not (statement.args.defaults or statement.args.kw_defaults)
    value = statement.value if isinstance(statement, (ast.Assign, ast.Expr)) else None
    return isinstance(statement, ast.Pass) or isinstance(value, ast.Constant)


_READERS: dict[type[ast.AST], Callable[[Any, Any, _Local], None]] = {
    ast.Name: _Reading._name,
    ast.Constant: _Reading._constant,
    ast.NamedExpr: _Reading._walrus,
    ast.Assign: _Reading._binding,
    ast.AugAssign: _Reading._binding,
    ast.AnnAssign: _Reading._binding,
    ast.For: _Reading._binding,
    ast.AsyncFor: _Reading._binding,
    ast.ListComp: _Reading._comprehension,
    ast.SetComp: _Reading._comprehension,
    ast.DictComp: _Reading._comprehension,
    ast.GeneratorExp: _Reading._comprehension,
    ast.FunctionDef: _Reading._function,
    ast.AsyncFunctionDef: _Reading._function,
    ast.Lambda: _Reading._function,
    ast.ClassDef: _Reading._class,
    ast.Import: _Reading._import,
    ast.ImportFrom: _Reading._import,
    ast.ExceptHandler: _Reading._capture,
    ast.MatchAs: _Reading._capture,
    ast.MatchStar: _Reading._capture,
    ast.MatchMapping: _Reading._mapping,
}
