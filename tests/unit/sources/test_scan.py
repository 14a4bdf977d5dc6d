"""What a scan lists, leaves out, and reports."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from lakebook.errors import UsageError
from lakebook.sources.scan import scan


def write(path: Path, content: bytes = b"x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_files_are_sorted_hashed_and_relative(tmp_path: Path) -> None:
    write(tmp_path / "b.csv", b"bb")
    write(tmp_path / "a" / "z.csv", b"z")
    write(tmp_path / "a.csv", b"")
    manifest = scan(tmp_path)
    assert [entry.path for entry in manifest.files] == ["a.csv", "a/z.csv", "b.csv"]
    assert manifest.files[2].bytes == 2
    assert manifest.files[2].sha256 == hashlib.sha256(b"bb").hexdigest()
    assert manifest.problems == ()


def test_times_play_no_part(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    before = scan(tmp_path)
    os.utime(tmp_path / "a.csv", (1, 1))
    assert scan(tmp_path) == before


def test_hidden_files_and_state_are_left_out(tmp_path: Path) -> None:
    for name in (".hidden.csv", ".lakebook/cards/a.json", "~$w.xlsx", "x/__pycache__/m.pyc"):
        write(tmp_path / name)
    write(tmp_path / "seen.csv")
    assert [entry.path for entry in scan(tmp_path).files] == ["seen.csv"]


def test_links_that_leave_the_folder_are_reported_not_followed(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    write(tmp_path / "secret.csv", b"secret")
    write(tmp_path / "outside" / "s.csv", b"secret")
    write(lake / "a.csv")
    (lake / "out.csv").symlink_to(tmp_path / "secret.csv")
    (lake / "folder").symlink_to(tmp_path / "outside")
    manifest = scan(lake)
    assert [entry.path for entry in manifest.files] == ["a.csv"]
    assert [path for path, _ in manifest.problems] == ["folder", "out.csv"]
    assert all("leaves the folder" in why for _, why in manifest.problems)


def test_links_inside_the_folder_are_fine_and_loops_end(tmp_path: Path) -> None:
    write(tmp_path / "d" / "a.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "d" / "a.csv")
    (tmp_path / "d" / "loop").symlink_to(tmp_path)
    (tmp_path / "self.csv").symlink_to(tmp_path / "self.csv")
    manifest = scan(tmp_path)
    assert [entry.path for entry in manifest.files] == ["b.csv", "d/a.csv"]
    assert [path for path, _ in manifest.problems] == ["self.csv"]


def test_special_files_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    write(tmp_path / "a.csv")
    assert [entry.path for entry in scan(tmp_path).files] == ["a.csv"]


def test_a_name_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    write(tmp_path / os.fsdecode(b"bad\xff.csv"))
    write(tmp_path / "ünï \n#.csv")
    manifest = scan(tmp_path)
    assert [entry.path for entry in manifest.files] == ["ünï \n#.csv"]
    assert "not valid UTF-8" in manifest.problems[0][1]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    (tmp_path / "a.csv").chmod(0)
    assert scan(tmp_path).problems[0][0] == "a.csv"


def test_progress_names_each_file(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    write(tmp_path / "b.csv")
    seen: list[tuple[str, int, int, str]] = []
    scan(tmp_path, lambda *told: seen.append(told))
    assert seen == [("scan", 0, 2, "a.csv"), ("scan", 1, 2, "b.csv")]


def test_a_missing_folder_and_a_file_are_usage_errors(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    with pytest.raises(UsageError, match="no such folder") as caught:
        scan(tmp_path / "nope")
    assert caught.value.hint
    with pytest.raises(UsageError, match="not a folder"):
        scan(tmp_path / "a.csv")
