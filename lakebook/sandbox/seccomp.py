"""The system-call filter of the sandbox, assembled here so that no library is needed.

As classic BPF, and as the profile that container engines take.

A deny list: what a data analysis never calls and an attack would (other processes' memory, mounts, new
namespaces, kernel keys, BPF, io_uring, memory that no limit counts), sockets other than Unix ones, and
terminal injection. A program for another architecture than the machine's is ended.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass
from typing import Any

from lakebook.errors import SandboxUnavailable

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENT_0, _ARGUMENT_1 = 0, 4, 16, 24
_NEW_NAMESPACES = 0x7E020000
_X32_BIT = 0x40000000
_TERMINAL_CALLS = _TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX = 1

# Numbers from the kernel's tables: (x86_64, aarch64); None where the architecture lacks the call.
_DENIED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # mounts, roots, namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    # kernel interfaces
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
    "personality": (135, 92),
    "lookup_dcookie": (212, 18),
    "vmsplice": (278, 75),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    # memory that neither a process limit nor a size-limited folder counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
}


@dataclass(frozen=True, slots=True)
class _Machine:
    name: str
    column: int
    audit: int
    socket: int
    socketpair: int
    clone: int
    clone3: int
    ioctl: int


_MACHINES = {
    "x86_64": _Machine("SCMP_ARCH_X86_64", 0, 0xC000003E, 41, 53, 56, 435, 16),
    "aarch64": _Machine("SCMP_ARCH_AARCH64", 1, 0xC00000B7, 198, 199, 220, 435, 29),
}


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def _refuse(error: int) -> bytes:
    return _step(_RETURN, _ERRNO | error)


def denied_calls(machine: str | None = None) -> dict[str, int]:
    """Return the denied system calls of a machine with their numbers."""
    column = _machine(machine).column
    return {name: number for name, row in _DENIED.items() if (number := row[column]) is not None}


def _machine(name: str | None) -> _Machine:
    name = name or platform.machine()
    try:
        return _MACHINES[name]
    except KeyError:
        raise SandboxUnavailable(
            f"there is no system-call filter for the {name} architecture.",
            hint=f"Run on one of {', '.join(_MACHINES)}, or use Docker.",
        ) from None


def build_filter(machine: str | None = None) -> bytes:
    """Return the filter as the kernel takes it: eight bytes an instruction."""
    target = _machine(machine)
    program = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, target.audit, 1, 0),
        _step(_RETURN, _KILL_PROCESS),
        _step(_LOAD, _NUMBER),
    ]
    if target.column == 0:
        program += [_step(_AT_LEAST, _X32_BIT, 0, 1), _refuse(errno.ENOSYS)]
    # clone3 hides its flags in memory that a filter can't read; the C library then falls back to clone.
    program += [_step(_EQUAL, target.clone3, 0, 1), _refuse(errno.ENOSYS)]
    for number in denied_calls(machine).values():
        program += [_step(_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    program += [
        _step(_EQUAL, target.clone, 0, 4),
        _step(_LOAD, _ARGUMENT_0),
        _step(_ANY_BIT, _NEW_NAMESPACES, 0, 1),
        _refuse(errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]
    for number in (target.socket, target.socketpair):
        program += [
            _step(_EQUAL, number, 0, 4),
            _step(_LOAD, _ARGUMENT_0),
            _step(_EQUAL, _AF_UNIX, 1, 0),
            # Not EAFNOSUPPORT: libzmq ends the whole process on that.
            _refuse(errno.EOPNOTSUPP),
            _step(_RETURN, _ALLOW),
        ]
    program += [
        _step(_EQUAL, target.ioctl, 0, 5),
        _step(_LOAD, _ARGUMENT_1),
        _step(_EQUAL, _TIOCSTI, 1, 0),
        _step(_EQUAL, _TIOCLINUX, 0, 1),
        _refuse(errno.EPERM),
        _step(_RETURN, _ALLOW),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def profile(machine: str | None = None) -> dict[str, Any]:
    """Return the same filter as a seccomp profile in the form of Docker and Podman.

    Only this machine's architecture is named: the engine ends a program that calls by another one's numbers.
    """
    target = _machine(machine)
    refuse = {"action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM}
    flags = [1 << bit for bit in range(32) if _NEW_NAMESPACES >> bit & 1]
    rules: list[dict[str, Any]] = [
        {"names": sorted(denied_calls(machine)), **refuse},
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
        *({"names": ["clone"], **refuse, "args": [_argument(0, flag, "MASKED_EQ", flag)]} for flag in flags),
        {
            "names": ["socket", "socketpair"],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": errno.EOPNOTSUPP,
            "args": [_argument(0, _AF_UNIX, "NE")],
        },
        *({"names": ["ioctl"], **refuse, "args": [_argument(1, call, "EQ")]} for call in _TERMINAL_CALLS),
    ]
    return {"defaultAction": "SCMP_ACT_ALLOW", "architectures": [target.name], "syscalls": rules}


def _argument(index: int, value: int, comparison: str, second: int = 0) -> dict[str, Any]:
    return {"index": index, "value": value, "valueTwo": second, "op": f"SCMP_CMP_{comparison}"}
