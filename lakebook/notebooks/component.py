"""The nouns of the notebook corpus: notebooks, cells, statements, components (NotebookRAG §4.2.1).

Only data types live here; `read` fills the notebooks, `slicer` and `columns` make the components.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NotebookStatus = Literal["ok", "partial", "skipped", "failed"]
CellKind = Literal["code", "markdown", "raw"]
ShownKind = Literal["number", "text", "datetime"]


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """What a saved output tells of a column of a loaded table.

    Attributes:
        kind: its type, None if the output does not tell.
        values: as shown, each once, of the first rows.
        quartiles: smallest, three quartiles and largest, or none.
    """

    name: str
    kind: ShownKind | None = None
    values: tuple[str, ...] = ()
    quartiles: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell, in document order.

    Attributes:
        index: position in the notebook, counted from 0, markdown cells included.
        cell_id: the nbformat cell id, "" for formats without ids.
        source: the text as written.
        code: for code cells, plain Python: magics and shell lines removed or rewritten, "" if none is left.
        execution_count: as saved, None if the cell was not run.
        output_types: MIME types and `error`, `stream` of the saved outputs.
        problem: why the cell has no usable code, "" when it has.
        shown_columns: column names of a table in the saved outputs, as far as its header is plain.
        evidence: what the saved outputs tell of the columns of loaded tables.
        attachments: names of the files attached to a Markdown cell.
    """

    index: int
    kind: CellKind
    source: str
    code: str = ""
    cell_id: str = ""
    execution_count: int | None = None
    output_types: tuple[str, ...] = ()
    problem: str = ""
    shown_columns: tuple[str, ...] = ()
    evidence: tuple[ShownColumn, ...] = ()
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook as read: its cells, and whether it can be used.

    Attributes:
        path: relative to the corpus root, with forward slashes.
        status: `ok`; `partial` (some cells cannot be parsed); `skipped` (another language, empty);
            `failed` (not a notebook). `reason` says why, whenever it is not `ok`.
        order: indexes of the code cells in the order in which they ran, if that order is taken; () for the
            order of the document. `order_reason` says why, whenever the two differ.
        notes: what else was done to it (secrets masked, Python 2 rewritten).
        python_2: it was written for Python 2.
    """

    path: str
    sha256: str
    status: NotebookStatus
    reason: str = ""
    language: str = "python"
    cells: tuple[NotebookCell, ...] = ()
    order: tuple[int, ...] = ()
    order_reason: str = ""
    notes: tuple[str, ...] = ()
    python_2: bool = False

    def code_cells(self) -> tuple[NotebookCell, ...]:
        """Return the cells that have code, in the order that was chosen."""
        if self.order:
            return tuple(self.cells[index] for index in self.order)
        return tuple(cell for cell in self.cells if cell.kind == "code" and cell.code.strip())


@dataclass(frozen=True, slots=True)
class Component:
    """A cell that shows something, with the minimal upstream statements that it needs (a backward slice).

    Attributes:
        id: stable: hash of notebook path, target cell and code.
        cell: index of the target cell; `cell_id` its nbformat id.
        target_cells: the cells merged into the target (paper: a visible output takes its preceding
            non-output cells).
        upstream_cells: other cells that statements were taken from, merged ones included, in order.
        code: the whole executable component; `target_code` is its last part, the merged target.
        columns: columns of the old table that the figure shows, in order of first use, sorted.
        filter_columns: columns that select rows, shown or not. key_columns: group-by and index keys.
        chart_types: e.g. ("line", "bar"); empty when the target draws nothing (a table).
        reads: literal paths that the code reads, as written; "" for a path that is not a literal.
        modules: top-level modules that the code imports.
        heading: the nearest Markdown heading or sentence above the target.
        statements_kept, statements_before: how many statements the slice keeps of those before the target.
        confidence: 0 to 1; below 1 `reason` says what static analysis could not see.
        columns_doubt: why columns or chart types may be wrong or missing, "" if nothing was hidden.
        model_columns, model_chart_types: what a language model made of a component in doubt, () if none was
            asked or none answered. The static answer is the one above, unless it was empty.
    """

    id: str
    notebook: str
    cell: int
    cell_id: str
    target_cells: tuple[int, ...]
    upstream_cells: tuple[int, ...]
    code: str
    target_code: str
    columns: tuple[str, ...] = ()
    filter_columns: tuple[str, ...] = ()
    key_columns: tuple[str, ...] = ()
    chart_types: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    heading: str = ""
    statements_kept: int = 0
    statements_before: int = 0
    confidence: float = 1.0
    reason: str = ""
    columns_doubt: str = ""
    model_columns: tuple[str, ...] = ()
    model_chart_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkdownChunk:
    """A passage of a notebook's prose, for text search."""

    id: str
    notebook: str
    cell: int
    text: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that was made of a folder of notebooks."""

    notebooks: tuple[Notebook, ...]
    components: tuple[Component, ...] = ()
    chunks: tuple[MarkdownChunk, ...] = ()
