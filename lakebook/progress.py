"""How long work tells the person who waits what it is doing: stage, count, and the thing in hand."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called often and cheaply; the receiver decides what to show."""

    def __call__(self, stage: str, done: int, total: int, what: str) -> None:
        """Report that `done` of `total` things of a stage are finished and `what` is in hand now."""
        ...


def silent(stage: str, done: int, total: int, what: str) -> None:
    """Show nothing."""
