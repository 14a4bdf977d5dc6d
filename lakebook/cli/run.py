"""`lakebook run`: the main job, as a Dagster run with its history kept."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakebook.analysis import Analysis
from lakebook.cli import console, spending
from lakebook.errors import CheckFailed, UsageError
from lakebook.settings import PROJECT_FILE, Settings, load_settings

if TYPE_CHECKING:
    from lakebook.analyst.model.forecast import Forecast
    from lakebook.pipeline.outcome import RunSummary
    from lakebook.pipeline.project import Project


def run(
    intent: Annotated[
        str | None, typer.Option(help="What you want to know, in a sentence (default: all of lakebook.toml).")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The lake: a folder of data files.")] = None,
    notebooks: Annotated[Path | None, typer.Option(help="The corpus: a folder of old notebooks.")] = None,
    dataset: Annotated[
        str, typer.Option(help="File, table or group of files to analyse (default: the largest table).")
    ] = "",
    out: Annotated[Path | None, typer.Option(help="Where notebook and report go.")] = None,
    sandbox: Annotated[str | None, typer.Option(help="auto, bubblewrap, docker, unsafe-local.")] = None,
    retrieval: Annotated[
        str | None,
        typer.Option(help="columns: components by what they use; general: cells as texts, for comparison."),
    ] = None,
    max_cost: spending.MaxCost = None,
    max_calls: spending.MaxCalls = None,
    max_tokens: spending.MaxTokens = None,
    max_seconds: spending.MaxSeconds = None,
    dry_run: spending.DryRun = False,
    json_output: console.JsonFlag = False,
) -> None:
    """Make a verified notebook from a lake, old notebooks and an intent.

    Example: lakebook run --data lake --notebooks old --dataset sales.csv --intent "which regions lose money?"
    """
    limits = spending.limit_flags(max_cost, max_calls, max_tokens, max_seconds)
    settings = load_settings(_flags(data, notebooks, sandbox, retrieval) | limits)
    analyses = _analyses(settings, intent, dataset)
    if out is not None and len(analyses) > 1:
        raise UsageError(
            f"--out names one folder, {PROJECT_FILE} declares {len(analyses)} analyses.",
            hint="Leave --out away; each gets a folder of its own.",
        )
    if dry_run:
        _only_tell(settings, analyses, json_output)
        return
    summaries = [_timed(settings, analysis, out, json_output) for analysis in analyses]
    if json_output:
        documents = [document for _, document in summaries]
        console.print_json(documents[0] if len(documents) == 1 else {"analyses": documents})
    raise typer.Exit(max(summary.exit_code for summary, _ in summaries))


def _analyses(settings: Settings, intent: str | None, dataset: str) -> tuple[Analysis, ...]:
    """Return the analysis of the flags, else those that the project declares."""
    if intent is not None and not intent.strip():
        raise UsageError("the intent is empty.", hint='Say what you want to know: --intent "…".')
    if intent is not None:
        return (Analysis(intent.strip(), dataset),)
    if not settings.analyses:
        raise UsageError(
            "no intent is given.",
            hint=f'Say what you want to know: --intent "…", or declare it in {PROJECT_FILE}.',
        )
    return settings.analyses


def _only_tell(settings: Settings, analyses: Sequence[Analysis], json_output: bool) -> None:
    """Say what models would be asked, and send nothing."""
    _tell_who_works(settings)
    forecasts = [_forecast(settings, analysis) for analysis in analyses]
    if json_output:
        documents = [
            {"intent": one.intent, "dry_run": True, "expected": expected}
            for one, expected in zip(analyses, forecasts, strict=True)
        ]
        console.print_json(documents[0] if len(documents) == 1 else {"analyses": documents})
    console.note("Dry run: nothing was sent, and nothing was made.")


def _forecast(settings: Settings, analysis: Analysis) -> Forecast | None:
    """Say what models will use for an analysis; None if none is set."""
    model = settings.language_model or settings.vision_model
    if model is None:
        return None
    from lakebook.analyst.model.forecast import forecast, main_job
    from lakebook.analyst.model.ledger import LEDGER
    from lakebook.pipeline.outcome import columns_known

    columns = columns_known(settings.state, analysis.dataset)
    found = forecast(main_job(columns, model), model, settings.state / LEDGER)
    spending.tell_forecast(model, found)
    return found


def _timed(
    settings: Settings, analysis: Analysis, out: Path | None, json_output: bool
) -> tuple[RunSummary, dict[str, Any]]:
    """Run one analysis, and show it unless JSON is wanted; return it with its JSON document."""
    progress = console.LineProgress()
    started = time.perf_counter()
    summary = _run(settings, analysis, out, progress)
    progress.done()
    seconds = round(time.perf_counter() - started, 1)
    document: dict[str, Any] = console.plain(summary)
    del document["exit_code"], document["text"]
    if not json_output:
        console.out().print(summary.text, markup=False)
        console.note(f"{seconds:g} s; run {summary.run_id} is in the history: lakebook dagster")
    return summary, document | {"seconds": seconds}


def _flags(
    data: Path | None, notebooks: Path | None, sandbox: str | None, retrieval: str | None
) -> dict[str, str | None]:
    """Paths of flags start at the current folder, those of files at the project's."""
    return {
        "data": str(data.resolve()) if data else None,
        "notebooks": str(notebooks.resolve()) if notebooks else None,
        "sandbox": sandbox,
        "retrieval": retrieval,
    }


