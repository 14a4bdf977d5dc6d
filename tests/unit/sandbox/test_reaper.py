from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox import local, reaper
from lakebook.sandbox.owner import mark
from lakebook.sandbox.reaper import Orphan


class Idle:
    """A session that counts how often it was looked at."""

    def __init__(self) -> None:
        self.looked = threading.Event()

    def reclaim(self) -> None:
        self.looked.set()


@pytest.fixture(autouse=True)
def nothing_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reaper that knows of no session and no source."""
    monkeypatch.setattr(reaper, "_sessions", [])
    monkeypatch.setattr(reaper, "_sources", [])
    monkeypatch.setattr(reaper, "_thread", None)


def gone_mark() -> str:
    """The mark of a process that started before this one under its number."""
    return f"{mark().rpartition('.')[0]}.1"


def test_sessions_are_looked_at_until_they_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper, "_LOOK_SECONDS", 0.01)
    kept, gone = Idle(), Idle()
    reaper.look_after(kept)
    assert kept.looked.wait(5)
    reaper.look_after(gone)
    reaper.let_go(gone)
    reaper.let_go(gone)
    gone.looked.clear()
    kept.looked.clear()
    assert kept.looked.wait(5)
    assert not gone.looked.is_set()


def test_the_first_session_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    swept = threading.Event()
    reaper.also_from(lambda: [Orphan("a container", swept.set)])
    reaper.look_after(Idle())
    assert swept.wait(5)


def test_a_source_that_fails_hinders_no_other() -> None:
    removed: list[str] = []

    def broken() -> list[Orphan]:
        raise SandboxFailed("the engine is gone")

    def stubborn() -> None:
        raise OSError("busy")

    reaper.also_from(broken)
    reaper.also_from(lambda: [Orphan("one", stubborn), Orphan("two", lambda: removed.append("two"))])
    assert [orphan.what for orphan in reaper.sweep()] == ["one", "two"]
    assert removed == ["two"]


def test_a_source_is_asked_once() -> None:
    def source() -> list[Orphan]:
        return [Orphan("x", lambda: None)]

    reaper.also_from(source)
    reaper.also_from(source)
    assert len(reaper.orphans()) == 1


def test_folders_of_owners_that_are_gone_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / f"lakebook-local-{gone_mark()}-x"
    for folder in (left, tmp_path / f"lakebook-local-{mark()}-y", tmp_path / "lakebook-local-z"):
        folder.mkdir()
    (tmp_path / f"lakebook-local-{gone_mark()}-link").symlink_to(tmp_path / "lakebook-local-z")
    reaper.also_from(local.orphans)
    assert [orphan.what for orphan in reaper.sweep()] == [f"folder {left}"]
    assert not left.exists()
    assert len(list(tmp_path.iterdir())) == 3


def test_sweeping_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(reaper, "_SWEEP_SECONDS", 0.01)
    times: list[float] = []
    reaper.also_from(lambda: [Orphan("x", lambda: times.append(time.monotonic()))])
    reaper.look_after(Idle())
    end = time.monotonic() + 5
    while len(times) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(times) >= 2
