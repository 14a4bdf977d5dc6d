"""What ended a cell, in words with the number that it hit: one wording for every backend.

How it is found out belongs elsewhere: in the worker (`worker.controller`, `worker.faults`), and for a sandbox
that ended as a whole in `session`.
"""

from __future__ import annotations

import dataclasses
import errno

from lakebook.sandbox.base import CellError, CellResult, Ended, Limits
from lakebook.sandbox.protocol import End

_NAMES = {
    "interrupted": "KeyboardInterrupt",
    "timeout": "TimeoutError",
    "cpu": "TimeoutError",
    "memory": "MemoryError",
    "disk": "OSError",
    "files": "OSError",
    "died": "ProcessDied",
}


def cause_of(end: End) -> Ended:
    """Return how a cell ended that was under way when its request ended so."""
    if end.ended == "cpu":
        return "timeout"
    return "disk" if end.ended == "files" else end.ended


def explain(end: End, limits: Limits, seconds: float) -> CellError:
    """Return the error of a request that was ended from outside.

    Args:
        end: not "done".
        limits: of the session.
        seconds: the time limit of this call.
    """
    hit = _hit(end.ended, limits, seconds)
    text = f"{hit} ({end.detail})" if hit and end.detail else hit or end.detail or "killed"
    return CellError(_NAMES[end.ended], text)


def named(result: CellResult, limits: Limits) -> CellResult:
    """Return a result whose exception, if it came of a limit, begins with the limit's number."""
    if result.ended not in ("memory", "disk") or result.error is None:
        return result
    said = result.error.message
    hit = _hit(result.ended, limits, 0)
    if f"[Errno {errno.EFBIG}]" in said:
        hit = f"file full at {limits.file_mb} MB"
    error = dataclasses.replace(result.error, message=f"{hit}: {said}" if said else hit)
    return dataclasses.replace(result, error=error)


def _hit(ended: str, limits: Limits, seconds: float) -> str:
    """Return the limit that was hit; "" where there is no number."""
    return {
        "interrupted": "interrupted",
        "timeout": f"timed out after {seconds:g} s",
        "cpu": f"timed out after {seconds * limits.cores:g} s of CPU time",
        "memory": f"out of memory at {limits.memory_mb} MB",
        "disk": f"disk full at {limits.disk_mb} MB",
        "files": f"disk full at {limits.files} files",
    }.get(ended, "")
