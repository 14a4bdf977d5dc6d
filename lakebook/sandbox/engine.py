"""Finds a container engine, Docker's or Podman's, and the image that sessions run in.

An engine is only of use if it runs on this machine's own files, so only local sockets are taken. There are
two kinds of image: one built from `image/Dockerfile`, with Python and pinned packages of its own, and, on
Linux, one that is empty, into which this machine's `/usr` and this Python are mounted read-only. The second
needs neither a download nor a build, and code in it sees just the versions that Lakebook itself runs with.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import socket
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakebook.sandbox.inside import python_folders

IMAGE_FOLDER = Path(__file__).parent / "image"
_REPOSITORY = "lakebook-sandbox"
_FOLDERS = ("usr", "etc", "proc", "sys", "dev", "inputs", "lakebook_worker", "run")
WRITABLE = ("/workspace", "/tmp")  # noqa: S108 - of the container; in memory, with the mode of its mount point
_LINKED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SECONDS = 60
_PROBE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Image:
    """What a container starts from.

    Attributes:
        python: the program that runs the worker.
        folders: of this machine, mounted read-only at the same path.
    """

    name: str
    python: str
    folders: tuple[Path, ...] = ()


def sockets() -> list[str]:
    """Return the addresses at which an engine may answer, the one that the user named first."""
    named = os.environ.get("DOCKER_HOST", "")
    if named:
        return [named]
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    home = Path("~").expanduser()
    places = ["/var/run/docker.sock", f"{runtime}/docker.sock", str(home / ".docker/run/docker.sock")]
    places += [f"{runtime}/podman/podman.sock", "/run/podman/podman.sock"]
    return [f"unix://{place}" for place in places if Path(place).exists()]


def connect(address: str) -> tuple[Any, str]:
    """Return docker-py's low-level client for an address, or None and what went wrong."""
    import docker
    from docker.constants import DEFAULT_DOCKER_API_VERSION

    if not address.startswith("unix://"):
        return None, f"{address} is not a local engine: it could not read this machine's files"
    try:
        with socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(_PROBE_SECONDS)
            caller.connect(address.removeprefix("unix://"))
    except OSError as error:
        return None, f"{address}: {error.strerror or 'does not answer'}"
    client = docker.APIClient(base_url=address, version=DEFAULT_DOCKER_API_VERSION, timeout=_PROBE_SECONDS)
    try:
        spoken = client.version(api_version=False)["ApiVersion"]
        return docker.APIClient(base_url=address, version=spoken, timeout=_SECONDS), ""
    except errors(KeyError) as error:
        return None, f"{address} is no engine: {error}"
    finally:
        client.close()


def remove(engine: Any, container: str) -> None:
    """End and remove a container; one that is gone already is fine."""
    with contextlib.suppress(*errors()):
        engine.remove_container(container, force=True)


def errors(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what docker-py raises when an engine refuses, does not answer or goes away, and the others."""
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    return (DockerException, RequestException, OSError, *others)


_KERNEL = {
    "mem_limit": "MemoryLimit",
    "memswap_limit": "SwapLimit",
    "nano_cpus": "CpuCfsQuota",
    "pids_limit": "PidsLimit",
}


def cannot_limit(engine: Any) -> frozenset[str]:
    """Return the limits, as options of a container, that an engine says its kernel cannot hold."""
    told = engine.info()
    return frozenset(option for option, key in _KERNEL.items() if told.get(key) is False)


@functools.cache
def built_image() -> str:
    """Return the name of the image that is built from `image/`; its tag is the hash of that folder."""
    parts = [
        part for path in sorted(IMAGE_FOLDER.iterdir()) for part in (path.name.encode(), path.read_bytes())
    ]
    return f"{_REPOSITORY}:{_short_hash(bytes(1).join(parts))}"


def _short_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def build_command() -> str:
    """Return the command by which a user builds the image."""
    return f"docker build -t {built_image()} {IMAGE_FOLDER}"


def image(engine: Any) -> Image | None:
    """Return the built image if it is there, else on Linux the empty one, made if need be; None elsewhere."""
    if _exists(engine, built_image()):
        return Image(built_image(), "python3")
    if sys.platform != "linux":
        return None
    root = _empty_root()
    tag = f"hosted-{_short_hash(root)}"
    name = f"{_REPOSITORY}:{tag}"
    if not _exists(engine, name):
        engine.import_image_from_data(root, repository=_REPOSITORY, tag=tag)
    # The folders that a system without merged /usr keeps beside it are mounted as they are.
    beside = [Path("/", name) for name in _LINKED]
    folders = [folder for folder in beside if folder.is_dir() and not folder.is_symlink()]
    return Image(name, sys.executable, (Path("/usr"), *folders, *python_folders()))


def _exists(engine: Any, name: str) -> bool:
    from docker.errors import ImageNotFound

    try:
        engine.inspect_image(name)
    except ImageNotFound:
        return False
    return True


def _empty_root() -> bytes:
    """Return a tar of a file system with nothing but mount points, and links such as /lib -> usr/lib."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        modes = dict.fromkeys(_FOLDERS, 0o755) | {path.lstrip("/"): 0o1777 for path in WRITABLE}
        for name, mode in modes.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            archive.addfile(entry)
        for name in _LINKED:
            if (folder := Path("/", name)).is_symlink():
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname = tarfile.SYMTYPE, str(folder.readlink())
                archive.addfile(entry)
    return buffer.getvalue()
