"""The container backend: Docker or Podman, whichever answers on this machine.

A container gets no network, a read-only root, no capability and no way to gain one, our own system-call
filter, bounded memory, processes and folders, an unprivileged user, and read-only inputs. The worker in it is
the same as everywhere. What a root user alone may read stays unreadable: no capability is left to read it by.
"""

from __future__ import annotations

import json
import os
import random
import weakref
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lakebook.errors import LakebookError, SandboxFailed, SandboxUnavailable
from lakebook.sandbox import engine as engines
from lakebook.sandbox import seccomp
from lakebook.sandbox.attached import AttachedContainer
from lakebook.sandbox.base import SHARED_MEMORY_MB, Limits, SessionOptions
from lakebook.sandbox.inside import (
    FROM_ETC,
    START,
    WORKER,
    WORKER_PATH,
    checked_mounts,
    extra_packages,
    font_lists,
    given_workspace,
    worker_environment,
    worker_setup,
)
from lakebook.sandbox.owner import is_orphan, mark
from lakebook.sandbox.reaper import Orphan, also_from
from lakebook.sandbox.session import WorkerSession

LABEL = "lakebook.session"
_PROBE_SECONDS = 20.0
WORKSPACE = "/workspace"
_IMAGE_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class _Found:
    """An engine that works, the image to start, and the limits that the engine cannot hold."""

    engine: Any
    image: engines.Image
    lacking: frozenset[str] = frozenset()


class ContainerSandbox:
    """Isolation by a container engine.

    Attributes:
        program: the engine's address and the image in use, known after the first successful `probe`.
    """

    name = "docker"
    isolated = True

    def __init__(self, addresses: list[str] | None = None) -> None:
        self._addresses = addresses
        self._found: _Found | None = None
        self.program = ""

    def probe(self) -> str:
        """Run a trivial program in a container of each engine in turn; "" if one of them works."""
        if self._found is not None:
            return ""
        troubles: list[str] = []
        for address in engines.sockets() if self._addresses is None else self._addresses:
            engine, trouble = engines.connect(address)
            if engine is not None:
                trouble = self._try(engine, address)
                if not trouble:
                    weakref.finalize(self, engine.close)
                    return ""
                engine.close()
            troubles.append(trouble)
        if not troubles:
            return (
                "No container engine answers: none of the usual sockets is there. Start Docker or Podman, "
                "or set DOCKER_HOST."
            )
        return f"Tried {'; '.join(troubles)}."

    def _try(self, engine: Any, address: str) -> str:
        try:
            image = engines.image(engine)
            if image is None:
                return f"{address}: the image is not built yet: `{engines.build_command()}`"
            found = _Found(engine, image, engines.cannot_limit(engine))
            check = "import os,sys; os.getuid() or sys.exit(3); sys.stdout.buffer.write(b'inside')"
            started = _start(found, SessionOptions(limits=Limits(disk_mb=16)), check, os_user())
            said = started.first_word(64, _PROBE_SECONDS)
            words = started.last_words() if said != b"inside" else ""
            started.kill()
            started.release()
        except engines.errors(LakebookError) as error:
            return f"{address}: {error}"
        if said != b"inside":
            return f"{address}: a container of {image.name} does not run: {words or 'it says nothing'}"
        also_from(self.orphans)
        self._found, self.program = found, f"{address}, image {image.name}"
        return ""

    def orphans(self) -> list[Orphan]:
        """Return the containers of owners that are gone; none before a successful `probe`."""
        if self._found is None:
            return []
        engine = self._found.engine

        def orphan(container: str) -> Orphan:
            return Orphan(f"container {container[:12]}", lambda: engines.remove(engine, container))

        try:
            listed = engine.containers(all=True, filters={"label": LABEL})
        except engines.errors():
            return []
        return [orphan(one["Id"]) for one in listed if is_orphan((one.get("Labels") or {}).get(LABEL, ""))]

    def in_force(self) -> str:
        """Return in words what holds sessions to their limits in total; known after a successful `probe`."""
        if self._found is None or not self._found.lacking:
            return "the engine's control groups"
        return f"the engine's control groups without {', '.join(sorted(self._found.lacking))}, and a watchdog"

    def open(self, options: SessionOptions) -> WorkerSession:
        """Start a session in a container of its own. Raises SandboxUnavailable or SandboxFailed."""
        trouble = self.probe()
        if trouble or self._found is None:
            raise SandboxUnavailable("no container engine works here.", hint=trouble)
        user, found = os_user(), self._found
        if options.workspace is not None:
            workspace, user = given_workspace(options.workspace, user if os.geteuid() == 0 else None)
            options = replace(options, workspace=workspace)

        def start() -> AttachedContainer:
            try:
                return _start(found, options, f"{START}main({WORKER_PATH!r})", user)
            except engines.errors() as error:
                raise SandboxFailed(f"the container could not be started: {error}.") from error

        writable = [*engines.WRITABLE, "/dev/shm"]  # noqa: S108
        setup = worker_setup(
            options.limits, user=None, isolated=True, writable=writable, own_user=user != os.getuid()
        )
        inputs = {mount.name: f"/inputs/{mount.name}" for mount in options.mounts}
        return WorkerSession(start, setup, options.limits, inputs=inputs, isolated=True)


