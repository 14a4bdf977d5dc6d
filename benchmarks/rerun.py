"""Times the rerun of many components beside one bare warm process that runs the same code.

`python benchmarks/rerun.py [--notebooks DIR --data FILE] [--most N] [--rows N]`

Without a corpus it writes 20 notebooks of 15 plots on a table of 20,000 rows (`written_notebooks`).
Everything is included: adapting, opening the sessions, loading the table, running, mending, gathering and
judging figures. The bare process runs the components' own code one after another in one sandboxed interpreter
that makes its pictures as a kernel does, with no isolation between components; its loads are pointed at the
file, and nothing else is done to the code. CPU seconds are those of this process and of all below it.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.written_notebooks import write_notebook, write_table
from lakebook.analyst.profile import table_from_card
from lakebook.analyst.table import Table
from lakebook.enhancement.rerun import rerun
from lakebook.enhancement.run import preparation
from lakebook.notebooks.component import Component
from lakebook.notebooks.extract import build_corpus
from lakebook.operators.group_table import open_dataset
from lakebook.report.execute import open_for_notebook
from lakebook.report.opening import setup_code
from lakebook.retrieval.applicability import applicable
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sandbox.base import Session
from lakebook.sandbox.choose import choose_sandbox
from lakebook.sources.card import FileEntry, Manifest
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan
from lakebook.storage import hash_file

_TICKS = os.sysconf("SC_CLK_TCK")
_READERS = """
import functools, os
import pandas as pd
if not hasattr(pd.read_csv, "func"):
    pd.read_csv = functools.partial(
        lambda read, path, *args, **options: read({path!r}, *args, **options), pd.read_csv
    )
"""
_FORGET = "%reset -f"


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all processes below it, living or waited for."""
    children: dict[int, list[tuple[int, float]]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        used = sum(map(int, fields[11:15])) / _TICKS
        children.setdefault(int(fields[1]), []).append((int(stat.parent.name), used))
    total = sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
    queue = [os.getpid()]
    while queue:
        for child, used in children.get(queue.pop(), []):
            total += used
            queue.append(child)
    return total


def table_of(data: Path) -> Table:
    """Return the table of one file."""
    with tempfile.TemporaryDirectory() as state:
        manifest = Manifest((FileEntry(data.name, data.stat().st_size, hash_file(data)),))
        source_map = profile_lake(data.parent, manifest, Path(state))
        found = open_dataset(source_map, data.name, Path(state))
    return table_from_card(found.card, found.unit)


def open_sessions(data: Path, table: Table, count: int, stack: ExitStack) -> list[Session]:
    """Open sessions that hold the table as `df`, as the product does."""
    sandbox = choose_sandbox("auto")
    sessions = []
    for _ in range(count):
        session = stack.enter_context(open_for_notebook(sandbox, data.parent))
        for cell in (setup_code(data.parent, data.parent), preparation(), table.load_code):
            error = session.run(cell).error
            if error:
                raise SystemExit(f"{error.name}: {error.message}")
        sessions.append(session)
    return sessions


@dataclass
class Cost:
    """Seconds by the clock and of CPU since it was made."""

    clock: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=cpu_seconds)

    def stop(self) -> None:
        """Read the clocks, while the processes that worked are still there to be asked."""
        self.clock, self.cpu = time.perf_counter() - self.clock, cpu_seconds() - self.cpu


def product(
    taken: list[RetrievedComponent], components: dict[str, Component], table: Table, data: Path, cores: int
) -> tuple[Counter[str], Cost]:
    """Rerun the components as the product does; count the statuses."""
    cost = Cost()
    with ExitStack() as stack:
        sessions = open_sessions(data, table, cores, stack)
        runs = rerun(taken, components, table, sessions)
        ended = Counter(run.enhanced.status for run in runs)
        cost.stop()
    return ended, cost


def bare(
    taken: list[RetrievedComponent], components: dict[str, Component], data: Path
) -> tuple[Counter[str], Cost]:
    """Run the components' own code in one interpreter, one after another."""
    cost = Cost()
    ended: Counter[str] = Counter()
    with open_for_notebook(choose_sandbox("auto"), data.parent) as session:
        for item in taken:
            session.run(_FORGET)
            session.run(_READERS.format(path=f"/inputs/data/{data.name}"))
            result = session.run(components[item.component].code)
            ended["error" if result.error else "ran"] += 1
        cost.stop()
    return ended, cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notebooks", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--cores", type=int, default=min(2, os.cpu_count() or 1))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        notebooks, data = given.notebooks, given.data
        if notebooks is None or data is None:
            notebooks, data = Path(scratch, "notebooks"), Path(scratch, "data", "sales.csv")
            notebooks.mkdir()
            data.parent.mkdir()
            write_table(data, given.rows)
            for number in range(20):
                write_notebook(notebooks / f"take_{number:02}.ipynb", number)
        table = table_of(data)
        corpus = build_corpus(notebooks, scan(notebooks))
        components = {component.id: component for component in corpus.components}
        plots, _ = applicable(corpus, table)
        taken = [item for item in plots if components[item.component].chart_types][: given.most]
        books = len({components[item.component].notebook for item in taken})
        print(
            f"{len(taken)} plot components of {books} notebooks, {table.rows:,} rows, {given.cores} sessions"
        )
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for name, work in (
            ("bare warm process", lambda: bare(taken, components, data)),
            ("rerun", lambda: product(taken, components, table, data, given.cores)),
        ):
            ended, cost = work()
            counts = ", ".join(f"{count} {status}" for status, count in sorted(ended.items()))
            each = 1000 * cost.cpu / len(taken)
            print(f"{name:<18} {cost.clock:7.1f} s  {cost.cpu:7.1f} CPU s  {each:6.0f} ms each  {counts}")


if __name__ == "__main__":
    main()
