"""Reads notebooks, ours and foreign ones, into one shape: nbformat 4.5 with an id for every cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import nbformat.v4
from nbformat import NotebookNode

from lakebook.errors import NotebookError, UsageError

_HINT = "Give a Jupyter notebook (.ipynb)."


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook of any format version.

    Cells without an id get one by position, so that the same file always reads the same.

    Raises:
        UsageError: the file is not there, or is a folder.
        NotebookError: it is not a notebook.
    """
    where = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
        document = json.loads(text)
    except FileNotFoundError as error:
        raise UsageError("there is no such notebook.", where=where, hint="Check the path.") from error
    except IsADirectoryError as error:
        raise UsageError(
            "this is a folder, not a notebook.", where=where, hint="Name a file in it."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise NotebookError(f"the notebook cannot be read: {error}.", where=where, hint=_HINT) from error
    except json.JSONDecodeError as error:
        raise NotebookError(f"this is not JSON: {error}.", where=where, hint=_HINT) from error
    if not isinstance(document, dict) or not isinstance(document.get("nbformat"), int):
        raise NotebookError("this is JSON, but not a notebook.", where=where, hint=_HINT)
    try:
        notebook = _in_version_4(document, text)
        return _normalized(notebook)
    except (KeyError, TypeError, AttributeError, ValueError, nbformat.ValidationError) as error:
        raise NotebookError(f"the notebook is damaged: {error}.", where=where, hint=_HINT) from error


def _in_version_4(document: dict[str, Any], text: str) -> NotebookNode:
    if document["nbformat"] == 4:
        return nbformat.v4.reads(text)
    return nbformat.convert(nbformat.reader.reads(text), 4)


def _normalized(notebook: NotebookNode) -> NotebookNode:
    taken = {cell.get("id") for cell in notebook.cells}
    for position, cell in enumerate(notebook.cells):
        cell.setdefault("metadata", NotebookNode())
        cell.source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
        if not cell.get("id"):
            name = f"cell-{position}"
            cell.id = name if name not in taken else f"{name}-of-{len(notebook.cells)}"
        if cell.cell_type == "code":
            cell.setdefault("outputs", [])
            cell.setdefault("execution_count", None)
    notebook.setdefault("metadata", NotebookNode())
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def language_of(notebook: NotebookNode) -> str:
    """Return the notebook's programming language in lower case; "python" if it does not say."""
    spec = notebook.metadata.get("kernelspec", {})
    info = notebook.metadata.get("language_info", {})
    return str(info.get("name") or spec.get("language") or "python").lower()
