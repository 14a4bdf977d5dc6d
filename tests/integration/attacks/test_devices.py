"""Devices: those that a program needs, and no way to another."""

from __future__ import annotations

import pytest

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import attack, refused

_PLAIN = {
    "null",
    "zero",
    "full",
    "random",
    "urandom",
    "tty",
    "ptmx",
    "pts",
    "shm",
    "console",
    "core",
    "mqueue",
}
_STREAMS = {"fd", "stdin", "stdout", "stderr"}


def test_there_are_only_harmless_devices(session: WorkerSession) -> None:
    seen = set(attack(session, "import os\nprint('\\n'.join(os.listdir('/dev')))").split())
    assert seen <= _PLAIN | _STREAMS
    assert {"null", "urandom"} <= seen


@pytest.mark.parametrize("path", ["/dev/fuse", "/dev/kmsg", "/dev/kvm", "/dev/mem", "/dev/sda", "/dev/vda"])
def test_devices_of_the_machine_are_not_there(session: WorkerSession, path: str) -> None:
    assert refused(session, f"os.open({path!r}, os.O_RDONLY)") == "ENOENT"


@pytest.mark.parametrize("kind", ["S_IFBLK", "S_IFCHR"])
@pytest.mark.parametrize("folder", ["/dev/shm", "/tmp", "/workspace"])
def test_no_device_can_be_made(session: WorkerSession, kind: str, folder: str) -> None:
    code = f"import stat\nos.mknod('{folder}/device', stat.{kind} | 0o600, os.makedev(1, 1))"
    assert refused(session, code) in ("EPERM", "EACCES")


@pytest.mark.parametrize("path", ["/proc/kcore", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches"])
def test_the_kernels_own_files_are_closed(session: WorkerSession, path: str) -> None:
    assert refused(session, f"os.open({path!r}, os.O_RDWR)") in ("EACCES", "ENOENT", "EPERM", "EROFS")


def test_the_kernels_tree_of_devices_cannot_be_written(session: WorkerSession) -> None:
    assert refused(session, "open('/sys/power/state', 'w')") in ("EACCES", "ENOENT", "EPERM", "EROFS")


def test_random_numbers_can_be_read(session: WorkerSession) -> None:
    assert (
        attack(session, "import os\nprint(len(os.urandom(8)), len(open('/dev/zero', 'rb').read(9)))") == "8 9"
    )
