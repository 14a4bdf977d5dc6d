"""Cells merged into targets (NotebookRAG §4.2.1).

A code cell that shows something, or that Markdown follows, closes a group: it takes the code cells before it
that show nothing. What is drawn but was never run counts as shown.
"""

from __future__ import annotations

from collections.abc import Collection

from lakebook.notebooks.component import Notebook, NotebookCell


def merged_groups(notebook: Notebook, drawing: Collection[int] = ()) -> dict[int, tuple[int, ...]]:
    """Return, for each cell that closes a group, the cells of the group in order, itself last.

    Args:
        notebook: as read.
        drawing: cells known to draw, whether or not outputs were saved.
    """
    groups: dict[int, tuple[int, ...]] = {}
    pending: list[int] = []
    usable = [cell for cell in notebook.cells if cell.kind == "markdown" or cell.code.strip()]
    for position, cell in enumerate(usable):
        if cell.kind != "code":
            continue
        pending.append(cell.index)
        if _shows(cell, drawing) or _markdown_follows(usable, position):
            groups[cell.index] = tuple(pending)
            pending = []
    if pending:
        groups[pending[-1]] = tuple(pending)
    return groups


def _shows(cell: NotebookCell, drawing: Collection[int]) -> bool:
    return bool(cell.output_types) or cell.index in drawing


def _markdown_follows(cells: list[NotebookCell], position: int) -> bool:
    following = cells[position + 1 : position + 2]
    return not following or following[0].kind == "markdown"
