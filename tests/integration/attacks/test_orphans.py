"""Sessions that nobody uses, and what a killed owner leaves, are ended; what is of the living is not."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox import cgroups, reaper
from lakebook.sandbox.base import SessionOptions
from lakebook.sandbox.container import ContainerSandbox
from tests.integration.attacks.conftest import LIMITS, Backend, Opener, alive, wait_gone

ROOT = Path(__file__).parents[3]
OWNER = """
    import sys, time
    from lakebook.sandbox.base import Limits, SessionOptions
    from lakebook.sandbox.choose import choose_sandbox
    session = choose_sandbox({name!r}).open(SessionOptions(limits=Limits(memory_mb=300, disk_mb=32)))
    session.run("import subprocess; subprocess.Popen(['sleep', {marker!r}])")
    print("ready", flush=True)
    {then}
    time.sleep(60)
"""


def owner(backend: Backend, marker: str, then: str = "") -> subprocess.Popen[bytes]:
    code = textwrap.dedent(OWNER).format(name=backend.name, marker=marker, then=then)
    import os

    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
    assert started.stdout is not None
    assert started.stdout.readline() == b"ready\n"
    return started


def test_an_idle_session_is_ended_and_says_why(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = dataclasses.replace(LIMITS, idle_seconds=0.2)
    with backend.open(SessionOptions(limits=limits)) as opened:
        marker = f"74{id(opened)}.25"
        assert opened.run(f"import subprocess; subprocess.Popen(['sleep', '{marker}'])").error is None
        opened.reclaim()
        assert alive(marker)
        time.sleep(0.3)
        reaper.reclaim()
        assert wait_gone(marker)
        with pytest.raises(SandboxFailed, match=r"not used for 0\.2 s"):
            opened.run("1")


def test_a_session_that_works_is_not_idle(backend: Backend) -> None:
    limits = dataclasses.replace(LIMITS, idle_seconds=0.2)
    with backend.open(SessionOptions(limits=limits)) as opened:
        import threading

        results: list[str] = []
        code = "import time; time.sleep(1)"
        call = threading.Thread(target=lambda: results.append(opened.run(code).ended))
        call.start()
        time.sleep(0.6)
        reaper.reclaim()
        call.join()
        assert results == ["done"]
        assert opened.run("1").error is None


def test_what_a_killed_owner_leaves_is_swept(backend: Backend) -> None:
    marker = f"75{time.monotonic_ns()}.25"
    with owner(backend, marker) as killed:
        killed.kill()
    assert wait_gone(marker)
    reaper.sweep()
    assert not [left for left in reaper.orphans() if "control group" in left.what]


def test_a_container_that_does_not_end_by_itself_is_found_again(backend: Backend) -> None:
    if not isinstance(backend, ContainerSandbox):
        pytest.skip("a container is not the owner's child")
    marker = f"76{time.monotonic_ns()}.25"
    freeze = "session._worker._engine.pause(session._worker._container)"
    with owner(backend, marker, freeze) as killed:
        time.sleep(1)
        assert not backend.orphans()
        killed.kill()
    assert alive(marker)
    assert len(backend.orphans()) == 1
    backend.orphans()[0].remove()
    assert wait_gone(marker)
    assert not backend.orphans()


def test_nothing_of_the_living_is_touched(backend: Backend, open_session: Opener) -> None:
    marker = f"77{time.monotonic_ns()}.25"
    with owner(backend, marker) as other, open_session() as mine:
        reaper.sweep()
        assert alive(marker)
        assert mine.run("1").error is None
        other.kill()


def test_control_groups_end_with_their_session(open_session: Opener, backend: Backend) -> None:
    if isinstance(backend, ContainerSandbox):
        pytest.skip("the engine keeps them")
    opened = open_session()
    folders = list(getattr(opened._worker._hold, "folders", ()))  # type: ignore[attr-defined]
    opened.close()
    assert not any(folder.exists() for folder in folders)
    assert not set(folders) & set(cgroups.orphans())
