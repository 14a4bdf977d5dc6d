"""A workspace on the host's disk: what cells leave there leads nowhere, and nobody else's is in reach."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import Mount, SessionOptions
from lakebook.sandbox.interactive import InteractiveSession, opener
from lakebook.sandbox.workspace import UnsafeNameError
from lakebook.sandbox.workspaces import Workspaces
from tests.integration.attacks.conftest import LIMITS, SECRET, Backend, printed

Start = Callable[[str], InteractiveSession]
SECRET_HASH = hashlib.sha256(SECRET.encode()).hexdigest()


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Workspaces:
    return Workspaces(tmp_path_factory.mktemp("state") / "workspaces")


@pytest.fixture(scope="module")
def start(backend: Backend, inputs: Path, spaces: Workspaces) -> Start:
    options = SessionOptions(mounts=[Mount("lake", inputs)], limits=LIMITS)
    return lambda name: InteractiveSession(opener(backend, options), spaces.open(f"{backend.name} {name}"))


@pytest.fixture(scope="module")
def at_work(start: Start) -> Iterator[InteractiveSession]:
    with start("shared") as opened:
        yield opened


def done(at_work: InteractiveSession, code: str) -> str:
    ran = at_work.run(code)
    assert ran.result.error is None, ran.result.error
    return printed(ran.result).strip()


def test_what_a_cell_writes_is_there_and_in_the_index(at_work: InteractiveSession) -> None:
    ran = at_work.run(
        "import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': [3, 4]}).to_csv('t.csv', index=False)"
    )
    assert at_work.space.files.read("t.csv") == b"a,b\n1,3\n2,4\n"
    (made,) = ran.artifacts
    assert (made.path, made.change, made.kind, made.cell) == ("t.csv", "new", "csv", ran.cell)
    assert made.sha256 == hashlib.sha256(b"a,b\n1,3\n2,4\n").hexdigest()
    again = at_work.run(
        "open('t.csv', 'a').write('5,6\\n')\nimport os\nos.mkdir('deep')\nopen('deep/x', 'w').close()"
    )
    changed = {one.path: one for one in again.artifacts}
    assert (changed["t.csv"].change, changed["t.csv"].earlier_sha256) == ("changed", made.sha256)
    assert changed["deep/x"].change == "new"
    assert at_work.run("1 + 1").artifacts == ()
    (gone,) = at_work.run("os.unlink('t.csv')").artifacts
    assert (gone.change, gone.earlier_sha256) == ("deleted", changed["t.csv"].sha256)


def test_what_a_failing_cell_wrote_is_recorded_too(at_work: InteractiveSession) -> None:
    ran = at_work.run("open('half.txt', 'w').write('x')\n1 / 0")
    assert ran.result.ended == "error"
    assert [one.path for one in ran.artifacts] == ["half.txt"]


@pytest.mark.parametrize("way", ["symlink", "folder", "proc", "relative"])
def test_a_link_out_of_the_workspace_gives_nothing_of_the_host(
    at_work: InteractiveSession, tmp_path: Path, way: str
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    target = {
        "symlink": str(secret),
        "folder": str(tmp_path),
        "proc": "/proc/self/environ",
        "relative": "../" * 12 + str(secret).lstrip("/"),
    }[way]
    ran = at_work.run(f"import os\nos.symlink({target!r}, 'link-{way}')")
    assert [(one.path, one.refused, one.sha256) for one in ran.artifacts] == [(f"link-{way}", "a link", "")]
    for path in (f"link-{way}", f"link-{way}/secret.txt"):
        with pytest.raises(UnsafeNameError):
            at_work.space.files.read(path)
    assert all(one.sha256 != SECRET_HASH for one in at_work.space.index.read())
    assert SECRET not in at_work.space.index.file.read_text()


def test_a_link_in_the_place_of_a_file_is_replaced_not_written_through(
    at_work: InteractiveSession, tmp_path: Path
) -> None:
    outside = tmp_path / "theirs.txt"
    outside.write_text("theirs")
    done(at_work, f"import os\nos.symlink({str(outside)!r}, 'upload.txt')")
    at_work.space.files.write("upload.txt", b"mine")
    assert outside.read_text() == "theirs"
    assert done(at_work, "print(open('upload.txt').read())") == "mine"


def test_what_the_host_puts_there_can_be_read_and_changed_and_is_nobodys_artifact(
    at_work: InteractiveSession,
) -> None:
    at_work.space.files.write("in/up.csv", b"a\n1\n")
    ran = at_work.run("print(open('in/up.csv').read())")
    assert (printed(ran.result).strip(), ran.artifacts) == ("a\n1", ())
    ran = at_work.run("open('in/up.csv', 'a').write('2\\n')\nopen('in/new.csv', 'w').close()")
    assert [(one.path, one.change) for one in ran.artifacts] == [
        ("in/new.csv", "new"),
        ("in/up.csv", "changed"),
    ]


def test_pipes_sockets_and_names_of_another_kind_hold_nothing_up(at_work: InteractiveSession) -> None:
    code = """
