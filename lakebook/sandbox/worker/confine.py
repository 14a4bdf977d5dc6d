"""The last steps of confinement, taken from the inside before any library or user code runs.

Drops root to an unprivileged user id, lowers the resource limits for good, and hides the controller from
the processes that it guards. The namespaces and the system-call filter are the backend's (`bubblewrap`).
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
from typing import Any

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS = 1, 4, 8
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_CAP_VERSION_3 = 0x20080522
_CAP_DAC_READ_SEARCH = 1 << 2
_TO_REPORT = 128 << 20
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Change an attribute of this process; raises OSError where the kernel refuses."""
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), f"prctl {option}")


def drop_root(user: int) -> None:
    """Become `user` for good, keeping one capability: to read what root may read.

    The capability counts only inside the sandbox's own user namespace, and only for what is mounted there,
    all of it read-only; without it a folder that only root can read could not be analysed by root.
    """
    os.setgroups([])
    prctl(_PR_SET_KEEPCAPS, 1)
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    header = struct.pack("<Ii", _CAP_VERSION_3, 0)
    low = struct.pack("<III", _CAP_DAC_READ_SEARCH, _CAP_DAC_READ_SEARCH, 0)
    data = low + struct.pack("<III", 0, 0, 0)
    if _libc.syscall(_SYS_CAPSET[os.uname().machine], header, data) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), "capset")


def limit_resources(limits: dict[str, Any]) -> None:
    """Lower the limits, hard and soft, so that nothing inside can raise them again."""
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, int(limits["file_mb"]) << 20),
        (resource.RLIMIT_NOFILE, 1024),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        _lower(kind, value)
    # Before kernel 5.14 the count is of all the user's processes on the machine; the controller counts then.
    if limits["own_user"] and _kernel() >= (5, 14):
        _lower(resource.RLIMIT_NPROC, int(limits["processes"]))


def limit_memory(megabytes: int) -> None:
    """Let this process and its children ask for so much more than the warm libraries have reserved.

    RLIMIT_DATA counts what a process asks for; RLIMIT_AS, which also counts libraries and shared mappings,
    is a wider net behind it. A little more stands open to whoever reports (`reporting`).
    """
    reserved = {"VmData": 0, "VmSize": 0}
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:  # noqa: PTH123
        for line in file:
            name, _, value = line.partition(":")
            if name in reserved:
                reserved[name] = int(value.split()[0]) << 10
    more = (megabytes << 20) + _TO_REPORT
    _lower(resource.RLIMIT_DATA, reserved["VmData"] + more)
    _lower(resource.RLIMIT_AS, reserved["VmSize"] + more + (1 << 30))
    reporting(False)


def reporting(now: bool) -> None:
    """Open, or close, the memory that is kept back so that a process that has no more can still say so."""
    for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(kind, (hard if now else max(0, hard - _TO_REPORT), hard))


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2] if part.isdigit())


def guard_controller() -> None:
    """Adopt orphans, and let no other process of the same user look into this one."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    prctl(_PR_SET_DUMPABLE, 0)


def leave_guard() -> None:
    """Undo, in a forked interpreter, what only the controller needs: user code may look at itself."""
    prctl(_PR_SET_DUMPABLE, 1)


def die_with_parent() -> None:
    """End this process when its parent does."""
    prctl(_PR_SET_PDEATHSIG, 9)
