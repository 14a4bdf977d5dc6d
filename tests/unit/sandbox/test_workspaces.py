"""One folder for each name of a session, and never one for two."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.sandbox.workspace import UnsafeNameError
from lakebook.sandbox.workspaces import Workspaces


def test_a_space_is_made_when_it_is_opened_and_found_again(tmp_path: Path) -> None:
    spaces = Workspaces(tmp_path / "state" / "workspaces")
    space = spaces.open("My analysis")
    space.files.write("a.csv", b"x")
    assert spaces.open("My analysis").files.read("a.csv") == b"x"
    assert space.files.root.parent.name.startswith("my-analysis-")
    assert space.index.file.parent == space.files.root.parent
    assert space.files.root not in space.index.file.parents


def test_names_that_some_system_takes_for_one_have_folders_of_their_own(tmp_path: Path) -> None:
    spaces = Workspaces(tmp_path)
    names = ["a-b", "a b", "A-b", "a_b", "a.b", "é", "e\u0301", "売上", "x" * 100, "x" * 101]
    folders = {spaces.folder_name(name).lower() for name in names}
    assert len(folders) == len(names)
    assert all(len(folder) < 80 for folder in folders)


@pytest.mark.parametrize(
    "name", ["", "..", "../victim", "/tmp/x", "a/b", "a\\b", "a\0b", "nul", "a\uff0fb", "x" * 256]
)
def test_a_name_that_leads_elsewhere_opens_and_removes_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "kept").write_text("x")
    spaces = Workspaces(tmp_path / "spaces")
    for attempt in (spaces.open, spaces.remove):
        with pytest.raises(UnsafeNameError):
            attempt(name)
    assert (tmp_path / "victim" / "kept").exists()
    assert not spaces.root.exists()


def test_a_link_in_the_place_of_a_space_is_not_followed(tmp_path: Path) -> None:
    spaces = Workspaces(tmp_path / "spaces")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    spaces.root.mkdir()
    (spaces.root / spaces.folder_name("s")).symlink_to(outside)
    with pytest.raises(UnsafeNameError):
        spaces.open("s")
    spaces.remove("s")
    assert sorted(path.name for path in outside.iterdir()) == ["kept"]
    assert spaces.open("s").files.names() == []


def test_removing_takes_one_space_and_leaves_the_others(tmp_path: Path) -> None:
    spaces = Workspaces(tmp_path)
    spaces.open("one").files.write("a/b", b"x")
    spaces.open("two").files.write("a/b", b"x")
    spaces.remove("one")
    spaces.remove("never there")
    assert spaces.open("one").files.names() == []
    assert spaces.open("two").files.names() == ["a/b"]
