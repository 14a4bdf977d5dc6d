"""Times a session against a fresh interpreter: `python benchmarks/sandbox.py [REPEATS]`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lakebook.sandbox.base import SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.session import WorkerSession
from lakebook.sandbox.snapshot import take

LIBRARIES = "import numpy, pandas, matplotlib.pyplot, seaborn, scipy.stats, statsmodels.api"
PLOT = """
import matplotlib.pyplot as plt, numpy as np
fig, ax = plt.subplots(figsize=(7, 4))
ax.hist(np.random.default_rng(1).normal(size=5000), bins=40)
plt.show()
"""
LINES = "for n in range(10_000):\n    print('line', n)"


def median_ms(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def first_output_ms(session: WorkerSession, code: str, repeats: int) -> float:
    """Return how long after its start a cell's first output is there, while the cell goes on."""
    times: list[float] = []
    for _ in range(repeats):
        arrived: list[float] = []
        start = time.perf_counter()
        session.run(code, on_output=lambda _, arrived=arrived: arrived.append(time.perf_counter()))
        times.append((arrived[0] - start) * 1000)
    return statistics.median(times)


def interrupt_ms(session: WorkerSession, repeats: int) -> float:
    """Return how long after an interrupt a sleeping cell has ended."""
    times: list[float] = []
    for _ in range(repeats):
        asked: list[float] = []

        def ask(_: object, asked: list[float] = asked) -> None:
            asked.append(time.perf_counter())
            session.interrupt()

        session.run("print('now')\ntime.sleep(10)", on_output=ask)
        times.append((time.perf_counter() - asked[0]) * 1000)
    return statistics.median(times)


def snapshot_rows(files: int) -> list[tuple[str, float]]:
    """Time the first and the next look at a workspace of many files."""
    with tempfile.TemporaryDirectory() as name:
        for number in range(files):
            Path(name, f"{number}.csv").write_text("a,b\n1,2\n" * 500)
        time.sleep(0.2)
        start = time.perf_counter()
        before = take(Path(name))
        first = (time.perf_counter() - start) * 1000
        again = median_ms(lambda: take(Path(name), before), 5)
    return [(f"snapshot of {files} files of 4 kB", first), (f"the next one of {files} files", again)]


def fresh(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "MPLBACKEND": "Agg"})


def resident_mb(session_process: int) -> float:
    """Return the proportional memory of all processes below the one given."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = stat.read_text().rpartition(")")[2].split()
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    queue, total = [session_process], 0
    while queue:
        process = queue.pop()
        queue += children.get(process, [])
        rollup = Path("/proc", str(process), "smaps_rollup").read_text()
        total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total / 1024


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    sandbox = BubblewrapSandbox()
    rows = [("probe", median_ms(sandbox.probe, 1))]
    rows.append(("fresh interpreter, libraries imported", median_ms(lambda: fresh(LIBRARIES), 3)))
    rows.append(("fresh interpreter, libraries and one plot", median_ms(lambda: fresh(LIBRARIES + PLOT), 3)))
    rows.append(("open and close a session", median_ms(lambda: sandbox.open(SessionOptions()).close(), 3)))
    with sandbox.open(SessionOptions()) as session:
        rows.append(("run a trivial cell", median_ms(lambda: session.run("1 + 1"), repeats * 5)))
        session.run("import os, time")
        slow = "print('first')\ntime.sleep(0.3)"
        rows.append(("first output of a long cell", first_output_ms(session, slow, repeats)))
        past = "os.write(1, b'first')\ntime.sleep(0.6)"
        rows.append(("first output past Python of a long cell", first_output_ms(session, past, repeats)))
        rows.append(("10,000 lines printed", median_ms(lambda: session.run(LINES), 3)))
        rows.append(("interrupt a sleeping cell", interrupt_ms(session, repeats)))
        rows.append(("evaluate one expression", median_ms(lambda: session.evaluate(["1 + 1"]), repeats * 5)))
        rows.append(("run_forked, trivial", median_ms(lambda: session.run_forked(["1 + 1"]), repeats)))
        rows.append(("run a plot cell", median_ms(lambda: session.run(PLOT), repeats)))
        rows.append(("run_forked, plot cell", median_ms(lambda: session.run_forked([PLOT]), repeats)))
        memory = resident_mb(session._worker._process.pid)
        rows.append(("restart", median_ms(session.restart, 3)))
    rows += snapshot_rows(1000)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {repeats} repeats, medians")
    for name, milliseconds in rows:
        print(f"{name:<42} {milliseconds:9.1f} ms")
    print(f"{'memory of a warm session (shared once)':<42} {memory:9.1f} MB")


if __name__ == "__main__":
    main()
