"""`lakebook components`: cut notebooks into components and show them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakebook.cli.console import JsonFlag, note, out, plain, print_json, warn
from lakebook.errors import UsageError

if TYPE_CHECKING:
    from lakebook.notebooks.component import Notebook
    from lakebook.notebooks.extract import ExplainedComponent
    from lakebook.notebooks.schema import Schema

_SOME_UNREADABLE = 4
_MOST_ROWS = 100_000


def components(
    notebooks: Annotated[
        list[Path], typer.Argument(help="Notebooks (.ipynb, exported .py) or folders of them.")
    ],
    data: Annotated[
        Path | None, typer.Option("--data", help="The table that they work on, for charts of whole frames.")
    ] = None,
    as_json: JsonFlag = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each statement before the target is kept.")
    ] = False,
) -> None:
    """Cut notebooks into self-contained components: each figure with the statements that it needs.

    Example: lakebook components old_analysis.ipynb --data avocado.csv --explain
    """
    from lakebook.notebooks.extract import explain_components
    from lakebook.notebooks.read import read_notebook

    schema = _schema(data) if data is not None else None
    read = [read_notebook(path, Path.cwd()) for path in _files(notebooks)]
    explained = [(notebook, explain_components(notebook, schema)) for notebook in read]
    if as_json:
        print_json(_document(explained, explain=explain))
    else:
        for notebook, found in explained:
            _show(notebook, found, explain=explain)
        note(f"{sum(len(found) for _, found in explained)} components of {len(read)} notebooks")
    if any(notebook.status == "failed" for notebook in read):
        raise typer.Exit(_SOME_UNREADABLE)


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
    separator = "\t" if suffix in (".tsv", ".tab") else ","
    return pd.read_csv(data, nrows=_MOST_ROWS, sep=separator, encoding_errors="replace")


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
    books = [{"path": book.path, "status": book.status, "reason": book.reason} for book, _ in explained]
    return {"notebooks": books, "components": listed}


def _show(notebook: Notebook, found: tuple[ExplainedComponent, ...], *, explain: bool) -> None:
    if notebook.status != "ok":
        warn(f"{notebook.path}: {notebook.status}: {notebook.reason}")
    console = out()
    for one in found:
        component = one.component
        console.rule(f"{notebook.path}, cell {component.cell}", align="left")
        facts = [
            ("heading", component.heading),
            ("chart", ", ".join(component.chart_types)),
            ("columns", ", ".join(component.columns)),
            ("filtered by", ", ".join(component.filter_columns)),
            ("keys", ", ".join(component.key_columns)),
            ("reads", ", ".join(path or "(a path that is not literal)" for path in component.reads)),
            ("upstream", f"{component.statements_kept} of {component.statements_before} statements"),
            ("confidence", f"{component.confidence:g}{': ' + component.reason if component.reason else ''}"),
        ]
        for label, text in facts:
            if text:
                console.print(f"{label:>12}  {text}", markup=False)
        if explain:
            for kept in one.upstream:
                shown = kept.text if kept.is_cut else kept.text.partition("\n")[0]
                wanted = ", ".join(kept.wanted_for) + (" (only this part of it)" if kept.is_cut else "")
                code = shown.replace("\n", "\n      | ")
                console.print(f"  cell {kept.cell}: {code}\n      for {wanted}", markup=False)
        else:
            console.print(component.code, markup=False)
