"""`lakebook verify NOTEBOOK`: runs a notebook again in the sandbox and recomputes every claim in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakebook.cli import console

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from lakebook.report.execute import Executed

DOES_NOT_HOLD, FAILED = 3, 1


def verify(
    notebook: Annotated[Path, typer.Argument(metavar="NOTEBOOK", help="A notebook, ours or another.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", help="The data folder; the one that the notebook names if absent."),
    ] = None,
    sandbox: Annotated[
        str, typer.Option("--sandbox", help="auto, bubblewrap, docker, unsafe-local.")
    ] = "auto",
    json: console.JsonFlag = False,
) -> None:
    """Run a notebook again, in isolation, and compare every number in its text with what it is now.

    The notebook is not changed. Exit code 0: all claims hold; 3: one does not; 1: a cell failed.

    Example: lakebook verify lakebook-out/analysis.ipynb
    """
    from lakebook.errors import UsageError
    from lakebook.report.execute import execute_notebook, open_for_notebook
    from lakebook.report.reading import language_of, read_notebook
    from lakebook.report.verification import changed_sources
    from lakebook.sandbox.choose import choose_sandbox
    from lakebook.settings import load_settings

    document = read_notebook(notebook)
    if language_of(document) not in ("python", "ipython"):
        raise UsageError(
            f"this is a notebook in {language_of(document)}, not in Python.", where=str(notebook)
        )
    folder = _data_folder(document, notebook, data)
    chosen = choose_sandbox(sandbox)
    if not chosen.isolated:
        console.warn("nothing is isolated: the notebook's code can do all that you can do on this machine.")
    progress = console.LineProgress()
    with open_for_notebook(chosen, folder, load_settings().limits) as session:
        executed = execute_notebook(document, session, progress=progress)
    progress.done()
    result = _result(document, executed, changed_sources(document, folder))
    if json:
        console.print_json(result)
    else:
        _show(executed, result)
    if executed.error is not None:
        raise typer.Exit(FAILED)
    if not executed.holds:
        raise typer.Exit(DOES_NOT_HOLD)


def _data_folder(document: NotebookNode, notebook: Path, data: Path | None) -> Path:
    from lakebook.errors import UsageError

    own = document.metadata.get("lakebook", {})
    dataset = own.get("dataset", {}) if isinstance(own, dict) else {}
    # A foreign notebook names no folder: it sees the one that it lies in.
    places = [notebook.parent / dataset.get(key, "") for key in ("data_dir", "data_dir_when_made")]
    folder = data or next((place for place in places if place.is_dir()), places[0])
    if not folder.is_dir():
        raise UsageError(
            "the data folder is not there.", where=str(folder), hint="Say where the data is with --data DIR."
        )
    return folder


def _result(document: NotebookNode, executed: Executed, changed: tuple[str, ...]) -> dict[str, Any]:
    error = None
    if executed.error is not None:
        error = {
            "cell": executed.failed_cell,
            "name": executed.error.name,
            "message": executed.error.message,
            "traceback": executed.error.traceback,
        }
    return {
        "claims": [
            {
                "id": check.claim,
                "text": check.text,
                "stated": check.stated,
                "recomputed": check.recomputed,
                "holds": check.holds,
                "reason": check.reason,
                "expression": check.expression,
            }
            for check in executed.checks
        ],
        "sources_changed": changed,
        "cells": executed.cells,
        "error": error,
        "written_by_lakebook": "lakebook" in document.metadata,
    }


def _show(executed: Executed, result: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from lakebook.report.summary import checks_line

    out = console.out()
    for name in result["sources_changed"]:
        console.warn(f"the source changed since the notebook was written: {name}")
    if executed.error is not None:
        what = f"{executed.error.name}: {executed.error.message}"
        console.fail(f"cell {executed.failed_cell} failed, so the claims could not be recomputed. {what}")
        for line in executed.error.traceback[-12:]:
            console.note(line)
        return
    failing = [check for check in executed.checks if not check.holds]
    if failing:
        table = Table("claim", "stated", "recomputed", "text", "why", show_edge=False, pad_edge=False)
        for check in failing:
            row = (check.claim, check.stated, check.recomputed, check.text, check.reason)
            table.add_row(*(escape(cell) for cell in row))
        out.print(table)
    cells = f"{executed.cells} cells ran without error."
    if not executed.checks:
        whose = "" if result["written_by_lakebook"] else " (Lakebook did not write it)"
        out.print(f"{cells} The notebook carries no claims{whose}.", markup=False)
        return
    out.print(f"{cells} {checks_line(executed.checks)}", markup=False)
