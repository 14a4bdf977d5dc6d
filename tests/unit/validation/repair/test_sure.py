"""Names that are sure, and those that only look alike."""

from __future__ import annotations

import pytest

from lakebook.validation.repair.sure import sure_name

KNOWN = (
    "Order Date",
    "total_sales",
    "max_price",
    "q1_revenue",
    "pos_x",
    "height",
    "customer_id",
    "male",
    "net",
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("order_date", "Order Date"),
        ("ORDER-DATE", "Order Date"),
        ("total_sale", "total_sales"),
        ("custmer_id", "customer_id"),
        ("cutsomer_id", "customer_id"),
        ("customers_id", "customer_id"),
        ("custumer_id", "customer_id"),
        ("min_price", None),
        ("q2_revenue", None),
        ("pos_y", None),
        ("weight", None),
        ("female", None),
        ("set", None),
        ("price", None),
        ("customer", None),
        ("", None),
    ],
)
def test_what_is_sure(written: str, meant: str | None) -> None:
    assert sure_name(written, KNOWN) == meant


def test_of_two_none_is_sure() -> None:
    assert sure_name("order date", ["Order Date", "order_date"]) is None
    assert sure_name("amounts", ["amount", "amounts2"]) == "amount"
    assert sure_name("custome", ["customer", "customs"]) is None
