from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox import bubblewrap
from lakebook.sandbox.base import Limits, Mount, SessionOptions


def arguments(plan: bubblewrap._Plan) -> list[str]:
    with ExitStack() as stack:
        return list(bubblewrap._arguments(plan, stack, []))


def plan_for(tmp_path: Path, **more: str) -> bubblewrap._Plan:
    options = SessionOptions(mounts=[Mount("lake", tmp_path)], environment=more, limits=Limits(disk_mb=7))
    return bubblewrap._plan("/bin/true", options)


def pairs(words: list[str], flag: str) -> list[tuple[str, ...]]:
    return [tuple(words[at + 1 : at + 3]) for at, word in enumerate(words) if word == flag]


def test_nothing_of_the_host_is_mounted_writable(tmp_path: Path) -> None:
    words = arguments(plan_for(tmp_path))
    assert "--bind" not in words
    assert "--dev-bind" not in words
    assert (str(tmp_path), "/inputs/lake") in pairs(words, "--ro-bind")
    targets = {target for _, target in pairs(words, "--ro-bind")}
    assert not targets & {"/", "/home", "/root", "/etc", "/var", str(Path.home())}


def test_every_namespace_is_new_and_the_environment_is_clean(tmp_path: Path) -> None:
    words = arguments(plan_for(tmp_path, GIVEN="1"))
    for kind in ("ipc", "pid", "net", "uts"):
        assert f"--unshare-{kind}" in words
    assert "--clearenv" in words
    assert "--die-with-parent" in words
    assert ("GIVEN", "1") in pairs(words, "--setenv")
    assert not any(
        name in dict(pairs(words, "--setenv")) for name in ("USER", "SSH_AUTH_SOCK", "OPENAI_API_KEY")
    )


def test_memory_folders_have_a_size(tmp_path: Path) -> None:
    words = arguments(plan_for(tmp_path))
    for at, word in enumerate(words):
        if word == "--tmpfs":
            assert words[at - 2] == "--size"
    assert words.count("--tmpfs") == 3
    assert str(7 << 20) in words


@pytest.mark.skipif(os.getuid() == 0, reason="root is mapped in a namespace of its own")
def test_an_ordinary_user_gets_a_user_namespace(tmp_path: Path) -> None:
    assert "--unshare-user" in arguments(plan_for(tmp_path))


@pytest.mark.skipif(os.getuid() != 0, reason="only root drops to another user")
def test_root_gets_another_user_each_time(tmp_path: Path) -> None:
    users = {plan_for(tmp_path).user for _ in range(5)}
    assert 0 not in users
    assert len(users) > 1


def test_this_python_is_within_the_mounted_folders() -> None:
    folders = bubblewrap.python_folders()
    real = Path(sys.executable).resolve()
    assert any(real.is_relative_to(folder) for folder in (*folders, Path("/usr")))
    assert not any(a != b and a.is_relative_to(b) for a in folders for b in folders)
    assert Path("/") not in folders


def test_equal_mount_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxFailed, match="two"):
        bubblewrap._plan("x", SessionOptions(mounts=[Mount("a", tmp_path), Mount("a", tmp_path)]))


@pytest.mark.parametrize("name", ["", "A=B", "A\0B"])
def test_a_bad_variable_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SandboxFailed, match="variable"):
        bubblewrap._plan("x", SessionOptions(environment={name: "1"}))
