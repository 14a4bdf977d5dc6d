"""Sessions: state, forks, values, limits on the state itself, several at once, and the plain backend."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lakebook.errors import SandboxFailed, SandboxUnavailable
from lakebook.sandbox.base import CellResult, Limits, Mount, Session, SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.local import LocalSandbox
from lakebook.sandbox.session import WorkerSession
from lakebook.sandbox.workspace import UnsafeNameError

_TROUBLE = BubblewrapSandbox().probe()
pytestmark = [pytest.mark.sandbox, pytest.mark.skipif(bool(_TROUBLE), reason=_TROUBLE)]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    (folder / "t.csv").write_text("day,n\n2024-01-01,1\n2024-01-02,\n")
    return folder


@pytest.fixture(scope="module", params=["bubblewrap", "unsafe-local"])
def session(request: pytest.FixtureRequest, lake: Path) -> Iterator[WorkerSession]:
    backend = BubblewrapSandbox() if request.param == "bubblewrap" else LocalSandbox()
    options = SessionOptions(
        mounts=[Mount("lake", lake)], limits=Limits(cell_seconds=20, memory_mb=600, grace_seconds=10)
    )
    with backend.open(options) as opened:
        opened.run(f"DATA_DIR = {opened.inputs['lake']!r}")
        yield opened


def shown(result: CellResult) -> str:
    return str(result.outputs[-1]["data"]["text/plain"])


def test_it_is_a_session(session: WorkerSession) -> None:
    assert isinstance(session, Session)
    assert "pandas" in session.versions


def test_state_is_kept_between_cells(session: WorkerSession) -> None:
    assert session.run("kept = [1]").ended == "done"
    session.run("kept.append(2)")
    assert shown(session.run("kept")) == "[1, 2]"


def test_a_copy_sees_the_state_and_leaves_none(session: WorkerSession) -> None:
    session.run("base = 10")
    with session.copied():
        session.run("base += 1")
        assert session.run_forked(["base += 1"], evaluate=["base"])[1][0].value == 12
        with session.copied():
            session.run("base = 20")
            assert session.evaluate(["base"])[0].value == 20
        assert session.evaluate(["base"])[0].value == 11
    assert session.evaluate(["base"])[0].value == 10


def test_a_copy_leaves_no_process_and_no_file(session: WorkerSession) -> None:
    start = "import subprocess\nleft = subprocess.Popen(['sleep', '300'], start_new_session=True).pid"
    with session.copied():
        session.run(f"open('left.txt', 'w').write('x')\n{start}")
        left = session.evaluate(["left"])[0].value
    seen = "[__import__('os').path.exists('left.txt'), __import__('os').path.exists('/proc/%s')]"
    assert session.evaluate([seen % left])[0].value == [False, False]


def test_a_copy_is_interrupted_in_time_and_keeps_its_state(session: WorkerSession) -> None:
    session.run("base = 10")
    with session.copied():
        session.run("base = 11")
        assert session.run("while True: pass", seconds=0.3).ended == "timeout"
        assert session.evaluate(["base"])[0].value == 11
    assert session.evaluate(["base"])[0].value == 10


def test_a_copy_that_dies_costs_only_itself(session: WorkerSession) -> None:
    session.run("base = 10")
    with session.copied():
        assert session.run("import os; os._exit(0)").ended == "died"
        assert session.run("1").ended == "died"
        with session.copied():
            assert session.run("1").ended == "died"
    assert session.evaluate(["base"])[0].value == 10


def test_a_copy_cannot_speak_for_those_above(session: WorkerSession) -> None:
    code = """
import os, sys
said = []
for number in range(3, 64):
    try:
        os.write(number, b"\\x00\\x00\\x00\\x02{}")
    except OSError:
        pass
try:
    os.kill(os.getppid(), 9)
except OSError as error:
    said.append(type(error).__name__)
