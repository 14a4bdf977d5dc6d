"""What code inside can do to the processes that guard it."""

from __future__ import annotations

import pytest

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import Opener, attack, refused

# The process that a run was forked from, and the one above that.
ABOVE = "up = os.getppid(); guard = 1\n"


@pytest.mark.parametrize(
    "call",
    [
        "os.kill(-1, 0)",
        "os.kill(-1, signal.SIGKILL)",
        "os.kill(guard, signal.SIGKILL)",
        "os.kill(guard, signal.SIGSTOP)",
        "os.kill(up, 0)",
        "os.kill(up, signal.SIGINT)",
        "os.kill(up, signal.SIGKILL)",
        "os.kill(up, signal.SIGSTOP)",
        "os.pidfd_open(up)",
        "os.sched_setaffinity(up, {0})",
        "os.setpriority(os.PRIO_PROCESS, up, 19)",
        "resource.prlimit(up, resource.RLIMIT_AS, (0, 0))",
        "signal.pidfd_send_signal(os.pidfd_open(up), signal.SIGKILL)",
    ],
)
def test_a_forked_run_cannot_act_on_what_is_above_it(session: WorkerSession, call: str) -> None:
    assert refused(session, f"import resource, signal\n{ABOVE}{call}") == "EPERM"
    assert session.evaluate(["40 + 2"])[0].value == 42


@pytest.mark.parametrize("call", ["open(f'/proc/{up}/mem', 'r+b')", "open(f'/proc/{up}/fd/' + fd, 'wb')"])
def test_a_forked_run_cannot_look_into_what_is_above_it(session: WorkerSession, call: str) -> None:
    find = "fd = max((n for n in os.listdir('/proc/self/fd')), key=int)\n"
    assert refused(session, f"{ABOVE}{find}{call}") in ("EACCES", "EPERM", "ENOENT")


def test_a_forked_run_has_its_rights_over_its_own_processes(session: WorkerSession) -> None:
    code = """
        import os, resource, signal, subprocess
        child = subprocess.Popen(["sleep", "60"])
        os.kill(child.pid, signal.SIGSTOP)
        os.setpriority(os.PRIO_PROCESS, child.pid, 5)
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE)
        child.kill()
        os.kill(0, 0)
        print(child.wait(), len(open("/proc/self/maps").read()) > 0)
    """
    assert attack(session, code) == "-9 True"


def test_files_can_be_moved_between_folders(session: WorkerSession) -> None:
    code = "import os\nos.makedirs('a/b'); open('a/x', 'w').close(); os.rename('a/x', 'a/b/x')"
    assert attack(session, f"{code}\nos.link('a/b/x', 'a/y')\nprint(sorted(os.listdir('a')))") == "['b', 'y']"


@pytest.mark.parametrize("call", ["os.kill(1, signal.SIGSTOP)", "os.kill(1, signal.SIGKILL)"])
def test_the_state_cannot_stop_or_end_the_controller(open_session: Opener, call: str) -> None:
    with open_session() as opened:
        opened.run(f"import os, signal\ntry:\n    {call}\nexcept OSError:\n    pass")
        assert opened.evaluate(["40 + 2"])[0].value == 42
        assert opened.run("while True: pass", seconds=0.5).ended == "timeout"


def test_a_run_that_ends_itself_is_told_and_harms_nothing(session: WorkerSession) -> None:
    results, _ = session.run_forked(["import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"])
    assert results[-1].ended == "died"
    assert results[-1].error is not None
    assert results[-1].error.message == "killed by SIGKILL"
    assert session.evaluate(["40 + 2"])[0].value == 42


def test_a_run_that_stops_itself_ends_with_its_time(session: WorkerSession) -> None:
    results, _ = session.run_forked(["import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"], seconds=1)
    assert results[-1].ended == "timeout"
    assert session.evaluate(["40 + 2"])[0].value == 42
