"""The generated suite: right queries over planted lakes, their mutants, and what the runtime says of both."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

from lakebook.operators.record import Finding
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap
from lakebook.sources.map_lake import map_lake
from lakebook.sources.profile import table_file
from lakebook.sources.scan import scan
from rules_suite import lakes, styles
from rules_suite.baseline import caught
from rules_suite.kinds import KINDS
from rules_suite.lakes import Lake
from rules_suite.mutations import mutants
from rules_suite.oracle import Oracle
from rules_suite.score import Kind, Right

_QUERIES = Path(__file__).parent / "queries"
_OF_A_QUERY = 3  # mutants of its tree
_OF_A_KIND = 8  # of those, in one lake


@dataclass(frozen=True)
class Pair:
    """A right query, plain and in a style, and its wrong versions in that style as (kind, sql)."""

    ask: str
    plain: str
    right: str
    wrong: tuple[tuple[str, str], ...]


@dataclass
class Scores:
    """What became of all queries."""

    kinds: dict[str, Kind] = field(default_factory=lambda: {kind: Kind() for kind in KINDS})
    right: Right = field(default_factory=Right)
    lakes: int = 0


def templates(which: str) -> list[dict[str, Any]]:
    """Return the query templates, in order; those held out only with the blind vocabularies."""
    found: list[dict[str, Any]] = []
    for path in sorted(_QUERIES.glob("*.toml")):
        if path.stem == "held_out" and which != "blind":
            continue
        with path.open("rb") as file:
            found += tomllib.load(file)["query"]
    return found


def pairs(lake: Lake, share: float = 1.0) -> Iterator[Pair]:
    """Yield the pairs of a lake: templates in its words, and mutants of their trees drawn by its seed."""
    draw = random.Random(lake.seed)  # noqa: S311
    used: Counter[str] = Counter()
    for template in templates(lake.domain["set"]):
        if not set(template.get("needs", ())) <= lake.traits or draw.random() >= share:
            continue
        plain = Template(template["right"]).substitute(lake.words)
        style, form = draw.choice(styles.applying(plain)), draw.choice(styles.FORMS)
        right = styles.written(plain, style, form)
        written = [
            (one["kind"], styles.written(Template(one["sql"]).substitute(lake.words), style, form))
            for one in template.get("wrong", ())
        ]
        made = [
            (kind, styles.written(sql, styles.STYLES[0], form)) for kind, sql in mutants(right, lake, draw)
        ]
        yield Pair(template["ask"], plain, right, (*written, *_rarest(made, used)))


def _rarest(made: Sequence[tuple[str, str]], used: Counter[str]) -> list[tuple[str, str]]:
    """Choose mutants of the kinds that were chosen least so far, so that no kind stands for all."""
    rare = [one for one in made if used[one[0]] < _OF_A_KIND]
    chosen = sorted(rare, key=lambda one: used[one[0]])[:_OF_A_QUERY]
    used.update(kind for kind, _ in chosen)
    return chosen


def open_lake(folder: Path, state: Path) -> tuple[SourceMap, dict[str, Path]]:
    """Profile a folder of files: its source map, and where the loaded tables are."""
    source_map = map_lake(folder, scan(folder, state=state), state)
    return source_map, {unit.table: table_file(state, card, unit) for card, unit in source_map.tables()}


def runtime(source_map: SourceMap, state: Path, **given: Any) -> Runtime:
    """Return a runtime over a profiled folder; `given` are further arguments of it."""
    return Runtime(source_map, lambda card, unit: table_file(state, card, unit), **given)


def alarms(made: Runtime, sql: str) -> tuple[Finding, ...]:
    """Run a query and return what was found; a query that failed in the engine is a finding too."""
    record = made.query(sql, seconds=20.0).record
    found = tuple(record.findings)
    return (*found, Finding("engine", "reject", record.error)) if record.error else found


def score(which: str, seed: int, count: int, folder: Path, share: float = 1.0) -> Scores:
    """Run the suite over so many lakes of a set of vocabularies."""
    scores = Scores()
    for lake in lakes.make(which, seed, count):
        place, state = folder / lake.name / "files", folder / lake.name / "state"
        lakes.write(lake, place)
        source_map, files = open_lake(place, state)
        with runtime(source_map, state) as made, Oracle(files) as oracle:
            schema = _schema(source_map)
            for pair in pairs(lake, share):
                _score_pair(pair, lake, made, oracle, schema, scores)
        scores.lakes += 1
    return scores


def _schema(source_map: SourceMap) -> dict[str, dict[str, str]]:
    engine = {"integer": "bigint", "number": "double", "datetime": "timestamp", "text": "varchar"}
    return {
        unit.table: {column.name: engine.get(column.type, column.type) for column in unit.columns}
        for _, unit in source_map.tables()
    }


def _score_pair(
    pair: Pair, lake: Lake, made: Runtime, oracle: Oracle, schema: dict[str, dict[str, str]], scores: Scores
) -> None:
    right = scores.right
    problem = oracle.stands(pair.right)
    if not problem and oracle.judge(pair.plain, pair.right) != "same":
        problem = "the style changes the result"
    if problem:
        right.not_right[f"{pair.ask}: {problem}"] += 1
        return
    found = alarms(made, pair.right)
    spoken = _count_right(pair, lake, found, right)
    right.baseline += bool(caught(pair.right, schema, oracle.run(pair.right)))
    for kind, sql in pair.wrong:
        counted = scores.kinds[kind]
        truth = oracle.judge(pair.right, sql)
        if truth == "same":
            counted.same += 1
            continue
        counted.wrong += 1
        counted.baseline += bool(caught(sql, schema, oracle.run(sql)))
        heard = [one for one in alarms(made, sql) if one.action in ("reject", "advise")]
        new = {one.rule for one in heard} - spoken
        counted.rules.update(new)
        counted.caught += bool(new)
        counted.rejected += any(one.action == "reject" for one in heard if one.rule in new)
        counted.expected += bool(new & set(KINDS[kind]))
        if not new:
            counted.missed.append(f"[{lake.name}] ({truth}) {sql}\n      right: {pair.right}")


def _count_right(pair: Pair, lake: Lake, found: tuple[Finding, ...], right: Right) -> set[str]:
    """Count what was said of a right query, and return the rules that spoke."""
    spoken = {one.rule for one in found if one.action in ("reject", "advise")}
    right.queries += 1
    right.rejected += any(one.action == "reject" and one.rule != "engine" for one in found)
    right.failed += any(one.rule == "engine" for one in found)
    right.advised += any(one.action == "advise" for one in found)
    right.not_checked += any(one.action == "not_checked" for one in found)
    right.rules.update(f"{one.rule} {one.action}" for one in found)
    for one in found:
        if one.action != "not_checked":
            right.alarms.append(f"{one.rule} {one.action}: {one.message} [{lake.name}] {pair.right}")
    return spoken


def merged(counters: Counter[str]) -> str:
    """Return counts as text, the largest first."""
    return ", ".join(f"{name} {number}" for name, number in counters.most_common(6))
