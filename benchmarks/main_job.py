"""How long the main job takes on the example, and what it needs: stages, wall, CPU, peak memory.

Run: python benchmarks/main_job.py [--data DIR --dataset FILE --intent TEXT]
Prints a first run on an empty state, a second one with nothing changed, and, as the baseline, what importing
Dagster and opening its instance costs by itself. Memory is the sum of proportional set sizes (PSS) of the
whole process tree, sampled ten times a second; CPU that of the command and the children it waited for.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parent.parent
LAKEBOOK = Path(sys.executable).with_name("lakebook")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one command took."""

    code: int
    wall: float
    cpu: float
    peak_mb: float


def tree_mb(pid: int) -> float:
    """Return the memory of a process and all below it, in MB."""
    total, waiting = 0.0, [pid]
    while waiting:
        current = waiting.pop()
        try:
            smaps = Path(f"/proc/{current}/smaps_rollup").read_text(encoding="utf-8")
            total += sum(int(line.split()[1]) for line in smaps.splitlines() if line.startswith("Pss:"))
            for task in Path(f"/proc/{current}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text(encoding="utf-8").split()]
        except OSError:
            continue
    return total / 1024


def measure(command: list[str], state: Path) -> Cost:
    """Run a command and measure it with all its children."""
    environment = dict(os.environ, LAKEBOOK_STATE=str(state))
    before, started = os.times(), time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, tree_mb(process.pid))
        time.sleep(0.1)
    wall, after = time.perf_counter() - started, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(process.returncode, wall, cpu, peak)


def show(name: str, cost: Cost) -> None:
    """Print one line of the table."""
    print(f"{name:<34}{cost.code:>5}{cost.wall:>9.1f}{cost.cpu:>9.1f}{cost.peak_mb:>10.0f}")


def stages(state: Path) -> list[tuple[str, float]]:
    """Return how long each stage took, from its receipt."""
    receipts = sorted((state / "assets").rglob("receipt.json"))
    timed = [
        (path.relative_to(state / "assets").parts[0], orjson.loads(path.read_bytes())) for path in receipts
    ]
    return sorted(((name, receipt["seconds"]) for name, receipt in timed), key=lambda item: -item[1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--dataset", default="avocados.parquet")
    parser.add_argument("--intent", default="build a time-series model to forecast avocado prices")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state, lake = Path(folder) / "state", arguments.data or Path(folder) / "lake"
        if arguments.data is None:
            subprocess.run([LAKEBOOK, "-q", "example", str(lake)], check=True, stdout=subprocess.DEVNULL)
        command = [str(LAKEBOOK), "-q", "run", "--data", str(lake), "--dataset", arguments.dataset]
        command += ["--notebooks", str(ROOT / "notebooks_corpus"), "--intent", arguments.intent]
        command += ["--out", str(Path(folder) / "out")]
        start = [sys.executable, "-c", "import dagster; dagster.DagsterInstance.ephemeral()"]
        print(f"{'':<34}{'exit':>5}{'wall s':>9}{'CPU s':>9}{'peak MB':>10}")
        show("baseline: Dagster's own start", measure(start, state))
        show("first run, empty state", measure(command, state))
        show("second run, nothing changed", measure(command, state))
        print("\nstages of the first run, seconds")
        for name, seconds in stages(state):
            if seconds >= 0.05:
                print(f"  {name:<32}{seconds:>9.1f}")


if __name__ == "__main__":
    main()
