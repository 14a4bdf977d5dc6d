"""The budget: calls, tokens, money and time of a run, checked before each call (design rule 5).

A call that would pass a limit is not made. That stops no run: the offline analyst goes on and says so, what
was finished is kept, and the run ends with the exit code of a spent budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import orjson

from lakebook.analyst.model.protocol import BudgetSpent, LanguageModel, OnText, Reply, Request
from lakebook.settings import ModelSettings, Price

# Fewer letters a token than in any language that we send, so that an estimate is seldom too low.
_BYTES_A_TOKEN = 3
# More than the services that we know of count for a picture of a figure's size.
_TOKENS_AN_IMAGE = 1_500


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, or of several: what was sent, and what came back."""

    prompt: int = 0
    completion: int = 0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.prompt + self.completion

    def cost(self, price: Price | None) -> float:
        """Return what they cost; 0 where no price is known."""
        if price is None:
            return 0.0
        return (self.prompt * price.input + self.completion * price.output) / 1_000_000


@dataclass
class Budget:
    """The limits of a run and what of them is used.

    Attributes:
        max_cost: in the currency of the prices, None for no limit. max_seconds: since the opening, likewise.
        denied: the limit for which a call was not made, "" if each was.
        on_change: is told after each call, for a meter.
        clock: seconds, from any start.
    """

    max_calls: int
    max_tokens: int
    max_cost: float | None = None
    max_seconds: float | None = None
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    denied: str = ""
    on_change: Callable[[Budget], None] | None = field(default=None, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _opened: float = field(init=False, repr=False)
    _in_calls: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        self._opened = self.clock()

    @property
    def seconds(self) -> float:
        """Time since the budget was opened."""
        return self.clock() - self._opened

    def allow(self, expected: Usage, price: Price | None = None) -> None:
        """Raise BudgetSpent if a call with so many tokens would pass a limit."""
        if self.calls + 1 > self.max_calls:
            self._deny(f"the budget of {self.max_calls} calls is spent", "max_calls")
        if self.tokens + expected.tokens > self.max_tokens:
            self._deny(f"the next call would pass the budget of {self.max_tokens} tokens", "max_tokens")
        if self.max_cost is not None and self.cost + expected.cost(price) > self.max_cost:
            self._deny(f"the next call would pass the budget of {self.max_cost:g} in cost", "max_cost")
        usual = self._in_calls / self.calls if self.calls else 0.0
        if self.max_seconds is not None and self.seconds + usual > self.max_seconds:
            self._deny(f"the next call would pass the budget of {self.max_seconds:g} seconds", "max_seconds")

    def _deny(self, why: str, limit: str) -> None:
        self.denied = why
        raise BudgetSpent(why, hint=f"Raise {limit} (--{limit.replace('_', '-')}).")

    def spend(self, used: Usage, price: Price | None = None, seconds: float = 0.0) -> None:
        """Count a call."""
        self.calls += 1
        self.tokens += used.tokens
        self.cost += used.cost(price)
        self._in_calls += seconds
        if self.on_change is not None:
            self.on_change(self)

    def told(self) -> str:
        """Say what is used: calls, tokens, and the cost where it is known or limited."""
        said = f"{self.calls} call{'s'[: self.calls != 1]}, {self.tokens:,} tokens"
        if self.cost or self.max_cost is not None:
            said += f", cost {shown_cost(self.cost)}"
        return said + (f" of {self.max_cost:g}" if self.max_cost is not None else "")


def estimate(request: Request) -> Usage:
    """Return the most tokens that a request is likely to use, its reply included."""
    asked = sum(len(text.encode()) for _, text in request.messages)
    shape = len(orjson.dumps(request.schema)) if request.form == "schema" else 0
    pictures = _TOKENS_AN_IMAGE * len(request.images)
    return Usage((asked + shape) // _BYTES_A_TOKEN + pictures, request.max_tokens)


def estimate_texts(texts: Sequence[str]) -> Usage:
    """Return the most tokens that texts are likely to be."""
    return Usage(sum(len(text.encode()) for text in texts) // _BYTES_A_TOKEN + len(texts))


def shown_cost(cost: float) -> str:
    """Return a cost with as many places as say something: 12.30, 0.012, 0.00004."""
    return f"{cost:.2f}" if cost >= 1 or not cost else f"{cost:.2g}"


def open_budget(settings: ModelSettings, on_change: Callable[[Budget], None] | None = None) -> Budget:
    """Return the budget of a run, from the settings."""
    return Budget(
        settings.max_calls,
        settings.max_tokens,
        settings.max_cost,
        settings.max_seconds,
        on_change=on_change,
    )


@dataclass
class Budgeted:
    """A model that is asked only within a budget. A call whose tokens nobody told costs its estimate."""

    model: LanguageModel
    budget: Budget = field(repr=False)
    price: Price | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer the request. Raises BudgetSpent before a call that would pass the budget."""
        expected = estimate(request)
        self.budget.allow(expected, self.price)
        started, used = self.budget.clock(), expected
        try:
            reply = self.model.complete(request, on_text)
            used = Usage(reply.prompt_tokens, reply.completion_tokens) if reply.tokens else expected
            return reply
        finally:
            # Also a failed or interrupted call counts: the service may have worked for it.
            self.budget.spend(used, self.price, self.budget.clock() - started)
