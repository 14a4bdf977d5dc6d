"""`lakebook ask DIR "question"`: the agent answers with the runtime, or the offline analyst without a model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from lakebook.cli import console
from lakebook.cli.ask_view import Teller, code_of, print_answer, source_lines
from lakebook.cli.sources import StateOption, exit_if_unread, map_folder
from lakebook.errors import UsageError
from lakebook.validation.contract import AnswerType, Contract

if TYPE_CHECKING:
    from lakebook.agent.kept import Keeper
    from lakebook.agent.outcome import Outcome
    from lakebook.analyst.model.budget import Budget
    from lakebook.operators.runtime import Runtime
    from lakebook.settings import ModelSettings, Settings
    from lakebook.sources.card import SourceMap

_EXIT = {"answered": 0, "declined": 1, "failed": 1, "rejected": 3, "budget": 5}
_ABLATED = {
    "exploration": "--no-exploration: nothing was looked up before; only names of tables are told",
    "validation": "--no-validation: NO RULE IS CHECKED; wrong operations run and wrong answers are delivered",
}


def ask(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The lake.")],
    question: Annotated[str, typer.Argument(help="What you want to know, in plain words.")],
    kind: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="number, integer, text, boolean, date, list, table.")
    ] = None,
    decimals: Annotated[
        int | None, typer.Option("--decimals", min=0, max=15, help="Round numbers to so many digits.")
    ] = None,
    unit: Annotated[str, typer.Option("--unit", help="What a number is counted in, such as % or USD.")] = "",
    offline: Annotated[bool, typer.Option("--offline", help="Ask no model, even if one is set.")] = False,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Replies of the model at most.")] = 25,
    no_exploration: Annotated[
        bool, typer.Option("--no-exploration", help="Ablation: look nothing up before the model starts.")
    ] = False,
    no_validation: Annotated[
        bool, typer.Option("--no-validation", help="Ablation: check no operation and no answer.")
    ] = False,
    sandbox: Annotated[
        str, typer.Option("--sandbox", help="For Python: auto, bubblewrap, docker, unsafe-local.")
    ] = "auto",
    json: console.JsonFlag = False,
    state: StateOption = None,
) -> None:
    """Answer a question about a folder of data, and show the queries that compute the answer.

    With a model set (LAKEBOOK_MODEL), it writes queries that are checked and run here; without one, the offline
    analyst answers what it can read with certainty. Exit codes: 1 no answer, 3 the answers that came did not
    stand up to the checks, 4 answered but some files could not be read, 5 stopped by a budget.

    Example: lakebook ask example-lake "What is the average price of organic avocados?" --type number --decimals 2
    """
    from lakebook.agent.kept import Asked, Keeper
    from lakebook.settings import load_settings

    if not question.strip():
        raise UsageError("the question is empty.", hint="Say in words what you want to know.")
    contract = _contract(kind, decimals, unit)
    settings = load_settings({"state": str(state.resolve()) if state else None})
    model = None if offline else settings.language_model
    source_map = map_folder(folder, state)
    ablations = tuple(name for name, off in (("exploration", no_exploration), ("validation", no_validation)) if off)
    for name in ablations:
        console.warn(_ABLATED[name])
    asked = Asked(
        question,
        model.name if model else "offline",
        model.privacy if model else "",
        contract,
        rounds if model else 0,
        ablations,
    )
    keeper = Keeper(settings.state, asked)
    with _runtime(source_map, folder, settings, keeper, sandbox) as runtime:
        outcome = _by_model(model, runtime, source_map, settings, keeper) if model else None
        if outcome is None or outcome.ending == "failed":
            outcome = _offline(runtime, asked, outcome, told_why=model is not None)
        keeper.ended(outcome)
    _print_json(outcome, keeper) if json else _print_text(outcome, keeper)
    if outcome.ending != "answered":
        raise typer.Exit(_EXIT[outcome.ending])
    exit_if_unread(source_map)


def _contract(kind: str | None, decimals: int | None, unit: str) -> Contract:
    known = get_args(AnswerType)
    if kind is not None and kind not in known:
        raise UsageError(f"there is no type {kind!r} of answers.", hint=f"Known: {', '.join(known)}.")
    return Contract(type=kind, decimals=decimals, unit=unit)


@contextmanager
def _runtime(
    source_map: SourceMap, folder: Path, settings: Settings, keeper: Keeper, sandbox: str
) -> Iterator[Runtime]:
    """Open the runtime of one question; a sandbox is started only once Python is to be run."""
    from lakebook.operators.runtime import Runtime
    from lakebook.operators.workbench import Workbench, bench_opener
    from lakebook.sources.profile import table_file
    from lakebook.validation.question import read_question

    def open_bench() -> Workbench:
        from lakebook.sandbox.choose import choose_sandbox

        chosen = choose_sandbox(sandbox)
        if not chosen.isolated:
            console.warn("nothing is isolated: the model's code runs with all your rights.")
        return bench_opener(chosen, keeper.folder, limits=settings.limits)()

    asked = keeper.run.asked
    with Runtime(
        source_map,
        lambda card, unit: table_file(settings.state, card, unit),
        question=read_question(asked.question),
        contract=asked.contract,
        validation="validation" not in asked.ablations,
        root=folder,
        kept=settings.state,
        bench=open_bench,
    ) as runtime:
        yield runtime


def _by_model(
    model: ModelSettings, runtime: Runtime, source_map: SourceMap, settings: Settings, keeper: Keeper
) -> Outcome | None:
    """Have the model answer; None if it gave no reply at all."""
    from lakebook.agent.loop import Task
    from lakebook.agent.loop import ask as ask_model
    from lakebook.analyst.model.budget import open_budget
    from lakebook.analyst.model.client import shown_address
    from lakebook.analyst.model.layers import open_model
    from lakebook.analyst.model.protocol import ModelFailed
    from lakebook.exploration.search import search_lake

    asked = keeper.run.asked
    console.note(f"Asked at {shown_address(model.base_url)}: {model.name}, privacy {model.privacy}.")
    found = None
    if "exploration" not in asked.ablations:
        progress = console.LineProgress()
        found = search_lake(source_map, settings.state, asked.question, progress=progress)
        progress.done()
    keeper.explored(found)
    task = Task(
        asked.question,
        asked.contract,
        privacy=model.privacy,
        rounds=asked.rounds,
        found=found,
        person=_person if sys.stdin.isatty() and sys.stderr.isatty() else None,
    )
    budget = open_budget(model)
    try:
        outcome = ask_model(
            task, open_model(model, settings.state, budget), runtime, source_map, (Teller(), keeper)
        )
    except ModelFailed as failure:
        hint = f" {failure.hint}" if failure.hint else ""
        console.warn(f"{model.name} gave no reply: {failure.message}.{hint}")
        return None
    return outcome


def _person(question: str) -> str:
    """Ask the person at the terminal."""
    sys.stderr.write(f"\n{console.visible(question)}\n> ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()
