"""Backward slices over a notebook: the minimal statements that a target needs (NotebookRAG §4.2.1).

One forward pass (`statements` and the layers below it) gives each top-level statement three bit sets over
names, objects, columns and resources: what it *uses*, what it surely replaces (*kill*), what it may change
(*weak*). A slice is then one backward scan with the set of what is still *wanted*::

    keep a statement if (weak | kill) & wanted
    then wanted = (wanted & ~kill) | uses, plus what its copies pass on

so that all slices of a notebook together cost less than parsing it. Of a loop, an `if` or a `with` only the
statements that matter are kept (`parts`); every other statement is kept whole or not at all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lakebook.notebooks.clean import parse
from lakebook.notebooks.slicing.effects import FIGURE
from lakebook.notebooks.slicing.parts import Flow, Part
from lakebook.notebooks.slicing.pruning import can_be_cut, is_definition, pruned
from lakebook.notebooks.slicing.silent import statements_that_matter
from lakebook.notebooks.slicing.statements import Statements


@dataclass(slots=True)
class Statement:
    """One top-level statement with its effects; in a slice perhaps only what is left of it.

    Attributes:
        line: in the cell's code, counted from 1.
        touches: everything that it may change, its parts included.
        is_repeated: it only imports once more what was surely imported before.
    """

    cell: int
    node: ast.stmt
    text: str
    line: int
    part: Part
    touches: int = 0
    draws: bool = False
    is_repeated: bool = False
    doubts: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A statement that a slice keeps, with what it is wanted for.

    Attributes:
        index: position in the program.
        statement: the statement, or what is left of it where some of its parts do not matter: `text` are the
            author's lines without them, `node` is what this text parses to.
        is_cut: True if only a part is left.
    """

    index: int
    wanted_for: tuple[str, ...]
    statement: Statement
    is_cut: bool = False


@dataclass(slots=True)
class Program:
    """All statements of a notebook, in order, ready to be sliced."""

    statements: list[Statement]
    labels: list[str]
    figure: int
    _cut: dict[tuple[int, frozenset[int]], Statement | None] = field(default_factory=dict)
    _positions: dict[int, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._positions = {}
        for index, statement in enumerate(self.statements):
            self._positions.setdefault(statement.cell, []).append(index)

    def of_cells(self, cells: Iterable[int]) -> list[int]:
        """Return the positions of the statements of some cells."""
        return sorted(index for cell in set(cells) for index in self._positions.get(cell, ()))

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
            kept.append(Kept(index, (), self.statements[index]))
            wanted = self.statements[index].part.before(wanted)
        current = cell
        for index in range(own_statements[0] - 1, -1, -1):
            statement = self.statements[index]
            if statement.cell != current:
                wanted &= ~self.figure  # the notebook closes its figures at the end of each cell
                current = statement.cell
            reason = statement.touches & wanted
            if reason and not statement.is_repeated:
                left, wanted = self._left(index, wanted)
                kept.append(Kept(index, self._names(reason), left, is_cut=left is not statement))
        kept.reverse()
        return kept

    def _left(self, index: int, wanted: int) -> tuple[Statement, int]:
        """Return what is left of a statement that is kept, and what is wanted before it."""
        statement = self.statements[index]
        if statement.part.flow is Flow.PLAIN:
            return self._spoken(index), statement.part.before(wanted)
        needed, before = statement.part.needed(wanted)
        key = (index, needed)
        if key not in self._cut:
            self._cut[key] = _cut(statement, needed)
        left = self._cut[key]
        return (left, before) if left is not None else (statement, statement.part.before(wanted))

    def _spoken(self, index: int) -> Statement:
        """Return a whole statement; of a function or class without its silent statements."""
        statement = self.statements[index]
        if not is_definition(statement.node):
            return statement
        key = (index, frozenset[int]())
        if key not in self._cut:
            self._cut[key] = _cut(statement, statements_that_matter(statement.node))
        return self._cut[key] or statement

    def _names(self, bits: int) -> tuple[str, ...]:
        found: list[str] = []
        while bits:
            low = bits & -bits
            label = self.labels[low.bit_length() - 1]
            if label and label not in found:
                found.append(label)
            bits ^= low
        return tuple(found)


def _cut(statement: Statement, needed: frozenset[int]) -> Statement | None:
    """Return a statement without the parts that are not needed, None if its text cannot be cut."""
    text = pruned(statement.text, statement.node, needed)
    if text == statement.text:
        return statement
    try:
        node = parse(text).body[0]
    except SyntaxError:
        return None
    return replace(statement, text=text, node=node)


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
        for part in statement.part.everything():
            part.uses &= mask
            part.weak &= mask
            statement.touches |= part.weak | part.kill
    return Program(statements, state.memory.labels, state.memory.resource(FIGURE))


def _effects(state: Statements, cell: int, node: ast.stmt, text: str) -> Statement:
    state.begin()
    state.steps = 0
    part: Part | None = None
    try:
        if can_be_cut(node):
            part = state.traced(node)
        else:
            state.run((node,))
    except RecursionError:
        part = None
        _give_up(state, node)
    if part is None:
        part = Part(node, uses=state.uses, kill=state.kill, weak=state.weak, transfers=state.transfers)
    return Statement(
        cell,
        node,
        text,
        node.lineno,
        part,
        draws=state.draws,
        is_repeated=part.flow is Flow.PLAIN and state.is_repeated,
        doubts=tuple(dict.fromkeys(state.doubts)),
        unresolved=tuple(state.unresolved),
    )


def _give_up(state: Statements, node: ast.stmt) -> None:
    """Take what could be seen of a statement before it went too deep, as effects of the whole of it."""
    state.begin()
    with suppress(RecursionError):
        state.run((node,))
    state.scope = None
    state.returned.clear()
    state.doubts.append("a statement is nested too deep to follow")


def _texts(code: str, body: Sequence[ast.stmt]) -> list[str]:
    """Return the source text of each statement, decorators included, as it was written."""
    if not body:
        return []
    lines = [f"{line}\n".encode() for line in code.split("\n")]  # Python knows no other ends of lines
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
