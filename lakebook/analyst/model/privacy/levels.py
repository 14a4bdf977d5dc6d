"""The scale of privacy: one order, so that "at least" has a meaning. What each level lets out: `privacy`.

What belongs here: comparing levels. Their names are in `settings`, where they are read.
"""

from __future__ import annotations

from typing import get_args

from lakebook.settings import Privacy

LEVELS: tuple[Privacy, ...] = get_args(Privacy)


class NotAllowed(ValueError):
    """The privacy setting does not let this leave."""


def allows(privacy: Privacy, least: Privacy) -> bool:
    """Tell whether a level lets out what needs at least the other one."""
    return LEVELS.index(privacy) >= LEVELS.index(least)


def require(privacy: Privacy, least: Privacy, what: str) -> None:
    """Raise NotAllowed unless the level lets out what needs at least the other one."""
    if not allows(privacy, least):
        raise NotAllowed(f"privacy is {privacy}: no {what} leaves")
