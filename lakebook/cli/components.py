"""`lakebook components`: cut notebooks into components and show them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakebook.cli.console import JsonFlag, LineProgress, note, out, plain, print_json, warn
from lakebook.errors import UsageError

if TYPE_CHECKING:
    from lakebook.notebooks.component import Notebook
    from lakebook.notebooks.extract import ExplainedComponent
    from lakebook.notebooks.schema import Schema

_SOME_UNREADABLE = 4
_MOST_ROWS = 100_000
_LONGEST_HEADER = 100_000
_SEPARATORS = ",;\t|"
_STATUS_WORDS = {
    "partial": "some of it is left out",
    "skipped": "skipped",
    "failed": "cannot be used",
}


def components(
    notebooks: Annotated[
        list[Path],
        typer.Argument(
            help="Notebooks or folders of them: .ipynb, Jupytext .py and .md, MyST .md, .py exports."
        ),
    ],
    data: Annotated[
        Path | None, typer.Option("--data", help="The table that they work on, for charts of whole frames.")
    ] = None,
    as_json: JsonFlag = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say of each statement that is kept what it is needed for."),
    ] = False,
) -> None:
    """Cut notebooks into self-contained components: each figure with the statements that it needs.

    Example: lakebook components old_analysis.ipynb --data avocado.csv --explain
    """
    from lakebook.cli.component_view import show_notebook
    from lakebook.notebooks.extract import explain_components
    from lakebook.notebooks.read import read_notebook

    schema = _schema(data) if data is not None else None
    files = _files(notebooks)
    progress = LineProgress()
    explained: list[tuple[Notebook, tuple[ExplainedComponent, ...]]] = []
    for done, path in enumerate(files):
        progress("cutting components", done, len(files), path.name)
        notebook = read_notebook(path, Path.cwd())
        explained.append((notebook, explain_components(notebook, schema)))
    progress.done()
    if as_json:
        print_json(_document(explained, explain=explain))
    else:
        console = out()
        for notebook, found in explained:
            show_notebook(console, notebook, found, explain=explain)
    _tell([notebook for notebook, _ in explained], sum(len(found) for _, found in explained))
    if any(notebook.status == "failed" for notebook, _ in explained):
        raise typer.Exit(_SOME_UNREADABLE)


def _tell(read: list[Notebook], number: int) -> None:
    """Say on stderr what could not be used, and how much there was."""
    for notebook in read:
        if notebook.status != "ok":
            warn(f"{notebook.path}: {_STATUS_WORDS[notebook.status]}: {notebook.reason}")
    counts = Counter(notebook.status for notebook in read if notebook.status in ("failed", "skipped"))
    others = "".join(f", {count} {status}" for status, count in sorted(counts.items()))
    notebooks = f"{len(read)} notebook{'' if len(read) == 1 else 's'}"
    note(f"{number} component{'' if number == 1 else 's'} of {notebooks}{others}")


def _files(given: list[Path]) -> list[Path]:
    from lakebook.notebooks.read import find_notebooks

    files: list[Path] = []
    for path in given:
        if not path.exists():
            raise UsageError("there is no such notebook.", where=str(path), hint="Check the path.")
        files.extend(find_notebooks(path) if path.is_dir() else [path])
    if not files:
        places = ", ".join(str(path) for path in given)
        raise UsageError(
            "there are no notebooks here.", where=places, hint="Name .ipynb files or their folder."
        )
    return [path.absolute() for path in files]


def _schema(data: Path) -> Schema:
    """Read the names and kinds of a table's columns, and if it is not too long what its values are like."""
    from lakebook.notebooks.schema import schema_of

    if not data.is_file():
        raise UsageError(
            "there is no such data file.", where=str(data), hint="Give the table's file to --data."
        )
    try:
        frame = _table(data)
    except (ValueError, OSError, ImportError) as error:
        raise UsageError(f"cannot be read as a table: {error}", where=str(data)) from error
    return schema_of(frame, is_whole=len(frame) < _MOST_ROWS)


def _table(data: Path) -> Any:
    import pandas as pd

    suffix = data.suffix.lower()
    if suffix == ".parquet":
        return pd.read_parquet(data)
    if suffix in (".xlsx", ".xls"):
        return pd.read_excel(data, nrows=_MOST_ROWS)
    if suffix == ".json":
        return pd.read_json(data)
    return pd.read_csv(data, nrows=_MOST_ROWS, sep=_separator(data), encoding_errors="replace")


def _separator(data: Path) -> str:
    """Return what separates the fields of a text file: what its first line has most of."""
    with data.open("rb") as file:
        header = file.readline(_LONGEST_HEADER).decode("utf-8", "replace")
    return max(_SEPARATORS, key=header.count)


def _document(
    explained: list[tuple[Notebook, tuple[ExplainedComponent, ...]]], *, explain: bool
) -> dict[str, list[Any]]:
    listed: list[Any] = []
    for _, found in explained:
        for one in found:
            entry = plain(one.component)
            if explain:
                entry["upstream"] = plain(one.upstream)
            listed.append(entry)
    books = [
        {
            "path": book.path,
            "status": book.status,
            "reason": book.reason,
            "order_reason": book.order_reason,
            "notes": list(book.notes),
        }
        for book, _ in explained
    ]
    return {"notebooks": books, "components": listed}
