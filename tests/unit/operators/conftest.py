"""A small lake of Parquet files with its cards, and a session that computes without a sandbox."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lakebook.operators.runtime import Runtime
from lakebook.sandbox.base import CellError, CellResult, Evaluation
from lakebook.sources.card import Column, RejectedRow, SourceCard, SourceMap, SourceUnit

TABLES = {
    "orders": "select i as id, 'c' || (i % 4) as customer, i % 5 as quantity, i * 1.5 as amount, "
    "case when i % 10 = 0 then null else 'north' end as region, date '2024-01-01' + i::integer as day "
    "from range(40) r(i)",
    "customers": "select 'c' || i as customer, "
    "case i when 0 then 'Oslo' when 1 then 'Rome' else 'Lima' end as city, "
    "100 * i as credit from range(4) r(i)",
    "prices": "select 'c' || (i % 4) as customer, i as price from range(8) r(i)",
    "words": "select 'word ' || i as word from range(3000) r(i)",
    "partly": "select 'Rome' as city from range(9)",
}


def card_of(name: str, file: Path) -> SourceCard:
    engine = {"VARCHAR": "text", "BIGINT": "integer", "DATE": "date", "INTEGER": "integer"}
    with duckdb.connect() as connection:
        table = connection.from_parquet(str(file))
        table.create_view("held")
        rows = len(table)
        columns = []
        for column, kind in zip(table.columns, table.types, strict=True):
            nulls, distinct = connection.execute(
                f'select count(*) - count("{column}"), count(distinct "{column}") from held'
            ).fetchone() or (0, 0)
            role = "identifier" if column == "id" else "category"
            columns.append(Column(column, column, engine.get(str(kind), "number"), role, nulls, distinct))  # type: ignore[arg-type]
    rejected = 2 if name == "partly" else 0
    unit = SourceUnit(
        "", "table", name, rows=rows, rows_in_file=rows + rejected, rows_rejected=rejected,
        columns=tuple(columns),
        rejected=(RejectedRow(3, "too many fields", "x"),) * rejected,
    )  # fmt: skip
    return SourceCard(
        f"{name}.csv", "partial" if rejected else "ok", "csv", 1, name.ljust(64, "0"), units=(unit,)
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("lake")
    with duckdb.connect() as connection:
        for name, sql in TABLES.items():
            connection.sql(sql).write_parquet(str(place / f"{name}.parquet"))
    return place


@pytest.fixture(scope="session")
def source_map(folder: Path) -> SourceMap:
    return SourceMap(tuple(card_of(name, folder / f"{name}.parquet") for name in TABLES))


def ticking() -> Callable[[], dt.datetime]:
    """A clock that moves on by one second at each look."""
    moments = iter(range(10_000))
    return lambda: dt.datetime(2025, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=next(moments))


class DirectSession:
    """Computes in this process, in a copy of its state for forked runs. For trusted test code only."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self.seconds: list[float | None] = []
        self.ended = ""

    def run(self, code: str, *, seconds: float | None = None, on_output: Any = None) -> CellResult:
        return _execute(code, self.state)

    @contextmanager
    def copied(self) -> Iterator[None]:
        before = dict(self.state)
        try:
            yield
        finally:
            self.state = before

    def restart(self) -> None:
        self.state.clear()
        self.ended = ""

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        self.seconds.append(seconds)
        state, done = dict(self.state), []
        for code in cells:
            done.append(_execute(code, state))
            if done[-1].error:
                return done, []
        return done, [_evaluate(expression, state) for expression in evaluate]

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        return [_evaluate(expression, self.state) for expression in expressions]

    def close(self) -> None:
        self.state.clear()

    def __enter__(self) -> DirectSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _execute(code: str, state: dict[str, Any]) -> CellResult:
    try:
        exec(code, state)
    except Exception as error:  # noqa: BLE001 - stands in for a sandboxed cell
        return CellResult((), CellError(type(error).__name__, str(error)), "error")
    return CellResult(())


def _evaluate(expression: str, state: dict[str, Any]) -> Evaluation:
    try:
        return Evaluation(expression, eval(expression, state))
    except Exception as error:  # noqa: BLE001
        return Evaluation(expression, error=f"{type(error).__name__}: {error}")


@pytest.fixture
def session() -> DirectSession:
    return DirectSession()


@pytest.fixture
def runtime(folder: Path, source_map: SourceMap, session: DirectSession) -> Iterator[Runtime]:
    files = lambda card, unit: folder / f"{unit.table}.parquet"  # noqa: E731
    with Runtime(source_map, files, session, ticking()) as made:
        yield made
