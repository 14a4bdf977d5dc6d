"""Which names belong to the scope of a function or class body, as Python decides it before anything runs.

Only syntax is looked at. What the names point to is in `effects`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

Scoped = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_NAMING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_INNER_SCOPES = (*_DEFINITIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def local_names(node: Scoped) -> frozenset[str]:
    """Return the names that are local to a function or class body: parameters and what its body stores."""
    return _scanned(node)[0]


def is_generator(node: ast.AST) -> bool:
    """Return True for a function whose body yields."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _scanned(node)[1]


@lru_cache(maxsize=2048)
def _scanned(node: Scoped) -> tuple[frozenset[str], bool]:
    """Return the local names of a body, and whether it yields."""
    found: set[str] = set()
    if not isinstance(node, ast.ClassDef):
        parameters = node.args
        found = {item.arg for item in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)}
        found |= {item.arg for item in (parameters.vararg, parameters.kwarg) if item is not None}
    if isinstance(node, ast.Lambda):
        return frozenset(found), False
    elsewhere: set[str] = set()
    yields = False
    for item in _own_nodes(node):
        if isinstance(item, (ast.Global, ast.Nonlocal)):
            elsewhere.update(item.names)
        elif isinstance(item, (ast.Yield, ast.YieldFrom)):
            yields = True
        else:
            found.update(_stored(item))
    return frozenset(found - elsewhere), yields


def _stored(item: ast.AST) -> Iterable[str]:
    """Return the names that a node itself binds."""
    if isinstance(item, ast.Name):
        return () if isinstance(item.ctx, ast.Load) else (item.id,)
    if isinstance(item, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in item.names]
    if isinstance(item, _NAMING):
        return (item.name,) if item.name else ()
    if isinstance(item, ast.MatchMapping):
        return (item.rest,) if item.rest else ()
    return ()


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a body that belong to its own scope, the heads of inner definitions included."""
    pending: list[ast.AST] = list(getattr(node, "body", ()))
    while pending:
        item = pending.pop()
        yield item
        if isinstance(item, _INNER_SCOPES):
            if not isinstance(item, _DEFINITIONS):
                # `:=` in a comprehension binds in the scope around it
                yield from (one.target for one in ast.walk(item) if isinstance(one, ast.NamedExpr))
            continue
        pending.extend(ast.iter_child_nodes(item))
