"""Users, capabilities and system calls."""

from __future__ import annotations

import os

import pytest

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import attack, refused


def test_the_user_is_not_root_and_can_do_nothing_special(session: WorkerSession) -> None:
    code = """
        import os
        status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
        print(os.getuid() != 0, os.geteuid() != 0, int(status["CapEff"], 16) & ~4)
        print(status["NoNewPrivs"].strip(), status["Seccomp"].strip())
    """
    assert attack(session, code) == "True True 0\n1 2"


@pytest.mark.parametrize("call", ["os.setuid(0)", "os.setgroups([0])", "os.chroot('/tmp')"])
def test_privileged_calls_are_refused(session: WorkerSession, call: str) -> None:
    assert refused(session, call) in ("EPERM", "EINVAL")  # EINVAL: there is no such user inside


_SYSTEM_CALLS = {  # x86_64 numbers, each with arguments that would go far enough to show that it is allowed
    "ptrace": (101, 16, 1, 0, 0),
    "mount": (165, 0, 0, 0, 0),
    "unshare": (272, 0x10000000, 0, 0, 0),
    "keyctl": (250, 0, 0, 0, 0),
    "bpf": (321, 0, 0, 0, 0),
    "io_uring_setup": (425, 1, 0, 0, 0),
    "userfaultfd": (323, 0, 0, 0, 0),
    "perf_event_open": (298, 0, 0, 0, 0),
    "open_by_handle_at": (304, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0),
    "memfd_create": (319, 0, 0, 0, 0),
    "clone_newuser": (56, 0x10000000, 0, 0, 0),
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system call numbers are of x86_64")
@pytest.mark.parametrize("name", sorted(_SYSTEM_CALLS))
def test_kernel_interfaces_are_closed(session: WorkerSession, name: str) -> None:
    code = f"""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syscall{_SYSTEM_CALLS[name]} < 0:
            raise OSError(ctypes.get_errno(), "")
    """
    assert refused(session, code) == "EPERM"


def test_an_ordinary_system_call_is_allowed(session: WorkerSession) -> None:
    code = "import ctypes, os\nprint(ctypes.CDLL(None).getpid() == os.getpid())"
    assert attack(session, code) == "True"


def test_a_child_process_can_be_started(session: WorkerSession) -> None:
    code = (
        "import subprocess\nprint(subprocess.run(['echo', 'hello'], capture_output=True, text=True).stdout)"
    )
    assert attack(session, code) == "hello"
