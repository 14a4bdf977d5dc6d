"""What the oracle prints: for each part, how right and how small the components are, and what failed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from oracle.corpus import Source, count_reasons
from oracle.judge import LAKEBOOK, WAYS, Verdict
from oracle.minimum import Minimum


@dataclass(slots=True)
class Outcome:
    """What was found about one notebook."""

    source: Source
    problem: str = ""
    verdicts: list[Verdict] = field(default_factory=list)
    unstable: int = 0
    minimum: Minimum | None = None


def wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share (Wilson 1927)."""
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return (middle - spread) / scale, (middle + spread) / scale


def print_sources(sources: Sequence[Source], outcomes: Iterable[Outcome]) -> None:
    """Print, for each repository, its notebooks: tried, with targets, left out and why."""
    giving = Counter(one.source.repository for one in outcomes if one.verdicts)
    print("repository: notebooks tried, with targets; left out")
    for repository, reasons in sorted(count_reasons(sources).items()):
        left_out = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common() if reason)
        print(f"  {repository}: {reasons['']}, {giving[repository]}; {left_out}")


def print_part(part: str, outcomes: Sequence[Outcome], *, failures: bool) -> None:
    """Print the scores of one part of the corpus."""
    scored = [one for one in outcomes if one.verdicts]
    targets = [verdict for one in scored for verdict in one.verdicts if verdict.way == LAKEBOOK]
    libraries = Counter(verdict.library for verdict in targets)
    ran = sum(not one.problem for one in outcomes)
    print(f"\n{part}: {len(outcomes)} notebooks tried, {ran} ran, {len(scored)} gave targets")
    print(
        f"  datasets {len({one.source.dataset for one in scored})}; targets {len(targets)}: {dict(libraries)}"
    )
    print(f"  left out as not deterministic: {sum(one.unstable for one in outcomes)}")
    print(
        f"  {'way':<20}{'runs':>7}{'data':>7}{'of':>6}{'share':>8}{'95 %':>16}"
        f"{'picture':>9}{'kept':>7}{'prefix':>8}"
    )
    for way in WAYS:
        _print_way(way, [verdict for one in scored for verdict in one.verdicts if verdict.way == way])
    _print_minima(outcomes)
    if failures:
        for one in scored:
            for verdict in one.verdicts:
                if verdict.way == LAKEBOOK and not verdict.data:
                    print(f"  differs: {one.source.path} cell {verdict.cell}: {verdict.reason}")


def _print_way(way: str, verdicts: Sequence[Verdict]) -> None:
    number = len(verdicts)
    right = sum(one.data for one in verdicts)
    low, high = wilson(right, number)
    kept, before = sum(one.kept for one in verdicts), sum(one.before for one in verdicts)
    print(
        f"  {way:<20}{sum(one.runs for one in verdicts):>7}{right:>7}{number:>6}"
        f"{right / max(1, number):>8.1%}"
        f"{f'{low:.1%} to {high:.1%}':>16}{sum(one.picture for one in verdicts):>9}{kept:>7}"
        f"{kept / max(1, before):>8.1%}"
    )


def _print_minima(outcomes: Sequence[Outcome]) -> None:
    found = [one.minimum for one in outcomes if one.minimum]
    if found:
        kept, least = sum(one.kept for one in found), sum(one.minimum for one in found)
        exact = sum(one.kept == one.minimum for one in found)
        cut_short = sum(not one.complete for one in found)
        print(
            f"  smallest code for {len(found)} targets: {least} statements before them, kept {kept},"
            f" {kept / max(1, least):.2f} times; {exact} already smallest, {cut_short} cut short"
        )
