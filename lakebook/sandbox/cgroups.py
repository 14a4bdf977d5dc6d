"""Control groups of the kernel: memory, processes and processors of a session in total.

Three ways to get one. Where systemd runs, it is asked for a scope, the system's for root and the user's
own for everyone else. Without it, a group is made by hand below the one that this process is in, in the
unified hierarchy or, as root, in the older separate ones; a process enters it by a line of shell before it
becomes the sandbox. No way is taken for granted: `totals` runs a program in a group before it relies on
one.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lakebook.sandbox.base import Limits
from lakebook.sandbox.owner import is_orphan, mark

PREFIX = "lakebook-"
_SPARE_PROCESSES = 8  # bubblewrap, the controller, and their moment of starting
_PERIOD = 100_000  # microseconds over which processor time is shared out
_ENTER = 'while [ "$1" != -- ]; do echo 0 >"$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"'
_COUNTS = ("memory.events", "memory.oom_control")
_numbers = itertools.count(1)


class Tally:
    """How many processes of some groups the kernel has ended for want of memory."""

    def __init__(self) -> None:
        self._seen = 0

    def grown(self, folders: Sequence[Path]) -> bool:
        """Whether there are more than when this was last asked."""
        now = sum(_kills(folder / name) for folder in folders for name in _COUNTS)
        grown, self._seen = now > self._seen, max(now, self._seen)
        return grown


@dataclass(slots=True)
class Group:
    """The control group of one session.

    Attributes:
        name: of its folders, with the owner's mark.
        folders: that were made by hand, one in each hierarchy; none for a scope.
    """

    kind: str
    name: str
    folders: Sequence[Path] = ()
    prefix: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    _process: int = 0
    _tally: Tally = field(default_factory=lambda: Tally())

    def started(self, process: int, kill: Callable[[], None]) -> None:
        """Remember by which process a scope is found."""
        self._process = process

    def ran_out(self) -> bool:
        """Whether the kernel ended a process for want of memory since this was last asked."""
        return self._tally.grown(self.folders or groups_of(self._process, self.name))

    def end(self) -> None:
        """Kill what is left in it and remove it."""
        for folder in self.folders:
            empty(folder)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A mounted tree of control groups: the unified one, or one of the older ones with its controllers."""

    folder: Path
    root: str
    unified: bool
    controllers: frozenset[str] = frozenset()

    def own(self, membership: Path = Path("/proc/self/cgroup")) -> Path | None:
        """Return the folder of a process's group in this tree."""
        for line in membership.read_text(encoding="utf-8").splitlines():
            _, names, path = line.split(":", 2)
            ours = not names if self.unified else bool(names) and set(names.split(",")) <= self.controllers
            if ours:
                inner = path if self.root == "/" else "/" + path.removeprefix(self.root).lstrip("/")
                return self.folder / inner.lstrip("/")
        return None


def hierarchies(mounts: Path = Path("/proc/self/mountinfo")) -> list[Hierarchy]:
    """Return the trees that are mounted here. Raises OSError where there is no /proc."""
    found = []
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if kind[:1] == ["cgroup2"]:
            found.append(Hierarchy(Path(fields[4]), fields[3], True))
        elif kind[:1] == ["cgroup"]:
            options = frozenset(kind[-1].split(","))
            found.append(Hierarchy(Path(fields[4]), fields[3], False, options))
    return found


def groups_of(process: int, name: str) -> list[Path]:
    """Return the folders of a process's groups with `name` in their paths; none if it cannot be seen."""
    found = []
    with contextlib.suppress(OSError):
        for tree in hierarchies():
            place = tree.own(Path(f"/proc/{process}/cgroup"))
            if place is not None and name in str(place):
                found.append(place)
    return found


def ways() -> Iterator[Callable[[Limits], Group]]:
    """Give the ways to make a group, the best first; each raises OSError where it is not possible."""
    if Path("/run/systemd/system").is_dir() and (program := shutil.which("systemd-run")):
        yield lambda limits: scope(limits, program)
    yield unified
    yield separate


