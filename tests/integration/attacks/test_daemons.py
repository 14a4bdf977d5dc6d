"""Nothing that code inside starts outlives its run, its session or the host process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import Backend, Opener, alive, attack, wait_gone

DAEMON = """
    import os, signal, time
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "{marker}"])
        os._exit(0)
    time.sleep(0.3)
"""


def test_a_daemon_of_a_fork_ends_with_the_fork(session: WorkerSession) -> None:
    marker = f"71{os.getpid()}.25"
    attack(session, DAEMON.format(marker=marker))
    assert wait_gone(marker)


def test_a_daemon_of_the_state_ends_with_the_session(open_session: Opener) -> None:
    marker = f"72{os.getpid()}.25"
    with open_session() as opened:
        assert opened.run(textwrap.dedent(DAEMON.format(marker=marker))).error is None
        assert alive(marker)
    assert wait_gone(marker)


def test_everything_ends_when_the_host_process_is_killed(backend: Backend) -> None:
    marker = f"73{os.getpid()}.25"
    code = f"""
import sys, time
from lakebook.sandbox.base import SessionOptions
from lakebook.sandbox.choose import choose_sandbox
session = choose_sandbox({backend.name!r}).open(SessionOptions())
session.run("import subprocess; subprocess.Popen(['sleep', '{marker}'])")
print("ready", flush=True)
time.sleep(60)
"""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(root)}
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        assert alive(marker)
        host.kill()
    assert wait_gone(marker)


def test_a_session_outlives_the_thread_that_opened_it(open_session: Opener) -> None:
    opened: list[WorkerSession] = []
    thread = threading.Thread(target=lambda: opened.append(open_session()))
    thread.start()
    thread.join()
    time.sleep(0.3)
    with opened[0] as session:
        assert session.evaluate(["6 * 7"])[0].value == 42
