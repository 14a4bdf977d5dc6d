"""`lakebook rerun`: run old notebooks' components on new data and show what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakebook.cli.console import JsonFlag, LineProgress, note, out, print_json, warn
from lakebook.cli.sources import StateOption, map_folder, state_folder
from lakebook.errors import SandboxFailed, UsageError

if TYPE_CHECKING:
    from lakebook.analyst.table import Table
    from lakebook.enhancement.rerun import Rerun
    from lakebook.notebooks.component import Component, Corpus
    from lakebook.retrieval.lake import Lake
    from lakebook.retrieval.result import LeftOut, RetrievedComponent
    from lakebook.sandbox.base import Session
    from lakebook.sources.card import SourceMap

_SOME_UNREADABLE = 4


def rerun(
    notebooks: Annotated[Path, typer.Option("--notebooks", help="Folder of old notebooks.")],
    data: Annotated[Path, typer.Option("--data", help="The new table's file, or the folder it is in.")],
    dataset: Annotated[
        str,
        typer.Option(
            "--dataset",
            help="Which table or group of the folder; by default each component gets the one that fits it.",
        ),
    ] = "",
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Folder to write the figures to, as PNG.")
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="Most seconds for one component.")] = 20.0,
    sandbox: Annotated[
        str, typer.Option("--sandbox", help="auto, bubblewrap, docker, unsafe-local.")
    ] = "auto",
    state: StateOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Run the components of old notebooks on new data, repairing what fails, in isolation.

    Exit code 4 says that some notebooks or data files could not be read, wholly or in part.

    Example: lakebook rerun --notebooks old_notebooks --data sales_2026.csv --out figures
    """
    progress = LineProgress()
    source_map = _source_map(data, state)
    corpus = _corpus(notebooks, progress)
    components = {component.id: component for component in corpus.components}
    lake, work, left_out = _shared_out(corpus, source_map, dataset, state_folder(state), progress)
    if work and not dataset and len(source_map.tables()) > 1:
        note(f"each component gets the table that fits it: {', '.join(table.source for table, _ in work)}")
    runs: list[Rerun] = []
    documents: list[dict[str, Any]] = []
    folder = data if data.is_dir() else data.parent
    for table, run in _run(work, components, lake, folder, sandbox, seconds, progress):
        runs.append(run)
        documents.append(_document(run, components[run.enhanced.component], table, out_dir))
    progress.done()
    documents += [_left_out(item, components[item.component]) for item in left_out]
    unreadable = [notebook for notebook in corpus.notebooks if notebook.status == "failed"]
    unread = [card for card in source_map.cards if card.status in ("failed", "partial")]
    if as_json:
        print_json({"dataset": work[0][0].source if len(work) == 1 else dataset, "components": documents})
    else:
        _show(documents)
    for notebook in unreadable:
        warn(f"{notebook.path}: {notebook.reason}")
    for card in unread:
        warn(f"{card.path}: {card.reason}")
    counts = {
        status: sum(r.enhanced.status == status for r in runs) for status in ("ok", "dropped", "failed")
    }
    note(
        f"{len(components)} components: {counts['ok']} work, {counts['dropped']} draw nothing worth showing, "
        f"{counts['failed']} failed, {len(left_out)} do not fit the {'table' if dataset else 'data'}"
    )
    if unreadable or unread:
        raise typer.Exit(_SOME_UNREADABLE)


def _source_map(data: Path, state: Path | None) -> SourceMap:
    """Return the map of the folder, or of the one file; notes on the sources count as in every command."""
    if not data.exists():
        raise UsageError(
            "there is no such file or folder.", where=str(data), hint="Check the path given to --data."
        )
    if data.is_dir():
        return map_folder(data, state)
    return map_folder(data.parent, state, only=data.name)


def _shared_out(
    corpus: Corpus, source_map: SourceMap, dataset: str, state: Path, progress: LineProgress
) -> tuple[Lake, list[tuple[Table, tuple[RetrievedComponent, ...]]], tuple[LeftOut, ...]]:
    """Say which components run on which table: the one that is named, or for each the one that fits."""
    from lakebook.analyst.profile import table_from_card
    from lakebook.operators.group_table import open_dataset
    from lakebook.retrieval.applicability import applicable, applicable_to_each
    from lakebook.retrieval.lake import Lake

    lake = Lake.of(source_map)
    if not dataset and len(lake.entries) > 1:
        shared, left_out = applicable_to_each(corpus, lake)
        return lake, [(lake.table(source), taken) for source, taken in shared.items()], left_out
    found = open_dataset(source_map, dataset, state, progress)
    if not found.unit.rows:
        raise UsageError(
            "the dataset has no rows.",
            where=found.card.path,
            hint="`lakebook sources DIR` shows what was read of it.",
        )
    table = table_from_card(found.card, found.unit)
    taken, left_out = applicable(corpus, table, lake)
    return lake, [(table, taken)], left_out


def _run(
    work: Sequence[tuple[Table, tuple[RetrievedComponent, ...]]],
    components: Mapping[str, Component],
    lake: Lake,
    folder: Path,
    sandbox: str,
    seconds: float,
    progress: LineProgress,
) -> Iterator[tuple[Table, Rerun]]:
    """Run the components table by table, in one session."""
    from lakebook.analyst.methods import method_names
    from lakebook.enhancement.rerun import rerun as run_components
    from lakebook.enhancement.run import preparation
    from lakebook.report.execute import open_for_notebook
    from lakebook.report.methods_source import source_of
    from lakebook.report.opening import setup_code
    from lakebook.sandbox.choose import choose_sandbox
    from lakebook.settings import load_settings

    if not any(taken for _, taken in work):
        return
    chosen = choose_sandbox(sandbox)
    if not chosen.isolated:
        warn("nothing is isolated: the notebooks' code runs with all your rights.")
    with open_for_notebook(chosen, folder, load_settings().limits) as session:
        for cell in (setup_code(folder, folder), source_of(method_names()), preparation()):
            _prepare(session, cell, str(folder))
        for table, taken in work:
            _prepare(session, f"{table.load_code}\nbase = df", table.path)
            for run in run_components(taken, components, table, session, progress, seconds, lake=lake):
                yield table, run


def _prepare(session: Session, cell: str, where: str) -> None:
    result = session.run(cell)
    if result.error is not None:
        raise SandboxFailed(
            f"the dataset could not be loaded: {result.error.name}: {result.error.message}", where=where
        )


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


def _document(run: Rerun, component: Component, table: Table, out_dir: Path | None) -> dict[str, Any]:
    enhanced = run.enhanced
    return {
        "id": enhanced.component,
        "notebook": component.notebook,
        "cell": component.cell,
        "status": enhanced.status,
        "error": enhanced.error,
        "table": table.source,
        "also_read": enhanced.tables,
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
        "table": "",
        "also_read": (),
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
        read = [item["table"], *(one.source for one in item["also_read"])]
        if len(read) > 1:
            console.print(f"    reads {escape(', '.join(read))}")
        for repair in item["repairs"]:
            console.print(f"    {repair.kind}")
            for mark, text in (("-", repair.before), ("+", repair.after)):
                for line in text.splitlines():
                    console.print(f"    {mark} {escape(line)}")
        for path in item["figures"]:
            console.print(f"    {escape(path)}")
