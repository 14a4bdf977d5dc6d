"""What documents say of dates: taken only when it is plain, and only for the files that it is about."""

from __future__ import annotations

import pytest

from lakebook.sources.conventions import Statement, settle, statements
from lakebook.sources.reading import Passage


def _said(text: str, path: str = "README.md", heading: str = "") -> tuple[Statement, ...]:
    return statements([(path, [Passage("lines 3-4", heading, text)])])


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("All dates are written DD/MM/YYYY.", "day"),
        ("Dates: d.m.yyyy", "day"),
        ("The column `When` holds the date, day first.", "day"),
        ("Date format is MM-DD-YYYY in every export.", "month"),
        ("US dates (month/day/year).", "month"),
    ],
)
def test_a_plain_statement_is_found(text: str, order: str) -> None:
    (found,) = _said(text)
    assert found.order == order
    assert found.citation.startswith("README.md, lines 3-4: ")


@pytest.mark.parametrize(
    "text",
    [
        "Dates are not in DD/MM/YYYY.",
        "Dates came as MM/DD/YYYY until 2019 and DD/MM/YYYY since.",
        "Write the file name as ddmmyyyy.",
        "Dates follow ISO 8601 (YYYY-MM-DD).",
        "The day after the first of the month is a holiday; the date is announced.",
    ],
)
def test_what_is_not_plain_says_nothing(text: str) -> None:
    assert _said(text) == ()


def test_the_word_date_may_stand_elsewhere_in_the_passage() -> None:
    assert _said("Order date\n\nformat: dd/mm/yyyy")[0].order == "day"
    assert _said("format: dd/mm/yyyy", heading="Dates")[0].order == "day"


def test_a_statement_holds_for_its_folder_and_below() -> None:
    found = _said("Dates are DD/MM/YYYY.", path="eu/README.md")
    assert settle("eu/2020/sales.csv", "when", found) is not None
    assert settle("us/sales.csv", "when", found) is None


def test_contradictions_settle_nothing_but_a_named_column_wins() -> None:
    found = _said("Dates are DD/MM/YYYY. The dates in shipped are MM/DD/YYYY.")
    assert settle("a.csv", "ordered", found) is None
    settled = settle("a.csv", "shipped", found)
    assert settled is not None
    assert settled.order == "month"


def test_a_statement_about_another_file_says_nothing_of_this_one() -> None:
    found = _said("Dates in orders.csv are DD/MM/YYYY.")
    settled = settle("orders.csv", "when", found)
    assert settled is not None
    assert settled.order == "day"
    assert settle("returns.csv", "when", found) is None
