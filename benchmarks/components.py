"""How right and how small are the components? An oracle, beside two simpler ways of slicing.

A notebook is run statement by statement; statements that fail today are taken out, so that the rest runs.
What each cell draws is the truth. Then each component of a drawing cell is run alone, in a fresh process, and
its figure data compared. The two errors are counted apart: figures that differ or do not appear (unsound),
and statements kept before the target (bloat, as a share of all statements before it).

    python benchmarks/components.py --data DIR NOTEBOOK... [--limit 6] [--unsafe-local] [--json FILE]

Files are looked for by name below DIR, or below the folder in DIR that is called as the notebook's folder is.
Code of others runs only in the sandbox, unless `--unsafe-local` is given.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lakebook.errors import LakebookError
from lakebook.notebooks.read import find_notebooks, read_notebook
from lakebook.notebooks.slicing.slicer import Program, Statement, analyze
from lakebook.sandbox.base import Limits, Mount, Session, SessionOptions
from lakebook.sandbox.choose import choose_sandbox

DRIVER = Path(__file__).with_name("figure_driver.py")
STATEMENT_SECONDS, RUN_SECONDS = 10, 90.0
WAYS = ("lakebook", "names only", "every call mutates")


@dataclass
class Score:
    """What one way of slicing did over all targets."""

    targets: int = 0
    equal: int = 0
    kept: int = 0
    before: int = 0
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    options = _options()
    scores = {way: Score() for way in WAYS}
    try:
        sandbox = choose_sandbox("unsafe-local" if options.unsafe_local else "auto")
    except LakebookError as error:
        print(f"{error}\nOr accept the risk with --unsafe-local.", file=sys.stderr)
        return 1
    paths = [
        item for path in options.notebooks for item in (find_notebooks(path) if path.is_dir() else [path])
    ]
    started = time.perf_counter()
    ran = 0
    for path in paths:
        try:
            with sandbox.open(_session_options(_data_of(path, options.data))) as session:
                found = _score_notebook(session, path, options, scores)
        except LakebookError as error:
            found = -1
            print(f"{path.name}: {error}", file=sys.stderr)
        ran += found > 0
        print(f"{path.name}: {found} targets", file=sys.stderr)
    _report(scores, ran, len(paths), time.perf_counter() - started)
    if options.json:
        options.json.write_text(json.dumps({way: asdict(score) for way, score in scores.items()}, indent=1))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score components against what the notebooks draw.")
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with the files that the notebooks read"
    )
    parser.add_argument("--limit", type=int, default=6, help="drawing cells a notebook")
    parser.add_argument("--unsafe-local", action="store_true", help="run the code without isolation")
    parser.add_argument("--json", type=Path, help="also write the scores here")
    return parser.parse_args()


def _data_of(path: Path, data: Path) -> Path:
    own = data / path.absolute().parent.name
    return (own if own.is_dir() else data).absolute()


def _session_options(data: Path) -> SessionOptions:
    return SessionOptions(mounts=(Mount("data", data),), limits=Limits(cell_seconds=RUN_SECONDS))


def _score_notebook(
    session: Session, path: Path, options: argparse.Namespace, scores: dict[str, Score]
) -> int:
    notebook = read_notebook(path.absolute(), path.absolute().parent)
    cells = [(cell.index, cell.code) for cell in notebook.cells if cell.kind == "code" and cell.code.strip()]
    if not cells:
        return 0
    data = _data_of(path, options.data) if options.unsafe_local else Path("/inputs/data")
    session.run(DRIVER.read_text())
    session.run(f"use_data({str(data)!r})")
    everything = analyze(cells).statements
    first = _run(session, everything, tolerant=True)
    failed = set(first["failed"]) if first else set(range(len(everything)))
    alive = [(one.cell, one.text) for position, one in enumerate(everything) if position not in failed]
    program = analyze(_by_cell(alive))
    truth, again = (_run(session, program.statements, tolerant=False) for _ in range(2))
    if not truth or not again:
        return 0
    drawing = [
        int(cell) for cell, shown in truth["figures"].items() if shown and shown == again["figures"].get(cell)
    ]
    complete = [cell for cell in drawing if not any(everything[at].cell == cell for at in failed)]
    for cell in complete[: options.limit]:
        for way in WAYS:
            kept = _slice(program, cell, way)
            result = _run(session, [program.statements[index] for index in kept], tolerant=False)
            right = bool(result) and result["figures"].get(str(cell)) == truth["figures"][str(cell)]
            _count(
                scores[way],
                program,
                cell,
                kept,
                right,
                f"{path.name}: cell {cell}: {(result or {}).get('error')}",
            )
    return len(complete[: options.limit])


def _count(score: Score, program: Program, cell: int, kept: list[int], right: bool, label: str) -> None:
    own = program.of_cells((cell,))
    score.targets += 1
    score.equal += right
    score.kept += len(kept) - len(own)
    score.before += own[0]
    if not right:
        score.wrong.append(label)


def _by_cell(statements: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    cells: dict[int, list[str]] = {}
    for cell, text in statements:
        cells.setdefault(cell, []).append(text)
    return [(cell, "\n".join(texts)) for cell, texts in cells.items()]


def _run(session: Session, statements: Sequence[Statement], *, tolerant: bool) -> Any:
    """Run statements in a fork of the session; None if that broke down."""
    steps = [[one.cell, one.text] for one in statements]
    code = f"_result = run_steps({steps!r}, {tolerant}, {STATEMENT_SECONDS})"
    cells, values = session.run_forked([code], evaluate=["_result"], seconds=RUN_SECONDS)
    if any(cell.error for cell in cells) or not values or values[0].error:
        return None
    return values[0].value


# -- the baselines: what a slicer does that knows names only -------------------------------------------------


def _slice(program: Program, cell: int, way: str) -> list[int]:
    if way == "lakebook":
        return program.slice(cell)
    mutating = way == "every call mutates"
    own = program.of_cells((cell,))
    kept, wanted = list(own), set[str]()
    for index in reversed(own):
        read, stored, _ = _names(program.statements[index].node, mutating=mutating)
        wanted = (wanted - stored) | read
    for index in range(own[0] - 1, -1, -1):
        node = program.statements[index].node
        read, stored, changed = _names(node, mutating=mutating)
        if (stored | changed) & wanted:
            kept.append(index)
            if isinstance(node, (ast.Assign, ast.Import, ast.ImportFrom, ast.FunctionDef)):
                wanted -= stored
            wanted |= read
    return sorted(kept)


def _names(node: ast.AST, *, mutating: bool) -> tuple[set[str], set[str], set[str]]:
    """Return the names that a statement reads, stores, and (if methods count as mutators) changes."""
    read, stored, changed = set[str](), set[str](), set[str]()
    for item in ast.walk(node):
        if isinstance(item, ast.Name):
            (read if isinstance(item.ctx, ast.Load) else stored).add(item.id)
        elif isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            stored.add(item.name)
        elif isinstance(item, (ast.Import, ast.ImportFrom)):
            stored.update((alias.asname or alias.name).partition(".")[0] for alias in item.names)
        elif isinstance(item, ast.AugAssign) and isinstance(item.target, ast.Name):
            read.add(item.target.id)
        is_store = isinstance(item, (ast.Subscript, ast.Attribute)) and isinstance(item.ctx, ast.Store)
        is_method = isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute)
        if mutating and (is_store or is_method):
            changed |= _root(item)
    return read, stored, changed


def _root(node: ast.AST) -> set[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _report(scores: dict[str, Score], ran: int, tried: int, seconds: float) -> None:
    print(f"{ran} of {tried} notebooks gave targets, {seconds:.0f} s")
    print(f"{'way':<20}{'targets':>8}{'equal':>8}{'differ':>8}{'kept upstream':>15}{'of prefix':>11}")
    for way, score in scores.items():
        share = score.kept / score.before if score.before else 0.0
        differ = score.targets - score.equal
        print(f"{way:<20}{score.targets:>8}{score.equal:>8}{differ:>8}{score.kept:>15}{share:>11.1%}")
    for label in scores["lakebook"].wrong:
        print(f"differs: {label}")


if __name__ == "__main__":
    sys.exit(main())
