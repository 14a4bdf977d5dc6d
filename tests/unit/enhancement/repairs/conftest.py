"""A table whose columns have drifted in every way, and components on it as they look before a fix."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.rule import NO_FAULT, Fault, TableFix
from lakebook.enhancement.script import Script
from lakebook.notebooks.component import Component

Mend = Callable[..., tuple[str, tuple[Repair, ...]]]


def text(name: str, *levels: str, complete: bool = True, nulls: int = 0) -> TableColumn:
    """A text column, its levels by frequency."""
    counts = tuple((level, 10 * (len(levels) - place)) for place, level in enumerate(levels))
    return TableColumn(name, "text", "dim", nulls, len(levels), levels=counts, levels_complete=complete)


@pytest.fixture
def drifted() -> Table:
    years = tuple((str(year), 10) for year in range(2015, 2021))
    columns = (
        TableColumn("date", "datetime", "time", 0, 300, "2015-01-04", "2020-11-29"),
        TableColumn("price", "number", "ratio", 0, 200, "0.5", "3.2"),
        TableColumn("year", "integer", "ordinal", 0, 6, "2015", "2020", years, True),
        text("kind", "conventional", "organic"),
        text("geography", "Albany", "Total U.S.", "San José", "New York", nulls=3),
        text("sex", "M", "F"),
        text("cls", "3rd", "1st", "2nd"),
        text("alive", "no", "yes"),
        text("species", "Iris-setosa", "Iris-virginica", "Iris-versicolor"),
        text("show", "Movie", "TV Show"),
        text("size", "8 Seasons", "9 Seasons"),
        text("city", "Boston", "Denver", complete=False),
        TableColumn("survived", "integer", "ordinal", 0, 2, "0", "1", (("0", 6), ("1", 4)), True),
        text("cost", "$1,200.00", "$35.50", "$9.99"),
    )
    return Table("a.csv", "a.csv", "", "0" * 64, 300, 300, columns, "")


@pytest.fixture
def mend(drifted: Table) -> Mend:
    """Apply one fix to code; return the code and the new repairs (the code as it was if there is nothing)."""

    def run(fix: TableFix, code: str, fault: Fault = NO_FAULT) -> tuple[str, tuple[Repair, ...]]:
        component = Component("c1", "old.ipynb", 4, "", (4,), (), code, code)
        renames = {"geography": "region", "date": "Date", "price": "AveragePrice", "survived": "Survived"}
        adapted = Adapted(component, "component_1", Script.parse(code), "lake", renames)
        assert not fault.name or fix.answers(fault)
        mended = fix.mend(adapted, fault, drifted)
        return (str(mended.script), mended.repairs) if mended else (code, ())

    return run
