"""What code inside must not be able to do, each with the right behaviour beside it, on every backend.

Every attack is a cell; it prints what it got. Where an error is what stops it, the cell says which.
"""

from __future__ import annotations

import contextlib
import functools
import os
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakebook.sandbox.base import CellResult, Limits, Mount, SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.container import ContainerSandbox
from lakebook.sandbox.session import WorkerSession

LIMITS = Limits(cell_seconds=20, memory_mb=400, processes=24, file_mb=16, disk_mb=64, output_chars=5000)
SECRET = "the-secret-of-this-machine"

Backend = BubblewrapSandbox | ContainerSandbox
Opener = Callable[[], WorkerSession]


@functools.cache
def _backend(name: str) -> tuple[Backend, str]:
    backend: Backend = BubblewrapSandbox() if name == "bubblewrap" else ContainerSandbox()
    return backend, backend.probe()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every attack as one that needs a sandbox."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.sandbox)


@pytest.fixture(scope="module", params=["bubblewrap", "docker"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """A backend that works here; the reason is shown for one that does not."""
    found, trouble = _backend(request.param)
    if trouble:
        pytest.skip(trouble)
    return found


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with a file, and a link to a secret outside of it."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "data.csv").write_text("a,b\n1,2\n")
    outside = tmp_path_factory.mktemp("outside") / "secret.txt"
    outside.write_text(SECRET)
    (folder / "link.txt").symlink_to(outside)
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def open_session(backend: Backend, inputs: Path) -> Opener:
    """Open a session of one's own."""
    options = SessionOptions(mounts=[Mount("lake", inputs)], environment={"GIVEN": "yes"}, limits=LIMITS)
    return lambda: backend.open(options)


@pytest.fixture(scope="module")
def session(open_session: Opener) -> Iterator[WorkerSession]:
    """The session that the attacks of a module share."""
    os.environ["LAKEBOOK_TEST_SECRET"] = SECRET
    try:
        with open_session() as opened:
            yield opened
    finally:
        del os.environ["LAKEBOOK_TEST_SECRET"]


def printed(result: CellResult) -> str:
    return "".join(o["text"] for o in result.outputs if o["output_type"] == "stream")


def attack(session: WorkerSession, code: str, seconds: float | None = None) -> str:
    """Run code in a fork and return what it printed; the cell itself must not fail."""
    results, _ = session.run_forked([textwrap.dedent(code)], seconds=seconds)
    assert results[-1].error is None, results[-1].error
    return printed(results[-1]).strip()


def refused(session: WorkerSession, code: str) -> str:
    """Run code that must end in an OSError; return the name of its error number."""
    body = textwrap.indent(textwrap.dedent(code).strip(), "    ")
    tail = "except OSError as e:\n    print(errno.errorcode[e.errno])\nelse:\n    print('DONE')"
    return attack(session, f"import errno, os, socket\ntry:\n{body}\n{tail}")


def wait_gone(marker: str, seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not alive(marker):
            return True
        time.sleep(0.05)
    return False


def alive(marker: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if marker.encode() in path.read_bytes():
                return True
    return False
