"""Whole tables that meet text columns, and rows or columns that are taken by their place."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.enhancement.repairs.rule import Fault
from lakebook.enhancement.repairs.whole_frame import FIXES

BY_KIND = {fix.kind: fix for fix in FIXES}
TEXT_MET = Fault("ValueError", "could not convert string to float: 'Albany'")
HEAD = "df = lake.copy()\n"


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("numbers_only", "sns.heatmap(df)", "sns.heatmap(df.select_dtypes('number'))"),
        (
            "numbers_only",
            "s = scaler.fit_transform(df)",
            "s = scaler.fit_transform(df.select_dtypes('number'))",
        ),
        (
            "numbers_only",
            "n = (df - df.mean()) / df.std()",
            "n = (df.select_dtypes('number') - df.select_dtypes('number').mean())"
            " / df.select_dtypes('number').std()",
        ),
        ("numbers_by_place", "df.iloc[:, 2:5].plot()", "df.iloc[:, 2:5].select_dtypes('number').plot()"),
    ],
)
def test_numbers_are_chosen_by_type(kind: str, before: str, after: str, mend: Any) -> None:
    code, repairs = mend(BY_KIND[kind], HEAD + before, TEXT_MET)
    assert code == HEAD + after
    assert all(repair.changes_meaning and repair.evidence for repair in repairs)


@pytest.mark.parametrize(
    "code", ["sns.heatmap(df['AveragePrice'])", "x = df['AveragePrice'] / 3", "plt.plot(df)"]
)
def test_single_columns_are_no_whole_table(code: str, mend: Any) -> None:
    assert mend(BY_KIND["numbers_only"], HEAD + code, TEXT_MET) == (HEAD + code, ())


@pytest.mark.parametrize(
    "line",
    [
        "df.iloc[5]",
        "df.iloc[:, 2:5]",
        "df.iloc[10:20]",
        "df.columns[3]",
        "df.drop([12, 30])",
        "df.iloc[[3, 4]]",
    ],
)
def test_places_inside_the_table_are_marked(line: str, mend: Any) -> None:
    code, repairs = mend(BY_KIND["doubtful_place"], f"{HEAD}x = {line}")
    assert code == f"{HEAD}x = {line}"
    assert [(r.kind, r.before, r.changes_meaning) for r in repairs] == [("doubtful_place", line, True)]


@pytest.mark.parametrize(
    "line",
    ["df.iloc[0]", "df.iloc[-1]", "df.iloc[:, :]", "df.head(10)", "df.drop(['sex'], axis=1)", "t.iloc[5]",
     "df.sort_values('p').iloc[5]", "df['p'].mode()[0]"],
)  # fmt: skip
def test_first_last_and_sorted_places_are_not(line: str, mend: Any) -> None:
    assert mend(BY_KIND["doubtful_place"], f"{HEAD}x = {line}") == (f"{HEAD}x = {line}", ())
