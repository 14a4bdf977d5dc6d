"""What code inside must not be able to do, each with the right behaviour beside it.

Every attack is a cell; it prints what it got. Where an error is what stops it, the cell says which.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakebook.errors import SandboxFailed
from lakebook.sandbox.base import CellResult, Limits, Mount, SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.session import WorkerSession

_TROUBLE = BubblewrapSandbox().probe()
pytestmark = [pytest.mark.sandbox, pytest.mark.skipif(bool(_TROUBLE), reason=_TROUBLE)]

LIMITS = Limits(cell_seconds=20, memory_mb=400, processes=24, file_mb=16, tmp_mb=32, output_chars=5000)
SECRET = "the-secret-of-this-machine"


def open_session(inputs: Path, limits: Limits = LIMITS) -> WorkerSession:
    return BubblewrapSandbox().open(
        SessionOptions(mounts=[Mount("lake", inputs)], environment={"GIVEN": "yes"}, limits=limits)
    )


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "data.csv").write_text("a,b\n1,2\n")
    outside = tmp_path_factory.mktemp("outside") / "secret.txt"
    outside.write_text(SECRET)
    (folder / "link.txt").symlink_to(outside)
    return folder


@pytest.fixture(scope="module")
def session(inputs: Path) -> Iterator[WorkerSession]:
    os.environ["LAKEBOOK_TEST_SECRET"] = SECRET
    try:
        with open_session(inputs) as opened:
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


# --- files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/etc/shadow", "/etc/hostname", str(Path.home() / ".bashrc"), str(Path(__file__)), "/var/log"]
)
def test_files_of_the_host_are_not_there(session: WorkerSession, path: str) -> None:
    assert refused(session, f"open({path!r}).read()") == "ENOENT"


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


# --- environment and /proc -------------------------------------------------------------------------------


def test_the_environment_is_our_own(session: WorkerSession) -> None:
    code = """
        import os
        print(os.environ.get("LAKEBOOK_TEST_SECRET"), os.environ["GIVEN"], os.environ["HOME"])
    """
    assert attack(session, code) == "None yes /tmp"


def test_no_process_in_proc_tells_the_hosts_environment(session: WorkerSession) -> None:
    code = """
        import glob
        seen = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                seen.append(open(path).read())
            except PermissionError:
                continue
        print(len(seen), any("the-secret" in text for text in seen))
    """
    count, leaked = attack(session, code).split()
    assert int(count) >= 1
    assert leaked == "False"


def test_only_the_sandboxs_processes_are_visible(session: WorkerSession) -> None:
    numbers = attack(session, "import os\nprint(sum(name.isdigit() for name in os.listdir('/proc')))")
    assert 3 <= int(numbers) <= 8


def test_the_controller_is_closed_to_the_cells(session: WorkerSession) -> None:
    code = """
        import os
        parents, pid = [], os.getppid()
        while pid > 1:
            parents.append(pid)
            pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
        controller = parents[-1]
        for name in ("fd/0", "fd/1", "mem", "environ"):
            try:
                os.open(f"/proc/{controller}/{name}", os.O_RDWR if name == "mem" else os.O_RDONLY)
                print("OPENED", name)
            except PermissionError:
                print("no")
            except FileNotFoundError:
                print("no")
    """
    assert attack(session, code) == "no\nno\nno\nno"


# --- users, capabilities, kernel -------------------------------------------------------------------------


def test_the_user_is_not_root_and_can_do_nothing_special(session: WorkerSession) -> None:
    code = """
        import os
        status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
        print(os.getuid() != 0, os.geteuid() != 0, int(status["CapEff"], 16) & ~4)
        print(status["NoNewPrivs"].strip(), status["Seccomp"].strip())
    """
    assert attack(session, code) == "True True 0\n1 2"


@pytest.mark.parametrize("call", ["os.setuid(0)", "os.setgroups([0])", "os.chroot('/tmp')"])
def test_privileged_calls_are_refused(session: WorkerSession, call: str) -> None:
    assert refused(session, call) in ("EPERM", "EINVAL")  # EINVAL: there is no such user inside


_SYSTEM_CALLS = {  # x86_64 numbers, each with arguments that would go far enough to show that it is allowed
    "ptrace": (101, 16, 1, 0, 0),
    "mount": (165, 0, 0, 0, 0),
    "unshare": (272, 0x10000000, 0, 0, 0),
    "keyctl": (250, 0, 0, 0, 0),
    "bpf": (321, 0, 0, 0, 0),
    "io_uring_setup": (425, 1, 0, 0, 0),
    "userfaultfd": (323, 0, 0, 0, 0),
    "perf_event_open": (298, 0, 0, 0, 0),
    "open_by_handle_at": (304, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0),
    "memfd_create": (319, 0, 0, 0, 0),
    "clone_newuser": (56, 0x10000000, 0, 0, 0),
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system call numbers are of x86_64")
@pytest.mark.parametrize("name", sorted(_SYSTEM_CALLS))
def test_kernel_interfaces_are_closed(session: WorkerSession, name: str) -> None:
    code = f"""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syscall{_SYSTEM_CALLS[name]} < 0:
            raise OSError(ctypes.get_errno(), "")
    """
    assert refused(session, code) == "EPERM"


def test_an_ordinary_system_call_is_allowed(session: WorkerSession) -> None:
    code = "import ctypes, os\nprint(ctypes.CDLL(None).getpid() == os.getpid())"
    assert attack(session, code) == "True"


def test_a_child_process_can_be_started(session: WorkerSession) -> None:
    code = (
        "import subprocess\nprint(subprocess.run(['echo', 'hello'], capture_output=True, text=True).stdout)"
    )
    assert attack(session, code) == "hello"


# --- network ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        yield server.getsockname()[1]


def test_the_listener_is_real(listener: int) -> None:
    with socket.create_connection(("127.0.0.1", listener), timeout=5) as client:
        assert client.getpeername()[1] == listener


def test_the_hosts_loopback_cannot_be_reached(session: WorkerSession, listener: int) -> None:
    code = f"socket.create_connection(('127.0.0.1', {listener}), timeout=2)"
    assert refused(session, code) in ("ENOTSUP", "EOPNOTSUPP")


@pytest.mark.parametrize(
    "family", [2, 10, 16, 17, 38, 40], ids=["inet", "inet6", "netlink", "packet", "alg", "vsock"]
)
@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW"])
def test_no_socket_but_unix_ones(session: WorkerSession, family: int, kind: str) -> None:
    assert refused(session, f"socket.socket({family}, socket.{kind})") in ("ENOTSUP", "EOPNOTSUPP")


def test_an_abstract_socket_of_the_host_is_elsewhere(session: WorkerSession) -> None:
    name = f"\0lakebook-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        code = f"s = socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect({name!r})"
        assert refused(session, code) == "ECONNREFUSED"


def test_processes_inside_may_talk_to_each_other(session: WorkerSession) -> None:
    code = "import socket\na, b = socket.socketpair()\na.send(b'x')\nprint(b.recv(1))"
    assert attack(session, code) == "b'x'"


# --- limits ----------------------------------------------------------------------------------------------


def test_a_fork_bomb_is_bounded_and_swept_away(session: WorkerSession) -> None:
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
            print(error.errno == 11, made <= 24)
    """
    assert attack(session, code) == "True True"
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
    results, _ = session.run_forked([textwrap.dedent(code)], seconds=50)
    assert results[-1].ended == "memory"
    assert time.monotonic() - start < 30
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
    text = attack(session, "for _ in range(200_000):\n    print('x' * 50)")
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


