"""Judges the components of one notebook: the truth from running it, then each component alone.

What fails today is taken out first, statement by statement, so that the rest runs from end to end. Cells that
draw the same in two runs are targets. A component is run in a fresh process: its upstream statements, then,
as a cell of its own, the target; what that shows is compared with what it showed in the notebook.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lakebook.notebooks.clean import parse
from lakebook.notebooks.component import Notebook
from lakebook.notebooks.extract import extract_components
from oracle import baselines
from oracle.runs import Figure, Run, Runs, Step

LAKEBOOK = "lakebook"
WAYS = (LAKEBOOK, baselines.NAMES_ONLY, baselines.EVERY_CALL)
_ROUNDS = 3
_UPSTREAM = -1
"""Number of the cell that a component's upstream statements run as."""


@dataclass(frozen=True, slots=True)
class Program:
    """A notebook without what fails today, and what its cells then show.

    Attributes:
        notebook: with the code that is left; cells that show figures are marked so.
        complete: cells of which nothing was taken out.
        targets: cells that show the same figures each time, with these.
        unstable: cells whose figures differ from run to run.
    """

    notebook: Notebook
    complete: frozenset[int] = frozenset()
    targets: dict[int, list[Figure]] = field(default_factory=dict)
    unstable: tuple[int, ...] = ()
    problem: str = ""

    def cells(self) -> list[tuple[int, str]]:
        """Return (cell, code) in the order in which they run."""
        return [(cell.index, cell.code) for cell in self.notebook.code_cells()]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a component of one way of slicing did.

    Attributes:
        upstream: its code before the target; `kept` and `before` count the statements in it and in all
            cells before the target, nested ones too.
        runs, data, picture: it ran, its figures show the same data, they look the same.
        reason: what went wrong.
    """

    cell: int
    way: str
    library: str
    upstream: str
    kept: int
    before: int
    runs: bool
    data: bool
    picture: bool
    reason: str = ""


def count_statements(code: str) -> int:
    """Return the number of statements, nested ones too, apart from `pass` and texts that stand alone."""
    return sum(isinstance(node, ast.stmt) and not _does_nothing(node) for node in ast.walk(parse(code)))


def _does_nothing(node: ast.stmt) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Pass)


def find_truth(notebook: Notebook, runs: Runs) -> Program:
    """Run a notebook, take out what fails, and find the cells that always show the same figures."""
    code = {cell.index: cell.code for cell in notebook.code_cells()}
    order = list(code)
    first = Run(error="not run")
    for _ in range(_ROUNDS):
        steps = [(cell, text) for cell in order for text in statements(code[cell])]
        tried = runs.run(steps, drawn=(), tolerant=True)
        if tried.failed == [-1]:
            return Program(notebook, problem=tried.error)
        left = [step for position, step in enumerate(steps) if position not in set(tried.failed)]
        for cell in {steps[position][0] for position in tried.failed}:
            code[cell] = "\n".join(text for owner, text in left if owner == cell)
        whole = [(cell, code[cell]) for cell in order if code[cell].strip()]
        first = runs.run(whole)
        if not first.error:
            break
    second = runs.run(whole, attempt=1)
    if first.error or second.error:
        return Program(notebook, problem=f"does not run again: {first.error or second.error}")
    shown = {cell: first.shown(cell) for cell, _ in whole if first.shown(cell)}
    stable = {cell: figures for cell, figures in shown.items() if figures == second.shown(cell)}
    cells = tuple(
        replace(
            cell,
            code=code.get(cell.index, ""),
            output_types=("image/png",) if cell.index in shown else (),
        )
        for cell in notebook.cells
    )
    complete = frozenset(cell.index for cell in notebook.code_cells() if cell.code == code[cell.index])
    order_left = tuple(index for index in notebook.order if code[index].strip())
    return Program(
        replace(notebook, cells=cells, order=order_left),
        complete,
        {cell: figures for cell, figures in stable.items() if cell in complete},
        tuple(cell for cell in shown if cell not in stable),
    )


def choose_targets(program: Program, most: int) -> list[int]:
    """Return at most so many targets, spread over the notebook."""
    cells = list(program.targets)
    if len(cells) <= most:
        return cells
    return [cells[round(place * (len(cells) - 1) / max(1, most - 1))] for place in range(most)]


def judge(program: Program, targets: Sequence[int], runs: Runs, *, rivals: int) -> list[Verdict]:
    """Return how Lakebook does on each target, and how the other ways do on the last `rivals` of them."""
    cells = program.cells()
    code = dict(cells)
    components = {one.cell: one.code for one in extract_components(program.notebook)}
    verdicts: list[Verdict] = []
    for target in targets:
        earlier = [text for cell, text in cells[: list(code).index(target)]]
        before = count_statements("\n".join(earlier))
        for way in WAYS if target in targets[-rivals:] else (LAKEBOOK,):
            if way == LAKEBOOK:
                text = before_target(components.get(target, ""), code[target])
                steps = [(_UPSTREAM, text)]
            else:
                steps = baselines.upstream(cells, target, way)
            verdicts.append(_verdict(target, code[target], way, steps, program.targets[target], before, runs))
    return verdicts


def before_target(component: str, target: str) -> str:
    """Return the part of a component's code before its target cell."""
    own = target.strip("\n") + "\n"
    if not component.endswith(own):
        raise ValueError("the component does not end with its target")
    return component[: -len(own)]


def run_component(upstream: str, target: int, code: str, runs: Runs) -> Run:
    """Run a target cell after its upstream code."""
    return runs.run([(_UPSTREAM, upstream), (target, code)], drawn=[target])


def _verdict(
    target: int,
    code: str,
    way: str,
    steps: Sequence[Step],
    truth: list[Figure],
    before: int,
    runs: Runs,
) -> Verdict:
    run = runs.run([*steps, (target, code)], drawn=[target])
    shown = run.shown(target)
    ran = not run.error
    data = ran and [one[:2] for one in shown] == [one[:2] for one in truth]
    picture = data and shown == truth
    reason = run.error or ("" if data else f"shows {len(shown)} figures, not {len(truth)}")
    if ran and not data and len(shown) == len(truth):
        reason = "shows other data"
    upstream = "\n".join(text for _, text in steps)
    library = "plotly" if any(one[0] == "plotly" for one in truth) else "matplotlib"
    return Verdict(
        target, way, library, upstream, count_statements(upstream), before, ran, data, picture, reason
    )


def statements(code: str) -> list[str]:
    """Return the statements of a cell, each as text."""
    lines = code.encode().split(b"\n")
    texts: list[str] = []
    for node in parse(code).body:
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
        part = lines[first - 1 : node.end_lineno]
        part[-1] = part[-1][: node.end_col_offset]
        part[0] = part[0][node.col_offset if first == node.lineno else 0 :]
        texts.append(b"\n".join(part).decode())
    return texts
