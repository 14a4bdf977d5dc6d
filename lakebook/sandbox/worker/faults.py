"""Which exceptions of user code come of a limit, and how a limit of the kernel hits the right process.

The words for them are the host's (`lakebook.sandbox.causes`).
"""

from __future__ import annotations

import errno
from typing import Literal

_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DEEPEST = 16


def end_of(error: BaseException | None) -> Literal["done", "error", "memory", "disk"]:
    """Return how a cell ended whose last exception is `error`, which its causes may explain."""
    if error is None:
        return "done"
    cause: BaseException | None = error
    for _ in range(_DEEPEST):
        if cause is None:
            break
        if isinstance(cause, MemoryError):
            return "memory"
        if isinstance(cause, OSError):
            if cause.errno == errno.ENOMEM:
                return "memory"
            if cause.errno in _DISK:
                return "disk"
        cause = cause.__cause__
    return "error"


def go_first() -> None:
    """Let the kernel take this process, and what it starts, before any other of the session.

    Where memory runs out for the session in total, a forked run dies and not the state it was forked from.
    """
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write("1000")
    except OSError:  # no right to it: then the kernel takes whichever is largest
        return