import os, socket
os.mkfifo('pipe')
socket.socket(socket.AF_UNIX).bind('socket')
open('back\\\\slash', 'w').close()
open(b'\\xff', 'w').close()
"""
    ran = at_work.run(code)
    assert sorted(one.refused.split(":")[0] for one in ran.artifacts) == [
        "a pipe",
        "a socket",
        "unsafe name",
        "unsafe name",
    ]


def test_the_index_and_other_sessions_are_out_of_reach(at_work: InteractiveSession, start: Start) -> None:
    with start("other") as other:
        done(other, "open('private.txt', 'w').write('private')")
        folder = other.space.files.root
        for place in (folder, folder.parent, folder / "private.txt", at_work.space.index.file):
            for path in (str(place), f"/workspace/../{place.parent.parent.name}/{place.parent.name}"):
                assert done(at_work, f"import os\nprint(os.path.exists({path!r}))") == "False"
        assert "private.txt" not in done(
            at_work, "print(os.listdir('/workspace'), os.listdir('/workspace/..'))"
        )


def test_the_workspace_itself_cannot_be_moved_or_replaced(at_work: InteractiveSession) -> None:
    code = """
import os
for attempt in (lambda: os.rename('/workspace', '/tmp/w'), lambda: os.rmdir('/workspace'),
                lambda: os.symlink('/', '/workspace')):
    try:
        attempt()
        print('DONE')
    except OSError:
        print('no')
"""
    assert done(at_work, code) == "no\nno\nno"


def test_an_input_cannot_be_changed_and_stays_as_it_is(at_work: InteractiveSession, inputs: Path) -> None:
    before = (inputs / "data.csv").read_bytes()
    place = at_work.session.inputs["lake"]  # type: ignore[attr-defined]
    ran = at_work.run(f"open('{place}/data.csv', 'w').write('changed')")
    assert ran.result.error is not None
    assert (inputs / "data.csv").read_bytes() == before
    assert ran.artifacts == ()


def test_files_outlive_a_restart_and_the_session_and_stay_writable(start: Start) -> None:
    with start("lasting") as first:
        done(first, "kept = 1\nopen('kept.txt', 'w').write('one')\nimport os\nos.mkdir('folder')")
        first.restart()
        assert done(first, "print(open('kept.txt').read(), 'kept' in dir())") == "one False"
        assert first.run("open('kept.txt', 'a').write(' two')").cell == 3
    with start("lasting") as second:
        done(second, "open('kept.txt', 'a').write(' three')\nopen('folder/new', 'w').close()")
        assert second.space.files.read("kept.txt") == b"one two three"
        assert [(one.cell, one.path) for one in second.space.index.present()] == [
            (4, "folder/new"),
            (4, "kept.txt"),
        ]


def test_what_a_forked_run_writes_is_gone_after_it(at_work: InteractiveSession) -> None:
    results, _ = at_work.session.run_forked(["open('passing.txt', 'w').write('x')"])
    assert results[0].error is None
    assert not (at_work.space.files.root / "passing.txt").exists()


def test_a_link_or_nothing_is_no_workspace(backend: Backend, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for folder in (tmp_path / "link", tmp_path / "none"):
        with pytest.raises(SandboxFailed, match="workspace"):
            backend.open(SessionOptions(workspace=folder))
