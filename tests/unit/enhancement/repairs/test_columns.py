"""Columns without a counterpart: derived, left out of a list, or named in the reason."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.columns import FIXES, missing_names, nearest_columns
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.enhancement.repairs.view import View
from lakebook.enhancement.script import Script
from lakebook.notebooks.component import Component

BY_KIND: dict[str, TableFix] = {fix.kind: fix for fix in FIXES if fix.fault}
SILENT_NAMES = next(fix for fix in FIXES if not fix.fault)


def key_error(*names: str) -> Fault:
    return Fault("KeyError", f"{list(names)} not in index" if len(names) > 1 else repr(names[0]))


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Month", "lake = lake.assign(**{'Month': lake['Date'].dt.month})"),
        ("order_quarter", "lake = lake.assign(**{'order_quarter': lake['Date'].dt.quarter})"),
        ("Weekday", "lake = lake.assign(**{'Weekday': lake['Date'].dt.day_name()})"),
        ("RowId", "lake = lake.assign(**{'RowId': range(1, len(lake) + 1)})"),
        ("Unnamed: 0", "lake = lake.assign(**{'Unnamed: 0': range(1, len(lake) + 1)})"),
    ],
)
def test_what_the_table_holds_in_another_form_is_made(name: str, made: str, mend: Any) -> None:
    code, repairs = mend(BY_KIND["derived_column"], f"df.groupby('sex')[{name!r}].count()", key_error(name))
    assert code.splitlines()[0] == made
    assert repairs[0].changes_meaning
    assert repairs[0].evidence


def test_month_names_are_made_where_the_code_knows_names(mend: Any) -> None:
    fault = key_error("Month")
    code, _ = mend(BY_KIND["derived_column"], "sns.boxplot(x='Month', data=df, order=['Jan', 'Feb'])", fault)
    assert ".dt.month_name()" in code


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Discount", "df['Discount'].hist()"),
        ("CustomerId", "df['CustomerId'].nunique()"),
        ("PassengerId", "df.drop_duplicates('PassengerId')"),
    ],
)
def test_what_is_nowhere_in_the_table_is_not_made(name: str, code: str, mend: Any) -> None:
    assert mend(BY_KIND["derived_column"], code, key_error(name)) == (code, ())


def test_a_date_is_put_together_from_its_parts() -> None:
    parts = [TableColumn(n, "integer", "ordinal", 0, 9, "1", "12") for n in ("sale_year", "sale_month")]
    table = Table("a", "a", "", "", 1, 1, tuple(parts), "")
    code = "df['SaleDate'].hist()"
    component = Component("c", "n", 0, "", (), (), code, code)
    adapted = Adapted(component, "f", Script.parse(code), "lake", {})
    mended = BY_KIND["derived_column"].mend(adapted, key_error("SaleDate"), table)
    assert mended is not None
    line = "pd.to_datetime({'year': lake['sale_year'], 'month': lake['sale_month'], 'day': 1})"
    assert line in str(mended.script)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("df[['AveragePrice', 'Tax', 'sex']].hist()", "df[['AveragePrice', 'sex']].hist()"),
        ("cols = ['AveragePrice', 'Tax']\ndf[cols].hist()", "cols = ['AveragePrice']\ndf[cols].hist()"),
        ("x = df.agg({'AveragePrice': 'mean', 'Tax': 'sum'})", "x = df.agg({'AveragePrice': 'mean'})"),
        ("df.melt(value_vars=['AveragePrice', 'Tax'])", "df.melt(value_vars=['AveragePrice'])"),
    ],
)
def test_the_rest_of_a_list_is_kept(before: str, after: str, mend: Any) -> None:
    code, repairs = mend(BY_KIND["column_left_out"], before, key_error("Tax", "Tax"))
    assert code == after
    assert "column `Tax` is missing" in repairs[0].evidence
    assert repairs[0].changes_meaning


@pytest.mark.parametrize(
    "code",
    [
        "df['Tax'].hist()",
        "df[['Tax']].hist()",
        "df.groupby(['sex', 'Tax']).size().plot()",
        "df.pivot_table(index=['sex', 'Tax'])",
        "plt.plot(df.AveragePrice, label='Tax')",
        "df[['AveragePrice', 'sex']].hist()",
    ],
)
def test_a_figure_that_is_made_of_it_is_not_thinned(code: str, mend: Any) -> None:
    assert mend(BY_KIND["column_left_out"], code, key_error("Tax")) == (code, ())


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        (Fault("KeyError", "'Tax'"), ("Tax",)),
        (Fault("KeyError", "\"['Tax', 'Duty'] not in index\""), ("Tax", "Duty")),
        (Fault("KeyError", "\"Columns not found: 'Tax'\""), ("Tax",)),
        (Fault("AttributeError", "'DataFrame' object has no attribute 'Tax'"), ("Tax",)),
        (Fault("ValueError", "Could not interpret value `Tax` for `x`. An entry"), ("Tax",)),
        (Fault("KeyError", "'price'"), ()),
        (Fault("KeyError", "3"), ()),
    ],
)
def test_missing_columns_are_read_from_the_fault(
    fault: Fault, names: tuple[str, ...], drifted: Table
) -> None:
    assert missing_names(fault, View({column.name: column for column in drifted.columns})) == names


def test_the_nearest_columns_are_named(drifted: Table) -> None:
    said = nearest_columns("Geographic", drifted)
    assert said.startswith("column `Geographic` is missing; nearest: `geography` (0.")
    assert nearest_columns("Zq", drifted).startswith("column `Zq` is missing")


def test_names_given_by_place_go_to_what_they_name() -> None:
    columns = tuple(TableColumn(n, "number", "flow", 0, 9) for n in ("rank", "country", "score", "freedom"))
    table = Table("a", "a", "", "", 1, 1, columns, "")

    def mended(fix: TableFix, code: str, fault: Fault) -> str:
        component = Component("c", "n", 0, "", (), (), code, code)
        adapted = Adapted(component, "f", Script.parse(code), "lake", {})
        made = fix.mend(adapted, fault, table)
        return str(made.script).splitlines()[-1] if made else ""

    swapped = "df = lake.copy()\ndf.columns = ['Country', 'Rank', 'Score', 'Freedom']"
    names = {"rank": "Rank", "country": "Country", "score": "Score", "freedom": "Freedom"}
    by_name = f"df = df.rename(columns={names!r})"
    assert mended(SILENT_NAMES, swapped, Fault("", "")) == by_name
    right = "df = lake.copy()\ndf.columns = ['Rank', 'Country', 'Score', 'Freedom']"
    assert mended(SILENT_NAMES, right, Fault("", "")) == ""
    fewer = "df = lake.copy()\ndf.columns = ['Rank', 'Country', 'Score']"
    length = Fault("ValueError", "Length mismatch: Expected axis has 4 elements, new values have 3 elements")
    assert mended(BY_KIND["columns_by_name"], fewer, length).startswith(
        "df = df.rename(columns={'rank': 'Rank'"
    )
    counts = "c = lake.groupby('country').size()\nc.columns = ['Country', 'Rank', 'Score', 'Freedom']"
    assert mended(SILENT_NAMES, counts, Fault("", "")) == ""
