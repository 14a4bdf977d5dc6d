"""The smallest upstream code, found by leaving out: delta debugging (Zeller & Hildebrandt 2002).

Starts from Lakebook's own component and tries ever smaller parts of it, first top-level statements, then
those nested in what is left, until no single statement can go without changing the figures. So the measure
is the same whatever the slicer's grain: statements, nested ones counted.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from lakebook.notebooks.clean import parse
from oracle.judge import Program, count_statements, run_component
from oracle.runs import Runs

_MOST_TESTS = 90
_BODIES = ("body", "orelse", "finalbody")


@dataclass(frozen=True, slots=True)
class Minimum:
    """The result of minimizing one component.

    Attributes:
        kept, minimum: statements upstream of the component, and of the smallest code that draws the same.
        removed: the statements that could go, as text; nested ones only where their parent stayed.
        tests: how many runs it took; `complete` if nothing more could be tried.
    """

    cell: int
    kept: int
    minimum: int
    tests: int
    complete: bool
    removed: list[str] = field(default_factory=list)


class _Tests:
    """Asks whether upstream code still leads to the same figures; counts how often."""

    def __init__(self, program: Program, target: int, runs: Runs) -> None:
        self._program, self._target, self._runs = program, target, runs
        self._code = dict(program.cells())[target]
        self.count = 0

    def passes(self, upstream: str) -> bool:
        self.count += 1
        run = run_component(upstream, self._target, self._code, self._runs)
        return not run.error and run.shown(self._target) == self._program.targets[self._target]

    @property
    def spent(self) -> bool:
        return self.count >= _MOST_TESTS


def minimize(program: Program, target: int, upstream: str, runs: Runs) -> Minimum | None:
    """Return the smallest code before a target; None if what is given does not draw the right pictures."""
    tests = _Tests(program, target, runs)
    nodes = _numbered(parse(upstream))
    if not tests.passes(_render(upstream, range(len(nodes)))):
        return None
    outer = [number for number, depth in enumerate(nodes) if depth == 0]
    inner = [number for number, depth in enumerate(nodes) if depth > 0]
    kept = _shrink(outer, lambda some: tests.passes(_render(upstream, [*some, *inner])), tests)
    kept += _shrink(inner, lambda some: tests.passes(_render(upstream, [*kept, *some])), tests)
    small = _render(upstream, kept)
    return Minimum(
        target,
        count_statements(upstream),
        count_statements(small),
        tests.count,
        not tests.spent,
        _removed(upstream, set(kept)),
    )


def _shrink(units: list[int], passes: Callable[[Sequence[int]], bool], tests: _Tests) -> list[int]:
    """Return a part of the units from which none can be left out, by removing ever smaller chunks."""
    size = len(units)
    while units and size:
        place, smaller = 0, False
        while place < len(units) and not tests.spent:
            rest = units[:place] + units[place + size :]
            if passes(rest):
                units, smaller = rest, True
            else:
                place += size
        if tests.spent:
            break
        if size > 1:
            size = (size + 1) // 2
        elif not smaller:
            break
    return units


def _numbered(tree: ast.AST, depth: int = 0) -> list[int]:
    """Return the depth of each statement below a node, in the order that numbers them."""
    found: list[int] = []
    for child in ast.iter_child_nodes(tree):
        is_statement = isinstance(child, ast.stmt)
        if is_statement:
            found.append(depth)
        found += _numbered(child, depth + is_statement)
    return found


def _render(code: str, kept: Collection[int]) -> str:
    """Return code with only the statements of these numbers."""
    tree = copy.deepcopy(parse(code))
    numbers = iter(range(1 << 30))
    wanted = set(kept)
    numbering: dict[int, int] = {}

    def number(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                numbering[id(child)] = next(numbers)
            number(child)

    number(tree)
    for node in list(ast.walk(tree)):
        for name in _BODIES:
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                rest = [child for child in body if numbering[id(child)] in wanted]
                needed = name == "body" and not isinstance(node, ast.Module)
                setattr(node, name, rest or ([ast.Pass()] if needed else []))
        if isinstance(node, ast.Try) and not node.handlers and not node.finalbody:
            node.finalbody = [ast.Pass()]
    return ast.unparse(tree)


def _removed(code: str, kept: set[int]) -> list[str]:
    numbers = iter(range(1 << 30))
    texts: list[str] = []

    def visit(node: ast.AST, *, below: bool) -> None:
        for child in ast.iter_child_nodes(node):
            gone = isinstance(child, ast.stmt) and next(numbers) not in kept
            if gone and not below:
                texts.append(ast.unparse(child))
            visit(child, below=below or gone)

    visit(parse(code), below=False)
    return texts
