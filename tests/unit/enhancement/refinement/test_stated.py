"""Texts taken apart: sentences, clauses, numbers with their units and hedges."""

from __future__ import annotations

import pytest

from lakebook.enhancement.refinement.stated import clauses, marks_of, sentences


def test_sentences_without_markdown() -> None:
    text = (
        "# Prices\n\n- Insight 1: **Kiel** is highest, e.g. at 2.5.\n- See [here](http://x.y) `code`. So!\n"
    )
    assert sentences(text) == ["Kiel is highest, e.g. at 2.5.", "See here code.", "So!"]


def test_clauses_with_what_joined_them() -> None:
    assert clauses("a is 1; b is 2, while c is 3") == [
        ("a is 1", ""),
        ("b is 2", "; "),
        ("while c is 3", ", "),
    ]


@pytest.mark.parametrize(
    ("text", "value", "unit", "hedge"),
    [
        ("1,234.5", 1234.5, "", ""),
        ("$3.2M", 3.2e6, "", ""),
        ("about 40%", 0.4, "%", "about"),
        ("more than 5 million", 5e6, "", "over"),
        ("-0.4", -0.4, "", ""),
        ("3 times", 3.0, "x", ""),
        ("nearly 12 percent", 0.12, "%", "nearly"),
        ("seven", 7.0, "", "word"),
        ("5.012e+05", 501200.0, "", ""),
    ],
)
def test_numbers(text: str, value: float, unit: str, hedge: str) -> None:
    (mark,) = [m for m in marks_of(f"it is {text} there", [], frozenset()) if m.kind == "number"]
    assert (mark.value, mark.unit, mark.hedge) == (pytest.approx(value), unit, hedge)


def test_names_are_found_whole_and_longest_first() -> None:
    found = marks_of("New York and York", ["York", "New York"], frozenset())
    assert [mark.text for mark in found if mark.kind == "name"] == ["New York", "York"]
