"""Ends sessions that nobody uses any more, and removes what owners left behind that are gone.

A session counts as idle from the end of its last call, and is ended after its limit of idle time; who then
calls it is told why. What outlives an owner that was killed is found by the owner's mark (`owner`): a
container, a control group, a folder. One thread does both, from the first session on. Nothing of a living
owner, of another user or without a mark is ever touched.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lakebook.errors import LakebookError
from lakebook.sandbox import cgroups

_SWEEP_SECONDS = 60.0
_LOOK_SECONDS = 5.0


class Reclaimable(Protocol):
    """What is ended when it is idle."""

    def reclaim(self) -> None:
        """End, if idle for longer than allowed. Must neither wait for a call that runs nor disturb it."""
        ...


@dataclass(frozen=True, slots=True)
class Orphan:
    """Something that an owner left which is gone, in words, and how to remove it."""

    what: str
    remove: Callable[[], object]


Source = Callable[[], Iterable[Orphan]]


def _groups() -> list[Orphan]:
    def orphan(folder: Path) -> Orphan:
        return Orphan(f"control group {folder.name}", lambda: cgroups.empty(folder))

    return [orphan(folder) for folder in cgroups.orphans()]


_lock = threading.Lock()
_sessions: list[Reclaimable] = []
_sources: list[Source] = [_groups]
_thread: threading.Thread | None = None


def look_after(session: Reclaimable) -> None:
    """Reclaim a session when it is idle; it is kept alive until then, or until it is let go."""
    global _thread
    with _lock:
        if _thread is None or not _thread.is_alive():  # a forked child has neither thread nor sessions
            _sessions.clear()
            _thread = threading.Thread(target=_work, name="sandbox-reaper", daemon=True)
            _thread.start()
        _sessions.append(session)


def let_go(session: Reclaimable) -> None:
    """Forget a session that was closed. Twice is fine."""
    with _lock:
        _sessions[:] = [other for other in _sessions if other is not session]


def also_from(source: Source) -> None:
    """Ask a backend too for what it knows of orphans."""
    with _lock:
        if source not in _sources:
            _sources.append(source)


def orphans() -> list[Orphan]:
    """Return what was left behind by owners that are gone."""
    with _lock:
        sources = list(_sources)
    found: list[Orphan] = []
    for source in sources:
        with contextlib.suppress(OSError, LakebookError):
            found += source()
    return found


def sweep() -> list[Orphan]:
    """Remove all orphans; return them."""
    found = orphans()
    for orphan in found:
        with contextlib.suppress(OSError, LakebookError):  # another process swept it first
            orphan.remove()
    return found


def reclaim() -> None:
    """End the sessions that have been idle for too long."""
    with _lock:
        current = list(_sessions)
    for session in current:
        session.reclaim()


def _work() -> None:
    pause, swept = threading.Event(), 0.0
    while threading.current_thread() is _thread:
        if not swept or time.monotonic() - swept > _SWEEP_SECONDS:
            sweep()
            swept = time.monotonic()
        pause.wait(_LOOK_SECONDS)
        reclaim()
