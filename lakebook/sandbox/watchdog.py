"""Limits in total where the kernel has no control group for us: the processes are watched from outside.

One thread looks at all sessions that are watched, twice a second, and ends one whose processes together
have more memory, or are more, than they may. The controller inside ends the cell alone, and is given the time
to do so: only what stays over a limit, or has twice as much as it may, costs the whole session. It is slower
than the kernel: what one process may take at once is bounded by its own limits (`worker.confine`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence

from lakebook.sandbox.base import Limits
from lakebook.sandbox.worker import processes

_TICK_SECONDS = 0.5
_SPARE_PROCESSES = 8
_LOOKS = 6  # so many in a row that see too much end the session
_AT_ONCE = 2  # as does one that sees so many times what is allowed


class Watched:
    """One session under watch."""

    kind = "watchdog"
    prefix: Sequence[str] = ()
    environment: Mapping[str, str] = {}

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process = 0
        self._kill: Callable[[], None] = lambda: None
        self._ran_out = False
        self._over = 0

    def started(self, process: int, kill: Callable[[], None]) -> None:
        """Begin to watch a process and all that descend from it."""
        self._process, self._kill = process, kill
        _add(self)

    def ran_out(self) -> bool:
        """Whether the session was ended for its memory; told once."""
        told, self._ran_out = self._ran_out, False
        return told

    def end(self) -> None:
        """Watch no longer."""
        _remove(self)

    def look(self, children: Mapping[int, Sequence[processes.Process]]) -> None:
        """End the session if its processes are over a limit together, and stay so.

        Args:
            children: of every process.
        """
        running = processes.below(self._process, children)
        memory, number = self._limits.total_mb, self._limits.processes + _SPARE_PROCESSES
        used = processes.memory_mb(running, memory)
        if used <= memory and len(running) <= number:
            self._over = 0
            return
        self._over += 1
        at_once = used > _AT_ONCE * memory or len(running) > _AT_ONCE * number
        if self._over >= _LOOKS or at_once:
            self._ran_out = used > memory
            self._kill()


_lock = threading.Lock()
_watched: list[Watched] = []
_thread: threading.Thread | None = None


def _add(watched: Watched) -> None:
    global _thread
    with _lock:
        if _thread is None or not _thread.is_alive():  # a forked child has neither thread nor sessions
            _watched.clear()
            _thread = threading.Thread(target=_watch, name="sandbox-watchdog", daemon=True)
            _thread.start()
        _watched.append(watched)


def _remove(watched: Watched) -> None:
    with _lock, contextlib.suppress(ValueError):
        _watched.remove(watched)


def _watch() -> None:
    pause = threading.Event()
    while threading.current_thread() is _thread and not pause.wait(_TICK_SECONDS):
        with _lock:
            current = list(_watched)
        if current:
            children = processes.table()
            for watched in current:
                with contextlib.suppress(OSError):  # it ended meanwhile
                    watched.look(children)
