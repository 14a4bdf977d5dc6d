"""Spending, for every command that may ask a model: its options, what is said before, and how it ends.

What belongs here: the options' types for typer, the settings that they stand for, and the words. What a run
may spend is kept to in `analyst.model.budget`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lakebook.cli import console

if TYPE_CHECKING:
    from lakebook.analyst.model.budget import Budget
    from lakebook.analyst.model.forecast import Forecast
    from lakebook.settings import ModelSettings

BUDGET_SPENT = 5

MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Most that models may cost, in the currency of `model.prices`."),
]
MaxCalls = Annotated[int | None, typer.Option("--max-calls", min=0, help="Most calls of models.")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", min=0, help="Most tokens, sent and received.")]
MaxSeconds = Annotated[
    float | None, typer.Option("--max-seconds", min=0, help="When this time is over, no model is asked.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what models would be asked, and the cost; send nothing.")
]


def limit_flags(
    max_cost: float | None, max_calls: int | None, max_tokens: int | None, max_seconds: float | None
) -> dict[str, str | None]:
    """Return the settings that the options stand for; None means not given."""
    given = {
        "max_cost": max_cost,
        "max_calls": max_calls,
        "max_tokens": max_tokens,
        "max_seconds": max_seconds,
    }
    return {name: None if value is None else str(value) for name, value in given.items()}


def tell_forecast(model: ModelSettings, forecast: Forecast) -> None:
    """Say before anything is spent what will be used, and the limits that nothing passes."""
    limits = [f"{model.max_calls} calls", f"{model.max_tokens:,} tokens"]
    limits += [f"cost {model.max_cost:g}"] if model.max_cost is not None else []
    limits += [f"{model.max_seconds:g} s"] if model.max_seconds is not None else []
    console.note(f"Expected of {model.name}: {forecast.told()}. It stops at {', '.join(limits)}.")


def tell_spent(name: str, budget: Budget) -> None:
    """Say what was used and, if a limit ended it, how to go on."""
    console.note(f"{name}: {budget.told()}.")
    if budget.denied:
        console.warn(
            f"{budget.denied}, so it was not made; what was finished is kept, and the rest was done offline. "
            f"A run with a higher limit goes on from there: replies are kept. Exit code {BUDGET_SPENT}."
        )


def exit_code(code: int, budget: Budget | None) -> int:
    """Return the exit code of a run: that of a spent budget, unless a graver thing is to be told."""
    spent = budget is not None and bool(budget.denied)
    return BUDGET_SPENT if spent and code in (0, 4) else code
