"""The prose beside an old cell: what follows it first, up to the next code."""

from __future__ import annotations

from lakebook.notebooks.component import Component, Notebook, NotebookCell
from lakebook.pipeline.wording import said_beside


def test_prose_after_then_before_up_to_the_next_code() -> None:
    kinds = [
        ("code", "x"),
        ("markdown", "lead"),
        ("code", "plot"),
        ("markdown", "so"),
        ("markdown", "too"),
        ("code", "y"),
    ]
    cells = tuple(NotebookCell(n, kind, text) for n, (kind, text) in enumerate(kinds))  # type: ignore[arg-type]
    component = Component("c", "a.ipynb", 2, "", (2,), (), "plot", "plot")
    said = said_beside(Notebook("a.ipynb", "", "ok", cells=cells), component)
    assert said == [("so", "a.ipynb, cell 4"), ("too", "a.ipynb, cell 5"), ("lead", "a.ipynb, cell 2")]
