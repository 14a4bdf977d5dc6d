"""The budget: how many calls and tokens a run may use, checked before each call (design rule 5).

A call that would pass the budget is not made. That stops no run: the offline analyst goes on, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson

from lakebook.analyst.model.protocol import BudgetSpent, LanguageModel, ModelFailed, OnText, Reply, Request

# Fewer letters a token than in any language that we send, so that an estimate is seldom too low.
_BYTES_A_TOKEN = 3
# More than the services that we know of count for a picture of a figure's size.
_TOKENS_AN_IMAGE = 1_500


@dataclass
class Budget:
    """The limits of a run and what of them is used."""

    max_calls: int
    max_tokens: int
    calls: int = 0
    tokens: int = 0

    def require(self, request: Request) -> None:
        """Raise BudgetSpent if this request would pass a limit."""
        self.allow(estimate(request))

    def allow(self, tokens: int) -> None:
        """Raise BudgetSpent if a call of so many tokens would pass a limit."""
        if self.calls + 1 > self.max_calls:
            raise BudgetSpent(f"the budget of {self.max_calls} calls is spent", hint="Raise max_calls.")
        if self.tokens + tokens > self.max_tokens:
            raise BudgetSpent(
                f"the next call would pass the budget of {self.max_tokens} tokens", hint="Raise max_tokens."
            )

    def used(self, request: Request, reply: Reply | None) -> None:
        """Count a call; one whose tokens nobody told costs its estimate, and so does a failed one."""
        self.spend(reply.tokens if reply is not None and reply.tokens else estimate(request))

    def spend(self, tokens: int) -> None:
        """Count a call of so many tokens."""
        self.calls += 1
        self.tokens += tokens


def estimate(request: Request) -> int:
    """Return the most tokens that a request is likely to use, its reply included."""
    asked = sum(len(text.encode()) for _, text in request.messages)
    shape = len(orjson.dumps(request.schema)) if request.form == "schema" else 0
    pictures = _TOKENS_AN_IMAGE * len(request.images)
    return (asked + shape) // _BYTES_A_TOKEN + pictures + request.max_tokens


def estimate_texts(texts: Sequence[str]) -> int:
    """Return the most tokens that texts are likely to be."""
    return sum(len(text.encode()) for text in texts) // _BYTES_A_TOKEN + len(texts)


@dataclass
class Budgeted:
    """A model that is asked only within a budget."""

    model: LanguageModel
    budget: Budget = field(repr=False)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer the request. Raises BudgetSpent before a call that would pass the budget."""
        self.budget.require(request)
        try:
            reply = self.model.complete(request, on_text)
        except ModelFailed:
            self.budget.used(request, None)
            raise
        self.budget.used(request, reply)
        return reply
