"""Run by root before bubblewrap: enters a new user namespace with the same user ids, then executes it.

Inside, root is root only of the namespace: it may mount and may become an unprivileged user whose
process limit counts (it never does for the machine's root). Imports nothing of Lakebook; run as a script.
"""

from __future__ import annotations

import ctypes
import os
import sys

_CLONE_NEWUSER = 0x10000000


def _same_ids(kind: str) -> str:
    """Return a map of every id that exists here to itself."""
    with open(f"/proc/self/{kind}_map", encoding="ascii") as file:  # noqa: PTH123
        ranges = [line.split() for line in file]
    return "".join(f"{inside} {inside} {count}\n" for inside, _, count in ranges)


def _write_maps(process: int) -> None:
    for kind in ("uid", "gid"):
        fd = os.open(f"/proc/{process}/{kind}_map", os.O_WRONLY)
        os.write(fd, _same_ids(kind).encode("ascii"))
        os.close(fd)


def enter() -> None:
    """Move this process into a new user namespace. A helper that stays outside writes its id maps."""
    reader, writer = os.pipe()
    target = os.getpid()
    helper = os.fork()
    if helper == 0:
        status = 1
        try:
            os.close(writer)
            if os.read(reader, 1):
                _write_maps(target)
                status = 0
        finally:
            os._exit(status)
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), "new user namespace")
    os.write(writer, b"x")
    _, status = os.waitpid(helper, 0)
    if status:
        raise OSError(1, "the user ids could not be mapped")


if __name__ == "__main__":
    try:
        enter()
        os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 - no shell is wanted
    except OSError as trouble:
        sys.exit(f"{trouble.strerror}: {trouble.filename or ''}")
