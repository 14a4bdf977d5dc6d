"""Requests of several turns: what the agent says to a model.

What belongs here: putting turns together, and the standing words on data and on what is hidden. Texts inside
turns that come from data are made by `shown`, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakebook.analyst.model.privacy.requests import prompt
from lakebook.analyst.model.protocol import Request, Role
from lakebook.settings import Privacy

_SEEN: Mapping[Privacy, str] = {
    "full": "",
    "samples": (
        "Values of cells are masked: X and x stand for letters, 9 for digits. You never see a value itself; "
        "refer to values by what computes them, and to results by their record."
    ),
    "schema": (
        "Values of cells are not shown to you, nor any text or number taken from one: `…` stands for what is "
        "hidden. You see names, types and counts; refer to values by what computes them, and to results by "
        "their record."
    ),
}


def conversation_request(
    system: str,
    turns: Sequence[tuple[Role, str]],
    privacy: Privacy,
    *,
    purpose: str = "conversation",
    max_tokens: int = 1_500,
    stop: Sequence[str] = (),
    schema: Mapping[str, Any] | None = None,
) -> Request:
    """Ask for the next turn of a conversation.

    Args:
        system: what the model is to do; the words on data, and on what is hidden, are added to it.
        turns: (role, text), oldest first. Texts of data in them are made by `schema_text`, `evidence_text`
            and `record_text` at the same level; the rest is the person's words, the model's own, and ours.
        privacy: the level at which the texts were made.
        purpose: what for, in a word; kept with the call.
        max_tokens: the longest reply.
        stop: texts at which the reply ends, such as a closing tag; they are not part of it.
        schema: JSON schema of the reply, where it is to have one.
    """
    words = "\n".join(part for part in (system.rstrip(), prompt("data").rstrip(), _SEEN[privacy]) if part)
    return Request(purpose, (("system", words), *turns), schema or {}, max_tokens, stop=tuple(stop))
