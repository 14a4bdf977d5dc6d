"""How right and how small are the slices of small programs? The cases of the peers and our own constructs.

For each file of cases (`tests/unit/notebooks/slicing/cases`): how many slices show what the whole notebook
shows, beside two simpler ways of slicing, and how many statements each keeps before the target. With
`--exhaustive` the smallest set of whole statements that shows the same is searched by trying all of them.

    python benchmarks/slicing_cases.py [--exhaustive] [NAME...]

All programs are our own and run without a sandbox, each in a process and a folder of its own.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from oracle.baselines import EVERY_CALL, NAMES_ONLY, upstream

from lakebook.notebooks.clean import clean
from lakebook.notebooks.slicing.slicer import analyze
from tests.unit.notebooks.slicing.cases import Case, load, names
from tests.unit.notebooks.slicing.running import Runner

_MOST_STATEMENTS = 8  # of which all subsets are tried


@dataclass
class Score:
    """What one way of slicing did on one file of cases."""

    sound: int = 0
    kept: int = 0
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    options = _options()
    runner = Runner()
    totals = {way: Score() for way in ("lakebook", NAMES_ONLY, EVERY_CALL)}
    cases = needed = 0
    print(
        f"{'cases':<18}{'counted':>9}{'slices':>8}{'sound':>7}{'minimal':>9}{'exceptions':>12}{'kept':>6}{'marked':>8}"
    )
    for name in options.names or names():
        collection = load(name)
        scores = {way: Score() for way in totals}
        minimal = sum(not case.surplus(case.slice()) for case in collection.cases)
        marked = sum(_marked(case) for case in collection.cases)
        for case in collection.cases:
            _score(case, runner, scores)
        own = scores["lakebook"]
        print(
            f"{name:<18}{collection.counted_cases():>9}{len(collection.cases):>8}{own.sound:>7}{minimal:>9}"
            f"{sum(bool(case.exception) for case in collection.cases):>12}{own.kept:>6}{marked:>8}"
        )
        cases += len(collection.cases)
        needed += marked
        for way, score in scores.items():
            totals[way].sound += score.sound
            totals[way].kept += score.kept
            totals[way].wrong += score.wrong
        if options.exhaustive:
            _print_minimum(collection.cases, runner)
    print(f"\n{'way':<20}{'sound':>12}{'kept before the target':>24}{'of the marked':>15}")
    for way, score in totals.items():
        share = f"{score.sound}/{cases} = {score.sound / cases:.1%}"
        print(f"{way:<20}{share:>20}{score.kept:>16}{score.kept / needed:>15.2f}")
    for label in totals["lakebook"].wrong:
        print(f"differs: {label}")
    runner.close()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score slices of small programs.")
    parser.add_argument("names", nargs="*", help="files of cases; all of them if none is named")
    parser.add_argument("--exhaustive", action="store_true", help="search the smallest right slices")
    return parser.parse_args()


def _marked(case: Case) -> int:
    """Return how many top-level statements a case marks as needed."""
    lines = {(one.cell, one.line) for one in case.program().statements}
    decorated = {
        (one.cell, item.lineno): (one.cell, one.line)
        for one in case.program().statements
        for item in getattr(one.node, "decorator_list", [])
    }
    return len({decorated.get(line, line) for line in case.needed} & lines)


def _score(case: Case, runner: Runner, scores: dict[str, Score]) -> None:
    whole = runner.shown(case.whole(), case.files, tolerant=case.fails)
    target = len(case.cells)
    cells = [*enumerate(clean(cell).code for cell in case.cells), (target, f"display({case.target})")]
    for way, score in scores.items():
        if way == "lakebook":
            kept = case.slice()
        else:
            kept = analyze([*upstream(cells, target, way), cells[-1]]).statements
        right = runner.shown(kept, case.files, tolerant=case.fails) == whole
        score.sound += right
        score.kept += sum(one.cell != target for one in kept)
        if not right:
            score.wrong.append(f"{case.name}")


def _print_minimum(cases: Sequence[Case], runner: Runner) -> None:
    """Compare the slices with the smallest right sets of whole statements."""
    kept = smallest = searched = as_small = 0
    for case in cases:
        found = _smallest(case, runner)
        if found is None:
            continue
        own = sum(one.cell < len(case.cells) for one in case.slice())
        searched, kept, smallest = searched + 1, kept + own, smallest + found
        as_small += own == found
        if own > found:
            print(f"  {own} > {found}: {case.name}")
    print(
        f"  smallest searched of {searched}: {as_small} as small, {kept} statements kept of {smallest} needed"
    )


def _smallest(case: Case, runner: Runner) -> int | None:
    """Return the size of the smallest right slice, None if there are too many statements to try."""
    statements = case.whole()
    before = [one for one in statements if one.cell < len(case.cells)]
    if len(before) > _MOST_STATEMENTS:
        return None
    whole = runner.shown(statements, case.files, tolerant=case.fails)
    for size in range(len(before) + 1):
        for chosen in itertools.combinations(before, size):
            if runner.shown([*chosen, statements[-1]], case.files, tolerant=case.fails) == whole:
                return size
    return None


if __name__ == "__main__":
    sys.exit(main())
