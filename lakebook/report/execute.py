"""Runs a notebook from top to bottom in a sandbox session, then recomputes its claims.

A failing cell ends the run, and what there is up to it is delivered, marked (notes: a failed notebook must
still be delivered). Nothing of the sandbox or the machine may stand in the outputs: no paths, no addresses.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from lakebook.progress import Progress, silent
from lakebook.report.cells import markdown_cell
from lakebook.report.markup import code, escape, fenced, link, one_line
from lakebook.report.verification import ClaimCheck, PublishedClaim, check_claims, published_claims, unreached
from lakebook.sandbox.base import CellError, CellResult, Limits, Mount, Sandbox, Session, SessionOptions

DATA_MOUNT = "data"
FAILED_TAG = "lakebook-failed"
MARKER_ID = "error-marker"

_MOUNT = re.compile(r"/inputs/data\b")
_OTHER_MOUNT = re.compile(r"/inputs/(?=[\w.-])")
_LIBRARY_PATH = re.compile(r"(?:/[\w.+~-]+)+/(?=(?:site|dist)-packages/)")
_STANDARD_PATH = re.compile(r"(?:/[\w.+~-]+)+/lib/(?=python3\.\d+/)")
_ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
_KERNEL_FILE = re.compile(r"[/]tmp/ipykernel_\d+/\d+\.py")
_TRACEBACK_LINES = 40
_ACTIVE = frozenset({"text/html", "application/javascript", "text/javascript", "image/svg+xml"})


@dataclass(frozen=True, slots=True)
class Executed:
    """What came of running a notebook.

    Attributes:
        notebook: a copy with outputs; after a failure, with the marker on top.
        error: set if a cell failed; `failed_cell` is its id.
        checks: one for each claim.
        cells: code cells that ran without error. `figures`: pictures in their outputs.
    """

    notebook: NotebookNode
    checks: tuple[ClaimCheck, ...]
    error: CellError | None = None
    failed_cell: str = ""
    cells: int = 0
    figures: int = 0

    @property
    def holds(self) -> bool:
        """Whether every cell ran and every claim holds."""
        return self.error is None and all(check.holds for check in self.checks)


def open_for_notebook(sandbox: Sandbox, data_dir: Path, limits: Limits | None = None) -> Session:
    """Open a session in which a notebook finds its data folder, read-only where there is isolation."""
    options = SessionOptions(
        mounts=(Mount(DATA_MOUNT, data_dir.resolve()),),
        environment={"LAKEBOOK_DATA_DIR": f"/inputs/{DATA_MOUNT}"},
        limits=limits or Limits(),
    )
    session = sandbox.open(options)
    place = _places(session).get(DATA_MOUNT, f"/inputs/{DATA_MOUNT}")
    if place != f"/inputs/{DATA_MOUNT}":
        # Without isolation there is no /inputs, and where the folder is seen is known only now.
        session.run(f"import os\nos.environ['LAKEBOOK_DATA_DIR'] = {place!r}\ndel os")
    return session


def _places(session: Session) -> Mapping[str, str]:
    """Return where the session sees each mount; empty if it does not say."""
    found = getattr(session, "inputs", {})
    return found if isinstance(found, Mapping) else {}


def execute_notebook(
    notebook: NotebookNode,
    session: Session,
    *,
    claims: Sequence[PublishedClaim] | None = None,
    progress: Progress = silent,
) -> Executed:
    """Run the code cells in order, fill in their outputs, and recompute the claims at the end.

    Args:
        notebook: is not changed.
        session: a fresh session, from `open_for_notebook`.
        claims: what to recompute; the notebook's own claims if None.
        progress: told of every cell.
    """
    done = copy.deepcopy(notebook)
    published = published_claims(done) if claims is None else tuple(claims)
    places = tuple(_places(session).values())
    code_cells = [cell for cell in done.cells if cell.cell_type == "code"]
    _clear(done)
    ran = 0
    for cell in code_cells:
        progress(
            "executing", ran, len(code_cells), cell.metadata.get("lakebook", {}).get("section", "") or cell.id
        )
        if not cell.source.strip():
            continue
        result = session.run(cell.source)
        cell.outputs = clean_outputs(result, places)
        ran += 1
        cell.execution_count = ran
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = ran
        if result.error and "raises-exception" not in cell.metadata.get("tags", ()):
            return _failed(done, cell, result, published, ran - 1, places)
    evaluations = session.evaluate([item.claim.expression for item in published])
    checks = check_claims(published, evaluations)
    _remember(done, checks, "")
    return Executed(done, checks, cells=ran, figures=count_figures(done))


def _without_markup(cell: NotebookNode) -> None:
    """Take HTML and scripts out of what old code displays: viewers of notebooks run them."""
    for output in cell.outputs:
        for mime in [name for name in output.get("data", {}) if name in _ACTIVE]:
            del output["data"][mime]
    cell.outputs = [output for output in cell.outputs if output.get("data") != {}]


def _clear(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != MARKER_ID]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            tags = [tag for tag in cell.metadata.get("tags", ()) if tag != FAILED_TAG]
            if tags:
                cell.metadata["tags"] = tags
            else:
                cell.metadata.pop("tags", None)


def _failed(
    notebook: NotebookNode,
    cell: NotebookNode,
    result: CellResult,
    claims: Sequence[PublishedClaim],
    ran: int,
    places: Sequence[str],
) -> Executed:
    error = result.error or CellError("Error", result.ended)
    trace = tuple(clean_text(line, places) for line in error.traceback)
    shown = CellError(error.name, clean_text(error.message, places), trace)
    cell.metadata["tags"] = [*cell.metadata.get("tags", ()), FAILED_TAG]
    position = [c.id for c in notebook.cells if c.cell_type == "code"].index(cell.id) + 1
    notebook.cells.insert(0, _marker(cell, position, shown, result.ended))
    why = f"not reached: cell {cell.id} failed"
    checks = unreached(claims, why)
    _remember(notebook, checks, f"{shown.name}: {one_line(shown.message, 300)}")
    return Executed(notebook, checks, shown, cell.id, ran, count_figures(notebook))


def _marker(cell: NotebookNode, position: int, error: CellError, ended: str) -> NotebookNode:
    where = link(f"code cell {position}", f"#cell-id={cell.id}")
    how = {
        "timeout": "It ran past its time limit.",
        "memory": "It needed more memory than it may use.",
        "disk": "It wrote more than it may.",
        "died": "Its process died.",
    }.get(ended, "")
    lines = [
        f"**This notebook is not complete: {where} ({code(cell.id)}) failed.** {how}".strip(),
        "",
        f"{escape(error.name)}: {escape(one_line(error.message, 500))}",
        "",
        "The cells before it ran and have their outputs; those after it were not run.",
        "",
        fenced("\n".join("\n".join(error.traceback).splitlines()[-_TRACEBACK_LINES:]))
        if error.traceback
        else "",
    ]
    return markdown_cell(MARKER_ID, "\n".join(lines), role="error")


def _remember(notebook: NotebookNode, checks: Sequence[ClaimCheck], error: str) -> None:
    """Write the result of the checks into the notebook, for the reports; a foreign one stays as it is."""
    if "lakebook" not in notebook.metadata:
        return
    notebook.metadata.lakebook["verification"] = nbformat.from_dict(
        {
            "claims": len(checks),
            "hold": sum(check.holds for check in checks),
            "failed": [{"claim": c.claim, "reason": clean_text(c.reason)} for c in checks if not c.holds],
            "error": error,
        }
    )


def count_figures(notebook: NotebookNode) -> int:
    """Return the number of pictures in the outputs."""
    return sum(
        any(mime.startswith("image/") for mime in output.get("data", {}))
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )


def clean_outputs(result: CellResult, places: Sequence[str] = ()) -> list[NotebookNode]:
    """Return the outputs of a cell without anything that tells of the machine or changes from run to run."""
    outputs: list[Any] = []
    for output in result.outputs:
        plain = _clean(copy.deepcopy(output), places)
        previous = outputs[-1] if outputs else None
        if plain.get("output_type") == "stream" and previous and previous.get("name") == plain.get("name"):
            previous["text"] = _joined(previous["text"]) + _joined(plain["text"])
        else:
            outputs.append(plain)
    return [nbformat.from_dict(output) for output in outputs]


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _clean(value: Any, places: Sequence[str], key: str = "") -> Any:
    if isinstance(value, str):
        return value if key.startswith("image/") else clean_text(value, places)
    if isinstance(value, dict):
        return {name: _clean(item, places, name) for name, item in value.items() if name != "transient"}
    if isinstance(value, list | tuple):
        return [_clean(item, places, key) for item in value]
    return value


def clean_text(text: str, places: Sequence[str] = ()) -> str:
    """Return the text with the sandbox's and the machine's paths and memory addresses made neutral.

    Args:
        text: an output.
        places: folders as the session sees them; the data folder is among them.
    """
    for place in places:
        text = text.replace(place, "DATA_DIR")
    text = _OTHER_MOUNT.sub("", _MOUNT.sub("DATA_DIR", text))
    text = _KERNEL_FILE.sub("<cell>", text)
    text = _STANDARD_PATH.sub("", _LIBRARY_PATH.sub("", text))
    return _ADDRESS.sub("at 0x…", text)
