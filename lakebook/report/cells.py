"""Cells with stable ids and provenance: the only place that knows nbformat's cell structure.

An id is made from what the cell is for, never from chance or order, so that a rerun changes only the cells
whose content changed and a diff stays small.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from lakebook.analyst.claim import Insight
from lakebook.analyst.table import Table

_LONGEST = 64


def cell_id(key: str) -> str:
    """Return a valid nbformat cell id for the key; different keys give different ids."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", key) or "cell"
    if plain == key and len(key) <= _LONGEST:
        return plain
    digest = hashlib.sha256(key.encode()).hexdigest()[:8]
    return f"{plain[: _LONGEST - 9]}-{digest}"


def markdown_cell(key: str, source: str, *, role: str, section: str = "", **more: Any) -> NotebookNode:
    """Make a Markdown cell whose `lakebook` metadata says what it is for."""
    return new_markdown_cell(source.strip(), id=cell_id(key), metadata=_metadata(role, section, more))


def code_cell(
    key: str,
    source: str,
    *,
    role: str,
    section: str = "",
    hidden: bool = False,
    tags: Iterable[str] = (),
    **more: Any,
) -> NotebookNode:
    """Make a code cell; `hidden` folds its source in JupyterLab, `tags` are Jupyter's cell tags."""
    metadata = _metadata(role, section, more)
    if hidden:
        metadata["jupyter"] = {"source_hidden": True}
    if tags:
        metadata["tags"] = list(tags)
    return new_code_cell(source.strip("\n"), id=cell_id(key), metadata=metadata)


def _metadata(role: str, section: str, more: Mapping[str, Any]) -> dict[str, Any]:
    own = {"role": role, "section": section} | {name: value for name, value in more.items() if value}
    return {"lakebook": plain(own)}


def plain(value: Any) -> Any:
    """Return the value with tuples as lists, recursively, as nbformat's schema wants it."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def provenance(table: Table, columns: Iterable[str] = ()) -> dict[str, Any]:
    """Return where the numbers of a cell come from."""
    return {
        "source": table.path + (f"#{table.unit}" if table.unit else ""),
        "sha256": table.sha256,
        "columns": list(columns),
        "rows": table.rows,
        "rows_in_file": table.rows_in_file,
    }


def claims_metadata(insights: Iterable[Insight]) -> list[dict[str, Any]]:
    """Return the claims of published insights, each with the sentence that it stands in."""
    found = []
    for insight in insights:
        if insight.verdict == "withheld":
            continue
        for claim in insight.claims:
            found.append(plain(asdict(claim)) | {"text": insight.text, "insight": insight.id})
    return found
