"""Total rows are recognised by label and numbers together, never by one alone."""

from __future__ import annotations

import pytest

from lakebook.sources.formats.workbooks.grid import Unread
from lakebook.sources.formats.workbooks.totals import find_totals


@pytest.mark.parametrize(
    "label", ["Total", "Summe", "Grand total", "Insgesamt", "Sub-Total", "合计", "Total (n)"]
)
def test_a_label_with_the_sums_is_a_total(label: str) -> None:
    found = find_totals([["a", 1, 1.5], ["b", 2, 2.5], [label, 3, 4.0]])
    assert found.rows == {2: "sums of the rows above"}
    assert not found.doubtful


def test_a_label_with_other_numbers_is_doubtful_and_stays() -> None:
    found = find_totals([["a", 1], ["b", 2], ["Total", 7]])
    assert not found.rows
    assert found.doubtful == {2: "Total"}


@pytest.mark.parametrize("label", ["c", "Totally new", "Summer", None])
def test_sums_without_a_label_are_data(label: str | None) -> None:
    found = find_totals([["a", 1], ["b", 2], [label, 3]])
    assert not found.rows
    assert not found.doubtful


def test_subtotals_and_the_total_of_all() -> None:
    rows = [["a", 1], ["b", 2], ["Total X", 3], ["c", 4], ["d", 5], ["Total Y", 9], ["Total", 12]]
    found = find_totals(rows)
    assert list(found.rows) == [2, 5, 6]
    assert found.rows[5] == "sums of the rows since the total before"


def test_a_total_on_top() -> None:
    assert find_totals([["Total", 3], ["a", 1], ["b", 2]]).rows == {0: "sums of the rows below"}


def test_shares_that_do_not_add_up_do_not_matter_but_half_must() -> None:
    assert find_totals([["a", 1, 0.5], ["b", 2, 0.7], ["Total", 3, 0.65]]).rows
    assert not find_totals([["a", 1, 0.5, 9], ["b", 2, 0.7, 8], ["Total", 3, 0.65, 7]]).rows


def test_rounded_figures_add_up_nearly() -> None:
    rows: list[list[object]] = [["a", 33.3], ["b", 33.3], ["c", 33.3], ["Total", 100.0]]
    assert find_totals(rows).rows
    assert not find_totals([*rows[:-1], ["Total", 101.0]]).rows


def test_a_single_row_is_no_sum() -> None:
    assert not find_totals([["a", 3], ["Total", 3]]).rows


def test_zeros_prove_nothing_and_raise_no_doubt() -> None:
    found = find_totals([["a", 0], ["b", 0], ["Total", 0]])
    assert not found.rows
    assert not found.doubtful


def test_totals_that_were_never_calculated_hold_nothing() -> None:
    rows: list[list[object]] = [["a", 1], ["b", 2], ["Total", Unread()]]
    assert find_totals(rows).rows == {2: "its formulas hold no stored value"}
    assert not find_totals([["a", 1], ["b", 2], ["Total", Unread("#REF!")]]).rows


def test_declared_totals_need_no_label() -> None:
    assert find_totals([["a", 1], [None, 5]], declared=1).rows == {1: "declared by the workbook"}
