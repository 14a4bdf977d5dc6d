"""The offline analyst: what it makes of the structure that the plays find.

What belongs here: the order in which the structure plays run, the structure read from their facts, and the
code that prepares the analysis frame. Which sections follow is decided in `planner`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import listed, quoted
from lakebook.analyst.play import Candidate, Cells, Facts, Play
from lakebook.analyst.plays.cells import Dependencies, ListCells, MixedUnits
from lakebook.analyst.plays.structure import Calendar, Overview
from lakebook.analyst.plays.trust import AdditiveIdentities, StaleStamps, TotalMembers, WeightOfRatio
from lakebook.analyst.table import Structure, Table, TimeStep

Seen = Mapping[str, Any]
Observed = tuple[Candidate, Facts]
Run = Callable[[Candidate, Cells], Facts | None]

# Each phase needs what the phases before it found: a weight is proved by a total, a panel by the key.
STRUCTURE_PHASES: tuple[tuple[Play, ...], ...] = (
    (Overview(), Calendar(), Dependencies(), MixedUnits(), ListCells(), AdditiveIdentities()),
    (TotalMembers(), StaleStamps()),
    (WeightOfRatio(),),
)


def find_structure(table: Table, intent: Intent, run: Run) -> tuple[Table, tuple[Observed, ...]]:
    """Run the structure plays in the order in which they need each other.

    Args:
        table: the table as the card shows it.
        intent: what is wanted; it only decides which of many columns are looked at first.
        run: executes a play's code on `df` in the sandbox; None if the code failed.

    Returns:
        The table with its structure, and every candidate with its facts.
    """
    observed: list[Observed] = []
    for phase in STRUCTURE_PHASES:
        for play in phase:
            for candidate in play.propose(table, intent).candidates:
                facts = run(candidate, play.compute(candidate, table))
                if facts is not None:
                    observed.append((candidate, facts))
        table = table.with_structure(structure_from_facts(table, observed))
    return table, tuple(observed)


def structure_from_facts(table: Table, observed: Iterable[Observed]) -> Structure:
    """Read the structure out of what the structure plays found."""
    found: dict[str, list[tuple[Candidate, Seen]]] = {}
    for candidate, facts in observed:
        found.setdefault(candidate.play, []).append((candidate, facts))
    fields: dict[str, Any] = {}
    for candidate, seen in found.get("S02", []):
        fields |= _calendar_fields(candidate, seen)
    for _, seen in found.get("S01", []):
        fields |= _grain_fields(table, seen, str(fields.get("time", "")))
    fields["totals"] = tuple(
        (c.columns[0], tuple(s["totals"])) for c, s in found.get("S04", []) if s["totals"]
    )
    fields["parts"] = tuple(
        (c.columns[0], tuple(s["level"]))
        for c, s in found.get("S04", [])
        if s["totals"] and (s["covers_all"] or not s["others"])
    )
    fields["weights"] = tuple((c.columns[0], s["weight"]) for c, s in found.get("S06", []) if s["weight"])
    fields["stale"] = tuple(str(stamp[0]) for _, s in found.get("S08", []) for stamp in s["stamps"])
    fields["lists"] = tuple(
        (c.columns[0], str(c.params["separator"]))
        for c, s in found.get("S11", [])
        if s["top"] and s["share_of_lists"] >= 0.05
    )
    fields["units"] = tuple(c.columns[0] for c, s in found.get("S10", []) if len(s["units"]) > 1)
    for _, seen in found.get("S09", []):
        fields["determined"] = tuple((str(a), str(b)) for a, b, *_ in seen["pairs"])
        fields["policies"] = tuple((str(a), str(b), str(c)) for (a, b), c, _ in seen["policies"])
    for _, seen in found.get("S05", []):
        fields["identities"] = tuple(
            (str(i["column"]), f" {i['sign']} ".join(i["parts"])) for i in seen["found"]
        )
    return Structure(**fields)


def _calendar_fields(candidate: Candidate, seen: Seen) -> dict[str, Any]:
    return {
        "time": candidate.columns[0],
        "time_step": cast(TimeStep, seen["step"]),
        "period_complete": tuple(seen.get("complete_years", ())),
        "partial_periods": tuple(
            f"{y}: covers {n} of {t} {u}" for y, n, t, u in seen.get("partial_years", ())
        ),
        "gaps": tuple((str(gap[0]), str(gap[1])) for gap in seen["gaps"]),
        "off_grid": tuple(seen.get("off_grid", ())),
    }


def _grain_fields(table: Table, seen: Seen, time: str) -> dict[str, Any]:
    grain = seen["grain"]
    key = tuple(str(name) for name in grain["key"] or grain["key_without_copies"])
    means = f"one row is one combination of {listed(key)}" if len(key) > 1 else ""
    if len(key) == 1:
        means = f"one row is one {quoted(key[0])}"
    dims = {c.name for c in table.having("dim", "geo", "dim_high", "boolean", "code", "ordinal")}
    others = tuple(name for name in key if name != time)
    panel = bool(time in key and others and set(others) <= dims)
    ids = {c.name for c in table.having("key", "code", "time")}
    return {
        "key": key,
        "row_means": means,
        "entities": others if panel else (),
        "coarse_key": str(grain["coarse"]),
        "duplicates": int(grain["copies"]),
        # Two equal lines of one receipt can be genuine; two equal weeks of one shop, or ids, cannot.
        "copies_dropped": bool(grain["key_without_copies"]) and (panel or (len(key) == 1 and key[0] in ids)),
    }


def prepare_code(table: Table) -> str:
    """Write the notebook's cell that makes `base`, the frame that the sections compute on, from `df`."""
    structure = table.structure
    kept = dict(structure.parts)
    steps: list[str] = []
    for dimension, totals in structure.totals:
        if dimension in kept:
            steps += [
                f"# {dimension}: {_said(totals)} repeats what other members hold, and further members cut "
                f"the same",
                "# whole once more. Those that add up to it exactly are kept, so that everything is "
                "counted once.",
                f"base = base[base[{dimension!r}].astype(str).isin({list(kept[dimension])!r})]",
            ]
        else:
            steps += [
                f"# {dimension}: {_said(totals)} repeats what other members hold and would be counted twice.",
                f"base = base[~base[{dimension!r}].astype(str).isin({list(totals)!r})]",
            ]
    if structure.stale:
        steps += [
            "# These dates repeat the values of the date before: they are copies, not observations.",
            f"base = base[~base[{structure.time!r}].isin(pd.to_datetime({list(structure.stale)!r}))]",
        ]
    if structure.copies_dropped:
        steps += [
            f"# Exact copies of rows break the key ({', '.join(structure.key)}): one of each is kept.",
            "base = base.drop_duplicates()",
        ]
    if not steps:
        return "# Nothing has to be left out: every row counts once.\nbase = df\n"
    count = 'print(f"{len(base):,} of {len(df):,} rows are kept for the analysis.")'
    return "\n".join(["base = df", *steps, "base = base.reset_index(drop=True)", count]) + "\n"


def _said(names: Sequence[str]) -> str:
    # A comment must stay on its line, whatever a value holds.
    return " ".join(listed(names, 3, quote=False).split())
