"""Category values that the new data spells otherwise."""

from __future__ import annotations

import pytest

from lakebook.analyst.table import Table
from lakebook.enhancement.literals import respell, spellings
from lakebook.enhancement.script import Script


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = df[df.region == 'TotalUS']", "x = df[df.region == 'Total U.S.']"),
        ("x = df[df.region != 'TotalUS']", "x = df[df.region != 'Total U.S.']"),
        ("x = df[df.region.isin(['TotalUS', 'Albany'])]", "x = df[df.region.isin(['Total U.S.', 'Albany'])]"),
        ("x = by['ORGANIC']", "x = by['organic']"),
        ("cities = ['TotalUS']", "cities = ['Total U.S.']"),
        ("for c in ['TotalUS']:\n    f(c)", "for c in ['Total U.S.']:\n    f(c)"),
        ("x = g.get_group('TotalUS')", "x = g.get_group('Total U.S.')"),
    ],
)
def test_respelled(before: str, after: str, table: Table) -> None:
    script, repairs = respell(Script.parse(before), table)
    assert str(script) == after
    assert [repair.kind for repair in repairs] == ["respelled_value"]


@pytest.mark.parametrize(
    "code",
    [
        "x = df[df.region == 'Total U.S.']",
        "x = df[df.region == 'Atlantis']",
        "plt.title('Organic')",
        "x = df['Date']",
        "x = df['AveragePrice']",
        "x = 3",
    ],
)
def test_left_alone(code: str, table: Table) -> None:
    assert (
        respell(Script.parse(code), table) == (Script.parse(code), [])
        or str(respell(Script.parse(code), table)[0]) == code
    )


def test_two_values_with_the_same_letters_are_not_guessed_between(table: Table) -> None:
    assert spellings(table) == {
        "conventional": "conventional",
        "organic": "organic",
        "albany": "Albany",
        "totalus": "Total U.S.",
    }
    first = table.columns[3]
    doubled = type(first)("size", "text", "dim", 0, 2, levels=(("x-large", 1), ("XLarge", 1)))
    wider = type(table)(**{name: getattr(table, name) for name in table.__slots__} | {"columns": (doubled,)})
    assert spellings(wider) == {}
