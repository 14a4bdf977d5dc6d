"""The plays: every class of this package that has the parts of a play is one, and is found by that.

What belongs here: finding them. A new play is a new class in a module of this package; nothing is to be
registered. Paper: NotebookRAG §4.2.2.
"""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from lakebook.analyst.play import Play
from lakebook.errors import AnalystError

_PARTS = ("id", "title", "family", "relevance", "propose", "compute", "read", "figure")


@cache
def all_plays() -> tuple[Play, ...]:
    """Return every play, by id.

    Raises:
        AnalystError: if two plays have one id.
    """
    found: dict[str, Play] = {}
    for module in sorted(info.name for info in iter_modules(__path__)):
        loaded = import_module(f"{__name__}.{module}")
        for _, kind in inspect.getmembers(loaded, inspect.isclass):
            if kind.__module__ != loaded.__name__ or not all(hasattr(kind, part) for part in _PARTS):
                continue
            play = cast(Play, kind())
            if play.id in found:
                raise AnalystError(f"two plays have the id {play.id}", where=module)
            found[play.id] = play
    return tuple(found[name] for name in sorted(found))


def play_of(name: str) -> Play:
    """Return the play of that id.

    Raises:
        AnalystError: if there is none.
    """
    for play in all_plays():
        if play.id == name:
            return play
    raise AnalystError(f"there is no play {name!r}")
