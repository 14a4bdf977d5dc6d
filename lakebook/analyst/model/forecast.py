"""What a run will use of its budget, said before anything is spent: calls, tokens, cost, time.

What belongs here: the forecast. It rests on earlier calls of the same model and purpose, as the ledger has
them, and where there are none on the sizes of the prompts. Kept replies cost nothing and are not foreseen, so
that it errs on the high side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from lakebook.analyst.model.budget import Usage, shown_cost
from lakebook.analyst.model.ledger import entries
from lakebook.settings import ModelSettings

_RECENT = 200  # calls of the ledger that are looked at
_COLUMN = 30  # tokens that a column takes in a request: its name, twice, its type and its use
_PROMPT = 400  # tokens of our own words in a request


@dataclass(frozen=True, slots=True)
class Planned:
    """Calls that a run will make: how many at least and at most, and the tokens of one."""

    purpose: str
    fewest: int
    most: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run will use, at least and at most, within its limits; None where nothing tells."""

    calls: tuple[int, int]
    tokens: tuple[int, int]
    cost: tuple[float, float] | None
    seconds: tuple[float, float] | None

    def told(self) -> str:
        """Say it in a line."""
        parts = [
            f"{_span(*map(str, self.calls))} calls",
            f"{_span(*(f'{number:,}' for number in self.tokens))} tokens",
            f"cost {_span(*map(shown_cost, self.cost))}" if self.cost else "cost unknown (no price is set)",
            f"{_span(*map(_time, self.seconds))}" if self.seconds else "time unknown (no earlier call)",
        ]
        return ", ".join(parts)


def forecast(planned: Sequence[Planned], settings: ModelSettings, ledger: Path) -> Forecast:
    """Return what calls will use of a model's budget.

    Args:
        planned: the calls, by purpose.
        settings: the model, its price and the limits, which nothing will pass.
        ledger: of earlier calls.
    """
    past = [one for one in entries(ledger) if one.get("model") == settings.name and not one.get("error")]
    low, high, low_calls, high_calls = Usage(), Usage(), 0, 0
    for one in planned:
        usage = _usual([call for call in past if call.get("purpose") == one.purpose]) or one.usage
        low = Usage(low.prompt + one.fewest * usage.prompt, low.completion + one.fewest * usage.completion)
        high = Usage(high.prompt + one.most * usage.prompt, high.completion + one.most * usage.completion)
        low_calls, high_calls = low_calls + one.fewest, high_calls + one.most
    price, most = settings.price, settings.max_cost
    costs = (low.cost(price), high.cost(price))
    calls = (min(low_calls, settings.max_calls), min(high_calls, settings.max_calls))
    took = [float(one["seconds"]) for one in past[-_RECENT:] if isinstance(one.get("seconds"), int | float)]
    seconds = (calls[0] * median(took), calls[1] * median(took)) if took else None
    return Forecast(
        calls,
        (min(low.tokens, settings.max_tokens), min(high.tokens, settings.max_tokens)),
        None if price is None else costs if most is None else (min(costs[0], most), min(costs[1], most)),
        seconds,
    )


def main_job(columns: int, settings: ModelSettings) -> tuple[Planned, ...]:
    """Return the calls of the main job over a table of so many columns.

    The question, the queries and the summary are asked for once, the last perhaps twice. Columns of old
    charts and repairs take at most what the limits leave.
    """
    from lakebook.analyst.model.privacy import allows

    table = Usage(_PROMPT + _COLUMN * columns, 200)
    sure = [Planned("intent", 1, 1, table), Planned("queries", 1, 1, Usage(table.prompt, 500))]
    if not allows(settings.privacy, "samples"):
        return tuple(sure)
    rest = max(0, settings.max_calls - 4)
    more = [
        Planned("summary", 1, 2, Usage(900, 250)),
        Planned("columns", 0, rest - rest // 2, Usage(1_200, 60)),
        Planned("repair", 0, rest // 2, Usage(1_000, 300)),
    ]
    return (*sure, *more)


def conversation(rounds: tuple[int, int], first: int, each: int, reply: int) -> tuple[Planned, ...]:
    """Return the calls of a conversation: every round sends again what was said before it.

    Args:
        rounds: at least and at most.
        first: tokens of the first request.
        each: tokens that a round adds by what comes back to the model.
        reply: tokens of a reply.
    """
    fewest, most = rounds
    grown = [first + number * (each + reply) for number in range(most)]
    sure, rest = grown[:fewest], grown[fewest:]
    planned = [Planned("", fewest, fewest, Usage(sum(sure) // max(fewest, 1), reply))]
    if rest:
        planned.append(Planned("", 0, len(rest), Usage(sum(rest) // len(rest), reply)))
    return tuple(planned)


def _usual(calls: Sequence[dict[str, Any]]) -> Usage | None:
    """Return the tokens of a usual call, None if none was told."""
    told = [call["tokens"] for call in calls[-_RECENT:] if isinstance(call.get("tokens"), dict)]
    counted = [(one.get("prompt") or 0, one.get("completion") or 0) for one in told]
    counted = [one for one in counted if any(one)]
    if not counted:
        return None
    prompt, completion = (round(median(column)) for column in zip(*counted, strict=True))
    return Usage(prompt, completion)


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
