"""Dates for text, numbers for text, and gaps where the code expects none."""

from __future__ import annotations

from typing import Any

import pytest

from lakebook.enhancement.repairs.forms import FIXES
from lakebook.enhancement.repairs.rule import Fault
from lakebook.enhancement.repairs.values import FIXES as VALUES

BY_KIND = {fix.kind: fix for fix in FIXES if fix.fault}
(SILENT,) = (fix for fix in FIXES if not fix.fault)
STR = Fault("AttributeError", "Can only use .str accessor with string values, not datetimelike")
NO_NUMBER = Fault("ValueError", "could not convert string to float: '$1,200.00'")
SORT = Fault("TypeError", "'<' not supported between instances of 'float' and 'str'")


@pytest.mark.parametrize(
    ("code", "form"),
    [
        ("df['m'] = df['Date'].str[5:7]", "%Y-%m-%d"),
        ("df['year'] = df['Date'].str.split('-').str[2]", "%d-%m-%Y"),
        ("df['month'] = df['Date'].str.split('/').str[0]", "%m/%d/%Y"),
        ("df['month'] = df['Date'].str.split('/').str[1]", "%d/%m/%Y"),
        ("df['day'] = df['Date'].apply(lambda d: d.split('/')[0])", "%d/%m/%Y"),
        ("df['y'] = df['Date'].apply(lambda d: d.split(', ')[-1])", "%B %d, %Y"),
        ("df['y'] = df['Date'].str[-4:]", "%m/%d/%Y"),
        ("x = pd.to_datetime(df['Date'].str.strip(), format='%d.%m.%Y')", "%d.%m.%Y"),
    ],
)
def test_a_date_is_given_as_the_text_that_is_taken_apart(code: str, form: str, mend: Any) -> None:
    after, repairs = mend(BY_KIND["dates_as_text"], code, STR)
    assert after.splitlines()[0] == f"lake = lake.assign(**{{'Date': lake['Date'].dt.strftime({form!r})}})"
    assert not repairs[0].changes_meaning
    assert repairs[0].evidence


def test_dates_are_made_text_once(mend: Any) -> None:
    code = "lake = lake.assign(**{'Date': lake['Date'].dt.strftime('%Y')})\nx = df['Date'].str[0]"
    assert mend(BY_KIND["dates_as_text"], code, STR) == (code, ())


@pytest.mark.parametrize(
    ("kind", "fault", "before", "after"),
    [
        (
            "number_as_text",
            STR,
            "x = df['AveragePrice'].str.replace('$', '').astype(float)",
            "x = df['AveragePrice'].astype(str).str.replace('$', '').astype(float)",
        ),
        (
            "digits_to_number",
            Fault("TypeError", "dtype 'str' does not support operation 'median'"),
            "d = df.size.str.extract('(\\\\d+)')",
            "d = pd.to_numeric(df.size.str.extract('(\\\\d+)', expand=False))",
        ),
        (
            "gaps_left_out",
            SORT,
            "x = sorted(df['region'].unique())",
            "x = sorted(df['region'].dropna().unique())",
        ),
        (
            "gaps_kept",
            Fault("IntCastingNaNError", "Cannot convert non-finite values (NA or inf) to integer"),
            "x = df['a'].astype(int)",
            "x = df['a'].astype(float)",
        ),
    ],
)
def test_the_form_that_the_code_expects(kind: str, fault: Fault, before: str, after: str, mend: Any) -> None:
    code, repairs = mend(BY_KIND[kind], before, fault)
    assert code == after
    assert [repair.kind for repair in repairs] == [kind]


def test_text_that_holds_numbers_is_read_as_numbers(mend: Any) -> None:
    code, repairs = mend(BY_KIND["text_to_number"], "df['cost'].astype(float).hist()", NO_NUMBER)
    assert code.startswith("lake = lake.assign(**{'cost': pd.to_numeric(lake['cost'].str.replace(")
    assert repairs[0].changes_meaning
    assert "$1,200.00" in repairs[0].evidence


@pytest.mark.parametrize(
    ("kind", "fault", "code"),
    [
        ("number_as_text", STR, "x = df['region'].str.strip()"),
        ("number_as_text", STR, "x = y.str.strip()"),
        ("text_to_number", Fault("ValueError", "could not convert string to float: 'Albany'"), "df.region"),
        ("text_to_number", Fault("ValueError", "could not convert string to float: 'Utopia'"), "df.region"),
        ("gaps_left_out", SORT, "x = sorted(df['sex'].unique())"),
        ("gaps_left_out", SORT, "x = sorted(y)"),
        ("digits_to_number", SORT, "d = df.size.str.extract('(\\\\w+)')"),
    ],
)
def test_what_has_the_right_form_is_left_alone(kind: str, fault: Fault, code: str, mend: Any) -> None:
    assert mend(BY_KIND[kind], code, fault) == (code, ())


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("x = df[df.alive == 1]", "lake = lake.assign(**{'alive': lake['alive'].map({'no': 0, 'yes': 1})})"),
        (
            "x = df['cls'].map({1: 'first', 2: 'second'})",
            "lake = lake.assign(**{'cls': lake['cls'].map({'3rd': 3, '1st': 1, '2nd': 2})})",
        ),
    ],
)
def test_words_become_the_numbers_that_the_code_knows(code: str, made: str, mend: Any) -> None:
    after, repairs = mend(SILENT, code)
    assert after == f"{made}\n{code}"
    assert [(r.kind, r.changes_meaning) for r in repairs] == [("words_as_numbers", True)]
    assert mend(VALUES[0], after) == (after, ())  # what the numbers are compared with stays


def test_words_that_are_reckoned_with_become_numbers(mend: Any) -> None:
    line = "df.groupby('sex')['alive'].mean().plot()"
    made = "lake = lake.assign(**{'alive': lake['alive'].map({'no': 0, 'yes': 1})})"
    for said in ("dtype 'str' does not support operation 'mean'", "no numeric data to plot"):
        code, _ = mend(BY_KIND["words_as_numbers"], line, Fault("TypeError", said, (line,)))
        assert code.splitlines()[0] == made


@pytest.mark.parametrize(
    "code",
    [
        "x = df[df.alive == 'yes']",
        "x = df[(df.alive == 1) | (df.alive == 'yes')]",
        "x = df[df.sex == 1]",
        "x = df[df.kind == 1]",
        "x = df[df.Survived == 1]",
        "df['alive'] = df['alive'].map({'no': 0, 'yes': 1})\nx = df[df.alive == 1]",
    ],
)
def test_words_that_the_code_knows_stay(code: str, mend: Any) -> None:
    assert mend(SILENT, code) == (code, ())
