"""Times a session against a fresh interpreter: `python benchmarks/sandbox.py [REPEATS]`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lakebook.sandbox.base import SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox

LIBRARIES = "import numpy, pandas, matplotlib.pyplot, seaborn, scipy.stats, statsmodels.api"
PLOT = """
import matplotlib.pyplot as plt, numpy as np
fig, ax = plt.subplots(figsize=(7, 4))
ax.hist(np.random.default_rng(1).normal(size=5000), bins=40)
plt.show()
"""


def median_ms(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


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
        rows.append(("evaluate one expression", median_ms(lambda: session.evaluate(["1 + 1"]), repeats * 5)))
        rows.append(("run_forked, trivial", median_ms(lambda: session.run_forked(["1 + 1"]), repeats)))
        rows.append(("run a plot cell", median_ms(lambda: session.run(PLOT), repeats)))
        rows.append(("run_forked, plot cell", median_ms(lambda: session.run_forked([PLOT]), repeats)))
        memory = resident_mb(session._process.pid)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {repeats} repeats, medians")
    for name, milliseconds in rows:
        print(f"{name:<42} {milliseconds:9.1f} ms")
    print(f"{'memory of a warm session (shared once)':<42} {memory:9.1f} MB")


if __name__ == "__main__":
    main()
