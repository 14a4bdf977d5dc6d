"""Years and dates outside the new data, moved to its own years by one rule."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.enhancement.repairs.years import FIXES

(YEARS,) = FIXES

# The data run from 2015-01-04 to 2020-11-29, so that 2019 is their last full year.
SHIFTED = [
    ("x = df[df.year == 2012]", "x = df[df.year == 2019]"),
    ("x = df[df['year'].isin([2011, 2012])]", "x = df[df['year'].isin([2018, 2019])]"),
    ("x = df[(df.year >= 2010) & (df.year <= 2012)]", "x = df[(df.year >= 2017) & (df.year <= 2019)]"),
    ("x = df[df.Date > '2022-01']", "x = df[df.Date > '2019-01']"),
    ("x = df[df['Date'] < pd.Timestamp('2014-06-30')]", "x = df[df['Date'] < pd.Timestamp('2019-06-30')]"),
    ("x = df[df['Date'].dt.year == 2023]", "x = df[df['Date'].dt.year == 2019]"),
    ("x = df[df['Date'].between('2012-02-29', '2013-01-01')]",
     "x = df[df['Date'].between('2018-02-28', '2019-01-01')]"),
    ("x = df.set_index('Date').loc['2012-01-01':'2012-12-31']",
     "x = df.set_index('Date').loc['2019-01-01':'2019-12-31']"),
    ("x = df.groupby('year').mean().loc[2012]", "x = df.groupby('year').mean().loc[2019]"),
    ("x = df.query('year == 2022')", "x = df.query('year == 2019')"),
    ("df['y'] = df['Date'].dt.year\na = df[df.y == 2012]",
     "df['y'] = df['Date'].dt.year\na = df[df.y == 2019]"),
    ("a = df[df.year == 2012]\nplt.title('Sales in 2012, 300 shops')",
     "a = df[df.year == 2019]\nplt.title('Sales in 2019, 300 shops')"),
    ("a = df[df.year == 2012]\nplt.plot(a, label='2012')",
     "a = df[df.year == 2019]\nplt.plot(a, label='2019')"),
    ("a = df[df.year == 2015]\nb = df[df.year == 2022]", "a = df[df.year == 2012]\nb = df[df.year == 2019]"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), SHIFTED[:-1])
def test_what_selects_nothing_moves_to_the_last_full_year(before: str, after: str, mend: Any) -> None:
    code, repairs = mend(YEARS, before)
    assert code == after
    assert all(repair.changes_meaning and "last full year" in repair.evidence for repair in repairs)


@pytest.mark.parametrize(
    "code",
    [
        "x = df[df.year == 2015]",
        "x = df[df.year >= 2016]",
        "x = df[df.year > 1999]",
        "x = df[df.Date >= '2019-06']",
        "x = df[df['Date'].dt.year == 2020]",
        "x = df[df.AveragePrice > 2030]",
        "x = df.head(2022)",
        "plt.title('2012')",
        "x = df[df.year != 2012]",
        "x = t.loc[2012]",
        "x = other[other.born == 2012]",
        SHIFTED[-1][0],  # one of two years would fall out of the data
    ],
)
def test_years_that_the_data_cover_stay(code: str, mend: Any) -> None:
    assert mend(YEARS, code) == (code, ())
