"""Cautions about reused figures: a total beside its parts, sums of averages, rows that are read twice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.analyst.render import render_insight
from lakebook.analyst.table import Structure, Table
from lakebook.enhancement.cautions import caution_drafts
from lakebook.enhancement.drawn import axes_from, drawn_name
from lakebook.enhancement.enhanced import EnhancedComponent

HEAD = "def component_1_x(lake=df):\n    lake = lake.rename(columns={'average_price': 'Price'})\n"


@pytest.fixture
def planned(table: Table) -> Table:
    structure = Structure(
        totals=(("geography", ("All",)),),
        parts=(("geography", ("North", "South")),),
        weights=(("average_price", "total_volume"),),
    )
    return table.with_structure(structure)


def warned(table: Table, code: str = "", columns: tuple[str, ...] = ("geography",)) -> list[str]:
    drawn = json.loads(json.dumps(drawn_data()))
    done = EnhancedComponent(
        "c", "q", "ok", code=HEAD + code, function="component_1_x", drawn=axes_from(drawn), columns=columns
    )
    data = pd.DataFrame(
        {"geography": ["All", "North", "South", "All"], "average_price": 1.0, "total_volume": 2.0}
    )
    space: dict[str, Any] = {drawn_name(done.function): drawn, "np": np, "df": data}
    texts = []
    for draft in caution_drafts(done, table):
        assert draft.caution
        values = {claim.name: eval(claim.expression, dict(space)) for claim in draft.claims}
        texts.append(render_insight(draft, values)[0])
    return texts


def test_a_total_beside_its_parts(planned: Table) -> None:
    plt.barh(["All", "North", "South"], [3, 2, 1])
    assert warned(planned) == [
        "All is drawn beside its own parts: it is their sum, so its rank says nothing."
    ]


def test_a_total_among_lines(planned: Table) -> None:
    for name in ("North", "All"):
        plt.plot([1, 2], [1, 2], label=name)
    plt.legend()
    assert warned(planned)[0].startswith("All is drawn beside its own parts")


def test_parts_and_their_finer_cuts_overlap(planned: Table) -> None:
    geography = replace(planned.column("geography"), levels=(("North", 1), ("South", 1), ("Oslo", 1)))
    columns = tuple(geography if c.name == "geography" else c for c in planned.columns)
    plt.bar(["Oslo", "North"], [1, 2])
    assert warned(replace(planned, columns=columns))[0].startswith(
        "North and Oslo are cuts of the same whole"
    )


@pytest.mark.parametrize("names", [["North", "South"], ["All"], ["organic", "conventional"]])
def test_silence_where_nothing_is_counted_twice(names: list[str], planned: Table) -> None:
    plt.bar(names, range(1, len(names) + 1))
    assert warned(planned) == []


@pytest.mark.parametrize(
    "line",
    [
        "lake.groupby('geography')['Price'].sum()",
        "lake.groupby('geography').Price.sum()",
        "lake.groupby('geography').agg({'Price': 'sum'})",
        "lake.pivot_table(index='geography', values='Price', aggfunc='sum')",
    ],
)
def test_a_sum_of_averages(line: str, planned: Table) -> None:
    text = "The old code adds up average_price, an average or a rate: that sum grows with the rows."
    assert warned(planned, f"    {line}\n") == [text]
    assert warned(planned, f"    {line.replace('sum', 'mean')}\n") == []
    assert warned(planned, f"    {line.replace('Price', 'total_volume')}\n") == []


def test_code_that_reads_the_totals_along(planned: Table) -> None:
    line = "    lake.groupby('date')['Price'].mean().plot()\n"
    assert warned(planned, line, ("date", "average_price")) == [
        "The old code reads every row, 2 of All among them, which repeat what other rows hold; "
        "its means are not weighted by total_volume either."
    ]
    assert warned(planned, f"    lake = lake[lake.region == 'All']\n{line}", ("date", "average_price")) == []
    assert warned(planned.with_structure(Structure()), line, ("date", "average_price")) == []


def test_a_line_that_ends_in_a_year_cut_short(table: Table) -> None:
    cut = table.with_structure(Structure(partial_periods=("2021: covers 268 of 365 days",)))
    plt.plot([2018, 2019, 2020, 2021], [1, 2, 3, 2])
    assert warned(cut) == [
        "The data cover only a part of 2021: the end of the line cannot be set beside whole years."
    ]
    assert warned(table) == []
    plt.close("all")
    plt.plot([2017, 2018, 2019, 2020], [1, 2, 3, 2])
    assert warned(cut) == []


def test_a_bar_of_a_year_that_is_cut(table: Table) -> None:
    cut = table.with_structure(Structure(partial_periods=("2021: covers 268 of 365 days",)))
    plt.bar(["2020", "2021"], [2, 1])
    assert warned(cut) == [
        "The data cover only a part of 2021: its bar cannot be set beside those of whole years."
    ]
    plt.close("all")
    plt.bar(["2019", "2020"], [2, 1])
    assert warned(cut) == []
