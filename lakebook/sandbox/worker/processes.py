"""The processes of a session, read from /proc: who descends from whom, what they use, how to end them.

Only descendants of the controller are ever touched. It is a subreaper, so what a daemon does to be orphaned
only brings it back under the controller.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_ROUNDS = 60
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """A process; the start time tells it from a later one with the same number."""

    number: int
    started: int


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - many small reads
            return file.read()
    except (OSError, ValueError):
        return ""


def table() -> dict[int, list[Process]]:
    """Return the living children of every process, without those that have ended and wait for a parent."""
    children: dict[int, list[Process]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if not name.isdigit():
            continue
        _, _, rest = _read(f"/proc/{name}/stat").rpartition(")")
        fields = rest.split()
        if len(fields) > 19 and fields[0] not in "ZX":
            children.setdefault(int(fields[1]), []).append(Process(int(name), int(fields[19])))
    return children


def descendants(root: int) -> frozenset[Process]:
    """Return every living process below `root`."""
    return below(root, table())


def below(root: int, children: Mapping[int, Sequence[Process]]) -> frozenset[Process]:
    """Return every process below `root` in a table of children."""
    found: set[Process] = set()
    queue = [root]
    while queue:
        for process in children.get(queue.pop(), ()):
            if process not in found:
                found.add(process)
                queue.append(process.number)
    return frozenset(found)


def kill_all(root: int, keep: frozenset[Process]) -> bool:
    """Kill what descends from `root` and is not to be kept, until there is none; False if some remain."""
    for turn in range(_ROUNDS):
        victims = descendants(root) - keep
        if not victims:
            return True
        for process in victims:
            try:
                os.kill(process.number, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        time.sleep(0.001 * (turn + 1))
        reap(root, keep)
    return False


def reap(root: int, keep: frozenset[Process]) -> None:
    """Collect adopted processes that have ended. The ones to keep are waited for by whoever owns them."""
    kept = {process.number for process in keep}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if not name.isdigit() or int(name) in kept:
            continue
        _, _, rest = _read(f"/proc/{name}/stat").rpartition(")")
        fields = rest.split()
        if len(fields) > 1 and fields[0] == "Z" and int(fields[1]) == root:
            try:
                os.waitpid(int(name), os.WNOHANG)
            except ChildProcessError:
                continue


def memory_mb(running: frozenset[Process], enough: int) -> int:
    """Return the memory of processes together; shared pages are counted once when it matters.

    Resident sizes are cheap to read but count a page for each process that shares it, so the exact number
    is only computed when their sum is over `enough`.
    """
    page = _PAGE
    total = 0
    for process in running:
        fields = _read(f"/proc/{process.number}/statm").split()
        total += int(fields[1]) * page if len(fields) > 1 else 0
    if total >> 20 <= enough:
        return total >> 20
    return sum(_proportional_kb(process) for process in running) >> 10


def _proportional_kb(process: Process) -> int:
    for line in _read(f"/proc/{process.number}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def cpu_seconds(running: frozenset[Process]) -> float:
    """Return the CPU time of processes, and of their children that ended and were waited for."""
    ticks = 0
    for process in running:
        fields = _read(f"/proc/{process.number}/stat").rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15])) if len(fields) > 14 else 0
    return ticks / _TICKS


def describe_end(status: int) -> str:
    """Return in words how a process ended, from the status that it was waited for with."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return f"killed by {name}"
    return f"ended itself with status {os.waitstatus_to_exitcode(status)}"
