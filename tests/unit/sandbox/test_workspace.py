from __future__ import annotations

import os
from pathlib import Path

import pytest

from lakebook.errors import SandboxError
from lakebook.sandbox.workspace import UnsafeNameError, Workspace, check_name, check_path


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    (tmp_path / "space").mkdir()
    return Workspace(tmp_path / "space")


@pytest.mark.parametrize(
    "name",
    [
        "a.png",
        "Ümläut ✓.csv",
        ".hidden",
        "a b",
        "x" * 255,
        "売上.csv",
        "50 %",
        "ab:c.png",
        "½",
        "console.txt",
    ],
)
def test_ordinary_names_pass(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "...", " ", "a/b", "a\\b", "a\0b", "a\nb", "\ud800", "é" * 128]
)
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(UnsafeNameError):
        check_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "\uff0f",
        "a\uff0fb",
        "a\uff3cb",
        "a\ufe68b",
        "\u2100",
        "\u2025",
        "\u2024",
        "\uff0e\uff0e",
        "x\u202etxt.exe",
        "a\u2028b",
    ],
)
def test_names_that_look_or_normalise_like_others_are_refused(name: str) -> None:
    with pytest.raises(UnsafeNameError):
        check_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "con",
        "NUL.txt",
        "Com1",
        "lpt9.tar.gz",
        "aux ",
        "com¹",
        "C:",
        "c:x",
        "end.",
        "end ",
        "end\u2024",
        "CONIN$",
    ],
)
def test_names_of_devices_and_names_that_some_systems_shorten_are_refused(name: str) -> None:
    with pytest.raises(UnsafeNameError):
        check_name(name)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "/".join("a" * 33)])
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(UnsafeNameError):
        check_path(path)


def test_what_is_written_is_read_and_listed(space: Workspace) -> None:
    written = space.write("figures/one.png", b"png")
    assert written == space.root / "figures" / "one.png"
    assert space.read("figures/one.png") == b"png"
    space.write("figures/one.png", b"newer")
    assert space.read("figures/one.png") == b"newer"
    assert space.names() == ["figures/one.png"]


def test_a_linked_folder_is_not_followed(space: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (space.root / "link").symlink_to(outside)
    for attempt in (lambda: space.write("link/new", b"x"), lambda: space.read("link/secret")):
        with pytest.raises(UnsafeNameError):
            attempt()
    assert sorted(p.name for p in outside.iterdir()) == ["secret"]
    assert space.names() == []


def test_a_linked_file_is_replaced_never_followed(space: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "secret"
    outside.write_bytes(b"secret")
    (space.root / "link").symlink_to(outside)
    with pytest.raises(UnsafeNameError):
        space.read("link")
    space.write("link", b"mine")
    assert outside.read_bytes() == b"secret"
    assert space.read("link") == b"mine"


def test_pipes_folders_and_long_files_are_not_read(space: Workspace) -> None:
    os.mkfifo(space.root / "pipe")
    (space.root / "folder").mkdir()
    space.write("long", b"x" * 100)
    for name in ("pipe", "folder"):
        with pytest.raises(UnsafeNameError):
            space.read(name)
    with pytest.raises(UnsafeNameError):
        space.read("long", most=99)
    assert space.read("long", most=100) == b"x" * 100
    assert space.names() == ["long"]


def test_what_is_removed_is_gone_and_what_links_point_to_stays(space: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(b"x")
    space.write("folder/deep/file", b"x")
    (space.root / "folder" / "link").symlink_to(outside)
    space.write("other", b"x")
    space.remove("folder")
    assert space.names() == ["other"]
    (space.root / "link").symlink_to(outside)
    with pytest.raises(UnsafeNameError):
        space.remove("link/kept")
    space.clear()
    assert list(space.root.iterdir()) == []
    assert (outside / "kept").exists()
    with pytest.raises(UnsafeNameError):
        space.remove("missing")


def test_folders_too_deep_to_be_named_or_closed_to_their_owner_are_removed_too(space: Workspace) -> None:
    current = os.open(space.root, os.O_RDONLY)
    for _ in range(220):
        os.mkdir("d" * 20, 0o700, dir_fd=current)
        deeper = os.open("d" * 20, os.O_RDONLY, dir_fd=current)
        os.close(current)
        current = deeper
    os.mkdir("closed", 0o000, dir_fd=current)
    os.close(current)
    space.clear()
    assert list(space.root.iterdir()) == []


def test_a_failed_write_leaves_nothing(space: Workspace) -> None:
    (space.root / "taken").mkdir()
    with pytest.raises(UnsafeNameError):
        space.write("taken", b"x")
    assert [p.name for p in space.root.iterdir()] == ["taken"]


def test_a_missing_workspace_says_where(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="none"):
        Workspace(tmp_path / "none").write("a", b"")
    (tmp_path / "there").mkdir()
    with pytest.raises(UnsafeNameError, match="missing"):
        Workspace(tmp_path / "there").read("missing")
