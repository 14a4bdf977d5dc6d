"""Does repair mend rightly? Wrong queries over planted lakes, mended by sure means, against the right ones.

The queries are those of `benchmarks/rules.py`: an oracle (plain DuckDB) knows the result of each right one.
Of wrong queries it is counted how many were mended, and how many of these then give the right result; a
mended query with another result is the fault that matters. Right queries must not be touched. No model is
asked.

    python benchmarks/repair.py [--seed N] [--lakes N] [--blind]

`--blind` takes other words and other seeds and prints totals only.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

from rules_suite import lakes
from rules_suite.lakes import Lake
from rules_suite.oracle import Oracle
from rules_suite.score import share
from rules_suite.suite import Pair, open_lake, pairs

from lakebook.operators.runtime import Runtime
from lakebook.sources.profile import table_file
from lakebook.validation.repair import Repairing

RIGHT = "same"


def main() -> int:
    parser = argparse.ArgumentParser(description="Score the bounded repair of statements.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lakes", type=int, default=6, help="how many lakes are drawn")
    parser.add_argument("--blind", action="store_true", help="other words and seeds, totals only")
    options = parser.parse_args()
    which, seed = ("blind", options.seed + 7_919) if options.blind else ("open", options.seed)
    started = time.process_time()
    counts: Counter[str] = Counter()
    mended: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for lake in lakes.make(which, seed, options.lakes):
            _score(lake, Path(folder) / lake.name, counts, mended)
    seconds = time.process_time() - started
    print(f"{options.lakes} lakes, words {which}, seed {options.seed}; {seconds:.0f} s CPU")
    right = sum(count for (_, truth), count in mended.items() if truth == RIGHT)
    print(f"right queries          {counts['right']}, of which touched: {counts['touched']}")
    print(f"wrong queries          {counts['wrong']}, of which mended: {mended.total()}")
    print(f"given back after tries {counts['given back']}")
    print(f"mended rightly         {share(right, mended.total())}")
    for (kind, truth), count in () if options.blind else sorted(mended.items()):
        print(f"  {kind:<28}{truth:<34}{count:>5}")
    return 0


def _score(lake: Lake, folder: Path, counts: Counter[str], mended: Counter[tuple[str, str]]) -> None:
    place, state = folder / "files", folder / "state"
    lakes.write(lake, place)
    source_map, files = open_lake(place, state)
    with (
        Runtime(source_map, partial(table_file, state), repairing=Repairing()) as made,
        Oracle(files) as oracle,
    ):
        for pair in pairs(lake):
            if not oracle.stands(pair.right):
                _score_pair(pair, made, oracle, counts, mended)


def _score_pair(
    pair: Pair, made: Runtime, oracle: Oracle, counts: Counter[str], mended: Counter[tuple[str, str]]
) -> None:
    counts["right"] += 1
    counts["touched"] += bool(made.query(pair.right).record.repairs)
    for kind, sql in pair.wrong:
        counts["wrong"] += 1
        record = made.query(sql).record
        if not record.repairs:
            continue
        if record.error or record.verdict == "reject":
            counts["given back"] += 1
        else:
            mended[kind, oracle.judge(pair.right, str(record.arguments["sql"]))] += 1


if __name__ == "__main__":
    raise SystemExit(main())
