"""How precise are the repairs? A sample of each kind, labelled.

`labels/repairs.json` holds the verdicts as facts: repository, path, cell, kind of repair, part, and one of
`right` (without it the component fails or shows something else, with it what its author meant), `unneeded`
(the figure is the same without it) and `wrong`. `seen` says what a verdict rests on: `difference`, the lines
before and after only, mostly one judgement for all repairs of a kind, no figure looked at; or `figure`, the
component's code was read, and its figure looked at with the repair and without it. `choose` draws the sample:
of each kind the first few by a hash of the place, so that nobody chooses.
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
SEEN = {
    "figure": "with their code and figure",
    "difference": "from the lines before and after, by kind, without the figure",
}
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
    """Print, for each kind, how many of the labelled repairs are right, unneeded and wrong.

    Those of which the figure was seen stand apart from those of which only the lines before and after were.
    """
    labels = json.loads(file.read_text(encoding="utf-8"))
    for seen, words in SEEN.items():
        listed = [label for label in labels if label["seen"] == seen]
        if listed:
            _print_table(f"repairs labelled {words}", listed)


def _print_table(heading: str, labels: Iterable[Mapping[str, str]]) -> None:
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(("right", "unneeded", "wrong"), 0))
    for label in labels:
        counts[label["kind"]][label["verdict"]] += 1
        counts["all"][label["verdict"]] += 1
    print(f"\n{heading}\n  {'kind':<28}{'right':>6}{'unneeded':>9}{'wrong':>6}  not wrong, 95 %")
    for kind in sorted(counts, key=lambda name: (name == "all", name)):
        of = counts[kind]
        low, high = wilson(of["right"] + of["unneeded"], sum(of.values()))
        print(f"  {kind:<28}{of['right']:>6}{of['unneeded']:>9}{of['wrong']:>6}  {low:.0%} to {high:.0%}")
