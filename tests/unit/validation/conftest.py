"""Rules are tried on what is known of a few invented tables; no data is read here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lakebook.operators.record import Finding
from lakebook.sources.card import Column, Coverage, ValueCount
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
