from __future__ import annotations

import sys
import threading
import time

import pytest

from lakebook.sandbox.launch import launch


def test_a_command_gets_pipes_and_only_the_given_environment() -> None:
    process = launch(["/usr/bin/env"], environment={"ONLY": "this"})
    assert process.communicate(timeout=10)[0] == b"ONLY=this\n"


def test_a_command_that_is_not_there_is_an_os_error() -> None:
    with pytest.raises(OSError, match="none"):
        launch(["/none/such"], environment={})
    assert launch(["/bin/true"], environment={}).communicate(timeout=10) == (b"", b"")


def test_the_starting_thread_may_end_before_the_process() -> None:
    code = "import ctypes, time; ctypes.CDLL(None).prctl(1, 9); time.sleep(0.5); print('still')"
    made = []
    thread = threading.Thread(
        target=lambda: made.append(launch([sys.executable, "-c", code], environment={}))
    )
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert made[0].communicate(timeout=10)[0] == b"still\n"
