from __future__ import annotations

import io
import socket
import tarfile
import threading
from pathlib import Path

import pytest

from lakebook.sandbox import engine


def test_the_engine_that_the_user_names_is_the_only_one_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///somewhere/docker.sock")
    assert engine.sockets() == ["unix:///somewhere/docker.sock"]


def test_sockets_of_podman_are_found_in_the_users_runtime_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "podman").mkdir()
    (tmp_path / "podman/podman.sock").touch()
    assert f"unix://{tmp_path}/podman/podman.sock" in engine.sockets()


def test_an_engine_elsewhere_is_refused_since_it_cannot_read_our_files() -> None:
    client, trouble = engine.connect("tcp://192.0.2.1:2375")
    assert client is None
    assert "not a local engine" in trouble


def test_a_socket_that_is_not_there_is_named_with_its_cause(tmp_path: Path) -> None:
    client, trouble = engine.connect(f"unix://{tmp_path}/none.sock")
    assert client is None
    assert trouble == f"unix://{tmp_path}/none.sock: No such file or directory"


def test_what_answers_but_is_no_engine_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def answer() -> None:
            for _ in range(2):  # somebody asks whether anyone is there, then what is spoken
                client, _ = server.accept()
                with client:
                    if client.recv(4096):
                        client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        client, trouble = engine.connect(f"unix://{path}")
        thread.join(5)
    assert client is None
    assert str(path) in trouble


def test_the_image_is_named_by_what_it_is_built_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "IMAGE_FOLDER", tmp_path)
    names = []
    for text in ("FROM a", "FROM b"):
        (tmp_path / "Dockerfile").write_text(text)
        engine.built_image.cache_clear()
        names.append(engine.built_image())
    engine.built_image.cache_clear()
    assert len(set(names)) == 2
    assert all(name.startswith("lakebook-sandbox:") for name in names)


def test_the_image_pins_every_package_with_its_hash() -> None:
    lines = (engine.IMAGE_FOLDER / "requirements.txt").read_text().splitlines()
    packages = [line for line in lines if "==" in line]
    assert len(packages) > 20
    assert all(line.endswith("\\") for line in packages)  # a hash follows
    wanted = (engine.IMAGE_FOLDER / "requirements.in").read_text().split()
    assert {name.lower() for name in wanted} <= {line.partition("==")[0] for line in packages}


def test_the_empty_root_has_mount_points_and_nothing_else() -> None:
    with tarfile.open(fileobj=io.BytesIO(engine._empty_root())) as archive:
        entries = {entry.name: entry for entry in archive.getmembers()}
    assert entries["workspace"].mode == entries["tmp"].mode == 0o1777
    assert entries["inputs"].mode == 0o755
    assert not any(entry.isfile() for entry in entries.values())


def test_the_same_root_has_the_same_bytes() -> None:
    assert engine._empty_root() == engine._empty_root()
