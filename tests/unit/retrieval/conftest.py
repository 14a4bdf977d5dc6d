"""Builders for tables and components of a few columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.notebooks.component import Component, Corpus, MarkdownChunk

TableMaker = Callable[..., Table]
ComponentMaker = Callable[..., Component]


@pytest.fixture
def make_table() -> TableMaker:
    def make(*columns: str | TableColumn) -> Table:
        made = [
            column if isinstance(column, TableColumn) else TableColumn(column, "number", "flow", 0, 9)
            for column in columns
        ]
        return Table("a.csv", "a.csv", "", "0" * 64, 10, 10, tuple(made), "")

    return make


@pytest.fixture
def make_component() -> ComponentMaker:
    def make(
        columns: tuple[str, ...],
        charts: tuple[str, ...] = ("line",),
        *,
        notebook: str = "a.ipynb",
        cell: int = 1,
        code: str = "",
        **more: Any,
    ) -> Component:
        text = code or f"import pandas as pd\ndf = pd.read_csv('a.csv')\ndf[{list(columns)!r}].plot()"
        return Component(
            id=more.pop("id", f"{notebook}-{cell}"),
            notebook=notebook,
            cell=cell,
            cell_id="",
            target_cells=(cell,),
            upstream_cells=(),
            code=text,
            target_code=more.pop("target_code", text.splitlines()[-1]),
            columns=columns,
            chart_types=charts,
            **more,
        )

    return make


@pytest.fixture
def corpus(make_component: ComponentMaker) -> Corpus:
    """Three notebooks: two on an older avocado table, one on something else."""
    components = (
        make_component(("AveragePrice", "Date"), notebook="one.ipynb", cell=3, heading="Price over time"),
        make_component(("AveragePrice", "region"), ("bar",), notebook="one.ipynb", cell=5),
        make_component(("AveragePrice", "Date", "type"), notebook="one.ipynb", cell=7),
        make_component(("AveragePrice", "Date"), notebook="two.ipynb", cell=2),
        make_component(("Total Volume", "4046"), ("scatter",), notebook="two.ipynb", cell=4),
        make_component(("AveragePrice",), (), notebook="two.ipynb", cell=6),
        make_component(("Survived", "Pclass", "Fare", "region"), ("bar",), notebook="ship.ipynb", cell=1),
        make_component(("region",), ("count",), notebook="ship.ipynb", cell=2),
    )
    chunks = (
        MarkdownChunk("m1", "one.ipynb", 2, "Prices peak in autumn, organic avocados cost more."),
        MarkdownChunk("m2", "ship.ipynb", 0, "Women and children first."),
    )
    return Corpus((), components, chunks)


@pytest.fixture
def avocados(make_table: TableMaker) -> Table:
    return make_table(
        TableColumn("date", "datetime", "time", 0, 169),
        "average_price",
        "total_volume",
        TableColumn(
            "type", "text", "dim", 0, 2, levels=(("conventional", 5), ("organic", 5)), levels_complete=True
        ),
        "year",
        TableColumn("geography", "text", "geo", 0, 54),
    )
