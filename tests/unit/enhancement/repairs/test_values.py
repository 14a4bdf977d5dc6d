"""Category values that the new data spell otherwise, name otherwise, or lack."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.repairs.values import FIXES, gone_values
from lakebook.enhancement.script import Script
from lakebook.notebooks.component import Component

(VALUES,) = FIXES

RESPELLED = [
    ("x = df[df.region == 'TotalUS']", "x = df[df.region == 'Total U.S.']"),
    ("x = df[df['region'] != 'total u.s.']", "x = df[df['region'] != 'Total U.S.']"),
    ("x = df[df.region == 'San Jose']", "x = df[df.region == 'San José']"),
    ("x = df[df.region.isin(['TotalUS', 'Albany'])]", "x = df[df.region.isin(['Total U.S.', 'Albany'])]"),
    ("x = df.loc[df['kind'].isin({'ORGANIC'})]", "x = df.loc[df['kind'].isin({'organic'})]"),
    ("x = by['ORGANIC']", "x = by['organic']"),
    ("x = df.groupby('kind').mean().loc['Organic']", "x = df.groupby('kind').mean().loc['organic']"),
    ("cities = ['TotalUS']", "cities = ['Total U.S.']"),
    ("for c in ['TotalUS']:\n    f(c)", "for c in ['Total U.S.']:\n    f(c)"),
    ("x = g.get_group('TotalUS')", "x = g.get_group('Total U.S.')"),
    ("x = df.query(\"region == 'TotalUS'\")", "x = df.query(\"region == 'Total U.S.'\")"),
    ("sns.boxplot(x='kind', y='p', data=df, order=['Organic'])",
     "sns.boxplot(x='kind', y='p', data=df, order=['organic'])"),
    ("x = df[df.region.str.contains('total u')]", "x = df[df.region.str.contains('Total U')]"),
    ("x = df['show'].map({'MOVIE': 0, 'TV Show': 1})", "x = df['show'].map({'Movie': 0, 'TV Show': 1})"),
    ("df = df.replace({'show': {'MOVIE': 'm'}})", "df = df.replace({'show': {'Movie': 'm'}})"),
]  # fmt: skip
RENAMED = [
    ("x = df[df['sex'] == 'male']", "x = df[df['sex'] == 'M']"),
    ("x = df['sex'].map({'male': 1, 'female': 0})", "x = df['sex'].map({'M': 1, 'F': 0})"),
    ("x = df['sex'].apply(lambda v: v == 'female')", "x = df['sex'].apply(lambda v: v == 'F')"),
    ("x = df[df.cls == 1]", "x = df[df.cls == '1st']"),
    ("x = df[df.alive == 1]", "x = df[df.alive == 'yes']"),
    ("x = df[df.Survived == 'Yes']", "x = df[df.Survived == 1]"),
    ("x = df[df.species == 'setosa']", "x = df[df.species == 'Iris-setosa']"),
    ("x = df[df.show == 'Movies']", "x = df[df.show == 'Movie']"),
    ("x = df[df.kind == 'convetional']", "x = df[df.kind == 'conventional']"),
    ("def f(v):\n    return v == 'male'\ny = df['sex'].apply(f)",
     "def f(v):\n    return v == 'M'\ny = df['sex'].apply(f)"),
    ("for s in df['sex'].unique():\n    g(s == 'male')", "for s in df['sex'].unique():\n    g(s == 'M')"),
]  # fmt: skip
LEFT_OUT = [
    ("x = df[df.region.isin(['Albany', 'Boise'])]", "x = df[df.region.isin(['Albany'])]"),
    ("sns.countplot(x='show', data=df, order=['Movie', 'Radio'])",
     "sns.countplot(x='show', data=df, order=['Movie'])"),
    ("cities = ['Albany', 'Boise']\nfor c in cities:\n    f(df[df.region == c])",
     "cities = ['Albany']\nfor c in cities:\n    f(df[df.region == c])"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        *((*pair, "respelled_value") for pair in RESPELLED),
        *((*pair, "other_value") for pair in RENAMED),
        *((*pair, "value_left_out") for pair in LEFT_OUT),
    ],
)
def test_a_value_that_is_not_there_is_found(before: str, after: str, kind: str, mend: Any) -> None:
    code, repairs = mend(VALUES, before)
    assert code == after
    assert {repair.kind for repair in repairs} == {kind}
    assert all(repair.evidence for repair in repairs)
    assert all(repair.changes_meaning is (kind != "respelled_value") for repair in repairs)


@pytest.mark.parametrize(
    "code",
    [
        "x = df[df.region == 'Total U.S.']",
        "x = df[df.region.isin(['Albany', 'San José'])]",
        "x = df[df.region == 'Atlantis']",
        "x = df[df.region.isin(['Atlantis', 'Utopia'])]",
        "plt.title('Organic')",
        "plt.plot(x, label='ORGANIC')",
        "x = df['Date']",
        "x = df['AveragePrice']",
        "x = 3",
        "x = df[df.price == 1]",
        "x = df[df.Survived == 1]",
        "x = df[df.sex == 1]",
        "x = df[df.city == 'Houston']",
        "x = df[df['size'] == '8+ Seasons']",
        "t.loc[len(t)] = ['TotalUS', 3]",
        "x = df[df.region.str.lower() == 'albany']",
        "x = df[df.kind == 'Category 2']",
        "x = df.query('not python at all ==')",
        "df['sex'] = df['sex'].map({'M': 'male', 'F': 'female'})\nx = df[df.sex == 'male']",
        "df['cls'].replace({'1st': 1}, inplace=True)\nx = df[df.cls == 1]",
        "x = df['sex'].map({'M': 1, 'F': 0})",
        "x = df['sex'].replace({0: 'female', 1: 'male'})",
        "ct = df.groupby('alive').size().plot()\nfig = ct[0].get_figure()",
        "t = df.groupby('alive').size()\nx = t[0]",
        "sns.countplot(x='stage', data=df, order=['ALBANY', 'Teen'])",
        "x = df[df['stage'] == 'ALBANY']",
        "x = df[df['stage'].isin(['ALBANY'])]",
        "labels = ['ALBANY', 'Organic']",
    ],
)
def test_what_is_there_or_cannot_be_told_is_left_alone(code: str, mend: Any) -> None:
    assert mend(VALUES, code) == (code, ())


def test_a_query_keeps_names_in_backticks_and_variables(mend: Any) -> None:
    code, _ = mend(VALUES, "x = df.query(\"region == 'TotalUS' and `Total Volume` > @least\")")
    assert code == "x = df.query(\"region == 'Total U.S.' and `Total Volume` > @least\")"


def test_two_values_with_the_same_letters_are_not_guessed_between(drifted: Table) -> None:
    first = drifted.columns[3]
    doubled = type(first)(
        "size", "text", "dim", 0, 2, levels=(("x-large", 1), ("XLarge", 1)), levels_complete=True
    )
    table = type(drifted)("a", "a", "", "", 1, 1, (doubled,), "")
    code = "x = df[df['size'] == 'xlarge']"
    component = Component("c", "n", 0, "", (), (), code, code)
    adapted = Adapted(component, "f", Script.parse(code), "lake", {})
    assert VALUES.mend(adapted, None, table) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = df[df.region == 'Atlantis']", ["`geography` has no 'Atlantis'"]),
        ("x = df[df.region == 'Albania']", ["`geography` has no 'Albania'; nearest: 'Albany'"]),
        ("x = df[df.region == 'Albany']", []),
        ("x = df[df.region != 'Atlantis']", []),
        ("x = df[df.city == 'Houston']", []),
    ],
)
def test_a_value_that_is_gone_is_named_with_the_nearest(code: str, said: list[str], drifted: Table) -> None:
    component = Component("c", "n", 0, "", (), (), code, code)
    adapted = Adapted(component, "f", Script.parse(code), "lake", {"geography": "region"})
    assert list(gone_values(adapted, drifted)) == said
