"""The order in which the cells of a notebook are taken: as they stand, or as they were last run.

The execution counts tell the order only if every cell has one and no two are equal. Even then the document is
the author's story; it is only left when running it would use names that the other order defines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from lakebook.notebooks.component import Notebook, NotebookCell
from lakebook.notebooks.slicing.slicer import analyze
from lakebook.notebooks.slicing.undefined import may_use_undefined


def with_order(notebook: Notebook) -> Notebook:
    """Return the notebook with the order of its cells chosen, and why, if the counts tell another one."""
    cells = notebook.code_cells()
    if is_ascending(cells):
        return notebook
    counts = [cell.execution_count for cell in cells]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        why = f"{len(counts) - len(known)} of {len(counts)} cells have no execution count"
    elif len(set(known)) < len(known):
        why = "execution counts are repeated"
    else:
        executed = sorted(cells, key=lambda cell: cell.execution_count or 0)
        is_settled = not may_use_undefined([cell.code for cell in cells])
        as_written = set[str]() if is_settled else _unresolved(cells)
        as_run = _unresolved(executed) if as_written else as_written
        if len(as_run) < len(as_written):
            missing = ", ".join(f"`{name}`" for name in sorted(as_written - as_run)[:3]) or "names"
            why = f"the cells are taken as they were run: as they stand, {missing} would be used undefined"
            return replace(notebook, order=tuple(cell.index for cell in executed), order_reason=why)
        why = "the order of execution would define no more names"
    return replace(notebook, order_reason=f"the cells are taken as they stand, not as they were run: {why}")


def is_ascending(cells: Sequence[NotebookCell]) -> bool:
    """Return True if the execution counts, as far as there are any, say nothing against this order."""
    counts = [cell.execution_count for cell in cells if cell.execution_count is not None]
    return all(before < after for before, after in pairwise(counts))


def rerun_reason(cells: Sequence[NotebookCell]) -> str:
    """Return which of the cells was run again later than a cell that stands after it, "" if none was.

    Args:
        cells: those that a component needs, in the order that was chosen.

    What the earlier run did is taken to be what the cell says now, which nobody can know.
    """
    counted = [cell for cell in cells if cell.execution_count is not None]
    for before, after in pairwise(counted):
        if (before.execution_count or 0) > (after.execution_count or 0):
            return f"needs an earlier run of cell {before.index}, which was last run after cell {after.index}"
    return ""


def _unresolved(cells: Sequence[NotebookCell]) -> set[str]:
    program = analyze([(cell.index, cell.code) for cell in cells])
    return {name for statement in program.statements for name in statement.unresolved}
