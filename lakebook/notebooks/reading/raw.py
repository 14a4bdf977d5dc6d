"""Cells as a file holds them, before their code is made plain: what every format is read into."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from lakebook.notebooks.component import CellKind


class RawCell(NamedTuple):
    """One cell as written; a tuple, since a corpus has hundreds of thousands."""

    kind: CellKind
    source: str
    cell_id: str = ""
    execution_count: int | None = None
    outputs: Sequence[dict[str, Any]] = ()
    attachments: tuple[str, ...] = ()


class RawNotebook(NamedTuple):
    """All cells of a file, the language that they are in, and whether the kernel was Python 2."""

    cells: tuple[RawCell, ...]
    language: str = "python"
    python_2: bool = False


def decoded(data: bytes) -> str:
    """Return the text of a file: UTF-8, 16 or 32 with or without a mark, else what Windows used to write."""
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
