"""Code is followed over a few invented tables; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from lakebook.operators.record import Finding
from lakebook.sources.card import Column, Coverage, ValueCount
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.question import read_question
from lakebook.validation.registry import check


def column(
    name: str,
    kind: str = "text",
    values: Any = (),
    *,
    distinct: int = 0,
    nulls: int = 0,
    role: str = "category",
) -> Column:
    counts = values if isinstance(values, dict) else dict.fromkeys(values, 10)
    listed = tuple(ValueCount(str(value), rows) for value, rows in counts.items())
    known = sorted(counts)
    return Column(
        name, name, kind, role, nulls, distinct or len(listed) or 90,
        min=str(known[0]) if known else None, max=str(known[-1]) if known else None,
        values=listed, values_complete=bool(listed),
    )  # type: ignore[arg-type]  # fmt: skip


def plain(name: str, columns: tuple[Column, ...], rows: int, **fields: Any) -> KnownTable:
    """Return a table that pandas reads as it is."""
    load = f'df = pd.read_csv(DATA_DIR / "{name}.csv")\n'
    return KnownTable(name, columns, rows, f"{name}.csv", rows_in_source=rows, load_code=load, **fields)


ORDERS = plain(
    "orders",
    (
        column("order_id", "integer", distinct=100, role="identifier"),
        column("customer_id", "integer", distinct=40, role="identifier"),
        column("region", values=("north", "south", "North-West"), nulls=4),
        column("status", values=("Male", "Female", "U.S.", "UxS")),
        column("paid", values=("True", "False")),
        column("amount", "number", distinct=95, role="measure", nulls=3),
        column("price", values=("1,200", "950", "N/A"), nulls=2),
        column("size", "integer", {1: 50, 2: 40, 3: 10}),
        column("day", "date", distinct=10, role="time"),
    ),
    100,
)
CUSTOMERS = plain(
    "customers",
    (
        column("customer_id", "integer", distinct=40, role="identifier"),
        column("name", distinct=40, role="identifier"),
        column("credit", "number", distinct=38, role="measure"),
        column("region", values=("north", "south"), nulls=2),
        column("code", distinct=40, role="identifier"),
    ),
    40,
)
VISITS = plain(
    "visits",
    (
        column("customer_id", "integer", distinct=30, role="identifier"),
        column("minutes", "number", distinct=50, role="measure"),
        column("amount", "number", distinct=50, role="measure"),
    ),
    200,
)
SETTINGS = plain("settings", (column("factor", "number", (2,), role="measure"),), 1)
PARTLY = plain(
    "partly",
    (column("city", values=("Rome", "Oslo")),),
    10,
    coverage=Coverage(False, "3 rows of the file could not be loaded"),
)


@pytest.fixture
def knowledge() -> Knowledge:
    known = Knowledge()
    for table in (ORDERS, CUSTOMERS, VISITS, SETTINGS, PARTLY):
        known.learn_table(table)
    return known


Found = Callable[..., list[Finding]]


@pytest.fixture
def found(knowledge: Knowledge) -> Found:
    """Check code with `orders`, `customers`, `visits` bound: the findings of one rule, or of all."""

    def run(
        code: str, rule: str = "", question: str = "", *, bound: bool = True, **fields: Any
    ) -> list[Finding]:
        frames = (
            {table.name: table for table in (ORDERS, CUSTOMERS, VISITS, SETTINGS, PARTLY)} if bound else {}
        )
        invocation = Invocation(
            "Compute",
            {"code": code},
            tree=ast.parse(code),
            frames=frames,
            question=read_question(question) if question else None,
            **fields,
        )
        findings = check(invocation, knowledge, "before")
        return [finding for finding in findings if not rule or finding.rule == rule]

    return run
