"""Starts sandbox processes so that they end when this process does, and not before.

A sandbox dies with its parent, and to the kernel the parent is the *thread* that started it. Sessions are
opened from short-lived pool threads too, so one thread that lives as long as the process starts them all.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future

_Job = tuple[Sequence[str], Sequence[int], Mapping[str, str], str | None, "Future[subprocess.Popen[bytes]]"]


class _Launcher:
    """The thread and the process that it belongs to (a forked child needs its own)."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="sandbox-launcher", daemon=True).start()

    def _serve(self) -> None:
        while True:
            command, descriptors, environment, folder, future = self.jobs.get()
            try:
                process = subprocess.Popen(  # noqa: S603 - an argument list of our own making
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=tuple(descriptors),
                    env=dict(environment),
                    cwd=folder,
                    start_new_session=True,
                    bufsize=0,
                )
            except (OSError, ValueError) as error:
                future.set_exception(error)
            else:
                future.set_result(process)


_lock = threading.Lock()
_launcher: _Launcher | None = None


def launch(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    descriptors: Sequence[int] = (),
    folder: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command with pipes to its streams, in a session of its own. Raises OSError."""
    global _launcher
    with _lock:
        if _launcher is None or _launcher.owner != os.getpid():
            _launcher = _Launcher()
        launcher = _launcher
    future: Future[subprocess.Popen[bytes]] = Future()
    launcher.jobs.put((command, descriptors, environment, folder, future))
    return future.result()
