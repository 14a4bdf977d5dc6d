"""How fast are notebooks read, cut and annotated? Beside the least that it can take: parsing them.

Every notebook below the given paths is read and cut into components with their columns and chart types. In
the same run, `orjson.loads` and `ast.parse` are timed on the same files and the same cells: the ratio of the
two does not depend on the machine. One core, CPU seconds. The memory that the process holds is read at each
quarter, beside its largest: what grows with the notebooks that were read shows there.

    python benchmarks/slicing.py PATH... [--limit 1000] [--json FILE]

Prints the share of each part, and how many notebooks have which status, and why.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import json
import re
import resource
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from lakebook.notebooks import extract, read
from lakebook.notebooks.component import Notebook
from lakebook.notebooks.extract import extract_components
from lakebook.notebooks.read import find_notebooks, read_notebook

_SHARES = (0.5, 0.9, 0.99, 1.0)
_PARTS = (
    (read, "_raw", "json"),
    (read, "_without_secrets", "secrets"),
    (read, "_cleaned", "parsing and magics"),
    (read, "with_order", "order"),
    (extract, "analyze", "forward pass"),
    (extract, "_columns", "columns"),
)
"""Functions that are timed by themselves; all else is told as one part."""


@dataclass
class Times:
    """CPU seconds of all notebooks, and what was found."""

    notebooks: int = 0
    components: int = 0
    read: float = 0.0
    cut: float = 0.0
    json: float = 0.0
    parse: float = 0.0
    each: list[float] = field(default_factory=list)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)
    parts: dict[str, float] = field(default_factory=dict)
    memory_quarters: list[int] = field(default_factory=list)
    memory: int = 0

    @property
    def ratio(self) -> float:
        """Reading, cutting and annotating as a multiple of parsing."""
        return (self.read + self.cut) / (self.json + self.parse) if self.parse else 0.0


def main() -> int:
    options = _options()
    found = [
        path for given in options.paths for path in (find_notebooks(given) if given.is_dir() else [given])
    ]
    step = max(1.0, len(found) / options.limit)
    chosen = [found[int(at * step)] for at in range(min(len(found), options.limit))]
    warnings.simplefilter("ignore")
    times = Times()
    _time_parts(times.parts)
    quarters = {len(chosen) * quarter // 4 for quarter in range(1, 5)}
    for done, path in enumerate(chosen, 1):
        _measure(path, times)
        if done in quarters:
            times.memory_quarters.append(_memory_now())
    times.memory = _memory()
    _report(times)
    if options.json:
        options.json.write_text(json.dumps({**vars(times), "ratio": times.ratio}, indent=1))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time reading and cutting notebooks against parsing them.")
    parser.add_argument("paths", nargs="+", type=Path, help="notebooks or folders of them")
    parser.add_argument("--limit", type=int, default=1_000, help="at most so many notebooks, evenly chosen")
    parser.add_argument("--json", type=Path, help="also write the times here")
    return parser.parse_args()


def _time_parts(parts: dict[str, float]) -> None:
    """Let each part add the CPU seconds that it takes."""

    def timed(function: Callable[..., object], part: str) -> Callable[..., object]:
        def run(*given: object, **named: object) -> object:
            started = time.process_time()
            try:
                return function(*given, **named)
            finally:
                parts[part] = parts.get(part, 0.0) + time.process_time() - started

        return run

    for module, name, part in _PARTS:
        setattr(module, name, timed(getattr(module, name), part))


def _measure(path: Path, times: Times) -> None:
    started = time.process_time()
    notebook = read_notebook(path, path.parent)
    was_read = time.process_time()
    components = extract_components(notebook)
    was_cut = time.process_time()
    times.notebooks += 1
    times.components += len(components)
    times.read += was_read - started
    times.cut += was_cut - was_read
    times.each.append(was_cut - started)
    times.slowest = sorted([*times.slowest, (was_cut - started, path.name)], reverse=True)[:5]
    times.statuses[notebook.status] += 1
    if notebook.reason:
        times.reasons[f"{notebook.status}: {_kind(notebook.reason)}"] += 1
    if notebook.order_reason:
        times.orders[re.sub(r"`\w+`|\d+", "…", notebook.order_reason)] += 1
    _measure_parsing(path, notebook, times)


def _measure_parsing(path: Path, notebook: Notebook, times: Times) -> None:
    data = path.read_bytes()
    codes = [cell.code for cell in notebook.cells if cell.code]
    gc.collect(0)
    started = time.process_time()
    if path.suffix == ".ipynb":
        with contextlib.suppress(orjson.JSONDecodeError):
            orjson.loads(data)
    was_loaded = time.process_time()
    for code in codes:
        ast.parse(code)
    times.json += was_loaded - started
    times.parse += time.process_time() - was_loaded


def _kind(reason: str) -> str:
    """Return a reason without what is particular to one notebook."""
    first = re.sub(r"^cells? \d+: ", "", reason.partition("; ")[0])
    return re.sub(r"line \d+(, \d+)*|[\d,]{2,}", "…", re.sub(r"in line \d+: ", "", first))


def _memory() -> int:
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest // (1_048_576 if sys.platform == "darwin" else 1024)


def _memory_now() -> int:
    """Return the megabytes that the process holds; the most it ever held where the system does not tell."""
    status = Path("/proc/self/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) // 1024 if found else _memory()


def _report(times: Times) -> None:
    count = max(times.notebooks, 1)
    ordered = sorted(times.each)
    print(f"{times.notebooks} notebooks, {times.components} components")
    for name in ("read", "cut", "json", "parse"):
        print(f"  {name:<6}{getattr(times, name) / count * 1000:8.2f} ms a notebook")
    shares = ", ".join(
        f"{share:.0%} {ordered[min(count - 1, int(count * share))] * 1000:.1f} ms" for share in _SHARES
    )
    print(f"  ratio {times.ratio:.2f} (read + cut to json + parse); of notebooks: {shares}")
    whole = times.read + times.cut
    for part, seconds in sorted(times.parts.items(), key=lambda item: -item[1]):
        print(f"  {seconds / whole:5.1%} {part}")
    print(f"  {1 - sum(times.parts.values()) / whole:5.1%} all else")
    quarters = ", ".join(str(one) for one in times.memory_quarters)
    print(f"  memory {quarters} MB after each quarter, {times.memory} MB at most")
    for seconds, name in times.slowest:
        print(f"  {seconds:.2f} s {name}")
    for title, counter in (("status", times.statuses), ("reason", times.reasons), ("order", times.orders)):
        for text, number in counter.most_common():
            print(f"{title}: {number:5} {text}")


if __name__ == "__main__":
    sys.exit(main())
