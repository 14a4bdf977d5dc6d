"""Limits for all processes of a session together: by the kernel where that can be had, else by watching.

Limits of a process (`worker.confine`) are the first that a cell meets, the controller inside watches sums
and ends the cell alone (`worker.controller`); what is here is behind both, outside of the sandbox, where
nothing that runs inside can reach it. There are two ways, each in its module: `cgroups` and `watchdog`. A
container's limits are its engine's.
"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from lakebook.sandbox import cgroups, watchdog
from lakebook.sandbox.base import Limits

_PROBE = Limits(memory_mb=64, disk_mb=16, processes=8)


class Hold(Protocol):
    """What keeps the processes of one session within its limits.

    Attributes:
        kind: in words, for people.
        prefix: command that enters, then runs what follows it.
        environment: variables that the prefix needs.
    """

    kind: str
    prefix: Sequence[str]
    environment: Mapping[str, str]

    def started(self, process: int, kill: Callable[[], None]) -> None:
        """Hear of the process that was started with the prefix, and how to end the session."""
        ...

    def ran_out(self) -> bool:
        """Whether a process was ended for want of memory since this was last asked."""
        ...

    def end(self) -> None:
        """End what is left, and forget it. Ending twice is fine."""
        ...


def hold(limits: Limits) -> Hold:
    """Return what holds a new session to its limits."""
    way = _way()
    return way(limits) if way is not None else watchdog.Watched(limits)


def in_force() -> str:
    """Return in words what holds sessions to their limits on this machine."""
    found = hold(_PROBE)
    try:
        return found.kind
    finally:
        found.end()


@functools.cache
def _way() -> Callable[[Limits], Hold] | None:
    """Return the first kind of control group that works here, found out by running a program in one."""
    return next((way for way in cgroups.ways() if _works(way)), None)


def _works(way: Callable[[Limits], cgroups.Group]) -> bool:
    try:
        group = way(_PROBE)
    except OSError:
        return False
    try:
        command = [*group.prefix, "/bin/cat", "/proc/self/cgroup"]
        said = subprocess.run(  # noqa: S603 - of our own making
            command, capture_output=True, timeout=10, env=dict(group.environment), check=False, text=True
        )
        return said.returncode == 0 and group.name in said.stdout
    except (OSError, subprocess.SubprocessError):
        return False
    finally:
        group.end()
