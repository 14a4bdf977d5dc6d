"""Cells merged into targets (NotebookRAG §4.2.1).

A code cell that shows something, or that Markdown follows, closes a group: it takes the code cells before it
that show nothing. What is drawn but was never run counts as shown. "Before" is meant in the order that was
chosen for the notebook, so that the statements of a group are always the last ones before its target.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from lakebook.notebooks.component import Notebook, NotebookCell


def merged_groups(notebook: Notebook, drawing: Collection[int] = ()) -> dict[int, tuple[int, ...]]:
    """Return, for each cell that closes a group, the cells of the group in order, itself last.

    Args:
        notebook: as read.
        drawing: cells known to draw, whether or not outputs were saved.
    """
    groups: dict[int, tuple[int, ...]] = {}
    pending: list[int] = []
    closed = _before_markdown(notebook)
    for cell in notebook.code_cells():
        pending.append(cell.index)
        if cell.output_types or cell.index in drawing or cell.index in closed:
            groups[cell.index] = tuple(pending)
            pending = []
    if pending:
        groups[pending[-1]] = tuple(pending)
    return groups


def _before_markdown(notebook: Notebook) -> set[int]:
    """Return the code cells that Markdown follows in the document."""
    seen: list[NotebookCell] = [
        cell for cell in notebook.cells if cell.kind == "markdown" or cell.code.strip()
    ]
    return {before.index for before, after in pairwise(seen) if after.kind == "markdown"}
