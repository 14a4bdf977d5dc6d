"""Texts and numbers of code, hidden behind placeholders and given back."""

from __future__ import annotations

import ast

import pytest

from lakebook.enhancement.hidden import Hidden

CODE = """\
# Albany only
d = df[df['region'] == 'Albany']
d = d[d.price > 1250.5]
plt.hist(d['price'], bins=10, color='secret red')
plt.title(f'Prices in {n} of Albany')
"""


def test_nothing_of_the_data_is_left_and_everything_comes_back() -> None:
    hidden = Hidden({"region", "price"})
    shown = hidden.hide(CODE)
    for told in ("Albany", "1250", "secret", "Prices"):
        assert told not in shown
    for kept in ("'region'", "'price'", "bins=10", "hist"):
        assert kept in shown
    assert ast.dump(ast.parse(hidden.give_back(shown))) == ast.dump(ast.parse(CODE))


def test_what_was_edited_meanwhile_comes_back_too() -> None:
    hidden = Hidden({"region"})
    shown = hidden.hide("x = df[df['region'] == 'Albany']\ny = 5000")
    edited = shown.replace("x = ", "z = ")
    assert hidden.give_back(edited) == "z = df[df['region'] == 'Albany']\ny = 5000"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("KeyError: 'region'", "KeyError: 'region'"),
        ("could not convert string to float: 'Albany'", "could not convert string to float: 'T1_'"),
        ("could not convert string to float: 'Boise'", "could not convert string to float: '…'"),
        ("'DataFrame' object has no attribute 'append'", "'DataFrame' object has no attribute 'append'"),
        ("12345 is not in range", "… is not in range"),
        (
            "plot() got an unexpected keyword argument 'kde_kws'",
            "plot() got an unexpected keyword argument 'kde_kws'",
        ),
        ("no column 'Boise' for argument 'x'", "no column '…' for argument 'x'"),
    ],
)
def test_messages_tell_no_values(message: str, said: str) -> None:
    hidden = Hidden({"region"})
    hidden.hide("x = 'Albany'\nx.append(3)")
    assert hidden.hide_in_message(message) == said
