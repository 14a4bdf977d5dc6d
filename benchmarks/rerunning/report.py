"""What the benchmark prints: for each stratum and half, how many cells are right, and both kinds of error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from oracle.report import wilson

from rerunning.cases import OWN
from rerunning.verdicts import RIGHT, Outcome, Verdict

_REFUSALS: tuple[Outcome, ...] = ("dropped", "refused", "failed", "no component", "fails again")
_CLASSES = 15


def print_part(
    part: str, verdicts: Sequence[Verdict], same_columns: frozenset[str], *, classes: bool
) -> None:
    """Print one half.

    Args:
        part: `look` or `unseen`.
        verdicts: those of this half.
        same_columns: names of the vintages whose columns are those of the old one.
        classes: also print what fails and why.
    """
    notebooks = len({one.case for one in verdicts})
    families = len({one.family for one in verdicts})
    print(f"\n{part}: {len(verdicts)} plot cells of {notebooks} cases, {families} datasets")
    strata = {
        "own data": [one for one in verdicts if one.stratum == OWN and not one.documentation],
        "own data, documentation": [one for one in verdicts if one.stratum == OWN and one.documentation],
        "vintage, other columns": [
            one for one in verdicts if one.stratum != OWN and one.stratum not in same_columns
        ],
        "vintage, same columns": [one for one in verdicts if one.stratum in same_columns],
    }
    for name, listed in strata.items():
        if listed:
            _print_stratum(name, listed)
    if classes:
        _print_classes(verdicts)


def _print_stratum(name: str, verdicts: Sequence[Verdict]) -> None:
    asked = [one for one in verdicts if one.judged_by != "gone"]
    gone = [one for one in verdicts if one.judged_by == "gone"]
    counts = Counter(one.outcome for one in asked)
    right = sum(one.outcome in RIGHT for one in asked)
    poor = counts["rightly dropped"]
    whole = [one for one in asked if one.judged_by == "oracle" and one.outcome != "rightly dropped"]
    print(f"  {name}: {len(asked)} cells of {len({one.case for one in asked})} cases")
    print(
        f"    right kind of figure {_share(right, len(asked) - poor)}; counting the rightly dropped as wrong"
    )
    print(f"      {_share(right, len(asked))}, as right {_share(right + poor, len(asked))}")
    print(f"    same data too {_share(sum(one.outcome == 'figure' for one in whole), len(whole))}")
    refused = ", ".join(f"{counts[kind]} {kind}" for kind in _REFUSALS)
    print(f"    right figures not delivered: {sum(counts[kind] for kind in _REFUSALS)} ({refused})")
    absent = sum(_lacks_module(one) for one in asked)
    if absent:
        able = [one for one in asked if not _lacks_module(one) and one.outcome != "rightly dropped"]
        print(f"    {absent} of those need a module that is not installed; without them right kind")
        print(f"      {_share(sum(one.outcome in RIGHT for one in able), len(able))}")
    delivered = right + counts["other kind"]
    print(f"    wrong figures delivered: {_share(counts['other kind'], delivered)}; rightly dropped {poor}")
    for words, number in (
        ("plain run, going on after errors: cell ran", sum(one.naive_ran for one in asked)),
        ("plain run, going on after errors: right kind", sum(one.naive for one in asked)),
        ("plain run, stopping at the first error: right kind", sum(one.naive_first for one in asked)),
    ):
        print(f"    {words} {_share(number, len(asked))}")
    if gone:
        delivered = sum(one.outcome in RIGHT or one.outcome == "other kind" for one in gone)
        print(f"    data gone: {len(gone)} cells, {delivered} of them delivered all the same")


def _print_classes(verdicts: Iterable[Verdict]) -> None:
    bad = [
        one for one in verdicts if one.outcome not in RIGHT | {"rightly dropped"} and one.judged_by != "gone"
    ]
    found = Counter((one.outcome, _class(one.reason)) for one in bad)
    notebooks = {
        key: len({one.case for one in bad if (one.outcome, _class(one.reason)) == key}) for key in found
    }
    print("  what is not right: cells, notebooks, outcome, reason")
    for key, number in found.most_common(_CLASSES):
        print(f"    {number:4} {notebooks[key]:3}  {key[0]}: {key[1]}")


def _lacks_module(verdict: Verdict) -> bool:
    """Tell whether a cell was not delivered because something that it imports is not installed."""
    return (
        verdict.outcome in _REFUSALS
        and re.search(r"not installed|No module named", verdict.reason) is not None
    )


def _class(reason: str) -> str:
    """Return a reason without its names and numbers."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]", "'…'", reason)
    text = re.sub(r"(have|does not have|not installed|more than one file \(?)[:(]?.*", r"\1 …", text)
    return re.sub(r"\d+(\.\d+)?", "N", text)[:90]


def _share(successes: int, trials: int) -> str:
    low, high = wilson(successes, trials)
    return f"{successes} of {trials} = {successes / max(1, trials):.1%} ({low:.1%} to {high:.1%})"
