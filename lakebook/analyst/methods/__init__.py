"""The methods: plain statistical functions whose source is embedded in the notebooks.

A notebook must run without Lakebook, so a section carries the source of what it calls. This module finds
that source: the functions asked for, everything that they call in turn, and the imports and constants that
these need, in an order that runs. What does not belong here: any statistics (see the modules beside this).
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from lakebook.errors import AnalystError
from lakebook.syntax import parse_python

# Notes to the type checker mean nothing to a reader of the notebook.
_CHECKER_NOTE = re.compile(r"[ ]*# type: ignore\S*")


@dataclass(frozen=True, slots=True)
class Piece:
    """One top-level statement of a methods module, with the names that it binds and those that it uses."""

    module: str
    position: int
    kind: str
    source: str
    binds: tuple[str, ...]
    uses: frozenset[str]


@cache
def _pieces() -> dict[str, Piece]:
    """Return the piece that binds each name, over all modules of methods."""
    found: dict[str, Piece] = {}
    files = sorted(resources.files(__package__).iterdir(), key=lambda file: file.name)
    for file in files:
        if not file.name.endswith(".py") or file.name.startswith("_"):
            continue
        for piece in _split(file.name.removesuffix(".py"), file.read_text(encoding="utf-8")):
            for name in piece.binds:
                known = found.get(name)
                if (
                    known
                    and known.kind != "import"
                    and piece.kind != "import"
                    and known.module != piece.module
                ):
                    raise AnalystError(
                        f"two methods are called {name}", where=f"{known.module}, {piece.module}"
                    )
                if not known or known.kind == "import":
                    found[name] = piece
    return found


def _split(module: str, text: str) -> Iterable[Piece]:
    for position, node in enumerate(parse_python(text).body):
        source = _CHECKER_NOTE.sub("", ast.get_source_segment(text, node) or "")
        uses = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name)) - set(dir(builtins))
        if isinstance(node, ast.FunctionDef):
            yield Piece(module, position, "function", source, (node.name,), uses)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            names = tuple(
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            )
            yield Piece(module, position, "constant", source, names, uses)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in (
            "__future__",
            "lakebook",
        ):
            continue  # one method calls another: the other's source is taken along
        elif isinstance(node, ast.Import | ast.ImportFrom):
            start = f"from {node.module} import " if isinstance(node, ast.ImportFrom) else "import "
            for alias in node.names:
                written = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
                bound = alias.asname or alias.name.split(".")[0]
                yield Piece(module, position, "import", start + written, (bound,), frozenset())


def method_names() -> tuple[str, ...]:
    """Return the names of all methods, in alphabetical order."""
    return tuple(sorted(name for name, piece in _pieces().items() if piece.kind == "function"))


def method_source(names: Iterable[str]) -> str:
    """Return Python source that defines the named methods and all they need, imports first.

    Raises:
        AnalystError: if a name is not that of a method.
    """
    pieces, wanted, waiting = _pieces(), {}, list(names)
    for name in waiting:
        if name not in pieces:
            raise AnalystError(f"there is no method {name!r}", hint="See lakebook/analyst/methods.")
    while waiting:
        name = waiting.pop()
        piece = pieces.get(name)
        if piece is not None and (piece.module, piece.position, piece.source) not in wanted:
            wanted[piece.module, piece.position, piece.source] = piece
            waiting.extend(piece.uses)
    imports = sorted({piece.source for piece in wanted.values() if piece.kind == "import"})
    order = sorted((p for p in wanted.values() if p.kind != "import"), key=lambda p: (p.module, p.position))
    constants = [piece.source for piece in order if piece.kind == "constant"]
    functions = [piece.source for piece in order if piece.kind == "function"]
    head = "\n".join([*imports, *([""] if constants else []), *constants])
    return "\n\n\n".join([head, *functions]).strip() + "\n"
