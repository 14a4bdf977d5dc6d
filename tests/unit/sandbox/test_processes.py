from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from lakebook.sandbox.worker import processes
from lakebook.sandbox.worker.litter import Litter


def test_descendants_are_found_and_killed_and_others_left() -> None:
    keep = subprocess.Popen(["sleep", "60"])
    before = processes.descendants(os.getpid())
    victim = subprocess.Popen(["sh", "-c", "sleep 61 & sleep 62"])
    time.sleep(0.2)
    try:
        new = processes.descendants(os.getpid()) - before
        assert victim.pid in {process.number for process in new}
        assert len(new) >= 2
        assert processes.memory_mb(before | new, 10**6) >= 0
        assert processes.kill_all(os.getpid(), before)
        assert not processes.descendants(os.getpid()) - before
        assert keep.poll() is None
    finally:
        keep.kill()
        keep.wait()
        victim.wait()


def test_memory_is_counted_once_when_shared() -> None:
    me = processes.Process(os.getpid(), 0)
    rough = processes.memory_mb(frozenset([me]), 10**6)
    exact = processes.memory_mb(frozenset([me]), 0)
    assert rough > 10
    assert 0 < exact <= rough + 1


def test_what_is_new_is_removed_and_what_was_there_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    work = tmp_path / "work"
    (work / "old").mkdir(parents=True)
    (work / "old" / "file").write_text("x")
    litter = Litter([str(work)])
    known = litter.known()
    (work / "new" / "deep").mkdir(parents=True)
    (work / "new" / "deep" / "file").write_text("x")
    (work / "old" / "second").write_text("x")
    (work / "link").symlink_to(outside)
    litter.remove(known)
    assert sorted(p.relative_to(work).as_posix() for p in work.rglob("*")) == ["old", "old/file"]
    assert (outside / "kept").exists()
