from __future__ import annotations

import os
from pathlib import Path

from lakebook.sandbox.worker.disk import Disk, Written
from lakebook.sandbox.worker.litter import Litter


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_files_of_all_folders_are_summed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "file").write_bytes(b"x" * (3 << 20))
    (tmp_path / "a" / "link").symlink_to("/usr")
    assert Disk([str(tmp_path / "a"), str(tmp_path / "b")]).written(100) == Written(6, 5)


def test_counting_ends_soon_after_enough(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / str(number)).touch()
    assert Disk([str(tmp_path)]).written(10).files == 11


def test_a_file_system_in_memory_is_asked_itself(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text("22 1 0:22 / /dev/shm rw shared:4 - tmpfs tmpfs rw\n23 1 0:4 / /proc rw - proc p rw\n")
    disk = Disk(["/dev/shm", str(tmp_path)], str(mounts))
    assert (disk._mounted, disk._plain) == (["/dev/shm"], [str(tmp_path)])


def test_what_has_come_is_removed_and_what_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "old").write_text("x")
    litter = Litter([str(tmp_path)])
    known = litter.known()
    (tmp_path / "kept" / "new").write_text("x")
    (tmp_path / "kept" / "folder" / "in" / "it").mkdir(parents=True)
    (tmp_path / "outside").symlink_to(tmp_path / "kept")
    (tmp_path / "kept" / "old").write_text("changed")
    litter.remove(known)
    assert names(tmp_path) == ["kept", "kept/old"]


def test_folders_deeper_than_a_path_can_name_are_removed(tmp_path: Path) -> None:
    litter = Litter([str(tmp_path)])
    known = litter.known()
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("folder", dir_fd=here)
        deeper = os.open("folder", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)
    litter.remove(known)
    assert names(tmp_path) == []


def test_a_folder_closed_to_its_owner_is_removed(tmp_path: Path) -> None:
    litter = Litter([str(tmp_path)])
    known = litter.known()
    (tmp_path / "outer" / "inner" / "x").mkdir(parents=True)
    (tmp_path / "outer" / "inner").chmod(0)
    (tmp_path / "outer").chmod(0)
    litter.remove(known)
    assert names(tmp_path) == []