"""
    with session.copied():
        session.run(code)
    assert session.evaluate(["1 + 1"])[0].value == 2


def test_a_fork_sees_the_state_and_leaves_none(session: WorkerSession) -> None:
    session.run("base = 10")
    results, values = session.run_forked(
        ["base += 1\nonly_here = 1", "base * 2"], evaluate=["base", "only_here"]
    )
    assert [r.ended for r in results] == ["done", "done"]
    assert shown(results[1]) == "22"
    assert [v.value for v in values] == [11, 1]
    after = session.evaluate(["base", "only_here"])
    assert after[0].value == 10
    assert "NameError" in after[1].error


def test_a_fork_stops_at_the_first_failure(session: WorkerSession) -> None:
    results, values = session.run_forked(["1", "1 / 0", "never = 1"], evaluate=["1", "2"])
    assert [r.ended for r in results] == ["done", "error"]
    assert results[1].error is not None
    assert results[1].error.name == "ZeroDivisionError"
    assert any("1 / 0" in line for line in results[1].error.traceback)
    assert not any("\x1b" in line for line in results[1].error.traceback)
    assert all("not evaluated" in v.error for v in values)
    assert [v.expression for v in values] == ["1", "2"]


def test_a_fork_without_cells_evaluates(session: WorkerSession) -> None:
    results, values = session.run_forked([], evaluate=["1 + 1"])
    assert results == []
    assert values[0].value == 2
    assert session.run_forked([]) == ([], [])


def test_the_data_is_where_inputs_says(session: WorkerSession) -> None:
    session.run("import pandas as pd\nframe = pd.read_csv(DATA_DIR + '/t.csv', parse_dates=['day'])")
    values = session.evaluate(
        ["len(frame)", "frame['n'].sum()", "frame['day'].max()", "frame['n']", "frame.shape"]
    )
    assert [v.value for v in values] == [2, 1.0, "2024-01-02T00:00:00", [1.0, None], [2, 2]]
    assert [v.error for v in values] == ["", "", "", "not finite", ""]


def test_an_expression_that_fails_says_why_and_the_others_go_on(session: WorkerSession) -> None:
    values = session.evaluate(["1 +", "1 / 0", "object()", "print('x')", "'fine'"])
    assert [v.error.split(":")[0] for v in values] == ["SyntaxError", "ZeroDivisionError", "not JSON", "", ""]
    assert values[4].value == "fine"


def test_a_crash_in_a_fork_is_named_and_the_session_goes_on(session: WorkerSession) -> None:
    results, _ = session.run_forked(["a = 1", "import ctypes\nctypes.string_at(0)"])
    assert [r.ended for r in results] == ["done", "died"]
    assert results[1].error is not None
    assert "SIGSEGV" in results[1].error.message
    results, _ = session.run_forked(["import os\nos._exit(3)"])
    assert results[0].error is not None
    assert "status 3" in results[0].error.message
    assert shown(session.run("'alive'")) == "'alive'"


def test_an_overrun_of_the_state_is_interrupted_and_the_state_stays(session: WorkerSession) -> None:
    session.run("before = 5")
    start = time.monotonic()
    result = session.run("import time\nprint('started')\ntime.sleep(60)", seconds=0.5)
    assert result.ended == "timeout"
    assert result.error is not None
    assert result.error.name == "TimeoutError"
    assert "0.5 s" in result.error.message
    assert result.outputs[0]["text"] == "started\n"
    assert time.monotonic() - start < 4
    assert session.evaluate(["before"])[0].value == 5


def test_memory_of_the_state_is_bounded_and_the_state_stays(session: WorkerSession) -> None:
    result = session.run("import numpy as np\nbig = np.ones(300_000_000)")
    assert result.ended == "memory"
    assert shown(session.run("'alive'")) == "'alive'"


def test_exit_in_a_cell_does_not_end_the_session(session: WorkerSession) -> None:
    assert session.run("import sys\nsys.exit(1)").ended == "error"
    assert shown(session.run("1")) == "1"


def test_a_process_forked_by_a_cell_does_not_answer(session: WorkerSession) -> None:
    result = session.run("import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\n'once'")
    assert shown(result) == "'once'"
    assert shown(session.run("'next'")) == "'next'"


def test_odd_texts_survive_the_way(session: WorkerSession) -> None:
    assert session.run(r"print('\ud800 \0 ✓')").outputs[0]["text"] == "\\ud800 \0 ✓\n"
    assert session.evaluate(["'✓' * 3"])[0].value == "✓✓✓"
    assert session.run("").outputs == ()


def test_modules_written_by_a_cell_can_be_imported(session: WorkerSession) -> None:
    assert session.run("open('mine.py', 'w').write('answer = 42')\nimport mine").error is None
    assert session.evaluate(["mine.answer"])[0].value == 42


def test_lakebooks_own_modules_are_not_in_the_way(session: WorkerSession) -> None:
    if not session.isolated:
        pytest.skip("without isolation the cells see what the installation sees")
    # The worker's own package has another name; the folder that all lies in may have any.
    find = "__import__('importlib.util').util.find_spec({!r}) is None"
    values = session.evaluate([find.format(name) for name in ("lakebook", "assets")])
    assert [value.value for value in values] == [True, True]


def test_concurrent_calls_wait_for_each_other(session: WorkerSession) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: session.run_forked([f"{n} * 2"])[0][0], range(8)))
    assert [shown(r) for r in results] == [str(n * 2) for n in range(8)]


def test_an_expression_may_exit_without_harm(session: WorkerSession) -> None:
    assert "SystemExit" in session.evaluate(["__import__('sys').exit(1)"])[0].error
    assert session.evaluate(["1"])[0].value == 1


# --- sessions that end -----------------------------------------------------------------------------------

STUBBORN = "import time\nwhile True:\n    try:\n        time.sleep(0.01)\n    except BaseException: pass"


@pytest.mark.parametrize("backend", [BubblewrapSandbox, LocalSandbox])
def test_a_cell_that_ignores_the_interrupt_ends_the_session(backend: type) -> None:
    with backend().open(SessionOptions()) as stubborn:
        result = stubborn.run(STUBBORN, seconds=0.5)
        assert result.ended == "timeout"
        with pytest.raises(SandboxFailed, match="ended"):
            stubborn.run("1")


@pytest.mark.parametrize("backend", [BubblewrapSandbox, LocalSandbox])
def test_a_crash_of_the_state_ends_the_session_and_says_so(backend: type) -> None:
    with backend().open(SessionOptions()) as crashing:
        result = crashing.run("import ctypes\nctypes.string_at(0)")
        assert result.ended == "died"
        assert result.error is not None
        assert "killed by SIGSEGV" in result.error.message
        with pytest.raises(SandboxFailed, match="SIGSEGV"):
            crashing.evaluate(["1"])


def test_the_plain_backend_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with LocalSandbox().open(SessionOptions()) as plain:
        assert not plain.isolated
        code = "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\nchild.pid"
        child = int(shown(plain.run(code)))
        assert Path("/proc", str(child)).exists()
    assert list(tmp_path.iterdir()) == []
    state = Path("/proc", str(child), "stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("backend", [BubblewrapSandbox, LocalSandbox])
def test_closing_ends_a_call_in_another_thread(backend: type) -> None:
    opened = backend().open(SessionOptions())
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(opened.run, "import time\ntime.sleep(60)")
        time.sleep(0.5)
        opened.close()
        with pytest.raises(SandboxFailed, match="closed"):
            call.result(timeout=10)


def test_an_interrupt_of_the_host_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with BubblewrapSandbox().open(SessionOptions()) as opened:
        monkeypatch.setattr(opened, "_exchange", interrupted)
        with pytest.raises(KeyboardInterrupt):
            opened.run("1")
        monkeypatch.undo()
        with pytest.raises(SandboxFailed, match="interrupted"):
            opened.run("1")


# --- opening ---------------------------------------------------------------------------------------------


def test_inputs_that_only_root_can_read_are_readable(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    (private / "data.txt").write_text("for my eyes")
    (private / "data.txt").chmod(0o600)
    with BubblewrapSandbox().open(SessionOptions(mounts=[Mount("p", private)])) as opened:
        assert opened.evaluate(["open('/inputs/p/data.txt').read()"])[0].value == "for my eyes"


@pytest.mark.parametrize("name", ["..", "a/b", "", "a\0b"])
def test_a_mount_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnsafeNameError):
        BubblewrapSandbox().open(SessionOptions(mounts=[Mount(name, tmp_path)]))


def test_a_mount_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxFailed, match="not there"):
        BubblewrapSandbox().open(SessionOptions(mounts=[Mount("x", tmp_path / "none")]))


def test_a_broken_bubblewrap_is_found_out_by_trying(tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    sandbox = BubblewrapSandbox([str(fake)])
    assert "No permissions" in sandbox.probe()
    with pytest.raises(SandboxUnavailable, match="No permissions"):
        sandbox.open(SessionOptions())


def test_a_bubblewrap_that_isolates_nothing_is_not_believed(tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n')
    fake.chmod(0o755)
    assert "not isolated" in BubblewrapSandbox([str(fake)]).probe()


def test_the_next_bubblewrap_is_taken_where_the_first_fails(tmp_path: Path) -> None:
    working = BubblewrapSandbox()
    working.probe()
    sandbox = BubblewrapSandbox([str(tmp_path / "none"), working.program])
    assert sandbox.probe() == ""
    assert sandbox.program == working.program
