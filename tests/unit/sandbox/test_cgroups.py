from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lakebook.sandbox import cgroups
from lakebook.sandbox.base import Limits
from lakebook.sandbox.cgroups import Group, Hierarchy, Tally, hierarchies

LIMITS = Limits(cores=1.5, memory_mb=100, disk_mb=10, processes=20)
SIZE = str(LIMITS.total_mb << 20)
OLDER = """\
20 1 0:20 / {top}/memory rw,relatime - cgroup cgroup rw,memory
21 1 0:21 / {top}/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
22 1 0:22 / {top}/pids rw,relatime - cgroup cgroup rw,pids
23 1 0:23 / {top}/freezer rw,relatime - cgroup cgroup rw,freezer
24 1 0:24 / /proc rw,relatime - proc proc rw
"""


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The older hierarchies as folders; this process is in the group `mine` of each."""
    (tmp_path / "mounts").write_text(OLDER.format(top=tmp_path))
    names = ("memory", "cpu,cpuacct", "pids", "freezer")
    for name in names:
        (tmp_path / name / "mine").mkdir(parents=True)
    lines = [f"{number}:{name}:/mine" for number, name in enumerate(names)]
    (tmp_path / "own").write_text("\n".join(lines))
    pretend(monkeypatch, tmp_path)
    return tmp_path


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    trees = hierarchies(folder / "mounts")
    monkeypatch.setattr(cgroups, "hierarchies", lambda: trees)
    monkeypatch.setattr(Hierarchy, "own", own_reader(folder / "own"))


def own_reader(membership: Path) -> object:
    real = Hierarchy.own
    return lambda tree, of=membership: real(tree, of)


def test_a_group_is_made_in_each_of_the_older_hierarchies(older: Path) -> None:
    group = cgroups.separate(LIMITS)
    kinds = ("cpu,cpuacct", "memory", "pids")
    assert sorted(group.folders) == [older / kind / "mine" / group.name for kind in kinds]
    assert (older / "memory" / "mine" / group.name / "memory.limit_in_bytes").read_text() == SIZE
    assert group.prefix[:2] == ["/bin/sh", "-c"]


def test_limits_are_those_of_the_session() -> None:
    assert cgroups._separate("pids", LIMITS) == {"pids.max": "28"}
    assert cgroups._separate("cpu", LIMITS) == {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "150000"}
    assert cgroups._separate("freezer", LIMITS) == {}
    wanted = {"memory.max": SIZE, "memory.swap.max": "0", "pids.max": "28", "cpu.max": "150000 100000"}
    assert cgroups._unified_settings(LIMITS) == wanted


def test_without_a_hierarchy_for_memory_there_is_no_group(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (older / "mounts").read_text().splitlines()
    (older / "mounts").write_text("\n".join(text[1:]))
    pretend(monkeypatch, older)
    with pytest.raises(OSError, match="memory"):
        cgroups.separate(LIMITS)
    assert not list((older / "pids" / "mine").iterdir())


def test_what_was_made_of_a_group_that_fails_is_removed(older: Path) -> None:
    (older / "pids" / "mine").rmdir()
    with pytest.raises(FileNotFoundError):
        cgroups.separate(LIMITS)
    assert not list((older / "cpu,cpuacct" / "mine").iterdir())


def test_the_nearest_group_that_counts_memory_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_text(f"30 1 0:30 / {tmp_path}/all rw - cgroup2 cgroup2 rw\n")
    (tmp_path / "own").write_text("0::/user/app/shell\n")
    (tmp_path / "all" / "user" / "app" / "shell").mkdir(parents=True)
    for name, controllers in (
        ("user/app/shell", ""),
        ("user/app", "memory pids"),
        ("user", "cpu memory pids"),
    ):
        (tmp_path / "all" / name / "cgroup.subtree_control").write_text(controllers)
    pretend(monkeypatch, tmp_path)
    group = cgroups.unified(LIMITS)
    assert group.folders == (tmp_path / "all" / "user" / "app" / group.name,)
    assert (group.folders[0] / "memory.max").read_text() == SIZE


def test_the_path_in_a_container_is_taken_from_where_its_tree_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("4:memory:/docker/abc/inner\n0::/elsewhere\n")
    tree = Hierarchy(Path("/sys/fs/cgroup/memory"), "/docker/abc", False, frozenset({"rw", "memory"}))
    assert tree.own(tmp_path / "own") == Path("/sys/fs/cgroup/memory/inner")


def test_a_scope_is_asked_of_the_users_own_systemd_with_every_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 1000)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    monkeypatch.setenv("SECRET", "x")
    group = cgroups.scope(LIMITS, "/usr/bin/systemd-run")
    line = list(group.prefix)
    assert line[:3] == ["/usr/bin/systemd-run", "--user", "--scope"]
    for wanted in (f"MemoryMax={LIMITS.total_mb}M", "MemorySwapMax=0", "TasksMax=28", "CPUQuota=150%"):
        assert f"--property={wanted}" in line
    assert line[-3:] == ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin"]
    assert group.environment.get("XDG_RUNTIME_DIR") == "/run/user/1000"
    assert "SECRET" not in group.environment


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("memory.events", "low 0\nmax 7\noom 3\noom_kill {}\noom_group_kill 0\n"),
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"),
    ],
)
def test_ends_for_want_of_memory_are_counted(tmp_path: Path, name: str, text: str) -> None:
    tally, grown = Tally(), []
    for number in (0, 0, 2, 2, 3):
        (tmp_path / name).write_text(text.format(number))
        grown.append(tally.grown([tmp_path]))
    assert grown == [False, False, True, False, True]
    assert not tally.grown([tmp_path / "gone"])


def test_a_group_ends_with_its_processes(tmp_path: Path) -> None:
    folder = tmp_path / "group"
    folder.mkdir()
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        # A file of numbers stands in for the kernel's; 0 is what it shows for a process that cannot be seen.
        (folder / "cgroup.procs").write_text(f"0\n{sleeper.pid}\n")
        assert not cgroups.empty(folder, 0.0)
        assert sleeper.wait(5) == -9
    (folder / "cgroup.procs").unlink()
    Group("x", "x", (folder,)).end()
    assert not folder.exists()
    assert cgroups.empty(folder)


def test_only_groups_of_owners_that_are_gone_are_orphans(older: Path) -> None:
    mine = cgroups.separate(LIMITS).folders[0]
    gone = mine.with_name(mine.name.rpartition(".")[0] + ".1-1")
    for folder in (gone, mine.with_name("lakebook-of-another"), mine.with_name("system.slice")):
        folder.mkdir()
    assert cgroups.orphans() == [gone]
