"""Backward slices over a notebook: the minimal statements that a target needs (NotebookRAG §4.2.1).

One forward pass (`statements` and the layers below it) gives each top-level statement three bit sets over
names, objects, columns and resources: what it *uses*, what it surely replaces (*kill*), what it may change
(*weak*). A slice is then one backward scan with the set of what is still *wanted*::

    keep a statement if (weak | kill) & wanted
    then wanted = (wanted & ~kill) | uses, plus what its copies pass on

so that all slices of a notebook together cost less than parsing it. Statements are atoms: a loop or an `if`
is kept whole or not at all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lakebook.notebooks.clean import parse
from lakebook.notebooks.slicing.effects import FIGURE
from lakebook.notebooks.slicing.memory import Transfer
from lakebook.notebooks.slicing.statements import Statements


@dataclass(slots=True)
class Statement:
    """One top-level statement with its effects."""

    cell: int
    node: ast.stmt
    text: str
    uses: int = 0
    kill: int = 0
    weak: int = 0
    transfers: list[Transfer] = field(default_factory=list)
    draws: bool = False
    doubts: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()

    @property
    def line(self) -> int:
        """Line in the cell's code, counted from 1."""
        return self.node.lineno


@dataclass(frozen=True, slots=True)
class Kept:
    """A statement that a slice keeps, with what it is wanted for."""

    index: int
    wanted_for: tuple[str, ...]


@dataclass(slots=True)
class Program:
    """All statements of a notebook, in order, ready to be sliced."""

    statements: list[Statement]
    labels: list[str]
    figure: int

    def of_cells(self, cells: Iterable[int]) -> list[int]:
        """Return the positions of the statements of some cells."""
        wanted = set(cells)
        return [index for index, one in enumerate(self.statements) if one.cell in wanted]

    def slice(self, cell: int) -> list[int]:
        """Return the positions of all statements that a cell needs, its own included."""
        return [kept.index for kept in self.explain(cell)]

    def explain(self, cell: int) -> list[Kept]:
        """Return the statements that a cell needs, each with the names that it is wanted for."""
        own_statements = self.of_cells((cell,))
        if not own_statements:
            return []
        wanted = 0
        kept: list[Kept] = []
        for index in reversed(own_statements):
            kept.append(Kept(index, ()))
            wanted = _before(self.statements[index], wanted)
        current = cell
        for index in range(own_statements[0] - 1, -1, -1):
            statement = self.statements[index]
            if statement.cell != current:
                wanted &= ~self.figure  # the notebook closes its figures at the end of each cell
                current = statement.cell
            reason = (statement.weak | statement.kill) & wanted
            if reason:
                kept.append(Kept(index, self._names(reason)))
                wanted = _before(statement, wanted)
        kept.reverse()
        return kept

    def _names(self, bits: int) -> tuple[str, ...]:
        found: list[str] = []
        while bits:
            low = bits & -bits
            label = self.labels[low.bit_length() - 1]
            if label and label not in found:
                found.append(label)
            bits ^= low
        return tuple(found)


def _before(statement: Statement, wanted: int) -> int:
    """Return what is wanted before a kept statement, given what is wanted after it."""
    result = (wanted & ~statement.kill) | statement.uses
    demanded = wanted | statement.uses
    for trigger, passed_on in reversed(statement.transfers):
        if demanded & trigger:
            result |= passed_on
            demanded |= passed_on
    return result


def analyze(cells: Sequence[tuple[int, str]]) -> Program:
    """Run the forward pass over (cell index, Python code) pairs; code must parse."""
    state = Statements()
    statements: list[Statement] = []
    for cell, code in cells:
        tree = parse(code)
        spans = _texts(code, tree.body)
        for node, text in zip(tree.body, spans, strict=True):
            statements.append(_effects(state, cell, node, text))
        state.figures = frozenset()
    mask = state.forget_random()
    for statement in statements:
        statement.uses &= mask
        statement.weak &= mask
    return Program(statements, state.memory.labels, state.memory.resource(FIGURE))


def _effects(state: Statements, cell: int, node: ast.stmt, text: str) -> Statement:
    state.begin()
    state.steps = 0
    try:
        state.run((node,))
    except RecursionError:
        state.doubts.append("a statement is nested too deep to follow")
        state.scope = None
        state.returned.clear()
    return Statement(
        cell,
        node,
        text,
        uses=state.uses,
        kill=state.kill,
        weak=state.weak,
        transfers=state.transfers,
        draws=state.draws,
        doubts=tuple(dict.fromkeys(state.doubts)),
        unresolved=tuple(state.unresolved),
    )


def _texts(code: str, body: Sequence[ast.stmt]) -> list[str]:
    """Return the source text of each statement, decorators included, as it was written."""
    if not body:
        return []
    lines = [line.encode() for line in code.splitlines(keepends=True)]
    texts: list[str] = []
    for node in body:
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
        start = node.col_offset if first == node.lineno else 0
        end = node.end_lineno or node.lineno
        part = lines[first - 1 : end]
        part[-1] = part[-1][: node.end_col_offset]
        part[0] = part[0][start:]
        texts.append(b"".join(part).decode().rstrip("\n"))
    return texts
