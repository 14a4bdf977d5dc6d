"""What a reader wants to know before trusting a report: what ran, what was recomputed, which data."""

from __future__ import annotations

from dataclasses import dataclass

from nbformat import NotebookNode


@dataclass(frozen=True, slots=True)
class StatusFact:
    """One such fact; `ok` is None if it is neither good nor bad."""

    label: str
    value: str
    ok: bool | None = None


def read_status(notebook: NotebookNode) -> tuple[StatusFact, ...]:
    """Return the facts of a notebook; a foreign one has only its cells to tell of."""
    return (*_numbers(notebook), _cells(notebook), *_data(notebook))


def _numbers(notebook: NotebookNode) -> tuple[StatusFact, ...]:
    own = notebook.metadata.get("lakebook", {})
    label = "Numbers in the text"
    if verification := own.get("verification"):
        total, hold = verification.get("claims", 0), verification.get("hold", 0)
        words = f"{hold} of {total} recomputed and equal" if total else "none stated"
        return (StatusFact(label, words, hold == total),)
    if own.get("claims"):
        return (StatusFact(label, f"{own['claims']}, not recomputed yet"),)
    return ()


def _cells(notebook: NotebookNode) -> StatusFact:
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    ran = sum(cell.get("execution_count") is not None for cell in code)
    failed = any(output.get("output_type") == "error" for cell in code for output in cell.outputs)
    if failed:
        return StatusFact("Code cells", f"stopped at an error after {max(ran - 1, 0)} of {len(code)}", False)
    if ran < len(code):
        return StatusFact("Code cells", f"{ran} of {len(code)} were run", None)
    return StatusFact("Code cells", f"{ran} ran without error", True)


def _data(notebook: NotebookNode) -> tuple[StatusFact, ...]:
    dataset = notebook.metadata.get("lakebook", {}).get("dataset")
    if not dataset:
        return ()
    rows, in_file = int(dataset.get("rows", 0)), int(dataset.get("rows_in_file", 0))
    part = f" · {dataset['unit']}" if dataset.get("unit") else ""
    files = int(dataset.get("files", 1))
    part += f" · {files} files" if files > 1 else ""
    where = "in the files" if files > 1 else "in the file"
    return (
        StatusFact("Rows analysed", f"{rows:,} of {in_file:,} {where}", True if rows == in_file else None),
        StatusFact("Data", f"{dataset.get('path', '')}{part}"),
    )