def scope(limits: Limits, program: str) -> Group:
    """Return a scope of systemd, which makes it when the prefix runs."""
    name = _new_name()
    own = ["--user"] if os.getuid() else []
    wanted = {
        "MemoryMax": f"{limits.total_mb}M",
        "MemorySwapMax": "0",
        "TasksMax": str(limits.processes + _SPARE_PROCESSES),
        "CPUQuota": f"{round(limits.cores * 100)}%",
    }
    properties = [f"--property={key}={value}" for key, value in wanted.items()]
    line = [program, *own, "--scope", "--quiet", "--collect", f"--unit={name}.scope", *properties, "--"]
    # What systemd-run needs to find its manager must not stay in what it starts.
    needed = {k: os.environ[k] for k in ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS") if k in os.environ}
    path = {"PATH": "/usr/bin:/bin"}
    prefix = [*line, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin"]
    return Group("systemd scope", name, prefix=prefix, environment={**path, **needed})


def unified(limits: Limits) -> Group:
    """Return a group in the unified hierarchy, below the nearest folder that may be written."""
    for tree in hierarchies():
        place = tree.own() if tree.unified else None
        while place is not None and place.is_relative_to(tree.folder):
            if os.access(place, os.W_OK) and "memory" in _words(place / "cgroup.subtree_control"):
                return _make("cgroup v2", {place: _unified_settings(limits)})
            place = place.parent
    raise FileNotFoundError("no group of the unified hierarchy may be written")


def separate(limits: Limits) -> Group:
    """Return a group in each of the older hierarchies for memory, processes and processors."""
    made: dict[Path, dict[str, str]] = {}
    for tree in hierarchies():
        place = None if tree.unified else tree.own()
        settings = {key: value for kind in tree.controllers for key, value in _separate(kind, limits).items()}
        if place is not None and settings:
            made[place] = settings
    if not any("memory.limit_in_bytes" in settings for settings in made.values()):
        raise FileNotFoundError("no hierarchy counts memory")
    return _make("cgroup v1", made)


def _unified_settings(limits: Limits) -> dict[str, str]:
    return {
        "memory.max": str(limits.total_mb << 20),
        "memory.swap.max": "0",
        "pids.max": str(limits.processes + _SPARE_PROCESSES),
        "cpu.max": f"{round(limits.cores * _PERIOD)} {_PERIOD}",
    }


def _separate(controller: str, limits: Limits) -> dict[str, str]:
    size = str(limits.total_mb << 20)
    return {
        "memory": {"memory.limit_in_bytes": size, "memory.memsw.limit_in_bytes": size},
        "pids": {"pids.max": str(limits.processes + _SPARE_PROCESSES)},
        "cpu": {
            "cpu.cfs_period_us": str(_PERIOD),
            "cpu.cfs_quota_us": str(round(limits.cores * _PERIOD)),
        },
    }.get(controller, {})


def _make(kind: str, settings: Mapping[Path, Mapping[str, str]]) -> Group:
    """Make the folders and set their limits; a file that a kernel lacks is skipped, except memory's."""
    name, made = _new_name(), []
    try:
        for parent, values in settings.items():
            folder = parent / name
            folder.mkdir()
            made.append(folder)
            for key, value in values.items():
                if key in ("memory.max", "memory.limit_in_bytes") or (folder / key).exists():
                    (folder / key).write_text(value, encoding="ascii")
    except OSError:
        for folder in made:
            empty(folder)
        raise
    prefix = ["/bin/sh", "-c", _ENTER, "sh", *map(str, made), "--"]
    return Group(kind, name, tuple(made), prefix)


def _new_name() -> str:
    return f"{PREFIX}{mark()}-{next(_numbers)}"


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").split()
    except OSError:
        return []


def _kills(file: Path) -> int:
    """Return how many processes the kernel has ended, from a file of lines `name number`."""
    words = _words(file)
    return int(words[words.index("oom_kill") + 1]) if "oom_kill" in words else 0


def empty(folder: Path, seconds: float = 1.0) -> bool:
    """Kill every process in a group and remove it; False if that took longer."""
    end = time.monotonic() + seconds
    while True:
        for number in map(int, _words(folder / "cgroup.procs")):
            if number > 0:  # 0 is one that cannot be seen from here, and to kill 0 would be to kill ourselves
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        else:
            return True


def orphans() -> list[Path]:
    """Return the groups that owners left which are gone, where this process would make its own."""
    found: set[Path] = set()
    with contextlib.suppress(OSError):
        for tree in hierarchies():
            place = tree.own()
            for parent in (place, *(place.parents if tree.unified else ())) if place else ():
                if parent.is_relative_to(tree.folder) and os.access(parent, os.W_OK):
                    found.update(path for path in parent.glob(f"{PREFIX}*") if is_orphan(path.name))
    return sorted(found)
