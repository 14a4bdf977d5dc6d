"""A session in the hands of a person: output as it comes, interrupt, restart; on every backend that works."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import Limits, SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.container import ContainerSandbox
from lakebook.sandbox.local import LocalSandbox
from lakebook.sandbox.session import WorkerSession

pytestmark = pytest.mark.sandbox
BACKENDS = {"bubblewrap": BubblewrapSandbox, "docker": ContainerSandbox, "unsafe-local": LocalSandbox}
LIMITS = Limits(cell_seconds=20, grace_seconds=5, memory_mb=600, output_chars=400_000)


@pytest.fixture(scope="module", params=sorted(BACKENDS))
def opener(request: pytest.FixtureRequest) -> Callable[[], WorkerSession]:
    sandbox = BACKENDS[request.param]()
    trouble = sandbox.probe()
    if trouble:
        pytest.skip(trouble)
    return lambda: sandbox.open(SessionOptions(limits=LIMITS))


@pytest.fixture(scope="module")
def session(opener: Callable[[], WorkerSession]) -> Iterator[WorkerSession]:
    with opener() as opened:
        opened.run("import time, os, subprocess")
        yield opened


class Follower:
    """Notes what arrives and when."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.seen: list[tuple[float, dict[str, Any]]] = []

    def __call__(self, message: dict[str, Any]) -> None:
        self.seen.append((time.monotonic() - self.start, message))

    def text(self) -> str:
        return "".join(message.get("text", "") for _, message in self.seen)


def later(seconds: float, work: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, work)
    timer.start()
    return timer


def test_output_arrives_while_the_cell_runs(session: WorkerSession) -> None:
    follower = Follower()
    code = "print('one')\ntime.sleep(1)\ndisplay('two')\ntime.sleep(1)\n'three'"
    result = session.run(code, on_output=follower)
    kinds = [m["output_type"] for _, m in follower.seen if m.get("text") != "\n"]
    assert kinds == ["stream", "display_data", "execute_result"]
    assert follower.seen[0][0] < 0.7
    assert follower.seen[-1][0] - follower.seen[0][0] > 1.8
    assert [o["output_type"] for o in result.outputs] == kinds
    assert all("transient" not in output for output in result.outputs)


def test_output_past_python_arrives_while_the_cell_runs(session: WorkerSession) -> None:
    follower = Follower()
    code = "subprocess.run('echo early; sleep 2; echo late', shell=True)\nprint('end')"
    result = session.run(code, on_output=follower)
    assert follower.seen[0][1]["text"] == "early\n"
    assert follower.seen[0][0] < 1.2
    assert result.outputs[0]["text"] == "early\nlate\nend\n"


def test_text_of_processes_that_a_cell_forks_is_kept(session: WorkerSession) -> None:
    child = "pid = os.fork()\nif not pid:\n    print('child')\n    os._exit(0)"
    code = f"{child}\nos.waitpid(pid, 0)\nprint('parent')"
    assert session.run(code).outputs[0]["text"] == "child\nparent\n"


def test_threads_that_print_do_not_break_frames(session: WorkerSession) -> None:
    code = """
import threading
def work(letter):
    for _ in range(200):
        print(letter * 100)
threads = [threading.Thread(target=work, args=(letter,)) for letter in 'abcd']
[t.start() for t in threads]
[t.join() for t in threads];
"""
    text = session.run(code).outputs[0]["text"]
    assert all(text.count(letter) == 20_000 for letter in "abcd")


def test_the_cell_waits_for_a_slow_follower_and_nothing_is_lost(session: WorkerSession) -> None:
    lines = 3000
    seen: list[str] = []

    def slow(message: dict[str, Any]) -> None:
        time.sleep(0.1 if len(seen) < 10 else 0)
        seen.append(message["text"])

    result = session.run(f"for n in range({lines}):\n    print('x' * 100)", on_output=slow)
    assert result.ended == "done"
    assert "".join(seen) == "".join(o["text"] for o in result.outputs) == ("x" * 100 + "\n") * lines


def test_limits_hold_while_the_follower_is_slow(session: WorkerSession) -> None:
    start = time.monotonic()
    calls = 0

    def stuck(message: dict[str, Any]) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            time.sleep(4)

    code = "while True:\n    display('y' * 90_000)"
    result = session.run(code, seconds=1, on_output=stuck)
    assert result.ended == "timeout"
    assert time.monotonic() - start < 15
    assert session.evaluate(["6 * 7"])[0].value == 42


def test_a_follower_that_fails_interrupts_the_cell_and_the_state_stays(session: WorkerSession) -> None:
    def failing(message: dict[str, Any]) -> None:
        raise ValueError("cannot show this")

    start = time.monotonic()
    with pytest.raises(ValueError, match="cannot show this"):
        session.run("kept = 3\nprint('now')\ntime.sleep(15)", on_output=failing)
    assert time.monotonic() - start < 5
    assert session.evaluate(["kept"])[0].value == 3


