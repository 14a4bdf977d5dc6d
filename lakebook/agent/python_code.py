"""Python as a model writes it for a notebook, made a Compute operation: inputs, outputs, reads of lake files.

A model that was trained on notebooks reads files, prints what it wants to know and goes on in the next block
with what it defined before. Here a read of a lake file becomes the table that the lake made of it, a printed
expression becomes a named output, so that an answer can refer to it, and earlier blocks are put before the
one that needs them, so that every record's code stands alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from lakebook.syntax import parse_python

_READERS = frozenset({"read_csv", "read_table", "read_excel", "read_parquet", "read_json"})
# Options that only say how the file is written, which the lake has found out by itself.
_HOW_WRITTEN = frozenset(
    (
        *("sep", "delimiter", "encoding", "encoding_errors", "engine", "low_memory"),
        *("parse_dates", "thousands", "decimal", "dtype_backend"),
    )
)


_OURS = re.compile(r"value_\d+")  # names that are given here


@dataclass(frozen=True, slots=True)
class Prepared:
    """Code that can be run as a Compute operation, with its declared inputs and outputs."""

    code: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


def prepare(
    code: str, tables: Collection[str], files: Mapping[str, str], earlier: Sequence[str] = ()
) -> Prepared:
    """Prepare a block.

    Args:
        code: as the model wrote it; what cannot be parsed is returned as it is.
        tables: names that an input can have.
        files: path or name of a file -> its table.
        earlier: prepared code of earlier blocks that ran, oldest first.
    """
    tree = _parsed(code)
    if tree is None:
        return Prepared(code)
    as_written = ast.dump(tree)
    known = {name.lower(): name for name in tables}
    tree = ast.fix_missing_locations(_Reads(files).visit(tree))
    taken = {*known.values(), *_names(tree)}
    for block in reversed(earlier):
        before = _parsed(block)
        if before is not None and _assigned(before) & (
            _loaded(tree) - _bound_first(tree) - set(known.values())
        ):
            wanted = _loaded(tree)
            kept = [node for node in before.body if not _is_shown(node) and not _only_showed(node, wanted)]
            tree.body = kept + tree.body
    outputs = _name_what_is_shown(tree, taken | _names(tree))
    read = _loaded(tree) - _bound_first(tree)
    used = sorted({known[name.lower()] for name in read if name.lower() in known})
    if ast.dump(tree) != as_written:
        code = ast.unparse(ast.fix_missing_locations(tree))
    return Prepared(code, tuple(used), outputs)


def _parsed(code: str) -> ast.Module | None:
    try:
        return parse_python(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


class _Reads(ast.NodeTransformer):
    """Puts `table.copy()` where a whole file of the lake is read."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = {path.lower(): table for path, table in files.items()}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        first = node.args[0] if len(node.args) == 1 else None
        plain = all(keyword.arg in _HOW_WRITTEN for keyword in node.keywords)
        if name not in _READERS or not plain or not isinstance(first, ast.Constant):
            return node
        table = self._table(str(first.value))
        if table is None:
            return node
        return ast.Call(ast.Attribute(ast.Name(table, ast.Load()), "copy", ast.Load()), [], [])

    def _table(self, path: str) -> str | None:
        """Return the table of a path; folders before it count for nothing, if what is left is known."""
        parts = path.replace("\\", "/").lower().split("/")
        tails = ("/".join(parts[start:]) for start in range(len(parts)))
        return next((self._files[tail] for tail in tails if tail in self._files), None)


def _name_what_is_shown(tree: ast.Module, taken: set[str]) -> tuple[str, ...]:
    """Give a name to every expression that the block shows, and return the names."""
    outputs: list[str] = []
    body: list[ast.stmt] = []
    last = tree.body[-1] if tree.body else None
    for node in tree.body:
        if not isinstance(node, ast.Expr) or not (_is_print(node) or (node is last and _is_shown(node))):
            body.append(node)
            continue
        naming = _Naming(taken)
        node.value = naming.named(node.value)
        body += [*naming.assignments, node]
        outputs += naming.names
    tree.body = body
    return tuple(dict.fromkeys(outputs))


class _Naming:
    """Puts names where values are shown, and keeps the assignments that make them."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self.assignments: list[ast.stmt] = []
        self.names: list[str] = []

    def named(self, shown: ast.expr) -> ast.expr:
        """Name the arguments of a print, or the expression itself."""
        if isinstance(shown, ast.Call) and _is_print(ast.Expr(shown)):
            shown.args = [self._argument(one) for one in shown.args]
            return shown
        return self._argument(shown)

    def _argument(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    part.value = self._argument(part.value)
            return node
        if isinstance(node, ast.Constant | ast.Starred):
            return node
        if isinstance(node, ast.Name):
            self.names.append(node.id)
            return node
        name = self._free()
        self.assignments.append(ast.Assign([ast.Name(name, ast.Store())], node))
        self.names.append(name)
        return ast.Name(name, ast.Load())

    def _free(self) -> str:
        number = 1
        while f"value_{number}" in self._taken:
            number += 1
        self._taken.add(f"value_{number}")
        return f"value_{number}"


def _is_print(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("print", "display")
    )


def _is_shown(node: ast.stmt) -> bool:
    """Return True for a print, or an expression that a notebook would show."""
    return isinstance(node, ast.Expr) and (
        _is_print(node) or not isinstance(node.value, ast.Call | ast.Constant)
    )


def _only_showed(node: ast.stmt, wanted: Collection[str]) -> bool:
    """Return True for an assignment that named what an earlier block showed, and nobody reads."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    return isinstance(target, ast.Name) and bool(_OURS.fullmatch(target.id)) and target.id not in wanted


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _loaded(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _assigned(tree: ast.Module) -> set[str]:
    """Return the names that a block binds at its top level."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        else:
            found |= {
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
    return found


def _bound_first(tree: ast.Module) -> set[str]:
    """Return the names that a block binds before it reads them."""
    bound: set[str] = set()
    read: set[str] = set()
    for node in tree.body:
        read |= _loaded(node) - bound
        bound |= _assigned(ast.Module([node], []))
    return bound - read