def os_user() -> int:
    """Return the user id of the worker: this user's own, whose files it may read; never root's."""
    return os.getuid() or random.SystemRandom().randint(1_000_000_000, 2_000_000_000)


def _start(found: _Found, options: SessionOptions, code: str, user: int) -> AttachedContainer:
    engine, image = found.engine, found.image
    walls = {key: value for key, value in _walls(options, image).items() if key not in found.lacking}
    container = engine.create_container(
        image.name,
        command=[image.python, "-s", "-P", "-c", code],
        entrypoint=[],
        hostname="sandbox",
        user=f"{user}:{user}",
        stdin_open=True,
        environment=_environment(image, options),
        working_dir="/workspace",
        labels={LABEL: mark()},
        host_config=engine.create_host_config(**walls),
    )["Id"]
    try:
        # Attached before it starts: nothing that it says is lost, and its input ends with this connection.
        stream = engine.attach_socket(
            container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1, "logs": 0}
        )
        engine.start(container)
    except BaseException:
        engine.remove_container(container, force=True)
        raise
    worker = AttachedContainer(engine, container, stream)
    if "mem_limit" in found.lacking:
        worker.watch(options.limits)
    return worker


def _environment(image: engines.Image, options: SessionOptions) -> dict[str, str]:
    extra: dict[str, str] = {}
    if not image.folders:
        extra["PATH"] = _IMAGE_PATH
    elif packages := extra_packages():
        extra["PYTHONPATH"] = packages
    return worker_environment({**extra, **options.environment})


def _walls(options: SessionOptions, image: engines.Image) -> dict[str, Any]:
    """Return the host configuration: what the container may see and use."""
    limits = options.limits
    return {
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true", f"seccomp={json.dumps(seccomp.profile())}"],
        "pids_limit": limits.processes + 32,
        "nano_cpus": round(limits.cores * 1_000_000_000),
        "mem_limit": limits.total_mb << 20,
        "memswap_limit": limits.total_mb << 20,
        "shm_size": SHARED_MEMORY_MB << 20,
        "tmpfs": dict.fromkeys(
            _in_memory(options), f"rw,nosuid,nodev,size={limits.disk_mb}m,nr_inodes={limits.files + 1000}"
        ),
        "ipc_mode": "private",
        "auto_remove": True,
        "log_config": {"type": "none"},
        "mounts": _mounts(options, image),
    }


def _in_memory(options: SessionOptions) -> list[str]:
    """Return the writable folders that are gone with the container."""
    return [folder for folder in engines.WRITABLE if folder != WORKSPACE or options.workspace is None]


def _mounts(options: SessionOptions, image: engines.Image) -> list[Any]:
    from docker.types import Mount

    def seen(path: str | Path, source: Path) -> Any:
        return Mount(str(path), str(source), type="bind", read_only=True, propagation="rprivate")

    found = [seen(folder, folder) for folder in image.folders]
    if options.workspace is not None:
        found.append(Mount(WORKSPACE, str(options.workspace), type="bind", propagation="rprivate"))
    if image.folders:
        etc = [Path("/etc", name) for name in FROM_ETC]
        found += [seen(path, path.resolve()) for path in etc if path.exists()]
    found.append(seen(f"{WORKER_PATH}/lakebook_worker", WORKER))
    found += [seen(f"{WORKER_PATH}/fonts/{fonts.name}", fonts) for fonts in font_lists() if image.folders]
    found += [seen(f"/inputs/{name}", source) for name, source in checked_mounts(options).items()]
    return found
