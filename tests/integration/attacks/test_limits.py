"""Processes, memory, disk, output and time have bounds, and the session survives what passes them."""

from __future__ import annotations

import textwrap
import time

import pytest

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import LIMITS, attack, printed, refused


def test_a_fork_bomb_is_bounded_and_swept_away(session: WorkerSession) -> None:
    # Where the worker's user has other processes on this machine, the engine's own limit stops a fork, unless
    # the controller sees before that there are too many.
    code = """
        import os, time
        made = 0
        try:
            for _ in range(500):
                if os.fork() == 0:
                    time.sleep(600)
                    os._exit(0)
                made += 1
        except OSError as error:
            print(error.errno == 11, made <= %d)
    """
    (result,), _ = session.run_forked([textwrap.dedent(code % (LIMITS.processes + 32))])
    if result.error is None:
        assert printed(result).strip() == "True True"
    else:
        assert result.error.message == f"killed: more than {LIMITS.processes} processes"
    after = attack(session, "import os\nprint(sum(name.isdigit() for name in os.listdir('/proc')))")
    assert int(after) <= 8


def test_a_real_fork_bomb_ends_with_the_time_limit(session: WorkerSession) -> None:
    code = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    results, _ = session.run_forked([code], seconds=1.5)
    assert results[-1].ended in ("timeout", "died")
    assert session.run("1 + 1").outputs[0]["data"]["text/plain"] == "2"


def test_a_memory_bomb_is_a_memory_error(session: WorkerSession) -> None:
    results, _ = session.run_forked(["big = []\nwhile True:\n    big.append(bytearray(20 << 20))"])
    assert results[-1].ended == "memory"
    assert results[-1].error is not None
    assert results[-1].error.name == "MemoryError"


def test_memory_within_the_limit_is_given(session: WorkerSession) -> None:
    assert attack(session, "import numpy as np\nprint(np.ones(25_000_000).sum())") == "25000000.0"


def test_many_processes_cannot_have_the_memory_of_many_limits(session: WorkerSession) -> None:
    code = """
        import os, time
        for _ in range(8):
            if os.fork() == 0:
                block = bytearray(250 << 20)
                block[:: 4096] = b"x" * len(block[:: 4096])
                time.sleep(60)
                os._exit(0)
        time.sleep(60)
    """
    start = time.monotonic()
    results, _ = session.run_forked([textwrap.dedent(code)], seconds=15)
    assert results[-1].ended == "memory"
    assert time.monotonic() - start < 30  # its own sleep is longer
    assert session.run("1 + 1").error is None


@pytest.mark.parametrize("folder", ["/workspace", "/tmp", "/dev/shm"])
def test_a_full_disk_is_full(session: WorkerSession, folder: str) -> None:
    code = f"for n in range(20):\n    with open(f'{folder}/{{n}}', 'wb') as f: f.write(bytes(15 << 20))"
    assert refused(session, code) == "ENOSPC"
    assert attack(session, f"open('{folder}/again', 'wb').write(bytes(10 << 20)); print('ok')") == "ok"


def test_one_file_has_a_greatest_size(session: WorkerSession) -> None:
    assert refused(session, "open('/tmp/big', 'wb').write(bytes(17 << 20))") == "EFBIG"


def test_files_of_a_fork_are_removed_and_those_of_the_state_stay(session: WorkerSession) -> None:
    assert session.run("open('kept.txt', 'w').write('x')").error is None
    attack(session, "import os\nos.makedirs('deep/er')\nopen('deep/er/left.txt', 'w').write('x')")
    assert (
        attack(session, "import os\nprint(os.path.exists('deep'), os.path.exists('kept.txt'))")
        == "False True"
    )


def test_a_flood_of_output_is_cut(session: WorkerSession) -> None:
    text = attack(session, "for _ in range(50_000):\n    print('x' * 50)")
    assert len(text) < 5200
    assert text.endswith("[output cut at 5000 characters]")


def test_a_flood_past_pythons_streams_is_cut(session: WorkerSession) -> None:
    text = attack(session, "import os\nfor _ in range(100):\n    os.write(1, b'y' * 50_000)")
    assert len(text) < 5200


def test_a_loop_ends_with_the_time_limit_and_the_session_goes_on(session: WorkerSession) -> None:
    start = time.monotonic()
    results, values = session.run_forked(["a = 1", "while True: pass"], evaluate=["a"], seconds=1)
    assert [r.ended for r in results] == ["done", "timeout"]
    assert time.monotonic() - start < 4
    assert "not evaluated" in values[0].error
    assert session.evaluate(["1 + 1"])[0].value == 2
