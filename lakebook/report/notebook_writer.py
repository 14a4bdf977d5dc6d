"""From a document to a notebook: valid nbformat 4.5 that runs in plain Jupyter (NotebookRAG §4.3).

The writer arranges; it computes nothing and adds no fact. What does not belong here: running the notebook
(`execute`) and turning it into other formats (`export`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from lakebook import __version__
from lakebook.errors import ReportError
from lakebook.report.cells import plain
from lakebook.report.closing import closing_cells
from lakebook.report.document import NotebookDocument
from lakebook.report.markup import path_from
from lakebook.report.opening import opening_cells
from lakebook.report.sections import section_cells

# What may differ between two runs on the same inputs: where the folders are, and which machine computed.
DECLARED_FIELDS = (
    "metadata.lakebook.version",
    "metadata.lakebook.libraries",
    "metadata.lakebook.dataset.data_dir",
    "metadata.lakebook.dataset.data_dir_when_made",
    "cells[setup].source",
)


def write_notebook(document: NotebookDocument) -> NotebookNode:
    """Write the notebook of a document; the same document gives the same notebook.

    Raises:
        ReportError: if what came out is not a valid notebook (two findings with one key, say).
    """
    findings = [finding for finding in document.findings.findings if finding.published]
    cells = list(opening_cells(document, findings))
    for position, finding in enumerate(findings, start=1):
        cells += section_cells(document, finding, position)
    cells += closing_cells(document, findings)
    _require_unique_ids(cells)
    notebook = new_notebook(cells=cells, metadata=_metadata(document, cells))
    notebook.nbformat_minor = 5
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise ReportError(
            f"the notebook would not be valid: {error.message}", where=document.title
        ) from error
    return notebook


def notebook_text(notebook: NotebookNode) -> str:
    """Return the notebook as the text of an .ipynb file, keys sorted, newline at the end."""
    text: str = nbformat.writes(notebook, version=4)
    return text.rstrip("\n") + "\n"


def save_notebook(notebook: NotebookNode, path: Path) -> Path:
    """Write the notebook to a file, atomically, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(notebook_text(notebook), encoding="utf-8")
    temporary.replace(path)
    return path


def _require_unique_ids(cells: Iterable[NotebookNode]) -> None:
    seen: set[str] = set()
    for cell in cells:
        if cell.id in seen:
            raise ReportError(
                f"two cells would have the id {cell.id!r}.", hint="The key of a finding must be unique."
            )
        seen.add(cell.id)


def _metadata(document: NotebookDocument, cells: Iterable[NotebookNode]) -> dict[str, Any]:
    table = document.table
    own = {
        "version": __version__,
        "intent": asdict(document.intent),
        "dataset": {
            "path": table.path,
            "unit": table.unit,
            "sha256": table.sha256,
            "rows": table.rows,
            "rows_in_file": table.rows_in_file,
            "data_dir": path_from(document.data_dir, document.out_dir),
            "data_dir_when_made": str(document.data_dir.resolve()),
        }
        | ({"files": len(document.cards)} if document.group else {}),
        "sources": [
            _source(card.path, card.sha256, card.status, card.bytes)
            for card in (*document.cards, *document.others)
        ]
        or [_source(table.path, table.sha256, "ok", None)],
        "analyst": document.analyst,
        "libraries": dict(document.libraries),
        "claims": sum(len(cell.metadata.lakebook.get("claims", ())) for cell in cells),
        "declared_fields": list(DECLARED_FIELDS),
    }
    return {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
        "title": document.title,
        "lakebook": plain(own),
    }


def _source(path: str, sha256: str, status: str, size: int | None) -> dict[str, Any]:
    return {"path": path, "sha256": sha256, "status": status} | ({} if size is None else {"bytes": size})
