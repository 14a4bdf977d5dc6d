from __future__ import annotations

import os
import subprocess
import time

import pytest

from lakebook.sandbox import totals, watchdog
from lakebook.sandbox.base import Limits
from lakebook.sandbox.watchdog import Watched
from lakebook.sandbox.worker import processes
from lakebook.sandbox.worker.processes import Process


@pytest.fixture
def killed() -> list[str]:
    return []


def watched(limits: Limits, killed: list[str]) -> Watched:
    made = Watched(limits)
    made._process, made._kill = 10, lambda: killed.append("killed")
    return made


def test_processes_together_may_not_have_more_memory(
    monkeypatch: pytest.MonkeyPatch, killed: list[str]
) -> None:
    limits = Limits(memory_mb=100, disk_mb=10)
    for used, ended in ((limits.total_mb, False), (limits.total_mb + 1, True)):
        monkeypatch.setattr(processes, "memory_mb", lambda running, enough, used=used: used)
        one = watched(limits, killed)
        for _ in range(watchdog._LOOKS):
            assert not killed
            one.look({10: [Process(11, 5)]})
        assert (one.ran_out(), one.ran_out()) == (ended, False)
    assert killed == ["killed"]


def test_a_cell_that_is_ended_from_inside_in_time_does_not_cost_the_session(
    monkeypatch: pytest.MonkeyPatch, killed: list[str]
) -> None:
    limits = Limits(memory_mb=100, disk_mb=10)
    one = watched(limits, killed)
    for used in [limits.total_mb + 1] * (watchdog._LOOKS - 1) + [1] + [limits.total_mb + 1]:
        monkeypatch.setattr(processes, "memory_mb", lambda running, enough, used=used: used)
        one.look({10: [Process(11, 5)]})
    assert not killed
    assert not one.ran_out()


def test_far_too_much_memory_ends_the_session_at_once(
    monkeypatch: pytest.MonkeyPatch, killed: list[str]
) -> None:
    limits = Limits(memory_mb=100, disk_mb=10)
    monkeypatch.setattr(processes, "memory_mb", lambda running, enough: 2 * limits.total_mb + 1)
    one = watched(limits, killed)
    one.look({10: [Process(11, 5)]})
    assert killed == ["killed"]
    assert one.ran_out()


def test_there_may_not_be_more_processes(monkeypatch: pytest.MonkeyPatch, killed: list[str]) -> None:
    monkeypatch.setattr(processes, "memory_mb", lambda running, enough: 0)
    one = watched(Limits(processes=4), killed)
    one.look({10: [Process(number, 1) for number in range(20, 32)]})
    assert not killed
    for _ in range(watchdog._LOOKS):
        assert not killed
        one.look({10: [Process(20, 1)], 20: [Process(number, 1) for number in range(30, 42)]})
    assert killed == ["killed"]
    assert not one.ran_out()


def test_a_session_is_watched_until_it_ends(monkeypatch: pytest.MonkeyPatch, killed: list[str]) -> None:
    monkeypatch.setattr(watchdog, "_TICK_SECONDS", 0.01)
    monkeypatch.setattr(watchdog, "_thread", None)
    with subprocess.Popen(["sleep", "60"]) as child:
        one = Watched(Limits(processes=-100))
        one.started(os.getpid(), lambda: killed.append("killed"))
        end = time.monotonic() + 5
        while not killed and time.monotonic() < end:
            time.sleep(0.01)
        one.end()
        one.end()
        child.kill()
    assert killed


def test_without_control_groups_a_session_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "_way", lambda: None)
    assert totals.in_force() == "watchdog"
    assert list(totals.hold(Limits()).prefix) == []


def test_a_way_that_fails_is_not_relied_on() -> None:
    def broken(limits: Limits) -> object:
        raise PermissionError("no")

    assert not totals._works(broken)  # type: ignore[arg-type]
