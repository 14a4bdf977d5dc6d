"""Rules are tried on what is known of a few invented tables; no data is read here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakebook.operators.record import Finding
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import Column, Coverage, SourceMap, ValueCount
from lakebook.sources.map_lake import map_lake
from lakebook.sources.profile import table_file
from lakebook.sources.scan import scan
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.registry import check
from lakebook.validation.statement import parse


def column(
    name: str, kind: str = "text", *, nulls: int = 0, role: str = "category", values: Any = ()
) -> Column:
    listed = tuple(ValueCount(value, 1) for value in values)
    low, high = (min(values), max(values)) if values else ("a", "z")
    return Column(
        name, name, kind, role, nulls, max(1, len(listed)), min=low, max=high, values=listed,
        values_complete=bool(values),
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.fixture
def knowledge() -> Knowledge:
    """flights and planes and airlines, as of invented cards."""
    known = Knowledge()
    known.learn_table(
        KnownTable(
            "flights",
            (
                column("carrier", values=("AA", "UA", "B6")),
                column("tailnum", nulls=7),
                column("origin", values=("EWR", "JFK", "LGA")),
                column("year", "integer", role="time"),
                column("flight", "integer", role="identifier"),
                column("distance", "number", role="measure"),
                column("dep_delay", "number", role="measure", nulls=3),
                column("Gate No", "integer"),
                column("day", "date", role="time"),
            ),
            1000,
            "flights.csv",
        )
    )
    known.learn_table(
        KnownTable(
            "planes",
            (
                column("tailnum", role="identifier"),
                column("year", "integer", role="time"),
                column("seats", "integer", role="measure"),
                column("maker", nulls=2),
                column("zip", "integer", role="geography"),
                column("lat", "number", role="geography"),
            ),
            50,
            "data/planes.csv",
        )
    )
    known.learn_table(
        KnownTable(
            "airlines", (column("carrier", values=("AA", "UA", "B6")), column("name")), 3, "airlines.csv"
        )
    )
    known.learn_table(KnownTable("one_row", (column("k", "integer"),), 1, "one.csv"))
    known.learn_table(
        KnownTable(
            "partly",
            (column("city", values=("Rome", "Oslo")),),
            10,
            "partly.csv",
            coverage=Coverage(False, "3 rows of the file could not be loaded"),
        )
    )
    return known


Checked = Callable[..., tuple[Finding, ...]]


@pytest.fixture
def found(knowledge: Knowledge) -> Checked:
    """Check a Query: the findings of one rule, or of all."""

    def run(sql: str, rule: str = "", stage: str = "before", **fields: Any) -> tuple[Finding, ...]:
        invocation = Invocation("Query", {"sql": sql}, parse(sql), **fields)
        findings = check(invocation, knowledge, stage)  # type: ignore[arg-type]
        return tuple(finding for finding in findings if not rule or finding.rule == rule)

    return run


SHOP_ROWS = 40


def _shop() -> str:
    """Forty orders with what goes wrong in real files: spellings, codes, numbers as text, times of day."""
    states, countries = ("MA", "NY", "ma", "Mass", "CA"), ("US", "AUSTRIA", "US", "RUSSIA")
    codes, notes = ("a_b", "axb", "50%", "500"), ("Fits a child", "Glove, left", "childhood", "Love it")
    lines = ["id,state,gender,country,code,note,level,price,zip,sold_at,day,year,discount,rate_pct"]
    for row in range(SHOP_ROWS):
        level = "top" if row == 17 else str(row + 1)
        price = ("1,200", "$15", "7.5", "12", "n/a*")[row % 5]
        day = f"2024-0{1 + row % 3}-{31 if row % 3 != 1 else 28}"
        lines.append(
            f"{row},{states[row % 5]},{('Male', 'Female')[row % 2]},{countries[row % 4]},{codes[row % 4]},"
            f'"{notes[row % 4]}",{level},"{price}",0{1000 + 37 * row},{day} '
            f"{8 + row % 9:02}:30:00,2024-0{1 + row // 14}-{1 + row % 14:02},{2022 + row % 3},"
            f"{row % 10 / 10},{row % 9 * 10 + 5}"
        )
    return "\n".join(lines) + "\n"


def _ledger() -> str:
    """A booking a week from January 2021 to September 2023."""
    days = (dt.date(2021, 1, 3) + dt.timedelta(weeks=week) for week in range(142))
    rows = "".join(f"{one},{one.year},{one.toordinal() % 90 + 1.5}\n" for one in days)
    return "booked,year,amount\n" + rows


FILES = {
    "ledger.csv": _ledger(),
    "shop.csv": _shop(),
    "marks.csv": "who,mark\na,1\nb,n/a\nc,-\nd,unknown\n",
    "regions.csv": "region,sales,people\nNorth,10,4\nSouth,20,5\nWest,30,6\nTotal,60,15\n",
    "sales_2021.csv": "shop,amount\na,1\nb,2\nc,3\n",
    "sales_2022.csv": "shop,amount\na,4\nb,5\nc,7\n",
    "sales_2023.csv": "shop,amount\na,6\nb,8\nc,9\n",
}


@pytest.fixture(scope="session")
def lake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("shop")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def lake_map(lake_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[SourceMap, Path]:
    state = tmp_path_factory.mktemp("state")
    return map_lake(lake_folder, scan(lake_folder), state), state


@pytest.fixture
def shop(lake_map: tuple[SourceMap, Path]) -> Iterator[Runtime]:
    """A runtime over real files with their real cards."""
    source_map, state = lake_map
    with Runtime(source_map, lambda card, unit: table_file(state, card, unit)) as runtime:
        yield runtime


@pytest.fixture
def said(shop: Runtime) -> Callable[[str, str], tuple[Finding, ...]]:
    """Run a query over the real files: what one rule says of it."""

    def run(sql: str, rule: str) -> tuple[Finding, ...]:
        record = shop.query(sql).record
        return tuple(finding for finding in record.findings if finding.rule == rule)

    return run
