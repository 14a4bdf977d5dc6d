"""How often are the rules right? Right and wrong queries over planted lakes, and what the runtime says.

The generated suite draws lakes of seven tables in the words of several domains (`rules_suite/lakes.py`),
fills query templates, makes mutants of known kind, and lets an oracle (plain DuckDB) decide which are truly
wrong. Every query goes the public way, through `Runtime.query` over the source map of a folder of files.
Printed by kind of error: caught by any rule, by the rule meant for it, rejected before it ran, and caught by
a baseline that sees no data. Of right queries: false rejects, advice, what was not checked. The intervals are
Wilson's, 95 %.

    python benchmarks/rules.py [--seed N] [--lakes N] [--blind] [--report FILE] [--json FILE]
    python benchmarks/rules.py --speed [--rows N]

`--blind` takes other words and other seeds and prints totals only: nothing of it is to be looked at while
rules are written.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rules_suite import cases, speed
from rules_suite.kinds import KINDS, NEEDS_THE_QUESTION
from rules_suite.score import Kind, share
from rules_suite.suite import Scores, merged, score


def main() -> int:
    options = _options()
    if options.speed:
        _print_speed(options.seed, options.rows)
        return 0
    which, seed = ("blind", options.seed + 7_919) if options.blind else ("open", options.seed)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        written = [] if options.blind else cases.run(Path(folder) / "cases")
        _print_cases(written)
        scores = score(which, seed, options.lakes, Path(folder))
    print(
        f"{scores.lakes} lakes, words {which}, seed {options.seed}; {time.process_time() - started:.0f} s CPU"
    )
    _print_kinds(scores, totals_only=options.blind)
    _print_right(scores, totals_only=options.blind)
    if options.report and not options.blind:
        options.report.write_text(_report(scores, written))
    if options.json:
        options.json.write_text(json.dumps(_document(scores), indent=1))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score the validation rules on right and wrong queries.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lakes", type=int, default=16, help="how many lakes are drawn")
    parser.add_argument("--blind", action="store_true", help="other words and seeds, totals only")
    parser.add_argument("--speed", action="store_true", help="measure what checking costs instead")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the large table of --speed")
    parser.add_argument("--report", type=Path, help="write misses and false alarms here (not with --blind)")
    parser.add_argument("--json", type=Path, help="also write the counts here")
    return parser.parse_args()


def _print_cases(found: Sequence[cases.RuleCases]) -> None:
    if not found:
        return
    print(f"{'rule':<6}{'wrong':>7}{'caught':>8}{'by it':>7}{'right':>7}{'rejects':>9}{'advice':>8}")
    for one in found:
        print(
            f"{one.id:<6}{len(one.wrong):>7}{one.caught:>8}{one.by_it:>7}{len(one.right):>7}"
            f"{one.rejects:>9}{one.advice:>8}"
        )
    wrong, right = (sum(len(one.wrong) for one in found), sum(len(one.right) for one in found))
    print(f"\nhand-written cases of {len(found)} rules")
    print(f"  caught by any rule  {share(sum(one.caught for one in found), wrong)}")
    print(f"  by the rule itself  {share(sum(one.by_it for one in found), wrong)}")
    print(f"  false rejects       {share(sum(one.rejects for one in found), right)}")
    print(f"  false advice        {share(sum(one.advice for one in found), right)}\n")


def _total(scores: Scores) -> Kind:
    total = Kind()
    for name, kind in scores.kinds.items():
        if name in NEEDS_THE_QUESTION:
            continue
        total.wrong += kind.wrong
        total.same += kind.same
        total.caught += kind.caught
        total.rejected += kind.rejected
        total.expected += kind.expected
        total.baseline += kind.baseline
    return total


def _print_kinds(scores: Scores, *, totals_only: bool) -> None:
    print(
        f"\n{'kind of error':<34}{'wrong':>6}{'same':>6}{'caught':>8}{'meant':>7}{'reject':>8}{'base':>6}  by"
    )
    for name, kind in sorted(scores.kinds.items(), key=lambda one: one[1].caught / max(1, one[1].wrong)):
        by = "" if totals_only else merged(kind.rules)
        rates = "".join(
            f"{_rate(count, kind):>8}" for count in (kind.caught, kind.expected, kind.rejected, kind.baseline)
        )
        print(f"{name:<34}{kind.wrong:>6}{kind.same:>6}{rates}  {by}")
    total = _total(scores)
    print(f"\nwrong queries      {total.wrong} of {len(KINDS)} kinds ({total.same} mutants were not wrong)")
    print(f"  caught           {share(total.caught, total.wrong)}")
    print(f"  mean over kinds  {_mean_over_kinds(scores):.1f} %")
    print(f"  by the rule meant {share(total.expected, total.wrong)}")
    print(f"  rejected         {share(total.rejected, total.wrong)}")
    print(f"  by the baseline  {share(total.baseline, total.wrong)}")


def _mean_over_kinds(scores: Scores) -> float:
    rates = [
        100 * kind.caught / kind.wrong
        for name, kind in scores.kinds.items()
        if kind.wrong and name not in NEEDS_THE_QUESTION
    ]
    return sum(rates) / max(1, len(rates))


def _rate(found: int, kind: Kind) -> str:
    return f"{100 * found / kind.wrong:.0f}%" if kind.wrong else "–"


def _print_right(scores: Scores, *, totals_only: bool) -> None:
    right = scores.right
    print(f"right queries      {right.queries} ({sum(right.not_right.values())} templates did not stand)")
    print(f"  false rejects    {share(right.rejected, right.queries)}")
    print(f"  false advice     {share(right.advised, right.queries)}")
    print(f"  not checked      {share(right.not_checked, right.queries)}")
    print(f"  failed           {share(right.failed, right.queries)}")
    print(f"  baseline alarms  {share(right.baseline, right.queries)}")
    if not totals_only:
        print(f"  rules that spoke {merged(right.rules)}")
        for problem, number in right.not_right.most_common():
            print(f"  no right query: {number} x {problem[:150]}")


def _print_speed(seed: int, rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        costs = speed.small(Path(folder) / "small", seed)
        print(f"small tables, evidence known: {len(costs)} queries, ms")
        for title, values in (
            ("query without checks, CPU", [one.alone for one in costs]),
            ("added by checking, CPU", [one.added for one in costs]),
            ("added by checking, clock", [one.added_wall for one in costs]),
        ):
            print("  {:<26}median {:7.2f}   p95 {:7.2f}".format(title, *speed.quantiles(values)))
        costs, profile = speed.large(Path(folder) / "large", rows)
    print(f"\n{rows:,} rows, every probe made (profile of the lake before: {profile:.0f} s CPU); CPU ms")
    print(f"{'alone':>9}{'added':>9}{'bound':>9}  {'clock':>9}{'added':>9}")
    for one in costs:
        print(
            f"{one.alone:>9.0f}{one.added:>9.0f}{one.bound:>9.0f}{'  ' if one.added <= one.bound else ' !'}"
            f"{one.alone_wall:>9.0f}{one.added_wall:>9.0f}  {one.sql[:90]}"
        )
    kept = sum(one.added <= one.bound for one in costs)
    print(f"within the bound: {share(kept, len(costs))}")


def _report(scores: Scores, written: Sequence[cases.RuleCases]) -> str:
    told = [f"{one.id}: {line}" for one in written for line in one.told]
    false = [line for line in told if ": false alarm" in line]
    lines = ["FALSE ALARMS ON RIGHT QUERIES", *sorted(scores.right.alarms), *false, "", "MISSED, BY KIND"]
    for name, kind in sorted(scores.kinds.items(), key=lambda one: -len(one[1].missed)):
        if kind.missed:
            lines.append(f"\n## {name}: {len(kind.missed)} of {kind.wrong} missed (meant for {KINDS[name]})")
            lines += [f"  {one}" for one in kind.missed[:8]]
    lines += [
        "",
        "HAND-WRITTEN CASES THAT THE RULE ITSELF MISSED",
        *(line for line in told if line not in false),
    ]
    return "\n".join(lines) + "\n"


def _document(scores: Scores) -> dict[str, object]:
    kinds = {
        name: {
            "wrong": kind.wrong, "same": kind.same, "caught": kind.caught, "expected": kind.expected,
            "rejected": kind.rejected, "baseline": kind.baseline, "rules": dict(kind.rules),
        }
        for name, kind in scores.kinds.items()
    }  # fmt: skip
    right = scores.right
    return {
        "kinds": kinds,
        "right": {
            "queries": right.queries, "rejected": right.rejected, "advised": right.advised,
            "not_checked": right.not_checked, "failed": right.failed, "baseline": right.baseline,
        },
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
