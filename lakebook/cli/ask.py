"""`lakebook ask DIR "question"`: the agent answers with the runtime, or the offline analyst alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from lakebook.cli import console, spending
from lakebook.cli.sources import StateOption, exit_if_unread, map_folder
from lakebook.errors import UsageError
from lakebook.validation.contract import AnswerType, Contract

if TYPE_CHECKING:
    from lakebook.agent.kept import Asked, Keeper
    from lakebook.agent.outcome import Outcome
    from lakebook.analyst.model.budget import Budget
    from lakebook.analyst.model.protocol import LanguageModel
    from lakebook.operators.runtime import Runtime
    from lakebook.sandbox.base import Sandbox
    from lakebook.settings import ModelSettings, Settings
    from lakebook.sources.card import SourceMap
    from lakebook.validation.repair import Repairing

ROUNDS = 25
_REPAIRS = 5  # calls that are left for repairs where each round takes one
_TOKENS = (1_800, 250, 120)  # of a first request, of what a round adds, of a reply: what short questions take
_EXIT = {"answered": 0, "declined": 1, "failed": 1, "rejected": 3, "budget": 5}
_ABLATED = {
    "exploration": "--no-exploration: nothing is looked up before; the model is told names of tables only",
    "validation": "--no-validation: NO RULE IS CHECKED; wrong operations run, wrong answers are delivered",
}


def ask(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The lake.")],
    question: Annotated[str, typer.Argument(help="What you want to know, in plain words.")],
    kind: Annotated[
        str | None,
        typer.Option("--type", help="number, integer, text, boolean, date, list or table.", metavar="TYPE"),
    ] = None,
    decimals: Annotated[
        int | None, typer.Option("--decimals", min=0, max=15, help="Digits that numbers are rounded to.")
    ] = None,
    unit: Annotated[str, typer.Option("--unit", help="What a number is counted in, as % or USD.")] = "",
    offline: Annotated[bool, typer.Option("--offline", help="Ask no model, even if one is set.")] = False,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Most replies of the model.")] = ROUNDS,
    no_exploration: Annotated[
        bool, typer.Option("--no-exploration", help="Ablation: look nothing up before the model starts.")
    ] = False,
    no_validation: Annotated[
        bool, typer.Option("--no-validation", help="Ablation: check no operation and no answer.")
    ] = False,
    sandbox: Annotated[
        str, typer.Option("--sandbox", help="For Python: auto, bubblewrap, docker, unsafe-local.")
    ] = "auto",
    max_cost: spending.MaxCost = None,
    max_calls: spending.MaxCalls = None,
    max_tokens: spending.MaxTokens = None,
    max_seconds: spending.MaxSeconds = None,
    dry_run: spending.DryRun = False,
    json: console.JsonFlag = False,
    state: StateOption = None,
) -> None:
    """Answer a question about a folder of data, and show the queries that computed the answer.

    A model (LAKEBOOK_MODEL) writes queries, which are checked and run here; without one, the offline analyst
    answers what it can read with certainty. Exit codes: 1 no answer, 3 the answer did not stand up to the
    checks, 4 answered, but some files could not be read, 5 stopped by a budget.

    Example: lakebook ask example-lake "What is the average price of organic avocados?" --type number
    """
    from lakebook.agent.kept import Asked, Keeper
    from lakebook.settings import load_settings

    if not question.strip():
        raise UsageError("the question is empty.", hint="Say in words what you want to know.")
    contract = _contract(kind, decimals, unit)
    limits = spending.limit_flags(max_cost, max_calls, max_tokens, max_seconds)
    settings = load_settings({"state": str(state.resolve()) if state else None} | limits)
    model = None if offline else settings.language_model
    switched = (("exploration", no_exploration), ("validation", no_validation))
    ablations = tuple(name for name, off in switched if off)
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
    source_map = map_folder(folder, state)
    if model is not None:
        model = _with_calls(model, settings, rounds)
        _tell_forecast(model, settings, rounds)
    if dry_run:
        console.note("Dry run: nothing was sent, and nothing is answered.")
        return
    keeper = Keeper(settings.state, asked)
    outcome = _answered(asked, model, source_map, folder, settings, keeper, sandbox)
    keeper.ended(outcome)
    _show(outcome, asked, keeper.folder, as_json=json)
    if outcome.ending != "answered":
        raise typer.Exit(_EXIT[outcome.ending])
    exit_if_unread(source_map)


def _contract(kind: str | None, decimals: int | None, unit: str) -> Contract:
    known = get_args(AnswerType)
    if kind is not None and kind not in known:
        raise UsageError(f"there is no type {kind!r} of answers.", hint=f"Known: {', '.join(known)}.")
    return Contract(type=cast("AnswerType | None", kind), decimals=decimals, unit=unit)


def _with_calls(model: ModelSettings, settings: Settings, rounds: int) -> ModelSettings:
    """Return a model that may be called once a round and for repairs, unless its limit was set."""
    if settings.values["max_calls"].origin != "default":
        return model
    return replace(model, max_calls=max(model.max_calls, rounds + _REPAIRS))


def _tell_forecast(model: ModelSettings, settings: Settings, rounds: int) -> None:
    from lakebook.analyst.model.forecast import conversation, forecast
    from lakebook.analyst.model.ledger import LEDGER

    planned = conversation((1, rounds), *_TOKENS)
    spending.tell_forecast(model, forecast(planned, model, settings.state / LEDGER))


def _answered(
    asked: Asked,
    model: ModelSettings | None,
    source_map: SourceMap,
    folder: Path,
    settings: Settings,
    keeper: Keeper,
    sandbox: str,
) -> Outcome:
    """Have the model answer, if one is set; the offline analyst if not, or if the model was of no use."""
    from lakebook.agent.without_model import ask_offline
    from lakebook.operators.opening import open_lake_runtime
    from lakebook.validation.question import read_question

    def choose() -> Sandbox:
        from lakebook.sandbox.choose import choose_sandbox

        chosen = choose_sandbox(sandbox)
        if not chosen.isolated:
            console.warn("nothing is isolated: the model's code runs with all your rights.")
        return chosen

    def opened(repairing: Repairing | None = None) -> Runtime:
        return open_lake_runtime(
            source_map,
            settings.state,
            keeper.folder,
            root=folder,
            sandbox=choose,
            limits=settings.limits,
            question=read_question(asked.question),
            contract=asked.contract,
            validation="validation" not in asked.ablations,
            repairing=repairing,
        )

    if model is not None:
        from lakebook.analyst.model.budget import open_budget
        from lakebook.analyst.model.layers import open_model
        from lakebook.analyst.model.ledger import LEDGER, Ledgered
        from lakebook.analyst.model.statements import ModelMender
        from lakebook.validation.repair import Repairing

        budget = open_budget(model)
        kept = Ledgered(open_model(model, settings.state, budget), keeper.folder / LEDGER, model.price)
        with opened(Repairing(ModelMender(kept, model.privacy))) as runtime:
            outcome = _by_model(model, kept, budget, runtime, source_map, settings, keeper)
        if outcome is not None and outcome.ending != "failed":
            return outcome
        if outcome is not None:
            console.warn(f"{model.name} was of no use: {outcome.reason}")
        console.note("The offline analyst answers instead.")
    else:
        console.note("No model is asked: the offline analyst answers what it can read with certainty.")
    with opened() as runtime:
        return ask_offline(asked.question, runtime, asked.contract, _choice if _person_is_there() else None)


def _by_model(
    model: ModelSettings,
    kept: LanguageModel,
    budget: Budget,
    runtime: Runtime,
    source_map: SourceMap,
    settings: Settings,
    keeper: Keeper,
) -> Outcome | None:
    """Have the model answer; None if it gave no reply at all, which is told."""
    from lakebook.agent.loop import Task
    from lakebook.agent.loop import ask as ask_model
    from lakebook.analyst.model.client import shown_address
    from lakebook.analyst.model.protocol import ModelFailed
    from lakebook.cli.ask_view import Teller
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
        validation="validation" not in asked.ablations,
        person=_person if _person_is_there() else None,
    )
    try:
        return ask_model(task, kept, runtime, source_map, (Teller(), keeper))
    except ModelFailed as failure:
        hint = f" {failure.hint}" if failure.hint else ""
        console.warn(f"{model.name} gave no reply: {failure.message}.{hint}")
        return None
    finally:
        console.note(f"{model.name}: {budget.told()}.")


def _person_is_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _person(question: str) -> str:
    """Ask the person at the terminal; an empty line says nothing."""
    sys.stderr.write(f"\n{console.visible(question)}\n> ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def _choice(question: str, options: Sequence[str]) -> int | None:
    """Have the person choose by number; anything else chooses nothing."""
    listed = "\n".join(f"  {number}. {option}" for number, option in enumerate(options, start=1))
    said = _person(f"{question}\n{listed}")
    return int(said) - 1 if said.isdecimal() and 1 <= int(said) <= len(options) else None


def _show(outcome: Outcome, asked: Asked, folder: Path, *, as_json: bool) -> None:
    from lakebook.cli.ask_view import document, print_answer

    if as_json:
        console.print_json(document(outcome, asked, folder))
    else:
        print_answer(outcome)
    if outcome.ending != "answered":
        said = {"budget": "stopped by the budget", "rejected": "no answer stood up to the checks"}
        console.fail(f"{said.get(outcome.ending, 'no answer')}: {outcome.reason}")
        for note in outcome.notes:
            console.note(note)
    for name in asked.ablations:
        console.warn(_ABLATED[name])
    console.note(f"The run is kept in {folder}.")
