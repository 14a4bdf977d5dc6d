"""Retrieval on a benchmark lake in KramaBench's layout: recall by file and group, plain BM25 beside it.

Usage: python benchmarks/retrieval.py PATH [--state DIR] [--json]

PATH holds `workload/<domain>.json` (tasks with `id`, `query`, `data_sources`) and `data/<domain>/input/`.
Printed are, for each domain's own lake and for one lake of all of them:

- R@k: share of a task's files among the first k; cap@k: the same over min(k, files of the task), since an
  answer may need more than k files; G@k: share of its groups among the first k groups; MRR.
- the tuning half (archeology, biomedical, even ids of the rest) and the unseen half apart.
- plain BM25 over path and first lines in the same run, over the same groups.
- the time of a question in ms of CPU, after loading.

Groups are those of `lakebook.exploration.partition`, for both methods: G@k compares within a run.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import re
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lakebook.exploration.index import SourceIndex
from lakebook.exploration.kept import open_index
from lakebook.exploration.ranking import rank, read_question
from lakebook.sources.card import SourceMap
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan

WHOLE_IN_TUNING = ("archeology", "biomedical")
MEASURES = ("R@1", "R@5", "R@10", "R@20", "cap@5", "cap@10", "G@1", "G@3", "G@5", "MRR")
_FIRST_LINES = 4
_LETTERS = 1_500
_SHEET_LETTERS = 8_000
_STOP_WORDS = """
    the of in a an and to for is are was what which how many by from on with as at it that this be or its
    please all each if not your you answer round calculate average number
"""
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Task:
    """A question and the files that its answer needs, by number of card in the lake."""

    id: str
    domain: str
    query: str
    gold: frozenset[int]

    @property
    def is_tuning(self) -> bool:
        """Whether weights may be set on it."""
        return self.domain in WHOLE_IN_TUNING or int(self.id.rpartition("-")[2]) % 2 == 0


@dataclass(frozen=True, slots=True)
class Lake:
    """One lake: its map, where its files stand, its index and its tasks."""

    name: str
    source_map: SourceMap
    roots: tuple[Path, ...]
    index: SourceIndex
    tasks: tuple[Task, ...]


Scores = dict[str, float]
Method = Callable[[Lake, str], list[int]]


def main() -> int:
    """Measure both methods on every lake and print the tables."""
    parser = argparse.ArgumentParser(description="Retrieval on a benchmark lake.")
    parser.add_argument("path", type=Path)
    parser.add_argument("--state", type=Path, help="where cards and indexes are kept (default: nowhere)")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        state = arguments.state or Path(temporary)
        lakes = load_lakes(arguments.path, state)
        report = {"own": measure(lakes), "mixed": measure([mix(lakes, state)])}
    if arguments.json:
        print(json.dumps(report, indent=1))
        return 0
    for name, title in (("own", "each domain's own lake"), ("mixed", "one lake of all domains")):
        print_report(title, report[name])
    return 0


def load_lakes(path: Path, state: Path) -> list[Lake]:
    """Profile and index every domain. Tasks none of whose files are there are left out, with a note."""
    lakes = []
    for folder in sorted((path / "data").glob("*/input")):
        domain = folder.parent.name
        workload = path / "workload" / f"{domain}.json"
        if not workload.exists():
            continue
        started = time.process_time()
        source_map = profile_lake(folder, scan(folder), state)
        profiled = time.process_time()
        index = open_index(source_map, state)
        seconds = f"{profiled - started:.1f} s to profile, {time.process_time() - profiled:.1f} s to index"
        paths = [card.path for card in source_map.cards]
        tasks = []
        for raw in json.loads(workload.read_text(encoding="utf-8")):
            gold = resolve(raw["data_sources"], paths)
            if gold:
                tasks.append(Task(raw["id"], domain, raw["query"], gold))
            else:
                print(f"{raw['id']}: none of its files is there", file=sys.stderr)
        print(f"{domain}: {len(paths):,} files, {len(tasks)} tasks; {seconds} (CPU)", file=sys.stderr)
        lakes.append(Lake(domain, source_map, (folder,) * len(paths), index, tuple(tasks)))
    return lakes


def mix(lakes: Sequence[Lake], state: Path) -> Lake:
    """Make one lake of all domains. Paths do not name the domain, which would give it away."""
    cards = [card for lake in lakes for card in lake.source_map.cards]
    groups = tuple(
        replace(group, id=f"{lake.name}: {group.id}") for lake in lakes for group in lake.source_map.groups
    )
    source_map = SourceMap(tuple(cards), groups)
    tasks, offset = [], 0
    for lake in lakes:
        for task in lake.tasks:
            tasks.append(replace(task, gold=frozenset(number + offset for number in task.gold)))
        offset += len(lake.source_map.cards)
    roots = tuple(root for lake in lakes for root in lake.roots)
    return Lake("mixed", source_map, roots, open_index(source_map, state), tuple(tasks))


def resolve(sources: Iterable[str], paths: Sequence[str]) -> frozenset[int]:
    """Return the files that a task names: as path, folder or pattern, in any case, at any depth."""
    found: set[int] = set()
    for source in sources:
        wanted = re.sub(r"^all csv in ", "", source.strip().removeprefix("./").lower())
        exact = {number for number, path in enumerate(paths) if path.lower() == wanted}
        found |= exact or {number for number, path in enumerate(paths) if _fits(path.lower(), wanted)}
    return frozenset(found)


def _fits(path: str, wanted: str) -> bool:
    folder = wanted.rstrip("/") + "/"
    return (
        fnmatch.fnmatchcase(f"/{path}", f"*/{wanted}")
        or path.startswith(folder)
        or (wanted.endswith("/") and f"/{folder}" in f"/{path}")
    )


def lakebook_ranking(lake: Lake, query: str) -> list[int]:
    """Rank files as `lakebook search` does."""
    return [file for file, _ in rank(lake.index, read_question(lake.index, query)).files]


def with_the_rest(ranked: Sequence[int], files: int) -> list[int]:
    """Put the files that hold no word of the question behind, by path: a reader would see them last."""
    return list(dict.fromkeys((*ranked, *range(files))))


class PlainBm25:
    """Okapi BM25 over whole texts, k1 1.5 and b 0.75: what stands beside the index."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for number, text in enumerate(texts):
            counts = Counter(_plain_tokens(text))
            lengths.append(counts.total())
            for token, count in counts.items():
                self._postings[token].append((number, count))
        self._norms = 1.5 * (0.25 + 0.75 * np.array(lengths) / max(np.mean(lengths), 1e-9))

    def rank(self, question: str) -> list[int]:
        """Return the texts that hold a word of the question, best first."""
        scores: dict[int, float] = defaultdict(float)
        for token, worth in Counter(_plain_tokens(question)).items():
            posted = self._postings.get(token, ())
            rarity = math.log1p((len(self._norms) - len(posted) + 0.5) / (len(posted) + 0.5))
            for number, count in posted:
                scores[number] += worth * rarity * count * 2.5 / (count + self._norms[number])
        return sorted(scores, key=lambda number: (-scores[number], number))


