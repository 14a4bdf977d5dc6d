"""How well old columns find their new names: precision and recall on labelled version pairs given by path.

Run: `python benchmarks/correspondence.py FOLDER [--valentine-python PYTHON]`. FOLDER holds the tables and
`labels.json`:

    {"pairs": [{
        "dataset": "avocado",                     # pairs of one dataset are in one half
        "half": "tune" or "unseen",               # weights and cuts are chosen on `tune` alone
        "old": "files/a.csv", "new": "files/b.csv",
        "true": {"AveragePrice": "average_price"},  # old name -> new name
        "unmatched": ["Standard Error"],          # old columns that must stay without a partner
        "optional": ["Cabin"]                     # old columns that are not scored: defensible either way
    }]}

Names are as the file has them; a column without a name is `Unnamed: n`. Every half is reported by itself,
over all columns and over the renamed ones, which differ by more than case and punctuation. Given an
interpreter that can import Valentine, its COMA stands beside it: a one-to-one assignment put over its
scores, its cut chosen on `tune`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.optimize import linear_sum_assignment

from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.match import Match, match
from lakebook.correspondence.names import letters
from lakebook.correspondence.profile import ColumnProfile, profiles_of_table, profiles_of_unit
from lakebook.correspondence.score import Known
from lakebook.sources.card import FileEntry, Manifest, SourceUnit
from lakebook.sources.profile import profile_lake, table_file
from lakebook.storage import hash_file

CUTS = (0.2, 0.3, 0.5, 0.7, 0.85, 0.95)
CUT = 0.5
Answers = Mapping[str, tuple[str, float]]  # old name -> (new name, score)


@dataclass(frozen=True)
class Side:
    """One table of a pair, as Lakebook loads it; `names` are those of the file."""

    path: str
    unit: SourceUnit
    table: pa.Table

    @property
    def names(self) -> list[str]:
        """Return the names of the loaded columns."""
        return [column.name for column in self.unit.columns]


@dataclass(frozen=True)
class Pair:
    """Two versions of a table, and what is true of their columns."""

    dataset: str
    half: str
    old: Side
    new: Side
    true: Mapping[str, str]
    unmatched: frozenset[str]
    optional: frozenset[str]


@dataclass(frozen=True)
class Score:
    """Counts over pairs; `named` counts the answers and truths whose names differ."""

    right: int = 0
    given: int = 0
    true: int = 0
    right_named: int = 0
    given_named: int = 0
    true_named: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, f) + getattr(other, f) for f in self.__dataclass_fields__))

    def line(self) -> str:
        """Return the shares as text."""

        def share(part: int, whole: int) -> str:
            return f"{part / whole:.3f}" if whole else "  -  "

        return (
            f"P {share(self.right, self.given)}  R {share(self.right, self.true)}   renamed: "
            f"P {share(self.right_named, self.given_named)}  R {share(self.right_named, self.true_named)}  "
            f"wrong {self.given - self.right} ({self.given_named - self.right_named} renamed)"
        )


def read_pairs(folder: Path, state: Path) -> list[Pair]:
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["pairs"]
    paths = sorted({entry[side] for entry in labels for side in ("old", "new")})
    files = [FileEntry(p, (folder / p).stat().st_size, hash_file(folder / p)) for p in paths]
    source_map = profile_lake(folder, Manifest(tuple(files)), state)
    sides = {}
    for card in source_map.cards:
        if not card.units:
            print(f"not read: {card.path}: {card.reason}")
            continue
        unit = card.units[0]
        sides[card.path] = Side(card.path, unit, pq.read_table(table_file(state, card, unit)))
    pairs = []
    for entry in labels:
        if entry["old"] not in sides or entry["new"] not in sides:
            continue
        old, new = sides[entry["old"]], sides[entry["new"]]
        pair = Pair(
            entry["dataset"],
            entry["half"],
            old,
            new,
            {loaded(old, a): loaded(new, b) for a, b in entry["true"].items()},
            frozenset(loaded(old, name) for name in entry["unmatched"]),
            frozenset(loaded(old, name) for name in entry["optional"]),
        )
        missing = [a for a, b in pair.true.items() if a not in old.names or b not in new.names]
        if missing:
            print(f"labels name columns that {pair.old.path} or {pair.new.path} does not have: {missing}")
        pairs.append(pair)
    return pairs


def loaded(side: Side, original: str) -> str:
    """Return the name under which a column of the file is loaded."""
    return next((c.name for c in side.unit.columns if original in (c.original_name, c.name)), original)


def mark(pair: Pair, answers: Answers, cut: float) -> Score:
    given = {old: new for old, (new, p) in answers.items() if p >= cut and old not in pair.optional}

    def renamed(old: str, new: str) -> bool:
        return letters(old) != letters(new)

    right = {old: new for old, new in given.items() if pair.true.get(old) == new}
    return Score(
        len(right),
        len(given),
        len(pair.true),
        sum(renamed(*p) for p in right.items()),
        sum(renamed(*p) for p in given.items()),
        sum(renamed(*p) for p in pair.true.items()),
    )


def by_letters(pair: Pair) -> Answers:
    places = {letters(name) or name: name for name in reversed(pair.new.names)}
    return {name: (places[key], 1.0) for name in pair.old.names if (key := letters(name) or name) in places}


def answers(old: Sequence[Known], new: Sequence[ColumnProfile]) -> Answers:
    found = match(old, new)
    every: Iterable[Match] = (*found.pairs, *found.asked, *found.refused)
    return {one.old: (one.new, one.probability) for one in every if one.new}


def names_only(pair: Pair) -> Answers:
    return answers([OldColumn(name) for name in pair.old.names], [ColumnProfile(n) for n in pair.new.names])


def from_outputs(pair: Pair) -> Answers:
    """The old table is gone; a saved `head()` and `describe()` are left of it."""
    profiles = {profile.name: profile for profile in profiles_of_table(pair.old.table)}
    head = pair.old.table.slice(0, 5)
    old = []
    for name in pair.old.names:
        shown = tuple(str(value) for value in head.column(name).to_pylist() if value is not None)
        quantiles = profiles[name].quantiles if profiles[name].kind == "number" else {}
        quartiles = tuple(quantiles[share] for share in (0.0, 0.25, 0.5, 0.75, 1.0)) if quantiles else ()
        old.append(OldColumn(name, "number" if quantiles else None, shown=shown, quartiles=quartiles))
    return answers(old, profiles_of_table(pair.new.table))


def from_card(pair: Pair) -> Answers:
    return answers(profiles_of_unit(pair.old.unit), profiles_of_table(pair.new.table))


def present(pair: Pair) -> Answers:
    return answers(profiles_of_table(pair.old.table), profiles_of_table(pair.new.table))


def other_rows(pair: Pair) -> Answers:
    """As `present`, but no row can be in both tables."""

    def every_second(table: pa.Table, first: int) -> pa.Table:
        return table.take(np.arange(first, table.num_rows, 2))

    old, new = every_second(pair.old.table, 1), every_second(pair.new.table, 0)
    return answers(profiles_of_table(old), profiles_of_table(new))


METHODS: Mapping[str, Callable[[Pair], Answers]] = {
    "equal apart from case and punctuation": by_letters,
    "old table absent, names only": names_only,
    "absent, saved head and describe": from_outputs,
    "absent, its card": from_card,
    "old table present, other rows": other_rows,
    "old table present": present,
}


def without_half(pair: Pair) -> Pair:
    """Return the pair with half of the true partners taken out of the new table."""
    gone = {new for number, new in enumerate(sorted(pair.true.values())) if number % 2 == 0}
    keep = [name for name in pair.new.names if name not in gone]
    columns = tuple(column for column in pair.new.unit.columns if column.name in set(keep))
    new = Side(pair.new.path, replace(pair.new.unit, columns=columns), pair.new.table.select(keep))
    true = {old: name for old, name in pair.true.items() if name not in gone}
    orphans = {old for old, name in pair.true.items() if name in gone}
    return Pair(pair.dataset, pair.half, pair.old, new, true, frozenset(orphans), pair.optional)


def refusal(pairs: Sequence[Pair], method: Callable[[Pair], Answers]) -> None:
    for half in ("tune", "unseen"):
        cases = [without_half(pair) for pair in pairs if pair.half == half]
        cases = [case for case in cases if case.new.names]
        found = [(case, method(case)) for case in cases]
        orphans = sum(len(case.unmatched) for case in cases)
        for cut in (CUT, 0.7):
            wrong = [
                f"{old}->{given[old][0]}"
                for case, given in found
                for old in sorted(case.unmatched)
                if old in given and given[old][1] >= cut
            ]
            share = len(wrong) / max(1, orphans)
            print(f"  {half:6s} cut {cut}: {len(wrong)} of {orphans} mapped ({share:.1%})  {wrong[:8]}")


RIVAL = """
import json, sys, time
import pandas as pd
import valentine.utils.utils as data
import valentine.algorithms.coma.similarity.tfidf as tfidf
from valentine import valentine_match
from valentine.algorithms import Coma
data.ensure_nltk_data = lambda: None
for module in list(sys.modules.values()):
    if getattr(module, "ensure_nltk_data", None) is not None:
        module.ensure_nltk_data = lambda: None
