from __future__ import annotations

import errno
import struct

import pytest

from lakebook.errors import SandboxUnavailable
from lakebook.sandbox.seccomp import build_filter, denied_calls, profile

ALLOW, KILL = 0x7FFF0000, 0x80000000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {
    "x86_64": {"read": 0, "clone": 56, "clone3": 435, "socket": 41, "socketpair": 53, "ioctl": 16},
    "aarch64": {"read": 63, "clone": 220, "clone3": 435, "socket": 198, "socketpair": 199, "ioctl": 29},
}


def run(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Interpret the filter as the kernel would; return what it decides."""
    values = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *values)
    steps = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    place = accumulator = 0
    while True:
        code, if_true, if_false, value = steps[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return int(value)
        else:
            tests = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}
            place += if_true if tests[code] else if_false


def refused(error: int) -> int:
    return 0x00050000 | error


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def decide(machine: str, number: int, *arguments: int) -> int:
    return run(build_filter(machine), ARCHITECTURES[machine], number, *arguments)


def test_ordinary_calls_pass(machine: str) -> None:
    assert decide(machine, CALLS[machine]["read"], 0, 0, 10) == ALLOW


def test_every_denied_call_is_refused(machine: str) -> None:
    denied = denied_calls(machine)
    assert {"ptrace", "mount", "bpf", "io_uring_setup", "unshare", "memfd_create"} <= set(denied)
    for number in denied.values():
        assert decide(machine, number) == refused(errno.EPERM)
    assert len(set(denied.values())) == len(denied)
    assert not set(denied.values()) & set(CALLS[machine].values())


def test_another_architecture_is_ended(machine: str) -> None:
    foreign = next(value for name, value in ARCHITECTURES.items() if name != machine)
    assert run(build_filter(machine), foreign, CALLS[machine]["read"]) == KILL
    assert run(build_filter(machine), 0x40000003, 1) == KILL  # 32-bit x86


def test_the_x32_calls_are_refused() -> None:
    assert decide("x86_64", 0x40000000 | 1) == refused(errno.ENOSYS)


def test_threads_and_forks_pass_and_new_namespaces_do_not(machine: str) -> None:
    clone = CALLS[machine]["clone"]
    assert decide(machine, clone, 0x00010F00) == ALLOW
    assert decide(machine, clone, 17) == ALLOW
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(machine, clone, flag | 17) == refused(errno.EPERM)
    assert decide(machine, CALLS[machine]["clone3"]) == refused(errno.ENOSYS)


def test_only_unix_sockets_pass(machine: str) -> None:
    for call in ("socket", "socketpair"):
        number = CALLS[machine][call]
        assert decide(machine, number, 1) == ALLOW
        for family in (0, 2, 10, 16, 17, 38, 40):
            assert decide(machine, number, family) == refused(errno.EOPNOTSUPP)


def test_typing_into_a_terminal_is_refused(machine: str) -> None:
    ioctl = CALLS[machine]["ioctl"]
    assert decide(machine, ioctl, 0, 0x5401) == ALLOW
    assert decide(machine, ioctl, 0, 0x5412) == refused(errno.EPERM)
    assert decide(machine, ioctl, 0, 0x541C) == refused(errno.EPERM)


def test_an_unknown_architecture_has_no_filter() -> None:
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        build_filter("riscv64")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_engines_profile_refuses_what_the_filter_refuses(machine: str) -> None:
    found = profile(machine)
    refused = {name for rule in found["syscalls"] if "args" not in rule for name in rule["names"]}
    assert refused == {*denied_calls(machine), "clone3"}
    assert len(found["architectures"]) == 1
    (sockets,) = [rule for rule in found["syscalls"] if "socket" in rule["names"]]
    assert sockets["args"] == [{"index": 0, "value": 1, "valueTwo": 0, "op": "SCMP_CMP_NE"}]


def test_the_engines_profile_refuses_every_new_namespace() -> None:
    flags = {rule["args"][0]["value"] for rule in profile("x86_64")["syscalls"] if rule["names"] == ["clone"]}
    assert sum(flags) == 0x7E020000
    assert all(flag & (flag - 1) == 0 for flag in flags)