def plain_ranking(lakes: Sequence[Lake]) -> Method:
    """Return plain BM25 over path and first lines of each file."""
    indexes = {
        lake.name: PlainBm25(
            f"{card.path} {_first_lines(root / card.path)}"
            for card, root in zip(lake.source_map.cards, lake.roots, strict=True)
        )
        for lake in lakes
    }
    return lambda lake, query: indexes[lake.name].rank(query)


def _plain_tokens(text: str) -> list[str]:
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    words = [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word and word not in _STOP]
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]


def _first_lines(path: Path) -> str:
    if path.suffix.lower() in (".xlsx", ".xlsm") and path.stat().st_size:
        import openpyxl

        parts: list[str] = []
        for sheet in openpyxl.load_workbook(path, read_only=True, data_only=True):
            rows = sheet.iter_rows(values_only=True, max_row=_FIRST_LINES)
            parts += [sheet.title, *(str(cell) for row in rows for cell in row if cell is not None)]
        return " ".join(parts)[:_SHEET_LETTERS]
    with path.open("rb") as stream:
        text = stream.read(_LETTERS).decode("utf-8", errors="replace")
    return " ".join(text.split("\n")[:_FIRST_LINES])


def measure(lakes: Sequence[Lake]) -> dict[str, dict[str, Scores]]:
    """Return the mean measures of both methods by set of tasks, and the time of a question."""
    report: dict[str, dict[str, Scores]] = {}
    for name, method in (("plain BM25", plain_ranking(lakes)), ("lakebook", lakebook_ranking)):
        sets: dict[str, list[Scores]] = defaultdict(list)
        milliseconds: list[float] = []
        for lake in lakes:
            for task in lake.tasks:
                started = time.process_time()
                ranked = method(lake, task.query)
                milliseconds.append((time.process_time() - started) * 1_000)
                scores = judge(with_the_rest(ranked, len(lake.index.files)), task.gold, lake.index)
                for which in ("all", "tuning" if task.is_tuning else "unseen", task.domain):
                    sets[which].append(scores)
        report[name] = {which: _mean(scores) for which, scores in sets.items()}
        report[name]["time"] = {
            "median": statistics.median(milliseconds),
            "p95": float(np.percentile(milliseconds, 95)),
        }
    return report


def _mean(scores: Sequence[Scores]) -> Scores:
    return {"n": len(scores)} | {name: statistics.fmean(s[name] for s in scores) for name in MEASURES}


def judge(ranked: Sequence[int], gold: frozenset[int], index: SourceIndex) -> Scores:
    """Return the measures of one ranking."""
    scores: Scores = {}
    for k in (1, 5, 10, 20):
        hits = len(gold.intersection(ranked[:k]))
        scores[f"R@{k}"] = hits / len(gold)
        scores[f"cap@{k}"] = hits / min(k, len(gold))
    groups = list(dict.fromkeys(index.files[file].group for file in ranked))
    wanted = {index.files[file].group for file in gold}
    for k in (1, 3, 5):
        scores[f"G@{k}"] = len(wanted.intersection(groups[:k])) / len(wanted)
    first = next((place for place, file in enumerate(ranked, 1) if file in gold), 0)
    scores["MRR"] = 1 / first if first else 0.0
    return scores


def print_report(title: str, report: dict[str, dict[str, Scores]]) -> None:
    """Print one table: a row for each method and set of tasks."""
    print(f"\n{title}\n{'':24}{'n':>4} " + " ".join(f"{name:>6}" for name in MEASURES))
    domains = [name for name in report["lakebook"] if name not in ("all", "tuning", "unseen", "time")]
    for which in ("all", "tuning", "unseen", *domains):
        for method in report:
            scores = report[method].get(which)
            if scores is not None:
                cells = " ".join(f"{scores[name]:6.3f}" for name in MEASURES)
                print(f"{which:12.12}{method:12}{scores['n']:4.0f} {cells}")
    for method, sets in report.items():
        took = sets["time"]
        print(f"{method}: median {took['median']:.1f} ms, p95 {took['p95']:.1f} ms of CPU a question")


if __name__ == "__main__":
    sys.exit(main())