def _run(
    settings: Settings, analysis: Analysis, out: Path | None, progress: console.LineProgress
) -> RunSummary:
    from lakebook.pipeline import STAGES
    from lakebook.pipeline.outcome import finished_before, remember, summarize_run
    from lakebook.pipeline.project import declare_analysis, remember_places
    from lakebook.pipeline.stage import is_current

    project = _open_project(settings, progress)
    _tell_who_works(settings)
    target = (out or Path("lakebook-out") / analysis.id).resolve()
    remember_places(project.state, project.data, project.notebooks)
    declare_analysis(project.state, analysis, target)
    done = finished_before(project, analysis.id)
    if done is not None and is_current(tuple(STAGES.values()), project, analysis.id):
        progress.done()
        console.note("Nothing changed since the last run; its results stand.")
        _deliver(project, analysis.id, target)
        return done
    _forecast(settings, analysis)
    from definitions.launch import launch

    try:
        outcome = launch(project, analysis.id)
    finally:
        project.close()
    progress.done()
    _tell_of_model(project)
    for notice in dict.fromkeys(project.notices):
        console.warn(notice)
    _deliver(project, analysis.id, target)
    summary = summarize_run(project, analysis.id, outcome.run_id, outcome.checks, target)
    if outcome.error is not None:
        raise outcome.error
    # Behind a failed check nothing is evaluated, and the summary names that check.
    if outcome.unevaluated and not any(check.status == "failed" for check in summary.checks):
        names = ", ".join(outcome.unevaluated)
        raise CheckFailed(f"{len(outcome.unevaluated)} planned checks were never evaluated: {names}.")
    remember(project, analysis.id, summary)
    return replace(summary, exit_code=spending.exit_code(summary.exit_code, project.budget))


def _open_project(settings: Settings, progress: console.LineProgress) -> Project:
    from lakebook.pipeline.project import Project, require_folder

    if settings.data is None:
        raise UsageError(
            "no lake is given.", hint="Name its folder: --data DIR (or `data` in lakebook.toml)."
        )
    data = require_folder(settings.data, "data")
    notebooks = require_folder(settings.notebooks, "notebooks") if settings.notebooks else None
    project = Project(
        state=settings.state,
        data=data,
        notebooks=notebooks,
        sandbox_preference=settings["sandbox"],
        limits=settings.limits,
        root=settings.root,
        day_order=settings.day_order,
        progress=progress,
        model=settings.language_model,
        retrieval=settings.retrieval,
        embedding=settings.embedding_model,
        vision=settings.vision_model,
    )
    if project.vision is not None:
        name, reader = project.vision.name, project.figure_reader
        leaves = (
            "pictures of rerun figures leave for it" if reader else "privacy is not full: it is not asked"
        )
        console.note(f"Vision model {name}: {leaves}.")
    if project.embeddings is not None:
        name = project.embeddings.name
        console.note(f"Embedding model {name}: passages of old notebooks' prose leave for it, to be found.")
    if project.retrieval == "general":
        console.note("Retrieval: cells as texts (the baseline); columns are not looked at.")
    if not project.sandbox.isolated:
        console.warn("code of old notebooks runs WITHOUT isolation (--sandbox=unsafe-local).")
    return project


def _tell_who_works(settings: Settings) -> None:
    """Say which analyst works, and what leaves the machine for it."""
    model = settings.language_model
    if model is None:
        lacks = settings["model"] and "; LAKEBOOK_MODEL is set, but no OPENAI_API_KEY or OPENAI_BASE_URL is"
        console.note(f"Offline analyst: no language model is used, and nothing leaves this machine{lacks}.")
        return
    from lakebook.analyst.model.client import shown_address
    from lakebook.analyst.model.ledger import LEDGER
    from lakebook.analyst.model.privacy import allows

    leaves = "the question and the names and types of columns"
    leaves += ", and sentences of checked findings" if allows(model.privacy, "samples") else ""
    console.note(
        f"Model {model.name} at {shown_address(model.base_url)} is asked, the offline analyst does the rest. "
        f"What leaves: {leaves}, nothing else; each request is kept in {settings.state / LEDGER}."
    )


def _tell_of_model(project: Project) -> None:
    """Say what the model cost, and where it was of no use."""
    for note in project.figure_reader.notes if project.figure_reader else ():
        console.warn(note)
    analyst = project.language_model
    if analyst is None:
        return
    for note in analyst.notes:
        console.warn(note)
    if project.budget is not None:
        spending.tell_spent(analyst.name, project.budget)


def _deliver(project: Project, partition: str, target: Path) -> None:
    """Copy what was made to where it was asked for; a failed run delivers what there is."""
    from lakebook.storage import OWN_FILES

    target.mkdir(parents=True, exist_ok=True)
    for asset in ("eda_notebook", "eda_report"):
        folder = project.store.folder(asset, partition)
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name not in OWN_FILES and not path.name.startswith("."):
                copy = target / path.relative_to(folder)
                copy.parent.mkdir(exist_ok=True)
                shutil.copyfile(path, copy)
