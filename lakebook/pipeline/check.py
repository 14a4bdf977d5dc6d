"""What a check of a result is: a pure function over the store, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lakebook.storage import Store


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the check passed, the sentence that says so, and the offenders (at most 20)."""

    passed: bool
    message: str
    offenders: tuple[str, ...] = ()


Evaluate = Callable[[Store, str], Outcome]


@dataclass(frozen=True, slots=True)
class Check:
    """One condition on one asset. `blocking`: what is downstream must not be made if it fails."""

    asset: str
    name: str
    description: str
    blocking: bool
    evaluate: Evaluate


def outcome(offenders: list[str], good: str, bad: str) -> Outcome:
    """Return a passed outcome if there are no offenders, else a failed one that lists them."""
    if not offenders:
        return Outcome(True, good)
    return Outcome(False, bad.format(n=len(offenders)), tuple(offenders[:20]))


def check(asset: str, evaluate: Evaluate, *, blocking: bool = True) -> Check:
    """Return the check that a function is: its name says what holds, its docstring says it in a sentence."""
    name = getattr(evaluate, "__name__", "")
    return Check(asset, name, (evaluate.__doc__ or "").strip(), blocking, evaluate)
