"""How precise are the repairs? A sample, by kind, judged by hand with the code and the figure.

`labels/repairs.json` holds the verdicts as facts: repository, path, cell, kind of repair, part, and one of
`right` (without it the component fails or shows something else, with it what its author meant), `unneeded`
(the figure is the same without it) and `wrong`. `choose` draws the sample: of each kind the first few by a
hash of the place, so that nobody chooses.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from oracle.report import wilson

from rerunning.verdicts import Verdict

LABELS = Path(__file__).parents[1] / "labels" / "repairs.json"
_DELIVERED = frozenset({"figure", "kind", "other kind"})


def choose(verdicts: Iterable[Verdict], per_kind: int) -> list[tuple[Verdict, Mapping[str, Any]]]:
    """Return the repairs to judge: of delivered components, and at most so many of a kind."""
    found: dict[str, list[tuple[str, Verdict, Mapping[str, Any]]]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.outcome not in _DELIVERED:
            continue
        for kind, repair in {one["kind"]: one for one in verdict.repairs}.items():
            place = hashlib.sha256(f"{verdict.case}{verdict.cell}{kind}".encode()).hexdigest()
            found[kind].append((place, verdict, repair))
    return [
        (verdict, repair)
        for kind in sorted(found)
        for _, verdict, repair in sorted(found[kind], key=lambda one: one[0])[:per_kind]
    ]


def print_precision(file: Path = LABELS) -> None:
    """Print, for each kind, how many of the judged repairs are right, unneeded and wrong."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(("right", "unneeded", "wrong"), 0))
    for label in json.loads(file.read_text(encoding="utf-8")):
        counts[label["kind"]][label["verdict"]] += 1
        counts["all"][label["verdict"]] += 1
    print(f"\nrepairs judged by hand\n  {'kind':<28}{'right':>6}{'unneeded':>9}{'wrong':>6}  not wrong, 95 %")
    for kind in sorted(counts, key=lambda name: (name == "all", name)):
        of = counts[kind]
        low, high = wilson(of["right"] + of["unneeded"], sum(of.values()))
        print(f"  {kind:<28}{of['right']:>6}{of['unneeded']:>9}{of['wrong']:>6}  {low:.0%} to {high:.0%}")
