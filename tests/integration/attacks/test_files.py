"""Files of the host, and what of the sandbox can be changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import attack, refused


@pytest.mark.parametrize(
    "path", ["/etc/shadow", "/etc/machine-id", str(Path.home() / ".bashrc"), str(Path(__file__)), "/var/log"]
)
def test_files_of_the_host_are_not_there(session: WorkerSession, path: str) -> None:
    assert refused(session, f"open({path!r}).read()") == "ENOENT"


def test_the_host_is_not_named(session: WorkerSession) -> None:
    code = """
        import os, socket
        own = open("/etc/hostname").read().strip() if os.path.exists("/etc/hostname") else "sandbox"
        print(own, socket.gethostname())
    """
    assert attack(session, code) == "sandbox sandbox"


def test_home_holds_nothing_but_the_way_to_python(session: WorkerSession) -> None:
    home = str(Path.home())
    seen = attack(session, f"import os\nprint(os.path.isdir({home!r}) and os.listdir({home!r}))")
    assert seen == "False" or set(os.listdir(home)) - set(eval(seen))  # noqa: PTH208


def test_the_input_is_readable(session: WorkerSession) -> None:
    assert attack(session, "print(open('/inputs/lake/data.csv').read())") == "a,b\n1,2"


@pytest.mark.parametrize(
    "code",
    [
        "open('/inputs/lake/data.csv', 'w')",
        "open('/inputs/lake/new.csv', 'w')",
        "os.unlink('/inputs/lake/data.csv')",
        "os.chmod('/inputs/lake/data.csv', 0o777)",
        "os.rename('/inputs/lake/data.csv', '/inputs/lake/x.csv')",
        "os.symlink('/etc', '/inputs/lake/etc')",
        "os.utime('/inputs/lake/data.csv')",
        "os.mkdir('/usr/here')",
        "open('/etc/passwd', 'a')",
        "open('/lakebook_worker/lakebook_worker/shell.py', 'a')",
        "open('/new', 'w')",
        "open('/dev/new', 'w')",
        "open('/proc/sys/kernel/core_pattern', 'w')",
        "import numpy; open(numpy.__file__, 'a')",
    ],
)
def test_nothing_but_the_workspace_can_be_changed(session: WorkerSession, inputs: Path, code: str) -> None:
    assert refused(session, code) in ("EROFS", "EACCES", "EPERM")
    assert (inputs / "data.csv").read_text() == "a,b\n1,2\n"
    assert sorted(p.name for p in inputs.iterdir()) == ["data.csv", "link.txt"]


def test_workspace_and_tmp_can_be_written(session: WorkerSession) -> None:
    code = """
        for folder in (".", "/tmp", "/dev/shm"):
            open(folder + "/x", "w").write("ok")
            print(open(folder + "/x").read())
    """
    assert attack(session, code) == "ok\nok\nok"


def test_a_link_in_the_input_leads_nowhere(session: WorkerSession) -> None:
    assert refused(session, "open('/inputs/lake/link.txt').read()") == "ENOENT"


def test_a_hard_link_to_an_input_is_refused(session: WorkerSession) -> None:
    assert refused(session, "os.link('/inputs/lake/data.csv', '/workspace/data.csv')") in ("EXDEV", "EPERM")
