"""Units in labels against the units that the new data state."""

from __future__ import annotations

import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.rule import NO_FAULT
from lakebook.enhancement.repairs.units import FIXES
from lakebook.enhancement.script import Script
from lakebook.notebooks.component import Component

(UNITS,) = FIXES


def mended(code: str, *columns: tuple[str, str]) -> tuple[str, list[str]]:
    made = tuple(TableColumn(name, "number", "flow", 0, 99, "0", "9", unit=unit) for name, unit in columns)
    component = Component("c", "n", 0, "", (), (), code, code)
    adapted = Adapted(component, "f", Script.parse(code), "lake", {})
    found = UNITS.mend(adapted, NO_FAULT, Table("a", "a", "", "", 9, 9, made, ""))
    return (str(found.script), [r.evidence for r in found.repairs]) if found else (code, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("plt.plot(df.sales)\nplt.ylabel('Sales (USD)')", "plt.plot(df.sales)\nplt.ylabel('Sales (EUR)')"),
        ("plt.plot(df.sales)\nplt.title('Sales in $')", "plt.plot(df.sales)\nplt.title('Sales in EUR')"),
        ("df['sales'].plot(ylabel='Sales, £')", "df['sales'].plot(ylabel='Sales, EUR')"),
        (
            "ax.bar(df.sales)\nax.set(ylabel='Sales (dollars)')",
            "ax.bar(df.sales)\nax.set(ylabel='Sales (EUR)')",
        ),
    ],
)
def test_a_label_states_the_unit_of_the_data(before: str, after: str) -> None:
    code, evidence = mended(before, ("sales", "EUR"))
    assert code == after
    assert evidence[0].startswith("sales is in EUR, not in ")


@pytest.mark.parametrize(
    ("code", "columns"),
    [
        ("plt.plot(df.sales)\nplt.ylabel('Sales (USD)')", [("sales", "$")]),
        ("plt.plot(df.sales)\nplt.ylabel('Sales (USD)')", [("sales", "")]),
        ("plt.plot(df.sales)\nplt.ylabel('Sales (USD)')", [("sales", "kg")]),
        ("plt.plot(df.sales)\nplt.ylabel('Sales (USD)')", [("other", "EUR")]),
        ("plt.plot(df.sales, df.cost)\nplt.ylabel('Both (USD)')", [("sales", "EUR"), ("cost", "GBP")]),
        ("plt.plot(df.sales)\nplt.ylabel('Sales in pounds sterling or so')", [("sales", "kg")]),
        ("plt.plot(df.sales)\nx = 'Sales (USD)'", [("sales", "EUR")]),
        ("plt.plot(df.sales)\nplt.ylabel('Sales (in shops)')", [("sales", "EUR")]),
    ],
)
def test_what_the_data_do_not_contradict_stays(code: str, columns: list[tuple[str, str]]) -> None:
    assert mended(code, *columns) == (code, [])
