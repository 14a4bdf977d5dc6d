"""How many components of public notebooks draw the right kind of figure when the product runs them again?

Two questions. Own data: notebooks whose data lie in their repository (or, for a well-known data set, in
another one). Another vintage: the same, on a newer or older file with other rows and mostly other column
names (`labels/vintages.toml`, written by hand before the first run). Truth is what the notebook draws with
packages of its time, on its own data or on the new rows under the old names; see `rerunning/verdicts.py`. The
product is asked as a user would, by `lakebook rerun`, with all of its repairs; what its code then draws is
compared. Beside it stands a plain run of the notebook with today's packages, on the same data, going on after
errors or stopping at the first.

    python benchmarks/enhancement.py CORPUS --work DIR --packages DIR [--shared DIR ...] [--product TREE]
        [--part look] [--seconds 60] [--minutes 60] [--cases FILE] [--faults FILE --code DIR]

CORPUS holds one folder for each repository, with notebooks and the data that they read; --shared names more
folders with data; --packages is the site-packages of an older environment for the same Python. Two halves
share no data set: `look` may be studied (`--faults` lists what is not right, with the code), `unseen` is only
scored. Code of others runs only in the sandbox. Runs are kept in --work, and are not made again. --minutes
ends a run between two cases, and how many were run is printed. --cases is a file with the name of a case (its
folder in --work) on each line: only those are run, in that order.

Printed are both kinds of error: right figures that are not delivered (dropped, refused, failed), and wrong
figures that are. A figure is dropped rightly if its truth is nothing to show a reader (one value, or more
than 30 categories); such cells are left out of the first share, and counted either way in the others. A cell
whose data are gone in the new vintage is counted apart.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from oracle.corpus import PARTS, find_sources
from oracle.runs import Bench
from rerunning.cases import OWN, Case, Files, own_cases, read_vintages, vintage_cases
from rerunning.product import DRAWN_DRIVER, Drawing, Product
from rerunning.repairs import print_precision
from rerunning.report import print_part
from rerunning.verdicts import RIGHT, Judge, Verdict, code_file

from lakebook.errors import LakebookError
from lakebook.sandbox.choose import choose_sandbox

_ALL = 1_000_000


def main() -> int:
    options = _options()
    try:
        sandbox = choose_sandbox("auto")
    except LakebookError as error:
        print(error, file=sys.stderr)
        return 1
    parts = PARTS if options.part == "all" else (options.part,)
    cases = _wanted([case for case in _cases(options) if case.part in parts], options.cases)
    driver = DRAWN_DRIVER.read_text(encoding="utf-8")
    folders = [options.work / "cases"]
    once = Bench(sandbox, folders, options.packages, driver=driver)
    now = Bench(sandbox, folders, None, driver=driver)
    drawing = Drawing(sandbox, folders[0], options.work, options.seconds)
    product = Product(options.product, options.work, options.seconds)
    judge = Judge(once, now, product, drawing, options.limit)
    verdicts: list[Verdict] = []
    end = time.perf_counter() + 60 * options.minutes
    tried: list[Case] = []
    for case in cases:
        started = time.perf_counter()
        if started > end:
            break
        found = judge.judge(case)
        tried.append(case)
        verdicts += found
        if options.json:
            options.json.write_text(json.dumps([asdict(one) for one in verdicts], indent=1), encoding="utf-8")
        if case.part == "look":
            _note(found, case, options)
        print(
            f"{time.perf_counter() - started:6.1f} s {case.folder.name}: {len(found)} cells",
            file=sys.stderr,
            flush=True,
        )
    for opened in (once, now, drawing):
        opened.close()
    _print_corpus(tried, len(cases), verdicts)
    same_columns = frozenset(vintage.name for vintage in read_vintages() if not vintage.renamed)
    for part in parts:
        listed = [one for one in verdicts if one.part == part]
        print_part(part, listed, same_columns, classes=part == "look" or options.classes)
    print_precision()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score what is drawn when old notebooks are run again.")
    parser.add_argument("corpus", type=Path, help="folder of repositories")
    parser.add_argument("--work", type=Path, required=True, help="folder where cases and results are kept")
    parser.add_argument("--shared", type=Path, nargs="*", default=[], help="more folders with data files")
    parser.add_argument("--packages", type=Path, help="site-packages of an older environment, same Python")
    parser.add_argument("--product", type=Path, default=Path(__file__).parents[1], help="tree of the product")
    parser.add_argument("--part", choices=(*PARTS, "all"), default="look")
    parser.add_argument("--notebooks", type=int, default=60, help="notebooks with their own data")
    parser.add_argument("--limit", type=int, default=12, help="most cells of one notebook that are judged")
    parser.add_argument("--seconds", type=float, default=20.0, help="bound for one component")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no case after so many")
    parser.add_argument("--cases", type=Path, help="file with the names of the only cases to run, in order")
    parser.add_argument("--faults", type=Path, help="write here what is not right in the part `look`")
    parser.add_argument("--code", type=Path, help="folder for the code of those")
    parser.add_argument("--classes", action="store_true", help="print what fails in the unseen part too")
    parser.add_argument("--json", type=Path, help="also write everything here, after each case")
    options = parser.parse_args()
    if options.faults and not options.code:
        parser.error("--faults needs --code")
    return options


def _cases(options: argparse.Namespace) -> list[Case]:
    """Lay out all cases; their order is that of a hash, so that any first few are a sample."""
    sources = find_sources(options.corpus, options.shared, per_dataset=_ALL)
    files = Files(options.corpus, options.shared)
    root = options.work / "cases"
    places = [options.corpus, *options.shared, *(folder.parent for folder in options.shared)]
    cases = list(vintage_cases(sources, files, root, read_vintages(), places))
    cases += own_cases(sources, files, root, notebooks=options.notebooks)
    return sorted(cases, key=lambda case: hashlib.sha256(case.folder.name.encode()).digest())


def _wanted(cases: Sequence[Case], file: Path | None) -> list[Case]:
    """Return the cases that a file names, in its order; all of them without a file."""
    if file is None:
        return list(cases)
    named = {case.folder.name: case for case in cases}
    wanted = [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    unknown = [name for name in wanted if name not in named]
    if unknown:
        sys.exit(f"{file}: no such case in the chosen part: {', '.join(unknown)}")
    return [named[name] for name in wanted]


def _note(verdicts: Sequence[Verdict], case: Case, options: argparse.Namespace) -> None:
    """Append what is not right to the file of faults, with the code beside it."""
    if not options.faults:
        return
    options.code.mkdir(parents=True, exist_ok=True)
    with options.faults.open("a", encoding="utf-8") as file:
        for one in verdicts:
            if one.outcome in RIGHT | {"rightly dropped"} or one.judged_by == "gone":
                continue
            line = {
                "notebook": str(case.source.path),
                "cell": one.cell,
                "vintage": one.stratum,
                "outcome": one.outcome,
                "why": one.reason,
                "expected": one.expected,
                "code": str(code_file(options.code, one)),
                "case": str(case.folder),
                "table": case.table,
            }
            file.write(json.dumps(line) + "\n")


def _print_corpus(cases: Sequence[Case], chosen: int, verdicts: Sequence[Verdict]) -> None:
    giving = {one.case for one in verdicts}
    used = [case for case in cases if case.folder.name in giving]
    print("repository: cases with plot cells")
    for name, number in Counter(case.source.repository for case in used).most_common():
        print(f"  {name}: {number}")
    own = sum(case.stratum == OWN for case in used)
    print(f"{own} notebooks with their own data, {len(used) - own} with another vintage")
    print(f"{len(cases)} of {chosen} cases run; {len(cases) - len(used)} of them have no cell to judge")


if __name__ == "__main__":
    sys.exit(main())
