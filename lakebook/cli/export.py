"""`lakebook export NOTEBOOK`: reports of a notebook as HTML, Markdown, PDF, and all in one zip file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lakebook.cli import console


def export(
    notebook: Annotated[Path, typer.Argument(metavar="NOTEBOOK", help="Any Jupyter notebook.")],
    to: Annotated[
        str, typer.Option("--to", help="Formats: html, md, pdf, zip; several with commas.")
    ] = "html",
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the files; the notebook's own if absent.")
    ] = None,
    json: console.JsonFlag = False,
) -> None:
    """Write reports of a notebook. Nothing is run; what is saved in the notebook is what is shown.

    Needs no LaTeX, pandoc, browser or network. Scripts in the notebook's outputs are left out.

    Example: lakebook export lakebook-out/analysis.ipynb --to html,pdf
    """
    from lakebook.report.export import export_notebook, parse_formats

    progress = console.LineProgress()
    files = export_notebook(notebook, parse_formats(to), out, progress=progress)
    progress.done()
    if json:
        console.print_json({"files": files})
        return
    for file in files:
        console.out().print(str(file), markup=False)
