"""Sockets of every family."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import attack, refused


@pytest.fixture(scope="module")
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        yield server.getsockname()[1]


def test_the_listener_is_real(listener: int) -> None:
    with socket.create_connection(("127.0.0.1", listener), timeout=5) as client:
        assert client.getpeername()[1] == listener


def test_the_hosts_loopback_cannot_be_reached(session: WorkerSession, listener: int) -> None:
    code = f"socket.create_connection(('127.0.0.1', {listener}), timeout=2)"
    assert refused(session, code) in ("ENOTSUP", "EOPNOTSUPP")


@pytest.mark.parametrize(
    "family", [2, 10, 16, 17, 38, 40], ids=["inet", "inet6", "netlink", "packet", "alg", "vsock"]
)
@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW"])
def test_no_socket_but_unix_ones(session: WorkerSession, family: int, kind: str) -> None:
    assert refused(session, f"socket.socket({family}, socket.{kind})") in ("ENOTSUP", "EOPNOTSUPP")


def test_every_other_family_is_refused(session: WorkerSession) -> None:
    code = """
        import socket
        made = []
        for family in range(2, 64):
            for kind in (1, 2, 3, 5):
                for call in (socket.socket, socket.socketpair):
                    try:
                        call(family, kind)
                        made.append((family, kind))
                    except OSError:
                        pass
        print(made)
    """
    assert attack(session, code) == "[]"


@pytest.mark.parametrize("place", ["a folder that all may enter", "the engine's socket"])
def test_a_socket_in_the_hosts_files_cannot_be_reached(session: WorkerSession, place: str) -> None:
    if place == "the engine's socket":
        named = os.environ.get("DOCKER_HOST", "").removeprefix("unix://") or "/var/run/docker.sock"
        assert refused(session, f"socket.socket(socket.AF_UNIX).connect({named!r})") == "ENOENT"
        return
    # A short name: that of a socket is cut off at 108 bytes.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as server:
        Path(folder).chmod(0o755)
        path = f"{folder}/s"
        server.bind(path)
        server.listen()
        Path(path).chmod(0o777)
        assert refused(session, f"socket.socket(socket.AF_UNIX).connect({path!r})") == "ENOENT"


def test_an_abstract_socket_of_the_host_is_elsewhere(session: WorkerSession) -> None:
    name = f"\0lakebook-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        code = f"s = socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect({name!r})"
        assert refused(session, code) == "ECONNREFUSED"


def test_processes_inside_may_talk_to_each_other(session: WorkerSession) -> None:
    code = "import socket\na, b = socket.socketpair()\na.send(b'x')\nprint(b.recv(1))"
    assert attack(session, code) == "b'x'"
