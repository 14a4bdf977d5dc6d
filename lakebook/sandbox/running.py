"""A worker that runs: two streams of bytes and a way to end it, whatever backend started it.

The session (`session`) talks through this alone. What a backend adds, such as a container to remove, it
adds in a class of its own with these methods.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
from typing import Protocol

from lakebook.errors import SandboxFailed
from lakebook.sandbox.totals import Hold

MOST_WORDS = 65_536


class Running(Protocol):
    """One running worker.

    Attributes:
        to_worker, from_worker: descriptors of its standard input and output.
    """

    to_worker: int
    from_worker: int

    def last_words(self) -> str:
        """Return the last line of its standard error, without waiting for more; "" if there is none."""
        ...

    def ran_out(self) -> bool:
        """Whether one of its processes was ended for want of memory since this was last asked."""
        ...

    def hang_up(self, seconds: float) -> None:
        """Close its input, at whose end a worker ends all that it started, and wait so long for it."""
        ...

    def kill(self) -> None:
        """End it at once. Killing twice is fine."""
        ...

    def release(self) -> None:
        """Close the descriptors of a worker that has ended."""
        ...


class RunningProcess:
    """A worker that is a child of this process, in a process group of its own."""

    def __init__(self, process: subprocess.Popen[bytes], hold: Hold) -> None:
        """Take over a process with pipes to its three streams, and what limits it in total."""
        if process.stdin is None or process.stdout is None:
            raise SandboxFailed("the sandbox was started without pipes.")
        self._process, self._hold = process, hold
        self._input = process.stdin
        self.to_worker, self.from_worker = process.stdin.fileno(), process.stdout.fileno()
        hold.started(process.pid, self.kill)

    def ran_out(self) -> bool:
        """Whether one of its processes was ended for want of memory since this was last asked."""
        return self._hold.ran_out()

    def last_words(self) -> str:
        """Return the last line of its standard error."""
        if self._process.stderr is None:
            return ""
        self._process.poll()
        descriptor = self._process.stderr.fileno()
        data = b""
        while select.select([descriptor], [], [], 0.2)[0] and len(data) < MOST_WORDS:
            chunk = os.read(descriptor, 4096)
            if not chunk:
                break
            data += chunk
        return last_line(data)

    def hang_up(self, seconds: float) -> None:
        """Close its input and wait for its end."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._input.close()
            self._process.wait(seconds)

    def kill(self) -> None:
        """End its whole process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._hold.end()

    def release(self) -> None:
        """Close its pipes."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def last_line(data: bytes) -> str:
    """Return the last line of an output as text, cut to what fits into a message."""
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:500] if lines else ""
