"""The environment and /proc: what code inside can learn of the host."""

from __future__ import annotations

from lakebook.sandbox.session import WorkerSession
from tests.integration.attacks.conftest import attack


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
        controller = parents[-1] if len(parents) > 1 else 1
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
