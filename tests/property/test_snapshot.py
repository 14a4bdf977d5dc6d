"""Whatever tree stands in a workspace, and whatever changes it meanwhile, nothing from outside is taken."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.sandbox.snapshot import Snapshot, changes, take
from lakebook.sandbox.workspace import UnsafeNameError, Workspace

SECRET = b"the secret outside"
SECRET_HASH = hashlib.sha256(SECRET).hexdigest()
NAMES = st.sampled_from(["a", "b", "c.csv", "d d", "e\\e", "é", "end."])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
KINDS = st.sampled_from(
    ["file", "folder", "pipe", "link out", "link to folder", "link up", "link nowhere", "hard link"]
)
TREES = st.lists(st.tuples(PATHS, KINDS, st.binary(max_size=30)), max_size=12)


@contextlib.contextmanager
def workspace() -> Iterator[tuple[Path, Path]]:
    """Give a workspace, and a folder beside it that holds the secret."""
    with tempfile.TemporaryDirectory() as name:
        space, outside = Path(name, "space"), Path(name, "outside")
        space.mkdir()
        outside.mkdir()
        (outside / "secret").write_bytes(SECRET)
        yield space, outside


def build(space: Path, outside: Path, tree: list[tuple[str, str, bytes]]) -> None:
    """Make what can be made; a name that is taken, or a file in the place of a folder, is passed over."""
    for path, kind, content in tree:
        place = space / path
        if any(parent.is_symlink() for parent in place.parents if parent != space):
            continue
        with contextlib.suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            if kind == "file":
                if not place.is_symlink() and not place.is_fifo():
                    place.write_bytes(content)
            elif kind == "folder":
                place.mkdir()
            elif kind == "pipe":
                os.mkfifo(place)
            elif kind == "hard link":
                place.hardlink_to(space / "a")
            else:
                targets = {"link out": outside / "secret", "link to folder": outside, "link up": Path("..")}
                place.symlink_to(targets.get(kind, Path("nowhere")))


def reachable(space: Path) -> dict[str, bytes]:
    """Return the regular files that are reached without a link, by another way than the snapshot's."""
    found: dict[str, bytes] = {}
    for folder, _, files in os.walk(space):
        for name in files:
            place = Path(folder, name)
            if place.is_file() and not place.is_symlink():
                found[place.relative_to(space).as_posix()] = place.read_bytes()
    return found


def hashes(snapshot: Snapshot) -> dict[str, str]:
    return {path: entry.sha256 for path, entry in snapshot.entries.items() if entry.sha256}


def safe(path: str) -> bool:
    return "\\" not in path and "end." not in path


@given(TREES)
@settings(max_examples=150, deadline=None)
def test_exactly_the_reachable_files_of_safe_names_are_taken(tree: list[tuple[str, str, bytes]]) -> None:
    with workspace() as (space, outside):
        build(space, outside, tree)
        expected = {
            path: hashlib.sha256(content).hexdigest()
            for path, content in reachable(space).items()
            if safe(path)
        }
        assert hashes(take(space)) == expected


@given(TREES, TREES)
@settings(max_examples=100, deadline=None)
def test_changes_are_the_difference_of_the_contents(
    first: list[tuple[str, str, bytes]], second: list[tuple[str, str, bytes]]
) -> None:
    with workspace() as (space, outside):
        build(space, outside, first)
        old, before = reachable(space), take(space)
        build(space, outside, second)
        new, after = reachable(space), take(space, before)
        told = {change.path: change.how for change in changes(before, after)}
        expected = {path: "new" for path in new.keys() - old.keys()}
        expected |= {path: "changed" for path in new.keys() & old.keys() if new[path] != old[path]}
        files = {path for path in new.keys() | old.keys() if safe(path)}
        assert {p: how for p, how in told.items() if p in files} == {
            p: how for p, how in expected.items() if p in files
        }
        assert hashes(after) == hashes(take(space))


def swapping(space: Path, outside: Path, stop: threading.Event) -> None:
    """Put a file and a folder in the place of links to the secret and back, as fast as it goes."""
    real_file, link = space / "real-file", space / "link-file"
    real_folder, link_folder = space / "real-folder", space / "link-folder"
    while not stop.is_set():
        for place, good, bad, target in (
            (space / "file", real_file, link, outside / "secret"),
            (space / "folder", real_folder, link_folder, outside),
        ):
            with contextlib.suppress(OSError):
                bad.symlink_to(target)
                place.rename(good)
                bad.rename(place)
                place.rename(bad)
                good.rename(place)
                bad.unlink()


@pytest.fixture
def race() -> Iterator[tuple[Path, Callable[[], None]]]:
    with workspace() as (space, outside):
        (space / "file").write_bytes(b"harmless")
        (space / "folder").mkdir()
        (space / "folder" / "secret").write_bytes(b"harmless too")
        stop = threading.Event()
        thread = threading.Thread(target=swapping, args=(space, outside, stop))
        thread.start()
        yield space, stop.set
        stop.set()
        thread.join()


def test_a_file_swapped_for_a_link_while_it_is_looked_at_is_never_followed(
    race: tuple[Path, Callable[[], None]],
) -> None:
    space, _ = race
    snapshot, refused = Snapshot(), set()
    for _ in range(300):
        snapshot = take(space, snapshot)
        assert SECRET_HASH not in hashes(snapshot).values()
        refused |= {entry.refused for entry in snapshot.entries.values()}
    assert "a link" in refused  # or the race was none


def test_reading_and_writing_never_follow_a_swapped_link(race: tuple[Path, Callable[[], None]]) -> None:
    space, _ = race
    files, seen = Workspace(space), set()
    for _ in range(300):
        for path in ("file", "folder/secret"):
            with contextlib.suppress(UnsafeNameError):
                seen.add(files.read(path))
        with contextlib.suppress(UnsafeNameError):
            files.write("folder/new", b"mine")
    assert seen <= {b"harmless", b"harmless too"}
    assert sorted(path.name for path in (space.parent / "outside").iterdir()) == ["secret"]
