"""`lakebook rerun`: run old notebooks' components on new data and show what came of them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakebook.cli.console import JsonFlag, LineProgress, note, out, print_json, warn
from lakebook.errors import SandboxFailed, UsageError

if TYPE_CHECKING:
    from lakebook.analyst.table import Table
    from lakebook.enhancement.rerun import Rerun
    from lakebook.notebooks.component import Component, Corpus
    from lakebook.retrieval.result import LeftOut
    from lakebook.sandbox.base import Session
    from lakebook.sources.card import Manifest

_SET_UP = """\
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

DATA_DIR = Path(os.environ["LAKEBOOK_DATA_DIR"])
"""
_SOME_UNREADABLE = 4


def rerun(
    notebooks: Annotated[Path, typer.Option("--notebooks", help="Folder of old notebooks.")],
    data: Annotated[Path, typer.Option("--data", help="The new table's file, or the folder it is in.")],
    dataset: Annotated[
        str, typer.Option("--dataset", help="Which table of the folder, by file or table name.")
    ] = "",
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Folder to write the figures to, as PNG.")
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="Most seconds for one component.")] = 20.0,
    sandbox: Annotated[
        str, typer.Option("--sandbox", help="auto, bubblewrap, docker, unsafe-local.")
    ] = "auto",
    as_json: JsonFlag = False,
) -> None:
    """Run the components of old notebooks on new data, repairing what fails, in isolation.

    Example: lakebook rerun --notebooks old_notebooks --data sales_2026.csv --out figures
    """
    from lakebook.enhancement.rerun import rerun as run_components
    from lakebook.retrieval.applicability import applicable

    folder = data if data.is_dir() else data.parent
    progress = LineProgress()
    table = _table(data, folder, dataset, progress)
    corpus = _corpus(notebooks, progress)
    components = {component.id: component for component in corpus.components}
    taken, left_out = applicable(corpus, table)
    runs: list[Rerun] = []
    documents: list[dict[str, Any]] = []
    if taken:
        with _session(sandbox, folder, table) as session:
            for run in run_components(taken, components, table, session, progress, seconds):
                runs.append(run)
                documents.append(_document(run, components[run.enhanced.component], out_dir))
    progress.done()
    documents += [_left_out(item, components[item.component]) for item in left_out]
    unreadable = [notebook for notebook in corpus.notebooks if notebook.status == "failed"]
    if as_json:
        print_json({"dataset": table.source, "components": documents})
    else:
        _show(documents)
    for notebook in unreadable:
        warn(f"{notebook.path}: {notebook.reason}")
    counts = {
        status: sum(r.enhanced.status == status for r in runs) for status in ("ok", "dropped", "failed")
    }
    note(
        f"{len(components)} components: {counts['ok']} work, {counts['dropped']} draw nothing worth showing, "
        f"{counts['failed']} failed, {len(left_out)} do not fit the table"
    )
    if unreadable:
        raise typer.Exit(_SOME_UNREADABLE)


def _table(data: Path, folder: Path, dataset: str, progress: LineProgress) -> Table:
    from lakebook.analyst.profile import table_from_card
    from lakebook.operators.group_table import open_dataset
    from lakebook.sources.profile import profile_lake
    from lakebook.sources.scan import scan

    if not data.exists():
        raise UsageError(
            "there is no such file or folder.", where=str(data), hint="Check the path given to --data."
        )
    wanted = dataset or (data.name if data.is_file() else "")
    with tempfile.TemporaryDirectory(prefix="lakebook-") as state:
        manifest = scan(folder, progress) if data.is_dir() else _only(data)
        source_map = profile_lake(folder, manifest, Path(state), progress)
        found = open_dataset(source_map, wanted, Path(state), progress)
    if found.chosen:
        note(f"dataset: {found.card.path} ({found.chosen})")
    return table_from_card(found.card, found.unit)


def _only(file: Path) -> Manifest:
    """Return the manifest of one file, so that its neighbours are not read."""
    from lakebook.sources.card import FileEntry, Manifest
    from lakebook.storage import hash_file

    return Manifest((FileEntry(file.name, file.stat().st_size, hash_file(file)),))


def _corpus(notebooks: Path, progress: LineProgress) -> Corpus:
    from lakebook.notebooks.extract import build_corpus
    from lakebook.sources.scan import scan

    if not notebooks.is_dir():
        raise UsageError("there is no such folder.", where=str(notebooks), hint="Give --notebooks a folder.")
    corpus = build_corpus(notebooks, scan(notebooks, progress), progress)
    if not corpus.notebooks:
        raise UsageError(
            "there are no notebooks here.", where=str(notebooks), hint="Name a folder of .ipynb files."
        )
    return corpus


def _session(preference: str, folder: Path, table: Table) -> Session:
    from lakebook.enhancement.run import preparation
    from lakebook.report.execute import open_for_notebook
    from lakebook.sandbox.choose import choose_sandbox
    from lakebook.settings import load_settings

    chosen = choose_sandbox(preference)
    if preference == "unsafe-local":
        warn("nothing is isolated: the notebooks' code runs with all your rights.")
    session = open_for_notebook(chosen, folder, load_settings().limits)
    for cell in (_SET_UP, preparation(), f"{table.load_code}\nbase = df"):
        result = session.run(cell)
        if result.error is not None:
            session.close()
            raise SandboxFailed(
                f"the dataset could not be loaded: {result.error.name}: {result.error.message}",
                where=table.path,
            )
    return session


def _document(run: Rerun, component: Component, out_dir: Path | None) -> dict[str, Any]:
    enhanced = run.enhanced
    return {
        "id": enhanced.component,
        "notebook": component.notebook,
        "cell": component.cell,
        "status": enhanced.status,
        "error": enhanced.error,
        "columns": enhanced.columns,
        "chart_types": component.chart_types,
        "repairs": enhanced.repairs,
        "figures": _written(run, component, out_dir),
        "figure_count": enhanced.figures,
        "code": enhanced.code,
    }


def _left_out(item: LeftOut, component: Component) -> dict[str, Any]:
    return {
        "id": item.component,
        "notebook": component.notebook,
        "cell": component.cell,
        "status": "not_applicable",
        "error": item.reason,
        "columns": (),
        "chart_types": component.chart_types,
        "repairs": (),
        "figures": (),
        "figure_count": 0,
        "code": "",
    }


def _written(run: Rerun, component: Component, out_dir: Path | None) -> list[str]:
    """Write the figures of a working component; return their paths."""
    if out_dir is None or run.enhanced.status != "ok":
        return []
    out_dir.mkdir(parents=True, exist_ok=True)
    stem = Path(component.notebook).with_suffix("").as_posix().replace("/", "-")
    paths = []
    for number, picture in enumerate(run.pictures, 1):
        path = out_dir / f"{stem}-cell{component.cell}-{component.id[:8]}-{number}.png"
        path.write_bytes(picture)
        paths.append(str(path))
    return paths


def _show(documents: Sequence[dict[str, Any]]) -> None:
    """Print one block a component: where it is from, how it went, and what was changed as a small diff."""
    from rich.markup import escape

    console = out()
    colors = {"ok": "green", "dropped": "yellow", "failed": "red", "not_applicable": "dim"}
    for item in documents:
        reason = f": {item['error']}" if item["error"] else ""
        status = f"[{colors[item['status']]}]{item['status'].replace('_', ' ')}[/]"
        console.print(f"{escape(item['notebook'])} cell {item['cell']}  {status}{escape(reason)}")
        for repair in item["repairs"]:
            console.print(f"    {repair.kind}")
            for mark, text in (("-", repair.before), ("+", repair.after)):
                for line in text.splitlines():
                    console.print(f"    {mark} {escape(line)}")
        for path in item["figures"]:
            console.print(f"    {escape(path)}")
