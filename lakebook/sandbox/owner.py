"""Whose a session is: a mark that a later process can read to tell whether the owner still lives.

Marks stand in labels of containers and in names of control groups and folders. They name the machine's
boot, the process namespace, the user, the process and when it started, since process numbers are used
again. What has another user's mark, or one from a place whose processes cannot be seen from here, is never
an orphan.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import NamedTuple

_MARK = re.compile(r"([0-9a-f]{0,8})\.(\d*)\.(\d+)\.(\d+)\.(\d+)")


class Owner(NamedTuple):
    """A process as a mark names it."""

    boot: str
    space: str
    user: int
    process: int
    started: int

    def __str__(self) -> str:
        return ".".join(str(part) for part in self)


def mark() -> str:
    """Return the mark of this process."""
    return _mark_of(os.getpid())  # a forked child is an owner of its own


@functools.cache
def _mark_of(process: int) -> str:
    boot, space = _place()
    return str(Owner(boot, space, os.getuid(), process, _started(process)))


def _place() -> tuple[str, str]:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
        return boot, re.sub(r"\D", "", str(Path("/proc/self/ns/pid").readlink()))
    except OSError:  # no Linux: processes are known by their number alone
        return "", ""


def _started(process: int) -> int:
    """Return when a process started, in ticks since boot; 0 where that cannot be read, -1 if it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return -1 if Path("/proc/self/stat").exists() else 0
    state = fields.rpartition(")")[2].split()
    return -1 if state[0] in "ZX" else int(state[19])


def read_mark(text: str) -> Owner | None:
    """Return the first mark in a text."""
    found = _MARK.search(text)
    if found is None:
        return None
    boot, space, user, process, started = found.groups()
    return Owner(boot, space, int(user), int(process), int(started))


def is_orphan(text: str) -> bool:
    """Whether a text has a mark of this user's, of a process that lived here and is gone for certain."""
    owner = read_mark(text)
    if owner is None or (owner.boot, owner.space) != _place() or owner.user != os.getuid():
        return False
    now = _started(owner.process)
    if now == 0:  # nothing but the number to go by
        return not _exists(owner.process)
    return now != owner.started


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