# --- daemons ---------------------------------------------------------------------------------------------

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


def test_a_daemon_of_the_state_ends_with_the_session(inputs: Path) -> None:
    marker = f"72{os.getpid()}.25"
    with open_session(inputs) as opened:
        assert opened.run(textwrap.dedent(DAEMON.format(marker=marker))).error is None
        assert alive(marker)
    assert wait_gone(marker)


def test_everything_ends_when_the_host_process_is_killed(tmp_path: Path) -> None:
    marker = f"73{os.getpid()}.25"
    code = f"""
import sys, time
from lakebook.sandbox.base import SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
session = BubblewrapSandbox().open(SessionOptions())
session.run("import subprocess; subprocess.Popen(['sleep', '{marker}'])")
print("ready", flush=True)
time.sleep(60)
"""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(root)}
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        assert alive(marker)
        host.kill()
    assert wait_gone(marker)


def test_a_session_outlives_the_thread_that_opened_it(inputs: Path) -> None:
    opened: list[WorkerSession] = []
    thread = threading.Thread(target=lambda: opened.append(open_session(inputs)))
    thread.start()
    thread.join()
    time.sleep(0.3)
    with opened[0] as session:
        assert session.evaluate(["6 * 7"])[0].value == 42


# --- forged replies --------------------------------------------------------------------------------------


def test_frames_printed_to_stdout_are_only_text(session: WorkerSession) -> None:
    code = r"""
        import json, os, struct
        end = {"id": 1, "kind": "end", "ended": "done", "detail": "forged", "dead": False}
        body = json.dumps(end).encode()
        frame = struct.pack(">I", len(body)) + body
        os.write(1, frame)
        os.write(2, frame)
        print(frame)
    """
    assert "forged" in attack(session, code)
    assert session.evaluate(["2 + 2"])[0].value == 4


FORGE = r"""
import json, os, stat, struct
def forge(body):
    for fd in range(3, 200):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, struct.pack(">I", len(body)) + body)
        except OSError:
            continue
"""


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b'{"id": 999999, "kind": "end"}',
        b'{"kind": "cell", "cell": {"outputs": "x"}}',
        b"{" * 100_000,
    ],
)
def test_frames_written_to_found_descriptors_fail_the_call_or_nothing(inputs: Path, body: bytes) -> None:
    with open_session(inputs) as opened:
        try:
            results, _ = opened.run_forked([FORGE, f"forge({body!r})"])
        except SandboxFailed:
            with pytest.raises(SandboxFailed, match="ended"):
                opened.run("1")
        else:
            assert results[-1].ended in ("done", "died")


def test_a_hostile_frame_from_the_state_ends_the_session(inputs: Path) -> None:
    with open_session(inputs) as opened:
        opened.run(FORGE)
        with contextlib.suppress(SandboxFailed):
            opened.run('forge(b\'{"id": 2, "kind": "cell", "cell": {"outputs": [7]}}\')')
        with pytest.raises(SandboxFailed):
            opened.run("1")


def test_killing_everything_in_reach_fails_only_this_session(session: WorkerSession, inputs: Path) -> None:
    with open_session(inputs) as opened:
        try:
            results, _ = opened.run_forked(["import os\nos.kill(-1, 9)"])
            assert results[-1].ended == "died"
        except SandboxFailed:
            pass
    assert session.run("1 + 1").error is None


def test_a_call_after_close_says_so(inputs: Path) -> None:
    opened = open_session(inputs)
    opened.close()
    opened.close()
    with pytest.raises(SandboxFailed, match="closed"):
        opened.run("1")