def test_an_interrupt_ends_the_cell_and_keeps_the_state(session: WorkerSession) -> None:
    later(0.7, session.interrupt)
    start = time.monotonic()
    result = session.run("before = 1\nprint('started')\ntime.sleep(15)\nafter = 1")
    assert time.monotonic() - start < 5
    assert result.ended == "interrupted"
    assert result.error is not None
    assert result.error.name == "KeyboardInterrupt"
    assert any("time.sleep(15)" in line for line in result.error.traceback)
    assert result.outputs[0]["text"] == "started\n"
    assert [v.error[:9] for v in session.evaluate(["before", "after"])] == ["", "NameError"]


def test_an_interrupt_between_cells_hits_nothing(session: WorkerSession) -> None:
    assert not session.interrupt()
    assert session.run("1 + 1").ended == "done"


def test_many_interrupts_at_odd_moments_leave_a_working_session(session: WorkerSession) -> None:
    ends = set()
    for turn in range(25):
        timer = later(0.002 * turn, session.interrupt)
        ends.add(session.run("for n in range(300):\n    print('x' * 500)").ended)
        timer.join()  # one that comes late would interrupt the next test
    assert ends <= {"done", "interrupted"}
    assert session.evaluate(["1 + 1"])[0].value == 2


def test_an_interrupted_fork_ends_and_the_state_stays(session: WorkerSession) -> None:
    later(5, session.interrupt)
    results, _ = session.run_forked(["print('out')", "print('so far')\ntime.sleep(60)"], seconds=50)
    assert [r.ended for r in results] == ["done", "interrupted"]
    assert "".join(output["text"] for output in results[1].outputs) == "so far\n"
    assert session.evaluate(["1 + 1"])[0].value == 2


STUBBORN = """
print('deaf')
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        print('no')
"""


def test_a_cell_that_swallows_the_interrupt_is_killed_and_says_so(
    opener: Callable[[], WorkerSession],
) -> None:
    with opener() as opened:
        opened.run("import time\nkept = 1")
        later(0.7, opened.interrupt)
        result = opened.run(STUBBORN)
        assert result.ended == "interrupted"
        assert result.error is not None
        assert "went on for 5 s" in result.error.message
        assert result.outputs[0]["text"] == "deaf\nno\nno\n"
        with pytest.raises(SandboxFailed, match="went on for 5 s"):
            opened.run("1")
        opened.restart()
        assert "NameError" in opened.evaluate(["kept"])[0].error
        assert opened.run("print('again')").outputs[0]["text"] == "again\n"


def test_a_restart_ends_what_runs_and_begins_anew(opener: Callable[[], WorkerSession]) -> None:
    with opener() as opened:
        opened.run("import time\nold = 1")
        troubles: list[Exception] = []

        def run() -> None:
            try:
                opened.run("time.sleep(15)")
            except SandboxFailed as error:
                troubles.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.5)
        opened.restart()
        thread.join(5)
        assert "restarted" in str(troubles[0])
        assert "NameError" in opened.evaluate(["old"])[0].error
    with pytest.raises(SandboxFailed, match="closed"):
        opened.restart()


def test_what_a_crashing_cell_printed_is_kept(opener: Callable[[], WorkerSession]) -> None:
    with opener() as opened:
        result = opened.run("print('last words')\nimport ctypes\nctypes.string_at(0)")
        assert (result.ended, result.outputs[0]["text"]) == ("died", "last words\n")
        opened.restart()
        assert opened.run("1 + 1").ended == "done"


def test_warnings_are_records_also_where_they_are_silenced(session: WorkerSession) -> None:
    code = """
import warnings
import numpy as np
warnings.filterwarnings('ignore')
np.log(np.array([-1.0]))
for _ in range(3):
    warnings.warn('mine', FutureWarning)
warnings.resetwarnings()
warnings.warn('shown')
"""
    result = session.run(code)
    assert [(w.category, w.message, w.line, w.count, w.shown) for w in result.warnings] == [
        ("RuntimeWarning", "invalid value encountered in log", 5, 1, False),
        ("FutureWarning", "mine", 7, 3, False),
        ("UserWarning", "shown", 9, 1, True),
    ]
    text = "".join(output.get("text", "") for output in result.outputs)
    assert "shown" in text
    assert "mine" not in text
    assert session.run("1").warnings == ()
    results, _ = session.run_forked(
        ["import warnings\nwarnings.simplefilter('error')\nwarnings.warn('raised')"]
    )
    assert results[0].error is not None
    assert results[0].error.name == "UserWarning"
    assert results[0].warnings[0].message == "raised"
