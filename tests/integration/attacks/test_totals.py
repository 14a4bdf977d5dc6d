"""Limits of a session in total: memory, processor time, disk and files, each told with its number."""

from __future__ import annotations

import textwrap
import time

import pytest

from lakebook.sandbox.base import CellResult
from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import LIMITS, attack

SWARM = """
    import os, time
    for _ in range({number}):
        if os.fork() == 0:
            block = bytearray({megabytes} << 20)
            block[:: 4096] = b"x" * len(block[:: 4096])
            time.sleep(60)
            os._exit(0)
    time.sleep(60)
"""


def forked(session: WorkerSession, code: str, seconds: float = 20) -> tuple[CellResult, str]:
    """Run code in a fork and see that the session goes on; return how it ended, with the message."""
    result = session.run_forked([textwrap.dedent(code)], seconds=seconds)[0][-1]
    assert session.evaluate(["40 + 2"])[0].value == 42
    return result, result.error.message if result.error else ""


@pytest.mark.parametrize(("number", "megabytes"), [(4, 380), (20, 60)])
def test_many_processes_share_one_memory(session: WorkerSession, number: int, megabytes: int) -> None:
    start = time.monotonic()
    result, message = forked(session, SWARM.format(number=number, megabytes=megabytes), 20)
    assert result.ended == "memory"
    assert message.startswith(f"out of memory at {LIMITS.memory_mb} MB")
    assert time.monotonic() - start < 40


def test_one_process_may_have_all_of_it_and_says_what_it_lacked(session: WorkerSession) -> None:
    result, message = forked(session, "import numpy as np\nnp.ones(10**9)")
    assert result.ended == "memory"
    assert message.startswith(f"out of memory at {LIMITS.memory_mb} MB: Unable to allocate 7.45 GiB")
    used = int(LIMITS.memory_mb * 0.8)
    assert (
        attack(session, f"x = bytearray({used} << 20); x[::4096] = b'x' * len(x[::4096]); print('ok')")
        == "ok"
    )


def test_memory_that_is_full_still_leaves_room_to_report(session: WorkerSession) -> None:
    code = """
        kept = []
        try:
            while True:
                kept.append(bytearray(1 << 20))
        except MemoryError:
            pass
        print("x" * 100)
    """
    result, message = forked(session, code)
    assert result.ended in ("done", "memory")
    assert not message or message.startswith("out of memory")


def test_memory_in_shared_mappings_is_counted(session: WorkerSession) -> None:
    code = """
        import mmap
        kept = []
        while True:
            block = mmap.mmap(-1, 50 << 20)
            block[:: 4096] = b"x" * len(block[:: 4096])
            kept.append(block)
    """
    result, message = forked(session, code)
    assert result.ended == "memory", message
    assert message.startswith(f"out of memory at {LIMITS.memory_mb} MB")


def test_processor_time_is_that_of_all_processes(session: WorkerSession) -> None:
    code = "import os\nfor _ in range(4):\n    os.fork()\nwhile True: pass"
    result, message = forked(session, code, seconds=2)
    assert result.ended == "timeout"
    assert message in ("timed out after 2 s", "timed out after 4 s of CPU time")


def test_what_is_written_is_summed_over_folders(session: WorkerSession) -> None:
    code = """
        import time
        for folder in ("/workspace", "/tmp"):
            for number in range(3):
                open(f"{folder}/{number}", "wb").write(bytes(15 << 20))
        time.sleep(15)
    """
    result, message = forked(session, code)
    assert result.ended == "disk"
    assert message.startswith(f"disk full at {LIMITS.disk_mb} MB")
    assert attack(session, "import os\nprint(os.listdir('/workspace'))") == "[]"


def test_a_folder_that_is_full_says_so(session: WorkerSession) -> None:
    code = "for number in range(10):\n    open(f'/tmp/{number}', 'wb').write(bytes(15 << 20))"
    result, message = forked(session, code)
    assert result.ended == "disk"
    assert message.startswith(f"disk full at {LIMITS.disk_mb} MB")


def test_a_file_that_is_full_says_so(session: WorkerSession) -> None:
    result, message = forked(session, "open('/tmp/big', 'wb').write(bytes(17 << 20))")
    assert (result.ended, message) == ("disk", f"file full at {LIMITS.file_mb} MB: [Errno 27] File too large")


def test_files_are_counted_too(session: WorkerSession) -> None:
    code = "import time\nfor number in range(60_000):\n    open(str(number), 'w').close()\ntime.sleep(15)"
    result, message = forked(session, code)
    assert result.ended == "disk"
    assert message.startswith("disk full at ")
    assert attack(session, "import os\nprint(os.listdir('/workspace'))") == "[]"


def test_what_is_made_to_resist_removal_is_removed(session: WorkerSession) -> None:
    code = """
        import os
        os.makedirs("closed/inner/x"); os.chmod("closed/inner", 0); os.chmod("closed", 0)
        for _ in range(3000):
            os.mkdir("deeper"); os.chdir("deeper")
        open("file", "w").close()
        os.symlink("/usr", "link"); os.mkfifo("pipe")
    """
    attack(session, code)
    assert attack(session, "import os\nprint(os.listdir('/workspace'))") == "[]"


def test_threads_are_bounded_like_processes(session: WorkerSession) -> None:
    code = """
        import threading, time
        made = 0
        try:
            for made in range(500):
                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        except RuntimeError as error:
            print(made < 64, error)
    """
    assert attack(session, code) == "True can't start new thread"


def test_a_missing_module_is_named(session: WorkerSession) -> None:
    result, message = forked(session, "import nowhere_to_be_found")
    assert result.error is not None
    assert (result.ended, result.error.name) == ("error", "ModuleNotFoundError")
    assert "nowhere_to_be_found" in message
