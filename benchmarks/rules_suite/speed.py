"""How much does checking a query cost? CPU seconds beside the query alone, since machines are shared.

Small tables: every right query of a lake is run twice through the runtime; the second time all evidence is
known, and what is left beyond the plain query is parsing, binding, rules and the record. A large table: each
query meets a fresh runtime, so that every probe is made; beside it stands the query alone.
"""

from __future__ import annotations

import statistics
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from rules_suite import lakes
from rules_suite.suite import open_lake, pairs, runtime

_LARGE = Path(__file__).with_name("speed.toml")


@dataclass(frozen=True)
class Cost:
    """CPU milliseconds of one query alone, and of what checking it adds; the same by the clock.

    On small tables what it adds is counted against a runtime without validation, which also makes a record.
    """

    sql: str
    alone: float
    added: float
    alone_wall: float
    added_wall: float

    @property
    def bound(self) -> float:
        """What checking may cost: 1.5 times the query, or 50 ms."""
        return max(1.5 * self.alone, 50.0)


def small(folder: Path, seed: int) -> list[Cost]:
    """Measure with evidence known, on a small lake."""
    lake = lakes.make("open", seed, 1)[0]
    lakes.write(lake, folder / "files")
    source_map, _ = open_lake(folder / "files", folder / "state")
    costs = []
    with (
        runtime(source_map, folder / "state") as made,
        runtime(source_map, folder / "state", validation=False) as unchecked,
    ):
        for pair in pairs(lake):
            made.query(pair.right)
            alone, whole = _least(unchecked.query, pair.right), _least(made.query, pair.right)
            costs.append(_cost(pair.right, alone, whole))
    return costs


def large(folder: Path, rows: int) -> tuple[list[Cost], float]:
    """Measure with every probe made, on a table of so many rows; also the CPU seconds of its profile."""
    with _LARGE.open("rb") as file:
        given = tomllib.load(file)
    (folder / "files").mkdir(parents=True)
    for name, sql in given["tables"].items():
        with duckdb.connect() as connection:
            made_of = connection.sql(sql, params={"rows": rows} if "$rows" in sql else None)
            made_of.write_parquet(str(folder / "files" / f"{name}.parquet"))
    started = time.process_time()
    source_map, files = open_lake(folder / "files", folder / "state")
    profile = time.process_time() - started
    costs = []
    with _plain(files) as plain:
        for sql in (*given["queries"]["right"], *given["queries"]["wrong"]):
            alone = _least(plain, sql)
            with runtime(source_map, folder / "state") as made:
                made.query("SELECT 1 AS opened")
                whole = _timed(lambda: made.query(sql))  # noqa: B023 - called at once
            costs.append(_cost(sql, alone, whole))
    return costs, profile


class _plain:  # noqa: N801 - used as a function
    """Plain DuckDB over the same files, as views, as the runtime has them."""

    def __init__(self, files: dict[str, Path]) -> None:
        self._connection = duckdb.connect()
        for name, path in files.items():
            self._connection.from_parquet(str(path)).create_view(name)

    def __call__(self, sql: str) -> object:
        return self._connection.execute(sql).fetchall()

    def __enter__(self) -> _plain:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def _timed(run: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    return 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)


def _least(run: Callable[[str], object], sql: str, times: int = 3) -> tuple[float, float]:
    found = [_timed(lambda: run(sql)) for _ in range(times)]
    return min(cpu for cpu, _ in found), min(wall for _, wall in found)


def _cost(sql: str, alone: tuple[float, float], whole: tuple[float, float]) -> Cost:
    return Cost(sql, alone[0], max(0.0, whole[0] - alone[0]), alone[1], max(0.0, whole[1] - alone[1]))


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """Return median and 95th percentile."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
