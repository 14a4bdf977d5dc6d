"""Reasons name what the table lacks, and the nearest that it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lakebook.analyst.table import Table
from lakebook.enhancement.rerun import enhance
from lakebook.notebooks.component import Component

HEAD = "import pandas as pd\nimport matplotlib.pyplot as plt\ndf = pd.read_csv('a.csv')\n"


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        (
            "df['Volume sold'].hist()",
            "failed",
            "column `Volume sold` is missing; nearest: `total_volume` (0.",
        ),
        ("df['Discount'].hist()", "failed", "column `Discount` is missing"),
        ("df['Discount'].hist()", "failed", "(KeyError)"),
        ("df[df['type'] == 'steel']['AveragePrice'].plot()", "dropped", "`type` has no 'steel'"),
        ("1 / 0", "failed", "ZeroDivisionError: division by zero"),
        ("x = {}\ny = x['nowhere']", "failed", "`nowhere` is missing"),
        ("x = {}\ny = x['no' + 'where']", "failed", "KeyError: 'nowhere'"),
    ],
)
def test_reasons(
    code: str,
    status: str,
    said: str,
    table: Table,
    session: Any,
    make_component: Callable[..., Component],
    make_retrieved: Callable[..., Any],
) -> None:
    component = make_component(HEAD + code, ("AveragePrice", "type"))
    (done,) = enhance([make_retrieved(component)], {component.id: component}, table, session)
    assert done.status == status
    assert said in done.error
