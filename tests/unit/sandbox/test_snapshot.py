"""What a workspace holds, what changed, and what is not looked at however it got there."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

from lakebook.errors import SandboxError
from lakebook.sandbox import snapshot as snapshots
from lakebook.sandbox.snapshot import Bounds, Snapshot, changes, take


@pytest.fixture
def space(tmp_path: Path) -> Path:
    made = tmp_path / "space"
    made.mkdir()
    return made


def hows(before: Snapshot, after: Snapshot) -> list[tuple[str, str]]:
    return [(change.path, change.how) for change in changes(before, after)]


def test_files_are_taken_with_size_hash_and_kind(space: Path) -> None:
    (space / "deep" / "er").mkdir(parents=True)
    (space / "deep" / "er" / "t.csv").write_bytes(b"a,b\n1,2\n")
    (space / "empty").write_bytes(b"")
    taken = take(space)
    assert list(taken.entries) == ["deep/er/t.csv", "empty"]
    entry = taken.entries["deep/er/t.csv"]
    assert (entry.size, entry.kind, entry.refused) == (8, "csv", "")
    assert entry.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert taken.left_out == ""


def test_new_changed_and_deleted_are_told_apart(space: Path) -> None:
    for name in ("same", "changed", "deleted"):
        (space / name).write_text(name)
    before = take(space)
    (space / "changed").write_text("CHANGED")
    (space / "deleted").unlink()
    (space / "new").write_text("new")
    after = take(space, before)
    assert hows(before, after) == [("changed", "changed"), ("deleted", "deleted"), ("new", "new")]
    changed = changes(before, after)[0]
    assert changed.earlier is not None
    assert changed.earlier.sha256 == hashlib.sha256(b"changed").hexdigest()
    assert hows(after, take(space, after)) == []


def test_a_change_that_hides_its_time_and_size_is_found(space: Path) -> None:
    file = space / "file"
    file.write_text("before")
    before = take(space)
    status = file.stat()
    file.write_text("after!")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert hows(before, take(space, before)) == [("file", "changed")]


def test_a_file_written_anew_with_the_same_content_is_no_change(space: Path) -> None:
    (space / "file").write_text("same")
    before = take(space)
    (space / "file").unlink()
    (space / "file").write_text("same")
    assert hows(before, take(space, before)) == []


def test_what_did_not_change_is_not_read_again(space: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (space / "file").write_text("x")
    monkeypatch.setattr(snapshots, "_RACY_NS", -(10**12))
    before = take(space)
    monkeypatch.setattr(snapshots._Walk, "_read", lambda *_: pytest.fail("read again"))
    assert take(space, before).entries == before.entries


def test_links_pipes_sockets_and_odd_names_are_told_and_not_opened(space: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inner").write_text("secret")
    (space / "link").symlink_to(secret)
    (space / "folder").symlink_to(tmp_path / "folder")
    (space / "dangling").symlink_to("nowhere")
    os.mkfifo(space / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(space / "socket"))
    (space / "back\\slash").write_text("x")
    Path(os.fsdecode(os.fsencode(space) + b"/\xff")).write_text("x")
    taken = take(space)
    refused = {path: entry.refused for path, entry in taken.entries.items()}
    assert {path: refused[path] for path in ("dangling", "folder", "link", "pipe", "socket")} == {
        "dangling": "a link",
        "folder": "a link",
        "link": "a link",
        "pipe": "a pipe",
        "socket": "a socket",
    }
    assert refused["back\\slash"].startswith("unsafe name")
    assert refused["\\udcff"].startswith("unsafe name")
    assert all(entry.sha256 == "" for entry in taken.entries.values())


def test_a_file_that_becomes_a_link_is_a_change_and_not_read(space: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (space / "file").write_text("mine")
    before = take(space)
    (space / "file").unlink()
    (space / "file").symlink_to(tmp_path / "secret")
    (change,) = changes(before, take(space, before))
    assert change.how == "changed"
    assert change.now is not None
    assert (change.now.refused, change.now.sha256) == ("a link", "")


def test_bounds_are_kept_and_said(space: Path) -> None:
    for number in range(6):
        (space / f"file{number}").write_bytes(b"x" * 100)
    few = take(space, bounds=Bounds(entries=4))
    assert len(few.entries) == 4
    assert "4 files" in few.left_out
    (space / "file0").write_bytes(b"x" * 200)
    small = take(space, bounds=Bounds(file_bytes=150))
    assert [p for p, e in small.entries.items() if e.refused] == ["file0"]
    assert small.left_out == ""
    total = take(space, bounds=Bounds(total_bytes=350, file_bytes=300))
    assert sum(e.size for e in total.entries.values() if e.sha256) <= 350
    assert "350 bytes" in total.left_out


def test_an_incomplete_snapshot_calls_nothing_new_or_deleted(space: Path) -> None:
    for number in range(3):
        (space / f"file{number}").write_text("x")
    whole, part = take(space), take(space, bounds=Bounds(entries=1))
    assert hows(whole, part) == []
    assert hows(part, whole) == []


def test_folders_nested_deeper_than_a_path_may_be_are_told(space: Path) -> None:
    (space / "/".join("d" * 40)).mkdir(parents=True)
    (entry,) = take(space).entries.values()
    assert "deeper than 32" in entry.refused


def test_a_workspace_that_is_not_there_or_a_link_is_an_error(tmp_path: Path, space: Path) -> None:
    (tmp_path / "link").symlink_to(space)
    for folder in (tmp_path / "none", tmp_path / "link"):
        with pytest.raises(SandboxError):
            take(folder)
