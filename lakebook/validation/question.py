"""A question as rules and the offline analyst read it: the words that demand something of the operations.

What belongs here: the reading of words. Which columns they mean is bound elsewhere; whether operations meet
the demands is for the rules (`rules.question`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A question in its own words."""

    text: str