try:
    tfidf._english_stopwords()
except LookupError:  # without a network there is no list: the most common words do
    common = "a an and are as at by for from in is it of on or the to"
    tfidf._english_stopwords = lambda: frozenset(common.split())
for line in sys.stdin:
    job = json.loads(line)
    tables = [pd.read_csv(path, low_memory=False) for path in job["paths"]]
    tables = [t.sample(1000, random_state=0) if len(t) > 1000 else t for t in tables]
    for table, names in zip(tables, job["names"]):
        table.columns = names
    start = time.process_time()
    scores = []
    try:
        found = valentine_match(tables, Coma(use_instances=job["instances"]))
        for key, score in found.items():
            scores.append([key.source_column, key.target_column, float(score)])
    except Exception as error:
        print(repr(error)[:200], file=sys.stderr)
    print(json.dumps({"scores": scores, "seconds": time.process_time() - start}), flush=True)
"""


def coma(folder: Path, pairs: Sequence[Pair], python: str, instances: bool) -> list[Answers]:
    """Return what COMA answers, made one to one by the best assignment of its scores."""
    jobs = [
        json.dumps(
            {
                "paths": [str(folder / pair.old.path), str(folder / pair.new.path)],
                "names": [pair.old.names, pair.new.names],
                "instances": instances,
            }
        )
        for pair in pairs
    ]
    ran = subprocess.run(
        [python, "-c", RIVAL], input="\n".join(jobs), capture_output=True, text=True, check=False
    )
    results = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    if len(results) != len(pairs):
        print(f"COMA could not be run: {ran.stderr.strip()[-500:]}")
        return []
    print(f"  {sum(result['seconds'] for result in results):.1f} s CPU")
    found = []
    for pair, result in zip(pairs, results, strict=True):
        scores = {(a, b): score for a, b, score in result["scores"]}
        table = np.array([[scores.get((a, b), 0.0) for b in pair.new.names] for a in pair.old.names])
        rows, places = linear_sum_assignment(-table)
        found.append(
            {
                pair.old.names[i]: (pair.new.names[j], float(table[i, j]))
                for i, j in zip(rows, places, strict=True)
                if table[i, j] > 0
            }
        )
    return found


def total(pairs: Sequence[Pair], found: Sequence[Answers], half: str, cut: float) -> Score:
    marks = [mark(pair, one, cut) for pair, one in zip(pairs, found, strict=True) if pair.half == half]
    return sum(marks, start=Score())


def best_cut(pairs: Sequence[Pair], found: Sequence[Answers]) -> float:
    def f1(cut: float) -> float:
        score = total(pairs, found, "tune", cut)
        return 2 * score.right / max(1, score.given + score.true)

    return max((round(0.02 * step, 2) for step in range(50)), key=f1)


def show_wrong(pairs: Sequence[Pair], found: Sequence[Answers], cut: float) -> None:
    for pair, one in zip(pairs, found, strict=True):
        for old, (new, p) in sorted(one.items()):
            expected = pair.true.get(old, "-")
            if old not in pair.optional and (p >= cut) and expected != new:
                print(f"    wrong {p:.2f} {pair.dataset}: {old} -> {new} (should be {expected})")
            if old in pair.true and (p < cut or expected != new):
                print(f"    missed {pair.dataset}: {old} -> {expected} (answered {new}, {p:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--valentine-python", default="")
    parser.add_argument(
        "--wrong", action="store_true", help="list what was wrong or missed on the tuning half"
    )
    parser.add_argument("--state", type=Path, help="where loaded tables are kept for the next run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lakebook-") as state:
        pairs = read_pairs(options.folder, options.state or Path(state))
    for half in ("tune", "unseen"):
        of_half = [pair for pair in pairs if pair.half == half]
        columns = sum(len(pair.true) for pair in of_half)
        alone = sum(len(pair.unmatched) for pair in of_half)
        print(f"{half}: {len(of_half)} pairs, {columns} correspondences, {alone} columns without a partner")
    for name, method in METHODS.items():
        start = time.process_time()
        found = [method(pair) for pair in pairs]
        print(f"\n{name} ({(time.process_time() - start) / max(1, len(pairs)):.3f} s CPU a pair)")
        cuts = CUTS if name in ("old table present", "old table absent, names only") else (CUT,)
        for half in ("tune", "unseen"):
            for cut in cuts:
                print(f"  {half:6s} cut {cut:.2f}  {total(pairs, found, half, cut).line()}")
        if options.wrong:
            tune = [(p, f) for p, f in zip(pairs, found, strict=True) if p.half == "tune"]
            show_wrong([p for p, _ in tune], [f for _, f in tune], CUT)
    print("\nhalf of the true partners taken away: columns wrongly mapped")
    for name in ("old table present", "old table absent, names only"):
        print(f" {name}")
        refusal(pairs, METHODS[name])
    if options.valentine_python:
        for instances in (True, False):
            print(f"\nCOMA, {'names and values' if instances else 'names'}")
            found = coma(options.folder, pairs, options.valentine_python, instances)
            if found:
                cut = best_cut(pairs, found)
                for half in ("tune", "unseen"):
                    print(f"  {half:6s} cut {cut:.2f}  {total(pairs, found, half, cut).line()}")


if __name__ == "__main__":
    main()
