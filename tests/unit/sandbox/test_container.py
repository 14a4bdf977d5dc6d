from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lakebook.errors import SandboxFailed, SandboxUnavailable
from lakebook.sandbox import container
from lakebook.sandbox.base import Limits, Mount, SessionOptions
from lakebook.sandbox.container import ContainerSandbox
from lakebook.sandbox.engine import Image

IMAGE = Image("lakebook-sandbox:test", "python3")


def walls(options: SessionOptions) -> dict[str, object]:
    return container._walls(options, IMAGE)


def test_a_container_may_do_nothing_that_it_need_not() -> None:
    found = walls(SessionOptions(limits=Limits(memory_mb=100, disk_mb=10, processes=8)))
    assert found["network_mode"] == "none"
    assert found["read_only"] is True
    assert found["cap_drop"] == ["ALL"]
    assert found["mem_limit"] == found["memswap_limit"] == (100 + 512 + 2 * 10 + 64) << 20
    assert found["pids_limit"] == 40
    privileges, filtered = found["security_opt"]  # type: ignore[misc]
    assert privileges == "no-new-privileges:true"
    assert json.loads(filtered.partition("=")[2])["defaultAction"] == "SCMP_ACT_ALLOW"


def test_every_mount_is_read_only(tmp_path: Path) -> None:
    mounts = walls(SessionOptions(mounts=[Mount("lake", tmp_path)]))["mounts"]
    assert isinstance(mounts, list)
    assert {mount["Target"] for mount in mounts} == {"/lakebook_worker/lakebook_worker", "/inputs/lake"}
    assert all(mount["ReadOnly"] for mount in mounts)


def test_a_folder_that_is_not_there_is_refused_not_created(tmp_path: Path) -> None:
    with pytest.raises(SandboxFailed, match="not there"):
        walls(SessionOptions(mounts=[Mount("lake", tmp_path / "none")]))
    assert not (tmp_path / "none").exists()


def test_the_worker_is_never_root() -> None:
    assert container.os_user() == os.getuid() or os.getuid() == 0
    assert container.os_user() != 0


def test_without_an_engine_a_session_is_refused_with_the_next_step() -> None:
    with pytest.raises(SandboxUnavailable, match="Start Docker or Podman"):
        ContainerSandbox([]).open(SessionOptions())


def test_every_engine_that_was_tried_is_named(tmp_path: Path) -> None:
    trouble = ContainerSandbox([f"unix://{tmp_path}/a", "tcp://192.0.2.1:1"]).probe()
    assert f"{tmp_path}/a: No such file" in trouble
    assert "tcp://192.0.2.1:1 is not a local engine" in trouble
