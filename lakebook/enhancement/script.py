"""Old code as a list of top-level statements that can be edited one by one.

A statement that no edit touched keeps its own text with the author's comments; an edited one is written anew
from its syntax tree. Every edit leaves `Repair`s with the lines before and after. What to edit is decided in
`loads`, `cleaning` and `repairs`.
"""

from __future__ import annotations

import ast
import copy
import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lakebook.enhancement.enhanced import Repair
from lakebook.syntax import parse_python

Edit = Callable[[ast.stmt], ast.AST | list[ast.stmt] | None]


@dataclass(frozen=True, slots=True)
class Statement:
    """A top-level statement and its text."""

    node: ast.stmt
    text: str


@dataclass(frozen=True, slots=True)
class Script:
    """A piece of Python, statement by statement."""

    statements: tuple[Statement, ...]

    @classmethod
    def parse(cls, code: str) -> Script:
        """Cut code into statements. Raises SyntaxError or ValueError as `ast.parse` does."""
        lines = code.splitlines()
        statements = []
        end = 0
        for node in parse_python(code).body:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            comments = _comments_above(lines, end, first - 1)
            text = _as_written(code, node)
            statements.append(Statement(node, "\n".join([*comments, text])))
            end = node.end_lineno or node.lineno
        return cls(tuple(statements))

    def __str__(self) -> str:
        return "\n".join(statement.text for statement in self.statements)

    def nodes(self) -> Iterator[ast.AST]:
        """Walk every node of every statement."""
        for statement in self.statements:
            yield from ast.walk(statement.node)

    def names_read(self) -> frozenset[str]:
        """Return the names that are read somewhere."""
        return frozenset(
            node.id for node in self.nodes() if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )

    def names_bound(self) -> frozenset[str]:
        """Return the names that are bound at the top level or inside: assigned, imported, defined."""
        bound: set[str] = set()
        for node in self.nodes():
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                bound.add(node.name)
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
            elif isinstance(node, ast.alias):
                bound.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, ast.ExceptHandler) and node.name:
                bound.add(node.name)
        return frozenset(bound)

    def edited(
        self,
        edit: Edit,
        kind: str,
        *,
        changes_meaning: bool = False,
        lines: Collection[str] = (),
        only: str = "",
    ) -> tuple[Script, list[Repair]]:
        """Apply an edit to every statement; return the new script and what changed.

        If there are `lines` of the script (without their indentation), only the innermost statements that
        stand on one of them are edited. A statement whose text lacks the pattern `only` is not looked at.
        """
        kept: list[Statement] = []
        repairs: list[Repair] = []
        wanted = re.compile(only)
        for statement in self.statements:
            if only and not wanted.search(statement.text):
                kept.append(statement)
                continue
            try:
                fresh = _edited(statement, edit, lines)
            except RecursionError:  # a term of hundreds of parts stays as it is
                fresh = None
            if fresh is None:
                kept.append(statement)
                continue
            kept.extend(fresh)
            repairs.extend(_differences(statement.node, fresh, kind, changes_meaning))
        return Script(tuple(kept)), repairs

    def preceded_by(self, code: str) -> Script:
        """Return the script with these statements put first."""
        return Script((*Script.parse(code).statements, *self.statements))

    def followed_by(self, lines: Sequence[str]) -> Script:
        """Return the script with these lines put last."""
        return Script((*self.statements, *Script.parse("\n".join(lines)).statements))

    def place(self, line: str) -> int:
        """Return how many statements follow the last one with this line, -1 if there is none.

        Counted from the end, since most edits insert before the statement that they mend.
        """
        for after, statement in enumerate(reversed(self.statements)):
            if line in _stripped_lines(statement.text):
                return after
        return -1


def _stripped_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def _edited(statement: Statement, edit: Edit, lines: Collection[str]) -> list[Statement] | None:
    """Return what an edit makes of a statement, None if that is the statement itself."""
    made = _edited_on(statement, edit, lines) if lines else edit(copy.deepcopy(statement.node))
    nodes = [node for node in made if node] if isinstance(made, list) else [made] if made else []
    if len(nodes) == 1 and ast.dump(nodes[0]) == ast.dump(statement.node):
        return None
    return [statement_of(node) for node in nodes if isinstance(node, ast.stmt)]


def _edited_on(statement: Statement, edit: Edit, lines: Collection[str]) -> ast.AST | list[ast.stmt] | None:
    """Edit the innermost statements on these lines inside a statement."""
    numbers = {n for n, line in enumerate(_stripped_lines(statement.text), 1) if line in lines}
    if not numbers:
        return statement.node
    tree = _EditOn(edit, numbers).visit(parse_python(statement.text))
    return list(tree.body)


class _EditOn(ast.NodeTransformer):
    def __init__(self, edit: Edit, numbers: Collection[int]) -> None:
        self.edit = edit
        self.numbers = numbers

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.stmt):
            return self.generic_visit(node)
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        if any(first <= number <= max(last, node.lineno) for number in self.numbers):
            return self.edit(node)
        return self.generic_visit(node) if body else node


def statement_of(node: ast.stmt) -> Statement:
    """Write a statement from its syntax tree."""
    fixed = ast.fix_missing_locations(node)
    return Statement(fixed, ast.unparse(fixed))


def dotted(node: ast.AST) -> str:
    """Return "a.b.c" for a chain of names, "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def method(call: ast.Call) -> str:
    """Return the last part of the called name: `b` for `a.b()`, `f` for `f()`, "" otherwise."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument, None if it is not given."""
    return next((item.value for item in call.keywords if item.arg == name), None)


def _comments_above(lines: list[str], start: int, stop: int) -> list[str]:
    return [line.strip() for line in lines[start:stop] if line.lstrip().startswith("#")]


def _as_written(code: str, node: ast.stmt) -> str:
    """Return the source of a statement, or a rewritten one where indenting it would change a string."""
    strings = (n for n in ast.walk(node) if isinstance(n, ast.Constant | ast.JoinedStr))
    if any((text.end_lineno or 0) > text.lineno for text in strings):
        return ast.unparse(node)
    if getattr(node, "decorator_list", []):
        return ast.unparse(node)
    return ast.get_source_segment(code, node) or ast.unparse(node)


def _differences(
    before: ast.stmt, after: Iterable[Statement], kind: str, changes_meaning: bool
) -> Iterator[Repair]:
    old = ast.unparse(before).splitlines()
    new = [line for statement in after for line in statement.text.splitlines()]
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            left, right = (_dedented(part) for part in (old[i1:i2], new[j1:j2]))
            yield Repair(kind, left, right, changes_meaning)


def _dedented(lines: list[str]) -> str:
    return "\n".join(line.strip() for line in lines)
