"""How right and how small are the components? An oracle, beside two simpler ways of slicing.

A notebook is run statement by statement; statements that fail today are taken out, so that the rest runs.
What each cell draws is the truth. Then each component of a drawing cell is run alone, in a fresh process, and
what it draws compared. The two errors are counted apart: figures that differ or do not appear (unsound), and
statements kept before the target (bloat: as a share of all statements before it, nested ones counted, and for
a sample as a multiple of the smallest code that delta debugging finds).

    python benchmarks/components.py CORPUS --work DIR [--shared DIR] [--packages DIR] [--part look]

CORPUS holds one folder for each repository, with notebooks and the data that they read. Code of others runs
only in the sandbox, unless `--unsafe-local` is given. Results are kept in the folder of `--work`: what was
run before is not run again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from oracle.corpus import PARTS, Source, find_sources
from oracle.judge import LAKEBOOK, choose_targets, find_truth, judge
from oracle.minimum import minimize
from oracle.report import Outcome, print_part, print_sources
from oracle.runs import Bench, Runs

from lakebook.errors import LakebookError
from lakebook.sandbox.choose import choose_sandbox


def main() -> int:
    options = _options()
    try:
        sandbox = choose_sandbox("unsafe-local" if options.unsafe_local else "auto")
    except LakebookError as error:
        print(f"{error}\nOr accept the risk with --unsafe-local.", file=sys.stderr)
        return 1
    options.work.mkdir(parents=True, exist_ok=True)
    sources = find_sources(options.corpus, options.shared, per_dataset=options.per_dataset)
    parts = PARTS if options.part == "all" else (options.part,)
    tried = [one for one in sources if not one.why_not and one.part in parts]
    tried.sort(key=lambda one: hashlib.sha256(one.key.encode()).digest())
    bench = Bench(sandbox, (options.corpus, *options.shared), options.packages)
    outcomes: list[Outcome] = []
    minimized = dict.fromkeys(PARTS, 0)
    for source in tried[: options.notebooks]:
        started = time.perf_counter()
        wanted = minimized[source.part] < options.minimize
        outcome = _try(source, options, bench, smallest=wanted)
        minimized[source.part] += outcome.minimum is not None
        outcomes.append(outcome)
        own = [one for one in outcome.verdicts if one.way == LAKEBOOK]
        found = outcome.problem or f"{len(own)} targets"
        if source.part == "look" and not all(one.data for one in own):
            found += f", {sum(not one.data for one in own)} differ"
        print(f"{time.perf_counter() - started:6.1f} s {source.path}: {found}", file=sys.stderr, flush=True)
    bench.close()
    print_sources([one for one in sources if one.part in parts], outcomes)
    for part in parts:
        print_part(part, [one for one in outcomes if one.source.part == part], failures=True)
    if options.json:
        options.json.write_text(json.dumps([_plain(one) for one in outcomes], indent=1))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score components against what the notebooks draw.")
    parser.add_argument("corpus", type=Path, help="folder of repositories")
    parser.add_argument("--work", type=Path, required=True, help="folder where the results of runs are kept")
    parser.add_argument("--shared", type=Path, nargs="*", default=[], help="more folders with data files")
    parser.add_argument("--packages", type=Path, help="site-packages of an older environment, same Python")
    parser.add_argument("--part", choices=(*PARTS, "all"), default="look")
    parser.add_argument("--notebooks", type=int, help="try at most so many")
    parser.add_argument("--per-dataset", type=int, default=3, help="notebooks tried for one dataset")
    parser.add_argument("--limit", type=int, default=5, help="most targets of one notebook")
    parser.add_argument("--rivals", type=int, default=1, help="targets of one notebook for the other ways")
    parser.add_argument("--minimize", type=int, default=0, help="targets of a part to find the smallest for")
    parser.add_argument("--unsafe-local", action="store_true", help="run the code without isolation")
    parser.add_argument("--json", type=Path, help="also write everything here")
    return parser.parse_args()


def _try(source: Source, options: argparse.Namespace, bench: Bench, *, smallest: bool) -> Outcome:
    runs = Runs(bench, options.work / f"{source.key}.jsonl", source.path.parts[:-1])
    program = find_truth(source.notebook, runs)
    targets = choose_targets(program, options.limit)
    outcome = Outcome(
        source, program.problem, judge(program, targets, runs, rivals=options.rivals), len(program.unstable)
    )
    right = [one for one in outcome.verdicts if one.way == LAKEBOOK and one.picture and one.kept]
    if smallest and right:
        chosen = right[hashlib.sha256(source.key.encode()).digest()[1] % len(right)]
        outcome.minimum = minimize(program, chosen.cell, chosen.upstream, runs)
    return outcome


def _plain(outcome: Outcome) -> dict[str, object]:
    source = outcome.source
    named = {"path": str(source.path), "part": source.part, "dataset": source.dataset}
    verdicts = [asdict(one) for one in outcome.verdicts]
    smallest = asdict(outcome.minimum) if outcome.minimum else None
    return {**named, "problem": outcome.problem, "verdicts": verdicts, "smallest": smallest}


if __name__ == "__main__":
    sys.exit(main())
