"""Keeps a forked run's hands off the process that it was forked from, which is of the same user.

The kernel lets a process signal, slow down and limit others of its user, and look into their memory and
descriptors by way of /proc. A forked run gives both up for the processes above it: the first by a filter of
system calls that knows their numbers, the second by a Landlock domain of its own, where the kernel has that
(5.19 and later). The filter of the sandbox as a whole is the backend's.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
from collections.abc import Sequence

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENT_0, _ARGUMENT_1 = 0, 4, 16, 24
_PR_SET_SECCOMP, _BY_FILTER = 22, 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same numbers on every architecture
_VERSION, _BIND_TCP, _SIGNALS, _REFER = 1, 1, 2, 1 << 13

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Calls that act on the process named by their first argument: (x86_64, aarch64).
_ON_FIRST: dict[str, tuple[int, int]] = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
}
_ON_SECOND = {"setpriority": (141, 140), "ioprio_set": (251, 30)}

_libc = ctypes.CDLL(None, use_errno=True)


def keep_apart(above: Sequence[int]) -> None:
    """Leave the group of processes above, and give up every right over them, for good.

    Args:
        above: their numbers.

    Raises:
        OSError: the kernel has no filters of system calls, or does not let this process have one.
    """
    groups = {os.getpgid(process) for process in above} - {0}  # 0: it is led from outside of the sandbox
    with contextlib.suppress(PermissionError):  # it leads a group already
        os.setsid()
    _own_domain()
    _filter([*above, *(-group for group in groups), -1])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def build(targets: Sequence[int], machine: str) -> bytes:
    """Return the filter that refuses to act on `targets`; -1 stands for every process, -n for a group."""
    column = list(_AUDIT).index(machine)
    first = [_step(_EQUAL, numbers[column], 0, 1) for numbers in _ON_FIRST.values()]
    second = [_step(_EQUAL, numbers[column], 0, 1) for numbers in _ON_SECOND.values()]
    program = [_step(_LOAD, _ARCHITECTURE), _step(_EQUAL, _AUDIT[machine], 1, 0), _step(_RETURN, _ALLOW)]
    program.append(_step(_LOAD, _NUMBER))
    for argument, calls in ((_ARGUMENT_0, first), (_ARGUMENT_1, second)):
        check = [_step(_LOAD, argument)]
        check += [
            line for target in targets for line in (_step(_EQUAL, target, 0, 1), _step(_RETURN, _REFUSE))
        ]
        check.append(_step(_RETURN, _ALLOW))
        for place, call in enumerate(calls):
            # Any of the calls jumps over the rest of them into the check; none of them jumps over it.
            to_check = len(calls) - place - 1
            last = place == len(calls) - 1
            program.append(call[:2] + bytes([to_check, len(check) if last else 0]) + call[4:])
        program += check
    program.append(_step(_RETURN, _ALLOW))
    return b"".join(program)


def _filter(targets: Sequence[int]) -> None:
    program = ctypes.create_string_buffer(build(targets, os.uname().machine))
    length = (len(program) - 1) // 8
    header = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", length, ctypes.addressof(program)))
    if _libc.prctl(_PR_SET_SECCOMP, _BY_FILTER, header, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), "filter of a forked run")


def _own_domain() -> None:
    """Enter a Landlock domain that takes nothing away but the view of processes outside of it."""
    version = _libc.syscall(_LANDLOCK_CREATE, None, 0, _VERSION)
    if version >= 4:
        scoped = _SIGNALS if version >= 6 else 0
        rules = struct.pack("<QQQ", 0, _BIND_TCP, scoped)[: 24 if scoped else 16]
    elif version >= 2:
        rules = struct.pack("<Q", _REFER)
    else:
        return
    domain = _libc.syscall(_LANDLOCK_CREATE, rules, len(rules), 0)
    if domain < 0:
        return
    if version < 4:
        top = os.open("/", os.O_PATH | os.O_CLOEXEC)
        _libc.syscall(_LANDLOCK_ADD, domain, 1, struct.pack("<Qi", _REFER, top), 0)
        os.close(top)
    _libc.syscall(_LANDLOCK_RESTRICT, domain, 0)
    os.close(domain)
