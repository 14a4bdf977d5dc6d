from __future__ import annotations

import errno

import pytest

from lakebook.sandbox.worker.apart import build
from tests.unit.sandbox.test_seccomp import ALLOW, ARCHITECTURES, refused, run

MINUS = 2**64
CALLS = {  # on the first argument, on the second, on none
    "x86_64": (
        {"kill": 62, "tgkill": 234, "prlimit64": 302},
        {"setpriority": 141, "ioprio_set": 251},
        {"read": 0},
    ),
    "aarch64": (
        {"kill": 129, "tgkill": 131, "prlimit64": 261},
        {"setpriority": 140, "ioprio_set": 30},
        {"read": 63},
    ),
}


@pytest.fixture(params=sorted(CALLS))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("target", [7, MINUS - 7, MINUS - 1, 2**32 - 7])
def test_what_is_above_cannot_be_acted_on(machine: str, target: int) -> None:
    program, (first, second, _) = build([7, -7, -1], machine), CALLS[machine]
    architecture, no = ARCHITECTURES[machine], refused(errno.EPERM)
    assert {run(program, architecture, number, target, 0) for number in first.values()} == {no}
    assert {run(program, architecture, number, 0, target) for number in second.values()} == {no}


def test_others_can(machine: str) -> None:
    program, (first, second, none) = build([7, -7, -1], machine), CALLS[machine]
    architecture = ARCHITECTURES[machine]
    assert {run(program, architecture, number, 8, 7) for number in first.values()} == {ALLOW}
    assert {run(program, architecture, number, 7, 0) for number in second.values()} == {ALLOW}
    assert {run(program, architecture, number, 7, 7) for number in none.values()} == {ALLOW}


def test_another_architecture_is_the_other_filters_to_refuse(machine: str) -> None:
    assert run(build([7], machine), 0x40000003, 37, 7) == ALLOW
