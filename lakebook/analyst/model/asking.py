"""Asking until the reply can be used: a malformed one is asked for again, with what is wrong with it.

What belongs here: the loop and its bound. What a reply must be is judged by whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lakebook.analyst.model.privacy import again
from lakebook.analyst.model.protocol import BadReply, LanguageModel, Request

MOST_AGAIN = 2

T = TypeVar("T")


def asked(
    model: LanguageModel, request: Request, read: Callable[[str], T], most_again: int = MOST_AGAIN
) -> T:
    """Return what was read out of the first reply that stands up.

    Args:
        model: who is asked.
        request: the question.
        read: takes a reply's text apart; raises BadReply with the fault.
        most_again: how often it is asked again.

    Raises:
        BadReply: of the last reply. ModelFailed: there was none.
    """
    for left in reversed(range(most_again + 1)):
        reply = model.complete(request)
        try:
            return read(reply.text)
        except BadReply as fault:
            if not left:
                raise
            request = again(request, reply.text, fault.complaint)
    raise AssertionError("unreachable")
